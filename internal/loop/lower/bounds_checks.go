package lower

import (
	"math"

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
		if st := x.sc.storage[e.Tensor]; ein.InBounds(x.c, e, d) || st.gathered != nil && st.gathered[d] != nil { // or it was tested before
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
		simple := len(x.guards) == 0 || x.l.hasFirst(dim)
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
		if there := x.l.isThere(x.statement, x.sc); x.notes() && there != nil { // what is read for a point that is not there is no subscript
			cond = &loop.Select{Cond: there, Then: cond, Else: literal(tensor.Bool, 1)}
		}
		test := &loop.Check{Cond: cond, Site: x.l.site(e.Pos, e.Tensor, d), Value: shown, Notes: x.notes()}
		x.before = append(x.before, test)
		if test.Notes {
			value = x.clamped(e, d, value)
		}
		local := &ein.Local{Name: "at", DType: tensor.Int64}
		x.locals[local] = value
		subscripts[d] = &ein.LocalRef{Pos: sub.Span(), Local: local}
		if test.Notes {
			continue
		}
		if _, ok := ein.AffineOf(sub); ok && (len(x.guards) == 0 || !simple) {
			subscripts[d] = sub // keeps the subscript linear
		}
	}
	return subscripts
}

// hasFirst reports whether a dimension has an element for all sizes that the function takes.
func (l *lowerer) hasFirst(dim ein.Dim) bool { return schedule.HasFirst(l.f, dim) }

// checkedLanes emits the test of a subscript that differs from lane to lane, or of which
// only some lanes are used, and returns it. Lanes that are not used have the first
// subscript, which passes: schedule.Vectorisable has seen that there is one. What is
// reported is the subscript of the first lane that is outside.
func (x *context) checkedLanes(e *ein.Access, d int, value loop.Expr) loop.Expr {
	dim := e.Tensor.Dims[d]
	if !x.l.hasFirst(dim) {
		x.l.fail(e.Pos, "a tested subscript of %s depends on the lane of a vector, and may have no value", e.Tensor.Name)
	}
	low, behind := x.l.toLoop(dim.Min, 1), x.l.toLoop(dim.Min.Add(dim.Extent), 1)
	number := func(v int64) loop.Expr { return broadcast(int64Const(v), x.lanes) }
	if narrow, first, last, ok := narrowTest(value, dim); ok {
		value, low, behind = narrow, int32Const(first), int32Const(last+1)
		number = func(v int64) loop.Expr { return broadcast(int32Const(v), x.lanes) }
	}
	used := both(x.tail, x.mask)
	if there := x.l.isThere(x.statement, x.sc); x.notes() && there != nil {
		used = both(used, broadcast(there, x.lanes))
	}
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
	lane := loop.Expr(&loop.Ramp{Base: int64Const(0), Stride: 1, Lanes: x.lanes})
	first := loop.Expr(&loop.Fold{Op: ein.Min, X: &loop.Select{Cond: inside, Then: number(int64(x.lanes)), Else: as(at.Type().Elem, lane)}})
	shown := &loop.Fold{Op: ein.Add, X: &loop.Select{Cond: &loop.Binary{Op: ein.Eq, X: as(at.Type().Elem, lane), Y: broadcast(first, x.lanes)}, Then: at, Else: number(0)}}
	x.before = append(x.before, &loop.Check{Cond: &loop.Fold{Op: ein.And, X: inside}, Site: x.l.site(e.Pos, e.Tensor, d), Value: as(tensor.Int64, shown), Notes: x.notes()})
	if x.notes() {
		return x.clamped(e, d, as(tensor.Int64, at))
	}
	return as(tensor.Int64, at)
}

// notes reports whether a subscript that is out of bounds is noted, and the item goes on with another one: others wait for it.
func (x *context) notes() bool { return x.sc != nil && x.sc.launch != nil && x.sc.launch.waits }

// clamped is a subscript that is one of the dimension, whatever its value is.
func (x *context) clamped(e *ein.Access, d int, value loop.Expr) loop.Expr {
	dim := e.Tensor.Dims[d]
	if !x.l.hasFirst(dim) {
		x.l.fail(e.Pos, "an item goes on after a test of a subscript of %s, which may have no element to go on with", e.Tensor.Name)
	}
	lanes := value.Type().Lanes
	low, last := broadcast(x.l.toLoop(dim.Min, 1), lanes), broadcast(x.l.toLoop(dim.Min.Add(dim.Extent).AddConst(-1), 1), lanes)
	return x.bind("at", &loop.Binary{Op: ein.Max, X: &loop.Binary{Op: ein.Min, X: value, Y: last}, Y: low})
}

// narrowTest returns a subscript that is converted from at most 32 bits as it is there, so that
// a vector of tests takes half as many registers, and the first and last place of the dimension.
func narrowTest(value loop.Expr, dim ein.Dim) (narrow loop.Expr, first, last int64, ok bool) {
	wide, converted := value.(*loop.Cast)
	first, known := dim.Min.IsConst()
	n, knownExtent := dim.Extent.IsConst()
	if !converted || !known || !knownExtent || first < math.MinInt32 || first+n >= math.MaxInt32 {
		return nil, 0, 0, false
	}
	if from := wide.X.Type().Elem; !from.IsInteger() || from.Size() > 4 || from == tensor.Uint32 {
		return nil, 0, 0, false
	}
	return as(tensor.Int32, wide.X), first, first + n - 1, true
}

func int32Const(n int64) loop.Expr { return &loop.Const{Elem: tensor.Int32, Bits: uint64(uint32(n))} }

// as converts a value where it has another type.
func as(t tensor.DType, e loop.Expr) loop.Expr {
	if e.Type().Elem == t {
		return e
	}
	return &loop.Cast{To: t, X: e}
}
