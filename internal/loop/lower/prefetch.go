package lower

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How results are fetched ahead
//
// A register tile touches its results only when its sums are complete, and waits for
// them then: they lie in rows far apart, which no hardware prefetcher follows. So their
// lines are asked for when the tile begins, and come while it computes.

const (
	lineBytes     = 64
	prefetchSteps = 24       // of the reduction at least, in which the lines may come
	mostPrefetch  = 64       // lines of a tile
	nearResults   = 64 << 10 // bytes of a result that is near anyway
)

// prefetchResults asks for the lines of the results of a register tile.
func (l *lowerer) prefetchResults(a *accumulator, sc *scope) []loop.Stmt {
	c := l.f.Body[a.statement]
	w := c.Writes[0]
	row := l.rowOf(a, w, sc)
	if row == nil || len(c.Writes) > 1 || a.along != "" || a.buffers[0].Region != loop.Register || !isFar(w.Tensor) {
		return nil
	}
	if b := sc.storage[w.Tensor].buffer; b.Region != loop.Argument && b.Region != loop.Workspace {
		return nil
	}
	steps := int64(1)
	for _, i := range schedule.Reduced(c) {
		if n, known := sc.blocks[point{a.statement, i.Name}].size.IsConst(); known {
			steps *= n
		}
	}
	perLine, lines := int64(lineBytes/w.Tensor.Type.Size()), int64(1)
	first := sc.clone()
	first.statements = []int{a.statement}
	var members []*schedule.Member
	for _, d := range a.dims {
		p := point{a.statement, d.index}
		m := &schedule.Member{Loops: []schedule.Loop{{Statement: p.statement, Index: p.index}}, Tile: 1, Unroll: true}
		size := d.size
		if b := sc.blocks[p]; b.isPoint() && b.lanes == 0 {
			continue
		} else if b.lanes > 0 || b.partial {
			return nil
		} else {
			first.blocks[p] = block{base: b.base, size: affine.Const(size), ragged: b.ragged, exists: b.exists, whole: b.ragged}
		}
		if d.index == row.index {
			m.Tile, size = perLine, (size+perLine-1)/perLine
		}
		if m.Tile < d.size {
			members = append(members, m)
		}
		lines *= size
	}
	if steps < prefetchSteps || lines > mostPrefetch {
		return nil
	}
	return l.nest(members, nil, first, func(inner *scope) []loop.Stmt {
		for _, d := range a.dims { // the first element of a line
			p := point{a.statement, d.index}
			b := inner.blocks[p]
			b.size = affine.Const(1)
			inner.blocks[p] = b
		}
		x := l.context(a.statement, inner)
		at, _ := x.linear(w.Tensor, w.Subscripts)
		return append(x.before, &loop.Prefetch{Buffer: sc.storage[w.Tensor].buffer, Index: at, Write: true})
	})
}

// isFar reports whether a tensor is larger than what stays in the nearest caches.
func isFar(t *ein.Tensor) bool {
	bytes := int64(t.Type.Size())
	for _, d := range t.Dims {
		n, known := d.Extent.IsConst()
		if !known {
			return true
		}
		bytes *= n
	}
	return bytes > nearResults
}
