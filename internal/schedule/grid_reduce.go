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
		c.misfit(n, "groups combine their parts in an order of their own, for one statement: %s is reduced in a fixed order, or scanned, or others are here, too", name)
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
		c.misfit(n, "%s is skewed, or in another place than its order: its groups have no parts", c.words.Loop(m))
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
	switch _, _, _, byGroups := PartsByGroups(n); {
	case n.Items == 0 && n.Tree == 0:
	case !byGroups:
		c.misfit(n, "a launch of its own combines the parts of groups, in workspace right above them, and has items; others have none")
	case max(n.Items, 1)*max(n.Tree, 1) > MostItemsOfParts:
		c.misfit(n, "a group that combines parts has %d items, and at most %d are possible", max(n.Items, 1)*max(n.Tree, 1), MostItemsOfParts)
	}
}
