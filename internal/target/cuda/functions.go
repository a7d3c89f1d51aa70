package cuda

import "github.com/ricci-lang/ricci/internal/target/items"

// functions are those of CUDA's mathematical library whose greatest error, by the tables of its programming guide ("Mathematical
// Functions", without -use_fast_math), is within that of package ein's table. What is not here is computed by a body of
// Ricci's own. The numbers are ulps of float32 and of float64.
var functions = map[string]items.Function{
	"acos":      both("acos"),  // 2, 2
	"acosh":     both("acosh"), // 4, 3
	"asin":      both("asin"),  // 2, 2
	"asinh":     both("asinh"), // 3, 3
	"atan":      both("atan"),  // 2, 2
	"atan2":     {Single: "atan2f($x, $y)", Double: "atan2($x, $y)"},
	"atanh":     both("atanh"), // 3, 2
	"cbrt":      both("cbrt"),  // 1, 1
	"ceil":      both("ceil"),
	"copysign":  {Single: "copysignf($x, $y)", Double: "copysign($x, $y)"},
	"cos":       both("cos"),   // 2, 2
	"cosh":      both("cosh"),  // 2, 2
	"erf":       both("erf"),   // 2, 2
	"erfc":      both("erfc"),  // 4, 5
	"exp":       both("exp"),   // 2, 1
	"exp2":      both("exp2"),  // 2, 1
	"expm1":     both("expm1"), // 1, 1
	"fabs":      both("fabs"),
	"fdim":      {Single: "fdimf($x, $y)", Double: "fdim($x, $y)"},
	"floor":     both("floor"),
	"fma":       {Single: "fmaf($x, $y, $z)", Double: "fma($x, $y, $z)"},
	"fmod":      {Single: "fmodf($x, $y)", Double: "fmod($x, $y)"},
	"hypot":     {Single: "hypotf($x, $y)", Double: "hypot($x, $y)"}, // 3, 2
	"log":       both("log"),                                         // 1, 1
	"log10":     both("log10"),                                       // 2, 1
	"log1p":     both("log1p"),                                       // 1, 1
	"log2":      both("log2"),                                        // 1, 1
	"logb":      both("logb"),
	"nextafter": {Single: "nextafterf($x, $y)", Double: "nextafter($x, $y)"},
	"pow":       {Double: "pow($x, $y)"}, // 2; of float32 8 on some versions
	"remainder": {Single: "remainderf($x, $y)", Double: "remainder($x, $y)"},
	"rint":      both("rint"),
	"round":     both("round"),
	"signbit":   {Single: "(__float_as_uint($x) >> 31 != 0)", Double: "(__double_as_longlong($x) < 0)"},
	"sin":       both("sin"),  // 2, 2
	"sinh":      both("sinh"), // 3, 2
	"sqrt":      both("sqrt"), // 0, with the compiler's -prec-sqrt=true, its default
	"tan":       both("tan"),  // 4, 2
	"tanh":      both("tanh"), // 2, 1
	"tgamma":    both("tgamma"),
	"trunc":     both("trunc"),
}

// both is a function of one argument, whose form for float32 ends in f.
func both(name string) items.Function {
	return items.Function{Single: name + "f($x)", Double: name + "($x)"}
}
