package c

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How functions have the same bits everywhere
//
// The functions of the C library differ between its versions, and between the processors that it
// chooses instructions for; a vector body and a scalar one are two approximations. Where a program
// asks for the same bits on any machine, a function is computed by one body of Ricci's own, made of
// + − × ÷, square roots, comparisons, conversions and operations on bits, which IEEE 754 defines to the
// last bit. Compilers must not contract them to fused multiply-adds.
//
// A row has a scalar body for float64, or bodies of vectors that work lane by lane; the scalar is then a
// lane of the narrowest vector. What is missing comes from what is there: a vector from the scalar
// function lane by lane, and float32 from float64 by a last rounding, which is nearly always to
// the nearest number.
//
// Functions without a row, ownExact, have a value that IEEE 754 defines; their bodies are those of mathTable.

// An ownRow is the own computation of a function.
type ownRow struct {
	scalar   string // for float64
	vector32 string
	vector64 string
}

// ownExact are the functions whose values leave no choice, so that any body and any C library has
// the same bits: IEEE 754 defines each of their few operations.
var ownExact = []string{
	"ceil", "copysign", "fabs", "fdim", "fdivide", "floor", "fma", "fmax", "fmin", "fmod", "logb", "nextafter", "remainder",
	"rint", "round", "rsqrt", "sqrt", "trunc",
}

// ownTable has a row for every other function.
var ownTable = map[string]ownRow{
	"acos":          {scalar: "  return 2 * @atan2(__builtin_sqrt(1 - x), __builtin_sqrt(1 + x));"},
	"acosh":         {scalar: ownAcosh},
	"asin":          {scalar: "  return @atan2(x, __builtin_sqrt((1 - x) * (1 + x)));"},
	"asinh":         {scalar: ownAsinh},
	"atan":          {scalar: ownAtan},
	"atan2":         {scalar: ownAtan2},
	"atanh":         {scalar: ownAtanh},
	"cbrt":          {scalar: cbrtBody},
	"cos":           {vector32: inDouble("@cos.f64(a)"), vector64: ownWave("cos", "1", "")},
	"cosh":          {scalar: ownCosh},
	"cospi":         {scalar: ownCalls(cospiBody)},
	"cyl_bessel_i0": {scalar: ownCalls(besselBody("0", "x < 0 ? -x : x", "value"))},
	"cyl_bessel_i1": {scalar: ownCalls(besselBody("1", "x < 0 ? -x : x", "x < 0 ? -value : value"))},
	"erf":           {scalar: ownErf},
	"erfc":          {scalar: ownErfc},
	"erfcinv":       {scalar: ownCalls(erfcinvBody)},
	"erfcx":         {scalar: ownErfcx},
	"erfinv":        {scalar: ownCalls(erfinvBody)},
	"exp":           {vector32: ownExp32, vector64: ownExp64},
	"exp10":         {scalar: ownPower("0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53", "400")},
	"exp2":          {scalar: ownPower("0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56", "1100")},
	"expm1":         {scalar: ownExpm1},
	"hypot":         {scalar: "  return @norm(x, y, 0, 0, 0);"},
	"j0":            {scalar: ownBesselJ("0", "x < 0 ? -x : x", "value", "1")},
	"j1":            {scalar: ownBesselJ("1", "x < 0 ? -x : x", "x < 0 ? -value : value", "x / 2")},
	"lgamma":        {scalar: ownLgamma},
	"log":           {vector32: logBody32, vector64: logBody64},
	"log10":         {scalar: ownLogarithm("0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57")},
	"log1p":         {scalar: ownLog1p},
	"log2":          {scalar: ownLogarithm("0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56")},
	"norm3d":        {scalar: "  return @norm(x, y, z, 0, 0);"},
	"norm4d":        {scalar: "  return @norm(x, y, z, w, 0);"},
	"normcdf":       {scalar: ownCalls(normcdfBody)},
	"normcdfinv":    {scalar: ownCalls(normcdfinvBody)},
	"pow":           {scalar: ownPow, vector32: powBody32},
	"rcbrt":         {scalar: "  return 1 / @cbrt(x);"},
	"rhypot":        {scalar: "  return @norm(x, y, 0, 0, 1);"},
	"rnorm3d":       {scalar: "  return @norm(x, y, z, 0, 1);"},
	"rnorm4d":       {scalar: "  return @norm(x, y, z, w, 1);"},
	"sin":           {vector32: inDouble("@sin.f64(a)"), vector64: ownWave("sin", "0", "  v = @select(x == 0, x, v);\n")},
	"sinh":          {scalar: ownSinh},
	"sinpi":         {scalar: ownCalls(sinpiBody)},
	"tan":           {vector32: inDouble("@sin.f64(a) / @cos.f64(a)"), vector64: "  return @sin(x) / @cos(x);"},
	"tanh":          {scalar: ownTanh, vector32: tanhBody32},
	"tgamma":        {scalar: ownTgamma},
	"y0":            {scalar: ownBesselY("0")},
	"y1":            {scalar: ownBesselY("1")},
}

