package knob

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/space"
)

// How grids vary
//
// A launch has as many items along each of its axes in all its loops over items, so these numbers are parameters of the launch: powers of two,
// and three halves of them, whose product is no more than a group of the machine may have. Where an axis stands within a block of groups of the same loop, the block is a
// multiple of its items, which then have several points each, one after the other. Where items reduce together, in a tree, their numbers are powers of two and an
// item has one result. A loop over items whose iterations are pieces has their size for a parameter, too, and the block is a multiple of what the pieces of all items have.

// A launch is a grid of the tree: the loops over groups, and the axes of its items, outermost first.
type launch struct{ axes []*axis }

// An axis is the loops over items that stand at the same place of their nests.
type axis struct {
	items  []*schedule.Member
	block  *schedule.Member // the loop over groups whose blocks they enumerate; nil: there is none
	extent int64            // of the first; 0 when it is not known
	// together says that accumulators of the group are above; by shuffles within sub-groups of so many items.
	together bool
	shuffles int64
	piece    int64 // points of an iteration; 1: they are no pieces
	result   bool  // it is over results
}

// launches finds the grids below a node; path has the loops over groups above.
func (s *Space) launches(n schedule.Node, groups []*schedule.Member, in *launch, depth int) {
	if b, isBand := n.(*schedule.Band); isBand {
		for _, m := range b.Members {
			switch {
			case m.Groups && in == nil:
				in = &launch{}
				s.grids = append(s.grids, in)
				fallthrough
			case m.Groups:
				groups = append(groups[:len(groups):len(groups)], m)
			case m.Items > 0 && in != nil:
				s.onAxis(in, depth, m, groups)
				depth++
			}
		}
	}
	for _, child := range schedule.Children(n) {
		s.launches(child, groups, in, depth)
	}
	if a, is := n.(*schedule.Accumulate); is && a.Region == schedule.Local && in != nil {
		for _, x := range in.axes[min(depth, len(in.axes)):] {
			x.together, x.shuffles = true, int64(a.Shuffle)
		}
	}
}

// onAxis adds a loop over items to the axis of a depth.
func (s *Space) onAxis(l *launch, depth int, m *schedule.Member, groups []*schedule.Member) {
	if depth == len(l.axes) {
		l.axes = append(l.axes, &axis{extent: s.extent(m.Loops[0]), piece: max(1, m.Tile), result: !s.reduces(m.Loops[0])})
	}
	a := l.axes[depth]
	a.items = append(a.items, m)
	for _, g := range groups {
		if g.Tile > 1 && g.Loops[0].Equal(m.Loops[0]) && a.block == nil {
			a.block = g
		}
	}
}

// reduces reports whether a loop is over what its statement reduces.
func (s *Space) reduces(l schedule.Loop) bool {
	return slices.ContainsFunc(ein.Reduced(s.f.Body[l.Statement]), func(i *ein.Index) bool { return i.Name == l.Index })
}

// counts are the numbers of items that are tried, up to a bound.
func counts(most int64) (list []int64) {
	for n := int64(1); n <= most; n *= 2 {
		list = append(list, n)
		if half := n + n/2; n >= 16 && half <= most {
			list = append(list, half)
		}
	}
	return list
}

// points are how many points of a block an item may have.
var points = []int64{1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64}

// name is what parameters call an axis.
func (a *axis) name() string {
	l := a.items[0].Loops[0]
	return fmt.Sprintf("S%d.%s", l.Statement, l.Index)
}

// group returns the parameters of a launch: for each axis the items, and the block where there is one.
func (l *launch) group(number int, g machine.Grid) (list space.Group) {
	var before []int // where the items of the axes are in the point
	for k, a := range l.axes {
		at := slices.Clone(before)
		taken := func(prefix []int64) (n int64) {
			n = 1
			for _, i := range at {
				n *= prefix[i]
			}
			return n
		}
		own, most := a.items[0].Items, g.Items
		if along := len(l.axes) - 1 - k; along < len(g.Along) && g.Along[along] > 0 {
			most = min(most, g.Along[along])
		}
		if a.extent > 0 {
			most = min(most, 1<<bits.Len64(uint64(a.extent-1)))
		}
		name := fmt.Sprintf("grid %d %s", number, a.name())
		list = append(list, space.Parameter{Name: name + " items", Values: func(prefix []int64) []int64 {
			values := counts(min(most, g.Items/taken(prefix)))
			if a.together {
				values = slices.DeleteFunc(values, func(n int64) bool { return n&(n-1) != 0 || n < a.shuffles })
			}
			if own*taken(prefix) <= g.Items && !slices.Contains(values, own) {
				values = append(values, own)
				slices.Sort(values)
			}
			return values
		}})
		before = append(before, len(list)-1)
		if a.piece > 1 {
			list = append(list, space.Parameter{Name: name + " piece", Values: func([]int64) []int64 {
				values := []int64{a.piece, 2 * a.piece}
				if a.piece%4 == 0 {
					values = append(values, a.piece/2)
				}
				return values
			}})
		}
		if a.block != nil {
			list = append(list, a.blocks(name, before[len(before)-1]))
		}
	}
	return list
}

// blocks is the parameter of the block of an axis, whose items are at a place of the point.
func (a *axis) blocks(name string, at int) space.Parameter {
	own, all := a.block.Tile, a.items[0].Items*a.piece
	return space.Parameter{Name: name + " block", Values: func(prefix []int64) (values []int64) {
		n := prefix[at]
		if a.piece > 1 {
			n *= prefix[at+1]
		}
		for _, p := range points {
			if p == 1 || !(a.together && a.result) && (a.extent == 0 || n*(p-1) < a.extent) {
				values = append(values, n*p)
			}
		}
		if n == all && !slices.Contains(values, own) {
			values = append(values, own)
			slices.Sort(values)
		}
		return values
	}}
}

// origin has the numbers of the tree that is given.
func (l *launch) origin() (p space.Point) {
	for _, a := range l.axes {
		p = append(p, a.items[0].Items)
		if a.piece > 1 {
			p = append(p, a.piece)
		}
		if a.block != nil {
			p = append(p, a.block.Tile)
		}
	}
	return p
}

// set puts the numbers of a point into a maker, and returns how many there are. A block of one point has no loop over its items.
func (l *launch) set(p space.Point, k *maker) (at int) {
	for _, a := range l.axes {
		items, piece := p[at], int64(0)
		if at++; a.piece > 1 {
			piece = p[at]
			at++
		}
		if a.block != nil {
			k.tiles[a.block] = p[at]
			at++
		}
		for _, m := range a.items {
			if piece > 0 && m.Tile > 1 {
				k.tiles[m] = piece
			}
			if k.items[m] = items; a.block != nil && k.tiles[a.block] == 1 {
				k.tiles[m] = omitted
			}
		}
	}
	return at
}
