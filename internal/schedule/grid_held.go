package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How items hold blocks together
//
// A place in register, or private, may stand inside of groups and outside of the loops over items, as accumulators may: each item then holds the
// elements of the points that these loops give it. What one statement computes for a point, such as the sums of a product, others that follow find
// there, and nothing but the last result goes to memory. For that an element has to be the same item's in all statements: every subscript is an index,
// the loops over items are over these, and share them out in the same way.

// IsHeld reports whether the items of a group hold a place together, if it stands in a group and outside of their loops.
func (n *Place) IsHeld() bool { return n.Region <= Private && HasItems(n.Child) }

// A HeldDim says how the elements of a place along a dimension are shared out.
type HeldDim struct {
	Index string  // of the first statement that uses it
	Items *Member // that share it out; nil: each item has all of the block
}

// HeldDims returns how the items have the elements of a tensor in a statement, which has an index for each dimension; axes are the dimensions over which
// the loops over items are, in their order, -1 for those over something else.
func HeldDims(c *ein.Comprehension, statement int, subscripts []ein.Expr, below Node) (dims []HeldDim, axes []int, ok bool) {
	for _, sub := range subscripts {
		i, _, linear := IndexPlusConstant(c, sub)
		if !linear || slices.ContainsFunc(dims, func(d HeldDim) bool { return d.Index == i.Name }) {
			return nil, nil, false
		}
		d := HeldDim{Index: i.Name}
		members := MembersOver(statement, i.Name, below)
		if at := slices.IndexFunc(members, func(m *Member) bool { return m.Items > 0 }); at > 0 {
			return nil, nil, false
		} else if at == 0 {
			d.Items = members[0]
		}
		if slices.ContainsFunc(members, func(m *Member) bool { return m.Determined || m.Guarded || m.Reverse && m.Items > 0 }) {
			return nil, nil, false
		}
		dims = append(dims, d)
	}
	for _, m := range itemLoops(statement, below) {
		l, _ := m.IndexOf(statement)
		axes = append(axes, slices.IndexFunc(dims, func(d HeldDim) bool { return d.Index == l.Index }))
	}
	return dims, axes, true
}

// itemLoops lists the members over items of a statement in a subtree, in their order.
func itemLoops(statement int, n Node) (list []*Member) {
	if f, ok := n.(*Filter); ok && !slices.Contains(f.Statements, statement) {
		return nil
	}
	if b, ok := n.(*Band); ok {
		for _, m := range b.Members {
			if _, has := m.IndexOf(statement); has && m.Items > 0 {
				list = append(list, m)
			}
		}
	}
	for _, child := range Children(n) {
		list = append(list, itemLoops(statement, child)...)
	}
	return list
}

// heldPlace checks a place that the items of a group hold together.
func (c *checker) heldPlace(n *Place, t *ein.Tensor, st state) {
	var first Access
	var dims []HeldDim
	var axes []int
	for k, a := range c.usesOf(t, st) {
		comp := c.f.Body[a.Statement]
		own, along, ok := HeldDims(comp, a.Statement, a.Subscripts, n.Child)
		switch {
		case !ok || c.levels.Mutual(a.Statement) || !c.frames.IsExact(a.Statement, comp) || c.frames.Guarded(a.Statement, comp):
			c.misfit(n, "%s is held by the items of a group, and %s finds its elements by something else than an index for each dimension; place it inside of the loops over items", n.Tensor, c.words.Statement(a.Statement))
			return
		case k == 0 && !a.Writes:
			c.misfit(n, "%s is held by the items of a group, and %s reads what it was before; place it inside of the loops over items, or begin with what sets it", n.Tensor, c.words.Statement(a.Statement))
			return
		case !a.Writes && !a.late && len(ein.Reduced(comp)) > 0 && !c.reducesInItem(a.Statement, n.Child):
			c.misfit(n, "%s reads %s, which items hold, while they sum outside of their loops, also for points that there are not; accumulate inside of the loops over items", c.words.Statement(a.Statement), n.Tensor)
			return
		case k == 0:
			first, dims, axes = a, own, along
		}
		if slices.Contains(along, -1) || !slices.Equal(along, axes) || !sharedAlike(comp, own, dims) || !sameShifts(c.f, first, a) {
			c.misfit(n, "the items of %s do not have the elements of %s that those of %s have; write the same loops over items, over indices of %[2]s, for both", c.words.Statement(a.Statement), n.Tensor, c.words.Statement(first.Statement))
			return
		}
		if m := c.unevenlyHeld(a.Statement, own, n.Child, st); m != nil {
			c.misfit(n, "at an end the items have other elements of %s than in whole blocks: the blocks of %s are not cut evenly into tiles of %d; choose tiles that divide the blocks, and pad these", n.Tensor, c.words.Index(a.Statement, m.Loops[0].Index), m.Tile)
			return
		}
	}
	if placesTensor(n.Child, n.Tensor) || slices.Contains(st.placed, n.Tensor) || n.Layout != nil {
		c.misfit(n, "%s is held by the items of a group: it is placed once, and has no layout; leave out the other place", n.Tensor)
	}
}

