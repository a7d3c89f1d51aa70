package transform

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
)

// How marks without effect are told
//
// What a step marks, a loop or the place of a tensor, keeps its origin in whatever becomes of
// it. So what is known of the tree in the end is told where it was made: Tree warns at the step,
// and the nests from that step on say it when they are printed with IdleMarks.

// An origin is where a mark or a place comes from.
type origin struct {
	step *Step // nil: the tree of which the nest was made
}

// String is what made it, as a program writes that.
func (o *origin) String() string {
	if o.step == nil {
		return defaultTitle
	}
	return o.step.Written()
}

// pos is where a program made it.
func (o *origin) pos() source.Span {
	if o.step == nil {
		return source.Span{}
	}
	return o.step.Call.Pos
}

// An idleMark is a mark or a place without effect.
type idleMark struct {
	origins []*origin // of the marks of loops that were fused
	what    string
	why     string
	help    string
}

// idle lists what has no effect in the tree.
func (x settlement) idle() (all []idleMark) {
	ofLoop := func(m mark, why, help string) {
		l := x.g.all[m.number-1]
		all = append(all, idleMark{l.origins[m.kind], fmt.Sprintf("%s loop %s", m.kind, l.name), why, help})
	}
	for _, i := range x.g.idles {
		ofLoop(mark{i.number, parallelMark}, i.why, i.help)
	}
	for _, m := range x.left {
		why := misfit(m.why)
		if m.kind == placeMark {
			n := x.g.asked[m.number-1]
			p := n.between.(*schedule.Place)
			all = append(all, idleMark{[]*origin{n.origin}, fmt.Sprintf("%s block of %s", p.Region, p.Tensor), why, "cut the levels inside of it into smaller blocks, or leave it out"})
			continue
		}
		if isIllegal(m.why) && x.g.isLent(m.mark) {
			ofLoop(m.mark, "with it "+why, "one of the loops that the step shares did not have it; leave it out of the other one, too")
			continue
		}
		ofLoop(m.mark, why, "leave it out, or make the loops so that there is code for it")
	}
	return append(all, x.idlePlaces()...)
}

// misfit is what did not fit, in words.
func misfit(err error) string {
	if list := (source.ErrorList)(nil); errors.As(err, &list) {
		return list[0].Message
	}
	return err.Error()
}

// idlePlaces lists the places that nothing uses.
func (x settlement) idlePlaces() (all []idleMark) {
	if len(x.g.places) == 0 {
		return nil
	}
	placements, err := schedule.Placements(x.g.f, x.tree)
	if err != nil {
		return nil
	}
	for _, p := range x.g.places {
		if len(placements[p.place].Uses) > 0 {
			continue
		}
		why, help := x.g.whyUnused(p)
		all = append(all, idleMark{[]*origin{p.origin}, fmt.Sprintf("%s block of %s", p.place.Region, p.place.Tensor), why, help})
	}
	return all
}

// A placed is a place of the tree and where it comes from.
type placed struct {
	place  *schedule.Place
	origin *origin
	inside []int // the statements
}

// whyUnused says why a place has no effect, and what would have one.
func (g *generator) whyUnused(p placed) (why, help string) {
	t := p.place.Tensor
	reads, writes := g.used(p.inside)
	switch {
	case !slices.Contains(reads, t) && !slices.Contains(writes, t):
		why, help = "nothing inside of it uses "+t, "inside of that level are read: "+strings.Join(reads, ", ")+"; and written: "+strings.Join(writes, ", ")
	case len(g.f.Tensor(t).Dims) == 0:
		why, help = t+" is a scalar, which is in a register anyway", "leave it out"
	default:
		why, help = "the partial results of "+t+" are in accumulators there, and go to it further out", "leave it out, or promote further out"
	}
	return why, help
}

// used lists the tensors that statements read and write.
func (g *generator) used(statements []int) (reads, writes []string) {
	add := func(list *[]string, t *ein.Tensor) {
		if !slices.Contains(*list, t.Name) {
			*list = append(*list, t.Name)
		}
	}
	for _, s := range statements {
		for _, a := range g.f.Body[s].Accesses() {
			add(&reads, a.Tensor)
		}
		for _, w := range g.f.Body[s].Writes {
			add(&writes, w.Tensor)
		}
	}
	return reads, writes
}

// warnings says what has no effect, at the steps that made it.
func (x settlement) warnings() []*source.Diagnostic {
	w := &source.Diagnostics{}
	for _, m := range x.idle() {
		made := m.origins[0]
		w.Warnf(source.CodeTeMLIdle, made.pos(), "the %s of %s has no effect: %s", m.what, made, m.why).WithHelp("%s", m.help)
	}
	return w.List
}

// Idle says of marks and places that have no effect why they have none.
type Idle map[*origin]string

// IdleMarks returns what has no effect in the schedule that Tree makes; nothing where that has
// an error.
func IdleMarks(f *ein.Func, nests []*Nest, options Options) Idle {
	all := Idle{}
	if covered(f, nests, options.Pos) != nil {
		return all
	}
	x, err := settle(f, nests, options.complete())
	if err != nil {
		return all
	}
	for _, m := range x.idle() {
		for _, o := range m.origins {
			all[o] = m.why
		}
	}
	return all
}

// of returns why a mark of a loop has no effect; empty where it has, or is not known to have none.
func (i Idle) of(l *level, k markKind) string {
	for _, o := range l.origins[k] {
		if why := i[o]; why != "" {
			return why
		}
	}
	return ""
}
