package sketch

import (
	"cmp"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
)

// How the schedule of a processor becomes one of groups and items
//
// The outermost loops of a tree that are parallel are what threads share; in a tree for one thread those are concurrent that say that they
// carry no dependence. On a device they are groups, and the loops over results below them are items (Vasilache et al., section 5.3); or, where there are none that may be, blocks of what threads would do one after the
// other are groups, and each is an item's. There are some shapes of groups, of which the model takes the best that is legal. What only
// a processor has, such as requests for lines of caches, is left out.

// spreadShapes are the items of a group along the last loops that are theirs.
var spreadShapes = [][]int64{{32}, {64}, {128}, {256}, {8, 8}, {4, 16}, {4, 32}, {8, 16}, {8, 32}, {16, 16}}

// Spread returns a tree with groups and items for one with parallel, or coincident, loops: the best by the model of those that are legal and accepted.
// Nil: the tree has groups, or no such loops, or there is none.
func Spread(f *ein.Func, p *machine.Processor, t *schedule.Tree, accept func(*schedule.Tree) bool) *schedule.Tree {
	known := suppose(f)
	concurrent := func(m *schedule.Member) bool { return m.Parallel }
	if !has(t.Root, concurrent) {
		concurrent = func(m *schedule.Member) bool { return m.Coincident }
	}
	if p.Grid == nil || known == nil || schedule.HasGrids(t.Root) || !has(t.Root, concurrent) {
		return nil
	}
	model, err := estimate.New(known, p, schedule.Options{})
	if err != nil {
		return nil
	}
	type candidate struct {
		tree    *schedule.Tree
		seconds float64
	}
	var list []candidate
	for _, shape := range spreadShapes {
		for way := range 4 {
			s := &spreading{f: f, shape: shape, concurrent: concurrent, within: way&1 > 0, lanes: way&2 > 0}
			x := *t
			if x.Root = s.node(t.Root); s.failed {
				continue
			}
			if seconds, fits, err := model.Fits(&x); err == nil && fits {
				list = append(list, candidate{&x, seconds})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.seconds, b.seconds) })
	for _, c := range list {
		if schedule.Check(f, c.tree) == nil && accept(c.tree) {
			return c.tree
		}
	}
	return nil
}

// has reports whether some loop of a tree is of a kind.
func has(n schedule.Node, kind func(*schedule.Member) bool) bool {
	if b, ok := n.(*schedule.Band); ok && slices.ContainsFunc(b.Members, kind) {
		return true
	}
	return slices.ContainsFunc(schedule.Children(n), func(child schedule.Node) bool { return has(child, kind) })
}

// A spreading is a way to spread concurrent loops.
type spreading struct {
	f          *ein.Func
	shape      []int64
	concurrent func(*schedule.Member) bool
	within     bool // items are loops below the concurrent ones, and not parts of these
	lanes      bool // vectors are loops like others
	failed     bool
}

// node copies a tree above the concurrent loops, and spreads these.
func (s *spreading) node(n schedule.Node) schedule.Node {
	switch n := n.(type) {
	case *schedule.Place: // nothing is placed outside of groups
		return s.node(n.Child)
	case *schedule.Band:
		return s.band(n)
	}
	return s.copied(n, s.node)
}

// copied copies a node without what only processors have; below makes what is below it.
func (s *spreading) copied(n schedule.Node, below func(schedule.Node) schedule.Node) schedule.Node {
	switch n := n.(type) {
	case *schedule.Sequence:
		x := &schedule.Sequence{}
		for _, f := range n.Children {
			x.Children = append(x.Children, &schedule.Filter{Statements: f.Statements, Child: below(f.Child)})
		}
		return x
	case *schedule.Accumulate:
		x := *n
		x.Child, x.Fetch, x.Ahead, x.Spread = below(n.Child), 0, 0, false
		return &x
	case *schedule.Place:
		x := *n
		x.Child, x.Fetch, x.FetchFrom, x.Fill, x.NextStrip, x.NextPanel = below(n.Child), 0, 0, 0, false, false
		return &x
	case *schedule.Band:
		return &schedule.Band{Members: s.plain(n.Members), Permutable: n.Permutable, Child: below(n.Child)}
	}
	return n
}

