package c

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/target/own"
)

// The vector forms of the builtin functions. They are branch-free polynomials
// after an argument reduction; Taylor series where they are short enough, and
// fits (erf, erfc). None relies on a contraction into fused multiply-adds,
// but gains from it. Infinities, NaNs and subnormal numbers are handled.

// signBit is the mask of the sign of the lanes.
const signBit = "($I)(-($V){})"

const (
	fabsBody     = "  return ($V)(($I)x & ~" + signBit + ");"
	copysignBody = "  return ($V)((($I)x & ~" + signBit + ") | (($I)y & " + signBit + "));"
	sqrtBody     = `
#if $BYTES == 64 && defined(__AVX512F__) || ($BYTES == 16 || $BYTES == 32) && defined(__AVX__)
  $V r;
  __asm__("vsqrt$PACKED %1, %0" : "=v"(r) : "v"(x));
  return r;
#else
  return ($V){$L{@sqrt.S(x[#])}};
#endif`
	fmaBody = `
#if ($BYTES == 64 && defined(__AVX512F__) || $BYTES == 16 || $BYTES == 32) && defined(__FMA__)
  __asm__("vfmadd213$PACKED %2, %1, %0" : "+v"(x) : "v"(y), "v"(z));
  return x;
#else
  return ($V){$L{@fma.S(x[#], y[#], z[#])}};
#endif`
)

// ignoreNaN is a minimum or maximum that ignores NaNs on both sides, where -0 is less than 0 (strictOrderTemplates).
func ignoreNaN(operator, joined string) string {
	return `
  $I same = x == y;
  $V r = ($V)((same & (($I)x ` + joined + ` ($I)y)) | (~same & ($I)@` + operator + `(x, y)));
  return @select(x != x, y, r);`
}

// roundingBody uses the rounding instructions, whose immediate operand names the
// direction and suppresses the inexact exception.
func roundingBody(immediate, otherwise string) string {
	return strings.ReplaceAll(`
#if $BYTES == 64 && defined(__AVX512F__)
  $V r;
  __asm__("vrndscale$PACKED $%d, %1, %0" : "=v"(r) : "v"(x));
  return r;
#elif ($BYTES == 16 || $BYTES == 32) && defined(__AVX__)
  $V r;
  __asm__("vround$PACKED $%d, %1, %0" : "=x"(r) : "x"(x));
  return r;
#else
`, "%d", immediate) + otherwise + "\n#endif"
}

// Without the instruction a number that can have a fraction makes a round trip
// through the integers; all others are integers already.
const (
	truncBody = `  const $S whole = $C{$SIZE == 4 ? 0x1p23f : 0x1p52};
  $I small = @fabs(x) < whole;
  $V t = __builtin_convertvector(__builtin_convertvector(@select(small, x, ($V){}), $I), $V);
  return @select(small, @copysign(t, x), x);`
	floorBody = "  $V t = @trunc(x);\n  return @copysign(@select(t > x, t - 1, t), x);"
	ceilBody  = "  $V t = @trunc(x);\n  return @copysign(@select(t < x, t + 1, t), x);"
	rintBody  = `  const $S whole = $C{$SIZE == 4 ? 0x1p23f : 0x1p52};
  $V w = @copysign(whole + ($V){}, x);
  return @select(@fabs(x) < whole, @copysign((x + w) - w, x), x);`
	roundBody = "  $V t = @trunc(x);\n  return @select(@fabs(x - t) >= ($S)0.5, t + @copysign(1 + ($V){}, x), t);"
)

