package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How rows that lie end to end are written past the caches: as one, collapsed row
//
// Where a row does not end at a line, the next one begins within it. Each of both would write its
// part of the line through the caches, which read it first. So what is left of a row is kept until
// the next one goes on: only the ends of the whole chain are written in part. Rows of 254 floats
// (7 points of 256³) take 0.81 of the time that way on one thread of a Granite Rapids.

// collapsedRows are rows of which one begins where the one before ends.
type collapsedRows struct {
	index string      // that counts them
	start affine.Expr // of it
}

// collapsedRowsOf returns the chain along which a loop over an index goes; nil where it does not, or where
// the rows do not stream.
func (l *lowerer) collapsedRowsOf(p point, seg segment, inside *schedule.Band, sc *scope) *rows {
	s, c := p.statement, l.f.Body[p.statement]
	if n, known := seg.count.IsConst(); known && n < 2 || seg.tile != 1 || len(ein.Reduced(c)) > 0 || !l.writesRows(s, c, sc) || readsResult(c) {
		return nil
	}
	for _, i := range c.ByKind(ein.Concat) {
		v := point{s, i.Name}
		b := sc.blocks[v]
		lanes := schedule.VectorBelow(s, i.Name, inside)
		r := &rows{statement: s, lanes: lanes, storage: sc.storage[c.Writes[0].Tensor], start: b.base, vector: i.Name}
		n, known := b.size.IsConst()
		if lanes < 2 || int64(lanes*r.storage.buffer.Type.Elem.Size()) != l.line() || !known || n < int64(schedule.CutFromBelow(s, i.Name, inside)*lanes) || n%int64(lanes) == 0 {
			continue
		}
		r.collapsed, r.tail = &collapsedRows{index: p.index, start: sc.blocks[p].base.Add(seg.start)}, int(n%int64(lanes))
		if l.countRows(r, c, sc) && inOrder(v, int64(lanes), inside) && loopsOver(v, inside) == 1 && l.isEndToEnd(r, n, sc) {
			return r
		}
	}
	return nil
}

// readsResult reports whether a statement reads what it writes.
func readsResult(c *ein.Comprehension) bool {
	return slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool { return a.Tensor == c.Writes[0].Tensor })
}

// loopsOver counts the loops over an index.
func loopsOver(p point, n schedule.Node) (count int) {
	if b, ok := n.(*schedule.Band); ok {
		for _, m := range b.Members {
			if lp, ok := m.IndexOf(p.statement); ok && lp.Index == p.index {
				count++
			}
		}
	}
	for _, child := range schedule.Children(n) {
		count += loopsOver(p, child)
	}
	return count
}

// isEndToEnd reports whether rows of n elements begin where the ones before end.
func (l *lowerer) isEndToEnd(r *rows, n int64, sc *scope) bool {
	w := l.f.Body[r.statement].Writes[0]
	var places [2]affine.Expr
	for k := range places {
		inner := sc.clone()
		for _, d := range r.dims {
			inner.blocks[point{r.statement, d.index}] = block{base: d.base, size: affine.Const(1)}
		}
		inner.blocks[point{r.statement, r.vector}] = block{base: r.start, size: affine.Const(1)}
		inner.blocks[point{r.statement, r.collapsed.index}] = block{base: r.collapsed.start.AddConst(int64(k)), size: affine.Const(1)}
		var others []loop.Expr
		if places[k], others = l.context(r.statement, inner).position(w.Tensor, w.Subscripts); len(others) > 0 {
			return false
		}
	}
	distance, known := places[1].Sub(places[0]).IsConst()
	return known && distance == n
}
