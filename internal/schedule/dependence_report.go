package schedule

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/source"
)

// How a lost order is reported: the two accesses, with points that are in the wrong order where they are
// known, what breaks the order, and what would keep it.

// A remedy is what would keep an order that a loop breaks, apart from having no such loop.
type remedy struct {
	mark string // of the member, that is to blame
	text string // what to do instead
}

// forwards is the remedy of a loop whose own order is wrong.
func (p *pair) forwards(m *Member) remedy {
	switch {
	case m.Reverse:
		return remedy{"reverse", "run the loop forwards"}
	case p.x.Statement != p.y.Statement:
		return remedy{"", "shift " + p.c.words.Statement(p.y.Statement) + " in the loop, so that it comes later"}
	}
	return remedy{}
}

func (p *pair) violation(n Node, example map[string]int64, r remedy, format string, args ...any) {
	kind := "the second overwrites what the first reads"
	switch {
	case p.x.Writes && p.y.Writes:
		kind = "the second overwrites the first"
	case p.x.Writes:
		kind = "the second needs what the first computes"
	}
	why := fmt.Sprintf(format, args...)
	if where := p.c.nodeWords(n); where != "" {
		why = where + " " + why
	}
	if p.reduction {
		p.disorder(n, example, why)
		return
	}
	d := p.c.errs.Errorf(source.ScheduleIllegal, p.c.f.Body[p.y.Statement].Pos, "the schedule breaks a dependence: %s must come before %s (%s), but %s",
		p.c.describe(p.x), p.c.describe(p.y), kind, why)
	d.WithNote(p.x.pos, "the first access%s", p.pointText("x", p.x, example)).WithNote(p.y.pos, "the second access%s", p.pointText("y", p.y, example))
	p.c.noteSchedule(d, n)
	if _, incomplete := n.(*Accumulate); incomplete {
		d.WithHelp("let the two share only loops that are outside of all loops over what is reduced, or run one behind the other")
		return
	}
	d.WithHelp("%s", p.advice(example != nil, r))
}

// advice says how to keep the order of two points.
func (p *pair) advice(certain bool, r remedy) string {
	text, them := "", "the two"
	if !certain {
		text, them = "it is not proved that the two touch different elements; ", "them"
	}
	text += "keep " + them + " in the order of the program: "
	switch {
	case p.x.Statement != p.y.Statement && r.text != "":
		return text + "run their statements one after the other, or " + r.text
	case p.x.Statement != p.y.Statement:
		return text + "run their statements one after the other"
	case r.text != "":
		return text + r.text
	}
	return text + "leave the loops of " + p.c.words.Statement(p.x.Statement) + " in their order there, or skew one by another first"
}

// noteSchedule adds to what breaks an order the place in the schedule where it is lost.
func (c *checker) noteSchedule(d *source.Diagnostic, n Node) {
	if pos := c.tree.TextPositions.of(n); pos.IsValid() {
		d.WithNote(pos, "where the schedule loses their order")
	}
}
