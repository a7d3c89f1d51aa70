// Package sketch makes schedules for devices with groups of items: rules make candidates, a model ranks them, and the dependences
// have the last word.
package sketch

import (
	"cmp"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
	"github.com/ricci-lang/ricci/internal/schedule/grids"
)

// How it works
//
// A subject is one statement, or several that follow each other, and are perhaps one launch (subject.go). A rule looks at a subject: at
// which indices there are, what is read along them, what is reduced; never at what the program is called. It makes trees for it whose
// sizes are few multiples of what the machine has: sub-groups, items of a group, local memory, registers. The rules are a table
// (rules.go), one file each. All of their trees are judged by the model (package estimate), which also says what does not fit into
// the machine; so every subject has a list of candidates, the best first.
//
// How a function is cut into subjects is the cheapest way through its statements, by the sums of the best candidates (partition.go).
// The whole is checked like any other schedule. Where it is refused, each launch is checked alone, among the plain loops of the other
// statements, and what is refused alone is no candidate any more. What no rule finds a launch for is one item's.

// The limits of what is looked at: a function is compiled in milliseconds.
const (
	mostStatements         = 48   // of functions; those with more get the plain default
	mostTogether           = 12   // statements of a subject
	mostCandidates         = 1500 // of a rule
	mostCandidatesTogether = 120  // for several statements
	mostRefused            = 200
	mostOpen               = 24 // trees that are looked at where sizes are open: their loops are made, too
	mostAlike              = 3  // candidates of a rule that are refused then, before all are
)

// A Candidate is a launch of some statements, made by a rule.
type Candidate struct {
	Rule        string
	First, Last int // statements
	Node        schedule.Node
	Seconds     float64 // by the model

	refused, accepted bool // by Check
}

// A Choice is a schedule with how it was found.
type Choice struct {
	Tree     *schedule.Tree
	Launches []*Candidate // the chosen ones, in order
	Judged   int          // candidates that the model looked at
	Checked  int          // trees whose dependences were looked at

	supposed string   // sizes, in words
	others   []string // of each launch: what comes next
}

// Choose returns the schedule that the model finds best, and how. Of a function some of whose sizes are open it also has to be accepted:
// loops may be legal, and be not proved for all sizes.
func Choose(f *ein.Func, p *machine.Processor, accept func(*schedule.Tree) bool) (*Choice, error) {
	known := suppose(f)
	if known == nil || !isSketched(known) {
		t, err := grids.Default(f, *p.Grid)
		return &Choice{Tree: t}, err
	}
	s, err := sketcherOf(known, f, p)
	if err != nil {
		return nil, err
	}
	if known != f {
		s.accept = accept
	}
	return s.choose()
}

// isSketched reports whether rules make candidates for a function: one of constant sizes, that is not too long.
func isSketched(f *ein.Func) bool {
	return len(f.Sizes) == 0 && len(f.Body) > 0 && len(f.Body) <= mostStatements
}

// A sketcher makes the schedule of a function.
type sketcher struct {
	f       *ein.Func                 // of known sizes
	whole   *ein.Func                 // the one that is scheduled, some of whose sizes may be open (open.go)
	accept  func(*schedule.Tree) bool // nil where all that is legal is
	p       *machine.Processor
	model   *estimate.Model
	plain   []schedule.Node // of statements, in no group
	domain  []schedule.Statement
	windows [][][]*Candidate // by the first statement and how many more: the best first
	judged  int
	checked int
}

func newSketcher(f *ein.Func, p *machine.Processor) (*sketcher, error) { return sketcherOf(f, f, p) }

// sketcherOf is a sketcher of a function, which is the one that is scheduled with supposed sizes.
func sketcherOf(f, whole *ein.Func, p *machine.Processor) (*sketcher, error) {
	model, err := estimate.New(f, p, schedule.Options{})
	if err != nil {
		return nil, err
	}
	s := &sketcher{f: f, whole: whole, p: p, model: model, domain: schedule.Domain(f)}
	seq, ok := schedule.Canonical(f).Root.(*schedule.Sequence)
	for n := range f.Body {
		if ok {
			s.plain = append(s.plain, seq.Children[n].Child)
		}
	}
	for first := range f.Body {
		var list [][]*Candidate
		for last := first; last < min(len(f.Body), first+mostTogether); last++ {
			var window []*Candidate
			if s.connected(first, last) || newSubject(s.f, s.p, first, last).alike() {
				window = s.candidates(first, last)
			}
			list = append(list, window)
		}
		s.windows = append(s.windows, list)
	}
	return s, nil
}

// connected reports whether statements all hang together by the tensors that they read and write.
func (s *sketcher) connected(first, last int) bool {
	known, left := tensorsOf(s.f.Body[first]), s.f.Body[first+1:last+1]
	for len(left) > 0 {
		var apart []*ein.Comprehension
		for _, c := range left {
			list := tensorsOf(c)
			if slices.ContainsFunc(list, func(t *ein.Tensor) bool { return slices.Contains(known, t) }) {
				known = append(known, list...)
			} else {
				apart = append(apart, c)
			}
		}
		if len(apart) == len(left) {
			return false
		}
		left = apart
	}
	return true
}

func tensorsOf(c *ein.Comprehension) (list []*ein.Tensor) {
	for _, w := range c.Writes {
		list = append(list, w.Tensor)
	}
	for _, a := range c.Accesses() {
		list = append(list, a.Tensor)
	}
	return list
}

// candidates asks the rules for a subject, and the model for their order.
func (s *sketcher) candidates(first, last int) (list []*Candidate) {
	x := newSubject(s.f, s.p, first, last)
	most := mostCandidates
	if last > first {
		most = mostCandidatesTogether
	}
	for _, r := range rules() {
		if last > first && !r.together {
			continue
		}
		made := r.make(x)
		each := (len(made) + most - 1) / most // of more than there is time for every second, or third
		for k := 0; k < len(made); k += max(1, each) {
			if c, fits := s.judge(&Candidate{Rule: r.Name, First: first, Last: last}, made[k]); fits {
				list = append(list, c)
			}
		}
	}
	if first == last {
		c := &Candidate{Rule: oneItem, First: first, Last: last, Node: s.plain[first]}
		var err error
		if c.Seconds, err = s.model.Seconds(&schedule.Tree{Statements: s.domain, Root: c.filter()}); err == nil {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b *Candidate) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return s.varied(list)
}

// oneItem is the rule of statements that are in no group.
const oneItem = "one item"

// filter restricts a launch to its statements.
func (c *Candidate) filter() *schedule.Filter {
	list := &schedule.Filter{Child: c.Node}
	for n := c.First; n <= c.Last; n++ {
		list.Statements = append(list.Statements, n)
	}
	return list
}

// tree puts launches one behind the other.
func (s *sketcher) tree(launches []*Candidate) *schedule.Tree {
	seq := &schedule.Sequence{}
	for _, c := range launches {
		seq.Children = append(seq.Children, c.filter())
	}
	return &schedule.Tree{Statements: s.domain, Root: seq}
}