// exp(x) = 2ⁿ·exp(r) with n = round(x/ln 2) and r = x - n·ln 2 in two steps. Adding
// and subtracting 1.5·2²³ rounds; the low bits of the sum are n. 2ⁿ is applied as
// two factors, so that results may be subnormal, where no instruction does it.
//
// Where an instruction looks 16 values up, n is a multiple of 1/16: its fraction is that of
// the low 4 bits, whose power of 2 is in a table, r is 16 times as small, and a third of the
// instructions are gone. The polynomials are exp(r) - 1, least in the greatest error.
//
// The instruction that applies 2ⁿ takes 140 cycles and more where the result underflows, also
// to 0, as those of masked scores and of distant points do: lanes whose result is 0 are left
// out of it, which also gives that of -∞. (Lanes with subnormal results take that time.)
const (
	scaleByPower = `
  const $V least = $C{$SIZE == 4 ? -104.0f : -745.25} + ($V){};
  unsigned short k;
  __asm__("vcmp$PACKED $5, %2, %1, %0" : "=Yk"(k) : "v"(x), "v"(least));
  __asm__("vscalef$PACKED %1, %0, %0%{%2%}%{z%}" : "+v"(p) : "v"(n), "Yk"(k));
  return p;
#else`
	scaled = `
#if $BYTES == 64 && defined(__AVX512F__) || ($BYTES == 16 || $BYTES == 32) && defined(__AVX512VL__)` + scaleByPower
	expTable32 = `
#if $BYTES == 64 && defined(__AVX512F__)
  const $V powers = {1, 0x1.0b5586p+0f, 0x1.172b84p+0f, 0x1.2387a6p+0f, 0x1.306fep+0f, 0x1.3dea64p+0f, 0x1.4bfdaep+0f, 0x1.5ab07ep+0f, 0x1.6a09e6p+0f,
    0x1.7a1148p+0f, 0x1.8ace54p+0f, 0x1.9c4918p+0f, 0x1.ae89fap+0f, 0x1.c199bep+0f, 0x1.d5818ep+0f, 0x1.ea4afap+0f};
  $V offset = x * 0x1.715476p+0f + 0x1.8p19f, n = offset - 0x1.8p19f, power;
  $V r = x - n * 0x1.62ep-1f;
  r = r - n * 0x1.0bfbe8p-15f;
  __asm__("vpermps %1, %2, %0" : "=v"(power) : "v"(powers), "v"(offset));
  $V p = (0x1.555762p-3f * r + 0x1.00022p-1f) * (r * r) + r;
  p = power * p + power;` + scaleByPower
	expTable64 = `
#if $BYTES == 64 && defined(__AVX512F__)
  const $V low = {1, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0, 0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0};
  const $V high = {0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0, 0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0};
  $V offset = x * 0x1.71547652b82fep+0 + 0x1.8p48, n = offset - 0x1.8p48, power = offset;
  $V r = x - n * 0x1.62e42fefap-1;
  r = r - n * 0x1.cf79abc9e3b3ap-40;
  __asm__("vpermi2pd %2, %1, %0" : "+v"(power) : "v"(low), "v"(high));
  $V p = 0x1.6c185dcf45097p-10 * r + 0x1.11123abebac38p-7;
  p = p * r + 0x1.555555545eba5p-5;
  p = p * r + 0x1.555555548f733p-3;
  p = p * r + 0x1.0000000000005p-1;
  p = p * (r * r) + r;
  p = power * p + power;` + scaleByPower
	expBody32 = "\n  x = @min(x, 89.0f + ($V){});" + expTable32 + expPlain32 + scaled + expTail32 + "\n#endif\n#endif"
	expBody64 = "\n  x = @min(x, 710.0 + ($V){});" + expTable64 + expPlain64 + scaled + expTail64 + "\n#endif\n#endif"

	expPlain32 = `
  x = @max(x, -104.5f + ($V){});
` + own.Exp32
	expTail32 = `
  $I i = ($I)shifted - 0x4b400000, half = i >> 1;
  return p * ($V)((half + 127) << 23) * ($V)((i - half + 127) << 23);`
	expPlain64 = `
  x = @max(x, -746.0 + ($V){});
` + own.Exp64
	expTail64 = `
  $I i = ($I)shifted - 0x4338000000000000LL, half = i >> 1;
  return p * ($V)((half + 1023) << 52) * ($V)((i - half + 1023) << 52);`
)

// expm1(x) = 2ⁿ·expm1(r) + (2ⁿ - 1), all halved so that 2ⁿ does not overflow before
// the result does.
const (
	expm1Core32 = `
  $V shifted = x * 0x1.715476p+0f + 0x1.8p23f, n = shifted - 0x1.8p23f;
  $V r = x - n * 0x1.62e4p-1f;
  r = r - n * 0x1.7f7d1cp-20f;
  $V p = 0x1.a01a02p-16f * r + 0x1.a01a02p-13f;
  p = p * r + 0x1.6c16c2p-10f;
  p = p * r + 0x1.111112p-7f;
  p = p * r + 0x1.555556p-5f;
  p = p * r + 0x1.555556p-3f;
  p = p * r + 0.5f;
  p = p * (r * r) + r;
  $V half = ($V)((($I)shifted - 0x4b400000 + 126) << 23);
  $V e = 2 * (half * p + (half - 0.5f));`
	expm1Body32 = `
  x = @max(@min(x, 89.0f + ($V){}), -30.0f + ($V){});` + expm1Core32 + `
  return e;`
)

