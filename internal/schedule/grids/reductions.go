package grids

import (
	"cmp"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How reductions are shared out
//
// Items that follow each other load at the same time, so they want neighbours in memory. Where the tensors of a reduction have what is
// reduced side by side, as the rows of a matrix that are summed have, items that follow each other share a result: as many as have some
// points each, a sub-group where there are many results. Where they have results side by side, and there are few of these, items share a
// result that are apart by those of its neighbours. Where there are so few results that their groups would not fill a device, what is
// reduced is cut into parts of several groups, which a second launch combines.
// Scans are shared out in the same way; an item has several points side by side, since items wait for each other in every round.

const (
	// worth is how many points an item has at least where items share a result: to combine what they have takes up to ten steps.
	worth = 8
	// sideBySide is how many items load at the same time where a machine has no sub-groups: float32 of a line of 128 bytes.
	sideBySide = 32
	// launches is how many points an item goes through, at least, in the time of a launch: with fewer there is no second one.
	launches = 64
)

// A shared reduction says how items share results.
type shared struct {
	s             int
	c             *ein.Comprehension
	g             machine.Grid
	results       []*ein.Index // the fastest last
	cut           []axis       // what is reduced over items, the fastest last
	team, beside  int64        // items along these, and along the fastest of results
	resultsBehind bool         // the items along results follow each other, not those of a team
	tile          int64        // points of an item side by side: of a scan as many as make it worth while
	launches      int64        // how many there are more in two passes
	bin           *ein.Index   // of results, of which each item has all; nil: of none
}

// An axis is an index with items along it.
type axis struct {
	index *ein.Index
	items int64
}

// reductionOf makes launches in which items share what is reduced to a result, the one that is wanted first. There is none for other
// statements, and where each item has results of its own.
func reductionOf(c *ein.Comprehension, s int, results []*ein.Index, g machine.Grid) (list []schedule.Node) {
	reduced := ein.Reduced(c)
	_, free := ein.ReductionOperator(c)
	_, _, scan := ein.ScanOperator(c)
	if !free && !scan || len(reduced) == 0 {
		return nil
	}
	p := shared{s: s, c: c, g: g, results: results, beside: 1, tile: 1, launches: 1}
	if scan {
		p.tile, p.launches = worth, 2
	}
	width, most := p.width(), floorPower(g.Items)
	if bytes := schedule.ComponentBytes(reduced[0].Combine.Op); g.Local > 0 { // each may have a part there, of a scan two
		most = min(most, floorPower(g.Local/(bytes*p.launches)))
	}
	number := int64(1)
	for _, i := range results {
		number *= min(extentOf(i), g.Items)
	}
	few := number < most
	fast := neighbours(c)
	switch {
	case few && slices.Contains(results, fast):
		p.results, p.resultsBehind = inOrder(results, fast), true
		p.beside = min(width, ceilPower(extentOf(fast)))
		p.spread(reduced, 1, most/p.beside)
	case few && (fast == nil || slices.Contains(reduced, fast)):
		reduced = inOrder(reduced, cmp.Or(fast, reduced[len(reduced)-1]))
		p.spread(reduced, width, most)
		p.share(max(1, width/p.team))
	case slices.Contains(reduced, fast) && extentOf(fast) >= width && readOnce(c, results):
		reduced = inOrder(reduced, fast)
		p.spread(reduced, width, width)
		p.share(most / p.team)
	}
	if p.team < 2 || !p.fits() {
		return nil
	}
	if parts, index := p.parts(number, reduced); parts > 1 {
		list = append(list, p.inTwoPasses(parts, index))
	}
	return append(list, p.launch(nil))
}

// neighbours is the index along which the tensors that a reduction reads, those with most dimensions, have neighbours: one of results
// if any of them has; nil where it is none.
func neighbours(c *ein.Comprehension) (fast *ein.Index) {
	dims := 0
	for _, a := range c.Accesses() {
		if n := len(a.Subscripts); n > 0 && n >= dims {
			i, _, linear := schedule.IndexPlusConstant(c, a.Subscripts[n-1])
			for d := n - 2; d >= 0 && linear && isSingle(i); d-- { // what is before lies side by side then
				i, _, linear = schedule.IndexPlusConstant(c, a.Subscripts[d])
			}
			switch {
			case !linear && n > dims:
				fast = nil
			case linear && (n > dims || fast == nil || i.Combine.Kind == ein.Concat):
				fast = i
			}
			dims = n
		}
	}
	return fast
}

// readOnce reports whether a tensor is read in which each result has elements of its own.
func readOnce(c *ein.Comprehension, results []*ein.Index) bool {
	return slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool {
		return !slices.ContainsFunc(results, func(i *ein.Index) bool {
			return !slices.ContainsFunc(a.Subscripts, func(sub ein.Expr) bool { return uses(sub, i) })
		})
	})
}

// uses reports whether an expression depends on an index.
func uses(e ein.Expr, i *ein.Index) (found bool) {
	ein.Walk(e, func(e ein.Expr) bool {
		ref, ok := e.(*ein.IndexRef)
		found = found || ok && ref.Index == i
		return !found
	})
	return found
}

// share gives the fastest of results so many items at most.
func (p *shared) share(most int64) {
	if len(p.results) > 0 {
		p.results = inOrder(p.results, fastest(p.c, p.results))
		p.beside = min(most, ceilPower(extentOf(p.results[len(p.results)-1])))
	}
}

