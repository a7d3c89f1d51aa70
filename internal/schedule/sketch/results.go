package sketch

import (
	"github.com/ricci-lang/ricci/internal/schedule"
)

// results makes each result that of an item. Neighbouring items are along one index: that along which what is written lies side by
// side, or one along which something that is read does. A sub-group may have several rows of it.
func results(x *subject) (list []schedule.Node) {
	if x.common == 0 || !x.whole() {
		return nil
	}
	for _, fast := range x.fastest() {
		var shapes [][]int64
		for _, total := range doubling(4*x.width(), x.grid.Items) {
			for _, along := range []int64{total, 2 * x.width(), x.width(), x.width() / 2} {
				if shape := x.shape(fast, total, along); shape != nil && !contains(shapes, shape) {
					shapes = append(shapes, shape)
					list = append(list, x.spread(fast, shape))
				}
			}
		}
	}
	return list
}

// fastest lists the common results along which something lies side by side: what is written first.
func (x *subject) fastest() (list []int) {
	list = append(list, x.common-1)
	for k := range x.common - 1 {
		side := false
		for _, n := range x.nests {
			for _, r := range n.reads {
				side = side || r.steps[n.results[k]] == 1
			}
		}
		if side {
			list = append(list, k)
		}
	}
	return list
}

// shape shares out items to the common results: so many along one, the others along those around it. Nil: there are not so many
// results, or the machine allows no such axis.
func (x *subject) shape(fast int, total, along int64) []int64 {
	counts := make([]int64, x.common)
	for k := range counts {
		counts[k] = 1
	}
	counts[fast] = min(along, ceilPower(x.extent(fast)))
	left, axis := total/max(counts[fast], 1), 1
	for k := x.common - 1; k >= 0 && axis < 3; k-- {
		if k == fast || left < 2 {
			continue
		}
		counts[k] = min(left, ceilPower(x.extent(k)))
		left /= counts[k]
		axis++
	}
	if counts[fast] < 1 || left > 1 && total > 4*x.width() {
		return nil
	}
	return counts
}

// spread makes groups and items of blocks of results. The fastest index is the last axis.
func (x *subject) spread(fast int, counts []int64) schedule.Node {
	var groups, items []*schedule.Member
	for _, k := range x.order(fast) {
		g := x.group(k, counts[k])
		if counts[k] > 1 {
			g.Pad = x.extent(k)%counts[k] != 0
			items = append(items, x.item(k, counts[k], 1))
		}
		groups = append(groups, g)
	}
	return band(groups, band(items, held(x.passed(true), x.inOrder(func(n *nest) schedule.Node { return n.serial(nil) }))))
}

// order puts one of the common results behind the others.
func (x *subject) order(last int) (list []int) {
	for k := range x.common {
		if k != last {
			list = append(list, k)
		}
	}
	return append(list, last)
}

func contains(list [][]int64, shape []int64) bool {
	for _, other := range list {
		same := true
		for k := range shape {
			same = same && other[k] == shape[k]
		}
		if same {
			return true
		}
	}
	return false
}
