package sketch

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/grids"
)

// together lets the items of a group reduce a result together: neighbouring items have neighbouring values of one reduced index, and
// combine what they have by shuffles, where the machine has sub-groups, and in local memory. Where the index has few values, and others are reduced,
// they go along two. A group may have several results of
// the last index beside each other, each with some of the items.
func together(x *subject) (list []schedule.Node) {
	n := x.nests[0]
	if !n.free || len(n.reduced) == 0 {
		return nil
	}
	for _, along := range n.reduced {
		least, most := min(x.width(), ceilPower(extentOf(along))), min(x.grid.Items, ceilPower(extentOf(along)))
		for _, items := range doubling(2*most, x.grid.Items) {
			if n.second(along, items) != nil {
				list = append(list, band(x.eachGroup(x.common), n.shared(x, along, items, true)))
			}
		}
		for _, items := range doubling(least, most) {
			list = append(list, band(x.eachGroup(x.common), n.shared(x, along, items, false)))
			for _, beside := range []int64{4, 8, 16} {
				if x.common > 0 && items*beside <= x.grid.Items && beside <= ceilPower(x.extent(x.common-1)) {
					list = append(list, x.teams(along, items, beside))
				}
			}
		}
	}
	return list
}

// eachGroup makes a group of each value of the first common results.
func (x *subject) eachGroup(results int) (list []*schedule.Member) {
	for k := range results {
		list = append(list, x.group(k, 1))
	}
	if results == 0 {
		m := &schedule.Member{Tile: 1, Groups: true}
		for _, n := range x.nests {
			m.Loops = append(m.Loops, schedule.Loop{Statement: n.statement, Index: schedule.SingleName(0)})
		}
		list = append(list, m)
	}
	return list
}

// shared is a reduction by the items of a group, along one index, or along two.
func (n *nest) shared(x *subject, along *ein.Index, items int64, square bool) schedule.Node {
	return schedule.BandOver(n.statement, n.single, n.combined(x, nil, along, items, square))
}

// combined are the sums of a team of items, with items for results beside them.
func (n *nest) combined(x *subject, beside []*schedule.Member, along *ein.Index, items int64, square bool) schedule.Node {
	own := append(beside[:len(beside):len(beside)], n.team(along, items, square)...)
	sums := &schedule.Accumulate{Statement: n.statement, Region: schedule.Local, Child: band(own, &schedule.Leaf{})}
	if w := x.grid.Width; w > 1 && items%w == 0 && items/w <= w {
		sums.Shuffle = w
	}
	return sums
}

// team are the loops over what is reduced, of which the first ones have so many items together: those along one index alone, or, where that has
// fewer values, those along another one, too, so that the short rows of a long sum keep all of them busy.
func (n *nest) team(along *ein.Index, items int64, square bool) (list []*schedule.Member) {
	first, others := n.loop(along), []*schedule.Member(nil)
	first.Items = items
	second := n.second(along, items)
	for _, i := range n.reduced {
		switch {
		case i == along:
		case square && i == second:
			first.Items = ceilPower(extentOf(along))
			m := n.loop(i)
			m.Items = items / first.Items
			list = append(list, m)
		default:
			others = append(others, n.loop(i))
		}
	}
	return append(append(list, first), others...)
}

// second is the longest other index that is reduced, if it has values for the items that find none along the first one; nil: there is none.
func (n *nest) second(along *ein.Index, items int64) (best *ein.Index) {
	for _, i := range n.reduced {
		if i != along && (best == nil || extentOf(i) > extentOf(best)) {
			best = i
		}
	}
	if best == nil || ceilPower(extentOf(along)) >= items || ceilPower(extentOf(best)) < items/ceilPower(extentOf(along)) {
		return nil
	}
	return best
}

// teams gives a group several results of the last index.
func (x *subject) teams(along *ein.Index, items, beside int64) schedule.Node {
	n, last := x.nests[0], x.common-1
	groups := x.eachGroup(last)
	if last == 0 {
		groups = nil
	}
	g := x.group(last, beside)
	g.Pad = x.extent(last)%beside != 0
	rows := []*schedule.Member{x.item(last, beside, 1)}
	return band(append(groups, g), schedule.BandOver(n.statement, n.single, n.combined(x, rows, along, items, false)))
}

// parts takes the launches that package grids makes of a reduction or a scan, for groups of several sizes: two passes among them.
func parts(x *subject) (list []schedule.Node) {
	n := x.nests[0]
	if len(n.reduced) == 0 {
		return nil
	}
	for _, items := range doubling(4*x.width(), x.grid.Items) {
		g := *x.grid
		g.Items = items
		list = append(list, grids.Launches(x.f, n.statement, g)...)
	}
	return list
}
