package sketch

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// fragments gives a block of results to the matrix units of a core: of a sum of products of numbers of a type that they know, read along one
// result and along another one. Each sub-group has some fragments of 16 rows and 8 columns, which its items hold in registers; what they read
// for some steps of the reduction all items of the group copy to local memory, as it lies, in rows that are as much longer as lets the lines of a
// fragment lie in different banks. Machines that have such copies make those of some steps ahead.
func fragments(x *subject) (list []schedule.Node) {
	if len(x.nests) != 1 || !x.whole() {
		return nil
	}
	n := x.nests[0]
	a, b, shape := ein.FragmentsOf(n.c)
	if shape == nil || !x.p.MultipliesFragments(a.Tensor.Type) || x.width() != ein.FragmentLanes || !x.onlyRead(a.Tensor) || !x.onlyRead(b.Tensor) {
		return nil
	}
	for row := range n.results {
		for column := range n.results {
			f := &fragmented{x: x, n: n, shape: shape, row: row, column: column}
			last := f.terms(a, b)
			if last == nil || !f.runsAlong(a, b) {
				continue
			}
			f.group, f.operands = last, x.staged(a, b)
			for _, f.subGroups = range subGroupShapes {
				for _, f.each = range fragmentShapes {
					if f.tooLarge() {
						continue
					}
					for _, deep := range []int64{2, 4} {
						f.steps = deep * shape.Depth
						for _, f.stages = range f.x.turns(f.operands, f.steps, extentOf(last)) {
							list = append(list, f.launch())
						}
					}
				}
			}
		}
	}
	return list
}

// The sub-groups of a group, and the fragments of results that each of them has: rows and columns.
var (
	subGroupShapes = [][2]int64{{2, 4}, {2, 2}, {4, 2}, {1, 2}, {1, 1}}
	fragmentShapes = [][2]int64{{4, 4}, {4, 8}, {2, 4}, {2, 2}, {1, 2}, {1, 1}}
)

// A fragmented is a way to cut two results, and what is reduced.
type fragmented struct {
	x               *subject
	n               *nest
	shape           *ein.FragmentShape
	row, column     int
	group           *ein.Index // whose terms are those of fragments
	operands        []staged
	subGroups, each [2]int64
	steps           int64 // terms that are copied at a time
	stages          int64 // blocks of what is copied; 0: one, for which the items wait
}

// terms is what is reduced along which both operands run, the one in which more of them lies side by side; nil: there is nothing.
func (f *fragmented) terms(a, b *ein.Access) (best *ein.Index) {
	most := -1
	for _, i := range f.n.reduced {
		if !ein.AnyDependsOn(a.Subscripts, i) || !ein.AnyDependsOn(b.Subscripts, i) {
			continue
		}
		near := 0
		for _, r := range f.n.reads {
			if r.steps[i] == 1 {
				near++
			}
		}
		if near > most || near == most && extentOf(i) > extentOf(best) {
			most, best = near, i
		}
	}
	return best
}

// runsAlong reports whether one operand runs along the rows alone, and the other one along the columns.
func (f *fragmented) runsAlong(a, b *ein.Access) bool {
	row, column := f.n.results[f.row], f.n.results[f.column]
	only := func(a *ein.Access, yes, no *ein.Index) bool {
		return ein.AnyDependsOn(a.Subscripts, yes) && !ein.AnyDependsOn(a.Subscripts, no)
	}
	if f.row == f.column || !f.n.writesAlong(column) {
		return false
	}
	return only(a, row, column) && only(b, column, row) || only(b, row, column) && only(a, column, row)
}

// writesAlong reports whether results along an index lie side by side.
func (n *nest) writesAlong(i *ein.Index) bool {
	w := n.c.Writes[0]
	return len(w.Subscripts) > 0 && ein.DependsOn(w.Subscripts[len(w.Subscripts)-1], i)
}

// block is how many values of a result a group has.
func (f *fragmented) block(k int) int64 {
	switch k {
	case f.row:
		return f.subGroups[0] * f.each[0] * ein.FragmentRows
	case f.column:
		return f.subGroups[1] * f.each[1] * ein.FragmentColumns
	}
	return 1
}

// tooLarge reports whether half of a block, or more, would not exist, or more items than there may be.
func (f *fragmented) tooLarge() bool {
	for _, k := range []int{f.row, f.column} {
		if least := min(f.block(k), f.each[0]*ein.FragmentRows); f.block(k) > least && f.block(k) > 2*ceilPower(f.x.extent(k)) {
			return true
		}
	}
	return f.subGroups[0]*f.subGroups[1]*ein.FragmentLanes > f.x.grid.Items
}

// launch is the tree.
func (f *fragmented) launch() schedule.Node {
	var groups, around, outer []*schedule.Member
	for _, k := range f.x.order(f.column) {
		g := f.x.group(k, f.block(k))
		g.Pad = f.block(k) > 1 && f.x.extent(k)%f.block(k) != 0
		groups = append(groups, g)
	}
	for _, i := range f.n.single {
		around = append(around, f.n.loop(i))
	}
	var further []*schedule.Member
	for _, i := range f.n.reduced {
		if i != f.group {
			further = append(further, f.n.loop(i))
		}
	}
	blocks, unit, column := f.n.loop(f.group), f.n.loop(f.group), f.n.loop(f.n.results[f.column])
	blocks.Tile, blocks.Pad = f.steps, extentOf(f.group)%f.steps != 0
	unit.Group, unit.Matrix, unit.Unroll = int(f.shape.Depth), true, true
	outer = append(outer, blocks)
	items := []*schedule.Member{f.x.item(f.row, f.subGroups[0]*schedule.FragmentItemRows, 1), f.x.item(f.column, f.subGroups[1]*schedule.FragmentItemColumns, schedule.FragmentPair)}
	within := band(items, band(append(further, unit, column), &schedule.Leaf{}))
	for _, o := range slices.Backward(f.operands) {
		within = &schedule.Place{Tensor: o.tensor.Name, Region: schedule.Local, Pad: f.padding(o), Vector: o.vector, Stages: f.stages, Async: f.stages > 0, Child: within}
	}
	return band(groups, band(around, &schedule.Accumulate{Statement: f.n.statement, Region: schedule.Register, Child: band(outer, within)}))
}
