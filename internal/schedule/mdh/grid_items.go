package mdh

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

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
	together := slices.ContainsFunc(axes, n.reduced) // items whose turns are right inside, then
	to := end
	for to < len(n.loops) && n.axisOf(axes, n.loops[to]) < 0 && !together {
		to++
	}
	isTurn := func(l Level) bool {
		at := n.axisOf(axes, l)
		return at >= 0 && (n.reduced(l) || !together) && n.k.Tile(l) == saturate(n.k.Tile(axes[at]), n.k.Row(axes[at]).Parts) && n.k.Row(l).Marks == (Marks{})
	}
	stop := to
	for stop < len(n.loops) && (!together && !n.reduced(n.loops[stop]) || together && isTurn(n.loops[stop])) {
		stop++
	}
	for _, l := range n.loops[stop:] {
		if at := n.axisOf(axes, l); at >= 0 && n.k.Tile(l) > n.k.Tile(axes[at]) {
			return
		}
	}
	rest := slices.DeleteFunc(slices.Clone(n.loops[to:stop]), isTurn)
	if slices.ContainsFunc(rest, func(l Level) bool {
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
	if !n.k.onGrid() || from < 0 || at >= from || n.c.Op == nil || n.c.Ordered || len(n.keep) > 0 || at < n.afterGroups() || !slices.ContainsFunc(n.loops[at:from], n.reduced) {
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

// partsOfGroups lets groups store the parts of results that they reduce, once each, where nothing else keeps partial results: inside are
// accumulators which bring them.
func (n *nestOrder) partsOfGroups() {
	first := slices.IndexFunc(n.loops, func(l Level) bool { return n.isParallel(l) && n.k.isGroup(l) })
	if first < 0 || n.starts[n.loops[first]] != inArray || slices.ContainsFunc(n.c.Dims, func(d Dim) bool { return d.N < 0 }) {
		return
	}
	for l := range n.keep {
		if !n.isParallel(l) || !n.k.isGroup(l) || n.isCounted(l.Dim) {
			return
		}
	}
	for _, l := range n.loops[n.afterGroups():] {
		if n.starts[l] >= inLocal {
			n.starts[n.loops[first]] = inWorkspace
			clear(n.keep)
			return
		}
		if n.reduced(l) {
			return
		}
	}
}

// isCounted reports whether a loop over a dimension is outside of one over larger parts.
func (n *nestOrder) isCounted(dim int) bool {
	tile := unknownSize
	for _, l := range n.loops {
		if l.Dim == dim {
			if n.k.Tile(l) > tile {
				return true
			}
			tile = n.k.Tile(l)
		}
	}
	return false
}

// combining is how a launch of its own combines the parts of groups: of so many results in a group, by so many items for each.
func (n *nestOrder) combining() (results, items int64) {
	const most = 256
	parts, all := int64(1), int64(1)
	for _, l := range n.threads {
		if n.k.isGroup(l) && n.reduced(l) {
			parts = saturate(parts, n.k.Row(l).Parts)
		}
	}
	for _, d := range n.c.Dims {
		if !d.Reduced() {
			all = saturate(all, max(1, d.N))
		}
	}
	g, _ := n.k.Model.Grid()
	results = powerBelow(min(all, 64, g.Items))
	if all < 1<<12 {
		items = powerBelow(min(parts, most/results, g.Items/results))
	}
	return results, items
}

// powerBelow is the largest power of two up to a number, at least 1.
func powerBelow(n int64) int64 {
	p := int64(1)
	for 2*p <= n {
		p *= 2
	}
	return p
}

// itemCounts is how many items a group has along each axis.
func (n *nestOrder) itemCounts() (counts []int64) {
	axes := n.axes()
	for i, l := range axes {
		if i > 0 && axes[i-1].Dim == l.Dim { // warps, and their threads
			counts[len(counts)-1] = saturate(counts[len(counts)-1], n.k.Row(l).Parts)
		} else {
			counts = append(counts, n.k.Row(l).Parts)
		}
	}
	return counts
}

// fitItems checks statements that share a launch: it has as many items for all of them, which combine nothing where they are shared.
func (g *Group) fitItems(nests []*nest) error {
	var first *nest
	for _, n := range nests {
		own := n.order.loops[:g.Shared]
		if !n.k.onGrid() || !slices.ContainsFunc(own, n.k.isGroup) || len(nests) < 2 {
			continue
		}
		for _, l := range own {
			if n.order.starts[l] == inLocal || n.order.starts[l] == inWorkspace || n.order.heldByItems(slices.Index(n.order.loops, l)) && n.order.starts[l] > inLocal {
				return &GroupError{g, fmt.Errorf("its statements share the loop over %s, around which the groups or items of %s combine what they reduce: they do so for one statement", n.c.Dims[l.Dim-1].Name(), n.c.Name), n.c.Name, l}
			}
		}
		counts := n.order.itemCounts()
		switch {
		case counts == nil:
		case first == nil:
			first = n
		case !slices.Equal(counts, first.order.itemCounts()):
			return &GroupError{g, fmt.Errorf("the items of %s are %v, those of %s %v, and a launch has as many in all of its statements", n.c.Name, counts, first.c.Name, first.order.itemCounts()), n.c.Name, n.order.axes()[0]}
		}
	}
	return nil
}

// mayEnd reports whether a test of an access may fail where its tensor has perhaps no other element to go on with.
func (v *validator) mayEnd(a *ein.Access) bool {
	for d, dim := range a.Tensor.Dims {
		if a.Checked && !ein.InBounds(v.c.of, a, d) && !schedule.HasFirst(v.c.in, dim) {
			return true
		}
	}
	return false
}

// gridTests checks that an item whose test of a subscript fails has an element to go on with where others of its group wait for it: they do
// between serial loops around items, and for results that are set, or combined, by all of them.
func (v *validator) gridTests(n *nestOrder) {
	from := n.items()
	if from < 0 || !slices.ContainsFunc(v.c.of.Accesses(), v.mayEnd) {
		return
	}
	for at, l := range n.loops {
		switch {
		case slices.ContainsFunc(n.copies[l], func(i copied) bool { return v.k.isLocal(i.place) }):
			v.add("D3", l, "%s tests subscripts of what may be empty, and the items of a group wait for what they copy together: an item that such a test ends does not come", v.c.Name)
		case at > from:
			continue
		case at >= n.afterGroups() && n.starts[l] >= inOutput && n.starts[l] <= inLocal:
			v.add("R3", l, "%s tests subscripts of what may be empty, and here all items of a group wait for its results: an item that such a test ends does not come", v.c.Name)
		case at >= n.afterGroups() && at < from:
			v.add("S1", l, "%s tests subscripts of what may be empty, and in a loop between groups and items these wait for each other: an item that such a test ends does not come", v.c.Name)
		default:
			continue
		}
		return
	}
}

// groupRoom adds up what a group has in its memory where the tree has copies and parts of results: the blocks of all items, which
// may be larger there than the parts that D3 and R3 speak of.
func (v *validator) groupRoom(n *nestOrder) {
	g, _ := v.k.Model.Grid()
	blocks, total := v.blocks(), int64(0)
	has := func(parameter string, l Level, bytes int64, what string) bool {
		if total = min(total+machine.InLocal(min(bytes, unknownSize)), unknownSize); total > g.Local && g.Local > 0 {
			v.add(parameter, l, "%s %d bytes of the memory of a group, which has %d", what, total, g.Local)
		}
		return len(v.found) > 0
	}
	for _, l := range n.loops {
		for _, i := range n.copies[l] {
			if !v.k.isLocal(i.place) {
				continue
			}
			bytes, ok := v.c.blockBytes(v.c.Inputs[i.input], blocks)
			if !ok {
				v.add("D3", l, "the block of %s that a group copies has no known size", v.k.Inputs[i.input])
				return
			}
			if has("D3", l, bytes, "the copies up to "+v.k.Inputs[i.input]+", for all items, take") {
				return
			}
		}
		if n.starts[l] == inLocal && has("R3", l, v.partsBytes(n, blocks), "with the parts of results that items have it takes") {
			return
		}
		if !n.isParallel(l) || v.k.isGroup(l) {
			blocks.enter(l)
		}
	}
}

// partsBytes is the size of the results of a block that all items have parts of.
func (v *validator) partsBytes(n *nestOrder, blocks *blockSizes) int64 {
	bytes := int64(1)
	for _, l := range n.axes() {
		if n.reduced(l) {
			bytes = saturate(bytes, v.k.Row(l).Parts)
		}
	}
	each := int64(0)
	for _, o := range v.c.Outputs {
		each += int64(o.Tensor.Type.Compute().Size())
	}
	return saturate(saturate(bytes, each), v.c.points(v.k, blocks))
}

// nearItems lists the loops where R3 wants results in the memory of the group, and they are an item's own.
func (n *nestOrder) nearItems() []Level {
	return n.those(func(l Level) bool { return n.starts[l] == inPrivate })
}
