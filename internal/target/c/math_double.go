package c

// The vector forms of functions of float32 that are computed by exp, log and sqrt of float64,
// whose 29 more bits are rounded off in the end: nearly all results are the nearest. A
// difference of nearly equal numbers would take those bits, which is why functions that are
// about x at 0 have a polynomial there.

// inDouble computes a function of x, which is a in float64, and rounds it.
func inDouble(value string) string {
	return "\n  $f64 a = __builtin_convertvector(x, $f64);\n  return __builtin_convertvector(" + value + ", $V);"
}

// oddInDouble does so for |x|, of functions that have the sign of x; near 0 they are x plus a
// multiple of its cube.
func oddInDouble(value, cube string) string {
	return `
  $V size = @fabs(x);
  $f64 a = __builtin_convertvector(size, $f64);
  $V r = __builtin_convertvector(` + value + `, $V);
  r = @select(size < 0x1p-10f, size + size * size * size * ` + cube + `, r);
  return @copysign(@select(x != x, x, r), x);`
}

// hypotBody32 needs no scaling: squares of float32 are in the range of float64.
const hypotBody32 = `
  $f64 a = __builtin_convertvector(x, $f64), b = __builtin_convertvector(y, $f64);
  $V r = __builtin_convertvector(@sqrt.f64(a * a + b * b), $V);
  return @select((@fabs(x) == __builtin_inff()) | (@fabs(y) == __builtin_inff()), __builtin_inff() + ($V){}, r);`

// cbrtBody32 is exp(log|x|/3), which is 0 and ∞ where x is.
const cbrtBody32 = `
  $f64 a = __builtin_convertvector(@fabs(x), $f64);
  return @copysign(__builtin_convertvector(@exp.f64(@log.f64(a) * 0x1.5555555555555p-2), $V), x);`
