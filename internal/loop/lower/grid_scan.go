package lower

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How grids scan
//
// Each item has what it carries, for a piece at a time. In a round it first totals its piece; then the items of a team scan these totals
// together, so that each has what is carried into its piece from the others, and goes through it again, for the prefixes. What all
// have together is carried into the next round. Pieces of groups are those of an outer scan: a launch leaves their totals in the workspace,
// one scans these by teams of items, and one starts with what it finds there.

// scanByItems lowers the carries of a scan in local memory, right above loops over items.
func (l *lowerer) scanByItems(n *schedule.Accumulate, sc *scope) []loop.Stmt {
	t, inner, exists := l.teamOf(n, sc)
	if t == nil {
		return nil
	}
	index, op, _ := ein.ScanOperator(l.f.Body[n.Statement])
	like, elements := l.ofItem(n, op, inner)
	s := &scanned{l: l, team: t, own: l.ownAccumulator(like, elements), sum: l.ownAccumulator(like, elements), carry: l.ownAccumulator(like, elements)}
	over := func(body func(x *context) []loop.Stmt) []loop.Stmt {
		return when(exists, l.overBlock(s.own, "", 1, inner, func(at *scope) []loop.Stmt {
			x := l.context(n.Statement, at)
			return append(x.before, body(x)...)
		}), nil)
	}
	body := l.initialise(s.carry.buffers, op)
	parent := sc.accumulator(n.Statement)
	if parent != nil && !sc.totals {
		body = append(body, over(func(x *context) []loop.Stmt { return s.carry.store(x, parent.read(x)) })...)
	}
	round, pass := l.piecesOfItems(n, index, s.own, sc)
	each := append(s.start(), pass(true)...)
	each = append(each, s.together(sc)...)
	if !sc.totals {
		each = append(append(each, s.carriedIn()...), pass(false)...)
	}
	each = append(each, s.carriedOn()...)
	if round != nil {
		round.Body = append(s.barrierBetween(), each...)
		each = []loop.Stmt{round}
	}
	body = append(body, each...)
	if parent != nil && sc.totals {
		body = append(body, when(t.first(l), over(func(x *context) []loop.Stmt { return parent.store(x, s.carry.read(x)) }), nil)...)
	}
	return together(s.allocated(body))
}

// piecesOfItems is what the items of a group do for their pieces of a round, if it is one of several the loop over rounds, and once for
// totals and once for prefixes.
func (l *lowerer) piecesOfItems(n *schedule.Accumulate, index *ein.Index, own *accumulator, sc *scope) (round *loop.For, pass func(totals bool) []loop.Stmt) {
	axes, b := schedule.PartsByItems(n), n.Child.(*schedule.Band)
	rest := b.Members[len(axes):]
	cuts, totals := l.cutAll(axes, rest, b.Child, sc)
	numbers := make([]affine.Expr, len(axes))
	var exists loop.Expr
	for k, m := range axes {
		loops, test := (*loop.For)(nil), loop.Expr(nil)
		if numbers[k], loops, test = l.turns(m, sc.launch.items[k], totals[k], l.mostIterations(m, cuts[k], sc), sc); loops != nil {
			round = loops // over results there are none
		}
		exists = both(exists, test)
	}
	return round, func(totals bool) []loop.Stmt {
		within := *sc.asItem().withAccumulator(n.Statement, own)
		within.totals, within.apart = totals, true
		return when(exists, l.pieces(axes, cuts, numbers, sc, &within, func(sc *scope) []loop.Stmt {
			return l.nest(rest, b.Child, sc, func(sc *scope) []loop.Stmt { return l.node(b.Child, sc) })
		}), nil)
	}
}

