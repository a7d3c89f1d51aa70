/* The functions of Ricci in 113 bits, by gcc's libquadmath: the judge of their accuracy.
   oracle_NAME writes the values as sums of two doubles. */
#include <quadmath.h>

typedef __float128 quad;

static quad norm(quad x, quad y, quad z, quad w) {
  if (isinfq(x) || isinfq(y) || isinfq(z) || isinfq(w)) return (quad)__builtin_inf();
  return sqrtq(x * x + y * y + z * z + w * w);
}

/* The sine of πx; x minus the next integer is exact. */
static quad sin_of_turns(double x, double quarters) {
  double y = __builtin_fmod(x, 2), n = __builtin_rint(2 * y);
  if (x - x != 0) return (quad)__builtin_nan("");
  int q = (int)(n + quarters) & 3;
  quad r = M_PIq * ((quad)y - (quad)n / 2);
  quad v = q & 1 ? cosq(r) : sinq(r);
  return q & 2 ? -v : v;
}

static quad erfcx(quad x) {
  if (x < 100) return expq(x * x) * erfcq(x);
  quad sum = 1, term = 1;
  for (int n = 1; n < 20; n++) { term *= -(2 * n - 1) / (2 * x * x); sum += term; }
  return sum / (x * sqrtq(M_PIq));
}

/* Newton's method on log erfc, which is concave. */
static quad erfcinv(quad x) {
  if (!(x >= 0 && x <= 2)) return (quad)__builtin_nan("");
  if (x == 0) return (quad)__builtin_inf();
  if (x == 2) return -(quad)__builtin_inf();
  if (x > 1) return -erfcinv(2 - x);
  quad l = logq(x), y = sqrtq(-l) * 0.9Q;
  for (int i = 0; i < 60; i++) {
    quad scaled = erfcx(y), step = (logq(scaled) - y * y - l) * sqrtq(M_PIq) / 2 * scaled;
    y += step;
    if (fabsq(step) < 1e-33Q * fabsq(y)) break;
  }
  return y;
}

/* Near 0 the complement would cancel. */
static quad erfinv(quad x) {
  if (fabsq(x) > 0.5Q) return x > 0 ? erfcinv(1 - x) : -erfcinv(1 + x);
  if (!(fabsq(x) <= 1)) return (quad)__builtin_nan("");
  quad y = x * sqrtq(M_PIq) / 2;
  for (int i = 0; i < 12; i++) y -= (erfq(y) - x) * sqrtq(M_PIq) / 2 * expq(y * y);
  return y;
}

static quad bessel_i(quad x, int order) {
  quad half = x / 2, term = order ? half : 1, sum = term;
  if (fabsq(x) > 2000) return order && x < 0 ? -(quad)__builtin_inf() : (quad)__builtin_inf();
  for (int k = 1; k < 4000; k++) {
    term *= half / k * (half / (k + order));
    sum += term;
    if (fabsq(term) < 1e-36Q * fabsq(sum)) break;
  }
  return x != x ? x : sum;
}

#define ORACLE(name, value) \
  void oracle_##name(const long long *args) { \
    const double *const *in = (const double *const *)args; \
    long n = (long)args[4]; \
    double *high = (double *)args[5], *low = (double *)args[6]; \
    for (long i = 0; i < n; i++) { \
      double x = in[0][i], y = in[1][i], z = in[2][i], w = in[3][i]; \
      (void)x, (void)y, (void)z, (void)w; \
      quad v = value; \
      high[i] = (double)v; \
      low[i] = high[i] - high[i] == 0 ? (double)(v - high[i]) : 0; \
    } \
  }

ORACLE(acos, acosq(x)) ORACLE(acosh, acoshq(x)) ORACLE(asin, asinq(x)) ORACLE(asinh, asinhq(x)) ORACLE(atan, atanq(x))
ORACLE(atan2, atan2q(x, y)) ORACLE(atanh, atanhq(x)) ORACLE(cbrt, cbrtq(x)) ORACLE(ceil, ceilq(x)) ORACLE(copysign, copysignq(x, y))
ORACLE(cos, cosq(x)) ORACLE(cosh, coshq(x)) ORACLE(cospi, sin_of_turns(x, 1)) ORACLE(cyl_bessel_i0, bessel_i(x, 0))
ORACLE(cyl_bessel_i1, bessel_i(x, 1)) ORACLE(erf, erfq(x)) ORACLE(erfc, erfcq(x)) ORACLE(erfcinv, erfcinv(x)) ORACLE(erfcx, erfcx(x))
ORACLE(erfinv, erfinv(x)) ORACLE(exp, expq(x)) ORACLE(exp10, expq(x * M_LN10q)) ORACLE(exp2, exp2q(x)) ORACLE(expm1, expm1q(x))
ORACLE(fabs, fabsq(x)) ORACLE(fdim, x <= y ? 0 : (quad)x - y) ORACLE(fdivide, (quad)x / y) ORACLE(floor, floorq(x))
ORACLE(fma, (quad)__builtin_fma(x, y, z)) ORACLE(fmax, x != x || y > x ? y : x) ORACLE(fmin, x != x || y < x ? y : x) ORACLE(fmod, fmodq(x, y))
ORACLE(hypot, norm(x, y, 0, 0)) ORACLE(j0, j0q(x)) ORACLE(j1, j1q(x)) ORACLE(lgamma, lgammaq(x)) ORACLE(log, logq(x))
ORACLE(log10, log10q(x)) ORACLE(log1p, log1pq(x)) ORACLE(log2, log2q(x)) ORACLE(logb, (quad)__builtin_logb(x))
ORACLE(nextafter, (quad)__builtin_nextafter(x, y)) ORACLE(norm3d, norm(x, y, z, 0)) ORACLE(norm4d, norm(x, y, z, w))
ORACLE(normcdf, erfcq(-x * M_SQRT1_2q) / 2) ORACLE(normcdfinv, x <= 0.5 ? -M_SQRT2q * erfcinv(2 * (quad)x) : M_SQRT2q * erfinv(2 * (quad)x - 1))
ORACLE(pow, powq(x, y)) ORACLE(rcbrt, 1 / cbrtq(x)) ORACLE(remainder, remainderq(x, y)) ORACLE(rhypot, 1 / norm(x, y, 0, 0))
ORACLE(rint, rintq(x))
ORACLE(rnorm3d, 1 / norm(x, y, z, 0)) ORACLE(rnorm4d, 1 / norm(x, y, z, w)) ORACLE(round, roundq(x)) ORACLE(rsqrt, 1 / sqrtq(x))
ORACLE(sin, sinq(x)) ORACLE(sinh, sinhq(x)) ORACLE(sinpi, sin_of_turns(x, 0)) ORACLE(sqrt, sqrtq(x)) ORACLE(tan, tanq(x))
ORACLE(tanh, tanhq(x)) ORACLE(tgamma, tgammaq(x)) ORACLE(trunc, truncq(x)) ORACLE(y0, y0q(x)) ORACLE(y1, y1q(x))
