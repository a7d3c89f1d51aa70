package tc

import (
	"math"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// weakness says whether an expression takes the type of what it meets: one that is made of literals only,
// or a float in which only literals are floats, as in 0.5*i and cos(6.28*i/N).
type weakness uint8

const (
	strong weakness = iota
	weakInt
	weakFloat
)

// A valueType is the type of an expression. The zero value is not known (yet):
// it meets everything. A weak expression that is a constant carries its value.
type valueType struct {
	dtype    tensor.DType // of a strong expression
	weak     weakness
	constant bool
	mixed    bool // a weak float that is not made of literals only
	wide     bool // a weak float that is made of integers of 64 bits, too: of float64 when it meets nothing
	shifted  bool // a weak expression with a literal that is shifted by what is no literal, as 1 << n
	integer  int64
	float    float64
}

func of(t tensor.DType) valueType { return valueType{dtype: t} }

func literalInt(v int64) valueType {
	return valueType{weak: weakInt, constant: true, integer: v, float: float64(v)}
}

func literalFloat(v float64) valueType { return valueType{weak: weakFloat, constant: true, float: v} }

func (t valueType) known() bool { return t.weak != strong || t.dtype != tensor.Invalid }

// isLiteral reports whether the expression chooses between literals, or is one. A float
// of literals and integers is none.
func (t valueType) isLiteral() bool { return t.weak != strong && !t.mixed }

// settled is the type that a literal has when it meets nothing.
func (t valueType) settled() tensor.DType {
	switch t.weak {
	case weakInt:
		if t.constant && (t.integer > math.MaxInt32 || t.integer < math.MinInt32) {
			return tensor.Int64
		}
		return tensor.Int32
	case weakFloat:
		if t.wide {
			return tensor.Float64
		}
		return tensor.Float32
	}
	return t.dtype
}

// describe names the type in a message.
func (t valueType) describe() string {
	switch t.weak {
	case weakInt:
		return "an integer literal"
	case weakFloat:
		if !t.constant {
			return "a float of literals and integers"
		}
		return "a float literal"
	}
	return t.dtype.String()
}

func (t valueType) isInteger() bool {
	return t.weak == weakInt || t.weak == strong && t.dtype.IsInteger()
}

// parseNumber reads a literal; ok is false when no type holds it.
func parseNumber(text string) (valueType, bool) {
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") || !strings.ContainsAny(text, ".eEfF") {
		v, err := strconv.ParseUint(text, 0, 64)
		if err != nil { // 007 is no octal number here
			if v, err = strconv.ParseUint(text, 10, 64); err != nil {
				return valueType{}, false
			}
		} else if decimal, err := strconv.ParseUint(text, 10, 64); err == nil {
			v = decimal
		}
		if v > math.MaxInt64 {
			return valueType{dtype: tensor.Uint64, constant: true, integer: int64(v)}, true
		}
		return literalInt(int64(v)), true
	}
	v, err := strconv.ParseFloat(strings.TrimRight(text, "fF"), 64)
	return literalFloat(v), err == nil
}

// meet is the type in which two operands are computed; see "Types" in docs/tc.md.
func meet(a, b valueType) (valueType, bool) {
	switch {
	case !a.known() && b.weak == strong:
		return b, true
	case !b.known() && a.weak == strong:
		return a, true
	case !a.known() || !b.known():
		return valueType{}, true
	case a.weak == weakInt && b.weak == weakInt && (a.settled() == tensor.Int64 || b.settled() == tensor.Int64):
		return of(tensor.Int64), true
	case a.weak != strong && b.weak != strong:
		return valueType{weak: max(a.weak, b.weak), mixed: a.mixed || b.mixed, wide: a.wide || b.wide, shifted: a.shifted || b.shifted}, true
	case a.weak != strong:
		return meetLiteral(a, b.dtype), true
	case b.weak != strong:
		return meetLiteral(b, a.dtype), true
	}
	t, ok := meetStrong(a.dtype, b.dtype)
	return of(t), ok
}

