package lower

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How trees with groups are lowered
//
// The walk is that of all trees; what is around groups becomes code of the host, members that are groups the axes of a Grid, and
// members over items their turns: iteration i of such a loop is that of item i mod n. What is in a group, and not in an item, the
// first item does; what is in no group is a grid of one item. In a group there is a barrier before all that items do, but for
// the first time: so whatever comes later sees what came before. Nothing is decided here.

// A launch is the grid around.
type launch struct {
	grid   *loop.Grid
	items  []affine.Expr // the number of the present item along each axis of the tree
	counts []int64
	blocks map[point]block                  // around the loops over items that the present item is in
	local  map[*schedule.Place]*loop.Buffer // of places
	lane   *lane                            // of the present item; nil: there are no fragments
	writes map[*ein.Tensor]bool
	uses   map[*ein.Tensor]int // how many statements read or write a tensor
	waits  bool                // items wait for each other, so that none of them may end by a test
}

// asItem is a scope of what one item does.
func (sc *scope) asItem() *scope {
	c := *sc
	c.inItem = true
	return &c
}

// inLaunch is a scope of what the items of a grid do.
func (sc *scope) inLaunch(at *launch) *scope {
	c := *sc.inParallel()
	c.launch = at
	return &c
}

// aroundItems lowers a subtree of a tree with groups, outside of all items.
func (l *lowerer) aroundItems(n schedule.Node, sc *scope) []loop.Stmt {
	switch {
	case sc.launch == nil && !schedule.HasGrids(n):
		g := &loop.Grid{Groups: []loop.GroupAxis{{Var: l.newVar("g"), Count: int64Const(1)}}}
		return l.launched(g, []int64{1}, nil, sc, func(sc *scope) []loop.Stmt { return l.within(n, sc.asItem()) })
	case sc.launch != nil && !schedule.HasItems(n):
		return together(l.byFirst(sc.launch, l.within(n, sc.asItem())))
	}
	return l.within(n, sc)
}

// together puts the barrier before what the items of a group do, which waits for all that they did before.
func together(body []loop.Stmt) []loop.Stmt {
	if len(body) == 0 {
		return nil
	}
	return append([]loop.Stmt{&loop.Barrier{Global: true}}, withoutFirstBarrier(body)...)
}

// byFirst lets the first item of a group alone do something.
func (l *lowerer) byFirst(at *launch, body []loop.Stmt) []loop.Stmt {
	var first loop.Expr
	for k, n := range at.counts {
		if n > 1 {
			first = both(first, l.compare(at.items[k], ein.Lt, affine.Const(1)))
		}
	}
	return when(first, body, nil)
}

// groups makes a grid of the members that are its axes.
func (l *lowerer) groups(list, rest []*schedule.Member, below schedule.Node, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	cuts, totals := l.cutAll(list, rest, below, sc)
	g := &loop.Grid{}
	numbers := make([]affine.Expr, len(list))
	axes := min(len(list), loop.MostAxes)
	for k := range axes {
		first, end := k+len(list)-axes, k+len(list)-axes+1
		if k == 0 {
			first = 0 // what is more than the axes of devices is one of them
		}
		v := l.indexVar(list[end-1], sc, "_g")
		g.Groups = append(g.Groups, loop.GroupAxis{Var: v, Count: l.toLoop(product(totals[first:end]), 1)})
		copy(numbers[first:end], l.takenApart(list[first:end], totals[first:end], v, sc, &g.Body))
	}
	l.inStrips(list, totals, numbers, &g.Body)
	items := schedule.ItemsOf(rest, below)
	alone := items == nil
	if alone {
		items = []int64{1}
	}
	return l.launched(g, items, &schedule.Band{Members: rest, Child: below}, sc, func(inner *scope) []loop.Stmt {
		inner.inItem, inner.many = alone, true
		return l.pieces(list, cuts, numbers, sc, inner, func(sc *scope) []loop.Stmt { return l.nest(rest, below, sc, body) })
	})
}

// cutAll cuts the blocks of concurrent members, and counts the pieces of each.
func (l *lowerer) cutAll(list, rest []*schedule.Member, below schedule.Node, sc *scope) (cuts [][]segment, totals []affine.Expr) {
	cuts, totals = make([][]segment, len(list)), make([]affine.Expr, len(list))
	for i, m := range list {
		cuts[i] = l.cutParallel(m, append(list[i+1:len(list):len(list)], rest...), below, sc)
		for _, seg := range cuts[i] {
			totals[i] = totals[i].Add(seg.count)
		}
	}
	return cuts, totals
}

// launched makes a grid with the items of the tree around what body makes.
func (l *lowerer) launched(g *loop.Grid, counts []int64, below schedule.Node, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	at := &launch{grid: g, local: map[*schedule.Place]*loop.Buffer{}, counts: counts, items: make([]affine.Expr, len(counts)), writes: map[*ein.Tensor]bool{}, uses: map[*ein.Tensor]int{}}
	if b, ok := below.(*schedule.Band); ok {
		at.waits = schedule.ItemsWait(b.Members, b.Child)
	}
	for _, s := range sc.statements {
		for _, w := range l.f.Body[s].Writes {
			at.writes[w.Tensor] = true
		}
		for _, t := range tensorsOf(l.f.Body[s]) {
			at.uses[t]++
		}
	}
	axes := min(len(counts), loop.MostAxes)
	if schedule.HasFragments(below) {
		axes = 0
		l.lanes(at)
	}
	for k := range axes {
		first, end := k+len(counts)-axes, k+len(counts)-axes+1
		if k == 0 {
			first = 0
		}
		v := l.newVar("item")
		n, number := int64(1), affine.Symbol(v.Name)
		for d := end - 1; d >= first; d-- {
			at.items[d] = number
			if d > first {
				at.items[d] = l.bind(&g.Body, l.newVar(fmt.Sprint("item_", d)), affine.Rem(number, affine.Const(counts[d])))
				number = affine.Div(number, affine.Const(counts[d]))
			}
			n *= counts[d]
		}
		g.Items = append(g.Items, loop.ItemAxis{Var: v, Count: n})
	}
	g.Body = append(g.Body, withoutFirstBarrier(body(sc.inLaunch(at)))...)
	return []loop.Stmt{g}
}

