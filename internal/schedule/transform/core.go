package transform

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// maxLoops is how many loops a nest may have that are cut into blocks.
const maxLoops = 96

// limit refuses to add loops to a nest that has very many.
func (c *call) limit(added int) error {
	if n := len(levelsIn(c.list)) + added; n > maxLoops {
		return fmt.Errorf("the nest would have %d loops, and at most %d are cut into blocks; does every recursion come to an end?", n, maxLoops)
	}
	return nil
}

// stripmine is equation (20), with the last block cut off where v does not divide
// the number of iterations. A parallel loop stays parallel over its blocks, a vector
// one keeps its vectors inside.
func stripmine(c *call) error {
	n, err := c.level(0)
	if err != nil {
		return err
	}
	v := c.args[1].Int
	if err := atLeastOne(v); err != nil {
		return err
	}
	if err := c.limit(1); err != nil {
		return err
	}
	if err := uncounted(c.list, n.loop); err != nil {
		return err
	}
	inner, block := *n.loop, *n.loop
	inner.Loops, inner.Parallel = cloneLoops(n.loop.Loops), false
	block.unmark(vectorMark)
	block.Tile = n.loop.Tile * v
	if around := aroundOf(levelsIn(c.list), n.loop); around != nil && around.Tile <= block.Tile {
		block.once, block.Tile = true, around.Tile // there is one block
	}
	inner.once = inner.once || v == 1
	const largest = 1 << 31 // of a tile in the text of a schedule
	if block.Tile >= largest || v >= largest {
		return fmt.Errorf("blocks of %d are too large", v)
	}
	block.name = freshBlock(c.list, block.name)
	n.loop, n.body = &block, []*node{{loop: &inner, body: n.body}}
	return nil
}

// freshBlock names a loop over blocks: a prime more than the loop that is cut, and more
// where nodes have that name.
func freshBlock(list []*node, name string) string {
	for name += "'"; hasName(list, name); {
		name += "'"
	}
	return name
}

func hasName(list []*node, name string) bool {
	return slices.ContainsFunc(list, func(n *node) bool { return n.loop != nil && n.loop.name == name || hasName(n.body, name) })
}

// uncounted reports that a loop is skewed by blocks, or another one by it: what they count
// are its iterations as they are.
func uncounted(list []*node, l *level) error {
	if len(l.Skews) > 0 {
		return fmt.Errorf("%s runs along diagonals of blocks; stripmine first, and skew then", l.name)
	}
	if skewedBy(levelsIn(list), l) {
		return fmt.Errorf("another loop is skewed by the blocks of %s; stripmine first, and skew then", l.name)
	}
	return nil
}

// levelsIn lists all loops of a list of nodes.
func levelsIn(list []*node) []*level {
	var levels []*level
	for _, n := range list {
		if n.loop != nil {
			levels = append(levels, n.loop)
		}
		levels = append(levels, levelsIn(n.body)...)
	}
	return levels
}

// aroundOf returns the loop in whose blocks a loop counts its own, nil for a whole index.
func aroundOf(levels []*level, l *level) (around *level) {
	for _, o := range levels {
		if !o.once && o.over(l.Loops[0]) && o.Tile > l.Tile && (around == nil || o.Tile < around.Tile) {
			around = o
		}
	}
	return around
}

// around is aroundOf for the loop of a node below others; blocks further in as large as the range
// are none.
func around(f *ein.Func, above []*level, n *node) *level {
	inside := slices.DeleteFunc(levelsIn(n.body), func(l *level) bool {
		size, known := indexOf(f, l.Loops[0]).Extent.IsConst()
		return known && size <= l.Tile
	})
	return aroundOf(append(slices.Clip(above), inside...), n.loop)
}

// sameBlocks reports why the loops of two nodes below others do not count in the same blocks.
func (c *call) sameBlocks(above []*level, a, b *node) error {
	return sameBlocks(a.loop, b.loop, around(c.f, above, a), around(c.f, above, b))
}

// over reports whether a loop is over the index of another one.
func (l *level) over(o schedule.Loop) bool {
	own, ok := l.IndexOf(o.Statement)
	return ok && own.Index == o.Index
}

