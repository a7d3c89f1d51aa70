package mdh

import (
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// Same reports whether two trees of a function are one schedule: they differ in where
// bands begin, in claims, in loops of one iteration or vector and whether these are written
// out, in places above the only statement that needs them, and in how products of matrix units are cut, if at all.
func Same(f *ein.Func, a, b *schedule.Tree) bool { return essence(f, a) == essence(f, b) }

// essence writes a tree without what makes no difference.
func essence(f *ein.Func, t *schedule.Tree) string {
	e := &essentials{f: f, extents: map[indexOf]int64{}}
	for s, c := range f.Body {
		for _, i := range c.Indices {
			if n, ok := i.Extent.IsConst(); ok {
				e.extents[indexOf{s, i.Name}] = n
			}
		}
	}
	return schedule.Print(&schedule.Tree{Statements: t.Statements, Unchecked: t.Unchecked, AsWritten: t.AsWritten, Root: e.node(t.Root, maps.Clone(e.extents))})
}

// An indexOf is an index of a statement.
type indexOf struct {
	statement int
	index     string
}

// essentials copies trees of a function.
type essentials struct {
	f       *ein.Func
	extents map[indexOf]int64 // those that are known
}

// node copies a node; left has the extents that the blocks around leave.
func (e *essentials) node(n schedule.Node, left map[indexOf]int64) schedule.Node {
	switch n := n.(type) {
	case *schedule.Band:
		return e.band(n, left)
	case *schedule.Sequence:
		c := &schedule.Sequence{}
		for _, child := range n.Children {
			c.Children = append(c.Children, &schedule.Filter{Statements: child.Statements, Child: e.node(child.Child, maps.Clone(left))})
		}
		if len(c.Children) == 1 {
			return c.Children[0].Child
		}
		return c
	case *schedule.Filter:
		return &schedule.Filter{Statements: n.Statements, Child: e.node(n.Child, left)}
	case *schedule.Accumulate:
		return &schedule.Accumulate{Statement: n.Statement, Region: n.Region, Shuffle: n.Shuffle, Child: e.node(n.Child, left)}
	case *schedule.Place:
		return sunk(e.f, &schedule.Place{Tensor: n.Tensor, Region: n.Region, Layout: n.Layout, Pad: n.Pad, Swizzle: n.Swizzle, Vector: n.Vector, Child: e.node(n.Child, left)})
	}
	return n
}

// sunk moves a place above statements one after the other, only one of which has the tensor,
// to that one.
func sunk(f *ein.Func, p *schedule.Place) schedule.Node {
	switch below := p.Child.(type) {
	case *schedule.Place:
		inner := *p
		inner.Child = below.Child
		if moved := sunk(f, &inner); moved != schedule.Node(&inner) {
			below.Child = moved
			return below
		}
	case *schedule.Sequence:
		var user *schedule.Filter
		for _, child := range below.Children {
			if slices.ContainsFunc(child.Statements, func(s int) bool { return has(f.Body[s], p.Tensor) }) {
				if user != nil {
					return p
				}
				user = child
			}
		}
		if user != nil {
			p.Child = user.Child
			user.Child = sunk(f, p)
			return below
		}
	}
	return p
}

// has reports whether a statement reads or writes a tensor.
func has(c *ein.Comprehension, tensor string) bool {
	return slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool { return a.Tensor.Name == tensor }) ||
		slices.ContainsFunc(c.Writes, func(w *ein.Write) bool { return w.Tensor.Name == tensor })
}

// band leaves out the loops of one iteration, and takes in the band below.
func (e *essentials) band(b *schedule.Band, left map[indexOf]int64) schedule.Node {
	result := &schedule.Band{}
	for _, m := range b.Members {
		if m.Vector > 0 || m.Group > 0 || slices.ContainsFunc(m.Loops, func(l schedule.Loop) bool {
			return exceeds(e.extents, l, m.Tile) || l.Shift != 0 || len(l.By) > 0 || len(m.Skews) > 0
		}) {
			c := *m
			c.Coincident, c.Blocking, c.Room, c.Keep = false, ein.Blocking{}, 0, ""
			if m.Vector > 0 && !slices.ContainsFunc(m.Loops, func(l schedule.Loop) bool { return exceeds(left, l, int64(m.Vector)) }) {
				c.Unroll = false // there is one
			}
			result.Members = append(result.Members, &c)
		}
		for _, l := range m.Loops {
			if exceeds(left, l, m.Tile) {
				left[indexOf{l.Statement, l.Index}] = m.Tile
			}
		}
	}
	child := e.node(b.Child, left)
	if below, ok := child.(*schedule.Band); ok {
		result.Members, child = append(result.Members, below.Members...), below.Child
	}
	result.Members = overVectors(result.Members)
	if len(result.Members) == 0 {
		return child
	}
	result.Child = child
	return result
}

// exceeds reports whether the extent of a loop is, or may be, more than n.
func exceeds(extents map[indexOf]int64, l schedule.Loop, n int64) bool {
	extent, known := extents[indexOf{l.Statement, l.Index}]
	return !known || extent > n
}

// overVectors joins a loop over single vectors with the vector loop below, which runs
// over all vectors of its block.
func overVectors(list []*schedule.Member) []*schedule.Member {
	var joined []*schedule.Member
	for _, m := range list {
		last := len(joined) - 1
		if m.Vector > 0 && last >= 0 {
			if o := joined[last]; len(m.Loops) == 1 && len(o.Loops) == 1 && o.Loops[0].Equal(m.Loops[0]) && o.Tile == int64(m.Vector) && !o.Parallel && !o.Pad && marksOf(o) == (Marks{}) && len(o.Skews) == 0 {
				m.Unroll, joined = o.Unroll, joined[:last]
			}
		}
		joined = append(joined, m)
	}
	return joined
}
