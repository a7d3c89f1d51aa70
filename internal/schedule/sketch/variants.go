package sketch

import (
	"cmp"
	"slices"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
)

// How launches are varied
//
// Rules say how loops are cut and what is staged. What is left is where things lie, and in which order groups come: it hangs on the
// sizes that were chosen, and is the same question for all rules. So the launches that the model finds best get variants, of each
// kind in turn, and the best of a kind is a candidate, too, if it is worth it. A kind of variants is a function from a tree to others that mean the
// same, and a row of the table.

// A variant is a kind of variants of launches.
type variant struct {
	known bool // only where all sizes are
	make  func(p *machine.Processor, n schedule.Node) []schedule.Node
	// gains reports whether what the kind is for is better, so that it is not taken for what else the model sees in it; nil: always.
	gains func(before, after *estimate.Launch) bool
}

// variants is the table of their kinds.
func variants() []variant {
	return []variant{{false, swizzled, lessMeets}, {true, inStrips, nil}}
}

const (
	mostVaried  = 4    // launches of a subject that get variants
	worthVaried = 0.99 // of the time, for something that is harder to read
)

// varied adds the variants of the best candidates to a list that begins with them.
func (s *sketcher) varied(list []*Candidate) []*Candidate {
	best := list[:min(len(list), mostVaried)]
	for _, c := range best {
		for _, v := range variants() {
			if v.known && s.whole != s.f {
				continue
			}
			kind := *c
			for _, n := range v.make(s.p, c.Node) {
				if other, fits := s.judge(c, n); fits && other.Seconds < min(worthVaried*c.Seconds, kind.Seconds) && s.gains(v, c, other) {
					kind = *other
				}
			}
			if kind.Node != c.Node {
				c = &kind // the next kind goes on with it
				list = append(list, c)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *Candidate) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return list
}

// gains reports whether a variant is better in what its kind is for.
func (s *sketcher) gains(v variant, before, after *Candidate) bool {
	if v.gains == nil {
		return true
	}
	b, err := s.model.Estimate(s.tree([]*Candidate{before}))
	a, err2 := s.model.Estimate(s.tree([]*Candidate{after}))
	return err == nil && err2 == nil && v.gains(b.Parts[0].Launch, a.Parts[0].Launch)
}

// judge asks the model for a launch of the same statements by the same rule, and whether the machine has what it takes.
func (s *sketcher) judge(like *Candidate, n schedule.Node) (c *Candidate, fits bool) {
	c = &Candidate{Rule: like.Rule, First: like.First, Last: like.Last, Node: n}
	s.judged++
	seconds, fits, err := s.model.Fits(&schedule.Tree{Statements: s.domain, Root: c.filter()})
	c.Seconds = seconds
	return c, err == nil && fits
}

// changed copies a tree, and lets a function change the copies of its nodes.
func changed(n schedule.Node, change func(schedule.Node)) schedule.Node {
	var x schedule.Node
	switch n := n.(type) {
	case *schedule.Sequence:
		c := &schedule.Sequence{}
		for _, f := range n.Children {
			c.Children = append(c.Children, &schedule.Filter{Statements: f.Statements, Child: changed(f.Child, change)})
		}
		x = c
	case *schedule.Band:
		c := &schedule.Band{Permutable: n.Permutable, Child: changed(n.Child, change)}
		for _, m := range n.Members {
			copied := *m
			c.Members = append(c.Members, &copied)
		}
		x = c
	case *schedule.Accumulate:
		c := *n
		c.Child = changed(n.Child, change)
		x = &c
	case *schedule.Place:
		c := *n
		c.Child = changed(n.Child, change)
		x = &c
	default:
		return n
	}
	change(x)
	return x
}
