package ein

import (
	"math"
	"sort"
	"strings"

	"github.com/ricci-lang/ricci/tensor"
)

// How the table of builtins works
//
// A row says what a function is called, how many arguments it takes, what its
// value is in float64, and how errors pass through it. In float32 the value is
// that of float64, rounded; the few rows for which this would be wrong (the next
// number of the type, the single rounding of fma) have a value of their own. The
// rows are sorted by name. A new function is a new row here, a line in the code
// generators, and a row in the tests.

// A Builtin is a row of the table of scalar functions. Every notation, the
// evaluator, the code generators and the documentation read the same table.
type Builtin struct {
	Name  string
	Arity int
	Doc   string // one line with the formula and the domain
	// Eval64 is the value in float64; args has Arity elements and is not kept.
	Eval64 func(args []float64) float64

	// eval32 is the value for float32 arguments where rounding Eval64 is wrong.
	eval32 func(args []float64) float64
	// ulps is the error, in units in the last place of the type, that a good
	// implementation may have; 0 means that every implementation is exact.
	ulps float64
	// envelope is the magnitude that ulps refers to near the zeros of a function
	// whose implementations only promise an absolute error there; nil means the
	// value itself.
	envelope func(args []float64) float64
	near     string // the envelope in words
	// spread bounds |f(x') − f(x)| over all x' with |x'ₖ − xₖ| ≤ eₖ, at least one
	// eₖ being positive and finite; +∞ when there is no bound.
	spread func(b *Builtin, x, e []float64, f float64) float64
	// open reports whether implementations may differ for arguments that they know
	// exactly: the sign of a NaN is nowhere defined. nil means never.
	open func(args []float64) bool
}

// Builtins returns the table, sorted by name.
func Builtins() []*Builtin {
	list := make([]*Builtin, len(builtins))
	for i := range builtins {
		list[i] = &builtins[i]
	}
	return list
}

// LookupBuiltin finds a function by its name.
func LookupBuiltin(name string) (*Builtin, bool) {
	i := sort.Search(len(builtins), func(i int) bool { return builtins[i].Name >= name })
	if i == len(builtins) || builtins[i].Name != name {
		return nil, false
	}
	return &builtins[i], true
}

// LookupFunction finds a function by its name or by C's name of it for float: fmaxf
// and expf are fmax and exp, which have the type of their arguments.
func LookupFunction(name string) (*Builtin, bool) {
	if b, ok := LookupBuiltin(name); ok {
		return b, true
	}
	if short, ok := strings.CutSuffix(name, "f"); ok {
		return LookupBuiltin(short)
	}
	return nil, false
}

// Eval returns the value for arguments of type t, rounded to t.
func (b *Builtin) Eval(t tensor.DType, args []float64) float64 {
	if t == tensor.Float64 {
		return b.Eval64(args)
	}
	if b.eval32 != nil {
		return b.eval32(args)
	}
	return float64(float32(b.Eval64(args)))
}

// Ulps is the greatest error of any computation of the function, in units of the last place of the type: of the
// evaluator's and of all that code generators print. 0 means that the value is exact.
func (b *Builtin) Ulps() float64 { return b.ulps }

// IsExact reports whether every computation of the function gives the same number.
func (b *Builtin) IsExact() bool { return b.ulps == 0 }

// AbsoluteNear says of what magnitude the ulps are where that is more than the value's, or nothing.
func (b *Builtin) AbsoluteNear() string { return b.near }

// UlpsOff is the distance of a result in type t from the value high + low, in units of the last place of t:
// those of the value, or of the envelope where only that is promised. A NaN is next to NaNs only.
func (b *Builtin) UlpsOff(t tensor.DType, args []float64, result, high, low float64) float64 {
	p := precisionOf(t)
	switch nan := math.IsNaN(high); {
	case nan && math.IsNaN(result), result == high && (low == 0 || math.IsInf(high, 0)):
		return 0
	case nan || math.IsNaN(result):
		return unbounded
	}
	size := math.Abs(high)
	if b.envelope != nil {
		size = max(size, b.envelope(args))
	}
	unit := p.tiny
	if _, exponent := math.Frexp(min(size, p.largest)); size > 0 {
		unit = max(unit, math.Ldexp(2*p.unit, exponent-1))
	}
	if math.IsInf(result, 0) || math.Abs(high) > p.largest { // then all numbers are the one that would follow the largest
		_, most := math.Frexp(p.largest)
		quarter := func(v float64) float64 { return max(-1, min(1, v/4/math.Ldexp(1, most-2))) }
		return math.Abs(quarter(result)-quarter(high)) / (2 * p.unit) * 2
	}
	return math.Abs((result-high)-low) / unit
}

