package scheduletest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// gridTrees gives a drawn tree groups and items, where they may be and elsewhere.
type gridTrees struct {
	*Trees
	items []int64 // of the launch around
}

const (
	onHost = iota
	inGroup
	inItem
)

// mark goes down a subtree whose loops run on the host, for a group, or for an item.
func (mk *gridTrees) mark(n schedule.Node, level int) {
	switch n := n.(type) {
	case *schedule.Band:
		level = mk.members(n.Members, level)
	case *schedule.Accumulate:
		if n.Region != schedule.Private && n.Region != schedule.Output && (n.Region != schedule.Shared || mk.below(2, "shared") == 0) {
			n.Region = schedule.Register
		}
	case *schedule.Place:
		if n.Region == schedule.Workspace {
			n.Region = schedule.Private
		}
	}
	for _, child := range schedule.Children(n) {
		mk.mark(child, level)
	}
}

// members marks the loops of a band.
func (mk *gridTrees) members(list []*schedule.Member, level int) int {
	for k := 0; k < len(list); k++ {
		m := list[k]
		m.Parallel = false
		if m.Vector > 0 || m.Determined || m.Guarded {
			continue
		}
		switch {
		case level == onHost && mk.below(3, "groups") > 0:
			m.Groups, level, mk.items = true, inGroup, nil
			for k+1 < len(list) && list[k+1].Vector == 0 && mk.below(3, "more") > 0 {
				k++
				list[k].Groups, list[k].Parallel = true, false
			}
		case level == inGroup && mk.below(4, "items") > 0:
			if mk.items == nil {
				for range 1 + mk.below(2, "axes") {
					mk.items = append(mk.items, int64(1+mk.below(5, "count")))
				}
			}
			m.Items, level = mk.items[0], inItem
			for d := 1; d < len(mk.items) && k+1 < len(list); d++ {
				k++
				list[k].Items, list[k].Parallel = mk.items[d], false
			}
		}
	}
	return level
}

// flatten makes one band of those that follow each other, so that there are several axes.
func flatten(n schedule.Node) schedule.Node {
	switch n := n.(type) {
	case *schedule.Sequence:
		for _, child := range n.Children {
			child.Child = flatten(child.Child)
		}
	case *schedule.Accumulate:
		n.Child = flatten(n.Child)
	case *schedule.Place:
		n.Child = flatten(n.Child)
	case *schedule.Band:
		n.Child = flatten(n.Child)
		if inner, ok := n.Child.(*schedule.Band); ok {
			n.Members, n.Child = append(n.Members, inner.Members...), inner.Child
		}
	}
	return n
}

// A gridMaker is a way to draw a tree with groups.
type gridMaker struct {
	Name  string
	often int
	draw  func(mk *gridTrees) schedule.Node
}

// gridMakers are the ways to draw a tree with groups, and how often each is taken.
var gridMakers = []gridMaker{
	{"free", 2, func(mk *gridTrees) schedule.Node {
		root := flatten(mk.Tree())
		mk.mark(root, onHost)
		return root
	}},
	{"one launch", 2, func(mk *gridTrees) schedule.Node { return mk.oneLaunch(mk.all()) }},
	{"launches", 4, (*gridTrees).launches},
}

// openMakers are those for open sizes: blocks in turns have their faults there.
var openMakers = append(gridMakers[:len(gridMakers):len(gridMakers)], gridMaker{"turns", 8, (*gridTrees).inTurns})

// Grid draws a tree with groups for a function, and says how; ok is false where none of some is legal.
func Grid(t *rapid.T, f *ein.Func) (tree *schedule.Tree, how string, ok bool) {
	return gridBy(t, f, gridMakers)
}

// gridBy draws one in some of the ways.
func gridBy(t *rapid.T, f *ein.Func, makers []gridMaker) (tree *schedule.Tree, how string, ok bool) {
	if len(f.Body) == 0 {
		return nil, "", false
	}
	var ways []int
	for n, m := range makers {
		ways = append(ways, slices.Repeat([]int{n}, m.often)...)
	}
	tree = schedule.Canonical(f)
	for range 5 {
		mk := &gridTrees{Trees: NewTrees(t, f)}
		way := makers[ways[mk.below(len(ways), "tree")]]
		tree.Root = way.draw(mk)
		if schedule.HasGrids(tree.Root) && schedule.Check(f, tree) == nil {
			return tree, way.Name, true
		}
	}
	return nil, "", false
}

// oneLaunch draws one launch for all statements, whose first results are of one group.
func (mk *gridTrees) oneLaunch(active []int) schedule.Node {
	m, done := &schedule.Member{Tile: int64(1 + mk.below(4, "tile")), Groups: true}, map[dimension]int64{}
	seq := &schedule.Sequence{}
	for _, s := range active {
		all := mk.f.Body[s].ByKind(ein.Concat)
		if len(all) == 0 {
			return mk.nestOf(s, nil, onHost)
		}
		i := all[mk.below(len(all), "index")]
		m.Loops = append(m.Loops, schedule.Loop{Statement: s, Index: i.Name})
		done[dimension{s, i.Name}] = m.Tile
	}
	for _, s := range active {
		seq.Children = append(seq.Children, &schedule.Filter{Statements: []int{s}, Child: mk.nestOf(s, done, inGroup)})
	}
	band := &schedule.Band{Members: []*schedule.Member{m}, Child: seq}
	if mk.below(3, "on the host") == 0 {
		m.Groups = false
		mk.mark(seq, onHost)
	}
	return band
}

// launches draws a launch for each statement.
func (mk *gridTrees) launches() schedule.Node {
	seq := &schedule.Sequence{}
	for _, s := range mk.all() {
		mk.items = nil
		seq.Children = append(seq.Children, &schedule.Filter{Statements: []int{s}, Child: mk.nestOf(s, nil, onHost)})
	}
	return seq
}