// fits reports whether the machine has so many items along each axis.
func (p *shared) fits() bool {
	axes := []int64{p.beside}
	for _, a := range p.cut {
		axes = append(axes, a.items)
	}
	if slices.Reverse(axes); p.resultsBehind {
		axes = append([]int64{p.beside}, axes[:len(p.cut)]...)
	}
	for k, n := range axes {
		if k = min(k, len(p.g.Along)-1); p.g.Along[k] > 0 && n > p.g.Along[k] {
			return false
		}
	}
	return len(axes) <= len(p.g.Along)
}

// spread spreads reduced indices over so many items at most, the last one first, if each has some points, or there are but a few items.
func (p *shared) spread(reduced []*ein.Index, few, most int64) {
	left := min(most, max(few, floorPower(pointsOf(reduced)/worth)))
	p.team = 1
	for k, i := range slices.Backward(reduced) {
		along := min(left, floorPower(extentOf(i)/p.tile))
		if n := p.g.Along[0]; k == len(reduced)-1 && n > 0 {
			along = min(along, floorPower(n))
		}
		if along > 1 {
			p.cut = append([]axis{{i, along}}, p.cut...)
			p.team, left = p.team*along, left/along
		}
	}
}

// width is how many items load at the same time.
func (p *shared) width() int64 {
	if p.g.Width > 0 {
		return p.g.Width
	}
	return min(sideBySide, floorPower(p.g.Items))
}

// pointsOf is how many points some indices have, or very many.
func pointsOf(list []*ein.Index) int64 {
	n := int64(1)
	for _, i := range list {
		n = min(n*min(extentOf(i), 1<<30), 1<<31)
	}
	return n
}

// parts says into how many parts what is reduced is cut, and along which index: so many that there are as many groups as a group has
// items, if each part has points enough for its items.
func (p *shared) parts(results int64, reduced []*ein.Index) (parts int64, index *ein.Index) {
	pieces := func(i *ein.Index) int64 { return extentOf(i) / (p.along(i) * p.tile) }
	index = slices.MaxFunc(reduced, func(a, b *ein.Index) int { return cmp.Compare(pieces(a), pieces(b)) })
	points, groups := pointsOf(reduced)/p.team, (results+p.beside-1)/p.beside
	if points < launches*p.launches {
		return 1, nil
	}
	return min(p.g.Items/groups, points/worth, pieces(index)), index
}

// along is how many items there are along an index.
func (p *shared) along(i *ein.Index) int64 {
	if k := slices.IndexFunc(p.cut, func(a axis) bool { return a.index == i }); k >= 0 {
		return p.cut[k].items
	}
	return 1
}

// inTwoPasses makes a launch of so many parts along a reduced index, and one that combines them.
func (p *shared) inTwoPasses(parts int64, index *ein.Index) schedule.Node {
	m := memberOver(p.s, index)
	m.Groups, m.Tile = true, (extentOf(index)+parts-1)/parts
	n := p.along(index) * p.tile
	m.Tile = (m.Tile + n - 1) / n * n
	m.Pad = m.Tile > 1
	both := &schedule.Accumulate{Statement: p.s, Region: schedule.Workspace}
	all := int64(1)
	for _, i := range append(slices.Clip(p.results), p.bin) {
		if i != nil {
			all = min(all*min(extentOf(i), 1<<20), 1<<20)
		}
	}
	most := min(floorPower(p.g.Items), schedule.MostItemsOfParts)
	if both.Items = min(floorPower(all), sideBySide, most); both.Items == 1 {
		both.Items = 0
	}
	both.Tree = min(ceilPower(parts), most/max(both.Items, 1))
	if w := p.g.Width; w > 1 && both.Items == 0 && both.Tree >= w {
		both.Shuffle = w
	}
	both.Child = p.launch(m)
	return both
}

// launch makes the launch of groups, of which those of a part are apart.
func (p *shared) launch(part *schedule.Member) schedule.Node {
	groups, items := &schedule.Band{}, &schedule.Band{Child: &schedule.Leaf{}}
	if part != nil {
		groups.Members = append(groups.Members, part)
	}
	for k, i := range p.results {
		m := memberOver(p.s, i)
		m.Groups = true
		if k == len(p.results)-1 && p.beside > 1 {
			m.Tile, m.Pad = p.beside, true
			beside := memberOver(p.s, i)
			beside.Items = p.beside
			items.Members = append(items.Members, beside)
		}
		groups.Members = append(groups.Members, m)
	}
	if len(groups.Members) == 0 { // there is one group
		m := memberOver(p.s, schedule.SingleIndex(schedule.SingleName(0)))
		m.Groups = true
		groups.Members = append(groups.Members, m)
	}
	for k, a := range p.cut {
		m := memberOver(p.s, a.index)
		if m.Items = a.items; p.tile > 1 {
			m.Tile, m.Pad = p.tile, true
			items.Child = &schedule.Band{Members: []*schedule.Member{memberOver(p.s, a.index)}, Child: &schedule.Leaf{}}
		}
		if p.resultsBehind {
			items.Members = slices.Insert(items.Members, k, m)
			continue
		}
		items.Members = append(items.Members, m)
	}
	for _, i := range ein.Reduced(p.c) {
		if p.along(i) == 1 {
			items.Members = append(items.Members, memberOver(p.s, i))
		}
	}
	if p.bin != nil {
		m := memberOver(p.s, p.bin)
		m.Determined = true
		items.Child = &schedule.Band{Members: []*schedule.Member{m}, Child: items.Child}
	}
	n := &schedule.Accumulate{Statement: p.s, Region: schedule.Local, Child: items}
	if w := p.g.Width; w > 1 && p.bin == nil && !p.resultsBehind && p.team*p.beside%w == 0 && p.team/w <= w {
		n.Shuffle = w
	}
	groups.Child = n
	return groups
}
