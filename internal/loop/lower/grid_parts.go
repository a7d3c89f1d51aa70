package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How groups reduce together
//
// Accumulators in the workspace have a copy for each group along what is reduced; copies are apart by the number of results. Each
// element is stored once, when the accumulators inside of its group end, so that nothing has to be cleared before. A grid behind
// combines the copies: its items are numbered through, first the results, and for each of them the items that share its copies.

// accumulateByGroups lowers accumulators in the workspace, right above groups.
func (l *lowerer) accumulateByGroups(n *schedule.Accumulate, sc *scope) []loop.Stmt {
	axes, rest, below, _ := schedule.PartsByGroups(n)
	c := l.f.Body[n.Statement]
	op, _ := ein.ReductionOperator(c)
	a := &accumulator{statement: n.Statement, op: l.withIdentity(op), lanes: 1, units: 1, once: true}
	elements := l.dimensions(a, c, "", 1, sc)
	cuts, totals := l.cutAll(axes, rest, below, sc)
	parts, room := affine.Const(1), affine.Const(elements)
	for k, m := range slices.Backward(axes) {
		if lp, _ := m.IndexOf(n.Statement); l.index(point{n.Statement, lp.Index}).Combine.Kind == ein.Concat {
			continue
		}
		a.kept = append(a.kept, partialDim{member: m, stride: parts.Scale(elements)})
		parts = parts.Mul(totals[k])
		room = room.Mul(l.mostPieces(m, cuts[k], totals[k], sc))
	}
	for k, t := range a.op.Types() {
		a.buffers = append(a.buffers, l.array(accumulatorName(c, k)+"s", t.Compute(), room))
	}
	b := n.Child.(*schedule.Band)
	list := l.nest(b.Members, b.Child, sc.withAccumulator(n.Statement, a), func(sc *scope) []loop.Stmt { return l.node(b.Child, sc) })
	return append(list, l.combineByGroups(n, a, parts, elements, sc)...)
}

// combineByGroups makes the launch that combines parts.
func (l *lowerer) combineByGroups(n *schedule.Accumulate, a *accumulator, parts affine.Expr, elements int64, sc *scope) []loop.Stmt {
	var members []*schedule.Member
	for _, d := range a.dims {
		if !sc.blocks[point{n.Statement, d.index}].isPoint() {
			members = append(members, &schedule.Member{Loops: []schedule.Loop{{Statement: n.Statement, Index: d.index}}, Tile: 1})
		}
	}
	cuts, totals := l.cutAll(members, nil, nil, sc)
	results, items := product(totals), max(1, n.Items)
	g := &loop.Grid{Groups: []loop.GroupAxis{{Var: l.newVar("g"), Count: l.toLoop(affine.Div(results.AddConst(items-1), affine.Const(items)), 1)}}}
	counts := slices.DeleteFunc([]int64{n.Tree, n.Items}, func(n int64) bool { return n <= 1 })
	if len(counts) == 0 {
		counts = []int64{1}
	}
	return l.launched(g, counts, sc, func(sc *scope) []loop.Stmt {
		t := &team{count: max(1, n.Tree), width: items, shuffle: n.Shuffle}
		if t.width > 1 {
			t.beside = sc.launch.items[len(counts)-1]
		}
		if t.count > 1 {
			t.number = sc.launch.items[0]
		}
		var lets []loop.Stmt
		v := l.newVar("result")
		number := l.bind(&lets, v, affine.Symbol(g.Groups[0].Var.Name).Scale(items).Add(t.beside))
		numbers := l.takenApart(members, totals, v, sc, &lets)
		var exists loop.Expr
		if n, known := results.IsConst(); !known || n%items != 0 {
			exists = l.compare(number, ein.Lt, results)
		}
		each := func(body func(*scope) []loop.Stmt) []loop.Stmt {
			return when(exists, l.pieces(members, cuts, numbers, sc, sc.asItem(), body), nil)
		}
		return append(lets, l.combineParts(n, a, parts, elements, t, sc, each)...)
	})
}

// combineParts combines the parts of one result by a team of items; each makes what is done for the result of an item.
func (l *lowerer) combineParts(n *schedule.Accumulate, a *accumulator, parts affine.Expr, elements int64, t *team, sc *scope, each func(func(*scope) []loop.Stmt) []loop.Stmt) []loop.Stmt {
	own := l.ownAccumulator(a, 1)
	v := l.newVar("part")
	part := *a
	part.kept, part.chunk = nil, affine.Symbol(v.Name).Scale(elements)
	body := l.initialise(own.buffers, a.op)
	body = append(body, each(func(at *scope) []loop.Stmt {
		x := l.context(n.Statement, at)
		values := part.read(x)
		sum := slices.Concat(x.before, l.update(own, n.Statement, at, values))
		return []loop.Stmt{&loop.For{Var: v, Lo: l.toLoop(t.number, 1), Hi: l.toLoop(parts, 1), Step: t.count, Kind: loop.Serial, Body: sum}}
	})...)
	body = append(body, l.combinedByTeam(own, t, sc)...)
	body = append(body, when(t.first(l), each(func(at *scope) []loop.Stmt {
		return l.delivered(n.Statement, at, l.finish(own, at))
	}), nil)...)
	return allocated(own, body)
}