// usesOf lists the accesses of the active statements to a tensor, those of a statement that only writes it first.
func (c *checker) usesOf(t *ein.Tensor, st state) (list []Access) {
	for _, a := range c.accessesTo(t) {
		if slices.Contains(st.active, a.Statement) {
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b Access) int { return a.Statement - b.Statement })
	return list
}

// sharedAlike reports whether a statement's items have the same parts of the dimensions as those of another one.
func sharedAlike(c *ein.Comprehension, a, b []HeldDim) bool {
	return slices.EqualFunc(a, b, func(x, y HeldDim) bool {
		return (x.Items == nil) == (y.Items == nil) && (x.Items == nil || x.Items.Items == y.Items.Items && x.Items.Tile == y.Items.Tile)
	})
}

// sameShifts reports whether two accesses have the same distance between index and element along each dimension.
func sameShifts(f *ein.Func, a, b Access) bool {
	for d := range a.Subscripts {
		_, x, _ := IndexPlusConstant(f.Body[a.Statement], a.Subscripts[d])
		_, y, _ := IndexPlusConstant(f.Body[b.Statement], b.Subscripts[d])
		if x != y {
			return false
		}
	}
	return true
}

// unevenlyHeld returns a member over items whose tiles are other points where a block ends than elsewhere; nil: there is none.
func (c *checker) unevenlyHeld(s int, dims []HeldDim, below Node, st state) *Member {
	for _, d := range dims {
		m := d.Items
		if m == nil || m.Tile < 2 && !m.Pad {
			continue
		}
		p := place{s, d.Index}
		extent, known := c.index(p).Extent.IsConst()
		path := st.paths[p]
		switch {
		case len(path) == 0 && known && extent%m.Tile == 0:
		case len(path) == 1 && path[0].Tile%m.Tile == 0 && known && extent%path[0].Tile == 0:
		case len(path) == 1 && path[0].Tile%m.Tile == 0 && path[0].Pad && !c.reducesInItem(s, below):
		default:
			return m
		}
	}
	return nil
}

// reducesInItem reports whether accumulators of a statement stand inside of its loops over items, or are not an item's own.
func (c *checker) reducesInItem(s int, n Node) bool {
	if a, ok := n.(*Accumulate); ok && a.Statement == s {
		return !HasItems(a) || a.Region > Private
	}
	return slices.ContainsFunc(Children(n), func(child Node) bool { return c.reducesInItem(s, child) })
}

// heldBytes is how much of a place one item holds.
func (c *checker) heldBytes(n *Place, t *ein.Tensor, st state) int64 {
	uses := c.usesOf(t, st)
	if len(uses) == 0 {
		return 0
	}
	bytes := int64(t.Type.Size())
	dims, _, _ := HeldDims(c.f.Body[uses[0].Statement], uses[0].Statement, uses[0].Subscripts, n.Child)
	for _, d := range dims {
		_, size := c.blocks(st)(uses[0].Statement, c.index(place{uses[0].Statement, d.Index}))
		points := KnownSize(size)
		if points == unknownBytes {
			return unknownBytes
		}
		if d.Items != nil {
			points = ItemShare(points, d.Items)
		}
		bytes = MultiplySizes(bytes, points)
	}
	return bytes
}
