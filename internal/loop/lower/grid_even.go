package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How all items come to a place
//
// Inside of a loop over items, what is placed in local memory is copied by all items of the group. Where a block has fewer points than
// the items have turns, those without a point come nevertheless: they do what the item with the last point does, and store nothing.
// For that the block is cut into pieces of one size, as many as the items have turns; the pieces are ragged and of a whole block
// (segments.go), so that loops need no test, and what does not exist is not stored.

// comesTogether reports whether all items can come to the places below loops over items: one statement is there, whose items have results of
// their own to the end, and which reads nothing that others write.
func (l *lowerer) comesTogether(list []*schedule.Member, below schedule.Node, sc *scope) bool {
	if below == nil || len(sc.statements) != 1 || sc.held || sc.accumulator(sc.statements[0]) != nil || !placesLocally(below) {
		return false
	}
	s := sc.statements[0]
	c := l.f.Body[s]
	_, free := ein.ReductionOperator(c)
	if readsWhatItWrites(c) || !free && len(ein.Reduced(c)) > 0 || !itemsOwn(below, c) {
		return false
	}
	return !slices.ContainsFunc(list, func(m *schedule.Member) bool {
		p := point{s, first(m, sc).Index}
		n, known := sc.blocks[p].size.IsConst()
		return !known || n < 1 || l.levels.Counted(m) || l.index(p).Combine.Kind != ein.Concat
	})
}

// placesLocally reports whether there are places in local memory in a subtree.
func placesLocally(n schedule.Node) bool {
	p, ok := n.(*schedule.Place)
	return ok && p.Region == schedule.Local || slices.ContainsFunc(schedule.Children(n), placesLocally)
}

// itemsOwn reports whether the accumulators in a subtree are an item's own, and no place there has what the statement writes.
func itemsOwn(n schedule.Node, c *ein.Comprehension) bool {
	switch n := n.(type) {
	case *schedule.Accumulate:
		if n.Region != schedule.Register && n.Region != schedule.Private {
			return false
		}
	case *schedule.Place:
		if slices.ContainsFunc(c.Writes, func(w *ein.Write) bool { return w.Tensor.Name == n.Tensor }) {
			return false
		}
	}
	return !slices.ContainsFunc(schedule.Children(n), func(child schedule.Node) bool { return !itemsOwn(child, c) })
}

// evenly cuts the blocks of members over items into as many pieces as the items have turns, and notes the blocks that the group has.
func (l *lowerer) evenly(list []*schedule.Member, cuts [][]segment, totals []affine.Expr, sc *scope) {
	for k, m := range list {
		p := point{sc.statements[0], first(m, sc).Index}
		b := sc.blocks[p]
		size, _ := b.size.IsConst()
		pieces := roundUp((size+m.Tile-1)/m.Tile, m.Items)
		if !b.ragged && pieces*m.Tile == size {
			continue
		}
		beyond := pieces*m.Tile > size
		points := b.size
		if b.ragged && beyond { // pieces behind the end of the block are those of other groups
			points = b.points()
		} else if b.ragged {
			points = b.exists
		}
		if b.ragged {
			b.whole, b.beyond = true, beyond
			sc.launch.blocks[p] = b
		}
		totals[k] = affine.Const(pieces)
		cuts[k] = []segment{{count: totals[k], tile: m.Tile, ragged: true, whole: true, points: points, beyond: beyond}}
	}
}

// isThere is the condition that a point of a block exists to which all items come; nil: it does.
func (l *lowerer) isThere(s int, sc *scope) (exists loop.Expr) {
	if !l.grids {
		return nil
	}
	for _, i := range l.f.Body[s].ByKind(ein.Concat) {
		if b := sc.blocks[point{s, i.Name}]; b.ragged && b.whole && b.lanes < 2 {
			exists = both(exists, l.compare(b.exists, ein.Gt, affine.Const(0)))
		}
	}
	return exists
}
