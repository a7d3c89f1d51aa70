package own

// erfSmall is erf(x)/x - 1 for |x| ≤ 1, a polynomial of x² through its values at the Chebyshev points
// with an error of 2⁻⁵⁶.
var erfSmall = `
  f64 square = x * x;
` + polynomial("p", "square", "-0x1.29b9f1b3df556p-38", "0x1.7f072188e194dp-34", "-0x1.4e607b41a6416p-30", "0x1.fc4356498c2d9p-27", "-0x1.5f6d925a0bc7ap-23",
	"0x1.b9e6509b9867dp-20", "-0x1.f4d2561aeafd4p-17", "0x1.f9a326c233146p-14", "-0x1.c02db3feeb579p-11", "0x1.565bcd0e6502dp-8", "-0x1.b82ce312889bap-6",
	"0x1.ce2f21a042bdep-4", "-0x1.812746b0379e7p-2", "0x1.06eba8214db69p-3") + `  return p;`

// erfcxTail is exp(x²)·erfc(x) for x ≥ 1. Divided by t = 4/(4+x) it is a polynomial of t - 1/2, through its
// values at the Chebyshev points of x < 10 with an error of 2⁻⁵⁴; then comes the asymptotic series of erfcxBody.
var erfcxTail = `
  if (x >= 10) {
    f64 step = -1 / (2 * x * x), sum = 1, term = 1;
    for (int n = 1; __builtin_fabs(term) > 1e-17 && n < 60; n++) { term *= (2 * n - 1) * step; sum += term; }
    return sum / 0x1.c5bf891b4ef6bp+0 / x;
  }
  f64 t = 4 / (4 + x), u = t - 0.5;
` + polynomial("p", "u", "-0x1.bb37b09889cf3p-9", "-0x1.c5fcb6da46956p-12", "0x1.0abe4088262a6p-7", "0x1.4b6d42c0a08e5p-9", "-0x1.c709f630058e4p-7",
	"-0x1.7e5eee40c2447p-7", "0x1.3b17aeb959bf6p-6", "0x1.3c6e6f7d01373p-5", "-0x1.e7f01217ad417p-9", "-0x1.72cda1384f794p-4", "-0x1.dd284351b2815p-4",
	"0x1.269b517b2f406p-5", "0x1.908f472208a7fp-2", "0x1.b00c052c7dff9p-1", "0x1.38dbd2c8e368dp+0", "0x1.645fd8a4bb8f6p+0", "0x1.52cac2371014cp+0",
	"0x1.14eacb1ad0349p+0", "0x1.8be202d26c706p-1", "0x1.f3fe31ecb49bfp-2", "0x1.18932bf08e154p-2") + `  return p * t;`

// The error functions; squares in exponents are in double length, since exp multiplies their errors.
const (
	ownErf = `
  f64 a = __builtin_fabs(x);
  if (a < 1) return x + x * @erf_small(x);
  return __builtin_copysign(a < 6 ? 1 - @erfc(a) : a == a ? 1 : a, x);`
	ownErfc = `
  f64 a = __builtin_fabs(x);
  if (a < 0.5) return 1 - (x + x * @erf_small(x));
  if (a < 1) return (1 - x) - x * @erf_small(x);
  if (!(a < 28)) return x > 0 ? 0 : x < 0 ? 2 : x;
  $PAIR square = @pair_product(a, a);
  f64 r = @exp_pair(($PAIR){-square.h, -square.l}) * @erfcx_tail(a);
  return x < 0 ? 2 - r : r;`
	ownErfcx = `
  if (x >= 1) return @erfcx_tail(x);
  if (x < -30) return __builtin_inf();
  $PAIR square = @pair_product(x, x);
  return @exp_pair(square) * @erfc(x);`
)

// stirlingBody is log Γ(x) for x ≥ 12 in double length:
// (x - 1/2)·log x - x + log √(2π) + 1/(12x) - 1/(360x³) + …
var stirlingBody = `
  f64 r = 1 / (x * x);
` + polynomial("series", "r", "-3617.0 / 122400", "1.0 / 156", "-691.0 / 360360", "1.0 / 1188", "-1.0 / 1680", "1.0 / 1260", "-1.0 / 360", "1.0 / 12") + `
  $PAIR l = @pair_add(@pair_times(@log_pair(x), x - 0.5), ($PAIR){-x, 0});
  return @pair_add(@pair_add(l, ($PAIR){0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55}), ($PAIR){series / x, 0});`

