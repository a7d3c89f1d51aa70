package lower_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// A gridMaker gives a drawn tree groups and items, where they may be and elsewhere.
type gridMaker struct {
	*treeMaker
	items []int64 // of the launch around
}

const (
	onHost = iota
	inGroup
	inItem
)

// mark goes down a subtree whose loops run on the host, for a group, or for an item.
func (mk *gridMaker) mark(n schedule.Node, level int) {
	switch n := n.(type) {
	case *schedule.Band:
		level = mk.members(n.Members, level)
	case *schedule.Accumulate:
		if n.Region != schedule.Private && n.Region != schedule.Output {
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
func (mk *gridMaker) members(list []*schedule.Member, level int) int {
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

// TestGridFuzz draws functions and trees with groups and items: what Check accepts is lowered, proved to stay in bounds, has no
// races and no divergent barriers, and computes what the reference evaluator does.
func TestGridFuzz(t *testing.T) {
	accepted, refused, grids, spread, waits, locals, unproved := 0, 0, 0, 0, 0, 0, 0
	for n := range sweep.Draws(t, 3, 200) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				f := eintest.FuncWith(t, eintest.Options{NoHalf: true})
				sizes := eintest.Sizes(t)
				args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, sizes)
				if err != nil {
					t.Fatal(err)
				}
				g, err := f.Specialise(sizes, nil)
				if err != nil {
					t.Fatal(err)
				}
				tree, ok := drawnGrid(t, g)
				if !ok {
					refused++
					return
				}
				accepted++
				kernel, err := lower.Lower(g, tree, lower.Options{})
				if err != nil {
					t.Fatalf("lower: %v\n%s\n%s", err, g, schedule.Print(tree))
				}
				switch err := loop.Verify(kernel); {
				case errors.Is(err, loop.ErrUnproved): // as it is with threads instead of groups, seldom
					unproved++
				case err != nil:
					t.Fatalf("verify: %v\n%s\n%s\n%s", err, g, schedule.Print(tree), loop.Print(kernel))
				}
				if len(loop.Grids(kernel)) > 0 {
					grids++
				}
				for _, launch := range loop.Grids(kernel) {
					locals += len(launch.Local)
				}
				if schedule.HasItems(tree.Root) {
					spread++
				}
				loop.Walk(kernel.Body, loop.Visitor{Stmt: func(s loop.Stmt) {
					if _, ok := s.(*loop.Barrier); ok {
						waits++
					}
				}})
				compare(t, f, g, tree, kernel, args, sizes)
			})
		})
	}
	if unproved*100 > accepted {
		t.Errorf("of %d trees %d are not proved to stay in bounds", accepted, unproved)
	}
	t.Logf("%d trees accepted, %d with groups, %d with items, %d barriers, %d blocks in local memory; %d refused", accepted, grids, spread, waits, locals, refused)
}

// drawnGrid draws a tree with groups for a function; ok is false where none of some is legal.
func drawnGrid(t *rapid.T, f *ein.Func) (tree *schedule.Tree, ok bool) {
	if len(f.Body) == 0 {
		return nil, false
	}
	var active []int
	for s := range f.Body {
		active = append(active, s)
	}
	tree = schedule.Canonical(f)
	for range 5 {
		mk := &gridMaker{treeMaker: newTreeMaker(t, f)}
		switch mk.below(4, "tree") {
		case 0:
			tree.Root = flatten(mk.tree(active, 0))
			mk.mark(tree.Root, onHost)
		case 1:
			tree.Root = mk.fusedGrid(active)
		default:
			seq := &schedule.Sequence{}
			for _, s := range active {
				mk.items = nil
				seq.Children = append(seq.Children, &schedule.Filter{Statements: []int{s}, Child: mk.nestOf(s, nil, onHost)})
			}
			tree.Root = seq
		}
		if schedule.HasGrids(tree.Root) && schedule.Check(f, tree) == nil {
			return tree, true
		}
	}
	return nil, false
}

