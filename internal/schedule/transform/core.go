package transform

import (
	"fmt"
	"slices"

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
	inner.Loops, inner.Parallel, inner.Groups, inner.Items = cloneLoops(n.loop.Loops), false, false, 0
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

// groups marks an axis of a grid.
func groups(c *call) error {
	n, err := c.level(0)
	if err == nil {
		n.loop.Groups = true
	}
	return err
}

// items marks a loop whose iterations the items of a group have.
func items(c *call) error {
	n, err := c.level(0)
	if err != nil {
		return err
	}
	if err := atLeastOne(c.args[1].Int); err != nil {
		return err
	}
	n.loop.Items = c.args[1].Int
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
