package own

// A pair is an unevaluated sum h + l of two float64 with about 106 bits (Dekker, A floating-point technique
// for extending the available precision, 1971). pair_sum and pair_product are exact as long as nothing overflows.
const (
	pairSum = `
  f64 s = x + y, t = s - x;
  return ($PAIR){s, (x - (s - t)) + (y - t)};`
	pairProduct = `
  f64 p = x * y, a = x * 0x1.0000002p27, b = y * 0x1.0000002p27;
  f64 xh = a - (a - x), xl = x - xh, yh = b - (b - y), yl = y - yh;
  return ($PAIR){p, ((xh * yh - p) + xh * yl + xl * yh) + xl * yl};`
	pairAdd = `
  $PAIR s = @pair_sum(a.h, b.h);
  return @pair_sum(s.h, s.l + (a.l + b.l));`
	pairTimes = `
  $PAIR p = @pair_product(a.h, f);
  return @pair_sum(p.h, p.l + a.l * f);`
	pairMultiply = `
  $PAIR p = @pair_product(a.h, b.h);
  return @pair_sum(p.h, p.l + (a.h * b.l + a.l * b.h));`
	pairDivide = `
  f64 q = a.h / b.h;
  $PAIR rest = @pair_add(a, @pair_times(b, -q));
  return @pair_sum(q, rest.h / b.h);`
)

// expReduced makes n the multiple of log 2 next to a.h, r the rest in double length, and p the series
// (exp(r) - 1 - r - r²/2) / r³.
const expReduced = `
  f64 n = a.h * 0x1.71547652b82fep+0 + 0x1.8p52 - 0x1.8p52;
  $PAIR r = @pair_sum(a.h - n * 0x1.62e42feep-1, n * -0x1.a39ef35793c76p-33);
  r = @pair_sum(r.h, r.l + a.l);
  f64 p = 0x1.6124613a86d09p-33 * r.h + 0x1.1eed8eff8d898p-29;
  p = p * r.h + 0x1.ae64567f544e4p-26;
  p = p * r.h + 0x1.27e4fb7789f5cp-22;
  p = p * r.h + 0x1.71de3a556c734p-19;
  p = p * r.h + 0x1.a01a01a01a01ap-16;
  p = p * r.h + 0x1.a01a01a01a01ap-13;
  p = p * r.h + 0x1.6c16c16c16c17p-10;
  p = p * r.h + 0x1.1111111111111p-7;
  p = p * r.h + 0x1.5555555555555p-5;
  p = p * r.h + 0x1.5555555555555p-3;
  $PAIR square = @pair_product(r.h, r.h);
  i32 k = (i32)n;
`

// expPair is 2ⁿ·exp(r), with 2ⁿ in two factors so that it may underflow.
const expPair = `
  if (a.h != a.h) return a.h;
  if (a.h > 710) return __builtin_inf();
  if (a.h < -746) return 0;` + expReduced + `
  $PAIR s = @pair_sum(1, r.h), t = @pair_sum(s.h, square.h / 2);
  f64 low = s.l + t.l + (square.l / 2 + r.l + r.l * r.h + p * r.h * square.h);
  union { u64 u; f64 f; } half = {(u64)((k >> 1) + 1023) << 52}, rest = {(u64)(k - (k >> 1) + 1023) << 52};
  return (t.h + low) * half.f * rest.f;`

// ownExpm1 is 2·(2ⁿ⁻¹·(exp(r) - 1) + (2ⁿ⁻¹ - 1/2)), halved so that 2ⁿ does not overflow before it.
const ownExpm1 = `
  if (!(__builtin_fabs(x) >= 0x1p-54)) return x;
  if (x > 710) return __builtin_inf();
  if (x < -40) return -1;
  $PAIR a = {x, 0};` + expReduced + `
  union { u64 u; f64 f; } half = {(u64)(k + 1022) << 52};
  $PAIR s = @pair_sum(half.f - 0.5, half.f * r.h), t = @pair_sum(s.h, half.f * square.h / 2);
  f64 low = s.l + t.l + half.f * (square.l / 2 + r.l + r.l * r.h + p * r.h * square.h);
  return 2 * (t.h + low);`

// ownPower is the power of a number whose logarithm is a pair.
func ownPower(logarithm, limit string) string {
	return `
  if (!(__builtin_fabs(x) < ` + limit + `)) return x < 0 ? 0 : x * __builtin_inf();
  return @exp_pair(@pair_times(($PAIR){` + logarithm + `}, x));`
}

// The hyperbolic functions. Near the limit of the range exp(x)/2 is a product of two.
const (
	ownSinh = `
  f64 a = __builtin_fabs(x), r;
  if (a < 22) { r = @expm1(a); r = 0.5 * (a < 1 ? 2 * r - r * r / (r + 1) : r + r / (r + 1)); }
  else if (a < 700) r = 0.5 * @exp(a);
  else { r = @exp(0.5 * a); r = 0.5 * r * r; }
  return __builtin_copysign(a < 0x1p-28 || x != x ? a : r, x);`
	ownCosh = `
  f64 a = __builtin_fabs(x), r = @exp(a < 700 ? a : 0.5 * a);
  return a < 700 ? 0.5 * r + 0.5 / r : 0.5 * r * r;`
	ownTanh = `
  f64 a = __builtin_fabs(x), r;
  if (!(a >= 0x1p-28)) return x;
  if (a < 22) {
    f64 t = @expm1(a < 1 ? -2 * a : 2 * a);
    r = a < 1 ? -t / (t + 2) : 1 - 2 / (t + 2);
  } else r = 1;
  return __builtin_copysign(r, x);`
)
