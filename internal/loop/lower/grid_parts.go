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
	op, _ := ein.ReductionOperator(l.f.Body[n.Statement])
	p := l.partsOf(n, l.withIdentity(op), accumulatorName, sc)
	return append(p.pass(sc.withAccumulator(n.Statement, p.accumulator)), p.behind(sc, p.combine)...)
}

// groupParts are the accumulators of groups, in the workspace.
type groupParts struct {
	*accumulator
	l        *lowerer
	node     *schedule.Accumulate
	count    affine.Expr // of parts of a result
	elements int64       // of a part
}

// partsOf makes room for the parts of groups.
func (l *lowerer) partsOf(n *schedule.Accumulate, op *ein.Operator, name func(*ein.Comprehension, int) string, sc *scope) *groupParts {
	axes, rest, below, _ := schedule.PartsByGroups(n)
	c := l.f.Body[n.Statement]
	a := &accumulator{statement: n.Statement, op: op, units: 1, once: true}
	p := &groupParts{accumulator: a, l: l, node: n, count: affine.Const(1)}
	p.elements = l.dimensions(a, c, "", 1, sc)
	a.lanes = 1
	cuts, totals := l.cutAll(axes, rest, below, sc)
	room := affine.Const(p.elements)
	for k, m := range slices.Backward(axes) {
		if lp, _ := m.IndexOf(n.Statement); l.index(point{n.Statement, lp.Index}).Combine.Kind == ein.Concat {
			continue
		}
		a.kept = append(a.kept, partialDim{member: m, stride: p.count.Scale(p.elements)})
		p.count = p.count.Mul(totals[k])
		room = room.Mul(l.mostPieces(m, cuts[k], totals[k], sc))
	}
	for k, t := range a.op.Types() {
		a.buffers = append(a.buffers, l.array(name(c, k)+"s", t.Compute(), room))
	}
	return p
}

// pass makes the launch of the groups.
func (p *groupParts) pass(sc *scope) []loop.Stmt {
	b := p.node.Child.(*schedule.Band)
	return p.l.nest(b.Members, b.Child, sc, func(sc *scope) []loop.Stmt { return p.l.node(b.Child, sc) })
}

// part is the accumulators of one part.
func (p *groupParts) part(number affine.Expr) *accumulator {
	a := *p.accumulator
	a.kept, a.chunk = nil, number.Scale(p.elements)
	return &a
}

// A forResult makes what is done for the result of the present item, if there is one.
type forResult func(body func(*scope) []loop.Stmt) []loop.Stmt

// behind makes a launch in which teams of items go through the parts of each result.
func (p *groupParts) behind(sc *scope, body func(*team, *scope, forResult) []loop.Stmt) []loop.Stmt {
	l, n := p.l, p.node
	var members []*schedule.Member
	for _, d := range p.dims {
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
	return l.launched(g, counts, nil, sc, func(sc *scope) []loop.Stmt {
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
		return append(lets, body(t, sc, func(body func(*scope) []loop.Stmt) []loop.Stmt {
			return when(exists, l.pieces(members, cuts, numbers, sc, sc.asItem(), body), nil)
		})...)
	})
}

// combine combines the parts of one result.
func (p *groupParts) combine(t *team, sc *scope, each forResult) []loop.Stmt {
	l, s := p.l, p.node.Statement
	own := l.ownAccumulator(p.accumulator, 1)
	v := l.newVar("part")
	body := l.initialise(own.buffers, own.op)
	body = append(body, each(func(at *scope) []loop.Stmt {
		x := l.context(s, at)
		values := p.part(affine.Symbol(v.Name)).read(x)
		sum := slices.Concat(x.before, l.update(own, s, at, values))
		return []loop.Stmt{&loop.For{Var: v, Lo: l.toLoop(t.number, 1), Hi: l.toLoop(p.count, 1), Step: t.count, Kind: loop.Serial, Body: sum}}
	})...)
	body = append(body, l.combinedByTeam(own, t, sc)...)
	body = append(body, when(t.first(l), each(func(at *scope) []loop.Stmt {
		return l.delivered(s, at, l.finish(own, at))
	}), nil)...)
	return allocated(own, body)
}
