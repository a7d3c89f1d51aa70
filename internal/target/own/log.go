package own

// logQuotient is log(a/b) = 2·artanh(s) for s = (a-b)/(a+b), |s| < 0.172:
// artanh(s)/s = 1 + s²/3 + s⁴/5 + …, in double length up to s⁴.
var logQuotient = `
  $PAIR s = @pair_divide(difference, sum), z = @pair_multiply(s, s);
` + polynomial("tail", "z.h", "1.0 / 27", "1.0 / 25", "1.0 / 23", "1.0 / 21", "1.0 / 19", "1.0 / 17", "1.0 / 15", "1.0 / 13", "1.0 / 11", "1.0 / 9", "1.0 / 7") + `
  $PAIR p = @pair_add(@pair_times(z, tail), ($PAIR){0x1.999999999999ap-3, -0x1.999999999999ap-57});
  p = @pair_add(@pair_multiply(p, z), ($PAIR){0x1.5555555555555p-2, 0x1.5555555555555p-56});
  p = @pair_add(@pair_multiply(p, z), ($PAIR){1, 0});
  return @pair_multiply(p, ($PAIR){2 * s.h, 2 * s.l});`

// logPair is the natural logarithm of a positive finite x = m·2ᵉ with √½ ≤ m < √2.
const logPair = `
  i32 e = 0;
  if (x < 0x1p-1022) { x *= 0x1p54; e = -54; }
  union { f64 f; u64 u; } b = {x};
  b.u -= 0x3fe6a09e667f3bcdULL;
  e += (i32)((i64)b.u >> 52);
  b.u = (b.u & 0xfffffffffffffULL) + 0x3fe6a09e667f3bcdULL;
  $PAIR m = @log_quotient(($PAIR){b.f - 1, 0}, @pair_sum(b.f, 1));
  return @pair_add(@pair_times(($PAIR){0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}, e), m);`

// ownLogarithm is the logarithm to another base; factor is 1/log(base).
func ownLogarithm(factor string) string {
	return `
  if (!(x > 0)) return x == 0 ? -__builtin_inf() : __builtin_nan("");
  if (x > 0x1.fffffffffffffp1023) return x;
  return @pair_multiply(@log_pair(x), ($PAIR){` + factor + `}).h;`
}

// Logarithms of what is nearly 1.
const (
	ownLog1p = `
  if (!(x > -1)) return x == -1 ? -__builtin_inf() : __builtin_nan("");
  if (__builtin_fabs(x) < 0x1p-54 || x > 0x1.fffffffffffffp1023) return x;
  if (x > -0.29 && x < 0.41) return @log_quotient(($PAIR){x, 0}, @pair_sum(2, x)).h;
  $PAIR u = @pair_sum(1, x), r = @log_pair(u.h);
  return r.h + (r.l + u.l / u.h);`
	ownAcosh = `
  if (!(x >= 1)) return __builtin_nan("");
  if (x > 0x1p28) return @log(x) + 0x1.62e42fefa39efp-1;
  f64 t = x - 1;
  return @log1p(t + __builtin_sqrt(t * (t + 2)));`
	ownAsinh = `
  f64 a = __builtin_fabs(x), r;
  if (a < 0x1p-28) return x;
  if (a > 0x1p28) r = @log(a) + 0x1.62e42fefa39efp-1;
  else r = @log1p(a + a * a / (1 + __builtin_sqrt(a * a + 1)));
  return __builtin_copysign(r, x);`
	ownAtanh = `
  f64 a = __builtin_fabs(x);
  if (a < 0x1p-28) return x;
  f64 r = a < 0.17 ? 0.5 * @log_quotient(($PAIR){a, 0}, ($PAIR){1, 0}).h : 0.5 * @log1p(2 * a / (1 - a));
  return __builtin_copysign(r, x);`
)

// ownPow is exp(y·log|x|) in double length, with the special cases of C.
const ownPow = `
  if (y == 0 || x == 1) return 1;
  if (y == 2) return x * x;
  if (x != x || y != y) return x + y;
  f64 a = __builtin_fabs(x), b = __builtin_fabs(y), r;
  _Bool whole = b >= 0x1p52 || __builtin_floor(y) == y;
  _Bool negative = x < 0, odd = whole && b < 0x1p53 && __builtin_floor(0.5 * y) != 0.5 * y;
  if (b > 0x1.fffffffffffffp1023) return a == 1 ? 1 : (a > 1) == (y > 0) ? b : 0;
  if (x == 0) { r = y < 0 ? __builtin_inf() : 0; return odd ? __builtin_copysign(r, x) : r; }
  if (a > 0x1.fffffffffffffp1023) { r = y > 0 ? a : 0; return negative && odd ? -r : r; }
  if (negative && !whole) return __builtin_nan("");
  $PAIR l = @log_pair(a);
  f64 size = l.h * y;
  if (size > 800 || size < -800) r = size > 0 ? __builtin_inf() : 0;
  else r = @exp_pair(@pair_times(l, y));
  return negative && odd ? -r : r;`