// tanh(|x|) = -e/(e + 2) with e = expm1(-2|x|).
const tanhBody32 = `
  $V e = @expm1(-2 * @fabs(x));
  return @copysign(-e / (e + 2), x);`

// log(2ᵉ·(1+f)) with 1+f in [√½, √2): log(1+f) = f - (f²/2 - s·(f²/2 + R)) where
// s = f/(2+f) and R = s²·(2/3 + 2/5·s² + …), the series of 2·artanh(s) - 2s.
const (
	logBody32 = `
  $I tiny = x < 0x1p-126f;
  $I b = ($I)@select(tiny, x * 0x1p23f, x) - 0x3f3504f3;
  $V e = __builtin_convertvector((b >> 23) - (tiny & 23), $V);
  $V f = ($V)((b & 0x7fffff) + 0x3f3504f3) - 1,` + own.Log32 + `
  r = @select(x == 0, -__builtin_inff() + ($V){}, r);
  r = @select(x == __builtin_inff(), x, r);
  return @select((x < 0) | (x != x), __builtin_nanf("") + ($V){}, r);`
	logBody64 = `
  $I tiny = x < 0x1p-1022;
  $I b = ($I)@select(tiny, x * 0x1p52, x) - 0x3fe6a09e667f3bcdLL;
  $V e = __builtin_convertvector((b >> 52) - (tiny & 52), $V);
  $V f = ($V)((b & 0xfffffffffffffLL) + 0x3fe6a09e667f3bcdLL) - 1,` + own.Log64 + `
  r = @select(x == 0, -__builtin_inf() + ($V){}, r);
  r = @select(x == __builtin_inf(), x, r);
  return @select((x < 0) | (x != x), __builtin_nan("") + ($V){}, r);`
)

// log1pBody is log(u) for u = 1 + x rounded, times x/(u - 1), which mends what the rounding took
// (Goldberg, What Every Computer Scientist Should Know About Floating-Point Arithmetic, Theorem 4).
const log1pBody = `
  $V u = 1 + x, d = u - 1;
  return @select((d == 0) | (x == ($S)__builtin_inf()), x, @log(u) * (x / d));`

// waveBody is sin, or cos a quarter later: the multiple of π/2 is subtracted in
// float64, where it is exact to 85 bits up to 2²⁰; larger and special arguments
// go to the C library.
func waveBody(name, quarters string) string {
	return `
  if (@any.i32(~(@fabs(x) < 0x1p20f))) return ($V){$L{@` + name + `.S(x[#])}};
  $f64 wide = __builtin_convertvector(x, $f64);
  $f64 n = wide * 0x1.45f306dc9c883p-1 + 0x1.8p52 - 0x1.8p52;
  $V r = __builtin_convertvector(wide - n * 0x1.921fb544p+0 - n * 0x1.0b4611a626331p-34, $V), z = r * r;
  $I q = __builtin_convertvector(n, $I) + ` + quarters + `;
  $V s = 0x1.71de3ap-19f * z - 0x1.a01a02p-13f;
  s = s * z + 0x1.111112p-7f;
  s = s * z - 0x1.555556p-3f;
  s = s * z * r + r;
  $V c = -0x1.27e4fcp-22f * z + 0x1.a01a02p-16f;
  c = c * z - 0x1.6c16c2p-10f;
  c = c * z + 0x1.555556p-5f;
  c = c * (z * z) - 0.5f * z + 1;
  return ($V)(($I)@select(-(q & 1), c, s) ^ ((q & 2) << 30));`
}