// band spreads the concurrent members of a band.
func (s *spreading) band(n *schedule.Band) schedule.Node {
	first := slices.IndexFunc(n.Members, s.concurrent)
	if first < 0 {
		return s.copied(n, s.node)
	}
	x, end := &schedule.Band{Permutable: n.Permutable}, first
	for end < len(n.Members) && s.concurrent(n.Members[end]) {
		end++
	}
	groups, items := s.plain(n.Members[first:end]), []*schedule.Member(nil)
	for _, m := range groups {
		m.Groups, m.Parallel = true, false
	}
	if !s.within {
		items = s.parts(groups)
	}
	x.Members = slices.Concat(s.plain(n.Members[:first]), groups, items)
	rest := schedule.Node(&schedule.Band{Members: s.plain(n.Members[end:]), Child: n.Child})
	if end == len(n.Members) {
		rest = n.Child
	}
	if s.within {
		x.Child = s.below(rest)
	} else {
		x.Child = s.inItem(rest)
	}
	return x
}

// parts makes items of the iterations of groups, which become blocks of so many.
func (s *spreading) parts(groups []*schedule.Member) (items []*schedule.Member) {
	if len(s.shape) > len(groups) {
		s.failed = true
		return nil
	}
	for k, m := range groups[len(groups)-len(s.shape):] {
		item := *m
		item.Groups, item.Items = false, s.shape[k]
		items = append(items, &item)
		m.Tile, m.Pad = m.Tile*s.shape[k], true
	}
	return items
}

// plain copies loops without what only processors have.
func (s *spreading) plain(members []*schedule.Member) (list []*schedule.Member) {
	for _, m := range members {
		x := *m
		x.Ahead, x.Prefetch, x.PrefetchTile, x.Fetches = 0, "", 0, nil
		x.Stream, x.WholeLines, x.Hold, x.Words, x.Singly, x.Pipeline, x.FirstLines = false, 0, false, false, false, false, 0
		if s.lanes {
			x.Vector = 0
		}
		list = append(list, &x)
	}
	return list
}

// inItem copies what an item does.
func (s *spreading) inItem(n schedule.Node) schedule.Node {
	return s.copied(n, s.inItem)
}

// below makes items of the last loops over results of the first band that has some. What is placed around them, items read together.
func (s *spreading) below(n schedule.Node) schedule.Node {
	switch n := n.(type) {
	case *schedule.Leaf:
		s.failed = true // nothing for the items
	case *schedule.Place:
		x := *n
		x.Region = schedule.Local
		return s.copied(&x, s.below)
	case *schedule.Band:
		end := len(n.Members)
		for end > 0 && !s.ofResults(n.Members[end-1]) {
			end--
		}
		if end == 0 {
			return s.copied(n, s.below)
		}
		first := end
		for first > 0 && s.ofResults(n.Members[first-1]) {
			first--
		}
		if end-first < len(s.shape) {
			s.failed = true
			return n
		}
		x := &schedule.Band{Members: s.plain(n.Members), Child: s.inItem(n.Child)}
		for k, m := range x.Members[end-len(s.shape) : end] {
			m.Items, m.Unroll, m.Vector = s.shape[k], false, 0
		}
		return x
	}
	return s.copied(n, s.below)
}

// ofResults reports whether a loop may be one over items: of results, and not in parts of registers.
func (s *spreading) ofResults(m *schedule.Member) bool {
	if m.Group > 0 || m.Reverse || m.Vector > 0 && !s.lanes {
		return false
	}
	return !slices.ContainsFunc(m.Loops, func(l schedule.Loop) bool {
		c := s.f.Body[l.Statement]
		return slices.ContainsFunc(c.Indices, func(i *ein.Index) bool { return i.Name == l.Index && i.Combine.Kind != ein.Concat })
	})
}
