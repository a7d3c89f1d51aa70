package ein

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/tensor"
)

// How error bounds work
//
// With bounds, a float is computed in float64, whatever its type, and carries a
// bound e on its distance from the value in any implementation that rounds every
// operation to the type, contracts products into fused multiply-adds, reduces in
// any order, and has functions that are a few ulps off. The bounds are those of
// running error analysis, to first order: u = 2⁻²⁴ (or 2⁻⁵³) per operation.
// e = 0 means exact in every implementation, so that integers in floats stay
// exact and comparisons of them certain. A decision that could fall otherwise
// within the errors widens the result to both outcomes: an integer or bool then
// has an error too. e = +∞ means ambiguous: nothing can be said.
//
// Sums, products, minima and maxima are covered in any order (a sum or product that some
// order takes out of the range of the type is ambiguous), and sums whose terms
// have a factor in common that is multiplied last, as long as no partial product
// leaves the range of the type, which docs/tc.md asks of programs. So are user-defined
// operators that add, multiply and choose (eval_majorant.go); one that divides or calls
// functions is covered in the order of the fold, which is close to that of any other
// order unless its partial results are much larger than its prefixes. Of 0 and -0 either may
// be the minimum or maximum; such a zero has the error eitherZero, and is exact once
// something is added to it.

// eitherZero is the error of a zero whose sign depends on the order of operations: as a
// distance it is none, and roundings have larger ones.
const eitherZero = 0x1p-1074

func (v value) isEitherZero() bool { return v.f == 0 && v.e == eitherZero }

// bounded is the arithmetic of float64 with error bounds.
type bounded struct{}

func (bounded) bounds() bool { return true }

// A precision describes the rounding of a float type.
type precision struct {
	dtype   tensor.DType
	unit    float64 // the largest relative error of one rounding
	tiny    float64 // the smallest positive number
	largest float64 // the largest number
}

var precisions = [...]precision{
	{tensor.Float16, 0x1p-11, 0x1p-24, 65504},
	{tensor.BFloat16, 0x1p-8, 0x1p-133, 0x1.fep127},
	{tensor.Float32, 0x1p-24, 0x1p-149, math.MaxFloat32},
	{tensor.Float64, 0x1p-53, 0x1p-1074, math.MaxFloat64},
}

func precisionOf(t tensor.DType) *precision {
	for i := range precisions {
		if precisions[i].dtype == t {
			return &precisions[i]
		}
	}
	return nil
}

// finite is no v-v == 0: Go may fuse a subtraction with the product that v was, and does on arm64.
func finite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }

// certain is the error of a value that is exact if it is known at all.
func certain(ok bool) float64 {
	if ok {
		return 0
	}
	return unbounded
}

// settle completes a result that may overflow in the type.
func (p *precision) settle(v, e float64) value {
	size := math.Abs(v)
	switch {
	case e != e:
		e = unbounded
	case !finite(v) || size+e <= p.largest:
	case size-e > p.largest*(1+2*p.unit):
		v, e = math.Copysign(unbounded, v), 0
	default:
		e = unbounded
	}
	return value{f: v, e: e}
}

// rounded adds the error of one rounding, unless the operation was exact: rest is
// what float64 rounds off, and only counts where that is the type.
func (p *precision) rounded(v, e, rest float64) value {
	if e == 0 {
		if p.dtype != tensor.Float64 {
			rest = v - round(p.dtype, v)
		}
		if rest == 0 {
			return value{f: v}
		}
	}
	return p.settle(v, e+p.unit*(math.Abs(v)+e)+p.tiny)
}

func (bounded) negate(t tensor.DType) func(value) value {
	if t.IsFloat() {
		return func(a value) value { return value{f: -a.f, e: a.e} }
	}
	minus := boundedInteger(Sub, t)
	return func(a value) value { return minus(value{}, a) }
}

func (bounded) not() func(value) value {
	return func(a value) value { return value{i: 1 - a.i, e: a.e} }
}

func (bounded) binary(op BinaryOp, t tensor.DType) func(a, b value) value {
	switch {
	case op.IsComparison():
		return boundedComparison(op, t)
	case op == And || op == Or:
		return boundedLogic(op)
	case t.IsFloat():
		return boundedFloat(op, precisionOf(t.Compute()))
	}
	return boundedInteger(op, t)
}

func boundedFloat(op BinaryOp, p *precision) func(a, b value) value {
	switch op {
	case Add:
		return p.add
	case Sub:
		return func(a, b value) value { return p.add(a, value{f: -b.f, e: b.e}) }
	case Mul:
		return p.multiply
	case Div:
		return p.divide
	case Mod:
		return p.remainder
	case Min:
		return func(a, b value) value {
			return p.selected(lesserFloat(a.f, b.f), a, b, a.f+a.e < b.f-b.e, b.f+b.e < a.f-a.e)
		}
	}
	return func(a, b value) value {
		return p.selected(greaterFloat(a.f, b.f), a, b, a.f-a.e > b.f+b.e, b.f-b.e > a.f+a.e)
	}
}

