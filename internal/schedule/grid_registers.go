package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How items hold accumulators together
//
// Accumulators in registers, or private, may stand inside of groups and outside of the loops over items. Each item then holds those of the
// points that these loops give it, through all that is between: a reduction whose blocks the items copy to local memory together, and
// in whose steps each adds to a tile of its own. Every loop over items below goes over the whole block in the same way, so that a
// point is always the same item's. The items wait for each other at places in local memory only.

// ItemAxes returns the members over items that come first on the way down from a node, which are the axes of one loop, and the
// members before.
func ItemAxes(n Node) (axes, before []*Member) {
	switch n := n.(type) {
	case *Band:
		for k, m := range n.Members {
			if m.Items == 0 {
				continue
			}
			end := k
			for end < len(n.Members) && n.Members[end].Items > 0 {
				end++
			}
			return n.Members[k:end], n.Members[:k]
		}
		axes, before = ItemAxes(n.Child)
		return axes, slices.Concat(n.Members, before)
	case *Accumulate:
		return ItemAxes(n.Child)
	case *Place:
		return ItemAxes(n.Child)
	}
	return nil, nil
}

// ItemShare is how many points of a block of a size an item has at most, by a member over items.
func ItemShare(size int64, m *Member) int64 {
	turn := m.Tile * m.Items
	before := max(0, size-1) / turn // turns of all items
	return before*m.Tile + min(m.Tile, size-before*turn)
}

// heldByItems checks accumulators that the items of a group hold together.
func (c *checker) heldByItems(n *Accumulate, comp *ein.Comprehension, st state) {
	axes, before := ItemAxes(n.Child)
	_, free := ein.ReductionOperator(comp)
	switch {
	case len(st.active) > 1 || !free || axes == nil:
		c.misfit(n, "accumulators outside of the loops over items are those of one statement, which is reduced in any order, without a sequence below").advise("accumulate inside of the loops over items")
		return
	case c.levels.Mutual(n.Statement) || !c.frames.IsExact(n.Statement, comp) || c.frames.Guarded(n.Statement, comp):
		c.misfit(n, "the loops of %s are skewed, or over several ranges: which item has which point is not known; accumulate inside of the loops over items", c.words.Statement(n.Statement))
		return
	}
	if hasMember(n.Child, func(m *Member) bool { return m.Flip }) {
		c.misfit(n, "what flipping the signs of an operand adds is summed for the accumulators of one item: accumulate inside of the loops over items")
		return
	}
	for _, m := range axes {
		l := m.Loops[0]
		if i := c.index(place{l.Statement, l.Index}); i == nil || i.Combine.Kind != ein.Concat {
			c.misfit(n, "the items of %s would share the partial results that they hold: it is reduced; accumulate in local memory", c.words.Loop(m))
			return
		}
		if c.levels.Counted(m) || slices.ContainsFunc(before, func(o *Member) bool { return o.Loops[0].Index == l.Index }) {
			c.misfit(n, "the items hold the points of %s that one loop over all of its block gives them, and there is another one between; accumulate below it", c.words.Index(l.Statement, l.Index))
			return
		}
		if w := VectorBelow(n.Statement, l.Index, n.Child); w > 0 && m.Tile%int64(w) != 0 {
			c.misfit(n, "an item holds vectors of %d along %s, and the blocks of %d that it gets do not consist of them", w, c.words.Index(l.Statement, l.Index), m.Tile).advise("give items blocks of whole vectors: %s tile %d items %d", c.words.Index(l.Statement, l.Index), w*max(1, int(m.Tile)/w), m.Items)
			return
		}
	}
}

// ownPoints is how many of so many points of an index an item has in accumulators.
func ownPoints(n *Accumulate, i *ein.Index, size int64) int64 {
	axes, _ := ItemAxes(n.Child)
	for _, m := range axes {
		if size < unknownBytes && m.Loops[0].Index == i.Name {
			return ItemShare(size, m)
		}
	}
	return size
}