// interchange is equation (21). Loops over blocks count them in the larger block around,
// wherever the loop over that is, so that they may stand in any order.
func interchange(c *call) error {
	if c.args[0].Int >= c.args[1].Int {
		return fmt.Errorf("the first level must be smaller than the second")
	}
	a, err := c.level(0)
	if err != nil {
		return err
	}
	b, err := c.level(1)
	if err != nil {
		return err
	}
	a.loop, b.loop = b.loop, a.loop
	return nil
}

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

func indexOf(f *ein.Func, l schedule.Loop) *ein.Index {
	indices := f.Body[l.Statement].Indices
	k := slices.IndexFunc(indices, func(i *ein.Index) bool { return i.Name == l.Index })
	if k < 0 {
		return schedule.SingleIndex(l.Index)
	}
	return indices[k]
}

// written names a statement by what it assigns.
func written(f *ein.Func, s int) string { return f.Body[s].Writes[0].Tensor.Name }

// Which names a statement as build takes it: with its number where several assign one
// tensor.
func Which(f *ein.Func, s int) string {
	var same []int
	for k := range f.Body {
		if written(f, k) == written(f, s) {
			same = append(same, k)
		}
	}
	if len(same) == 1 {
		return written(f, s)
	}
	return fmt.Sprintf("%s, %d", written(f, s), slices.Index(same, s)+1)
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

// maxCopies is how many copies of a body unroll may make.
const maxCopies = 1 << 12

// unroll is equations (24) and (25): k = (e - b) / s + 1 copies of the body, with s·j + b for the
// iterator in copy j. The nest keeps one copy, in a loop that is marked; lowering makes the
// others. The number k has to be known; a last block that is smaller is written out on its own.
func unroll(c *call) error {
	n, err := c.level(0)
	if err != nil {
		return err
	}
	if n.loop.Vector != 0 {
		return fmt.Errorf("the iterations of %s are the lanes of vectors; unroll the loop over its blocks", n.loop.name)
	}
	trips, known := tripCount(c.f, levelsIn(c.list), n.loop)
	switch {
	case !known:
		return fmt.Errorf("the number of iterations of %s is not a constant: %s; give the sizes or stripmine it first", n.loop.name, indexOf(c.f, n.loop.Loops[0]).Extent)
	case trips > maxCopies:
		return fmt.Errorf("%s has %d iterations, and at most %d are written out; stripmine it first", n.loop.name, trips, maxCopies)
	}
	n.loop.Unroll, n.loop.Parallel = true, false
	if copies := mostCopies(c.f, levelsIn(c.list), c.list); copies > maxCopies {
		return fmt.Errorf("with the other loops that are written out there would be at least %d copies of a statement, and at most %d are made; leave one of them a loop, or stripmine it first", copies, maxCopies)
	}
	if c.isSingle(n.loop) {
		c.list = replaced(c.list, n, singly(n.loop, n.body))
	}
	return nil
}

// mostCopies is how often a statement is written out at most, or more than maxCopies.
func mostCopies(f *ein.Func, levels []*level, list []*node) (most int64) {
	for _, n := range list {
		copies := max(1, mostCopies(f, levels, n.body))
		if n.loop != nil && n.loop.Unroll && copies <= maxCopies {
			trips, _ := tripCount(f, levels, n.loop)
			copies *= max(1, trips)
		}
		most = max(most, copies)
	}
	return most
}

// isSingle reports whether a loop has one iteration, for each of its statements. What is
// written out then is no other than its body.
func (c *call) isSingle(l *level) bool {
	if l.once {
		return true
	}
	first := indexOf(c.f, l.Loops[0])
	return !skewedBy(levelsIn(c.list), l) && len(l.Skews) == 0 && !slices.ContainsFunc(l.Loops, func(lp schedule.Loop) bool {
		i := indexOf(c.f, lp)
		n, known := i.Extent.IsConst()
		return !known || n < 1 || n > l.Tile || len(lp.By) > 0 || !i.Extent.Equal(first.Extent) || !i.Min.AddConst(lp.Shift).Equal(first.Min.AddConst(l.Loops[0].Shift))
	})
}

// replaced puts nodes in the place of one.
func replaced(list []*node, n *node, with []*node) []*node {
	if k := slices.Index(list, n); k >= 0 {
		return slices.Replace(slices.Clone(list), k, k+1, with...)
	}
	for _, o := range list {
		o.body = replaced(o.body, n, with)
	}
	return list
}

// singly returns a body whose statements have the one iteration of a loop around them: no
// loop stands between its levels and those of what is around. One over blocks is left out.
func singly(l *level, body []*node) []*node {
	if l.once || l.Tile > 1 {
		return body
	}
	return aroundStatements(l, body)
}

// aroundStatements puts a loop directly around each statement of a body.
func aroundStatements(l *level, body []*node) []*node {
	var out []*node
	for _, n := range body {
		if n.isStatement() {
			own := *l
			at := slices.IndexFunc(l.Loops, func(lp schedule.Loop) bool { return lp.Statement == n.statement })
			own.Loops, own.single = cloneLoops(l.Loops[at:at+1]), true
			n = &node{loop: &own, body: []*node{n}}
		} else {
			n.body = aroundStatements(l, n.body)
		}
		out = append(out, n)
	}
	return out
}

// tripCount is the largest number of iterations of a loop.
func tripCount(f *ein.Func, levels []*level, l *level) (int64, bool) {
	if l.once {
		return 1, true
	}
	block := indexOf(f, l.Loops[0]).Extent
	if around := aroundOf(levels, l); around != nil {
		block = affine.Const(around.Tile)
	}
	size, known := block.IsConst()
	if extent, ok := indexOf(f, l.Loops[0]).Extent.IsConst(); ok && known {
		size = min(size, extent)
	}
	return (max(size, 0) + l.Tile - 1) / l.Tile, known && len(l.Skews) == 0
}

// parallelize marks a loop.
func parallelize(c *call) error {
	n, err := c.level(0)
	if err != nil {
		return err
	}
	n.loop.Parallel = true
	n.loop.mark(parallelMark, c.step)
	return nil
}

// vectorize marks a loop over points.
func vectorize(c *call) error {
	n, err := c.level(0)
	if err != nil {
		return err
	}
	lanes := int64(automatic)
	if len(c.args) > 1 {
		if lanes = c.args[1].Int; lanes < 2 || lanes > 64 || lanes&(lanes-1) != 0 {
			return fmt.Errorf("found %d lanes, expected a power of two from 2 to 64", lanes)
		}
	}
	switch {
	case n.loop.Tile > 1:
		return fmt.Errorf("%s enumerates blocks of %d; vectorize a loop over points", n.loop.name, n.loop.Tile)
	case n.loop.Reverse:
		return fmt.Errorf("%s runs from its last iteration to the first; vectorize a loop that does not", n.loop.name)
	}
	if other := vectorOf(chain(c.list)[:c.args[0].Int-1], n); other != nil && other != n.loop {
		return fmt.Errorf("its statements have vectors along %s already", other.name)
	}
	n.loop.Vector = int(lanes)
	n.loop.mark(vectorMark, c.step)
	return nil
}

// vectorOf returns a vector loop above or below a loop, or nil.
func vectorOf(above []*node, n *node) *level {
	for _, a := range above {
		if a.loop.Vector != 0 {
			return a.loop
		}
	}
	if n.loop != nil && n.loop.Vector != 0 {
		return n.loop
	}
	for _, child := range n.body {
		if l := vectorOf(nil, child); l != nil {
			return l
		}
	}
	return nil
}

// distinct renames loops that have the name of one around them, after nests were fused.
func distinct(list []*node, above []string) {
	for _, n := range list {
		names := above
		if n.loop != nil {
			for base, k := n.loop.name, 2; slices.Contains(above, n.loop.name); k++ {
				n.loop.name = fmt.Sprintf("%s%d", base, k)
			}
			names = append(above[:len(above):len(above)], n.loop.name)
		}
		distinct(n.body, names)
	}
}

// withoutAccumulators leaves out where the accumulators of a given tree were: loops
// have moved, and Tree finds new places.
func withoutAccumulators(list []*node) []*node {
	var out []*node
	for _, n := range list {
		n.body = withoutAccumulators(n.body)
		if _, ok := n.between.(*schedule.Accumulate); ok {
			out = append(out, n.body...)
		} else {
			out = append(out, n)
		}
	}
	return out
}
