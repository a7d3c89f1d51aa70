// Package own has bodies of functions that have the same bits on every machine and in every language with floats of IEEE 754.
package own

import (
	"fmt"
	"strings"
)

// How the bodies are written
//
// A body is a template of statements of C over x, y, z and w, of float64. It is made of + − × ÷, square roots, comparisons, conversions and
// operations on bits, which IEEE 754 defines to the last bit; products and sums must not be rounded as one. @name is another function
// of Functions or Helpers, $PAIR a struct of two float64 h and l, their unevaluated sum; f64, u64, i32 and their kin are types.
// What begins with __builtin_ are functions as those of compilers for C: fabs, copysign, sqrt, floor, signbit, inf and nan.

// Functions are the bodies by name. Those that are computed on vectors, as exp, log, sin and cos are, targets have themselves.
var Functions = map[string]string{
	"acos":          "  return 2 * @atan2(__builtin_sqrt(1 - x), __builtin_sqrt(1 + x));",
	"acosh":         ownAcosh,
	"asin":          "  return @atan2(x, __builtin_sqrt((1 - x) * (1 + x)));",
	"asinh":         ownAsinh,
	"atan":          ownAtan,
	"atan2":         ownAtan2,
	"atanh":         ownAtanh,
	"cbrt":          cbrtBody,
	"cosh":          ownCosh,
	"cospi":         ownCalls(cospiBody),
	"cyl_bessel_i0": ownCalls(besselBody("0", "x < 0 ? -x : x", "value")),
	"cyl_bessel_i1": ownCalls(besselBody("1", "x < 0 ? -x : x", "x < 0 ? -value : value")),
	"erf":           ownErf,
	"erfc":          ownErfc,
	"erfcinv":       ownCalls(erfcinvBody),
	"erfcx":         ownErfcx,
	"erfinv":        ownCalls(erfinvBody),
	"exp10":         ownPower("0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53", "400"),
	"exp2":          ownPower("0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56", "1100"),
	"expm1":         ownExpm1,
	"hypot":         "  return @norm(x, y, 0, 0, 0);",
	"j0":            ownBesselJ("0", "x < 0 ? -x : x", "value", "1"),
	"j1":            ownBesselJ("1", "x < 0 ? -x : x", "x < 0 ? -value : value", "x / 2"),
	"lgamma":        ownLgamma,
	"log10":         ownLogarithm("0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57"),
	"log1p":         ownLog1p,
	"log2":          ownLogarithm("0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56"),
	"norm3d":        "  return @norm(x, y, z, 0, 0);",
	"norm4d":        "  return @norm(x, y, z, w, 0);",
	"normcdf":       ownCalls(normcdfBody),
	"normcdfinv":    ownCalls(normcdfinvBody),
	"pow":           ownPow,
	"rcbrt":         "  return 1 / @cbrt(x);",
	"rhypot":        "  return @norm(x, y, 0, 0, 1);",
	"rnorm3d":       "  return @norm(x, y, z, 0, 1);",
	"rnorm4d":       "  return @norm(x, y, z, w, 1);",
	"sinh":          ownSinh,
	"sinpi":         ownCalls(sinpiBody),
	"tanh":          ownTanh,
	"tgamma":        ownTgamma,
	"y0":            ownBesselY("0"),
	"y1":            ownBesselY("1"),
}

// Library are bodies in terms of functions of the C library, for functions that it lacks.
var Library = map[string]string{
	"cbrt":          cbrtBody,
	"cospi":         cospiBody,
	"cyl_bessel_i0": besselBody("0", "x < 0 ? -x : x", "value"),
	"cyl_bessel_i1": besselBody("1", "x < 0 ? -x : x", "x < 0 ? -value : value"),
	"erfcinv":       erfcinvBody,
	"erfcx":         erfcxBody,
	"erfinv":        erfinvBody,
	"normcdf":       normcdfBody,
	"normcdfinv":    normcdfinvBody,
	"sinpi":         sinpiBody,
}

// A Helper is a function that bodies share.
type Helper struct{ Result, Params, Body string }

// Helpers are those by name.
var Helpers = map[string]Helper{
	"pair_sum":       {"$PAIR", "f64 x, f64 y", pairSum},
	"pair_product":   {"$PAIR", "f64 x, f64 y", pairProduct},
	"pair_add":       {"$PAIR", "$PAIR a, $PAIR b", pairAdd},
	"pair_times":     {"$PAIR", "$PAIR a, f64 f", pairTimes},
	"pair_multiply":  {"$PAIR", "$PAIR a, $PAIR b", pairMultiply},
	"pair_divide":    {"$PAIR", "$PAIR a, $PAIR b", pairDivide},
	"exp_pair":       {"f64", "$PAIR a", expPair},
	"log_pair":       {"$PAIR", "f64 x", logPair},
	"log_quotient":   {"$PAIR", "$PAIR difference, $PAIR sum", logQuotient},
	"wave_reduced":   {"$PAIR", "f64 x, i32 *quarter", waveReduced},
	"sin_large":      {"f64", "f64 x", waveLarge("0")},
	"cos_large":      {"f64", "f64 x", waveLarge("1")},
	"norm":           {"f64", "f64 x, f64 y, f64 z, f64 w, _Bool reciprocal", normBody},
	"erf_small":      {"f64", "f64 x", erfSmall},
	"erfcx_tail":     {"f64", "f64 x", erfcxTail},
	"stirling":       {"$PAIR", "f64 x", stirlingBody},
	"bessel":         {"f64", "f64 x, i32 order, _Bool second", besselJY},
	"bessel_distant": {"f64", "f64 x, i32 order, _Bool second", besselDistant},
}

// ownCalls are the calls of a body that have own bodies.
func ownCalls(body string) string {
	for _, name := range []string{"exp", "log", "log1p", "erf", "erfc", "sin", "cos"} {
		body = strings.ReplaceAll(body, "__builtin_"+name+"(", "@"+name+"(")
	}
	return body
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
