package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// A chunked accumulator has so many elements for every iteration of the parallel loop.
type chunked struct {
	*accumulator
	elements int64
	vector   string // the index of results along which chunks are combined by vectors; "" for none
	width    int
}

// accumulateInChunks gives every iteration of the parallel loop below partial
// results of its own, and combines them in the order of the iterations, so that
// the result does not depend on the number of threads.
func (l *lowerer) accumulateInChunks(n *schedule.Accumulate, sc *scope) []loop.Stmt {
	b := schedule.InChunks(n)
	m := b.Members[0]
	var chunks affine.Expr
	cuts := l.cutParallel(m, b.Members[1:], b.Child, sc)
	for _, seg := range cuts {
		chunks = chunks.Add(seg.count)
	}
	v := l.newVar("p")
	number := affine.Symbol(v.Name)
	most := l.mostPieces(m, cuts, chunks, sc)
	var list []chunked
	for a := n; a != nil; a, _ = a.Child.(*schedule.Accumulate) {
		list = append(list, l.chunked(a, most, number, sc))
	}
	f := &loop.For{Var: v, Lo: int64Const(0), Hi: l.toLoop(chunks, 1), Step: 1, Kind: loop.Parallel}
	reset := func(at *scope) (body []loop.Stmt) {
		for _, a := range list {
			body = append(body, l.overBlock(a.accumulator, "", 1, at, func(at *scope) []loop.Stmt { return l.reset(a.accumulator, at) })...)
		}
		return body
	}
	mayBeNone := l.levels.Counted(m) // there are results all the same
	if mayBeNone {
		f.Body = reset(sc.inParallel())
	}
	f.Body = append(f.Body, l.pieces([]*schedule.Member{m}, [][]segment{cuts}, []affine.Expr{number}, sc, sc.inParallel(), func(inner *scope) (body []loop.Stmt) {
		below := inner
		for _, a := range list {
			below = below.withAccumulator(a.statement, a.accumulator)
		}
		if !mayBeNone {
			body = reset(inner)
		}
		return append(body, l.nest(b.Members[1:], b.Child, below, func(sc *scope) []loop.Stmt { return l.node(b.Child, sc) })...)
	})...)
	stmts := []loop.Stmt{f}
	for _, a := range slices.Backward(list) {
		stmts = append(stmts, l.delivered(a.statement, sc, l.recompose(a, chunks, sc))...)
	}
	return stmts
}

// mostPieces is how many pieces the segments of a parallel member have at most, where how
// many they have depends on the loops around.
func (l *lowerer) mostPieces(m *schedule.Member, cuts []segment, count affine.Expr, sc *scope) affine.Expr {
	symbols := map[string]bool{}
	count.Symbols(symbols)
	for _, size := range l.f.Sizes {
		delete(symbols, size.Name)
	}
	if len(symbols) == 0 {
		return count
	}
	blocks := func(m *schedule.Member) affine.Expr {
		lp := first(m, sc)
		room := l.frames.Of(lp.Statement, l.index(point{lp.Statement, lp.Index})).Extent
		if around := l.levels.Around(m, lp); around != nil {
			room = affine.Const(around.Tile)
		}
		return affine.Div(room.AddConst(m.Tile-1), affine.Const(m.Tile))
	}
	most := blocks(m).AddConst(int64(len(cuts)))
	for _, s := range m.Skews {
		most = most.Add(blocks(l.levels.By(m, s)).Scale(max(s.Factor, -s.Factor)))
	}
	return most
}

// chunked makes accumulators for so many chunks, of which this is one.
func (l *lowerer) chunked(n *schedule.Accumulate, chunks, number affine.Expr, sc *scope) chunked {
	c := l.f.Body[n.Statement]
	op, _ := ein.ReductionOperator(c)
	a := chunked{accumulator: &accumulator{statement: n.Statement, op: l.withIdentity(op), units: 1}}
	vector, w := l.vectorIndex(n.Statement, n.Child, sc)
	a.elements = l.dimensions(a.accumulator, c, vector, w, sc)
	a.lanes = 1 // its elements are scalars
	a.combineAlong(vector, w)
	for k, t := range a.op.Types() {
		a.buffers = append(a.buffers, l.array(accumulatorName(c, k)+"s", t.Compute(), chunks.Scale(a.elements)))
	}
	a.chunk = number.Scale(a.elements)
	return a
}

// reset stores the identity at the current point.
func (l *lowerer) reset(a *accumulator, sc *scope) []loop.Stmt {
	x := l.context(a.statement, sc)
	return append(x.before, a.store(x, x.all(a.op.Identity))...)
}

// combineAlong has the chunks of neighbouring results combined by vectors: each result is still
// combined in the order of the chunks.
func (a *chunked) combineAlong(vector string, w int) {
	a.width = 1
	fits := !slices.ContainsFunc(a.op.Types(), func(t tensor.DType) bool { return t.Compute().Size()*w > longestVector })
	if fits && slices.ContainsFunc(a.dims, func(d accumulatorDim) bool { return d.index == vector && d.size >= int64(w) }) {
		a.vector, a.width = vector, w
	}
}

// recompose combines the partial results of all chunks.
func (l *lowerer) recompose(a chunked, chunks affine.Expr, sc *scope) []loop.Stmt {
	return l.overPoints(a.accumulator, a.vector, a.width, loop.MostRecomposed, sc, func(at *scope) []loop.Stmt {
		c := l.f.Body[a.statement]
		total := &accumulator{statement: a.statement, op: a.op, lanes: max(1, at.blocks[point{a.statement, a.vector}].lanes), units: 1}
		for k, b := range a.buffers {
			total.buffers = append(total.buffers, l.fresh.Buffer(accumulatorName(c, k), loop.Type{Elem: b.Type.Elem, Lanes: total.lanes}, 1, loop.Register))
		}
		v := l.newVar("chunk")
		part := *a.accumulator
		part.chunk = affine.Symbol(v.Name).Scale(a.elements)
		x := l.context(a.statement, at)
		sum := &loop.For{Var: v, Lo: int64Const(0), Hi: l.toLoop(chunks, 1), Step: 1, Kind: loop.Serial,
			Body: l.update(total, a.statement, at, part.read(x))}
		body := append(l.initialise(total.buffers, a.op), sum)
		body = append(body, l.finish(total, at)...)
		for k := len(total.buffers) - 1; k >= 0; k-- {
			body = []loop.Stmt{&loop.Alloc{Buffer: total.buffers[k], Body: body}}
		}
		return body
	})
}