// selected is a minimum or maximum; only an argument that can win has an
// influence on its error. Which of two zeros wins depends on the order, so that
// the sign of the result is uncertain when theirs differ.
func (p *precision) selected(v float64, a, b value, aWins, bWins bool) value {
	switch {
	case aWins:
		return a
	case bWins:
		return b
	case a.f == 0 && b.f == 0 && math.Signbit(a.f) != math.Signbit(b.f):
		return value{f: v, e: max(a.e, b.e, eitherZero)}
	}
	return value{f: v, e: max(a.e, b.e)}
}

func (p *precision) add(a, b value) value {
	v := a.f + b.f
	switch {
	case !finite(v):
		return value{f: v, e: certain(a.e+b.e < unbounded)}
	case a.f == 0 && b.f == 0 && max(a.e, b.e) == eitherZero:
		return value{f: v, e: eitherZero}
	case a.isEitherZero():
		a.e = 0
	case b.isEitherZero():
		b.e = 0
	}
	rest := 0.0
	if p.dtype == tensor.Float64 {
		_, rest = twoSum(a.f, b.f)
	}
	return p.rounded(v, a.e+b.e, rest)
}

// remainder is exact but for the sum of it and a divisor with another sign.
func (p *precision) remainder(a, b value) value {
	if a.isEitherZero() { // the divisor has the sign of the result
		a.e = 0
	}
	v, e, rest := math.Mod(a.f, b.f), 0.0, 0.0
	if differ(v, b.f) {
		v, rest = twoSum(v, b.f)
	}
	if v == 0 {
		v = math.Copysign(0, b.f)
	}
	if a.e != 0 || b.e != 0 {
		e = floorModSpread(a, b)
	}
	if !finite(v) {
		return p.settle(v, e)
	}
	return p.rounded(v, e, rest)
}

func (p *precision) multiply(a, b value) value {
	v := a.f * b.f
	if !finite(v) {
		overflow := finite(a.f) && finite(b.f) // not in a fused multiply-add
		maybeZero := a.e > 0 && math.Abs(a.f) <= a.e || b.e > 0 && math.Abs(b.f) <= b.e
		return value{f: v, e: certain(!overflow && !maybeZero && a.e+b.e < unbounded)}
	}
	if (a.isEitherZero() || b.isEitherZero()) && a.e+b.e < unbounded {
		return value{f: v, e: eitherZero}
	}
	e := math.Abs(a.f)*b.e + math.Abs(b.f)*a.e + a.e*b.e
	rest := math.FMA(a.f, b.f, -v)
	if rest == 0 && lowestBit(a.f)*lowestBit(b.f) < 0x1p-1074 {
		rest = p.tiny // lost below the smallest number
	}
	return p.rounded(v, e, rest)
}

func (p *precision) divide(a, b value) value {
	v := a.f / b.f
	switch {
	case b.e > 0 && math.Abs(b.f) <= b.e:
		return value{f: v, e: unbounded}
	case !finite(v):
		maybeZero := b.f == 0 && a.e > 0 && math.Abs(a.f) <= a.e
		return value{f: v, e: certain(!maybeZero && a.e+b.e < unbounded)}
	case math.IsInf(b.f, 0):
		return value{f: v, e: certain(a.e+b.e < unbounded)}
	}
	e := (a.e + math.Abs(v)*b.e) / (math.Abs(b.f) - b.e)
	rest := math.FMA(v, b.f, -a.f)
	if v != 0 && math.Abs(v) < 0x1p-1022 {
		rest = p.tiny
	}
	return p.rounded(v, e, rest)
}

func (bounded) call(b *Builtin, t tensor.DType) func([]value) value {
	p := precisionOf(t.Compute())
	x, e := make([]float64, b.Arity), make([]float64, b.Arity)
	var f func([]value) value
	f = func(args []value) value {
		for i, a := range args {
			if a.isEitherZero() {
				return p.eitherOf(f, args, i)
			}
			x[i], e[i] = a.f, a.e
		}
		errors := total(e)
		if errors == unbounded || b.open != nil && b.open(x) {
			return value{f: b.Eval64(x), e: unbounded}
		}
		if errors == 0 && b.ulps == 0 {
			return value{f: b.Eval(p.dtype, x)}
		}
		v := b.Eval64(x)
		if errors > 0 {
			errors = b.spread(b, x, e, v)
		}
		if b.ulps == 0 || !finite(v) {
			return p.settle(v, errors)
		}
		size := math.Abs(v)
		if b.envelope != nil {
			size = max(size, b.envelope(x))
		}
		if size > 0 {
			errors += 2*b.ulps*p.unit*(size+errors) + p.tiny
		}
		return p.settle(v, errors)
	}
	return f
}

// eitherOf calls a function with argument i, a zero of either sign, as both of them.
func (p *precision) eitherOf(f func([]value) value, args []value, i int) value {
	both := slices.Clone(args)
	both[i] = value{}
	a := f(both)
	both[i].f = math.Copysign(0, -1)
	b := f(both)
	switch apart := math.Abs(a.f - b.f); {
	case a.f == 0 && b.f == 0 && math.Signbit(a.f) != math.Signbit(b.f):
		return value{f: a.f, e: max(a.e, b.e, eitherZero)}
	case a.f == b.f || a.f != a.f && b.f != b.f:
		return value{f: a.f, e: max(a.e, b.e)}
	default: // NaN where one of them is none
		return p.settle(a.f, max(a.e, apart+b.e))
	}
}
