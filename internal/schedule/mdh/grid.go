package mdh

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// How parameters make grids
//
// On a model whose outermost cores run groups (machine.Grid) the loops of a configuration are those of the host, but that
// levels on the outermost cores are groups, and those on other cores items. The first of them that follow each other in S1 make the
// launch: groups, then items. What S1 has outside of them the host walks; serial loops may be between groups and items, too. Parts
// of one dimension on several layers of items (warps and their threads) are one loop. Levels on cores that come later are walked by
// the item that gets there.
//
// A copy to the memory of a group is a place in local memory. What items reduce they combine there; what groups reduce, or items
// where S1 has no block of results around them, is kept apart in an array in device memory, and combined behind the launch in the order
// of R1. Where reduced loops are outside of items, partial results are in device memory as well.

// onGrid reports whether a model runs grids.
func (c *Configuration) onGrid() bool {
	_, ok := c.Model.Grid()
	return ok
}

// isGroup reports whether a level is on the outermost cores.
func (c *Configuration) isGroup(l Level) bool {
	return c.Row(l).Assign[Scalar].Layer == c.Model.Memories()+1
}

// shareGrid finds the loops whose iterations groups and items share.
func (n *nestOrder) shareGrid() {
	if !n.c.writesOnce() {
		return
	}
	n.groupsFirst()
	const (
		onHost = iota
		inGroups
		between
		inItems
	)
	at := onHost
	for _, l := range n.loops {
		shared := n.isSharable(l) && !n.isTwice(l)
		switch {
		case !shared && at == inItems:
			return
		case !shared && at == inGroups:
			at = between
		case !shared:
		case n.k.isGroup(l) && at <= inGroups:
			n.threads, at = append(n.threads, l), inGroups
		case n.k.isGroup(l) && at == inItems:
			return
		case !n.k.isGroup(l):
			n.threads, at = append(n.threads, l), inItems
		}
	}
}

// isTwice reports whether a dimension is that of another group, or of other items, already.
func (n *nestOrder) isTwice(l Level) bool {
	return slices.ContainsFunc(n.threads, func(o Level) bool {
		return o.Dim == l.Dim && n.k.isGroup(o) == n.k.isGroup(l) && !(n.items() >= 0 && n.k.Tile(o) == n.k.Tile(l)*n.k.Row(l).Parts)
	})
}

// groupsFirst puts loops on cores that follow each other first in S1 in the order in which a device numbers them: groups, then items, and of
// each the axes from the last to x, as S2 assigns them. What is combined in order stays where it is.
func (n *nestOrder) groupsFirst() {
	from := slices.IndexFunc(n.loops, n.isSharable)
	if from < 0 {
		return
	}
	end := from
	for end < len(n.loops) && n.isSharable(n.loops[end]) {
		end++
	}
	slices.SortStableFunc(n.loops[from:end], func(a, b Level) int {
		x, y := n.k.Row(a).Assign[Scalar], n.k.Row(b).Assign[Scalar]
		switch ga, gb := n.k.isGroup(a), n.k.isGroup(b); {
		case ga != gb && ga:
			return -1
		case ga != gb:
			return 1
		case x.Dim != y.Dim:
			return y.Dim - x.Dim
		}
		return x.Layer - y.Layer
	})
}

// isSharable reports whether groups or items may share the iterations of a level.
func (n *nestOrder) isSharable(l Level) bool {
	return n.k.kind(l) == coresLoop && !(n.c.Ordered && n.reduced(l))
}

// items is the number of the first loop over items, or -1.
func (n *nestOrder) items() int {
	return slices.IndexFunc(n.loops, func(l Level) bool { return n.isParallel(l) && n.k.onGrid() && !n.k.isGroup(l) })
}

// isBetween reports whether loop number at, and the one around it, are axes of the same groups or items.
func (n *nestOrder) isBetween(at int) bool {
	return n.k.onGrid() && at > 0 && n.isParallel(n.loops[at-1]) && n.isParallel(n.loops[at]) && n.k.isGroup(n.loops[at-1]) == n.k.isGroup(n.loops[at])
}

// inHost reports whether the loop of a level is around the groups.
func (n *nestOrder) inHost(l Level) bool {
	return n.k.onGrid() && len(n.threads) > 0 && slices.Index(n.loops, l) < slices.Index(n.loops, n.threads[0])
}

// combinedApart reports whether what a parallel loop reduces is kept apart until the end: there is no block of results
// around that threads, or items, could combine together.
func (n *nestOrder) combinedApart(l Level) bool {
	switch {
	case !n.isParallel(l):
		return false
	case !n.k.onGrid():
		return n.isOpen(slices.Index(n.loops, l), n.concat)
	}
	return n.k.isGroup(l) || n.itemsApart || n.isOpen(n.items(), n.concat) || slices.ContainsFunc(n.axes(), n.hasSeveral)
}

