package loop

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
	"github.com/x448/float16"
)

// expr returns the lanes of a value.
func (ev *evaluator) expr(e Expr) []uint64 {
	switch e := e.(type) {
	case *Const:
		return ev.lane(e.Bits)
	case *VarRef:
		v, ok := ev.vars[e.Var]
		if !ok {
			ev.fail("variable %s has no value", e.Var.Name)
		}
		return v
	case *Load:
		return ev.load(e)
	case *Unary:
		return ev.unary(e)
	case *Binary:
		return ev.pairs(e)
	case *MulAdd:
		return ev.mulAdd(e)
	case *Call:
		return ev.call(e)
	case *Select:
		return ev.selection(e)
	case *Cast:
		return ev.cast(e)
	case *Broadcast:
		return ev.repeated(ev.expr(e.X)[0], e.Lanes)
	case *Ramp:
		return ev.ramp(e)
	case *Shift:
		return ev.shift(e)
	case *Hold:
		return ev.expr(e.X)
	case *Swizzle:
		return ev.swizzle(e)
	case *Dot:
		return ev.dot(e)
	case *Distances:
		return ev.distances(e)
	case *Lead:
		return ev.lead(e)
	case *Lane:
		return ev.lane(ev.expr(e.X)[e.Number])
	case *Fold:
		return ev.lane(ev.fold(e.Op, e.X.Type().Elem, ev.expr(e.X)))
	}
	ev.fail("unknown expression %T", e)
	return nil
}

func (ev *evaluator) unary(e *Unary) []uint64 {
	x, d := ev.expr(e.X), e.X.Type().Elem
	result := ev.lanes(len(x))
	for l := range result {
		result[l] = evalUnary(e.Op, d, x[l])
	}
	return result
}

// pairs applies an operator, which most of what is evaluated is.
func (ev *evaluator) pairs(e *Binary) []uint64 {
	x, y, d := ev.expr(e.X), ev.expr(e.Y), e.X.Type().Elem
	ev.alike(x, y)
	result := ev.lanes(len(x))
	for l := range result {
		result[l] = ev.binary(e.Op, d, x[l], y[l])
	}
	return result
}

func (ev *evaluator) mulAdd(e *MulAdd) []uint64 {
	x, y, z, d := ev.expr(e.X), ev.expr(e.Y), ev.expr(e.Z), e.X.Type().Elem
	ev.alike(x, y)
	ev.alike(x, z)
	result := ev.lanes(len(x))
	for l := range result {
		result[l] = evalBinary(ein.Add, d, evalBinary(ein.Mul, d, x[l], y[l]), z[l])
	}
	return result
}

func (ev *evaluator) call(e *Call) []uint64 {
	d, values, args := e.Type().Elem, make([][]uint64, len(e.Args)), make([]float64, len(e.Args))
	for i, a := range e.Args {
		values[i] = ev.expr(a)
		ev.alike(values[0], values[i])
	}
	result := ev.lanes(len(values[0]))
	for l := range result {
		for i, v := range values {
			args[i] = math.Float64frombits(v[l])
		}
		result[l] = math.Float64bits(e.Func.Eval(d, args))
	}
	return result
}

func (ev *evaluator) cast(e *Cast) []uint64 {
	x, d := ev.expr(e.X), e.X.Type().Elem
	result := ev.lanes(len(x))
	for l := range result {
		result[l] = evalCast(e.To, d, x[l])
	}
	return result
}

// alike checks that operands have as many lanes.
func (ev *evaluator) alike(x, y []uint64) {
	if len(x) != len(y) {
		ev.fail("operands of %d and %d lanes", len(x), len(y))
	}
}

func (ev *evaluator) repeated(lane uint64, lanes int) []uint64 {
	result := ev.lanes(lanes)
	for l := range result {
		result[l] = lane
	}
	return result
}

