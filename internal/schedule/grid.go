package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How trees make grids
//
// A device with groups of items runs a tree whose members say which loops are its groups and items. Members with the mark groups
// are the axes of a launch: their iterations are independent, and run in any order. Inside of them members with the mark items
// spread their iterations over the items of a group: iteration i is that of item i mod n. Both are independent loops, as parallel
// ones are, and the dependences are checked in the same way. Between two loops over items of one group the items wait for
// each other, so that a sequence inside of groups is one as everywhere; so they do at the end of every iteration of a serial loop
// around such a loop. Around groups stand serial loops and sequences: the host goes through them, and launches one grid after the
// other. What is in no group is a launch of one item. So the order of a tree with grids is that of the same tree without.

// concurrent is the mark by which the iterations of a member run at the same time; empty for none.
func (m *Member) concurrent() string {
	switch {
	case m.Parallel:
		return "parallel"
	case m.Groups:
		return "groups"
	case m.Items > 0:
		return "items"
	}
	return ""
}

// IsConcurrent reports whether iterations run at the same time, by threads, groups or items.
func (m *Member) IsConcurrent() bool { return m.concurrent() != "" }

// plain is the loop of the first statement of a member, without marks: S0.i.
func (m *Member) plain() string {
	return (&Member{Loops: m.Loops[:1], Tile: 1}).String()
}

// workers is who runs the iterations of a concurrent member.
func (m *Member) workers() string {
	switch {
	case m.Groups:
		return "groups"
	case m.Items > 0:
		return "items"
	}
	return "threads"
}

// HasGrids reports whether a subtree has groups.
func HasGrids(n Node) bool {
	return hasMember(n, func(m *Member) bool { return m.Groups })
}

// HasItems reports whether a subtree has loops over items.
func HasItems(n Node) bool {
	return hasMember(n, func(m *Member) bool { return m.Items > 0 })
}

func hasMember(n Node, is func(*Member) bool) bool {
	b, ok := n.(*Band)
	return ok && slices.ContainsFunc(b.Members, is) || slices.ContainsFunc(Children(n), func(child Node) bool { return hasMember(child, is) })
}

// ItemsOf returns the numbers of items along the axes of the loops over items of a band's last members and of a subtree, which are
// the same for all such loops; nil where there are none.
func ItemsOf(members []*Member, below Node) []int64 {
	for k, m := range members {
		if m.Items == 0 {
			continue
		}
		var axes []int64
		for _, m := range members[k:] {
			if m.Items == 0 {
				break
			}
			axes = append(axes, m.Items)
		}
		return axes
	}
	if b, ok := below.(*Band); ok {
		return ItemsOf(b.Members, b.Child)
	}
	if below == nil {
		return nil
	}
	for _, child := range Children(below) {
		if axes := ItemsOf(nil, child); axes != nil {
			return axes
		}
	}
	return nil
}

// A gridLevel says what the loops around a node are.
type gridLevel uint8

const (
	onHost gridLevel = iota
	inGroup
	inItem
)

// A launch is a grid of the tree, as far as the loops met so far say.
type launch struct {
	items []int64
	width int64 // of sub-groups; 0: there are none so far
}

// grid checks a member of groups or items, and what cannot be in a tree with them.
func (c *checker) grid(b *Band, at int, m *Member, st *state) {
	c.stripsAsked(b, at, m)
	switch {
	case m.Groups && m.Items > 0:
		c.misfit(on(b, m, "items"), "the loop %s is over groups, and not over items as well; cut it into blocks", c.words.Loop(m)).
			advise("make the blocks groups, and their points items: %[1]s tile 32 groups, and inside of it %[1]s items 32", m.plain())
	case m.Groups && m.Parallel || m.Items > 0 && m.Parallel:
		c.misfit(on(b, m, m.concurrent()), "the loop %s is run by threads, and not by groups or items as well", c.words.Loop(m)).advise("leave out 'parallel'")
	case m.Groups:
		c.groups(b, at, m, st)
	case m.Items > 0:
		c.items(b, at, m, st)
	case c.grids && m.Parallel:
		c.misfit(on(b, m, "parallel"), "a tree with groups runs on a device, which has no threads: the loop %s is one over groups, or items", c.words.Loop(m)).
			advise("write 'groups' for 'parallel', or inside of groups 'items 32'")
	case c.grids && m.Unroll && st.level == onHost && HasGrids(&Band{Members: b.Members[at+1:], Child: b.Child}):
		c.misfit(on(b, m, "unroll"), "groups are inside of the loop %s, which the host goes through: it is not written out", c.words.Loop(m)).advise("leave out 'unroll', or write out a loop inside of the groups")
	case c.grids && m.Determined && st.level == onHost && HasGrids(&Band{Members: b.Members[at+1:], Child: b.Child}):
		c.misfit(on(b, m, "determined"), "groups are inside of the loop %s, whose point hangs on what tensors hold, and the host that goes through it reads none: move it into the groups", c.words.Loop(m))
	case c.grids && m.Pipeline:
		c.misfit(on(b, m, "pipeline"), "there are no pipelines in a tree with groups").advise("leave out 'pipeline': groups run beside each other anyway")
	case c.grids && m.Stream:
		c.misfit(on(b, m, "stream"), "nothing goes past the caches in a tree with groups").advise("leave out 'stream'")
	}
}

