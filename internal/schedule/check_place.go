package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// place checks that a tensor may get storage of its own: a temporary, an input all of
// whose reads here are proved to be in bounds, because the copy reads them without
// their conditions, or an output of which the statements below write whole blocks.
func (c *checker) place(n *Place, st state) {
	t := c.f.Tensor(n.Tensor)
	c.placeable(n, t, st)
	if c.errs.HasErrors() {
		return
	}
	if n.Region != Workspace {
		st.placed = append(st.placed[:len(st.placed):len(st.placed)], n.Tensor)
		if n.Layout != nil {
			st.arranged = append(st.arranged[:len(st.arranged):len(st.arranged)], n.Tensor)
		}
		c.reserve(n, c.blockBytes(n, t, st), &st)
	} else {
		st.packed = append(st.packed[:len(st.packed):len(st.packed)], n.Tensor)
	}
	c.node(n.Child, st)
}

func (c *checker) placeable(n *Place, t *ein.Tensor, st state) {
	open := c.openUse(n, t, st)
	switch {
	case open != nil:
		c.misfit(n, "which points of %s are used in %s is not known here: its blocks are those of a larger one further down, or skewed", n.Tensor, c.words.Loop(open))
	case t == nil || t.Role == ein.InOut:
		c.misfit(n, "%s is no temporary, input or output of %s", n.Tensor, c.f.Name)
	case n.Region == Output || n.Region == Shared || n.Region == Workspace && t.Role != ein.Input:
		c.misfit(n, "a temporary or output is placed in register or private, an input there or in workspace")
	case n.Layout != nil && !isPermutation(n.Layout, len(t.Dims)):
		c.misfit(n, "the layout of %s names each of its %d dimensions once, counted from 1", t.Name, len(t.Dims))
	case t.Role != ein.Temp && len(t.Dims) == 0:
		c.misfit(n, "%s is a scalar, of which a copy is of no use", t.Name)
	case c.usesGuarded(t, st.active):
		c.misfit(n, "%s is used by a statement that is skewed, or fused with another range", t.Name)
	case t.Role != ein.Input:
		for _, s := range st.active {
			writes := slices.ContainsFunc(c.f.Body[s].Writes, func(w *ein.Write) bool { return w.Tensor == t })
			if writes && st.accumulators[s] != nil {
				c.misfit(n, "%s needs its storage where the results of %s are complete, which is further up", t.Name, c.words.Statement(s))
			}
		}
		if t.Role == ein.Output {
			c.writesBlocks(n, t, st)
		}
	default:
		if n.Region == Workspace {
			c.packable(n, t, st)
		}
		for _, s := range st.active {
			for _, a := range c.f.Body[s].Accesses() {
				for d := range a.Subscripts {
					if a.Tensor == t && !InBounds(c.f.Body[s], a, d) {
						c.misfit(n, "a read of %s in %s is not proved to be in bounds", t.Name, c.words.Statement(s))
						return
					}
				}
			}
		}
	}
}

// writesBlocks checks that what is below writes every element of a block of an output
// once, and does nothing else with it, so that the block can be copied to the output
// when all is done.
func (c *checker) writesBlocks(n *Place, t *ein.Tensor, st state) {
	var write *access
	for _, a := range accesses(c.f) {
		switch {
		case a.tensor != t || !slices.Contains(st.active, a.statement):
		case write != nil || !a.writes || c.f.Body[a.statement].Accumulate != nil:
			c.misfit(n, "%s is an output: one statement inside must write it, and none read it", t.Name)
			return
		default:
			write = &a
		}
	}
	if write == nil {
		c.misfit(n, "nothing inside writes %s", t.Name)
		return
	}
	var seen []*ein.Index
	for _, sub := range write.subscripts {
		index, _, linear := IndexPlusConstant(c.f.Body[write.statement], sub)
		if !linear || slices.Contains(seen, index) {
			c.misfit(n, "%s writes %s at a subscript that is no index of its own, so blocks of it are not written as a whole", c.words.Statement(write.statement), t.Name)
			return
		}
		seen = append(seen, index)
	}
}

// usesGuarded reports whether not all values that the loops of some statement that
// uses a tensor enumerate are points.
func (c *checker) usesGuarded(t *ein.Tensor, active []int) bool {
	return slices.ContainsFunc(accesses(c.f), func(a access) bool {
		return a.tensor == t && slices.Contains(active, a.statement) && c.frames.Guarded(a.statement, c.f.Body[a.statement])
	})
}

// openUse returns a member over an index by which a tensor is used whose block is not
// known; nil for none.
func (c *checker) openUse(n *Place, t *ein.Tensor, st state) *Member {
	for _, a := range accesses(c.f) {
		if a.tensor != t || !slices.Contains(st.active, a.statement) || t.Role == ein.Input && n.Region != Workspace {
			continue
		}
		for _, i := range c.f.Body[a.statement].Indices {
			if m := st.count.OpenOver(a.statement, i.Name); m != nil {
				return m
			}
		}
	}
	return nil
}

// packable checks that the blocks of an input are those of equal tiles, so that they
// can all be copied beforehand, from the input itself.
func (c *checker) packable(n *Place, t *ein.Tensor, st state) {
	if slices.Contains(st.placed, t.Name) || slices.Contains(st.packed, t.Name) {
		c.misfit(n, "%s is packed into the workspace below another place of it", t.Name)
		return
	}
	for d, dim := range t.Dims {
		if _, known := dim.Extent.IsConst(); !known {
			c.misfit(n, "%s is packed into the workspace but its size %s is not known", t.Name, dim.Extent)
			return
		}
		for _, a := range accesses(c.f) {
			if a.tensor != t || !slices.Contains(st.active, a.statement) {
				continue
			}
			index, _, linear := IndexPlusConstant(c.f.Body[a.statement], a.subscripts[d])
			if !linear {
				continue
			}
			path := st.paths[place{a.statement, index.Name}]
			for k, m := range path {
				if m.Vector > 0 {
					c.misfit(n, "the vectors of %s are no equal blocks of the packed %s", c.words.Index(a.statement, index.Name), t.Name)
					return
				}
				if k > 0 && path[k].Tile > 0 && path[k-1].Tile%path[k].Tile != 0 {
					c.misfit(n, "the tile of %d of %s does not divide the %d around it, so the blocks of the packed %s are not equal",
						path[k].Tile, c.words.Index(a.statement, index.Name), path[k-1].Tile, t.Name)
					return
				}
			}
		}
	}
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
