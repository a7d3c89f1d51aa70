package ein

import (
	"math"

	"github.com/ricci-lang/ricci/tensor"
)

// An arithmetic gives the functions that the nodes of expressions apply. t is
// the type of the operands.
type arithmetic interface {
	bounds() bool // whether values carry errors
	negate(t tensor.DType) func(value) value
	not() func(value) value
	count(op UnaryOp, t tensor.DType) func(value) value
	binary(op BinaryOp, t tensor.DType) func(a, b value) value
	call(b *Builtin, t tensor.DType) func(args []value) value
	cast(to, from tensor.DType) func(value) value
}

// exact is the arithmetic of the program's own types.
type exact struct{}

func (exact) bounds() bool { return false }

func (exact) negate(t tensor.DType) func(value) value {
	if t.IsFloat() {
		return func(a value) value { return value{f: -a.f} }
	}
	return func(a value) value { return value{i: wrap(t, -a.i)} }
}

func (exact) not() func(value) value {
	return func(a value) value { return value{i: 1 - a.i} }
}

func (exact) binary(op BinaryOp, t tensor.DType) func(a, b value) value {
	switch {
	case op.IsComparison():
		return comparison(op, t)
	case op == And:
		return func(a, b value) value { return value{i: a.i & b.i} }
	case op == Or:
		return func(a, b value) value { return value{i: a.i | b.i} }
	case op.IsBitwise():
		f := bitOperation(op, t)
		return func(a, b value) value { return value{i: f(a.i, b.i)} }
	case t == tensor.Float64:
		f := floatOperations[op]
		return func(a, b value) value { return value{f: f(a.f, b.f)} }
	case t.IsFloat():
		// One operation on float32 values in float64, then rounded, is correctly
		// rounded for + - * /, and exact for the rest.
		f := floatOperations[op]
		return func(a, b value) value { return value{f: float64(float32(f(a.f, b.f)))} }
	case t.Kind() == tensor.KindUint:
		f := unsignedOperations[op]
		return func(a, b value) value { return value{i: wrap(t, int64(f(uint64(a.i), uint64(b.i))))} }
	}
	f := signedOperations[op]
	return func(a, b value) value { return value{i: wrap(t, f(a.i, b.i))} }
}

func (exact) call(b *Builtin, t tensor.DType) func([]value) value {
	x := make([]float64, b.Arity)
	return func(args []value) value {
		for i, a := range args {
			x[i] = a.f
		}
		return value{f: b.Eval(t, x)}
	}
}

func (exact) cast(to, from tensor.DType) func(value) value {
	switch {
	case from.IsFloat() && to.IsFloat():
		return func(a value) value { return value{f: round(to, a.f)} }
	case from.IsFloat():
		return func(a value) value { return value{i: truncate(to, a.f)} }
	case to.IsFloat():
		return func(a value) value { return value{f: floatOfInt(to, from, a.i)} }
	case to == tensor.Bool:
		return func(a value) value { return value{i: truth(a.i != 0)} }
	}
	return func(a value) value { return value{i: wrap(to, a.i)} }
}

var floatOperations = map[BinaryOp]func(a, b float64) float64{
	Add: func(a, b float64) float64 { return a + b },
	Sub: func(a, b float64) float64 { return a - b },
	Mul: func(a, b float64) float64 { return a * b },
	Div: func(a, b float64) float64 { return a / b },
	Mod: FloorMod,
	Min: lesserFloat,
	Max: greaterFloat,
}

var signedOperations = map[BinaryOp]func(a, b int64) int64{
	Add: func(a, b int64) int64 { return a + b },
	Sub: func(a, b int64) int64 { return a - b },
	Mul: func(a, b int64) int64 { return a * b },
	Div: floorQuotient,
	Mod: func(a, b int64) int64 {
		if b == 0 {
			return 0
		}
		return a - b*floorQuotient(a, b)
	},
	Min: func(a, b int64) int64 { return lesser(a, b) },
	Max: func(a, b int64) int64 { return greater(a, b) },
}

var unsignedOperations = map[BinaryOp]func(a, b uint64) uint64{
	Add: func(a, b uint64) uint64 { return a + b },
	Sub: func(a, b uint64) uint64 { return a - b },
	Mul: func(a, b uint64) uint64 { return a * b },
	Div: func(a, b uint64) uint64 {
		if b == 0 {
			return 0
		}
		return a / b
	},
	Mod: func(a, b uint64) uint64 {
		if b == 0 {
			return 0
		}
		return a % b
	},
	Min: func(a, b uint64) uint64 { return lesser(a, b) },
	Max: func(a, b uint64) uint64 { return greater(a, b) },
}

