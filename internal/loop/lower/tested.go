package lower

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// checked lowers the subscripts of an access that must be tested, emits the
// tests, and returns the subscripts.
func (x *context) checked(e *ein.Access) []ein.Expr {
	if !e.Checked {
		return e.Subscripts
	}
	subscripts := make([]ein.Expr, len(e.Subscripts))
	for d, sub := range e.Subscripts {
		if schedule.InBounds(x.c, e, d) {
			subscripts[d] = sub
			continue
		}
		value := x.expr(sub)
		dim := e.Tensor.Dims[d]
		if value.Type().Lanes > 1 || x.mask != nil {
			local := &ein.Local{Name: "at", DType: tensor.Int64}
			x.locals[local] = x.checkedLanes(e, d, value)
			subscripts[d] = &ein.LocalRef{Pos: sub.Span(), Local: local}
			continue
		}
		shown := value
		for i := len(x.guards) - 1; i >= 0; i-- {
			shown = &loop.Select{Cond: x.guards[i], Then: shown, Else: x.l.toLoop(dim.Min, 1)}
		}
		n, known := dim.Extent.IsConst()
		simple := len(x.guards) == 0 || known && n > 0
		if simple {
			// Outside of its branch the subscript is the first, which passes.
			shown = x.bind("at", shown)
			value = shown
		}
		var cond loop.Expr = &loop.Binary{Op: ein.And,
			X: &loop.Binary{Op: ein.Ge, X: value, Y: x.l.toLoop(dim.Min, 1)},
			Y: &loop.Binary{Op: ein.Lt, X: value, Y: x.l.toLoop(dim.Min.Add(dim.Extent), 1)}}
		for i := len(x.guards) - 1; i >= 0 && !simple; i-- {
			cond = &loop.Select{Cond: x.guards[i], Then: cond, Else: literal(tensor.Bool, 1)}
		}
		x.before = append(x.before, &loop.Check{Cond: cond, Site: x.l.site(e.Pos, e.Tensor, d), Value: shown})
		local := &ein.Local{Name: "at", DType: tensor.Int64}
		x.locals[local] = value
		subscripts[d] = &ein.LocalRef{Pos: sub.Span(), Local: local}
		if _, ok := ein.AffineOf(sub); ok {
			subscripts[d] = sub // keeps the subscript linear
		}
	}
	return subscripts
}

// checkedLanes emits the test of a subscript that differs from lane to lane, or of which
// only some lanes are used, and returns it. Lanes that are not used have the first
// subscript, which passes: schedule.Vectorisable has seen that there is one. What is
// reported is the subscript of the first lane that is outside.
func (x *context) checkedLanes(e *ein.Access, d int, value loop.Expr) loop.Expr {
	dim := e.Tensor.Dims[d]
	if n, known := dim.Extent.IsConst(); !known || n < 1 {
		x.l.fail(e.Pos, "a tested subscript of %s depends on the lane of a vector, and may have no value", e.Tensor.Name)
	}
	low, behind := x.l.toLoop(dim.Min, 1), x.l.toLoop(dim.Min.Add(dim.Extent), 1)
	used := both(x.tail, x.mask)
	for _, g := range x.guards {
		used = both(used, broadcast(g, x.lanes))
	}
	at := broadcast(value, x.lanes)
	if used != nil {
		at = &loop.Select{Cond: used, Then: at, Else: broadcast(low, x.lanes)}
	}
	at = x.bind("at", at)
	inside := &loop.Binary{Op: ein.And,
		X: &loop.Binary{Op: ein.Ge, X: at, Y: broadcast(low, x.lanes)},
		Y: &loop.Binary{Op: ein.Lt, X: at, Y: broadcast(behind, x.lanes)}}
	lane := &loop.Ramp{Base: int64Const(0), Stride: 1, Lanes: x.lanes}
	first := &loop.Fold{Op: ein.Min, X: &loop.Select{Cond: inside, Then: broadcast(int64Const(int64(x.lanes)), x.lanes), Else: lane}}
	shown := &loop.Fold{Op: ein.Add, X: &loop.Select{Cond: &loop.Binary{Op: ein.Eq, X: lane, Y: broadcast(first, x.lanes)}, Then: at, Else: broadcast(int64Const(0), x.lanes)}}
	x.before = append(x.before, &loop.Check{Cond: &loop.Fold{Op: ein.And, X: inside}, Site: x.l.site(e.Pos, e.Tensor, d), Value: shown})
	return at
}
