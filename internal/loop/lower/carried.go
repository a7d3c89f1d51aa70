package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How bands of tiles go on where the ones before end
//
// A band of tiles is what a loop along rows goes through. Where its rows lie end to end, the first
// row of the next band begins where the last one of this band ends, mostly within a line. What is
// left of that row is carried on to the next band, so that only the ends of all bands are lines that
// are written in part: each of these waits for memory, and the stores behind it do, too. An image of
// 4096² floats and a filter of 5 x 5 take 0.94 of the time that way on one thread of a Granite Rapids.

// carried is the row that goes on from band to band of a loop.
type carried struct {
	band  point            // the index from band to band
	start affine.Expr      // of the first band
	tile  int64            // rows of a band, counted by that index
	along *schedule.Member // the loop along the rows of a band
	rows  *rows            // those of the bands; nil where none goes on
}

// betweenBands lowers the loop over a segment of a member, below which another goes along rows, and
// lets the last row of every band go on in the next one; ok is false where this is no such loop.
func (l *lowerer) betweenBands(m *schedule.Member, seg segment, rest []*schedule.Member, below schedule.Node, sc *scope, body func(segment, *scope) []loop.Stmt) (list []loop.Stmt, ok bool) {
	if next, ok := below.(*schedule.Band); ok && len(rest) == 0 {
		rest = next.Members
	}
	if sc.rows != nil || sc.carried != nil || len(sc.statements) != 1 || len(rest) == 0 || seg.tile < 2 || seg.partial || seg.ragged || seg.lanes > 0 || seg.group > 0 ||
		m.Reverse || m.Flip || m.Pad || m.Guarded || m.Determined || m.Group > 0 || len(m.Loops) != 1 {
		return nil, false
	}
	if n, known := seg.count.IsConst(); known && n < 2 {
		return nil, false
	}
	lp := first(m, sc)
	p := point{lp.Statement, lp.Index}
	b := sc.blocks[p]
	if b.value != nil || b.lanes > 0 {
		return nil, false
	}
	k := &carried{band: p, start: b.base.Add(seg.start), tile: seg.tile, along: rest[0]}
	inner := *sc
	inner.carried = k
	list = body(seg, &inner)
	if k.rows == nil {
		return list, true
	}
	last := *k.rows
	last.dims = slices.Clone(last.dims)
	for d := range last.dims {
		if last.dims[d].index == p.index {
			last.dims[d].base = k.start.Add(seg.count.AddConst(-1).Scale(seg.tile))
		}
	}
	ends, _ := l.rowsAt(&last, last.start.Add(last.length), affine.Expr{}, sc)
	slot := int64Const(last.count - 1)
	end := &loop.EndRow{Buffer: last.storage.buffer, Index: ends[last.count-1], Rest: last.rest, Behind: last.behind, Slot: slot}
	list = append([]loop.Stmt{last.empty(slot)}, list...)
	list = append(list, when(l.compare(seg.count, ein.Gt, affine.Const(0)), []loop.Stmt{end}, nil)...)
	for _, buffer := range []*loop.Buffer{last.behind, last.rest} {
		list = []loop.Stmt{&loop.Alloc{Buffer: buffer, Body: list}}
	}
	return list, true
}

// goesOn reports whether the rows of tiles are carried on: the loop along them is that of a band, and
// the next band begins where they end.
func (l *lowerer) goesOn(r *rows, m *schedule.Member, sc *scope) bool {
	k := sc.carried
	n, known := r.length.IsConst()
	if k == nil || k.rows != nil || k.along != m || k.band.statement != r.statement || r.heads == nil || !known || r.count < 2 {
		return false
	}
	w := l.f.Body[r.statement].Writes[0]
	place := func(slot, further int64) (affine.Expr, bool) {
		inner := sc.clone()
		inner.blocks[point{r.statement, r.vector}] = block{base: r.start, size: affine.Const(1)}
		for _, i := range ein.Reduced(l.f.Body[r.statement]) {
			inner.blocks[point{r.statement, i.Name}] = block{base: i.Min, size: affine.Const(1)}
		}
		r.enter(slot, inner)
		b := inner.blocks[k.band]
		b.base = b.base.AddConst(further)
		inner.blocks[k.band] = b
		at, others := l.context(r.statement, inner).position(w.Tensor, w.Subscripts)
		return at, len(others) == 0
	}
	end, plain := place(r.count-1, 0)
	next, plainNext := place(0, k.tile)
	return plain && plainNext && next.Equal(end.AddConst(n))
}

// begins reports, for a row of tiles that are carried on, whether it has no row before it to go on
// from; nil stands for always.
func (k *carried) begins(slot affine.Expr, x *context) loop.Expr {
	return either(x.l.compare(slot, ein.Gt, affine.Const(0)), x.l.compare(x.sc.blocks[k.band].base, ein.Eq, k.start))
}
