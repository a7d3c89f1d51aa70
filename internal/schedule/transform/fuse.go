package transform

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// fuseOuter is equation (22).
func fuseOuter(c *call) error {
	return c.fuse(func(c *call, above []*level, a, b *node) error {
		return identical(c.f, a.loop, b.loop, c.sameBlocks(above, a, b))
	})
}

// fuse shares the outer loops of two nests that fit each other.
func (c *call) fuse(fit func(c *call, above []*level, a, b *node) error) error {
	for _, s := range statements(c.other) {
		if slices.Contains(statements(c.list), s) {
			return fmt.Errorf("both nests have the statement of %s", written(c.f, s))
		}
	}
	r := c.args[0].Int
	list, other := c.list, c.other
	var above []*level
	for k := int64(1); k <= r; k++ {
		a, err := levelOf(list, 1)
		if err != nil {
			return fmt.Errorf("the first nest has only %s", count(int(k-1), "level"))
		}
		b, err := levelOf(other, 1)
		if err != nil {
			return fmt.Errorf("the second nest has only %s", count(int(k-1), "level"))
		}
		if a.loop.once != b.loop.once { // as one that has one iteration, if it can be
			c.makeOnce(a)
			c.makeOnce(b)
		}
		if err := fit(c, above, a, b); err != nil {
			return fmt.Errorf("at level %d: %w", k, err)
		}
		if a, err = withPlaces(a, places(list), places(other)); err != nil {
			return fmt.Errorf("at level %d: %w", k, err)
		}
		a.loop.join(b.loop, c.step)
		slices.SortStableFunc(a.loop.Loops, func(x, y schedule.Loop) int { return singlesLast(x) - singlesLast(y) })
		above = append(above, a.loop)
		if k == r {
			a.body = append(a.body, b.body...)
		}
		list, other = a.body, b.body
	}
	return nil
}

// makeOnce marks a loop that has one iteration, since a block is as large as the range, or the range
// has one value, as one that enumerates nothing; the statements inside do the rest.
func (c *call) makeOnce(n *node) {
	if !n.loop.once && !n.loop.Pad && c.isSingle(n.loop) {
		n.body, n.loop.once = singly(n.loop, n.body), true
	}
}

// places lists the places above the first level of a list.
func places(list []*node) (all []*node) {
	for len(list) == 1 && list[0].between != nil {
		if _, ok := list[0].between.(*schedule.Place); ok {
			all = append(all, list[0])
		}
		list = list[0].body
	}
	return all
}

// withPlaces puts places of another nest above a loop that both share, but for those
// that are there; it returns where the loop is then.
func withPlaces(n *node, own, others []*node) (*node, error) {
	for _, other := range others {
		p := other.between.(*schedule.Place)
		k := slices.IndexFunc(own, func(o *node) bool { return o.between.(*schedule.Place).Tensor == p.Tensor })
		switch {
		case k < 0:
			loop := *n
			*n = node{between: p, origin: other.origin, body: []*node{&loop}}
			n = &loop
		case !samePlace(own[k].between.(*schedule.Place), p):
			return nil, fmt.Errorf("both nests have a place for %s, and not the same one; promote or pack it behind the fusion", p.Tensor)
		}
	}
	return n, nil
}

func samePlace(p, q *schedule.Place) bool {
	return p.Tensor == q.Tensor && p.Region == q.Region && slices.Equal(p.Layout, q.Layout)
}

// singlesLast orders loops so that coordinates of one value, which say little of a loop, come last.
func singlesLast(l schedule.Loop) int {
	if schedule.IsSingle(l.Index) {
		return 1
	}
	return 0
}

// identical reports why two loops do not have one iterator: iterators are identified
// with their ranges, and with what is attached to them.
func identical(f *ein.Func, a, b *level, blocks error) error {
	x, y := indexOf(f, a.Loops[0]), indexOf(f, b.Loops[0])
	text := func(i *ein.Index, l *level) string {
		first := i.Min.AddConst(l.Loops[0].Shift)
		t := fmt.Sprintf("%s from %s to %s", l.name, first, first.Add(i.Extent).AddConst(-1))
		if l.Tile > 1 {
			t += fmt.Sprintf(" by blocks of %d", l.Tile)
		}
		return t
	}
	switch err := sameOrder(a, b); {
	case a.once != b.once:
		return fmt.Errorf("of the loops %s and %s one has one iteration, from 0 to 0, and the other more; fuse_union shares loops whose ranges differ", a.name, b.name)
	case err != nil:
		return err
	}
	if a.once { // and so is b: there is one iteration
		return nil
	}
	if !x.Min.AddConst(a.Loops[0].Shift).Equal(y.Min.AddConst(b.Loops[0].Shift)) || !x.Extent.Equal(y.Extent) || a.Tile != b.Tile || !sameSkew(f, a.Loops[0], b.Loops[0]) {
		return fmt.Errorf("the loops are not identical: one is %s, the other %s", text(x, a), text(y, b))
	}
	return blocks
}

