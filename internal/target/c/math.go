package c

import (
	"fmt"
	"math"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/target/own"
	"github.com/ricci-lang/ricci/tensor"
)

// A mathRow says how a builtin function is computed. A scalar is, in this order:
// an own body, or the C library's function. A vector is an own body, or the scalar
// lane by lane. Bodies are templates over x, y, z and w.
type mathRow struct {
	library string // the C library's function for float64; its float32 form ends in f
	// declare is set for functions that compilers do not know as __builtin_….
	declare bool
	// double computes the float32 value in float64, for lack of a (good) float32 function.
	double   bool
	scalar   string // for both types
	vector32 string
	vector64 string
}

// call prints a builtin function.
func (k *kernel) call(e *loop.Call) code {
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		args[i] = k.text(a)
	}
	name := e.Func.Name
	if operator, ok := orderedBy(e, 1); ok { // max(x, y) is x where y is a NaN
		name, args[0], args[1] = operator, args[1], args[0]
	} else if operator, ok := orderedBy(e, 0); ok {
		name = operator
	}
	return primary("%s(%s)", k.unit.helper(name, e.Type()), strings.Join(args, ", "))
}

// orderedBy returns the operator that is the same as fmax or fmin because an argument is a constant number,
// which is its first operand. Of two zeros it returns the first: fmax of -0 and fmin of 0 are no such calls.
func orderedBy(e *loop.Call, argument int) (string, bool) {
	operator, ok := map[string]string{"fmax": "max", "fmin": "min"}[e.Func.Name]
	if !ok || !e.Type().Elem.IsFloat() {
		return "", false
	}
	x := e.Args[argument]
	if all, ok := x.(*loop.Broadcast); ok {
		x = all.X
	}
	c, ok := x.(*loop.Const)
	if !ok {
		return "", false
	}
	v := math.Float64frombits(c.Bits)
	return operator, !math.IsNaN(v) && (v != 0 || math.Signbit(v) == (operator == "min"))
}

// mathTemplate finds the template of a builtin function.
func (u *unit) mathTemplate(name string, t loop.Type) (template, bool) {
	row, ok := mathTable[name]
	if !ok || !t.Elem.IsFloat() {
		return template{}, false
	}
	builtin, ok := ein.LookupBuiltin(name)
	if !ok {
		return template{}, false
	}
	if u.options.Numerics == numerics.Strict && isOwn(builtin) {
		return u.ownTemplate(name, t, builtin.Arity)
	}
	h := template{params: parameters(builtin.Arity)}
	if t.Lanes == 1 {
		h.body = row.scalarBody(u, name, t.Elem, builtin.Arity)
		return h, true
	}
	h.body = row.vector64
	if t.Elem == tensor.Float32 {
		h.body = row.vector32
	}
	if h.body == "" {
		return template{}, false
	}
	h.body = u.halvedBody(h.body, name, t, builtin.Arity)
	return h, true
}

// halvedBody is the body of a vector, by halves where it is longer than a register.
func (u *unit) halvedBody(body, name string, t loop.Type, arity int) string {
	if t.Lanes*t.Elem.Size() > u.options.VectorBytes && t.Lanes > 2 {
		return halvedCall(name, arity)
	}
	return body
}

func (r mathRow) scalarBody(u *unit, name string, d tensor.DType, arity int) string {
	arguments := strings.Join(argumentNames[:arity], ", ")
	switch {
	case d == tensor.Float32 && r.double:
		return fmt.Sprintf("  return (f32)@%s.f64(%s);", name, arguments)
	case r.scalar != "":
		return r.scalar
	}
	function := r.library
	if d == tensor.Float32 {
		function += "f"
	}
	if r.declare {
		u.declare(fmt.Sprintf("%[1]s %[2]s(%[1]s)", map[bool]string{true: "float", false: "double"}[d == tensor.Float32], function))
	} else {
		function = "__builtin_" + function
	}
	return fmt.Sprintf("  return %s(%s);", function, arguments)
}

