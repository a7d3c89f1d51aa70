package lower

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How the items of a group update one array
//
// Where the items of a group reduce to many results, as those of a histogram, each having all of them would take much local memory.
// Integers may be combined in any order, so the group has one array. The items set it in turns, wait, update it by atomic
// operations, wait, and pass its elements on in turns.

// accumulateAtomically lowers accumulators in local memory that all items of a group update.
func (l *lowerer) accumulateAtomically(n *schedule.Accumulate, op *ein.Operator, sc *scope) []loop.Stmt {
	t, inner, _ := l.teamOf(n, sc)
	b := n.Child.(*schedule.Band)
	all, elements := l.ofItem(n, op, inner)
	d := op.Types()[0]
	all.atomic, all.buffers = true, []*loop.Buffer{l.fresh.Buffer(accumulatorName(l.f.Body[n.Statement], 0), loop.Scalar(d), elements, loop.Local)}
	sc.launch.grid.Local = append(sc.launch.grid.Local, all.buffers...)
	body := l.setInTurns(all, t, elements)
	sums := l.nest(b.Members, b.Child, sc.withAccumulator(n.Statement, all), func(sc *scope) []loop.Stmt { return l.node(b.Child, sc) })
	body = append(body, together(sums)...)
	finish := l.inTurns(all, t, elements, inner, func(at *scope) []loop.Stmt { return l.delivered(n.Statement, at, l.finish(all, at)) })
	return together(append(body, together(finish)...))
}

// setInTurns has the items of a group set accumulators to what their operator begins with.
func (l *lowerer) setInTurns(a *accumulator, t *team, elements int64) (body []loop.Stmt) {
	x := &context{l: l, locals: map[*ein.Local]loop.Expr{}, lanes: 1}
	v := l.newVar("n")
	at := affine.Symbol(v.Name).Scale(t.count).Add(t.number)
	for k, b := range a.buffers {
		set := []loop.Stmt{&loop.Store{Buffer: b, Index: l.toLoop(at, 1), Value: x.expr(a.op.Identity[k])}}
		body = append(body, when(l.compare(at, ein.Lt, affine.Const(elements)), set, nil)...)
	}
	rounds := (elements + t.count - 1) / t.count
	return []loop.Stmt{&loop.For{Var: v, Lo: int64Const(0), Hi: int64Const(rounds), Step: 1, Kind: loop.Serial, Body: body}}
}
