package sketch

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// bins is for reductions whose points each determine an index of their result, as those of histograms do. The items of a group go through
// points, and have all bins: one array that they update at once, where the operator is one of integers; or each an array of its
// own, which they combine. Groups have parts of the points, which a second launch combines.
func bins(x *subject) (list []schedule.Node) {
	n := x.nests[0]
	bin := slices.IndexFunc(n.results, func(i *ein.Index) bool { return schedule.DeterminationOf(n.c, i) != nil })
	if bin < 0 || len(n.reduced) == 0 {
		return nil
	}
	op, _ := ein.ReductionOperator(n.c)
	_, atomic := op.Atomic()
	along := n.reduced[len(n.reduced)-1]
	for _, items := range doubling(x.width()/2, min(x.grid.Items, ceilPower(extentOf(along)))) {
		for _, shared := range []bool{true, false} {
			if shared && !atomic {
				continue
			}
			within := n.foundBy(x, bin, along, items, shared)
			others := x.others(bin)
			if len(others) == 0 {
				list = append(list, band(x.eachGroup(0), within))
			} else {
				list = append(list, band(others, within))
			}
			for _, each := range doubling(4*items, min(extentOf(along), 64*items)) {
				part := n.loop(along)
				part.Groups, part.Tile, part.Pad = true, each, extentOf(along)%each != 0
				parts := band(append([]*schedule.Member{part}, others...), within)
				for _, tree := range []int64{0, 8} {
					list = append(list, &schedule.Accumulate{Statement: n.statement, Region: schedule.Workspace, Items: x.width(), Tree: tree, Child: parts})
				}
			}
		}
	}
	return list
}

// others are groups of each value of the results but one.
func (x *subject) others(bin int) (list []*schedule.Member) {
	for k := range x.common {
		if k != bin {
			list = append(list, x.group(k, 1))
		}
	}
	return list
}

// foundBy are sums of the items of a group, whose points determine a bin.
func (n *nest) foundBy(x *subject, bin int, along *ein.Index, items int64, shared bool) schedule.Node {
	first := n.loop(along)
	first.Items = items
	members := []*schedule.Member{first}
	for _, i := range n.reduced {
		if i != along {
			members = append(members, n.loop(i))
		}
	}
	found := n.loop(n.results[bin])
	found.Determined = true
	sums := &schedule.Accumulate{Statement: n.statement, Region: schedule.Local, Atomic: shared, Child: band(append(members, found), &schedule.Leaf{})}
	return schedule.BandOver(n.statement, n.single, sums)
}
