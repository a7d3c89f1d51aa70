package own

// The functions that the C library lacks. They follow the definitions of package
// ein's table, which is the judge; the constants are those of the formulas.

// sinpi and cospi reduce the argument exactly, to a quarter of a period.
const (
	sinpiBody = `
  $S y = __builtin_fmod(__builtin_fabs(x), 2), sign = x;
  if (y >= 1) { y -= 1; if (y != 0) sign = -sign; }
  if (y > ($S)0.5) y = 1 - y;
  f64 r = y <= ($S)0.25 ? __builtin_sin(0x1.921fb54442d18p+1 * y) : __builtin_cos(0x1.921fb54442d18p+1 * (0.5 - y));
  return __builtin_copysign(r, sign);`
	cospiBody = `
  $S y = __builtin_fmod(__builtin_fabs(x), 2);
  if (y > 1) y = 2 - y;
  if (y <= ($S)0.25) return __builtin_cos(0x1.921fb54442d18p+1 * y);
  if (y < ($S)0.75) return __builtin_sin(0x1.921fb54442d18p+1 * (0.5 - y));
  return -__builtin_cos(0x1.921fb54442d18p+1 * (1 - y));`
)

// erfcxBody is exp(x²)·erfc(x) with the square in two parts, and from 10 on the
// asymptotic series 1/(x√π) Σ (-1)ⁿ (2n-1)!! / (2x²)ⁿ.
const erfcxBody = `
  if (x < 10) {
    f64 square = x * x;
    if (square > 800) return x < 0 ? __builtin_inf() : 0;
    return __builtin_exp(square) * (1 + __builtin_fma(x, x, -square)) * __builtin_erfc(x);
  }
  f64 step = -1 / (2 * x * x), sum = 1, term = 1;
  for (int n = 1; __builtin_fabs(term) > 1e-17 && n < 60; n++) { term *= (2 * n - 1) * step; sum += term; }
  return sum / 0x1.c5bf891b4ef6bp+0 / x;`

// erfinvBody starts from Winitzki's approximation, which is good to 2e-3, and
// cubes the error three times by Halley's method; beyond 1/2 it works on 1-|x|.
const erfinvBody = `
  f64 a = __builtin_fabs(x);
  if (a > 0.5) return __builtin_copysign(@erfcinv(1 - a), x);
  f64 l = __builtin_log1p(-x * x), b = 0x1.154732a6cb0acp+2 + l / 2;
  f64 y = __builtin_copysign(__builtin_sqrt(__builtin_sqrt(b * b - l / 0.147) - b), x);
  if (a < 1e-5) y = x * 0x1.c5bf891b4ef6bp-1;
  for (int i = 0; i < 3; i++) {
    f64 step = (__builtin_erf(y) - x) * 0x1.c5bf891b4ef6bp-1 * __builtin_exp(y * y);
    y -= step / (1 + y * step);
  }
  return y;`

// erfcinvBody solves log erfc(y) = log x by Newton's method. The function is
// concave, so that the iteration stays in its domain; erfcx keeps it from underflow.
const erfcinvBody = `
  if (!(x >= 0 && x <= 2)) return __builtin_nan("");
  if (x == 0) return __builtin_inf();
  if (x == 2) return -__builtin_inf();
  if (x > 1) return -@erfcinv(2 - x);
  if (x >= 0.5) return @erfinv(1 - x);
  f64 l = __builtin_log(x), t = -l;
  f64 y = x > 0.05 ? 0.9 * __builtin_sqrt(t) - 0.25 : __builtin_sqrt(t - __builtin_log(2 * __builtin_sqrt(t)));
  for (int i = 0; i < 30; i++) {
    f64 scaled = @erfcx(y);
    f64 step = (__builtin_log(scaled) - y * y - l) * 0x1.c5bf891b4ef6bp-1 * scaled;
    y += step;
    if (__builtin_fabs(step) <= 1e-16 * y) break;
  }
  return y;`

// normcdfBody is erfc(-x/√2)/2 with the quotient in two parts: in the tail erfc
// multiplies a rounding error by x².
const normcdfBody = `
  f64 h = -x * 0x1.6a09e667f3bcdp-1;
  f64 l = __builtin_fma(-x, 0x1.6a09e667f3bcdp-1, -h) + x * 0x1.bdd3413b26456p-55;
  f64 value = __builtin_erfc(h) / 2;
  if (value == 0 || h < -6 || x != x) return value;
  return value * (1 - 0x1.20dd750429b6dp+0 * l / @erfcx(h));`

const normcdfinvBody = `
  if (x <= 0.5) return -0x1.6a09e667f3bcdp+0 * @erfcinv(2 * x);
  return 0x1.6a09e667f3bcdp+0 * @erfinv(2 * x - 1);`

// besselBody is I₀ or I₁: the power series, whose terms are positive, and beyond
// 20 the asymptotic series with exp(x) in two factors.
func besselBody(order, magnitude, result string) string {
	return `
  f64 a = ` + magnitude + `, sum = 1, term = 1, half = a / 2, value;
  if (a > 800) { value = __builtin_inf(); return ` + result + `; }
  if (a <= 20) {
    if (` + order + ` == 1) sum = term = half;
    for (int k = 1; term > 1e-18 * sum; k++) { term *= half / k * (half / (k + ` + order + `)); sum += term; }
    value = sum;
  } else {
    for (int k = 1; __builtin_fabs(term) > 1e-18 && k < 60; k++) {
      term *= (f64)((2 * k - 1) * (2 * k - 1) - 4 * ` + order + `) / (8 * k * a);
      sum += term;
    }
    f64 root = __builtin_exp(half);
    value = root / __builtin_sqrt(0x1.921fb54442d18p+2 * a) * sum * root;
  }
  return ` + result + `;`
}