// halvedCall computes a function of vectors longer than a register by halves.
func halvedCall(name string, arity int) string {
	var b strings.Builder
	calls := make([]string, arity)
	for i, a := range argumentNames[:arity] {
		fmt.Fprintf(&b, "  union { $V v; $H h[2]; } p%d = {%s};\n", i, a)
		calls[i] = fmt.Sprintf("p%d.h[#]", i)
	}
	list := strings.Join(calls, ", ")
	b.WriteString("  union { $V v; $H h[2]; } r;\n")
	for _, half := range []string{"0", "1"} {
		fmt.Fprintf(&b, "  r.h[%s] = @%s.H(%s);\n", half, name, strings.ReplaceAll(list, "#", half))
	}
	b.WriteString("  return r.v;")
	return b.String()
}

// mathTable has a row for every builtin function; a test compares it with ein's.
var mathTable = map[string]mathRow{
	"acos":          {library: "acos"},
	"acosh":         {library: "acosh", vector32: inDouble("@log.f64(a + @sqrt.f64(a - 1) * @sqrt.f64(a + 1))")},
	"asin":          {library: "asin"},
	"asinh":         {library: "asinh", vector32: oddInDouble("@log.f64(a + @sqrt.f64(a * a + 1))", "-0x1.555556p-3f")},
	"atan":          {library: "atan"},
	"atan2":         {library: "atan2"},
	"atanh":         {library: "atanh", vector32: oddInDouble("0.5 * @log.f64((1 + a) / (1 - a))", "0x1.555556p-2f")},
	"cbrt":          {scalar: "#if $SIZE == 4\n  return __builtin_cbrtf(x);\n#else" + own.Library["cbrt"] + "\n#endif", vector32: cbrtBody32},
	"ceil":          {library: "ceil", vector32: roundingBody("10", ceilBody), vector64: roundingBody("10", ceilBody)},
	"copysign":      {library: "copysign", vector32: copysignBody, vector64: copysignBody},
	"cos":           {scalar: libraryWave("cos"), vector32: waveBody("cos", "1"), vector64: waveBody64("cos", "1")},
	"cosh":          {library: "cosh", vector32: inDouble("0.5 * @exp.f64(a) + 0.5 * @exp.f64(-a)")},
	"cospi":         {scalar: own.Library["cospi"]},
	"cyl_bessel_i0": {double: true, scalar: own.Library["cyl_bessel_i0"]},
	"cyl_bessel_i1": {double: true, scalar: own.Library["cyl_bessel_i1"]},
	"erf":           {library: "erf", vector32: erfBody32},
	"erfc":          {library: "erfc", vector32: erfcBody("10.5f", "1.0", "@select(x < 0, 2 - r, r)")},
	"erfcinv":       {double: true, scalar: own.Library["erfcinv"]},
	"erfcx":         {double: true, scalar: own.Library["erfcx"]},
	"erfinv":        {double: true, scalar: own.Library["erfinv"]},
	"exp":           {library: "exp", vector32: expBody32, vector64: expBody64},
	"exp10":         {double: true, scalar: "  return __builtin_pow(10.0, x);", vector32: inDouble("@exp.f64(a * 0x1.26bb1bbb55516p+1)")},
	"exp2":          {library: "exp2", vector32: inDouble("@exp.f64(a * 0x1.62e42fefa39efp-1)")},
	"expm1":         {library: "expm1", vector32: expm1Body32},
	"fabs":          {library: "fabs", vector32: fabsBody, vector64: fabsBody},
	"fdim":          {library: "fdim"},
	"fdivide":       {scalar: "  return x / y;", vector32: "  return x / y;", vector64: "  return x / y;"},
	"floor":         {library: "floor", vector32: roundingBody("9", floorBody), vector64: roundingBody("9", floorBody)},
	"fma":           {library: "fma", vector32: fmaBody, vector64: fmaBody},
	"fmax":          {scalar: "  return x != x || y > x || (y == x && !__builtin_signbit(y)) ? y : x;", vector32: ignoreNaN("max", "&"), vector64: ignoreNaN("max", "&")},
	"fmin":          {scalar: "  return x != x || y < x || (y == x && __builtin_signbit(y)) ? y : x;", vector32: ignoreNaN("min", "|"), vector64: ignoreNaN("min", "|")},
	"fmod":          {library: "fmod"},
	"hypot":         {library: "hypot", vector32: hypotBody32},
	"j0":            {library: "j0", declare: true, double: true},
	"j1":            {library: "j1", declare: true, double: true},
	"lgamma":        {double: true, scalar: "  double lgamma_r(double, int *);\n  int sign;\n  return lgamma_r(x, &sign);"},
	"log":           {library: "log", vector32: logBody32, vector64: logBody64},
	"log10":         {library: "log10", vector32: inDouble("@log.f64(a) * 0x1.bcb7b1526e50ep-2")},
	"log1p":         {library: "log1p", vector32: log1pBody, vector64: log1pBody},
	"log2":          {library: "log2", vector32: inDouble("@log.f64(a) * 0x1.71547652b82fep+0")},
	"logb":          {library: "logb"},
	"nextafter":     {library: "nextafter"},
	"norm3d":        {double: true, scalar: "  return @norm(x, y, z, 0, 0);"},
	"norm4d":        {double: true, scalar: "  return @norm(x, y, z, w, 0);"},
	"normcdf":       {double: true, scalar: own.Library["normcdf"], vector32: erfcBody("14.8f", "0x1.6a09e667f3bcdp-1", "@select(x > 0, 1 - 0.5f * r, 0.5f * r)")},
	"normcdfinv":    {double: true, scalar: own.Library["normcdfinv"]},
	"pow":           {library: "pow", vector32: powBody32},
	"rcbrt":         {double: true, scalar: "  return 1 / @cbrt(x);"},
	"remainder":     {library: "remainder"},
	"rhypot":        {double: true, scalar: "  return @norm(x, y, 0, 0, 1);"},
	"rint":          {library: "rint", vector32: roundingBody("8", rintBody), vector64: roundingBody("8", rintBody)},
	"rnorm3d":       {double: true, scalar: "  return @norm(x, y, z, 0, 1);"},
	"rnorm4d":       {double: true, scalar: "  return @norm(x, y, z, w, 1);"},
	"round":         {library: "round", vector32: roundBody, vector64: roundBody},
	"rsqrt":         {scalar: "  return 1 / @sqrt(x);", vector32: "  return 1 / @sqrt(x);", vector64: "  return 1 / @sqrt(x);"},
	"sin":           {scalar: libraryWave("sin"), vector32: waveBody("sin", "0"), vector64: waveBody64("sin", "0")},
	"sinh":          {library: "sinh", vector32: oddInDouble("0.5 * @exp.f64(a) - 0.5 * @exp.f64(-a)", "0x1.555556p-3f")},
	"sinpi":         {scalar: own.Library["sinpi"]},
	"sqrt":          {library: "sqrt", vector32: sqrtBody, vector64: sqrtBody},
	"tan":           {library: "tan", vector32: "  return @sin(x) / @cos(x);"},
	"tanh":          {library: "tanh", vector32: tanhBody32},
	"tgamma":        {library: "tgamma", double: true},
	"trunc":         {library: "trunc", vector32: roundingBody("11", truncBody), vector64: roundingBody("11", truncBody)},
	"y0":            {library: "y0", declare: true, double: true},
	"y1":            {library: "y1", declare: true, double: true},
}

// libraryWave is a function of the C library where arguments are small: of large ones it may lose digits.
func libraryWave(name string) string {
	return `
#if $SIZE == 4
  return __builtin_` + name + `f(x);
#else
  return __builtin_fabs(x) < 0x1p20 ? __builtin_` + name + `(x) : @` + name + `_large(x);
#endif`
}
