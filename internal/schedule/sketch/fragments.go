package sketch

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// fragments gives a block of results to the matrix units of a core: of a sum of products of numbers of a type that they know, read along one
// result and along another one. Each sub-group has some fragments of 16 rows and 8 columns, which its items hold in registers; what they read
// for some steps of the reduction all items of the group copy to local memory, as it lies, in rows that are as much longer as lets the lines of a
// fragment lie in different banks. Machines that have such copies make those of some steps ahead. Where there are too few blocks for all cores, what
// is reduced is cut into parts of several groups. Statements around the sum that have the same results are in the same launch, and
// items hold what these leave for each other.
func fragments(x *subject) (list []schedule.Node) {
	sum := x.onlySum()
	if !x.whole() || sum == nil {
		return nil
	}
	a, b, shape := ein.FragmentsOf(sum.c)
	if shape == nil || !x.p.MultipliesFragments(a.Tensor.Type) || x.width() != ein.FragmentLanes || !x.onlyRead(a.Tensor) || !x.onlyRead(b.Tensor) {
		return nil
	}
	for row := range sum.results {
		for column := range sum.results {
			f := &fragmented{x: x, n: sum, shape: shape, row: row, column: column}
			if f.group = f.terms(a, b); f.group == nil || !f.runsAlong(a, b) {
				continue
			}
			f.operands = x.staged(a, b)
			for _, f.subGroups = range subGroupShapes {
				for _, f.each = range fragmentShapes {
					if !f.tooLarge() {
						list = append(list, f.launches()...)
					}
				}
			}
		}
	}
	return list
}

// launches are the trees of a shape of groups.
func (f *fragmented) launches() (list []schedule.Node) {
	for _, deep := range []int64{2, 4} {
		f.steps = deep * f.shape.Depth
		for _, f.stages = range f.x.turns(f.operands, f.steps, extentOf(f.group)) {
			list = append(list, f.launch())
			if f.parts = f.x.partsFor(f.group, f.steps, f.block); f.parts > 1 && len(f.x.nests) == 1 {
				list = append(list, f.launch())
			}
			f.parts = 0
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
	parts           int64 // of several groups; 0 for one
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

// groups are the loops over groups.
func (f *fragmented) groups() (list []*schedule.Member) {
	for _, k := range f.x.order(f.column) {
		g := f.x.group(k, f.block(k))
		g.Pad = f.block(k) > 1 && f.x.extent(k)%f.block(k) != 0
		list = append(list, g)
	}
	return list
}

// own are the loops over items, of one statement or all of them.
func (f *fragmented) own(x *subject) []*schedule.Member {
	return []*schedule.Member{x.item(f.row, f.subGroups[0]*schedule.FragmentItemRows, 1), x.item(f.column, f.subGroups[1]*schedule.FragmentItemColumns, schedule.FragmentPair)}
}

// launch is the tree.
func (f *fragmented) launch() schedule.Node {
	body := f.x.inOrder(func(n *nest) schedule.Node {
		if n == f.n {
			return f.sum()
		}
		pair, own := n.loop(n.results[f.column]), f.own(f.x.only(n))
		pair.Unroll, own[1].Pad = true, f.x.extent(f.column)%f.block(f.column) != 0
		return band(own, band([]*schedule.Member{pair}, n.serial(nil)))
	})
	if f.parts < 2 {
		return band(f.groups(), held(f.x.passed(false), body))
	}
	return f.x.inParts(f.n, f.group, f.parts, f.steps, f.groups(), body)
}

// sum is what a group does for the products.
func (f *fragmented) sum() schedule.Node {
	var around, further []*schedule.Member
	for _, i := range f.n.single {
		around = append(around, f.n.loop(i))
	}
	for _, i := range f.n.reduced {
		if i != f.group {
			further = append(further, f.n.loop(i))
		}
	}
	blocks, unit, column := f.n.loop(f.group), f.n.loop(f.group), f.n.loop(f.n.results[f.column])
	blocks.Tile, blocks.Pad = f.steps, extentOf(f.group)%f.steps != 0
	unit.Group, unit.Matrix, unit.Unroll = int(f.shape.Depth), true, true
	within := band(f.own(f.x.only(f.n)), band(append(further, unit, column), &schedule.Leaf{}))
	for _, o := range slices.Backward(f.operands) {
		within = &schedule.Place{Tensor: o.tensor.Name, Region: schedule.Local, Pad: f.padding(o), Vector: o.vector, Stages: f.stages, Async: f.stages > 0, Child: within}
	}
	return band(around, &schedule.Accumulate{Statement: f.n.statement, Region: schedule.Register, Child: band([]*schedule.Member{blocks}, within)})
}