// withoutFirstBarrier leaves out the barrier before which nobody has done anything.
func withoutFirstBarrier(body []loop.Stmt) []loop.Stmt {
	for k, s := range body {
		switch s := s.(type) {
		case *loop.Barrier:
			return append(body[:k:k], body[k+1:]...)
		case *loop.If:
			s.Then, s.Else = withoutFirstBarrier(s.Then), withoutFirstBarrier(s.Else)
			return body
		case *loop.Let, *loop.Comment:
		default:
			return body
		}
	}
	return body
}

// items spreads the iterations of members over the items of a group, which wait before for all that was before, unless all of it is
// an item's own.
func (l *lowerer) items(list, rest []*schedule.Member, below schedule.Node, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	if sc.fragments != nil {
		return l.multiplyFragments(sc)
	}
	made := l.overWhole(list, sc, func(sc *scope) []loop.Stmt { return l.overItems(list, rest, below, sc, body) })
	if sc.held || l.isOwn(sc) {
		return made
	}
	return together(made)
}

// overItems spreads the iterations of members over the items of a group.
func (l *lowerer) overItems(list, rest []*schedule.Member, below schedule.Node, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	cuts, totals := l.cutAll(list, rest, below, sc)
	sc.launch.blocks = map[point]block{}
	for _, m := range list {
		for _, lp := range m.Loops {
			p := point{lp.Statement, lp.Index}
			sc.launch.blocks[p] = sc.blocks[p]
		}
	}
	if l.comesTogether(list, below, sc) || l.cutsAlike(list, sc) {
		l.evenly(list, cuts, totals, sc)
	}
	numbers, turns := make([]affine.Expr, len(list)), make([]affine.Expr, len(list))
	rounds := make([]*loop.For, len(list))
	tests := make([]loop.Expr, len(list))
	for k, m := range list {
		numbers[k], rounds[k], tests[k] = l.turns(m, sc.launch.items[k], totals[k], l.mostIterations(m, cuts[k], sc), sc)
		if round := rounds[k]; round != nil {
			turns[k] = affine.Symbol(round.Var.Name)
			if _, known := totals[k].IsConst(); known && (sc.held || sc.sharing) {
				round.Kind = loop.Unrolled // what they hold is in registers
			}
		}
	}
	inner := sc.asItem()
	for k, m := range list { // whether a point exists whose larger block comes further in hangs on the item there
		inner.apart = inner.apart || tests[k] != nil || len(cuts[k]) > 1 || l.levels.Counted(m)
	}
	made := l.pieces(list, cuts, numbers, sc, inner, func(sc *scope) []loop.Stmt { return l.nest(rest, below, sc.owned(list, turns), body) })
	for k := len(list) - 1; k >= 0; k-- {
		made = when(tests[k], made, nil)
		if rounds[k] != nil {
			rounds[k].Body = made
			made = []loop.Stmt{rounds[k]}
		}
	}
	return made
}

// turns says which iterations of a member an item has: their number, the loop over them where there may be several, and where
// there is none. There are at most so many iterations; less than 0: it is not known.
func (l *lowerer) turns(m *schedule.Member, item, total affine.Expr, most int64, sc *scope) (number affine.Expr, round *loop.For, test loop.Expr) {
	n, known := total.IsConst()
	if known {
		most = n
	}
	number = item
	if most < 0 || most > m.Items {
		round = &loop.For{Var: l.indexVar(m, sc, "_r"), Lo: int64Const(0), Hi: l.toLoop(affine.Div(total.AddConst(m.Items-1), affine.Const(m.Items)), 1), Step: 1, Kind: loop.Serial}
		number = affine.Symbol(round.Var.Name).Scale(m.Items).Add(item)
	}
	if !known || n < m.Items || n%m.Items != 0 {
		test = l.compare(number, ein.Lt, total)
	}
	return number, round, test
}

// mostIterations is into how many pieces a member may cut the block around, of which perhaps not all points exist; less than 0: it
// is not known. What is left at the end may be cut into smaller pieces, of which there are several.
func (l *lowerer) mostIterations(m *schedule.Member, cuts []segment, sc *scope) int64 {
	lp := first(m, sc)
	size, known := sc.blocks[point{lp.Statement, lp.Index}].size.IsConst()
	if !known || l.levels.Counted(m) {
		return -1
	}
	most := (size + m.Tile - 1) / m.Tile
	for _, seg := range cuts {
		if !seg.partial && seg.tile > 0 && seg.tile < m.Tile {
			most = max(most, size/m.Tile+(m.Tile-1)/seg.tile)
		}
	}
	return most
}