func unary(f func(float64) float64) func([]float64) float64 {
	return func(x []float64) float64 { return f(x[0]) }
}

func binary(f func(x, y float64) float64) func([]float64) float64 {
	return func(x []float64) float64 { return f(x[0], x[1]) }
}

// The errors that implementations are allowed, in ulps: of the elementary
// functions in vector libraries, and of the special functions.
const (
	elementary = 4
	special    = 16
	bessel     = 64
)

// The table; its order is checked by a test.
var builtins = [...]Builtin{
	{Name: "acos", Arity: 1, Doc: "arc cosine, x in [-1, 1], result in [0, π]", Eval64: unary(acos), ulps: elementary, spread: atEnds},
	{Name: "acosh", Arity: 1, Doc: "inverse hyperbolic cosine, x ≥ 1", Eval64: unary(math.Acosh), ulps: elementary, spread: atEnds},
	{Name: "asin", Arity: 1, Doc: "arc sine, x in [-1, 1], result in [-π/2, π/2]", Eval64: unary(asin), ulps: elementary, spread: atEnds},
	{Name: "asinh", Arity: 1, Doc: "inverse hyperbolic sine", Eval64: unary(math.Asinh), ulps: elementary, spread: atEnds},
	{Name: "atan", Arity: 1, Doc: "arc tangent, result in [-π/2, π/2]", Eval64: unary(math.Atan), ulps: elementary, spread: atEnds},
	{Name: "atan2", Arity: 2, Doc: "atan2(y, x): the angle of the point (x, y), in [-π, π]", Eval64: binary(atan2), ulps: elementary, spread: atan2Spread},
	{Name: "atanh", Arity: 1, Doc: "inverse hyperbolic tangent, x in [-1, 1]", Eval64: unary(math.Atanh), ulps: elementary, spread: atEnds},
	{Name: "cbrt", Arity: 1, Doc: "cube root", Eval64: unary(math.Cbrt), ulps: elementary, spread: atEnds},
	{Name: "ceil", Arity: 1, Doc: "the least integer ≥ x", Eval64: unary(math.Ceil), spread: atEnds},
	{Name: "copysign", Arity: 2, Doc: "copysign(x, y): |x| with the sign of y", Eval64: binary(math.Copysign), spread: copysignSpread,
		open: func(x []float64) bool { return math.IsNaN(x[1]) }},
	{Name: "cos", Arity: 1, Doc: "cosine of an angle in radians", Eval64: unary(cos), ulps: elementary, spread: waveSpread(sin, 1)},
	{Name: "cosh", Arity: 1, Doc: "hyperbolic cosine", Eval64: unary(cosh), ulps: elementary, spread: atEnds},
	{Name: "cospi", Arity: 1, Doc: "cos(πx), exact where x is a multiple of 1/2", Eval64: unary(cospi), ulps: elementary, spread: waveSpread(sinpi, math.Pi)},
	{Name: "cyl_bessel_i0", Arity: 1, Doc: "modified Bessel function of the first kind, order 0", Eval64: unary(besselI0), ulps: special, spread: atEnds},
	{Name: "cyl_bessel_i1", Arity: 1, Doc: "modified Bessel function of the first kind, order 1", Eval64: unary(besselI1), ulps: special, spread: atEnds},
	{Name: "erf", Arity: 1, Doc: "error function 2/√π ∫₀ˣ exp(-t²) dt", Eval64: unary(math.Erf), ulps: elementary, spread: atEnds},
	{Name: "erfc", Arity: 1, Doc: "complementary error function 1 - erf(x)", Eval64: unary(math.Erfc), ulps: special, spread: atEnds},
	{Name: "erfcinv", Arity: 1, Doc: "the y with erfc(y) = x, x in [0, 2]", Eval64: unary(erfcinv), ulps: special, spread: atEnds},
	{Name: "erfcx", Arity: 1, Doc: "scaled complementary error function exp(x²) erfc(x)", Eval64: unary(erfcx), ulps: special, spread: atEnds},
	{Name: "erfinv", Arity: 1, Doc: "the y with erf(y) = x, x in [-1, 1]", Eval64: unary(erfinv), ulps: special, spread: atEnds},
	{Name: "exp", Arity: 1, Doc: "e to the power x", Eval64: unary(exp), ulps: elementary, spread: atEnds},
	{Name: "exp10", Arity: 1, Doc: "10 to the power x", Eval64: unary(exp10), ulps: elementary, spread: atEnds},
	{Name: "exp2", Arity: 1, Doc: "2 to the power x", Eval64: unary(math.Exp2), ulps: elementary, spread: atEnds},
	{Name: "expm1", Arity: 1, Doc: "exp(x) - 1 without cancellation", Eval64: unary(expm1), ulps: elementary, spread: atEnds},
	{Name: "fabs", Arity: 1, Doc: "|x|", Eval64: unary(math.Abs), spread: sumSpread},
	{Name: "fdim", Arity: 2, Doc: "x - y where x > y, otherwise 0", Eval64: binary(fdim), ulps: 1, spread: sumSpread},
	{Name: "fdivide", Arity: 2, Doc: "x / y", Eval64: binary(func(x, y float64) float64 { return x / y }), ulps: 2, spread: divideSpread},
	{Name: "floor", Arity: 1, Doc: "the greatest integer ≤ x", Eval64: unary(math.Floor), spread: atEnds},
	{Name: "fma", Arity: 3, Doc: "x·y + z with a single rounding", Eval64: func(x []float64) float64 { return math.FMA(x[0], x[1], x[2]) }, eval32: fma32, ulps: 1, spread: fmaSpread},
	{Name: "fmax", Arity: 2, Doc: "the larger of x and y, where -0 is less than 0; a NaN is ignored", Eval64: binary(fmax), spread: sumSpread},
	{Name: "fmin", Arity: 2, Doc: "the smaller of x and y, where -0 is less than 0; a NaN is ignored", Eval64: binary(fmin), spread: sumSpread},
	{Name: "fmod", Arity: 2, Doc: "x - y·trunc(x/y), with the sign of x", Eval64: binary(math.Mod), spread: remainderSpread(math.Trunc)},
	{Name: "hypot", Arity: 2, Doc: "√(x² + y²) without overflow", Eval64: norm, ulps: elementary, spread: sumSpread},
	{Name: "j0", Arity: 1, Doc: "Bessel function of the first kind, order 0", Eval64: unary(math.J0), ulps: bessel, envelope: besselEnvelope, near: "of at least 1/√(1+\\|x\\|)", spread: waveSpread(math.J1, 1)},
	{Name: "j1", Arity: 1, Doc: "Bessel function of the first kind, order 1", Eval64: unary(besselJ1), ulps: bessel, envelope: besselEnvelope, near: "of at least 1/√(1+\\|x\\|)", spread: waveSpread(j1Slope, 1)},
	{Name: "lgamma", Arity: 1, Doc: "log |Γ(x)|", Eval64: unary(lgamma), ulps: special, envelope: lgammaEnvelope, near: "of at least 1 (x < 0: 1 + \\|x\\|·(1 + log(1-x)))", spread: gammaSpread},
	{Name: "log", Arity: 1, Doc: "natural logarithm, x ≥ 0", Eval64: unary(log), ulps: elementary, spread: atEnds},
	{Name: "log10", Arity: 1, Doc: "logarithm to base 10, x ≥ 0", Eval64: unary(log10), ulps: elementary, spread: atEnds},
	{Name: "log1p", Arity: 1, Doc: "log(1 + x) without cancellation, x ≥ -1", Eval64: unary(math.Log1p), ulps: elementary, spread: atEnds},
	{Name: "log2", Arity: 1, Doc: "logarithm to base 2, x ≥ 0", Eval64: unary(log2), ulps: elementary, spread: atEnds},
	{Name: "logb", Arity: 1, Doc: "the exponent of x: floor(log2 |x|)", Eval64: unary(math.Logb), spread: logbSpread},
	{Name: "nextafter", Arity: 2, Doc: "the number of the type that follows x in the direction of y", Eval64: binary(math.Nextafter), eval32: nextafter32, spread: nextafterSpread},
	{Name: "norm3d", Arity: 3, Doc: "√(x² + y² + z²) without overflow", Eval64: norm, ulps: elementary, spread: sumSpread},
	{Name: "norm4d", Arity: 4, Doc: "√(x² + y² + z² + w²) without overflow", Eval64: norm, ulps: elementary, spread: sumSpread},
	{Name: "normcdf", Arity: 1, Doc: "cumulative normal distribution erfc(-x/√2)/2", Eval64: unary(normcdf), ulps: special, spread: atEnds},
	{Name: "normcdfinv", Arity: 1, Doc: "the y with normcdf(y) = x, x in [0, 1]", Eval64: unary(normcdfinv), ulps: special, spread: atEnds},
	{Name: "pow", Arity: 2, Doc: "x to the power y", Eval64: binary(pow), ulps: elementary, spread: powSpread},
	{Name: "rcbrt", Arity: 1, Doc: "1 / cbrt(x)", Eval64: unary(func(x float64) float64 { return 1 / math.Cbrt(x) }), ulps: elementary, spread: poleSpread},
	{Name: "remainder", Arity: 2, Doc: "x - y·n with n the integer nearest to x/y, even in a tie", Eval64: binary(math.Remainder), spread: remainderSpread(math.RoundToEven)},
	{Name: "rhypot", Arity: 2, Doc: "1 / hypot(x, y)", Eval64: rnorm, ulps: elementary, spread: reciprocalSpread},
	{Name: "rint", Arity: 1, Doc: "the nearest integer, the even one in a tie", Eval64: unary(math.RoundToEven), spread: atEnds},
	{Name: "rnorm3d", Arity: 3, Doc: "1 / norm3d(x, y, z)", Eval64: rnorm, ulps: elementary, spread: reciprocalSpread},
	{Name: "rnorm4d", Arity: 4, Doc: "1 / norm4d(x, y, z, w)", Eval64: rnorm, ulps: elementary, spread: reciprocalSpread},
	{Name: "round", Arity: 1, Doc: "the nearest integer, a tie goes away from 0", Eval64: unary(math.Round), spread: atEnds},
	{Name: "rsqrt", Arity: 1, Doc: "1 / √x, x ≥ 0", Eval64: unary(func(x float64) float64 { return 1 / math.Sqrt(x) }), ulps: elementary, spread: atEnds},
	{Name: "sin", Arity: 1, Doc: "sine of an angle in radians", Eval64: unary(sin), ulps: elementary, spread: waveSpread(cos, 1)},
	{Name: "sinh", Arity: 1, Doc: "hyperbolic sine", Eval64: unary(sinh), ulps: elementary, spread: atEnds},
	{Name: "sinpi", Arity: 1, Doc: "sin(πx), exact where x is a multiple of 1/2", Eval64: unary(sinpi), ulps: elementary, spread: waveSpread(cospi, math.Pi)},
	{Name: "sqrt", Arity: 1, Doc: "square root, x ≥ 0", Eval64: unary(math.Sqrt), ulps: 1, spread: atEnds},
	{Name: "tan", Arity: 1, Doc: "tangent of an angle in radians", Eval64: unary(tan), ulps: elementary, spread: tanSpread},
	{Name: "tanh", Arity: 1, Doc: "hyperbolic tangent", Eval64: unary(math.Tanh), ulps: elementary, spread: atEnds},
	{Name: "tgamma", Arity: 1, Doc: "Γ(x), undefined at 0, -1, -2, …", Eval64: unary(tgamma), ulps: special, spread: gammaSpread},
	{Name: "trunc", Arity: 1, Doc: "x without its fraction", Eval64: unary(math.Trunc), spread: atEnds},
	{Name: "y0", Arity: 1, Doc: "Bessel function of the second kind, order 0, x ≥ 0", Eval64: unary(besselY0), ulps: bessel, envelope: besselEnvelope, near: "of at least 1/√(1+\\|x\\|)", spread: besselYSpread(math.Y1)},
	{Name: "y1", Arity: 1, Doc: "Bessel function of the second kind, order 1, x ≥ 0", Eval64: unary(math.Y1), ulps: bessel, envelope: besselEnvelope, near: "of at least 1/√(1+\\|x\\|)", spread: besselYSpread(math.Y0)},
}
