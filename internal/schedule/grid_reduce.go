package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How grids reduce together
//
// Groups that have parts of one result do not wait for each other, so each keeps its part in the workspace, and a launch behind combines
// them: two passes. "accumulate S workspace" stands on the host, right above groups, of which those over what S reduces have the
// parts:
//
//	accumulate S0 workspace tree 128
//	  band S0.k tile 1024 groups
//	    accumulate S0 local
//	      band S0.k items 128
//
// Every group stores each of its parts once, where the accumulators inside of it end. The second launch has "items n" results side by
// side in a group, and for each of them "tree m" items: item t combines the parts t, t+m, t+2m, …, and the items combine what they
// have in a tree. So the order is that of the tree, in every run.
//
// The items of a group have their parts in private memory. "accumulate S local" stands in a group, right above loops over items, of which
// those over what S reduces make a team that combines its parts; those over results are teams beside each other:
//
//	band S0.i tile 8 groups
//	  accumulate S0 local shuffle 32
//	    band S0.i items 8 | S0.k items 32
//
// Here each sub-group has a row. Where a team is several sub-groups, each of these combines by shuffles, and what comes out by shuffles
// again. Without the mark, for devices that have no sub-groups, a team combines in a tree in local memory.

// PartsByGroups are the axes of groups right below accumulators whose groups have parts in the workspace, and the rest of the
// band; ok is false of accumulators without them.
func PartsByGroups(n *Accumulate) (axes, rest []*Member, below Node, ok bool) {
	b, isBand := n.Child.(*Band)
	if n.Region != Workspace || !isBand || !b.Members[0].Groups {
		return nil, nil, nil, false
	}
	k := slices.IndexFunc(b.Members, func(m *Member) bool { return !m.Groups })
	if k < 0 {
		k = len(b.Members)
	}
	return b.Members[:k], b.Members[k:], b.Child, true
}

// partsByGroups checks partial results that groups keep in the workspace.
func (c *checker) partsByGroups(n *Accumulate, comp *ein.Comprehension, st state) {
	axes, rest, below, ok := PartsByGroups(n)
	name := c.words.Statement(n.Statement)
	_, free := ein.ReductionOperator(comp)
	free = free || scanOver(comp) != nil
	isReduced := func(m *Member) bool {
		l, of := m.IndexOf(n.Statement)
		i := c.index(place{n.Statement, l.Index})
		return of && i != nil && i.Combine.Kind != ein.Concat
	}
	switch {
	case st.level != onHost || !ok || !slices.ContainsFunc(axes, isReduced):
		c.misfit(n, "groups have parts in the workspace: it stands outside of groups, right above those over what %s reduces%s", name, c.words.Advice("; expected a band that begins with them"))
		return
	case !free || len(st.active) > 1:
		c.misfit(n, "groups combine their parts in an order of their own, for one statement: %s is reduced in a fixed order, or others are here, too", name).
			advise("accumulate in register inside of groups over results; or give each statement a filter, and a launch, of its own; --numerics default adds floats in any order")
		return
	}
	for _, m := range axes {
		c.part(n, m, isReduced(m))
	}
	if m := reducedBefore(rest, below, n.Statement, isReduced); m != nil {
		c.misfit(n, "each group stores its part once, and %s would bring several%s", c.words.Loop(m), c.accumulateAt(n.Statement, "register, private or local, below the groups and above "+c.words.Loop(m)))
	} else if accumulateOf(below, n.Statement) == nil {
		c.misfit(n, "each group stores its part when the accumulators inside of it end, and there are none%s", c.accumulateAt(n.Statement, "register, private or local, below the groups"))
	}
}

// part checks an axis of groups that have parts.
func (c *checker) part(n *Accumulate, m *Member, reduced bool) {
	l := m.Loops[0]
	i := c.index(place{l.Statement, l.Index})
	switch _, known := i.Extent.IsConst(); {
	case !reduced:
	case c.levels.Counted(m) || c.frames.Involved(n.Statement, c.f.Body[n.Statement], i):
		c.misfit(n, "%s is skewed, or in another place than its order: its groups have no parts", c.words.Loop(m)).advise("cut %s into blocks without a skew: %[1]s tile 256 groups", c.words.Index(n.Statement, l.Index))
	case !known && m.Tile > 1 && !m.Pad:
		c.misfit(n, "how many groups %s has is not known; pad its blocks", c.words.Loop(m))
	}
}

