package sketch

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/space"
)

// mostOffered is how many candidates of a statement a tuner may choose from: the best by the model.
const mostOffered = 64

// A Space is what a tuner chooses from: for each statement one of the launches that begin there, the best by the model first. What a
// launch takes of later statements counts, and what was chosen for those does not.
type Space struct {
	s      *sketcher
	lists  [][]*Candidate // by the first statement
	origin space.Point
	Choice *Choice // the default
}

// NewSpace makes the space of a specialised function; the default is its origin.
func NewSpace(f *ein.Func, p *machine.Processor) (*Space, error) {
	if !isSketched(f) {
		return nil, fmt.Errorf("there are no candidates for %s: it has %d statements, and %d open sizes", f.Name, len(f.Body), len(f.Sizes))
	}
	s, err := newSketcher(f, p)
	if err != nil {
		return nil, err
	}
	x := &Space{s: s}
	if x.Choice, err = s.choose(); err != nil {
		return nil, err
	}
	for first := range f.Body {
		x.lists = append(x.lists, s.beginning(first))
		at := slices.IndexFunc(x.lists[first], func(c *Candidate) bool { return slices.Contains(x.Choice.Launches, c) })
		x.origin = append(x.origin, int64(max(at, 0)))
	}
	return x, nil
}

// beginning lists the candidates that begin with a statement, the best for each of its statements first.
func (s *sketcher) beginning(first int) (list []*Candidate) {
	for _, window := range s.windows[first] {
		for _, c := range window {
			if !c.refused {
				list = append(list, c)
			}
		}
	}
	share := func(c *Candidate) float64 { return c.Seconds / float64(c.Last-c.First+1) }
	slices.SortStableFunc(list, func(a, b *Candidate) int {
		switch x, y := share(a), share(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return list[:min(len(list), mostOffered)]
}

// Groups has a parameter for each statement.
func (x *Space) Groups() (groups []space.Group) {
	for n, list := range x.lists {
		values := make([]int64, len(list))
		for k := range values {
			values[k] = int64(k)
		}
		groups = append(groups, space.Group{{Name: fmt.Sprintf("S%d.launch", n), Values: func([]int64) []int64 { return values },
			Text: func(value int64) string { return fmt.Sprintf("%d: %s", value, list[value].Rule) }}})
	}
	return groups
}

// Tree is the schedule of a point, which may be illegal.
func (x *Space) Tree(p space.Point) (*schedule.Tree, error) {
	var launches []*Candidate
	for n := 0; n < len(x.lists); n++ {
		c := x.lists[n][p[n]]
		launches = append(launches, c)
		n = c.Last
	}
	t := x.s.tree(launches)
	return t, schedule.Check(x.s.f, t)
}

// Origin is the default schedule.
func (x *Space) Origin() space.Point { return x.origin }

// starts is how many points a search begins with, beside the default.
const starts = 8

// Starts are the next best points: the default with another launch for one of the statements.
func (x *Space) Starts() (list []space.Point) {
	for _, c := range x.Choice.Launches {
		n := c.First
		for k := range x.lists[n] {
			if int64(k) == x.origin[n] {
				continue
			}
			if len(list) == starts {
				return list
			}
			p := slices.Clone(x.origin)
			p[n] = int64(k)
			list = append(list, p)
		}
	}
	return list
}

// Launches lists the candidates of all subjects.
func (x *Space) Launches() (list []*Candidate) {
	for _, windows := range x.s.windows {
		for _, window := range windows {
			list = append(list, window...)
		}
	}
	return list
}

// Alone is the schedule of a launch beside the plain loops of all other statements; ok is false where the dependences forbid it.
func (x *Space) Alone(c *Candidate) (t *schedule.Tree, ok bool) {
	return x.s.tree(x.s.alone(c)), x.s.legalAlone(c)
}
