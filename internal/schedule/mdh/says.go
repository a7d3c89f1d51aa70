package mdh

import (
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// Same reports whether two trees of a function are one schedule: they differ in where
// bands begin, in claims, and in loops of one iteration or vector, if at all.
func Same(f *ein.Func, a, b *schedule.Tree) bool { return essence(f, a) == essence(f, b) }

// essence writes a tree without what makes no difference.
func essence(f *ein.Func, t *schedule.Tree) string {
	left := map[indexOf]int64{}
	for s, c := range f.Body {
		for _, i := range c.Indices {
			if n, ok := i.Extent.IsConst(); ok {
				left[indexOf{s, i.Name}] = n
			}
		}
	}
	return schedule.Print(&schedule.Tree{Statements: t.Statements, Unchecked: t.Unchecked, AsWritten: t.AsWritten, Root: essential(t.Root, left)})
}

// An indexOf is an index of a statement.
type indexOf struct {
	statement int
	index     string
}

// essential copies a node; left has the extents that the blocks around leave.
func essential(n schedule.Node, left map[indexOf]int64) schedule.Node {
	switch n := n.(type) {
	case *schedule.Band:
		return essentialBand(n, left)
	case *schedule.Sequence:
		c := &schedule.Sequence{}
		for _, child := range n.Children {
			c.Children = append(c.Children, &schedule.Filter{Statements: child.Statements, Child: essential(child.Child, maps.Clone(left))})
		}
		return c
	case *schedule.Filter:
		return &schedule.Filter{Statements: n.Statements, Child: essential(n.Child, left)}
	case *schedule.Accumulate:
		return &schedule.Accumulate{Statement: n.Statement, Region: n.Region, Child: essential(n.Child, left)}
	case *schedule.Place:
		return &schedule.Place{Tensor: n.Tensor, Region: n.Region, Layout: n.Layout, Child: essential(n.Child, left)}
	}
	return n
}

// essentialBand leaves out the loops of one iteration, and takes in the band below.
func essentialBand(b *schedule.Band, left map[indexOf]int64) schedule.Node {
	result := &schedule.Band{}
	for _, m := range b.Members {
		if m.Vector > 0 || m.Group > 0 || slices.ContainsFunc(m.Loops, func(l schedule.Loop) bool {
			n, known := left[indexOf{l.Statement, l.Index}]
			return !known || n > m.Tile || l.Shift != 0 || len(l.By) > 0
		}) {
			c := *m
			c.Coincident = false
			result.Members = append(result.Members, &c)
		}
		for _, l := range m.Loops {
			i := indexOf{l.Statement, l.Index}
			if n, known := left[i]; !known || m.Tile < n {
				left[i] = m.Tile
			}
		}
	}
	child := essential(b.Child, left)
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

// overVectors joins a loop over single vectors with the vector loop below, which runs
// over all vectors of its block.
func overVectors(list []*schedule.Member) []*schedule.Member {
	var joined []*schedule.Member
	for _, m := range list {
		last := len(joined) - 1
		if m.Vector > 0 && last >= 0 {
			if o := joined[last]; len(m.Loops) == 1 && len(o.Loops) == 1 && o.Loops[0].Equal(m.Loops[0]) && o.Tile == int64(m.Vector) && !o.Parallel && !o.Reverse && !o.Pad && len(o.Skews) == 0 {
				m.Unroll, joined = o.Unroll, joined[:last]
			}
		}
		joined = append(joined, m)
	}
	return joined
}
