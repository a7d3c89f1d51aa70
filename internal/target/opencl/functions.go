package opencl

import "github.com/ricci-lang/ricci/internal/target/items"

// functions are those of OpenCL C whose error, by the tables of its specification (OpenCL 1.2, section 7.4), is within that of
// package ein's table. What is not here is computed by a body of Ricci's own.
var functions = map[string]items.Function{
	"acos":      both("acos($x)"),  // 4 ulp
	"acosh":     both("acosh($x)"), // 4
	"asin":      both("asin($x)"),  // 4
	"asinh":     both("asinh($x)"), // 4
	"cbrt":      both("cbrt($x)"),  // 2
	"ceil":      both("ceil($x)"),
	"copysign":  both("copysign($x, $y)"),
	"cos":       both("cos($x)"),   // 4
	"cosh":      both("cosh($x)"),  // 4
	"cospi":     both("cospi($x)"), // 4
	"erfc":      both("erfc($x)"),  // 16
	"exp":       both("exp($x)"),   // 3
	"exp10":     both("exp10($x)"), // 3
	"exp2":      both("exp2($x)"),  // 3
	"expm1":     both("expm1($x)"), // 3
	"fabs":      both("fabs($x)"),
	"fdim":      both("fdim($x, $y)"),
	"floor":     both("floor($x)"),
	"fma":       both("fma($x, $y, $z)"),
	"fmod":      both("fmod($x, $y)"),
	"hypot":     both("hypot($x, $y)"), // 4
	"log":       both("log($x)"),       // 3
	"log10":     both("log10($x)"),     // 3
	"log1p":     both("log1p($x)"),     // 2
	"log2":      both("log2($x)"),      // 3
	"logb":      both("logb($x)"),
	"nextafter": both("nextafter($x, $y)"),
	"remainder": both("remainder($x, $y)"),
	"rint":      both("rint($x)"),
	"round":     both("round($x)"),
	"signbit":   both("signbit($x) != 0"),
	"sin":       both("sin($x)"),   // 4
	"sinh":      both("sinh($x)"),  // 4
	"sinpi":     both("sinpi($x)"), // 4
	"sqrt":      both("sqrt($x)"),  // 0, with -cl-fp32-correctly-rounded-divide-sqrt
	"trunc":     both("trunc($x)"),
}

// both is a function that is overloaded.
func both(text string) items.Function { return items.Function{Single: text, Double: text} }
