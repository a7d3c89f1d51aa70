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
	body = append(body, l.combinedByTeam(own, t, sc)...)
	finish := l.overBlock(own, "", 1, inner, func(at *scope) []loop.Stmt { return l.finish(own, at) })
	finish = when(both(t.first(l), exists), l.delivered(n.Statement, inner, finish), nil)
	if readsWhatItWrites(c) { // as other items have, until here
		finish = together(finish)
	}
	body = append(body, finish...)
	return together(allocated(own, body))
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