// reducedBefore returns the first loop over what a statement reduces that is above the next accumulate of it, or nil.
func reducedBefore(members []*Member, below Node, statement int, isReduced func(*Member) bool) *Member {
	if k := slices.IndexFunc(members, isReduced); k >= 0 {
		return members[k]
	}
	switch n := below.(type) {
	case *Band:
		return reducedBefore(n.Members, n.Child, statement, isReduced)
	case *Place:
		return reducedBefore(nil, n.Child, statement, isReduced)
	}
	return nil
}

// accumulateOf returns the first accumulate of a statement in a subtree, or nil.
func accumulateOf(n Node, statement int) *Accumulate {
	if a, ok := n.(*Accumulate); ok && a.Statement == statement {
		return a
	}
	if n != nil {
		for _, child := range Children(n) {
			if a := accumulateOf(child, statement); a != nil {
				return a
			}
		}
	}
	return nil
}

// MostItemsOfParts is how many items a group has at most that combine parts.
const MostItemsOfParts = 1024

// combining checks the marks of a launch that combines parts.
func (c *checker) combining(n *Accumulate) {
	_, _, _, byGroups := PartsByGroups(n)
	switch {
	case n.Atomic && n.Region != Local:
		c.misfit(n, "the items of a group update one array of accumulators that is in local%s", c.accumulateAt(n.Statement, "local atomic, right above the loops over items"))
	case n.Shuffle > 0 && !byGroups && n.Region != Local:
		c.misfit(n, "items combine by shuffles what each has for itself, in local, or in workspace right above groups%s", c.accumulateAt(n.Statement, "local"))
	case byGroups && n.Shuffle > 0:
		c.shuffled(n, max(n.Tree, 1), max(n.Items, 1), &launch{})
	}
	switch {
	case n.Items == 0 && n.Tree == 0:
	case !byGroups:
		c.misfit(n, "a launch of its own combines the parts of groups, in workspace right above them, and has items; others have none").advise("leave out 'items' and 'tree', or accumulate in workspace right above groups over what is reduced")
	case max(n.Items, 1)*max(n.Tree, 1) > MostItemsOfParts:
		c.misfit(n, "a group that combines parts has %d items, and at most %d are possible", max(n.Items, 1)*max(n.Tree, 1), MostItemsOfParts).advise("'items' times 'tree' is how many; make one of them smaller")
	}
}

// PartsByItems are the loops over items right below accumulators in local memory.
func PartsByItems(n *Accumulate) (axes []*Member) {
	b, isBand := n.Child.(*Band)
	if n.Region != Local || !isBand {
		return nil
	}
	for _, m := range b.Members {
		if m.Items == 0 {
			break
		}
		axes = append(axes, m)
	}
	return axes
}

