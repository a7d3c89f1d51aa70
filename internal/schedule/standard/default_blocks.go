package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// packed names the inputs whose panel under the vector tile is copied before it is
// reused by the tiles of the other column: rows of the panel lie so far apart that
// they would share the lines of the caches.
func (mk *maker) packed(p *plan, reduction *schedule.Member) []string {
	const (
		largest = 256 << 10 // bytes of the panel
		reuse   = 8         // tiles that use it
	)
	most := min(largest, mk.m.L2/4)
	k := mk.heaviest(p)
	if p.vector < 0 || k < 0 || !p.othersTiled(p.vector) {
		return nil
	}
	c := mk.f.Body[p.g.statements[k]]
	v := p.g.columns[p.vector][k]
	for col, tile := range p.tiles {
		n := estimate(p.g.columns[col][k].Extent)
		if block := mk.block(p, col, false); block > 0 {
			n = block
		}
		if col != p.vector && tile > 1 && n < reuse*tile {
			return nil
		}
	}
	var names []string
	for _, a := range c.Accesses() {
		if a.Tensor.Role != ein.Input || mk.along(c, a.Tensor, a.Subscripts, v) != unit || len(a.Subscripts) < 2 || slices.Contains(names, a.Tensor.Name) {
			continue
		}
		row, known := a.Tensor.Dims[len(a.Tensor.Dims)-1].Extent.IsConst()
		size, ok := mk.panelBytes(p, c, k, a, reduction)
		if known && ok && row*int64(a.Tensor.Type.Size()) >= mk.farApart() && size <= most && mk.onlyUse(p, c, a) {
			names = append(names, a.Tensor.Name)
		}
	}
	return names
}

// onlyUse reports whether a is the one access of the group to its tensor.
func (mk *maker) onlyUse(p *plan, c *ein.Comprehension, a *ein.Access) bool {
	uses := 0
	for _, s := range p.g.statements {
		for _, other := range mk.f.Body[s].Accesses() {
			if other.Tensor == a.Tensor {
				uses++
			}
		}
	}
	for d := range a.Subscripts {
		if !ein.InBounds(c, a, d) {
			return false
		}
	}
	return uses == 1
}

// panelBytes is the size of what an access reads under one vector tile; ok is
// false where a subscript is not an index plus a constant.
func (mk *maker) panelBytes(p *plan, c *ein.Comprehension, k int, a *ein.Access, reduction *schedule.Member) (int64, bool) {
	size := int64(a.Tensor.Type.Size())
	for _, sub := range a.Subscripts {
		index, _, ok := schedule.IndexPlusConstant(c, sub)
		if !ok {
			return 0, false
		}
		n, known := index.Extent.IsConst()
		col := slices.IndexFunc(p.g.columns, func(column []*ein.Index) bool { return column[k] == index })
		switch {
		case reduction != nil && reduction.Loops[0].Index == index.Name:
			n, known = reduction.Tile, true
		case col == p.vector || col >= 0 && p.tiles[col] == 1:
			n, known = p.tiles[col], true
		}
		if !known {
			return 0, false
		}
		size *= n
	}
	return size, true
}

// streams reports whether a reduction without reuse steps over long rows: a few
// rows at a time are read faster, as streams, than a narrow column.
func (mk *maker) streams(c *ein.Comprehension, vector, reduced *ein.Index) bool {
	return slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool {
		if mk.along(c, a.Tensor, a.Subscripts, vector) != unit || mk.along(c, a.Tensor, a.Subscripts, reduced) != far {
			return false
		}
		last := a.Tensor.Dims[len(a.Tensor.Dims)-1]
		return estimate(last.Extent)*int64(a.Tensor.Type.Size()) >= mk.run()
	})
}

// blockedReduction cuts a long reduction, so that the panel of the operand that
// is reused stays in the first-level cache while the accumulators are reloaded.
func (mk *maker) blockedReduction(p *plan) *schedule.Member {
	if len(p.g.statements) != 1 || p.vector < 0 {
		return nil
	}
	s := p.g.statements[0]
	c := mk.f.Body[s]
	op, free := ein.ReductionOperator(c)
	if !free || op == nil || schedule.InOutput(c, op) != "" {
		return nil
	}
	total := int64(1)
	for _, i := range ein.Reduced(c) {
		total *= estimate(i.Extent)
	}
	first := ein.Reduced(c)[0]
	depth := int64(256)
	if !p.othersTiled(p.vector) {
		if !mk.streams(c, p.g.columns[p.vector][0], first) {
			return nil
		}
		depth = 16
	}
	n := estimate(first.Extent)
	if total < 3*depth || n < 2 {
		return nil
	}
	tile := max(2, min(n, depth*n/total))
	pieces := (n + tile - 1) / tile
	if tile = roundUp((n+pieces-1)/pieces, 2); tile >= n {
		return nil
	}
	return &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: first.Name}}, Tile: tile}
}
