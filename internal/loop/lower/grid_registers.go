package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How items hold accumulators together
//
// Accumulators in registers outside of the loops over items are allocated by every item, which has room for the points that these loops
// give it: in turn t the tile t of its own. Blocks know which of an item's points they begin with (block.own), so that an element
// is found without a division. At the end loops over items of the same shape pass the results on. Nothing in between waits,
// but for places in local memory: what an item adds to is its own.

// accumulateInItems lowers accumulators that the items of a group hold together.
func (l *lowerer) accumulateInItems(n *schedule.Accumulate, op *ein.Operator, sc *scope) []loop.Stmt {
	s, c := n.Statement, l.f.Body[n.Statement]
	a := &accumulator{statement: s, op: op, lanes: 1, units: 1}
	a.axes, _ = schedule.ItemAxes(n.Child)
	vector, w := l.vectorIndex(s, n.Child, sc)
	fragmented, why := schedule.FragmentedBelow(c, n)
	if why != "" {
		l.fail(c.Pos, "fragments of a matrix unit: %s", why)
	}
	innermost := vector
	if fragmented != nil {
		innermost = fragmented.Columns.Loops[0].Index // whose results lie side by side
	}
	if accumulateBelow(s, n.Child) == nil {
		a.accumulateAlong(c, n, vector, w)
	}
	elements := l.dimensions(a, c, innermost, l.whereAligned(n, vector, w), sc)
	region := loop.Private
	if n.Region == schedule.Register && !l.isUneven(n, vector, w) {
		region = loop.Register
	}
	inner := sc.held
	held := *sc
	held.held, held.fragments = true, fragmented
	sc = &held
	a.outside, a.value = l.factors(s, op, sc)
	all, _ := l.keepPartial(a, n, affine.Const(elements)).IsConst()
	l.accumulatorBuffers(a, all, region)
	finish := l.finishExisting(a, sc, func(sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
		return l.overItems(a.axes, nil, nil, sc, func(sc *scope) []loop.Stmt { return l.overBlock(a, vector, w, sc, body) })
	})
	if readsWhatItWrites(c) { // as an item does that has no point, instead of one of another item
		finish = together(finish)
	}
	body := slices.Concat(l.sums(a, n, vector, sc), l.combinePartial(a, elements), l.delivered(s, sc, finish))
	for _, b := range slices.Backward(a.buffers) {
		body = []loop.Stmt{&loop.Alloc{Buffer: b, Body: body}}
	}
	if inner && !placesLocally(n.Child) { // what they add to the outer ones is their own, too
		return body
	}
	return together(body)
}

// finishExisting passes the results on, in loops that over makes, of a block of which perhaps not all points exist.
func (l *lowerer) finishExisting(a *accumulator, sc *scope, over func(*scope, func(*scope) []loop.Stmt) []loop.Stmt) []loop.Stmt {
	all := sc.clone()
	var complete loop.Expr
	for _, d := range a.dims {
		p := point{a.statement, d.index}
		if b := sc.blocks[p]; b.ragged {
			complete = both(complete, l.compare(b.exists, ein.Ge, b.size))
			b.ragged = false
			all.blocks[p] = b
		}
	}
	finish := func(sc *scope) []loop.Stmt {
		return over(sc, func(sc *scope) []loop.Stmt {
			exists, there := l.existing(a, sc)
			return when(exists, l.finish(a, there), nil)
		})
	}
	if complete == nil {
		return finish(sc)
	}
	return when(complete, finish(all), finish(sc.wholly(a)))
}

// existing is the condition that a point of accumulators exists, and a scope where it holds.
func (l *lowerer) existing(a *accumulator, sc *scope) (exists loop.Expr, there *scope) {
	there = sc.clone()
	for _, d := range a.dims {
		p := point{a.statement, d.index}
		if b := sc.blocks[p]; b.ragged && b.lanes < 2 {
			exists = both(exists, l.compare(b.exists, ein.Gt, affine.Const(0)))
			b.ragged = false
			there.blocks[p] = b
		}
	}
	return exists, there
}

// itemsOver is the loop over items that gives an item its points of an index of accumulators; nil: it has all.
func (a *accumulator) itemsOver(index string) *schedule.Member {
	for _, m := range a.axes {
		if l, ok := m.IndexOf(a.statement); ok && l.Index == index {
			return m
		}
	}
	return nil
}

// owned is a scope in which the blocks of members know how many points of them the present item has had before, in turns before
// this one.
func (sc *scope) owned(list []*schedule.Member, turns []affine.Expr) *scope {
	c := sc.clone()
	for k, m := range list {
		for _, lp := range m.Loops {
			p := point{lp.Statement, lp.Index}
			if b, ok := c.blocks[p]; ok {
				b.own = turns[k].Scale(m.Tile).Sub(b.base)
				c.blocks[p] = b
			}
		}
	}
	return c
}
