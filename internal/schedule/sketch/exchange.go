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
		g := x.group(o, tile)
		g.Pad = tile > 1 && x.extent(o)%tile != 0
		groups = append(groups, g)
	}
	items := []*schedule.Member{x.item(k, rows, 1), x.item(fast, side, 1)}
	within := band(items, x.inOrder(func(n *nest) schedule.Node { return n.serial(nil) }))
	for _, t := range slices.Backward(staged) {
		within = &schedule.Place{Tensor: t.Name, Region: schedule.Local, Pad: padding(t, 1), Child: within}
	}
	return band(groups, within)
}

// padding is by how many elements the rows of a block in local memory are longer, so that columns lie in different banks.
func padding(t *ein.Tensor, elements int64) int64 {
	if len(t.Dims) < 2 {
		return 0
	}
	return elements
}
