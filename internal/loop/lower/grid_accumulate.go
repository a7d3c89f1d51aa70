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
// Each item has accumulators of its own, for its iterations. Loops over items that are over what is reduced make a team, which combines
// them (grid_team.go); an item along a loop over results has the points of one of its iterations, so that there are teams beside each
// other. The first item of each team passes the results on.

// accumulateLocally lowers accumulators in local memory, right above the loops over items.
func (l *lowerer) accumulateLocally(n *schedule.Accumulate, sc *scope) []loop.Stmt {
	t, inner, exists := l.teamOf(n, sc)
	if t == nil {
		return nil
	}
	b, c := n.Child.(*schedule.Band), l.f.Body[n.Statement]
	op, _ := ein.ReductionOperator(c)
	own := l.ownAccumulator(l.ofItem(n, l.withIdentity(op), inner))
	body := l.initialise(own.buffers, own.op)
	sums := l.nest(b.Members, b.Child, sc.withAccumulator(n.Statement, own), func(sc *scope) []loop.Stmt { return l.node(b.Child, sc) })
	body = append(body, withoutFirstBarrier(sums)...)
	var finish []loop.Stmt
	if own.buffers[0].Length > 1 && t.shuffle == 0 {
		shared := l.sharedParts(own, t, t.count, sc)
		body = append(append(body, shared.put(l, own, t.number)...), &loop.Barrier{})
		finish = when(exists, l.finishedByTeam(own, shared, inner), nil)
	} else {
		body = append(body, l.combinedByTeam(own, t, sc)...)
		finish = l.overBlock(own, "", 1, inner, func(at *scope) []loop.Stmt { return l.finish(own, at) })
		finish = when(both(t.first(l), exists), l.delivered(n.Statement, inner, finish), nil)
	}
	if readsWhatItWrites(c) { // as other items have, until here
		finish = together(finish)
	}
	body = append(body, finish...)
	return together(allocated(own, body))
}

// finishedByTeam has the items of a team pass on the results of a block in turns: each combines the parts of its own ones.
func (l *lowerer) finishedByTeam(own *accumulator, p parts, sc *scope) []loop.Stmt {
	total := l.ownAccumulator(own, 1)
	return l.inTurns(own, p.team, p.elements, sc, func(at *scope) []loop.Stmt {
		part := l.newVar("part")
		values := loadsOf(l, p.buffers, p.at(affine.Symbol(part.Name)).Add(own.element(at)))
		sum := &loop.For{Var: part, Lo: int64Const(0), Hi: int64Const(p.count), Step: 1, Kind: loop.Serial, Body: l.joinedFrom(total, affine.Expr{}, values)}
		list := append(l.initialise(total.buffers, total.op), sum)
		return allocated(total, append(list, l.delivered(own.statement, at, l.finish(total, at))...))
	})
}

// inTurns has the items of a team do something for each result of a block.
func (l *lowerer) inTurns(own *accumulator, t *team, elements int64, sc *scope, each func(*scope) []loop.Stmt) []loop.Stmt {
	var members []*schedule.Member
	for _, d := range own.dims {
		if !sc.blocks[point{own.statement, d.index}].isPoint() {
			members = append(members, &schedule.Member{Loops: []schedule.Loop{{Statement: own.statement, Index: d.index}}, Tile: 1})
		}
	}
	cuts, totals := l.cutAll(members, nil, nil, sc)
	round, v := &loop.For{Var: l.newVar("r"), Lo: int64Const(0), Hi: int64Const((elements + t.count - 1) / t.count), Step: 1, Kind: loop.Serial}, l.newVar("result")
	var body []loop.Stmt
	number := l.bind(&body, v, affine.Symbol(round.Var.Name).Scale(t.count).Add(t.number))
	numbers := l.takenApart(members, totals, v, sc, &body)
	existing := l.pieces(members, cuts, numbers, sc, sc.asItem(), each)
	round.Body = append(body, when(l.compare(number, ein.Lt, product(totals)), existing, nil)...)
	return []loop.Stmt{round}
}

// ofItem is an accumulator for what one item has, and of how many elements.
func (l *lowerer) ofItem(n *schedule.Accumulate, op *ein.Operator, inner *scope) (like *accumulator, elements int64) {
	like = &accumulator{statement: n.Statement, op: op, units: 1}
	elements = l.dimensions(like, l.f.Body[n.Statement], "", 1, inner)
	like.lanes = 1
	return like, elements
}

// teamOf is the team that the loops over items right below accumulators make, a scope of the results of the present item, and whether
// there are such. The team is nil where there are no results at all.
func (l *lowerer) teamOf(n *schedule.Accumulate, sc *scope) (t *team, inner *scope, exists loop.Expr) {
	t, inner = &team{count: 1, width: 1, shuffle: n.Shuffle}, sc
	for k, m := range schedule.PartsByItems(n) {
		item := sc.launch.items[k]
		if lp, _ := m.IndexOf(n.Statement); l.index(point{n.Statement, lp.Index}).Combine.Kind != ein.Concat {
			t.number, t.count = t.number.Scale(m.Items).Add(item), t.count*m.Items
			continue
		}
		t.beside, t.width = t.beside.Scale(m.Items).Add(item), t.width*m.Items
		cuts := l.cutParallel(m, nil, nil, sc)
		if len(cuts) == 0 {
			return nil, nil, nil
		}
		if n, known := cuts[0].count.IsConst(); !known || n < m.Items {
			exists = both(exists, l.compare(item, ein.Lt, cuts[0].count))
		}
		inner = inner.enter(m, cuts[0], cuts[0].start.Add(item.Scale(cuts[0].tile)), item)
	}
	return t, inner, exists
}

// linear is the number of the present item in its group, and how many there are.
func (at *launch) linear() (number affine.Expr, items int64) {
	items = 1
	if at.lane != nil {
		return at.lane.item, at.lane.items
	}
	for k, n := range at.counts {
		items *= n
		number = number.Scale(n).Add(at.items[k])
	}
	return number, items
}

// readsWhatItWrites reports whether a statement reads a tensor that it writes.
func readsWhatItWrites(c *ein.Comprehension) bool {
	return slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool {
		return slices.ContainsFunc(c.Writes, func(w *ein.Write) bool { return w.Tensor == a.Tensor })
	})
}