func meetLiteral(literal valueType, t tensor.DType) valueType {
	switch {
	case t.IsFloat() || (literal.weak == weakInt && t.IsInteger()):
		return of(t)
	case literal.weak == weakFloat:
		return valueType{weak: weakFloat, mixed: true, wide: literal.wide || t.IsInteger() && t.Size() == 8}
	}
	return of(literal.settled()) // an integer beside a bool
}

func meetStrong(a, b tensor.DType) (tensor.DType, bool) {
	if a == b {
		return a, true
	}
	if a.Kind() > b.Kind() {
		a, b = b, a
	}
	switch {
	case a.Kind() == tensor.KindBool:
		return b, true
	case b.IsHalf() && a.IsHalf():
		return tensor.Float32, true
	case b.IsFloat() && !a.IsFloat():
		return b, true
	case a.Kind() == b.Kind():
		if a.Size() > b.Size() {
			return a, true
		}
		return b, true
	}
	// a is signed and b unsigned: the smallest signed type that holds both.
	for _, t := range []tensor.DType{tensor.Int16, tensor.Int32, tensor.Int64} {
		if t.Size() >= a.Size() && t.Size() > b.Size() {
			return t, true
		}
	}
	return tensor.Invalid, false
}

// arithmetic is the type of an operand of + - * / % and of a sum: bools count.
func arithmetic(t valueType) valueType {
	if t.dtype == tensor.Bool {
		return of(tensor.Int32)
	}
	return t
}

// functionArgument is the type that a mathematical function computes in.
func functionArgument(t valueType) valueType {
	switch {
	case !t.known() || t.weak == weakFloat || t.dtype.IsFloat():
		return t
	case t.weak == weakInt:
		return valueType{weak: weakFloat}
	case t.dtype.IsInteger() && t.dtype.Size() == 8:
		return of(tensor.Float64)
	}
	return valueType{weak: weakFloat, mixed: true}
}

// storable reports whether a value may be stored without a cast.
func storable(from valueType, to tensor.DType) bool {
	switch {
	case !from.known():
		return true
	case from.weak == weakInt:
		return to.IsFloat() || to.IsInteger() && (!from.constant || fits(from.integer, to))
	case from.weak == weakFloat:
		return to.IsFloat()
	case from.dtype == to:
		return true
	case to.IsFloat() && from.dtype.IsInteger():
		return true
	}
	return from.dtype.Kind() == to.Kind() && from.dtype.Size() < to.Size()
}

// fits reports whether an integer literal is a value of an integer type.
func fits(v int64, t tensor.DType) bool {
	bits := uint(t.Size() * 8)
	switch t.Kind() {
	case tensor.KindUint:
		return v >= 0 && (bits == 64 || v < 1<<bits)
	case tensor.KindInt:
		return bits == 64 || v >= -1<<(bits-1) && v < 1<<(bits-1)
	}
	return false
}

// foldLiterals computes + - * / % of two literals; ok is false when the operator
// or the values do not fold.
func foldLiterals(op string, a, b valueType) (valueType, bool) {
	if !a.constant || !b.constant || a.weak == strong || b.weak == strong {
		return valueType{}, false
	}
	if a.weak == weakInt && b.weak == weakInt {
		v, ok := foldInts(op, a.integer, b.integer)
		return literalInt(v), ok
	}
	x, y := a.float, b.float
	switch op {
	case "+":
		return literalFloat(x + y), true
	case "-":
		return literalFloat(x - y), true
	case "*":
		return literalFloat(x * y), true
	case "/":
		return literalFloat(x / y), true
	case "%":
		return literalFloat(ein.FloorMod(x, y)), true
	}
	return valueType{}, false
}

// foldInts computes exactly; a result outside int32 is only trusted where the
// operands cannot have overflowed int64.
func foldInts(op string, x, y int64) (int64, bool) {
	const limit = 1 << 31
	if x >= limit || x <= -limit || y >= limit || y <= -limit {
		return 0, false
	}
	switch op {
	case "+":
		return x + y, true
	case "-":
		return x - y, true
	case "*":
		return x * y, true
	}
	if y == 0 {
		return 0, op == "/" || op == "%"
	}
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	switch op {
	case "/":
		return q, true
	case "%":
		return x - q*y, true
	}
	return 0, false
}
