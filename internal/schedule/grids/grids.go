// Package grids makes the default schedule of a function for devices with groups of items.
package grids

import (
	"math/bits"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How it works
//
// Every statement is a launch, in the order of the program. Its results are independent, so that the loops over them become groups
// and items: a group has a block of results, and an item one of them, with all that is reduced to it. How many items a block has
// along which index follows from what a group of the machine may have: neighbours in memory go to neighbouring items first, since
// these load and store at the same time; where something is reduced, what is read serves a row of results and a column of them, so
// that blocks are as square as they can be. Items share results where there are few of them, or where what is reduced lies side by side
// (reductions.go). Blocks are padded: all have the same code, and what does not exist is left out by a test.
// What is made is checked like any other schedule; a statement whose launch is not legal is run by one item.

// Default returns a legal schedule for a specialised function.
func Default(f *ein.Func, g machine.Grid) (*schedule.Tree, error) {
	t := schedule.Canonical(f)
	seq, ok := t.Root.(*schedule.Sequence)
	if !ok {
		return t, schedule.Check(f, t)
	}
	choices := make([][]schedule.Node, len(seq.Children))
	for s, child := range seq.Children {
		choices[s] = launchesOf(f, s, g, child.Child)
		child.Child = choices[s][0]
	}
	if schedule.Check(f, t) == nil {
		return t, nil
	}
	for s, child := range seq.Children {
		child.Child = choices[s][len(choices[s])-1]
	}
	for s, child := range seq.Children {
		for _, choice := range choices[s] {
			if child.Child = choice; schedule.Check(f, t) == nil {
				break
			}
		}
	}
	return t, schedule.Check(f, t)
}

// Launches makes launches of a statement, the one that is wanted first; none where one item does it.
func Launches(f *ein.Func, s int, g machine.Grid) []schedule.Node {
	list := launchesOf(f, s, g, schedule.Canonical(f).Root.(*schedule.Sequence).Children[s].Child)
	return list[:len(list)-1]
}

// launchesOf makes launches of a statement around what its item does, the one that is wanted first. The last one is its plain
// loops, which one item goes through.
func launchesOf(f *ein.Func, s int, g machine.Grid, plain schedule.Node) []schedule.Node {
	c := f.Body[s]
	results := slices.DeleteFunc(c.ByKind(ein.Concat), isSingle)
	single := slices.DeleteFunc(c.ByKind(ein.Concat), func(i *ein.Index) bool { return !isSingle(i) })
	list := append(histogramOf(c, s, results, g), reductionOf(c, s, results, g)...)
	for k, launch := range list { // nobody shares out an index of one value, such as that of a batch of one
		list[k] = schedule.BandOver(s, single, launch)
	}
	if len(results) > 0 {
		list = append(list, blocksOf(c, s, results, g, plain))
	}
	return append(list, plain)
}

// isSingle reports whether an index has one value.
func isSingle(i *ein.Index) bool {
	n, known := i.Extent.IsConst()
	return known && n <= 1
}

// blocksOf makes a launch in which each item has results of its own.
func blocksOf(c *ein.Comprehension, s int, results []*ein.Index, g machine.Grid, plain schedule.Node) schedule.Node {
	counts := shares(results, fastest(c, results), g, len(ein.Reduced(c)) > 0)
	groups, items := &schedule.Band{}, &schedule.Band{}
	for _, i := range inOrder(results, fastest(c, results)) {
		m := memberOver(s, i)
		if m.Groups = true; counts[i] > 1 {
			m.Tile, m.Pad = counts[i], true
			item := memberOver(s, i)
			item.Items = counts[i]
			items.Members = append(items.Members, item)
		}
		groups.Members = append(groups.Members, m)
	}
	inside := withoutLoops(plain, s, results)
	if len(items.Members) > 0 {
		items.Child, inside = inside, items
	}
	groups.Child = inside
	return groups
}

func memberOver(s int, i *ein.Index) *schedule.Member {
	return &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: i.Name}}, Tile: 1}
}

// withoutLoops leaves out the outermost loops of a plain nest, over results that are enumerated further out.
func withoutLoops(n schedule.Node, s int, results []*ein.Index) schedule.Node {
	b, ok := n.(*schedule.Band)
	if !ok {
		return n
	}
	rest := slices.DeleteFunc(slices.Clone(b.Members), func(m *schedule.Member) bool {
		return slices.ContainsFunc(results, func(i *ein.Index) bool { return i.Name == m.Loops[0].Index })
	})
	if len(rest) == 0 {
		return b.Child
	}
	return &schedule.Band{Members: rest, Child: b.Child}
}

// fastest is the index of results along which what is written lies side by side, or the last one.
func fastest(c *ein.Comprehension, results []*ein.Index) *ein.Index {
	w := c.Writes[0]
	for d := len(w.Subscripts) - 1; d >= 0; d-- {
		if i, _, linear := schedule.IndexPlusConstant(c, w.Subscripts[d]); linear && slices.Contains(results, i) {
			return i
		}
	}
	return results[len(results)-1]
}

// inOrder puts the fastest index last: that is where neighbouring items are.
func inOrder(results []*ein.Index, fast *ein.Index) []*ein.Index {
	list := slices.DeleteFunc(slices.Clone(results), func(i *ein.Index) bool { return i == fast })
	return append(list, fast)
}

// shares says how many items a group has along each index.
func shares(results []*ein.Index, fast *ein.Index, g machine.Grid, square bool) map[*ein.Index]int64 {
	counts := map[*ein.Index]int64{}
	order := inOrder(results, fast)
	slices.Reverse(order)
	left := floorPower(g.Items)
	for k, i := range order {
		if k == len(g.Along) {
			break
		}
		most := left
		if square && k == 0 && len(order) > 1 {
			most = max(ceilRoot(left), left/ceilPower(extentOf(order[1])), g.Width)
		}
		if g.Along[k] > 0 {
			most = min(most, floorPower(g.Along[k]))
		}
		counts[i] = min(most, left, ceilPower(extentOf(i)))
		left /= counts[i]
	}
	return counts
}

// extentOf is how many values an index has; one of unknown size may have any number.
func extentOf(i *ein.Index) int64 {
	if n, known := i.Extent.IsConst(); known {
		return max(n, 1)
	}
	return 1 << 30
}

// floorPower and ceilPower are the next powers of two.
func floorPower(n int64) int64 { return 1 << (bits.Len64(uint64(max(n, 1))) - 1) }
func ceilPower(n int64) int64  { return 1 << bits.Len64(uint64(max(n, 1)-1)) }

// ceilRoot is the power of two whose square is n, or the next one above.
func ceilRoot(n int64) int64 { return 1 << ((bits.Len64(uint64(n)-1) + 1) / 2) }
