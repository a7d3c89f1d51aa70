package tune

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/cache"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/mapping"
	"github.com/ricci-lang/ricci/internal/schedule/mdh"
	"github.com/ricci-lang/ricci/internal/schedule/sketch"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/space"
	"github.com/ricci-lang/ricci/internal/tune/knob"
	"github.com/ricci-lang/ricci/internal/tune/search"
)

// A treeSpace is a set of schedules to search.
type treeSpace struct {
	name   string
	points *space.Space
	maker  maker
	origin space.Point
	idle   []string // what is pinned without effect
}

// A maker turns points into trees, which may be illegal.
type maker interface {
	Groups() []space.Group
	Tree(space.Point) (*schedule.Tree, error)
	// Origin is the point that is the default schedule, or close to it; nil for any. It is
	// repaired.
	Origin() space.Point
}

// spaces is the table of spaces, the default first.
func spaces() []struct {
	name, about string
	make        func(t *compile.Tuning) (maker, error)
} {
	return []struct {
		name, about string
		make        func(t *compile.Tuning) (maker, error)
	}{
		{"default", "the tiles and loop orders of the default schedule; on devices with groups the items, too, and other launches", func(t *compile.Tuning) (maker, error) {
			around := knob.Of(t.Func, t.Default, t.Machine)
			if t.Machine.Grid == nil {
				return around, nil
			}
			others, err := sketch.NewSpace(t.Func, t.Machine)
			if err != nil { // the function is too long, or has open sizes
				return around, nil
			}
			return newBeside("sketch", around, others), nil
		}},
		{"mdh", "de- and re-composition over memory and core layers (the MDH paper's parameters)", func(t *compile.Tuning) (maker, error) {
			s, err := mdh.NewSpace(t.Func, t.Machine, mdh.SpaceOptions{Seed: t.Default})
			if err != nil {
				return nil, err
			}
			origin, err := s.Nearest(t.Default)
			if err != nil { // no plan is like it
				origin = nil
			}
			return newBeside("mdh", knob.Of(t.Func, t.Default, t.Machine), composition{s, origin}), nil
		}},
		{mappingSpace, "Tensor Comprehensions' mapping options: fusion, tile sizes, unrolling", func(t *compile.Tuning) (maker, error) {
			return newBeside(mappingSpace, knob.Of(t.Func, t.Default, t.Machine), mapped{mapping.NewSpace(t.Func, t.Machine, mapping.Default())}), nil
		}},
	}
}

const mappingSpace = "mapping"

// A composition is the space of MDH's tuning parameters.
type composition struct {
	space  *mdh.Space
	origin space.Point
}

func (c composition) Groups() []space.Group { return c.space.Groups }

func (c composition) Tree(p space.Point) (*schedule.Tree, error) { return c.space.Tree(p) }

func (c composition) Origin() space.Point { return c.origin }

// mapped is the space of mapping options.
type mapped struct{ space *mapping.Space }

func (m mapped) Groups() []space.Group { return m.space.Groups }

func (m mapped) Tree(p space.Point) (*schedule.Tree, error) { return m.space.Tree(p) }

// Origin is what the options are that no parameter sets: the default has no mapping options.
func (m mapped) Origin() space.Point { return m.space.Starts()[0] }

// Starts are the presets.
func (m mapped) Starts() (points []space.Point) {
	for _, p := range m.space.Starts() {
		points = append(points, p)
	}
	return points
}

// A starter is a maker with points from which a search begins, beside the origin.
type starter interface{ Starts() []space.Point }

// Spaces lists the names of the spaces, the default first.
func Spaces() []string {
	var names []string
	for _, s := range spaces() {
		names = append(names, s.name)
	}
	return names
}

// DescribeSpaces returns a line for each space.
func DescribeSpaces() []string {
	var lines []string
	for _, s := range spaces() {
		lines = append(lines, fmt.Sprintf("%-12s %s", s.name, s.about))
	}
	return lines
}

// Strategies lists the names of the search strategies.
func Strategies() []string { return search.Names() }

// DescribeStrategies returns a line for each strategy.
func DescribeStrategies() []string { return search.Describe() }

// newSpace makes a space; pin is a text of mapping options that all its points have.
func newSpace(name, pin string, t *compile.Tuning) (*treeSpace, error) {
	if pin != "" {
		return pinnedSpace(name, pin, t)
	}
	for _, s := range spaces() {
		if s.name != name && name != "" {
			continue
		}
		m, err := s.make(t)
		if err != nil {
			return nil, err
		}
		points, err := space.New(m.Groups()...)
		if err != nil {
			return nil, fmt.Errorf("the space %s for %s: %w", s.name, t.Name, err)
		}
		return &treeSpace{name: s.name, points: points, maker: m, origin: points.Repair(m.Origin())}, nil
	}
	return nil, fmt.Errorf("there is no space %q; the spaces are %s", name, strings.Join(Spaces(), ", "))
}

// pinnedSpace is the space of mapping options with those that are given in a text.
func pinnedSpace(name, pin string, t *compile.Tuning) (*treeSpace, error) {
	if name != "" && name != mappingSpace {
		return nil, fmt.Errorf("options are pinned in the space %s, not in %s", mappingSpace, name)
	}
	o, err := mapping.Parse(pin, t.Sizes)
	if err != nil {
		var line *source.LineError
		if errors.As(err, &line) {
			err = line.Err
		}
		return nil, fmt.Errorf("the options that are pinned cannot be read: %w", err)
	}
	m := mapped{mapping.NewSpace(t.Func, t.Machine, o)}
	points, err := space.New(m.Groups()...)
	if err != nil {
		return nil, err
	}
	s := &treeSpace{name: mappingSpace + " pinned " + strings.Join(strings.Fields(pin), ""), points: points, maker: m, origin: points.Repair(m.Origin())}
	for _, r := range o.Idle {
		s.idle = append(s.idle, r.Text)
	}
	return s, nil
}

// identity changes when the points mean something else: their trials must not be
// mixed.
func (s *treeSpace) identity() string {
	b := cache.NewKey("space").Add(s.name, s.points.Count().String()).Add(s.points.Names()...)
	if tree, err := s.maker.Tree(s.origin); err == nil {
		b.Add(schedule.Print(tree))
	}
	return s.name + " " + b.Key().String()[:16]
}