// groups checks an axis of groups.
func (c *checker) groups(b *Band, at int, m *Member, st *state) {
	if at == 0 || !b.Members[at-1].Groups {
		if st.level != onHost {
			c.misfit(on(b, m, "groups"), "groups inside of groups: the loop %s is in the loop over groups of a launch already", c.words.Loop(m)).
				advise("make it one over items (%[1]s items 32), or, right beside the other one, another axis of groups: … groups | %[1]s groups", m.plain())
		}
		c.testsInGroups(b, at, st)
		st.level, st.launch = inGroup, &launch{}
	}
	c.otherIndex(b, at, m, func(o *Member) bool { return o.Groups })
}

// items checks an axis of items.
func (c *checker) items(b *Band, at int, m *Member, st *state) {
	if at == 0 || b.Members[at-1].Items == 0 {
		switch st.level {
		case onHost:
			c.misfit(on(b, m, "items"), "items outside of groups: a loop further out has to be one over groups").
				advise("put blocks around it, which are groups: %[1]s tile %[2]d groups, and inside of it %[1]s items %[2]d", m.plain(), m.Items)
			return
		case inItem:
			c.misfit(on(b, m, "items"), "items inside of items: the loop %s is what one item does already", c.words.Loop(m)).
				advise("leave out 'items'; several axes stand right beside each other: … items 8 | %s items %d", m.plain(), m.Items)
			return
		}
		axes := ItemsOf(b.Members[at:], nil)
		if st.launch.items == nil {
			st.launch.items = axes
		} else if !slices.Equal(st.launch.items, axes) {
			c.misfit(on(b, m, "items"), "the items of a group are %v along its axes, and elsewhere in the grid %v", axes, st.launch.items).
				advise("a group has the same items everywhere: write so many in all loops over items of a launch, along as many axes")
		}
		st.level = inItem
	}
	c.otherIndex(b, at, m, func(o *Member) bool { return o.Items > 0 })
}

// otherIndex checks that adjacent axes are over different indices, as adjacent parallel loops are.
func (c *checker) otherIndex(b *Band, at int, m *Member, isAxis func(*Member) bool) {
	l := m.Loops[0]
	for k := at - 1; k >= 0 && isAxis(b.Members[k]); k-- {
		if slices.ContainsFunc(b.Members[k].Loops, func(o Loop) bool { return o.Statement == l.Statement && o.Index == l.Index }) {
			c.misfit(on(b, m, m.concurrent()), "adjacent axes are over different indices, and two of them are over %s", c.words.Index(l.Statement, l.Index)).
				advise("one of them is enough, with as many %s as both have; or let one be serial", m.workers())
		}
	}
}

// accumulateInGrid checks that partial results are an item's own, in a tree with groups, or in local memory a part of them is.
func (c *checker) accumulateInGrid(n *Accumulate, comp *ein.Comprehension, st state) {
	switch {
	case n.Region == Local:
		c.partsByItems(n, comp, st)
	case !c.grids:
	case n.Region == Workspace:
		c.partsByGroups(n, comp, st)
	case n.Region == Output || n.Region == Shared: // in which a result is that of one item, wherever they stand
	case n.Region != Register && n.Region != Private:
		c.misfit(n, "in a tree with groups accumulators are in register or private, which an item has for itself, in local, in output or shared, for all, or in workspace right above groups").advise("write: accumulate %s register", c.words.Statement(n.Statement))
	case st.level == inGroup && HasItems(n.Child):
		c.heldByItems(n, comp, st)
	case HasGrids(n.Child) || HasItems(n.Child):
		c.misfit(n, "groups and items would share the accumulators of %s; accumulate inside of their loops, in local memory, or, above groups over what is reduced, in workspace", c.words.Statement(n.Statement))
	}
}