// scanByGroups lowers the carries of a scan in the workspace, right above groups.
func (l *lowerer) scanByGroups(n *schedule.Accumulate, sc *scope) []loop.Stmt {
	_, op, _ := ein.ScanOperator(l.f.Body[n.Statement])
	p := l.partsOf(n, op, carryName, sc)
	totals, prefixes := *sc.withAccumulator(n.Statement, p.accumulator), *sc.withAccumulator(n.Statement, p.accumulator)
	totals.totals = true
	return append(append(p.pass(&totals), p.behind(sc, p.scan)...), p.pass(&prefixes)...)
}

// scan leaves in the parts of one result what is carried into each.
func (p *groupParts) scan(t *team, sc *scope, each forResult) []loop.Stmt {
	l := p.l
	s := &scanned{l: l, team: t, own: l.ownAccumulator(p.accumulator, 1), sum: l.ownAccumulator(p.accumulator, 1), carry: l.ownAccumulator(p.accumulator, 1)}
	v := l.newVar("round")
	number := affine.Symbol(v.Name).Scale(t.count).Add(t.number)
	there := func(body func(x *context, part *accumulator) []loop.Stmt) []loop.Stmt {
		return when(l.compare(number, ein.Lt, p.count), each(func(at *scope) []loop.Stmt {
			x := l.context(p.node.Statement, at)
			return append(x.before, body(x, p.part(number))...)
		}), nil)
	}
	f := &loop.For{Var: v, Lo: int64Const(0), Hi: l.toLoop(affine.Div(p.count.AddConst(t.count-1), affine.Const(t.count)), 1), Step: 1, Kind: loop.Serial}
	if n, known := p.count.IsConst(); !known || n > t.count {
		f.Body = s.barrierBetween()
	}
	f.Body = append(f.Body, s.start()...)
	f.Body = append(f.Body, there(func(x *context, part *accumulator) []loop.Stmt { return s.own.store(x, part.read(x)) })...)
	f.Body = append(append(f.Body, s.together(sc)...), s.carriedIn()...)
	f.Body = append(f.Body, there(func(x *context, part *accumulator) []loop.Stmt { return part.store(x, s.own.read(x)) })...)
	f.Body = append(f.Body, s.carriedOn()...)
	return s.allocated(append(l.initialise(s.carry.buffers, s.own.op), f))
}

// A scanned has the accumulators of an item of a team that scans: its own piece, then what is carried into that from the others in the
// same round; the sum of all in the round; and what is carried into the round.
type scanned struct {
	*team
	l               *lowerer
	own, sum, carry *accumulator
}

// allocated is what is done while the accumulators are there.
func (s *scanned) allocated(body []loop.Stmt) []loop.Stmt {
	return allocated(s.carry, allocated(s.sum, allocated(s.own, body)))
}

// start makes an empty piece of the item's own.
func (s *scanned) start() []loop.Stmt { return s.l.initialise(s.own.buffers, s.own.op) }

// each does something for each element.
func (s *scanned) each(body func(e affine.Expr) []loop.Stmt) []loop.Stmt {
	return s.l.eachElement(s.own.buffers[0].Length, body)
}

func (s *scanned) load(a *accumulator, e affine.Expr) []loop.Expr { return loadsOf(s.l, a.buffers, e) }

// carriedIn puts what is carried into the round before what is carried into the piece.
func (s *scanned) carriedIn() []loop.Stmt {
	return s.each(func(e affine.Expr) []loop.Stmt { return s.l.joinedTo(s.own, e, s.load(s.carry, e), s.load(s.own, e)) })
}

// carriedOn adds the round to what is carried.
func (s *scanned) carriedOn() []loop.Stmt {
	return s.each(func(e affine.Expr) []loop.Stmt { return s.l.joinedFrom(s.carry, e, s.load(s.sum, e)) })
}

// barrierBetween is what stands between rounds, where what one has read the next one writes.
func (s *scanned) barrierBetween() []loop.Stmt {
	steps := 0
	for by := int64(1); by < s.count; by *= 2 {
		steps++
	}
	if s.count > 1 && s.shuffle == 0 && steps%2 == 0 || s.shuffle > 0 && s.count > s.shuffle {
		return []loop.Stmt{&loop.Barrier{}}
	}
	return nil
}