// ownTgamma: from 2 to 3 a polynomial through the values at the Chebyshev points, with an error of 2⁻⁵⁶, beside it
// Γ(x+1) = x·Γ(x), beyond 12 Stirling's series, and Γ(x)·Γ(-x) = -π/(x·sin πx).
var ownTgamma = `
  if (!(__builtin_fabs(x) >= 0x1p-60)) return 1 / x;
  if (x < 0) {
    if (x == __builtin_floor(x)) return __builtin_nan("");
    f64 r = -0x1.921fb54442d18p+1 / (x * @sinpi(x)), y = -x;
    if (y < 171) return r / @tgamma(y);
    if (y > 190) return r * 0;
    for (int i = 0; i < 20; i++) r /= --y;
    return r / @tgamma(y);
  }
  if (x > 172) return x * __builtin_inf();
  if (x >= 12) return @exp_pair(@stirling(x));
  $PAIR above = {1, 0};
  f64 below = 1;
  while (x >= 3) { x -= 1; above = @pair_times(above, x); }
  while (x < 2) { below *= x; x += 1; }
  f64 u = x - 2.5;
` + polynomial("p", "u", "0x1.1df83f46b5b39p-25", "-0x1.650430b4605f7p-24", "0x1.69e0b8183d448p-23", "-0x1.c094378550309p-22", "0x1.22b69ba445ed9p-20",
	"-0x1.57e9b7c2d56a3p-19", "0x1.e6ca7ac6c8f8cp-18", "-0x1.ad8a6611a268ap-17", "0x1.013c92f5859f2p-14", "0x1.0886c5d516cc8p-18", "0x1.8b8fcda4879d4p-11",
	"0x1.a55ed2172e36fp-10", "0x1.5489cc6bad687p-7", "0x1.d0a9bc4930cd3p-6", "0x1.c138b89492c3ep-4", "0x1.03f6d2fa4f509p-2", "0x1.4f224d4b7e01cp-1",
	"0x1.de9585f1a7093p-1", "0x1.544fa6d47b390p+0") + `  return p / below * above.h;`

// ownLgamma is log Γ(2+z) = z times a polynomial near 2, log Γ(1+z) = log Γ(2+z) - log(1+z) near 1, and
// log |Γ(x)| = log |π/(x·sin πx)| - log Γ(-x) for negative numbers.
var ownLgamma = `
  f64 a = __builtin_fabs(x);
  if (!(a <= 0x1.fffffffffffffp1023)) return a;
  if (a < 0x1p-60) return -@log(a);
  if (x < 0) {
    if (x == __builtin_floor(x)) return __builtin_inf();
    return -@log(__builtin_fabs(x * @sinpi(x)) / 0x1.921fb54442d18p+1) - @lgamma(a);
  }
  if (x > 1e17) return x * (@log(x) - 1);
  if (x >= 12) return @stirling(x).h;
  if (x < 0.5 || x > 2.5) return @log(@tgamma(x));
  f64 z = x < 1.5 ? x - 1 : x - 2;
` + polynomial("p", "z", "0x1.11fa5e7c86f7bp-24", "-0x1.2009c1a550d0dp-23", "0x1.b40adb09a1e12p-23", "-0x1.ce17528bcf460p-22", "0x1.012012be3900ap-20",
	"-0x1.1276ebd557fb0p-19", "0x1.258f3057730fap-18", "-0x1.3cb3be36ad88bp-17", "0x1.580e0afa55850p-16", "-0x1.78de9ab752b81p-15", "0x1.a127afee53e7dp-14",
	"-0x1.d3fd4b679c1c4p-13", "0x1.0b36af8779ca0p-11", "-0x1.38ac5c2d48207p-10", "0x1.7add6eadb5317p-9", "-0x1.e404fc218dbaep-8", "0x1.51322ac7d848ap-6",
	"-0x1.13e001a55760ap-4", "0x1.4a34cc4a60fa6p-2", "0x1.b0ee6072093cep-2") + `  return x < 1.5 ? z * p - @log1p(z) : z * p;`