func (ev *evaluator) ramp(e *Ramp) []uint64 {
	base := ev.expr(e.Base)[0]
	result := ev.lanes(e.Lanes)
	for l := range result {
		result[l] = base + uint64(l)*uint64(e.Stride)
	}
	return result
}

func (ev *evaluator) selection(e *Select) []uint64 {
	cond := ev.expr(e.Cond)
	if len(cond) == 1 {
		if cond[0] != 0 {
			return ev.expr(e.Then)
		}
		return ev.expr(e.Else)
	}
	yes, no := ev.expr(e.Then), ev.expr(e.Else)
	result := ev.lanes(len(cond))
	for l := range result {
		result[l] = no[l]
		if cond[l] != 0 {
			result[l] = yes[l]
		}
	}
	return result
}

// fold halves the lanes until one is left, as the targets do.
func (ev *evaluator) fold(op ein.BinaryOp, d tensor.DType, lanes []uint64) uint64 {
	if len(lanes) == 1 {
		return lanes[0]
	}
	half := len(lanes) / 2
	next := make([]uint64, half)
	for l := range next {
		next[l] = ev.binary(op, d, lanes[l], lanes[half+l])
	}
	return ev.fold(op, d, next)
}

// wrap reduces an integer to its type and extends it again.
func wrap(d tensor.DType, v uint64) uint64 {
	shift := uint(64 - 8*d.Size())
	switch d.Kind() {
	case tensor.KindInt:
		return uint64(int64(v<<shift) >> shift)
	case tensor.KindUint:
		return v << shift >> shift
	}
	return v
}

// rounded is a float of the type as a lane.
func rounded(d tensor.DType, v float64) uint64 {
	if d == tensor.Float32 {
		v = float64(float32(v))
	}
	return math.Float64bits(v)
}

func evalUnary(op ein.UnaryOp, d tensor.DType, x uint64) uint64 {
	switch {
	case op == ein.Not:
		return oneIf(x == 0)
	case d.IsFloat():
		return math.Float64bits(-math.Float64frombits(x))
	case op == ein.Popcount || op == ein.Clz:
		return uint64(ein.EvalCount(op, d, int64(x)))
	}
	return wrap(d, -x)
}

// binary is evalBinary, with another rule about zeros where that is wanted.
func (ev *evaluator) binary(op ein.BinaryOp, d tensor.DType, x, y uint64) uint64 {
	if ev.leftZeros && (op == ein.Min || op == ein.Max) && compare(ein.Eq, d, x, y) {
		return x
	}
	return evalBinary(op, d, x, y)
}

func evalBinary(op ein.BinaryOp, d tensor.DType, x, y uint64) uint64 {
	if op >= ein.Lt && op <= ein.Ne {
		return oneIf(compare(op, d, x, y))
	}
	switch op {
	case ein.BitAnd, ein.BitOr, ein.BitXor, ein.Shl, ein.Shr:
		return uint64(ein.EvalBits(op, d, int64(x), int64(y)))
	case ein.And:
		return x & y
	case ein.Or:
		return x | y
	case ein.Min, ein.Max:
		return extreme(op, d, x, y)
	}
	if d.IsFloat() {
		return rounded(d, floatArithmetic(op, math.Float64frombits(x), math.Float64frombits(y)))
	}
	return wrap(d, integerArithmetic(op, d, x, y))
}

// extreme is the lesser or the greater one: a NaN on the right is ignored, one on the left stays, and -0 is less than 0.
func extreme(op ein.BinaryOp, d tensor.DType, x, y uint64) uint64 {
	before := ein.Lt
	if op == ein.Max {
		before = ein.Gt
	}
	negative := d.IsFloat() && math.Signbit(math.Float64frombits(y))
	if compare(before, d, y, x) || compare(ein.Eq, d, x, y) && negative == (op == ein.Min) {
		return y
	}
	return x
}