// waveBody64 is waveBody of float64. π/2 is the sum of three numbers of 33 bits and a fourth one:
// multiples below 2²⁰ of the first three are exact, so that arguments next to a multiple of π/2 keep
// all bits. The polynomials go through the values of (sin(r)/r - 1)/r² and (cos(r) - 1 + r²/2)/r⁴ at
// the Chebyshev points of |r| ≤ π/4; their relative errors are below 2⁻⁵⁵.
func waveBody64(name, quarters string) string {
	return `
  if (@any.i64(~(@fabs(x) < 0x1p20))) return ($V){$L{@` + name + `.S(x[#])}};` + waveCore64(quarters) + `
  return ` + waveResult64 + ";"
}

// waveCore64 reduces x and computes the sine and the cosine of the rest.
func waveCore64(quarters string) string {
	return `
` + own.Wave + `
  $I q = ($I)shifted + ` + quarters + `;
  $V` + own.WaveSine + `
  s = s * z * r + r;
  $V` + own.WaveCosine + `
  c = c * (z * z) - 0.5 * z + 1;`
}

const waveResult64 = "($V)(($I)@select(-(q & 1), c, s) ^ ((q & 2) << 62))"

// erf(|x|) = 1 - erfc(|x|) = -expm1(-|x|·q) where q = -log(erfc(|x|))/|x| is smooth: a
// polynomial on [0, 3.95], beyond which the result is 1. It was fitted by weighted
// least squares for the relative error of the result, which is 4e-9.
const erfBody32 = `
  $V sign = x, a = @min(@fabs(x), 3.95f + ($V){});
  $V q = -0x1.36955ep-17f * a + 0x1.ed6a94p-14f;
  q = q * a - 0x1.4bc91p-11f;
  q = q * a + 0x1.b4ff82p-10f;
  q = q * a - 0x1.5059a2p-13f;
  q = q * a - 0x1.39cdccp-6f;
  q = q * a + 0x1.a4fa5ep-4f;
  q = q * a + 0x1.45f2fap-1f;
  q = q * a + 0x1.20dd76p+0f;
  x = -(a * q);` + expm1Core32 + `
  return @copysign(-e, sign);`

// erfcBody is a function of r = erfc(a) for a = |x|·scale.
//
// erfc(a) = exp(-a²)·t·p(t) where t = 4/(4 + a): exp(a²)·erfc(a)/t is smooth, a polynomial in
// t through its values at the Chebyshev points of a ≤ 10.5, with a relative error of 3e-9.
// The result is 0 from there on, where |x| is cut off. In float64, since exp multiplies the
// error of a by 2a².
func erfcBody(limit, scale, result string) string {
	return `
  $f64 a = __builtin_convertvector(@min(@fabs(x), ` + limit + ` + ($V){}), $f64) * ` + scale + `, t = 4.0 / (a + 4.0);
  $f64 p = -0x1.976857766990ap-3 * t + 0x1.0d0fee2302802p+0;
  p = p * t - 0x1.0c3eb72da8613p+1;
  p = p * t + 0x1.5fc994ee9eb57p+1;
  p = p * t - 0x1.13786db90de1bp+1;
  p = p * t + 0x1.611044cb02460p+0;
  p = p * t - 0x1.94add6f6fd746p-2;
  p = p * t + 0x1.1157f6d2e2aeep-2;
  p = p * t + 0x1.ca42cbc5bf5b5p-4;
  p = p * t + 0x1.262c01e660192p-3;
  p = p * t + 0x1.209e1801d23adp-3;
  $V r = __builtin_convertvector(@exp.f64(-(a * a)) * (p * t), $V);
  return ` + result + `;`
}

// pow(x, y) = exp(y·log|x|) in float64 with the special cases of C.
const powBody32 = `
  $V a = @fabs(x);
  $f64 e = __builtin_convertvector(y, $f64) * @log.f64(__builtin_convertvector(a, $f64));
  $V r = __builtin_convertvector(@exp.f64(e), $V);
  $V whole = @trunc(y), half = y * 0.5f;
  $I odd = (whole == y) & (@trunc(half) != half) & (@fabs(y) < __builtin_inff());
  $I negative = ($I)x < 0;
  r = @select(negative & odd, -r, r);
  r = @select((x < 0) & (whole != y) & (a < __builtin_inff()), __builtin_nanf("") + ($V){}, r);
  $I one = (x == 1) | (y == 0) | (a == 1) & (@fabs(y) == __builtin_inff());
  return @select(one, 1 + ($V){}, r);`
