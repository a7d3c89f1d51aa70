package ein

import (
	"math"

	"github.com/ricci-lang/ricci/tensor"
)

// Bounds of bools and integers: 0 almost always; positive where a decision or a
// truncation depends on a float within its error.

// truthError is the error of a bool.
func truthError(ambiguous bool) float64 {
	if ambiguous {
		return 1
	}
	return 0
}

func boundedComparison(op BinaryOp, t tensor.DType) func(a, b value) value {
	f := comparison(op, t)
	return func(a, b value) value {
		v, e := f(a, b), a.e+b.e
		if e <= 2*eitherZero { // both zeros compare alike
			return v
		}
		apart := a.f - b.f
		if !t.IsFloat() {
			apart = integerAsFloat(t, a.i) - integerAsFloat(t, b.i)
		}
		v.e = truthError(e == unbounded || math.Abs(apart) <= e)
		return v
	}
}

// boundedLogic: false && x and true || x are certain whatever x is.
func boundedLogic(op BinaryOp) func(a, b value) value {
	f, decisive := exact{}.binary(op, tensor.Bool), truth(op == Or)
	return func(a, b value) value {
		v := f(a, b)
		if !(a.e == 0 && a.i == decisive) && !(b.e == 0 && b.i == decisive) {
			v.e = truthError(a.e+b.e > 0)
		}
		return v
	}
}

func integerAsFloat(t tensor.DType, v int64) float64 {
	if t == tensor.Uint64 {
		return float64(uint64(v))
	}
	return float64(v)
}

func boundedInteger(op BinaryOp, t tensor.DType) func(a, b value) value {
	f, approximate := exact{}.binary(op, t), floatOperations[op]
	return func(a, b value) value {
		v := f(a, b)
		switch {
		case a.e == 0 && b.e == 0:
			return v
		case op.IsBitwise():
			v.e = unbounded
			return v
		}
		x, y, e := integerAsFloat(t, a.i), integerAsFloat(t, b.i), unbounded
		switch {
		case op == Add || op == Sub:
			e = a.e + b.e
		case op == Mul:
			e = math.Abs(x)*b.e + math.Abs(y)*a.e + a.e*b.e
		case op == Min || op == Max:
			e = max(a.e, b.e)
		case op == Div && b.e == 0 && y != 0:
			e = a.e/math.Abs(y) + 1
		}
		return inRange(t, v.i, approximate(x, y), e)
	}
}

// inRange gives an integer its error: none is known where the exact result,
// moved by the error, wraps.
func inRange(t tensor.DType, v int64, result, e float64) value {
	least, _, limit := integerRange(t)
	if !(result-e >= float64(least) && result+e < limit) {
		e = unbounded
	}
	return value{i: v, e: e}
}

func (bounded) cast(to, from tensor.DType) func(value) value {
	switch {
	case to == from:
		return func(a value) value { return a }
	case from.IsFloat() && to.IsFloat():
		return boundedRound(to, from)
	case from.IsFloat():
		return func(a value) value { return boundedTruncate(to, a) }
	case to.IsFloat():
		p := precisionOf(to)
		return func(a value) value {
			v := value{f: floatOfInt(to, from, a.i), e: a.e}
			if v.e > 0 {
				v.e += p.unit * (math.Abs(v.f) + v.e)
			}
			return v
		}
	}
	f := exact{}.cast(to, from)
	return func(a value) value {
		v := f(a)
		switch {
		case a.e == 0:
			return v
		case to == tensor.Bool:
			v.e = truthError(math.Abs(integerAsFloat(from, a.i)) <= a.e)
			return v
		}
		return inRange(to, v.i, integerAsFloat(from, a.i), a.e)
	}
}

// boundedRound converts between float types; an exact value is rounded the same
// way everywhere.
func boundedRound(to, from tensor.DType) func(value) value {
	p := precisionOf(to)
	if to.Size() > from.Size() {
		return func(a value) value { return a }
	}
	return func(a value) value {
		switch {
		case a.e == 0:
			return value{f: round(to, a.f)}
		case a.isEitherZero():
			return a
		}
		return p.settle(a.f, a.e+p.unit*(math.Abs(a.f)+a.e)+p.tiny)
	}
}

func boundedTruncate(to tensor.DType, a value) value {
	v := value{i: truncate(to, a.f)}
	switch {
	case a.e == 0:
	case a.e == unbounded:
		v.e = unbounded
	case to == tensor.Bool:
		v.e = truthError(math.Abs(a.f) <= a.e && !a.isEitherZero())
	default:
		least, most := truncate(to, a.f-a.e), truncate(to, a.f+a.e)
		middle := integerAsFloat(to, v.i)
		v.e = max(middle-integerAsFloat(to, least), integerAsFloat(to, most)-middle)
	}
	return v
}