// partsByItems checks partial results that items have, and combine in local memory, or by shuffles.
func (c *checker) partsByItems(n *Accumulate, comp *ein.Comprehension, st state) {
	axes := PartsByItems(n)
	_, free := ein.ReductionOperator(comp)
	free = free || scanOver(comp) != nil
	switch {
	case st.level != inGroup:
		c.misfit(n, "local memory belongs to a group: accumulate there inside of groups, and outside of items").
			advise("a band of groups stands above, and a band that begins with items right below: accumulate %s local, and in it %s items 32", c.words.Statement(n.Statement), c.folded(n.Statement))
		return
	case len(axes) == 0:
		c.misfit(n, "accumulators in local memory have a part for each item: the loops over items are the first ones inside of them").advise("the next line is a band that begins with them, such as: band %s items 32", c.folded(n.Statement))
		return
	case !free || len(st.active) > 1:
		c.misfit(n, "items combine their parts in an order of their own, for one statement: %s is reduced in a fixed order, or others are here, too", c.words.Statement(n.Statement)).
			advise("accumulate in register, inside of loops over items that are over results; or give each statement a filter of its own; --numerics default adds floats in any order")
		return
	}
	team, teams := int64(1), int64(1)
	for _, m := range axes {
		l, _ := m.IndexOf(n.Statement)
		i := c.index(place{n.Statement, l.Index})
		switch {
		case i == nil:
			return // reported elsewhere
		case i.Combine.Kind != ein.Concat:
			team *= m.Items
			continue
		case n.Shuffle > 0 && team > 1:
			c.misfit(n, "the items of a sub-group follow each other along the last axes: %s stands before the loops over what is reduced", c.words.Loop(m)).advise("put it first among the axes, or leave out 'shuffle'")
		case m.Tile > 1 || c.levels.Counted(m) || c.frames.Involved(n.Statement, comp, i) || c.blockSize(n.Statement, i, st) > m.Items:
			c.misfit(n, "an item has one result, or a block of those that no loop over items shares out: %s is over points of a block of at most %d, and not skewed", c.words.Loop(m), m.Items).advise("make the groups smaller (tile %d), or the items more", m.Items)
		}
		teams *= m.Items
	}
	if n.Shuffle > 0 {
		c.shuffled(n, team, teams, st.launch)
	}
	if n.Atomic {
		c.atomic(n, comp, teams)
	}
}

// atomic checks accumulators that the items of a group update by atomic operations.
func (c *checker) atomic(n *Accumulate, comp *ein.Comprehension, teams int64) {
	op, _ := ein.ReductionOperator(comp)
	switch {
	case scanOver(comp) != nil || !isAtomic(op):
		c.misfit(n, "%s is no sum, minimum, maximum or operation on bits of int32 or uint32: a device updates no others at once for all items%s", c.words.Statement(n.Statement), c.accumulateAt(n.Statement, "local, without 'atomic', there"))
	case n.Shuffle > 0:
		c.misfit(n, "items that update one array have nothing to combine by shuffles; leave out 'shuffle %d'", n.Shuffle)
	case teams > 1:
		c.misfit(n, "the items of a group update one array: no loop over items is over results here").advise("give the items loops over what is reduced, or leave out 'atomic'")
	}
}

// isAtomic reports whether items may update accumulators of an operator at once.
func isAtomic(op *ein.Operator) bool {
	if op == nil {
		return false
	}
	_, atomic := op.Atomic()
	return atomic
}

// folded is the first index of a statement that is reduced, or scanned.
func (c *checker) folded(s int) string {
	for _, i := range c.f.Body[s].Indices {
		if i.Combine.Kind != ein.Concat {
			return c.words.Index(s, i.Name)
		}
	}
	return ""
}

// shuffled checks that teams of items fit sub-groups.
func (c *checker) shuffled(n *Accumulate, team, teams int64, at *launch) {
	w := n.Shuffle
	switch {
	case w < 2 || w&(w-1) != 0 || w > MostItemsOfParts:
		c.misfit(n, "a sub-group has %d items, expected a power of two from 2 to %d", w, MostItemsOfParts).advise("cards of NVIDIA have sub-groups of 32: shuffle 32")
	case team*teams%w != 0 || team%w != 0 && w%team != 0 || team/w > w:
		c.misfit(n, "%d items reduce together, %d times in a group: they are no part of sub-groups of %d, and not up to %d of them", team, teams, w, w).
			advise("so many items reduce together that they make up whole sub-groups, such as %d, or that they are a part of one by a power of two; or leave out 'shuffle'", w)
	case at.width != 0 && at.width != w:
		c.misfit(n, "the sub-groups of a launch have %d items, and elsewhere in it %d", w, at.width).advise("write the same number behind 'shuffle' everywhere in a launch")
	case n.Region == Workspace && n.Items > 1:
		c.misfit(n, "the items that combine the parts of a result are apart by those of %d results; combine them by shuffles without 'items'", n.Items)
	}
	at.width = w
}