// together turns what each item has into what the items before it have, and sums all.
func (s *scanned) together(sc *scope) []loop.Stmt {
	l, own, sum := s.l, s.own, s.sum
	if s.count == 1 {
		return append(s.each(func(e affine.Expr) []loop.Stmt { return l.moved(sum.buffers, e, own.buffers, e) }), s.start()...)
	}
	if s.shuffle > 0 {
		sc.launch.grid.Width = s.shuffle
		return s.bySubGroups(sc)
	}
	sides := [2]parts{l.sharedParts(own, s.team, s.count, sc), l.sharedParts(own, s.team, s.count, sc)}
	side := 0
	body := sides[side].put(l, own, s.number)
	for by := int64(1); by < s.count; by *= 2 {
		from := sides[side]
		body = append(body, &loop.Barrier{})
		body = append(body, when(l.compare(s.number, ein.Ge, affine.Const(by)), s.each(func(e affine.Expr) []loop.Stmt {
			return l.joinedTo(own, e, loadsOf(l, from.buffers, from.at(s.number.AddConst(-by)).Add(e)), s.load(own, e))
		}), nil)...)
		side = 1 - side
		body = append(body, sides[side].put(l, own, s.number)...)
	}
	from := sides[side]
	fetch := func(to *accumulator, number affine.Expr) []loop.Stmt {
		return s.each(func(e affine.Expr) []loop.Stmt { return l.moved(to.buffers, e, from.buffers, from.at(number).Add(e)) })
	}
	body = append(body, &loop.Barrier{})
	body = append(append(body, fetch(sum, affine.Const(s.count-1))...), s.start()...)
	return append(body, when(l.compare(s.number, ein.Ge, affine.Const(1)), fetch(own, s.number.AddConst(-1)), nil)...)
}

// bySubGroups is together where there are sub-groups: in step k items that differ in bit k have the sums of 2^k items before and behind.
func (s *scanned) bySubGroups(sc *scope) []loop.Stmt {
	l, own, sum, w := s.l, s.own, s.sum, s.shuffle
	body := append(s.each(func(e affine.Expr) []loop.Stmt { return l.moved(sum.buffers, e, own.buffers, e) }), s.start()...)
	for by := int64(1); by < min(w, s.count); by *= 2 {
		body = append(body, s.each(func(e affine.Expr) []loop.Stmt {
			list, other := l.fromOther(sum, e, by)
			second := l.compare(affine.Rem(affine.Div(s.number, affine.Const(by)), affine.Const(2)), ein.Ge, affine.Const(1))
			before := append(l.joinedTo(own, e, other, s.load(own, e)), l.joinedTo(sum, e, other, s.load(sum, e))...)
			return append(list, when(second, before, l.joinedFrom(sum, e, other))...)
		})...)
	}
	number := s.count / w
	if number <= 1 {
		return body
	}
	shared, mine := l.sharedParts(own, s.team, number, sc), affine.Div(s.number, affine.Const(w))
	body = append(body, when(l.compare(affine.Rem(s.number, affine.Const(w)), ein.Lt, affine.Const(1)), shared.put(l, sum, mine), nil)...)
	body = append(append(body, &loop.Barrier{}), l.initialise(sum.buffers, sum.op)...)
	v := l.newVar("part")
	at := affine.Symbol(v.Name)
	f := &loop.For{Var: v, Lo: int64Const(0), Hi: int64Const(number), Step: 1, Kind: loop.Serial}
	f.Body = s.each(func(e affine.Expr) []loop.Stmt {
		here := &loop.Binary{Op: ein.Eq, X: l.toLoop(mine, 1), Y: l.toLoop(at, 1)}
		list := when(here, l.joinedTo(own, e, s.load(sum, e), s.load(own, e)), nil)
		return append(list, l.joinedFrom(sum, e, loadsOf(l, shared.buffers, shared.at(at).Add(e)))...)
	})
	return append(body, f)
}