func floatArithmetic(op ein.BinaryOp, x, y float64) float64 {
	switch op {
	case ein.Add:
		return x + y
	case ein.Sub:
		return x - y
	case ein.Mul:
		return x * y
	case ein.Div:
		return x / y
	}
	return ein.FloorMod(x, y)
}

func integerArithmetic(op ein.BinaryOp, d tensor.DType, x, y uint64) uint64 {
	switch op {
	case ein.Add:
		return x + y
	case ein.Sub:
		return x - y
	case ein.Mul:
		return x * y
	}
	quotient := floorQuotient(d, x, y)
	if op == ein.Div || y == 0 {
		return quotient
	}
	return x - quotient*y
}

// floorQuotient rounds toward minus infinity; x/0 is 0. The smallest integer
// divided by -1 wraps to itself, as in Go.
func floorQuotient(d tensor.DType, x, y uint64) uint64 {
	switch {
	case y == 0:
		return 0
	case d.Kind() == tensor.KindUint:
		return x / y
	}
	a, b := int64(x), int64(y)
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return uint64(q)
}

func compare(op ein.BinaryOp, d tensor.DType, x, y uint64) bool {
	var less, equal bool
	switch d.Kind() {
	case tensor.KindFloat:
		a, b := math.Float64frombits(x), math.Float64frombits(y)
		if math.IsNaN(a) || math.IsNaN(b) {
			return op == ein.Ne
		}
		less, equal = a < b, a == b
	case tensor.KindInt:
		less, equal = int64(x) < int64(y), x == y
	default:
		less, equal = x < y, x == y
	}
	switch op {
	case ein.Lt:
		return less
	case ein.Le:
		return less || equal
	case ein.Gt:
		return !less && !equal
	case ein.Ge:
		return !less
	case ein.Eq:
		return equal
	}
	return !equal
}

// evalCast converts a lane between element types.
func evalCast(to, from tensor.DType, x uint64) uint64 {
	switch {
	case to == tensor.Bool && from.IsFloat():
		return oneIf(math.Float64frombits(x) != 0)
	case to == tensor.Bool:
		return oneIf(x != 0)
	case to.IsFloat() && from.IsFloat():
		return rounded(to, math.Float64frombits(x))
	case to == tensor.Float32 && from.Kind() == tensor.KindInt:
		return math.Float64bits(float64(float32(int64(x))))
	case to == tensor.Float32:
		return math.Float64bits(float64(float32(x)))
	case to.IsFloat() && from.Kind() == tensor.KindInt:
		return math.Float64bits(float64(int64(x)))
	case to.IsFloat():
		return math.Float64bits(float64(x))
	case from.IsFloat():
		return saturate(to, math.Float64frombits(x))
	}
	return wrap(to, x)
}

// saturate truncates a float and clamps it to an integer type; NaN gives 0.
func saturate(to tensor.DType, v float64) uint64 {
	bits := 8 * to.Size()
	least, limit := 0.0, math.Ldexp(1, bits)
	if to.Kind() == tensor.KindInt {
		least, limit = -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)
	}
	switch {
	case math.IsNaN(v):
		return 0
	case v >= limit && to.Kind() == tensor.KindInt:
		return 1<<(bits-1) - 1
	case v >= limit:
		return ^uint64(0) >> (64 - bits)
	case v < least && to.Kind() == tensor.KindInt:
		return uint64(int64(-1) << (bits - 1))
	case v < least:
		return 0
	case to.Kind() == tensor.KindInt:
		return uint64(int64(v))
	}
	return uint64(v)
}

func fromFloat16(h uint16) float32 { return float16.Frombits(h).Float32() }

func toFloat16(v float32) uint16 { return float16.Fromfloat32(v).Bits() }

// toBFloat16 rounds to the nearest, ties to even.
func toBFloat16(v float32) uint16 {
	bits := math.Float32bits(v)
	if v != v {
		return uint16(bits>>16 | 0x40)
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}
