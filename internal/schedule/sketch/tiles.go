package sketch

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// tiles gives an item a tile of results of a reduction, which it keeps in registers: what is read for a row of the tile, or for a column,
// is read once for all of it. What the items of a group read of the same tensors for their tiles, they copy to local memory
// together, for some steps of the reduction. Statements behind the reduction that have the same results follow in the same launch.
func tiles(x *subject) (list []schedule.Node) {
	first := x.nests[0]
	if x.common < 2 || !x.whole() || !first.free || len(first.reduced) == 0 || slices.ContainsFunc(x.nests[1:], func(n *nest) bool { return len(n.reduced) > 0 }) {
		return nil
	}
	column := x.common - 1
	for row := range x.common - 1 {
		if !first.sharesAlong(row) || !first.sharesAlong(column) {
			continue
		}
		for _, t := range tileShapes {
			for _, items := range itemShapes {
				if items[0]*items[1] > x.grid.Items || t[0]*items[0] > 2*ceilPower(x.extent(row)) || t[1]*items[1] > 2*ceilPower(x.extent(column)) {
					continue
				}
				for _, steps := range stepsOf(first) {
					list = append(list, x.tiled(row, column, t, items, steps))
				}
			}
		}
	}
	return list
}

// The shapes of tiles and of the items of a group: rows and columns.
var (
	tileShapes = [][2]int64{{4, 4}, {8, 8}, {8, 4}, {4, 8}, {2, 4}, {2, 2}}
	itemShapes = [][2]int64{{16, 16}, {8, 32}, {8, 16}, {8, 8}}
)

// stepsOf are the steps of the last reduced index whose operands are copied at a time; 0: none are copied.
func stepsOf(n *nest) (list []int64) {
	list = []int64{0}
	for _, steps := range []int64{8, 16, 32} {
		if steps <= extentOf(n.reduced[len(n.reduced)-1]) {
			list = append(list, steps)
		}
	}
	return list
}

// sharesAlong reports whether something that is read is the same along a result.
func (n *nest) sharesAlong(k int) bool {
	return slices.ContainsFunc(n.reads, func(r *read) bool { return r.steps[n.results[k]] == 0 && len(r.tensor.Dims) > 0 })
}

// shared lists the tensors that several items of a block of two results read.
func (x *subject) shared(row, column int) (list []*ein.Tensor) {
	n := x.nests[0]
	for _, r := range n.reads {
		if (r.steps[n.results[row]] == 0 || r.steps[n.results[column]] == 0) && len(r.tensor.Dims) > 0 && x.onlyRead(r.tensor) && !slices.Contains(list, r.tensor) {
			list = append(list, r.tensor)
		}
	}
	return list
}

func (x *subject) tiled(row, column int, tile, items [2]int64, steps int64) schedule.Node {
	var groups []*schedule.Member
	for _, k := range x.order(column) {
		block := map[int]int64{row: tile[0] * items[0], column: tile[1] * items[1]}[k]
		g := x.group(k, block)
		groups = append(groups, g)
	}
	own := []*schedule.Member{x.item(row, items[0], tile[0]), x.item(column, items[1], tile[1])}
	within := x.inOrder(func(n *nest) schedule.Node {
		unrolled := []*schedule.Member{n.loop(n.results[row]), n.loop(n.results[column])}
		for _, m := range unrolled {
			m.Unroll = true
		}
		if len(n.reduced) == 0 {
			return band(unrolled, n.serial(nil))
		}
		return n.tile(unrolled, steps, x.shared(row, column))
	})
	return band(groups, band(own, within))
}

// tile is the reduction of a tile, which takes some steps at a time.
func (n *nest) tile(unrolled []*schedule.Member, steps int64, staged []*ein.Tensor) schedule.Node {
	last := n.reduced[len(n.reduced)-1]
	var around, within []*schedule.Member
	for _, i := range n.single {
		around = append(around, n.loop(i))
	}
	var outer []*schedule.Member
	for _, i := range n.reduced[:len(n.reduced)-1] {
		outer = append(outer, n.loop(i))
	}
	within = append([]*schedule.Member{n.loop(last)}, unrolled...)
	inner := band(within, &schedule.Leaf{})
	if steps > 0 {
		blocks := n.loop(last)
		blocks.Tile = steps
		outer, inner = append(outer, blocks), placed(staged, inner)
	}
	return band(around, &schedule.Accumulate{Statement: n.statement, Region: schedule.Register, Child: band(outer, inner)})
}
