package mdh

import "slices"

// How items have several points
//
// A level of items may stand outside of one with larger parts of the same dimension: THR has parts of 1 point, and DEV, further in, of 4
// (Figure 20). So item t has the points t, t+4, …, which are the turns of one loop over items in a tree. Where S1 has loops over what
// is reduced between the two, these come outside of the items, each of which holds the accumulators of all of its points.

// takeTurns joins loops over items with those over their turns further in, and moves them there.
func (n *nestOrder) takeTurns() {
	from := n.items()
	if from < 0 || n.c.Ordered {
		return
	}
	end := n.afterThreads()
	axes := slices.Clone(n.loops[from:end])
	to := end
	for to < len(n.loops) && n.axisOf(axes, n.loops[to]) < 0 {
		to++
	}
	stop := to
	for stop < len(n.loops) && !n.reduced(n.loops[stop]) {
		stop++
	}
	isTurn := func(l Level) bool {
		at := n.axisOf(axes, l)
		return at >= 0 && n.k.Tile(l) == saturate(n.k.Tile(axes[at]), n.k.Row(axes[at]).Parts) && n.k.Row(l).Marks == (Marks{})
	}
	for _, l := range n.loops[stop:] {
		if at := n.axisOf(axes, l); at >= 0 && n.k.Tile(l) > n.k.Tile(axes[at]) {
			return
		}
	}
	rest := slices.DeleteFunc(slices.Clone(n.loops[to:stop]), isTurn)
	if slices.ContainsFunc(axes, n.reduced) || slices.ContainsFunc(rest, func(l Level) bool {
		at := n.axisOf(axes, l)
		return at >= 0 && n.k.Tile(l) > n.k.Tile(axes[at])
	}) || len(rest) == stop-to {
		return
	}
	n.loops = slices.Concat(n.loops[:from], n.loops[end:to], axes, rest, n.loops[stop:])
}

// axisOf is the number of the axis over the dimension of a level, or -1.
func (n *nestOrder) axisOf(axes []Level, l Level) int {
	return slices.IndexFunc(axes, func(a Level) bool { return a.Dim == l.Dim })
}

// afterGroups is the number of the first loop that is inside of all groups.
func (n *nestOrder) afterGroups() int {
	for at, l := range slices.Backward(n.loops) {
		if n.isParallel(l) && n.k.isGroup(l) {
			return at + 1
		}
	}
	return 0
}

// copiedAt is the loop, from one on, before which there are copies to a region. Those of an item are inside of all loops over
// groups and items; those of a group may be outside of items.
func (n *nestOrder) copiedAt(at int, p Place) int {
	if items := n.items(); n.k.isLocal(p) && items >= 0 && at < n.afterThreads() {
		return max(min(at, items), n.afterGroups())
	}
	return max(at, n.afterThreads())
}

// heldByItems reports whether accumulators that start at a loop outside of items are held by these together: each item has those of its
// points, which one loop over each dimension gives it.
func (n *nestOrder) heldByItems(at int) bool {
	from, end := n.items(), n.afterThreads()
	if !n.k.onGrid() || from < 0 || at >= from || at < n.afterGroups() || !slices.ContainsFunc(n.loops[at:from], n.reduced) {
		return false
	}
	for i, l := range n.loops {
		axis := n.axisOf(n.loops[from:end], l)
		if axis < 0 {
			continue
		}
		items := n.loops[from+axis]
		if n.reduced(l) || i >= at && i < from || i >= end && n.k.Tile(l) >= n.k.Tile(items) || i < from && n.k.Tile(l) <= n.k.Tile(items) {
			return false
		}
	}
	return true
}
