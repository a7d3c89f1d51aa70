package lower

import (
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
)

// prefetch asks for what a vector reads and writes side by side in memory that outlives
// the block, for the next value of the index that the vector loop names. For the last one
// it asks again for what is there; what would be in another block is always as far away. Where
// askAhead asks for what is written, this does not. A vector of which no point exists asks for the
// last that does.
func (x *context) prefetch(s int) {
	name, own, tile, writes := "", false, int64(0), x.storesVectors(s)
	here := *x
	here.env = maps.Clone(x.env)
	for _, i := range x.c.Indices {
		if b := x.sc.blocks[point{s, i.Name}]; b.lanes > 1 {
			name, own, tile, writes = b.fetch, b.fetch == i.Name, b.fetchTile, writes && b.ahead == 0
			if b.ragged && b.value == nil {
				here.env[i.Name] = b.first().Add(affine.Symbol(laneSymbol))
			}
		}
	}
	if name == "" {
		return
	}
	index := x.l.index(point{s, name})
	last := index.Min.Add(index.Extent).AddConst(-1)
	next := here
	next.env = maps.Clone(here.env)
	if tile > 0 {
		next.env[name] = x.env[name].AddConst(tile)
	} else if !own {
		next.env[name] = affine.MinOf(x.env[name].AddConst(1), last)
	} else if at, ok := x.inNextPiece(point{s, name}); ok {
		next.env[name] = affine.MinOf(at, last).Add(affine.Symbol(laneSymbol))
	} else {
		return
	}
	asked := map[string]bool{}
	ask := func(t *ein.Tensor, subscripts []ein.Expr, write bool) {
		if st := x.sc.storage[t]; !isOutside(st.buffer) || st.room != nil || !isAffine(subscripts) {
			return // a block that threads share need not have the next one
		}
		if tile > 0 {
			x.fetchBlock(&here, &next, t, subscripts, write)
			return
		}
		now, _ := here.linear(t, subscripts)
		at, form := next.linear(t, subscripts)
		line := t.Name + loop.ExprText(at)
		if form == consecutive && line != t.Name+loop.ExprText(now) && !asked[line] {
			asked[line] = true
			x.before = append(x.before, &loop.Prefetch{Buffer: x.sc.storage[t].buffer, Index: at, Write: write, Second: (own || x.sc.pipelined) && !write})
		}
	}
	if writes {
		for _, w := range x.c.Writes {
			ask(w.Tensor, w.Subscripts, true)
		}
	}
	for _, a := range x.c.Accesses() {
		if x.alwaysInBounds(a) {
			ask(a.Tensor, a.Subscripts, false)
		}
	}
}

// inNextPiece returns where a vector along a scan is in the piece that the thread works on
// next; ok is false in the first pass, and where a last piece is shorter than the others.
func (x *context) inNextPiece(index point) (at affine.Expr, ok bool) {
	p := x.sc.piece
	if p == nil || p.index != index {
		return at, false
	}
	at = x.sc.blocks[index].base.Add(p.next.Sub(p.number).Scale(p.tile))
	symbols := map[string]bool{}
	at.Symbols(symbols)
	number, _ := p.number.IsSymbol()
	return at, !symbols[number]
}

// fetchBlock asks for what is read or written in the next block, where that is a number of
// elements further on. In the last one nothing may be there, which does no harm.
func (x *context) fetchBlock(here, next *context, t *ein.Tensor, subscripts []ein.Expr, write bool) {
	at, others := here.position(t, subscripts)
	there, _ := next.position(t, subscripts)
	distance, known := there.Sub(at).IsConst()
	lane, rest, linear := at.Linear(laneSymbol)
	if !known || distance < 1 || !linear || lane != 1 || len(others) > 0 {
		return
	}
	ask := &loop.Prefetch{Buffer: x.sc.storage[t].buffer, Index: x.l.toLoop(rest, 1), Ahead: distance, Write: write}
	if !slices.ContainsFunc(x.before, func(s loop.Stmt) bool {
		o, ok := s.(*loop.Prefetch)
		return ok && o.Buffer == ask.Buffer && o.Ahead == ask.Ahead && loop.ExprText(o.Index) == loop.ExprText(ask.Index)
	}) {
		x.before = append(x.before, ask)
	}
}

// storesVectors reports whether the vectors of a statement are stored one after the other,
// and not past the caches.
func (x *context) storesVectors(s int) bool {
	_, _, scan := ein.ScanOperator(x.c)
	return !x.sc.streams(s, x.c) && (x.sc.accumulator(s) == nil || scan && !x.sc.totals)
}

// askAhead asks for lines of memory before the vectors get there, as the vector loop says:
// those that are written, and those that are read first. Of several places in a tensor
// that are a constant apart, as a stencil reads them, the last one is where its elements
// are met for the first time. What a loop fetches for the next value of another index, or
// a scan for its next piece, is near by now.
func (x *context) askAhead(s int) {
	bytes, lanes, fetched := int64(0), int64(0), false
	for _, i := range x.c.Indices {
		if b := x.sc.blocks[point{s, i.Name}]; b.lanes > 1 {
			bytes, lanes, fetched = b.ahead, int64(b.lanes), b.fetch != "" && !x.sc.totals
		}
	}
	if bytes == 0 || x.tail != nil {
		return
	}
	var streams []*stream
	meet := func(t *ein.Tensor, subscripts []ein.Expr, write bool) {
		if !isOutside(x.sc.storage[t].buffer) || !isFar(t) || !isAffine(subscripts) {
			return
		}
		at, others := x.position(t, subscripts)
		if lane, rest, ok := at.Linear(laneSymbol); len(others) == 0 && ok && lane == 1 {
			streams = addStream(streams, &stream{t, rest, write})
		}
	}
	for _, a := range x.c.Accesses() {
		if !fetched && x.alwaysInBounds(a) {
			meet(a.Tensor, a.Subscripts, false)
		}
	}
	if x.storesVectors(s) {
		for _, w := range x.c.Writes {
			meet(w.Tensor, w.Subscripts, true)
		}
	}
	for _, r := range streams {
		buffer := x.sc.storage[r.tensor].buffer
		size := int64(buffer.Type.Elem.Size())
		ask := &loop.Prefetch{Buffer: buffer, Index: x.l.toLoop(r.at, 1), Ahead: (bytes + size - 1) / size, Write: r.write, Second: !r.write}
		if !r.write {
			ask.Step = lanes
		}
		x.before = append(x.before, ask)
	}
}

// A stream is a place in a tensor that moves on with the vectors.
type stream struct {
	tensor *ein.Tensor
	at     affine.Expr
	write  bool
}

// addStream adds a stream unless another one is there before it.
func addStream(list []*stream, r *stream) []*stream {
	for _, o := range list {
		if distance, known := r.at.Sub(o.at).IsConst(); known && o.tensor == r.tensor {
			o.at, o.write = o.at.AddConst(max(distance, 0)), o.write || r.write
			return list
		}
	}
	return append(list, r)
}

// isAffine reports whether all subscripts are.
func isAffine(subscripts []ein.Expr) bool {
	for _, sub := range subscripts {
		if _, ok := ein.AffineOf(sub); !ok {
			return false
		}
	}
	return true
}
