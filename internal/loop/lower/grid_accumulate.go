package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How the items of a group reduce together
//
// Accumulators in local memory have a part for each item of the group, as those in the workspace have one for each thread. An item adds
// its iterations to its own part; then the parts are combined in a tree: of n parts the last n/2 are added to the first ones,
// with a barrier behind each step. So the order is the same in every run. The first item passes the results on.

// accumulateLocally lowers accumulators in local memory, right above the loops over items.
func (l *lowerer) accumulateLocally(n *schedule.Accumulate, sc *scope) []loop.Stmt {
	b := schedule.InChunks(n)
	c := l.f.Body[n.Statement]
	op, _ := ein.ReductionOperator(c)
	a := chunked{accumulator: &accumulator{statement: n.Statement, op: l.withIdentity(op), units: 1}}
	a.elements = l.dimensions(a.accumulator, c, "", 1, sc)
	a.lanes = 1
	number, items := sc.launch.linear()
	for k, t := range a.op.Types() {
		buffer := l.fresh.Buffer(accumulatorName(c, k)+"s", loop.Scalar(t.Compute()), items*a.elements, loop.Local)
		a.buffers, sc.launch.grid.Local = append(a.buffers, buffer), append(sc.launch.grid.Local, buffer)
	}
	part := func(at affine.Expr) *accumulator {
		p := *a.accumulator
		p.chunk = at.Scale(a.elements)
		return &p
	}
	own := part(number)
	body := l.overBlock(own, "", 1, sc, func(at *scope) []loop.Stmt { return l.reset(own, at) })
	below := sc.withAccumulator(n.Statement, own)
	body = append(body, withoutFirstBarrier(l.nest(b.Members, b.Child, below, func(sc *scope) []loop.Stmt { return l.node(b.Child, sc) }))...)
	for left := items; left > 1; {
		half := (left + 1) / 2
		other := part(number.AddConst(half))
		add := l.overBlock(own, "", 1, sc, func(at *scope) []loop.Stmt {
			x := l.context(n.Statement, at)
			values := other.read(x)
			return slices.Concat(x.before, l.update(own, n.Statement, at, values))
		})
		body = append(body, &loop.Barrier{})
		body = append(body, when(l.compare(number, ein.Lt, affine.Const(left-half)), add, nil)...)
		left = half
	}
	first := part(affine.Expr{})
	finish := l.overBlock(first, "", 1, sc, func(at *scope) []loop.Stmt { return l.finish(first, at) })
	return together(append(body, l.byFirst(sc.launch, l.delivered(n.Statement, sc, finish))...))
}

// linear is the number of the present item in its group, and how many there are.
func (at *launch) linear() (number affine.Expr, items int64) {
	items = 1
	for k, n := range at.counts {
		items *= n
		number = number.Scale(n).Add(at.items[k])
	}
	return number, items
}