// placeInGrid checks that a place in a tree with groups is an item's own, or in local memory where all items of a group may copy
// what is read there.
func (c *checker) placeInGrid(n *Place, t *ein.Tensor, st state) {
	switch {
	case n.Region == Local && st.level != inItem && (st.level != inGroup || !HasItems(n.Child)):
		c.misfit(n, "local memory belongs to a group, and its items copy what is placed there: place %s inside of groups, where there are loops over items", n.Tensor).
			advise("put the place below a band with groups, and a band with items below it or above; what an item has for itself is in register or private")
	case n.Region == Local && t != nil && !OnlyRead(c.f, t, st.active) && st.level == inGroup && c.isContracted(n):
		if n.Vector > 0 || n.Stages > 0 || n.Async || n.Gathered {
			c.misfit(n, "%s is computed in local memory, and not copied there; leave out vector, double, stages, async and gathered", n.Tensor)
		}
	case n.Region == Local && t != nil && !OnlyRead(c.f, t, st.active):
		c.misfit(n, "%s is written here, and what is placed in local memory is only read, or a temporary that is used in its group alone, placed above the loops over items", n.Tensor).advise("place what is read, or place %s in register or private inside of the loops over items", n.Tensor)
	case n.Region == Local:
		c.allCome(n, st)
	case !c.grids:
	case n.Region == Workspace:
		c.misfit(n, "in a tree with groups places are in register or private, which an item has for itself, or in local").advise("write: place %s private, or right above loops over items: place %[1]s local", n.Tensor)
	case st.level == inGroup && n.IsHeld() && t != nil && !OnlyRead(c.f, t, st.active):
		c.heldPlace(n, t, st)
	case HasGrids(n.Child) || HasItems(n.Child):
		c.misfit(n, "groups and items would share the place of %s; place it inside of their loops", n.Tensor)
	}
}

// allCome checks that whether an item comes to a place hangs on nothing but the ends of blocks.
func (c *checker) allCome(n *Place, st state) {
	for _, s := range st.active {
		if c.frames.Guarded(s, c.f.Body[s]) || c.levels.Mutual(s) {
			c.misfit(n, "the loops of %s are skewed, or over several ranges: not all items of a group come to the place of %s", c.words.Statement(s), n.Tensor).
				advise("place it in register or private, inside of the loops over items, or leave the place out")
		}
		for _, i := range c.f.Body[s].Indices {
			if slices.ContainsFunc(st.paths[place{s, i.Name}], func(m *Member) bool { return m.Guarded || m.Determined }) {
				c.misfit(n, "a loop over %s is entered under a condition: not all items of a group come to the place of %s", c.words.Index(s, i.Name), n.Tensor).
					advise("place it outside of that loop, or in register or private, inside of the loops over items")
			}
		}
	}
}

// testsInGroups checks that an item whose test fails while others of its group wait for it can go on: it notes that, and reads another
// element, which there has to be.
func (c *checker) testsInGroups(b *Band, at int, st *state) {
	if !ItemsWait(b.Members[at:], b.Child) {
		return
	}
	for _, a := range Accesses(c.f) {
		if !slices.Contains(st.active, a.Statement) || !a.tested {
			continue
		}
		for d, dim := range a.Tensor.Dims {
			if !ein.InBounds(c.f.Body[a.Statement], &ein.Access{Tensor: a.Tensor, Subscripts: a.Subscripts}, d) && !HasFirst(c.f, dim) {
				c.misfit(on(b, b.Members[at], "groups"), "%s tests subscripts of %s while it runs, which may have no elements, and others would wait for an item that such a test ends; inside of the groups there are no serial loops or sequences around the loops over items then", c.words.Statement(a.Statement), a.Tensor.Name).
					advise("put the loops over items right below the groups, the serial ones inside of them, and nothing in local memory; or say that the size of %s is 1 or more", a.Tensor.Name)
				return
			}
		}
	}
}

// HasFirst reports whether a dimension has an element for all sizes that the function takes.
func HasFirst(f *ein.Func, dim ein.Dim) bool {
	n, known := dim.Extent.IsConst()
	return known && n > 0 || !known && FactsOf(f).Proves(dim.Extent.AddConst(-1))
}

// ItemsWait reports whether the items of a group perhaps wait for each other: in what is below the members of a band, or in these.
func ItemsWait(members []*Member, below Node) bool {
	return waits(members, below) || hasLocalPlace(below) || holdsSums(below)
}

// holdsSums reports whether accumulators stand outside of loops over items.
func holdsSums(n Node) bool {
	a, sums := n.(*Accumulate)
	return sums && HasItems(a.Child) || slices.ContainsFunc(Children(n), holdsSums)
}

// hasLocalPlace reports whether something is in local memory in a subtree.
func hasLocalPlace(n Node) bool {
	p, ok := n.(*Place)
	a, sums := n.(*Accumulate)
	return ok && p.Region == Local || sums && a.Region == Local || slices.ContainsFunc(Children(n), hasLocalPlace)
}

// waits reports whether the items of a group wait for each other: in sequences, and in serial loops, outside of items.
func waits(members []*Member, below Node) bool {
	for k, m := range members {
		switch {
		case m.Items > 0:
			return false
		case !m.Groups:
			return HasItems(&Band{Members: members[k:], Child: below})
		}
	}
	switch n := below.(type) {
	case *Sequence:
		return HasItems(n) && (len(n.Children) > 1 || waits(nil, n.Children[0]))
	case *Band:
		return waits(n.Members, n.Child)
	case *Filter:
		return waits(nil, n.Child)
	case *Place:
		return waits(nil, n.Child)
	case *Accumulate: // results are set before the items begin, and passed on behind them
		return (n.Region == Output || n.Region == Shared) && HasItems(n.Child) || waits(nil, n.Child)
	}
	return false
}
