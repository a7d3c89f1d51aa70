package tune

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/space"
	"github.com/ricci-lang/ricci/internal/tune/knob"
)

// Not every schedule is a point of the spaces of MDH and of mapping options: loops that
// some statements of a group share, prefetches or streams have no parameter there. So
// these spaces stand beside the one around the default schedule; a first parameter says
// which of the two a point means. A search starts from the default itself, then, and
// can always vary it.

// Values of the parameter form.
const (
	asDefault = iota
	asOther
)

// beside is a space and the one around a tree. A point is the form, then the values of
// the tree's space, then those of the other one. The values of the part that does not
// count are those of its origin, so that no two points are the same schedule for them.
type beside struct {
	name   string // of the other space
	around *knob.Space
	other  maker
	split  int // the number of values of around
}

func newBeside(name string, around *knob.Space, other maker) beside {
	return beside{name: name, around: around, other: other, split: len(around.Origin())}
}

// Groups returns a single tree of parameters, all of which depend on the form.
func (b beside) Groups() []space.Group {
	form := space.Parameter{Name: "form", Uses: []string{}, Values: func([]int64) []int64 { return []int64{asDefault, asOther} }, Text: func(v int64) string {
		if v == asDefault {
			return "default"
		}
		return b.name
	}}
	g := space.Group{form}
	for _, part := range []struct {
		form   int64
		groups []space.Group
		origin space.Point
	}{{asDefault, b.around.Groups(), b.around.Origin()}, {asOther, b.other.Groups(), b.other.Origin()}} {
		at := 0
		for _, own := range part.groups {
			first := len(g) // of the group, in the tree
			for k, p := range own {
				rest := int64(0)
				if at < len(part.origin) {
					rest = part.origin[at]
				}
				at++
				g = append(g, under(part.form, p, own[:k], first, rest))
			}
		}
	}
	return []space.Group{g}
}

// under returns a parameter that counts for one form, and has one value for the other.
// The parameters before it in its own group begin at number first of the tree.
func under(form int64, p space.Parameter, before space.Group, first int, rest int64) space.Parameter {
	q := p
	q.Uses = append([]string{"form"}, p.Uses...)
	if p.Uses == nil {
		for _, b := range before {
			q.Uses = append(q.Uses, b.Name)
		}
	}
	q.Values = func(prefix []int64) []int64 {
		if prefix[0] != form {
			return []int64{rest}
		}
		return p.Values(prefix[first:])
	}
	return q
}

func (b beside) Tree(p space.Point) (*schedule.Tree, error) {
	if len(p) < 1+b.split {
		return nil, fmt.Errorf("a point of this space has at least %d values, found %d", 1+b.split, len(p))
	}
	if p[0] == asDefault {
		return b.around.Tree(p[1 : 1+b.split])
	}
	return b.other.Tree(p[1+b.split:])
}

// Origin is the tree itself, and what the other space has next to it.
func (b beside) Origin() space.Point {
	p := append(space.Point{asDefault}, b.around.Origin()...)
	return append(p, b.other.Origin()...)
}

// Starts are those of the other space.
func (b beside) Starts() (points []space.Point) {
	s, ok := b.other.(starter)
	if !ok {
		return nil
	}
	for _, p := range s.Starts() {
		points = append(points, append(append(space.Point{asOther}, b.around.Origin()...), p...))
	}
	return points
}