// fusedGrid draws one launch for all statements, whose first results are of one group.
func (mk *gridMaker) fusedGrid(active []int) schedule.Node {
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

// nestOf draws the loops of a statement: groups, serial ones, items, and what an item does for itself.
func (mk *gridMaker) nestOf(s int, done map[dimension]int64, level int) schedule.Node {
	c := mk.f.Body[s]
	var groups, serial, items, inner []*schedule.Member
	axes := 1 + mk.below(3, "axes")
	if mk.items != nil {
		axes = len(mk.items)
	}
	var blocks []int64 // that the items share
	item := func(i *ein.Index, block int64) {
		if len(items) < axes {
			items, blocks = append(items, member(s, i)), append(blocks, block)
		} else {
			inner = append(inner, member(s, i))
		}
	}
	for _, i := range rapid.Permutation(c.ByKind(ein.Concat)).Draw(mk.t, "order") {
		if tile := done[dimension{s, i.Name}]; tile > 0 {
			if tile > 1 {
				item(i, tile)
			}
			continue
		}
		switch m := member(s, i); mk.below(6, "kind") {
		case 0:
			groups = append(groups, m)
		case 1:
			serial = append(serial, m)
		case 2:
			inner = append(inner, m)
		case 3:
			n, _ := i.Extent.IsConst()
			item(i, n)
		default:
			m.Tile = int64(2 + mk.below(4, "tile"))
			m.Pad = mk.below(4, "pad") == 0
			groups = append(groups, m)
			item(i, m.Tile)
		}
	}
	for _, m := range groups {
		m.Groups = level == onHost
	}
	if len(items) < axes || level == onHost && len(groups) == 0 {
		inner, items = append(items, inner...), nil
		if _, free := ein.ReductionOperator(c); free && (level == inGroup || len(groups) > 0) && len(ein.Reduced(c)) == axes && mk.below(3, "together") > 0 {
			return mk.together(s, append(groups, serial...), inner, axes)
		}
	}
	for k, m := range items {
		if len(mk.items) <= k {
			count := int64(1 + mk.below(5, "count"))
			if mk.below(3, "all") > 0 && blocks[k] > 0 {
				count = blocks[k]
			}
			mk.items = append(mk.items, count)
		}
		m.Items = mk.items[k]
	}
	if _, free := ein.ReductionOperator(c); free && len(items) > 0 && len(ein.Reduced(c)) > 0 && mk.below(3, "held") == 0 {
		return mk.held(s, append(groups, serial...), items, inner)
	}
	return mk.inItem(s, append(append(groups, serial...), items...), inner)
}

// inItem draws what an item does below some loops.
func (mk *gridMaker) inItem(s int, outer, inner []*schedule.Member) schedule.Node {
	c := mk.f.Body[s]
	if n := len(inner); n > 0 && mk.below(3, "vector") == 0 {
		inner[n-1].Vector = 2
	}
	var node schedule.Node = &schedule.Leaf{}
	reduced := ein.Reduced(c)
	_, free := ein.ReductionOperator(c)
	if len(reduced) == 0 || !free {
		outer, inner = append(outer, inner...), nil
	}
	if len(reduced) > 0 {
		b := &schedule.Band{Child: node}
		for _, i := range reduced {
			m := member(s, i)
			if free && mk.below(3, "block") == 0 {
				m.Tile = int64(2 + mk.below(3, "tile"))
				inner = append(inner, member(s, i))
			}
			b.Members = append(b.Members, m)
		}
		b.Members = append(b.Members, inner...)
		region := schedule.Register
		if free {
			region = []schedule.Region{schedule.Register, schedule.Private, schedule.Output}[mk.below(3, "region")]
		}
		node = &schedule.Accumulate{Statement: s, Region: region, Child: b}
	}
	if mk.level(outer) && mk.below(2, "local") == 0 {
		node = mk.placed(s, node)
	}
	if len(outer) == 0 {
		return node
	}
	return &schedule.Band{Members: outer, Child: node}
}

// level reports whether some loop is over items.
func (mk *gridMaker) level(outer []*schedule.Member) bool {
	return slices.ContainsFunc(outer, func(m *schedule.Member) bool { return m.Items > 0 })
}

// placed puts what a statement reads into local memory, somewhere among the loops of an item.
func (mk *gridMaker) placed(s int, n schedule.Node) schedule.Node {
	reads := mk.f.Body[s].Accesses()
	if len(reads) == 0 {
		return n
	}
	switch n := n.(type) {
	case *schedule.Accumulate:
		if mk.below(3, "inside") > 0 {
			n.Child = mk.placed(s, n.Child)
			return n
		}
	case *schedule.Band:
		if k := mk.below(len(n.Members)+1, "at"); k > 0 {
			inner := n.Child
			if k < len(n.Members) {
				inner = &schedule.Band{Members: n.Members[k:], Child: n.Child}
			}
			n.Members, n.Child = n.Members[:k], mk.placed(s, inner)
			return n
		}
	}
	for range 1 + mk.below(2, "places") {
		n = &schedule.Place{Tensor: reads[mk.below(len(reads), "tensor")].Tensor.Name, Region: schedule.Local, Child: n}
	}
	return n
}

// together lets the items of a group reduce together.
func (mk *gridMaker) together(s int, outer, inner []*schedule.Member, axes int) schedule.Node {
	b := &schedule.Band{Child: &schedule.Leaf{}}
	var rest []*schedule.Member
	for k, i := range ein.Reduced(mk.f.Body[s])[:axes] {
		if len(mk.items) <= k {
			mk.items = append(mk.items, int64(1+mk.below(6, "count")))
		}
		m := member(s, i)
		if m.Items = mk.items[k]; mk.below(3, "block") == 0 {
			m.Tile = 2
			rest = append(rest, member(s, i))
		}
		b.Members = append(b.Members, m)
	}
	if rest = append(rest, inner...); len(rest) > 0 && mk.below(2, "register") == 0 {
		b.Child = &schedule.Accumulate{Statement: s, Region: schedule.Register, Child: &schedule.Band{Members: rest, Child: b.Child}}
	} else {
		b.Members = append(b.Members, rest...)
	}
	var node schedule.Node = &schedule.Accumulate{Statement: s, Region: schedule.Local, Child: b}
	if len(outer) > 0 {
		node = &schedule.Band{Members: outer, Child: node}
	}
	return node
}
