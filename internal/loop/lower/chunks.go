package lower

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// accumulateInChunks gives every iteration of the parallel loop below partial
// results of its own, and combines them in the order of the iterations, so that
// the result does not depend on the number of threads.
func (l *lowerer) accumulateInChunks(n *schedule.Accumulate, a *accumulator, elements int64, sc *scope) []loop.Stmt {
	s, c := n.Statement, l.f.Body[n.Statement]
	b, ok := n.Child.(*schedule.Band)
	if !ok || !b.Members[0].Parallel {
		l.fail(c.Pos, "accumulate %s workspace without a parallel loop below", l.tree.Statements[s].Name)
		return nil
	}
	m := b.Members[0]
	a.lanes, a.along, a.units = 1, "", 1
	var chunks affine.Expr
	cuts := l.cut(m, b.Members[1:], b.Child, sc)
	for _, seg := range cuts {
		chunks = chunks.Add(seg.count)
	}
	for k, t := range a.op.Types() {
		buffer := &loop.Buffer{Name: l.fresh(accumulatorName(c, k) + "s"), Type: loop.Scalar(t.Compute()), Region: loop.Workspace}
		length := chunks.Scale(elements)
		l.setLength(buffer, length)
		l.reserve(buffer, length)
		a.buffers = append(a.buffers, buffer)
	}
	v := l.newVar("p")
	f := &loop.For{Var: v, Lo: int64Const(0), Hi: l.toLoop(chunks, 1), Step: 1, Kind: loop.Parallel}
	number := affine.Symbol(v.Name)
	a.chunk = number.Scale(elements)
	f.Body = l.pieces([]*schedule.Member{m}, [][]segment{cuts}, []affine.Expr{number}, sc.inParallel(), func(inner *scope) []loop.Stmt {
		list := l.overBlock(a, "", 1, inner, func(at *scope) []loop.Stmt { return l.reset(a, at) })
		return append(list, l.nest(b.Members[1:], b.Child, inner.withAccumulator(s, a), func(sc *scope) []loop.Stmt {
			return l.node(b.Child, sc)
		})...)
	})
	return append([]loop.Stmt{f}, l.recompose(a, chunks, elements, sc)...)
}

// reset stores the identity at the current point.
func (l *lowerer) reset(a *accumulator, sc *scope) []loop.Stmt {
	x := l.context(a.statement, sc)
	return a.store(x, x.all(a.op.Identity))
}

// recompose combines the partial results of all chunks.
func (l *lowerer) recompose(a *accumulator, chunks affine.Expr, elements int64, sc *scope) []loop.Stmt {
	return l.overBlock(a, "", 1, sc, func(at *scope) []loop.Stmt {
		c := l.f.Body[a.statement]
		total := &accumulator{statement: a.statement, op: a.op, lanes: 1, units: 1}
		for k, b := range a.buffers {
			total.buffers = append(total.buffers, l.register(accumulatorName(c, k), loop.Scalar(b.Type.Elem), 1, loop.Register))
		}
		v := l.newVar("chunk")
		part := *a
		part.chunk = affine.Symbol(v.Name).Scale(elements)
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
