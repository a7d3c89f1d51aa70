package sketch

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// exchange stages blocks in local memory that are read along another index than the one along which results lie side by side: a
// transposition is one of them. The block is square, of one or two sub-groups; the items copy it in the order in which it lies
// there, and take it in the order of the results.
func exchange(x *subject) (list []schedule.Node) {
	if x.common < 2 || !x.whole() {
		return nil
	}
	fast := x.common - 1
	for k := range x.common - 1 {
		staged := x.readAlong(k)
		if len(staged) == 0 {
			continue
		}
		for _, side := range []int64{x.width(), 2 * x.width()} {
			for _, rows := range doubling(4, min(side, x.grid.Items/side)) {
				list = append(list, x.exchanged(k, fast, side, rows, staged))
			}
		}
	}
	return list
}

// readAlong lists the tensors that are only read, and lie side by side along a common result.
func (x *subject) readAlong(k int) (list []*ein.Tensor) {
	for _, n := range x.nests {
		for _, r := range n.reads {
			if r.steps[n.results[k]] == 1 && !slices.Contains(list, r.tensor) && x.onlyRead(r.tensor) {
				list = append(list, r.tensor)
			}
		}
	}
	return list
}

// onlyRead reports whether no statement of the subject writes a tensor.
func (x *subject) onlyRead(t *ein.Tensor) bool {
	return !slices.ContainsFunc(x.nests, func(n *nest) bool {
		return slices.ContainsFunc(n.c.Writes, func(w *ein.Write) bool { return w.Tensor == t })
	})
}

func (x *subject) exchanged(k, fast int, side, rows int64, staged []*ein.Tensor) schedule.Node {
	var groups []*schedule.Member
	for _, o := range x.order(fast) {
		tile := int64(1)
		if o == k || o == fast {
			tile = side
		}
		groups = append(groups, x.group(o, tile))
	}
	items := []*schedule.Member{x.item(k, rows, side/rows), x.item(fast, side, 1)}
	within := x.inOrder(func(n *nest) schedule.Node {
		if side == rows {
			return n.serial(nil)
		}
		return n.serial([]*ein.Index{n.results[k]})
	})
	return band(groups, band(items, placed(staged, within)))
}

// placed puts tensors into local memory.
func placed(list []*ein.Tensor, below schedule.Node) schedule.Node {
	for _, t := range slices.Backward(list) {
		below = &schedule.Place{Tensor: t.Name, Region: schedule.Local, Child: below}
	}
	return below
}
