package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// What blocks of a tensor exchange
//
// What a statement writes in a block, if its subscripts are indices of their own, is a box.
// It is copied to where the tensor is outside when the block is done. Of a temporary only
// the edges are that other blocks read; from outside come the edges of these, beside the
// box. Both are slabs, one or two for each dimension, whose corners belong to one of them.

// A slab is a range of positions along each dimension: as many points from first on as there
// are, within the limits.
type slab struct {
	first, points []affine.Expr
	limits        []bounds
}

func (s slab) clone() slab {
	return slab{slices.Clone(s.first), slices.Clone(s.points), slices.Clone(s.limits)}
}

// grown is the slab with more points at both ends of a dimension, fewer if they are negative.
func (s slab) grown(d int, low, high int64) slab {
	s = s.clone()
	s.first[d] = s.first[d].AddConst(-low)
	s.points[d] = s.points[d].AddConst(low + high)
	return s
}

// at is so many positions from one on, along a dimension.
func (s slab) at(d int, first affine.Expr, points int64) slab {
	s = s.clone()
	s.first[d], s.points[d] = first, affine.Const(points)
	return s
}

// end is the position behind the last along a dimension.
func (s slab) end(d int) affine.Expr { return s.first[d].Add(s.points[d]) }

// written is the box that the only write among some uses has in the current blocks.
func (l *lowerer) written(p schedule.Placement, sc *scope) slab {
	w := p.Uses[slices.IndexFunc(p.Uses, func(u schedule.Use) bool { return u.Writes })]
	c := l.f.Body[w.Statement]
	var s slab
	for _, sub := range w.Subscripts {
		i, shift, _ := schedule.IndexPlusConstant(c, sub)
		b := sc.blocks[point{w.Statement, i.Name}]
		var limit bounds
		if l.frames.Of(w.Statement, i).Guarded {
			low := i.Min.AddConst(shift)
			limit = bounds{true, low, low.Add(i.Extent)}
		}
		s.first, s.points, s.limits = append(s.first, b.base.AddConst(shift)), append(s.points, b.points()), append(s.limits, limit)
	}
	return s
}

// copyOut copies what was written in a block, or its edges that other blocks read.
func (l *lowerer) copyOut(t *ein.Tensor, p schedule.Placement, st *storage, below schedule.Node, sc *scope) []loop.Stmt {
	to, lanes := sc.storage[t], l.widest(below, sc)
	fast := to.unitDimension()
	box := l.written(p, sc)
	if p.Edges == nil {
		return l.copySlab(box, st, to, fast, lanes)
	}
	var list []loop.Stmt
	for _, d := range fastLast(fast, len(p.Edges)) {
		edge := p.Edges[d]
		for _, s := range []slab{box.at(d, box.first[d], edge.Low), box.at(d, box.end(d).AddConst(-edge.High), edge.High)} {
			if n, _ := s.points[d].IsConst(); n > 0 {
				if m, known := box.points[d].IsConst(); !known || m < n { // the box may be smaller than its edge
					s.limits[d] = box.within(d)
				}
				list = append(list, l.copySlab(s, st, to, fast, lanes)...)
			}
		}
		box = box.grown(d, -edge.Low, -edge.High)
	}
	return list
}

// within are the limits of a dimension that are those of its points, too.
func (s slab) within(d int) bounds {
	b := bounds{true, s.first[d], s.end(d)}
	if old := s.limits[d]; old.set {
		b.low, b.high = affine.MaxOf(b.low, old.low), affine.MinOf(b.high, old.high)
	}
	return b
}

// copyEdgesIn copies what other blocks have written beside the box that this one writes.
func (l *lowerer) copyEdgesIn(t *ein.Tensor, p schedule.Placement, st *storage, order []int, lanes int, sc *scope) []loop.Stmt {
	box := l.written(p, sc)
	all := box
	for d, edge := range p.Edges {
		if all = all.grown(d, edge.High, edge.Low); edge != (schedule.Edge{}) {
			all.limits[d] = there(t, d, sc.storage[t])
		}
	}
	var list []loop.Stmt
	for _, d := range fastLast(order[0], len(p.Edges)) {
		edge := p.Edges[d]
		for _, s := range []slab{all.at(d, all.first[d], edge.High), all.at(d, box.end(d), edge.Low)} {
			if n, _ := s.points[d].IsConst(); n > 0 {
				list = append(list, l.copySlab(s, sc.storage[t], st, order[0], lanes)...)
			}
		}
		all.first[d], all.points[d], all.limits[d] = box.first[d], box.points[d], box.limits[d]
	}
	return list
}

// copySlab copies a slab from one storage to another.
func (l *lowerer) copySlab(s slab, from, to *storage, fast, lanes int) []loop.Stmt {
	c := &blockCopy{l: l, from: from, to: to.from(s.first), points: s.points, limits: s.limits, fast: fast, lanes: lanes}
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
