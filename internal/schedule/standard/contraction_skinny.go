package standard

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How a contraction with few columns is scheduled, a tall and skinny product
//
// Vectors along columns that are fewer than lanes are mostly empty. Where the rows lie
// along the reduction, vectors go that way instead: the columns, which are few, are copied
// so that they lie along it, too, and the lanes of a sum are folded when it is complete.
// 1000 x 3 x 1000 floats take 0.5 of the time, and 4096 x 3 x 64 take 0.65.

const (
	foldCost   = 10  // instructions that fold the lanes of one sum
	fewGain    = 0.7 // of the instructions of vectors along the columns, at most
	fewTile    = 8   // rows of a register tile at most
	fewestRows = 64  // for which the copy pays; without one 3 x 50 x 1000 doubles take 0.5 of the time
)

// skinnyContraction makes the schedule of a product of a matrix, or of several, and one of few
// columns.
func (mk *maker) skinnyContraction(p *plan) schedule.Node {
	if len(p.g.statements) != 1 {
		return nil
	}
	k := mk.newContraction(p, p.g.statements[0])
	if !mk.contraction(k.c) || !k.isRegular() || !k.foldsRows() {
		return nil
	}
	few := k.operands[1]
	column, row := k.columns[0], k.rows[len(k.rows)-1]
	k.tile[column] = estimate(column.Extent)
	k.tile[row] = min(fewTile, mk.registers()/k.tile[column])
	tasks := int64(1)
	if k.parallel {
		tasks = int64(mk.m.Cores) * 2
	}
	have := extentOf(k.batch)
	for _, i := range k.rows {
		have *= k.cut(i, estimate(i.Extent), (tasks+have-1)/have, have)
	}
	steps, lane := k.member(k.vector, k.lanes), k.member(k.vector, 1)
	lane.Vector = int(k.lanes)
	points := []*schedule.Member{k.member(column, 1), lane}
	if k.tile[row] > 1 { // else the loop over the rows goes to points
		points = append([]*schedule.Member{k.member(row, 1)}, points...)
	}
	for _, m := range points {
		m.Unroll = true
	}
	var n schedule.Node = &schedule.Accumulate{Statement: k.s, Region: schedule.Register, Child: wrap([]*schedule.Member{steps}, wrap(points, &schedule.Leaf{}))}
	n = wrap(k.loops(k.rows), n)
	if mk.along(k.c, few.Tensor, few.Subscripts, k.vector) != unit {
		n = &schedule.Place{Tensor: few.Tensor.Name, Region: schedule.Private, Child: n}
	}
	return wrap(k.tasks(), n)
}

// foldsRows sorts the indices for vectors along the reduction, with the operand of the rows
// first, and reports whether these pay.
func (k *contraction) foldsRows() bool {
	op, _ := ein.ReductionOperator(k.c)
	k.inner, k.operands = ein.Reduced(k.c), k.c.Accesses()
	if len(k.inner) != 1 || len(k.operands) != 2 || !schedule.Foldable(op) || schedule.Vectorisable(k.c, k.inner[0]) != "" {
		return false
	}
	k.vector, k.lanes = k.inner[0], int64(k.mk.lanesOf(k.c))
	if pointsOf(k.c, k.operands[0]) < pointsOf(k.c, k.operands[1]) {
		k.operands[0], k.operands[1] = k.operands[1], k.operands[0]
	}
	rows, few := k.operands[0], k.operands[1]
	for _, i := range k.c.ByKind(ein.Concat) {
		inRows, inFew := ein.AnyDependsOn(rows.Subscripts, i), ein.AnyDependsOn(few.Subscripts, i)
		switch {
		case inRows && inFew:
			k.batch = append(k.batch, i)
		case inRows:
			k.rows = append(k.rows, i)
		default:
			k.columns = append(k.columns, i)
		}
	}
	fewest := int64(fewTile)
	if k.mk.along(k.c, few.Tensor, few.Subscripts, k.vector) != unit {
		fewest = fewestRows
	}
	if len(k.columns) != 1 || extentOf(k.rows) < fewest || !k.packable(few) || k.converts(few) || k.converts(rows) {
		return false
	}
	columns, steps := float64(extentOf(k.columns)), float64(k.steps())
	return k.mk.along(k.c, rows.Tensor, rows.Subscripts, k.vector) == unit && ein.AnyDependsOn(few.Subscripts, k.vector) &&
		columns > 1 && columns/float64(k.lanes)+columns*foldCost/steps <= fewGain &&
		pointsOf(k.c, few)/extentOf(k.batch)*k.operandBytes() <= k.mk.m.L2/4
}