// sameBlocks reports why two loops, which are in blocks of others or not, do not count alike.
func sameBlocks(a, b, aroundA, aroundB *level) error {
	if aroundA == aroundB {
		return nil
	}
	text := func(l, around *level) string {
		if around == nil {
			return l.name + " counts in its whole range"
		}
		return fmt.Sprintf("%s counts in blocks of %d, those of %s", l.name, around.Tile, around.name)
	}
	return fmt.Errorf("the loops are not identical: %s, %s", text(a, aroundA), text(b, aroundB))
}

// sameSkew reports whether two loops are skewed alike.
func sameSkew(f *ein.Func, a, b schedule.Loop) bool {
	return slices.EqualFunc(a.By, b.By, func(s, t schedule.Term) bool {
		x, y := indexOf(f, schedule.Loop{Statement: a.Statement, Index: s.Index}), indexOf(f, schedule.Loop{Statement: b.Statement, Index: t.Index})
		return s.Factor == t.Factor && x.Min.Equal(y.Min) && x.Extent.Equal(y.Extent)
	})
}

// sameOrder reports why two loops do not run in one order.
func sameOrder(a, b *level) error {
	switch {
	case a.Reverse != b.Reverse:
		return fmt.Errorf("of the loops %s and %s one is reversed, the other not", a.name, b.name)
	case len(a.Skews) > 0 || len(b.Skews) > 0:
		return fmt.Errorf("of the loops %s and %s one runs along diagonals of blocks; fuse first, and skew then", a.name, b.name)
	}
	return nil
}

// fuseInner is equation (23). The copies of a loop that is written out are side by
// side, so it moves inwards.
func fuseInner(c *call) error {
	var above []*level
	list, put := c.list, func(list []*node) { c.list = list }
	if r := c.args[0].Int; r > 1 {
		outer, err := levelOf(c.list, r-1)
		if err != nil {
			return err
		}
		list, put = outer.body, func(list []*node) { outer.body = list }
		for _, n := range chain(c.list)[:r-1] {
			above = append(above, n.loop)
		}
	}
	for len(list) == 1 && list[0].between != nil {
		between := list[0]
		list, put = between.body, func(list []*node) { between.body = list }
	}
	shared, body, err := c.peel(above, list)
	if err != nil {
		return err
	}
	put([]*node{{loop: shared, body: body}})
	return nil
}

// peel takes the first loop off all nodes of a list, which have to have the same one.
func (c *call) peel(above []*level, list []*node) (shared *level, body []*node, err error) {
	var blocks *level // around the shared one
	for _, n := range list {
		var own *level
		rest := n.body
		switch {
		case n.between != nil:
			return nil, nil, fmt.Errorf("a place or accumulate stands between the loops")
		case n.loop == nil:
			return nil, nil, fmt.Errorf("the statement of %s has no loop at this level", written(c.f, statements([]*node{n})[0]))
		case !n.loop.Unroll:
			own = n.loop
		default:
			if own, rest, err = c.peel(above, n.body); err != nil {
				return nil, nil, err
			}
			if slices.ContainsFunc(own.Loops, func(l schedule.Loop) bool { return n.loop.over(l) }) {
				return nil, nil, fmt.Errorf("the copies of %s are not identical: their ranges depend on %s, which is written out", own.name, n.loop.name)
			}
			rest = []*node{{loop: n.loop, body: rest}}
		}
		outer := around(c.f, above, &node{loop: own, body: rest})
		if shared == nil {
			shared, blocks = own, outer
		} else if err := identical(c.f, shared, own, sameBlocks(shared, own, blocks, outer)); err != nil {
			return nil, nil, err
		} else {
			shared.join(own, c.step)
		}
		body = append(body, rest...)
	}
	return shared, body, nil
}
