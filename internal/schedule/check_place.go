package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// place checks that a block of a tensor has room where it is asked for.
func (c *checker) place(n *Place, st state) {
	t := c.f.Tensor(n.Tensor)
	switch {
	case t == nil:
		c.misfit(n, "%s is no tensor of %s", n.Tensor, c.f.Name)
	case n.Region > Workspace && n.Region != Local:
		c.misfit(n, "a tensor is placed in register, private, workspace or local")
	case n.Layout != nil && !isPermutation(n.Layout, len(t.Dims)):
		c.misfit(n, "the layout of %s names each of its %d dimensions once, counted from 1", t.Name, len(t.Dims))
	}
	c.placeInGrid(n, t, st)
	if !c.errs.HasErrors() {
		c.gatheredAsked(n, t, st)
		c.blockAsked(n, t, st)
		c.localAsked(n, len(t.Dims), t.Type.Size())
	}
	if c.errs.HasErrors() {
		return
	}
	p := c.placementOf(n, t, st)
	c.placements[n] = p
	switch {
	case len(p.Uses) == 0:
	case p.Before:
		st.packed = append(st.packed[:len(st.packed):len(st.packed)], n.Tensor)
		if n.Layout != nil {
			st.arranged = append(st.arranged[:len(st.arranged):len(st.arranged)], n.Tensor)
		}
	default:
		st.placed = append(st.placed[:len(st.placed):len(st.placed)], n.Tensor)
		if n.Layout != nil {
			st.arranged = append(st.arranged[:len(st.arranged):len(st.arranged)], n.Tensor)
		}
		bytes := c.blockBytes(t, p, st)
		if c.grids && n.IsHeld() {
			bytes = c.heldBytes(n, t, st)
		}
		if n.Gathered {
			bytes = c.gatheredBytes(t, st)
		}
		if (p.Region == Workspace || p.Region == Local) && bytes != unknownBytes {
			bytes = 0
		}
		if first, last := Span(st.parts, p.Uses); bytes != unknownBytes && last > first {
			bytes = MultiplySizes(bytes, int64(last-first+1))
		}
		c.reserve(n, bytes, &st)
	}
	c.node(n.Child, st)
}

// isPackable reports whether all blocks of an input can be copied beforehand: they are those
// of equal tiles, all reads are proved to be in bounds, and the blocks are copied from the
// input itself. Lanes of groups are side by side, which those of windows some points apart are
// in copies with phases only, as are made later.
func (c *checker) isPackable(n *Place, t *ein.Tensor, st state) bool {
	if t.Role != ein.Input || slices.Contains(st.placed, t.Name) || slices.Contains(st.packed, t.Name) ||
		slices.ContainsFunc(t.Dims, func(dim ein.Dim) bool { return KnownSize(dim.Extent) == unknownBytes }) {
		return false
	}
	for _, s := range st.active {
		for _, a := range c.f.Body[s].Accesses() {
			if a.Tensor == t && (!c.hasEqualBlocks(s, a, st) || multipliesGroups(n.Child, s) && hasSteps(c.f.Body[s], s, a, n.Child)) {
				return false
			}
		}
	}
	return true
}

// hasSteps reports whether vectors below a node run along an index of a read with a step.
func hasSteps(comp *ein.Comprehension, s int, a *ein.Access, below Node) bool {
	return slices.ContainsFunc(comp.Indices, func(i *ein.Index) bool {
		return VectorBelow(s, i.Name, below) > 0 && slices.ContainsFunc(a.Subscripts, func(sub ein.Expr) bool {
			e, linear := ein.AffineOf(sub)
			step, _, ok := e.Linear(i.Name)
			return !linear || !ok || step != 0 && step != 1
		})
	})
}

// hasEqualBlocks reports whether a read has the blocks of equal tiles.
func (c *checker) hasEqualBlocks(s int, a *ein.Access, st state) bool {
	comp := c.f.Body[s]
	for d, sub := range a.Subscripts {
		i, _, linear := IndexPlusConstant(comp, sub)
		if !ein.InBounds(comp, a, d) {
			return false
		}
		if !linear {
			continue
		}
		path := st.paths[place{s, i.Name}]
		if c.frames.Of(s, i).Guarded || st.count.OpenOver(s, i.Name) != nil || slices.ContainsFunc(path, func(m *Member) bool { return m.Vector > 0 || st.count.Counts(m) }) {
			return false // or blocks are not those of the loop further out
		}
		for k := 1; k < len(path); k++ {
			if path[k].Tile > 0 && path[k-1].Tile%path[k].Tile != 0 {
				return false
			}
		}
	}
	return true
}

// isPermutation reports whether a list has each of 1 … n once.
func isPermutation(list []int, n int) bool {
	sorted := slices.Sorted(slices.Values(list))
	for i, d := range sorted {
		if d != i+1 {
			return false
		}
	}
	return len(sorted) == n
}