// hasSeveral reports whether an item has several results along an axis of items.
func (n *nestOrder) hasSeveral(axis Level) bool {
	further := func(a Level) bool { return a.Dim == axis.Dim && n.k.Tile(a) < n.k.Tile(axis) } // the same items
	return !n.reduced(axis) && !slices.ContainsFunc(n.axes(), further) && (n.k.Tile(axis) > 1 || slices.ContainsFunc(n.loops[n.afterThreads():], func(l Level) bool { return l.Dim == axis.Dim }))
}

// axes are the loops over items.
func (n *nestOrder) axes() []Level {
	if at := n.items(); at >= 0 {
		return n.loops[at:n.afterThreads()]
	}
	return nil
}

// isKept reports whether a loop over what is reduced keeps partial results.
func (n *nestOrder) isKept(l Level) bool {
	return slices.ContainsFunc(n.runs, func(r run) bool { return slices.Contains(r.combined[:r.kept], l) })
}

// keepAllItems keeps apart what all items reduce where that of some has to be.
func (n *nestOrder) keepAllItems() {
	reduced := slices.DeleteFunc(slices.Clone(n.axes()), func(l Level) bool { return !n.reduced(l) })
	if !slices.ContainsFunc(reduced, n.isKept) || !slices.ContainsFunc(reduced, func(l Level) bool { return !n.isKept(l) }) {
		return
	}
	n.itemsApart, n.runs = true, nil
	n.findRuns()
}

// subGroup is how many items combine by shuffles what they reduce, in registers as R3 says; 0 where they do so in local memory.
func (n *nestOrder) subGroup() int64 {
	g, _ := n.k.Model.Grid()
	team, teams, byShuffles := int64(1), int64(1), false
	for _, l := range n.axes() {
		switch {
		case !n.reduced(l) && team > 1:
			return 0 // a sub-group are items along the last axes
		case !n.reduced(l):
			teams *= n.k.Row(l).Parts
		default:
			team *= n.k.Row(l).Parts
			byShuffles = n.k.wanted(l) == inRegister
		}
	}
	if w := g.Width; w > 1 && byShuffles && (team*teams)%w == 0 && (team%w == 0 || w%team == 0) && team/w <= w {
		return w
	}
	return 0
}

// together is the number of the loop before which the accumulators start that threads, or items, have for loop number at.
func (n *nestOrder) together(at int) int {
	if n.k.onGrid() {
		return n.items()
	}
	return at
}

// inParts reports whether R3 wants results in the memory of a group where the parts of its items are there.
func (n *nestOrder) inParts(wanted, live residence) bool {
	return n.k.onGrid() && live == inLocal && wanted == inPrivate
}

// ofUnits is where threads, or items, have partial results of their own.
func (n *nestOrder) ofUnits() residence {
	if n.k.onGrid() {
		return inLocal
	}
	return inWorkspace
}

// isLocal reports whether a place is in the memory of a group.
func (c *Configuration) isLocal(p Place) bool {
	layer := c.Model.Layer(p.Region)
	return c.onGrid() && layer.Copied && p.Region < c.Model.Memories() && layer.PrivateTo == c.Model.Layer(c.Model.Memories()+1).Name
}

// padGroups pads the last block of results along each axis of groups, so that all have one code.
func (n *nest) padGroups() {
	for _, l := range n.order.threads {
		if n.k.isGroup(l) && !n.order.reduced(l) {
			n.k.Row(l).Pad = n.k.Tile(l) > 1 && (n.c.Dims[l.Dim-1].N < 0 || n.c.Dims[l.Dim-1].N%n.k.Tile(l) != 0)
		}
	}
}

// share marks the loop of a level that groups or items share.
func (n *nest) share(m *schedule.Member, l Level) {
	switch {
	case !n.order.isParallel(l):
	case n.k.isGroup(l):
		m.Groups = true
	default:
		m.Items = n.k.Row(l).Parts
	}
}

// inGroup makes sure that statements are in a group: where no loop makes groups there is one.
func (s *site) inGroup(statements ...int) {
	if s.grouped {
		return
	}
	one := &schedule.Member{Tile: 1, Groups: true}
	for _, statement := range statements {
		one.Loops = append(one.Loops, schedule.Loop{Statement: statement, Index: schedule.SingleName(0)})
	}
	s.groups(one)
}

// onItems adds the loop of a level of items: to that over the same dimension, if there is one right around it.
func (s *site) onItems(m *schedule.Member) {
	var statements []int
	for _, l := range m.Loops {
		statements = append(statements, l.Statement)
	}
	s.inGroup(statements...)
	if s.band != nil {
		for _, o := range s.band.Members {
			if o.Items > 0 && slices.EqualFunc(o.Loops, m.Loops, schedule.Loop.Equal) {
				o.Items, o.Tile, o.Pad = o.Items*m.Items, m.Tile, m.Pad
				return
			}
		}
	}
	s.loop(m)
}

// groups adds a loop over groups.
func (s *site) groups(m *schedule.Member) {
	s.grouped = true
	s.loop(m)
}