type number64 interface{ int64 | uint64 | float64 }

// lesserFloat and greaterFloat are written as the operators are defined: a NaN on the
// right is ignored, one on the left stays, and -0 is less than 0.
func lesserFloat(a, b float64) float64 {
	if b < a || b == a && math.Signbit(b) {
		return b
	}
	return a
}

func greaterFloat(a, b float64) float64 {
	if b > a || b == a && !math.Signbit(b) {
		return b
	}
	return a
}

func lesser[T int64 | uint64](a, b T) T {
	if b < a {
		return b
	}
	return a
}

func greater[T int64 | uint64](a, b T) T {
	if b > a {
		return b
	}
	return a
}

// floorQuotient rounds toward minus infinity; x/0 is 0, and the least int64
// divided by -1 wraps, as it does in Go.
func floorQuotient(a, b int64) int64 {
	if b == 0 {
		return 0
	}
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func compare[T number64](op BinaryOp, a, b T) bool {
	switch op {
	case Lt:
		return a < b
	case Le:
		return a <= b
	case Gt:
		return a > b
	case Ge:
		return a >= b
	case Eq:
		return a == b
	}
	return a != b
}

func comparison(op BinaryOp, t tensor.DType) func(a, b value) value {
	switch {
	case t.IsFloat():
		return func(a, b value) value { return value{i: truth(compare(op, a.f, b.f))} }
	case t.Kind() == tensor.KindUint:
		return func(a, b value) value { return value{i: truth(compare(op, uint64(a.i), uint64(b.i)))} }
	}
	return func(a, b value) value { return value{i: truth(compare(op, a.i, b.i))} }
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// wrap keeps the bits of v that the type has, extended by its sign to 64.
func wrap(t tensor.DType, v int64) int64 {
	switch t {
	case tensor.Bool:
		return v & 1
	case tensor.Int8:
		return int64(int8(v))
	case tensor.Int16:
		return int64(int16(v))
	case tensor.Int32:
		return int64(int32(v))
	case tensor.Uint8:
		return int64(uint8(v))
	case tensor.Uint16:
		return int64(uint16(v))
	case tensor.Uint32:
		return int64(uint32(v))
	}
	return v
}

// round rounds to a float type, to nearest, ties to even.
func round(t tensor.DType, v float64) float64 {
	switch t {
	case tensor.Float32:
		return float64(float32(v))
	case tensor.Float16:
		return float64(tensor.Float16ToFloat32(tensor.Float32ToFloat16(toOdd(v))))
	case tensor.BFloat16:
		return float64(tensor.BFloat16ToFloat32(tensor.Float32ToBFloat16(toOdd(v))))
	}
	return v
}

// toOdd is the float32 beside v with the odd significand where v is not itself a
// float32: a second rounding then gives what a single one would.
func toOdd(v float64) float32 {
	f := float32(v)
	if float64(f) == v || math.Float32bits(f)&1 == 1 || math.IsNaN(v) || math.IsInf(float64(f), 0) {
		return f
	}
	return math.Nextafter32(f, float32(math.Copysign(math.Inf(1), v-float64(f))))
}

// integerRange returns the least and the greatest value of an integer type, and
// the greatest plus one as a float64, which is exact.
func integerRange(t tensor.DType) (least, greatest int64, limit float64) {
	bits := uint(t.Size() * 8)
	if t.Kind() == tensor.KindUint {
		return 0, int64(^uint64(0) >> (64 - bits)), math.Ldexp(1, int(bits))
	}
	return -1 << (bits - 1), int64(uint64(1)<<(bits-1) - 1), math.Ldexp(1, int(bits-1))
}

// truncate converts a float to bool or to an integer that it saturates.
func truncate(t tensor.DType, v float64) int64 {
	if t == tensor.Bool {
		return truth(v != 0)
	}
	least, greatest, limit := integerRange(t)
	switch {
	case math.IsNaN(v):
		return 0
	case v >= limit:
		return greatest
	case v <= float64(least):
		return least
	case t == tensor.Uint64:
		return int64(uint64(v))
	}
	return int64(v)
}

// floatOfInt rounds once, also from 64 bits to float32.
func floatOfInt(to, from tensor.DType, v int64) float64 {
	unsigned := from == tensor.Uint64
	switch {
	case to == tensor.Float64 && unsigned:
		return float64(uint64(v))
	case to == tensor.Float32 && unsigned:
		return float64(float32(uint64(v)))
	case to == tensor.Float32:
		return float64(float32(v))
	case unsigned:
		return round(to, float64(uint64(v)))
	}
	return round(to, float64(v))
}
