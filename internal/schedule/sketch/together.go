package sketch

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// together makes each result that of a group, whose items reduce together, in a tree in local memory. Neighbouring items have
// neighbouring values of one reduced index.
func together(x *subject) (list []schedule.Node) {
	n := x.nests[0]
	if !n.free || len(n.reduced) == 0 {
		return nil
	}
	for _, along := range n.reduced {
		for _, items := range doubling(min(x.width(), ceilPower(extentOf(along))), min(x.grid.Items, ceilPower(extentOf(along)))) {
			list = append(list, band(x.eachGroup(x.common), n.shared(along, items, nil)))
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

// shared is a reduction by the items of a group, along one index, for each of some results.
func (n *nest) shared(along *ein.Index, items int64, results []*ein.Index) schedule.Node {
	first := n.loop(along)
	first.Items = items
	own := []*schedule.Member{first}
	for _, i := range n.reduced {
		if i != along {
			own = append(own, n.loop(i))
		}
	}
	inner := &schedule.Accumulate{Statement: n.statement, Region: schedule.Local, Child: band(own, &schedule.Leaf{})}
	return schedule.BandOver(n.statement, append(n.single[:len(n.single):len(n.single)], results...), inner)
}
