package mdh

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
	"github.com/ricci-lang/ricci/internal/space"
)

// How the space is made
//
// The paper's space (section 3.5 of the page: (L·D)! orders, factorisations of every
// size, regions and layouts per level) is pruned as the paper prunes it, and to what
// differs on a processor:
//
//	i    one order and one assignment for all phases; trees have nothing else
//	ii   cores walk the outermost parts, or those inside of the slowest memory
//	iii  regions depend on the layer, not on the dimension
//
// What is left, for each group of statements that the default schedule fuses: the
// dimension of the lanes and the register tile (one tree of dependent parameters,
// bounded by the registers); for each dimension a chain of blocks, one for each layer,
// each not larger than the one before; an order of the loops for each layer; for each
// input the layer from which on it is a copy, and the layout of the copy; who walks on
// cores. Blocks are rounded up to multiples of those inside, so all combinations are
// valid; a copy that is too large for its memory is left out.
//
// The loops over the concatenated dimensions of a reduction end on L2 with the register
// tile, and its reduced loops on L1, inside of the accumulators in registers.

// SpaceOptions say how far the space is pruned.
type SpaceOptions struct {
	// AllCores drops rule ii: cores may walk the parts of any layer.
	AllCores bool
	// PartialLayers drops rule iii: a copy may be made between two loops of a layer.
	PartialLayers bool
	// Seed is a schedule whose sizes are among the values; nil is the default one.
	Seed *schedule.Tree
}

// A Space is what may be chosen for the schedule of a function.
type Space struct {
	Groups []space.Group // of parameters; the product of all is the space

	f       *ein.Func
	machine *machine.Processor
	options SpaceOptions
	parts   []spacePart
}

// A spacePart has the choices for some statements.
type spacePart interface {
	groups() []space.Group
	values() int // how many a point has
	plan(point []int64) []*Group
	wanted(p *Plan) []int64 // the values that are like a plan, some of which may not be offered
}

// NewSpace returns the space of schedules of a function.
func NewSpace(f *ein.Func, m *machine.Processor, options SpaceOptions) (*Space, error) {
	if m.Grid != nil {
		return newSpaceOfGrids(f, m), nil
	}
	if options.Seed == nil {
		var err error
		if options.Seed, err = standard.Default(f, m); err != nil {
			return nil, err
		}
	}
	s := &Space{f: f, machine: m, options: options}
	seed, _, err := FromTree(f, m, options.Seed)
	if err != nil {
		seed = PlainPlan(f, m)
	}
	for n, g := range seed.Groups {
		prefix := ""
		if len(seed.Groups) > 1 {
			prefix = fmt.Sprintf("g%d.", n)
		}
		part := newGroupSpace(f, m, g, prefix, options)
		s.parts = append(s.parts, part)
		s.Groups = append(s.Groups, part.groups()...)
	}
	return s, nil
}

// Plan returns the plan of a point: one value for each parameter, in the order of the
// groups.
func (s *Space) Plan(point []int64) (*Plan, error) {
	p := &Plan{}
	for _, part := range s.parts {
		n := part.values()
		if len(point) < n {
			return nil, fmt.Errorf("a point has %d values too few", n-len(point))
		}
		p.Groups = append(p.Groups, part.plan(point[:n])...)
		point = point[n:]
	}
	if len(point) > 0 {
		return nil, fmt.Errorf("a point has %d values too many", len(point))
	}
	return p, nil
}

// Tree returns the schedule of a point.
func (s *Space) Tree(point []int64) (*schedule.Tree, error) {
	p, err := s.Plan(point)
	if err != nil {
		return nil, err
	}
	p.PadPartial(s.f)
	t, err := Make(s.f, p)
	if err != nil && s.machine.Grid != nil { // perhaps as other loops are in blocks that would be padded
		if p, err = s.Plan(point); err == nil {
			return Make(s.f, p)
		}
	}
	return t, err
}

// newSpaceOfGrids returns the space of a device: each statement is a launch.
func newSpaceOfGrids(f *ein.Func, m *machine.Processor) *Space {
	s := &Space{f: f, machine: m}
	for n := range f.Body {
		prefix := ""
		if len(f.Body) > 1 {
			prefix = fmt.Sprintf("g%d.", n)
		}
		part := newGridSpace(ComputationOf(f, n), m, prefix)
		s.parts = append(s.parts, part)
		s.Groups = append(s.Groups, part.groups()...)
	}
	return s
}

// Nearest returns the point whose numbers are nearest to those of a tree, from which a
// search may start.
func (s *Space) Nearest(t *schedule.Tree) ([]int64, error) {
	p, _, err := FromTree(s.f, s.machine, t)
	if err != nil {
		return nil, err
	}
	var point []int64
	for _, part := range s.parts {
		want := part.wanted(p)
		at := 0
		for _, g := range part.groups() {
			for k := range g {
				choices := g[k].Values(want[at : at+k])
				if len(choices) == 0 {
					return nil, fmt.Errorf("the parameter %s has no value for the schedule", g[k].Name)
				}
				want[at+k] = nearest(choices, want[at+k])
			}
			at += len(g)
		}
		point = append(point, want...)
	}
	return point, nil
}

// nearest returns the choice with the smallest ratio to a number.
func nearest(choices []int64, want int64) int64 {
	best := choices[0]
	ratio := func(a int64) float64 {
		x, y := float64(max(a, 0)+1), float64(max(want, 0)+1)
		return max(x/y, y/x)
	}
	for _, c := range choices {
		if c == want {
			return c
		}
		if ratio(c) < ratio(best) {
			best = c
		}
	}
	return best
}

// uniqueSorted sorts numbers in falling order, each once.
func uniqueSorted(list []int64) []int64 {
	slices.Sort(list)
	list = slices.Compact(list)
	slices.Reverse(list)
	return list
}
