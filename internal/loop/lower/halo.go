package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// What blocks of a tensor exchange: halos
//
// What a statement writes in a block, if its subscripts are indices of their own, is a box.
// It is copied to where the tensor is outside when the block is done. Of a temporary only
// the edges are that other blocks read; from outside come the edges of these, beside the
// box. Both are slabs, one or two for each dimension, whose corners belong to one of them.

// A slab is a range of positions along each dimension: so many from first on as are within
// the limits.
type slab struct {
	first  []affine.Expr
	sizes  []int64
	limits []bounds
}

func (s slab) clone() slab {
	return slab{slices.Clone(s.first), slices.Clone(s.sizes), slices.Clone(s.limits)}
}

// part is the slab with so many positions along a dimension, from some after the first on.
func (s slab) part(d int, from, size int64) slab {
	s = s.clone()
	s.first[d], s.sizes[d] = s.first[d].AddConst(from), size
	return s
}

// written is the box that the only write among some uses has in the current blocks; full
// tests that no block is smaller than others, nil for always.
func (l *lowerer) written(t *ein.Tensor, p schedule.Placement, sc *scope) (box slab, full loop.Expr) {
	w := p.Uses[slices.IndexFunc(p.Uses, func(u schedule.Use) bool { return u.Writes })]
	c := l.f.Body[w.Statement]
	for d, sub := range w.Subscripts {
		i, shift, _ := schedule.IndexPlusConstant(c, sub)
		b := sc.blocks[point{w.Statement, i.Name}]
		limit := bounds{low: i.Min, high: i.Min.Add(i.Extent), set: l.frames.Of(w.Statement, i).Guarded}
		size, known := b.size.IsConst()
		if !known { // nor its end, but what the tensor has room for
			b.size, b.base, limit.set = t.Dims[d].Extent, t.Dims[d].Min.AddConst(-shift), true
			size, _ = b.size.IsConst()
		}
		if n := b.points(); !n.Equal(b.size) {
			full = both(full, l.compare(n, ein.Ge, affine.Const(size)))
			if end := b.base.Add(n); limit.set {
				limit.high = affine.MinOf(limit.high, end)
			} else {
				limit = bounds{true, b.base, end}
			}
		}
		limit.low, limit.high = limit.low.AddConst(shift), limit.high.AddConst(shift)
		box.first, box.sizes, box.limits = append(box.first, b.base.AddConst(shift)), append(box.sizes, size), append(box.limits, limit)
	}
	return box, full
}

// copyOut copies what was written in a block, or its edges that other blocks read, to
// wherever a store outside of the block goes.
func (l *lowerer) copyOut(t *ein.Tensor, p schedule.Placement, st *storage, below schedule.Node, sc *scope) []loop.Stmt {
	var list []loop.Stmt
	for to := sc.storage[t]; to != nil; to = to.through {
		list = append(list, l.copyOutTo(to, t, p, st, below, sc)...)
	}
	return list
}

func (l *lowerer) copyOutTo(to *storage, t *ein.Tensor, p schedule.Placement, st *storage, below schedule.Node, sc *scope) []loop.Stmt {
	lanes, fast := l.widest(below, sc), to.unitDimension()
	box, full := l.written(t, p, sc)
	all := l.copySlab(box, st, to, fast, lanes)
	if p.Halos == nil {
		return all
	}
	var list []loop.Stmt
	for _, d := range fastLast(fast, len(p.Halos)) {
		size := box.sizes[d]
		low := min(p.Halos[d].Low, size)
		high := min(p.Halos[d].High, size-low)
		for _, s := range []slab{box.part(d, 0, low), box.part(d, size-high, high)} {
			if s.sizes[d] > 0 {
				list = append(list, l.copySlab(s, st, to, fast, lanes)...)
			}
		}
		if box = box.part(d, low, size-low-high); box.sizes[d] == 0 {
			return all
		}
	}
	return when(full, list, all)
}

// copyHaloIn copies what other blocks have written beside the box that this one writes.
// Where the box is smaller than others, some of it is copied, too.
func (l *lowerer) copyHaloIn(t *ein.Tensor, p schedule.Placement, st *storage, order []int, lanes int, sc *scope) []loop.Stmt {
	box, full := l.written(t, p, sc)
	for d := range box.limits {
		box.limits[d] = there(t, d, sc.storage[t])
	}
	all := box.clone()
	for d, edge := range p.Halos {
		all = all.part(d, -edge.High, edge.High+box.sizes[d]+edge.Low)
	}
	var list []loop.Stmt
	for _, d := range fastLast(order[0], len(p.Halos)) {
		edge, size := p.Halos[d], all.sizes[d]
		behind := edge.Low
		if full != nil && behind > 0 {
			behind += box.sizes[d]
		}
		for _, s := range []slab{all.part(d, 0, edge.High), all.part(d, size-behind, behind)} {
			if s.sizes[d] > 0 {
				list = append(list, l.copySlab(s, sc.storage[t], st, order[0], lanes)...)
			}
		}
		all.first[d], all.sizes[d] = box.first[d], box.sizes[d]
	}
	return list
}

// copySlab copies a slab from one storage to another.
func (l *lowerer) copySlab(s slab, from, to *storage, fast, lanes int) []loop.Stmt {
	points := make([]affine.Expr, len(s.sizes))
	for d, n := range s.sizes {
		points[d] = affine.Const(n)
	}
	c := &blockCopy{l: l, from: from, to: to.from(s.first), points: points, limits: s.limits, fast: fast, lanes: lanes}
	return c.statements()
}

// fastLast lists so many dimensions, one of them last: rows are cut at their ends only.
func fastLast(fast, dims int) []int {
	var list []int
	for d := range dims {
		if d != fast {
			list = append(list, d)
		}
	}
	return append(list, fast)
}