// ownCalls are the calls of a body that have own bodies.
func ownCalls(body string) string {
	for _, name := range []string{"exp", "log", "log1p", "erf", "erfc", "sin", "cos"} {
		body = strings.ReplaceAll(body, "__builtin_"+name+"(", "@"+name+"(")
	}
	return body
}

// ownTemplate finds the own body of a function for a type. A vector without one is computed lane by lane.
func (u *unit) ownTemplate(name string, t loop.Type, arity int) (template, bool) {
	row := ownTable[name]
	h := template{params: parameters(arity), body: row.vector64}
	if t.Elem == tensor.Float32 {
		h.body = row.vector32
	}
	switch {
	case t.Lanes > 1 && h.body == "":
		return template{}, false
	case t.Lanes > 1:
		h.body = u.halvedBody(h.body, name, t, arity)
	case h.body != "":
		pair := u.vector(storedName(t.Elem), 2)
		arguments := make([]string, arity)
		for i, a := range argumentNames[:arity] {
			arguments[i] = fmt.Sprintf("(%[1]s){%[2]s, %[2]s}", pair, a)
		}
		h.body = fmt.Sprintf("  %s r = @%s.P(%s);\n  return r[0];", pair, name, strings.Join(arguments, ", "))
	case t.Elem == tensor.Float32:
		h.body = fmt.Sprintf("  return (f32)@%s.f64(%s);", name, strings.Join(argumentNames[:arity], ", "))
	default:
		h.body = row.scalar
	}
	return h, true
}

// isOwn reports whether a function has an own body where one is asked for.
func isOwn(b *ein.Builtin) bool {
	_, ok := ownTable[b.Name]
	return ok
}

// ownTemplates are the functions that own bodies share.
var ownTemplates = map[string][]template{
	"pair_sum":       {{kinds: "f", result: "$PAIR", params: "f64 x, f64 y", body: pairSum}},
	"pair_product":   {{kinds: "f", result: "$PAIR", params: "f64 x, f64 y", body: pairProduct}},
	"pair_add":       {{kinds: "f", result: "$PAIR", params: "$PAIR a, $PAIR b", body: pairAdd}},
	"pair_times":     {{kinds: "f", result: "$PAIR", params: "$PAIR a, f64 f", body: pairTimes}},
	"pair_multiply":  {{kinds: "f", result: "$PAIR", params: "$PAIR a, $PAIR b", body: pairMultiply}},
	"pair_divide":    {{kinds: "f", result: "$PAIR", params: "$PAIR a, $PAIR b", body: pairDivide}},
	"exp_pair":       {{kinds: "f", result: "f64", params: "$PAIR a", body: expPair}},
	"log_pair":       {{kinds: "f", result: "$PAIR", params: "f64 x", body: logPair}},
	"log_quotient":   {{kinds: "f", result: "$PAIR", params: "$PAIR difference, $PAIR sum", body: logQuotient}},
	"wave_reduced":   {{kinds: "f", result: "$PAIR", params: "f64 x, i32 *quarter", body: waveReduced}},
	"sin_large":      {{kinds: "f", result: "f64", params: "f64 x", body: waveLarge("0")}},
	"cos_large":      {{kinds: "f", result: "f64", params: "f64 x", body: waveLarge("1")}},
	"norm":           {{kinds: "f", result: "f64", params: "f64 x, f64 y, f64 z, f64 w, _Bool reciprocal", body: normBody}},
	"erf_small":      {{kinds: "f", result: "f64", params: "f64 x", body: erfSmall}},
	"erfcx_tail":     {{kinds: "f", result: "f64", params: "f64 x", body: erfcxTail}},
	"stirling":       {{kinds: "f", result: "$PAIR", params: "f64 x", body: stirlingBody}},
	"bessel":         {{kinds: "f", result: "f64", params: "f64 x, i32 order, _Bool second", body: besselJY}},
	"bessel_distant": {{kinds: "f", result: "f64", params: "f64 x, i32 order, _Bool second", body: besselDistant}},
}

// polynomial prints the statements that make name a polynomial of a variable, from the highest coefficient.
func polynomial(name, variable string, coefficients ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  f64 %s = %s;\n", name, coefficients[0])
	for _, c := range coefficients[1:] {
		fmt.Fprintf(&b, "  %[1]s = %[1]s * %[2]s + %[3]s;\n", name, variable, c)
	}
	return b.String()
}
