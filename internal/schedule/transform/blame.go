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

// How a transformation is blamed
//
// Intermediate nests may break dependences that later steps mend, so the steps are not
// checked as they are applied. When the tree in the end is refused, the steps are taken
// back one by one, the last one first, until a tree of what is left is without this very
// fault: the step that was taken back last is to blame. If none of them is, the nests
// are generated in the wrong order.

// A fault is a broken dependence, or that a tree does not fit the function.
type fault struct {
	dependence *schedule.Dependence // nil of a misfit
}

// absent reports whether the nests make a tree without the fault, also where one of the
// marks that have no effect had some.
func (x fault) absent(f *ein.Func, nests []*Nest, options Options) bool {
	options.Unchecked = true
	if x.dependence == nil {
		t, _, err := generate(f, nests, options, variant{})
		return err == nil && schedule.Check(f, t) == nil
	}
	s, err := settle(f, nests, options)
	return err == nil && x.dependence.KeptBy(s.tree) && !slices.ContainsFunc(s.alone(), func(v variant) bool {
		alone, _, err := generate(f, nests, options, v)
		return err == nil && !x.dependence.KeptBy(alone)
	})
}

// concerns reports whether the steps of a nest may be at fault.
func (x fault) concerns(n *Nest) bool {
	if x.dependence == nil {
		return true
	}
	first, second := x.dependence.Statements()
	list := n.Statements()
	return slices.Contains(list, first) && slices.Contains(list, second)
}

// in is the fault of the nests as a step left them, nil where it shows otherwise there.
func (x fault) in(f *ein.Func, nests []*Nest, options Options) error {
	if x.dependence == nil {
		return nil
	}
	t, g, _ := generate(f, nests, options, variant{})
	return x.dependence.CheckOrder(t, g.words)
}

// blame adds the step that is at fault to the error with which a tree was refused.
func blame(f *ein.Func, nests []*Nest, t *schedule.Tree, options Options, err error) error {
	var list source.ErrorList
	if !errors.As(err, &list) {
		return err
	}
	x := fault{}
	if list[0].Code == source.ScheduleIllegal {
		x.dependence = schedule.Broken(f, t)
	}
	step, with := x.step(f, nests, options)
	d := *list[0]
	if now := (source.ErrorList)(nil); step != nil && errors.As(x.in(f, with, options), &now) {
		d = *now[0] // without what later steps added, such as a parallel loop
	}
	pos := options.Pos
	rest, illegal := strings.CutPrefix(d.Message, "the schedule breaks")
	switch {
	case step != nil && illegal:
		d.Message = step.Written() + " breaks" + rest
	case step != nil:
		d.Message = step.Written() + ": " + d.Message
	case illegal:
		d.Message = "the order of the nests breaks" + rest
		d.Help = "codegen runs the nests in the order in which it lists them: list that of the first access before that of the second, or fuse the two where each iteration computes what the next needs"
	}
	if step != nil {
		pos = step.Call.Pos
	}
	if pos.IsValid() {
		if illegal && d.Span.IsValid() {
			d.Notes = append([]source.Note{{Span: d.Span, Message: fmt.Sprintf("the statement %s", textOf(d.Span))}}, d.Notes...)
		}
		d.Span = pos
	}
	return source.ErrorList{&d}
}

// textOf is the first line of what a span covers.
func textOf(s source.Span) string {
	line, _, _ := strings.Cut(s.Text(), "\n")
	return line
}

// step takes steps back until the fault is gone; it returns the last of them, nil if
// the fault stays, and the nests that still had it.
func (x fault) step(f *ein.Func, nests []*Nest, options Options) (*Step, []*Nest) {
	for {
		at := -1
		for k, n := range nests {
			if n.step != nil && x.concerns(n) {
				at = k
			}
		}
		if at < 0 {
			return nil, nests
		}
		step, from := nests[at].step, nests[at].from
		before := slices.Replace(slices.Clone(nests), at, at+1, from...)
		if x.absent(f, before, options) {
			return step, nests
		}
		if len(from) == 2 { // it is the step that says which comes first
			swapped := slices.Replace(slices.Clone(nests), at, at+1, from[1], from[0])
			if x.absent(f, swapped, options) {
				return step, nests
			}
		}
		nests = before
	}
}
