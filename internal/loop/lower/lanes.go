package lower

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
)

// folded combines the units of a reduction along lanes, and then their lanes.
func (a *accumulator) folded(x *context) []loop.Expr {
	position := a.element(x.sc)
	var sum []loop.Expr
	for u := int64(0); u < a.units; u++ {
		index := x.l.toLoop(position.Scale(a.units).AddConst(u), 1)
		unit := make([]loop.Expr, len(a.buffers))
		for k, b := range a.buffers {
			unit[k] = &loop.Load{Buffer: b, Index: index, Lanes: a.lanes}
		}
		if sum != nil {
			unit = x.joined(a.op, sum, unit)
		}
		sum = unit
	}
	if a.lanes == 1 {
		return sum
	}
	if fold, ok := ein.FoldOperator(a.op); ok {
		return []loop.Expr{&loop.Fold{Op: fold, X: sum[0]}}
	}
	return loop.FoldLanes(sum, x.all(a.op.Identity), func(left, right []loop.Expr) []loop.Expr { return x.joined(a.op, left, right) })
}

// joined combines values of one width and names the results, which occur several
// times in what is made of them.
func (x *context) joined(op *ein.Operator, left, right []loop.Expr) []loop.Expr {
	if len(op.Left) > 1 || op.Kind == ein.UserDefined {
		left, right = x.bindAll(left), x.bindAll(right)
	}
	lanes := left[0].Type().Lanes
	list := x.combine(op, left, right)
	for k := range list {
		list[k] = broadcast(list[k], lanes)
	}
	if len(op.Left) > 1 || op.Kind == ein.UserDefined {
		list = x.bindAll(list)
	}
	return list
}
