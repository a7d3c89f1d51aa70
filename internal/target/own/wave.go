package own

// waveReduced is x = M·2ᵉ, 2²⁰ ≤ |x|, without its multiples of π/2, whose number modulo 4 it counts (Payne and Hanek,
// Radian reduction for trigonometric functions, 1983): M times those 192 bits of 2/π that make no multiple of 4.
// The two bits before the point are the quarter; a fraction of 1/2 and more counts from the next one.
const waveReduced = `
  static const u32 bits[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea,
    0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
    0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7,
    0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20};
  union { f64 f; u64 u; } b = {x};
  i32 e = (i32)(b.u >> 52 & 0x7ff) - 1075, first = e > 2 ? e - 2 : 0, point = 192 - (e - first);
  u64 m = (b.u & 0xfffffffffffffULL) | 0x10000000000000ULL, low = m & 0xffffffff, high = m >> 32;
  u32 product[9] = {0};
  for (int i = 0; i < 6; i++) {
    const u32 *at = bits + first / 32 + 5 - i;
    u64 word = (u32)((((u64)at[0] << 32 | at[1]) << first % 32) >> 32);
    u64 sum = word * low + product[i];
    product[i] = (u32)sum;
    sum = (sum >> 32) + word * high + product[i + 1];
    product[i + 1] = (u32)sum;
    product[i + 2] += (u32)(sum >> 32);
  }
  u32 word[6];
  for (int i = 0; i < 6; i++) {
    i32 place = point + 2 - 32 * (i + 1);
    u64 two = (u64)product[place / 32 + 1] << 32 | product[place / 32];
    word[i] = (u32)(two >> place % 32);
  }
  i32 q = (i32)(word[0] >> 30);
  word[0] &= 0x3fffffff;
  _Bool upper = word[0] >> 29;
  if (upper) {
    q++;
    word[0] ^= 0x3fffffff;
    for (int i = 1; i < 6; i++) word[i] = ~word[i];
  }
  $PAIR r = @pair_add(@pair_sum(word[0] * 0x1p-30, word[1] * 0x1p-62), @pair_sum(word[2] * 0x1p-94, word[3] * 0x1p-126));
  r = @pair_add(r, @pair_sum(word[4] * 0x1p-158, word[5] * 0x1p-190));
  r = @pair_multiply(r, ($PAIR){0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
  if (upper) r = ($PAIR){-r.h, -r.l};
  if (x < 0) { r = ($PAIR){-r.h, -r.l}; q = -q; }
  *quarter = q;
  return r;`

// waveLarge is sin, or cos a quarter later, beyond 2²⁰, with the polynomials of waveBody64.
func waveLarge(quarters string) string {
	return `
  if (!(__builtin_fabs(x) <= 0x1.fffffffffffffp1023)) return __builtin_nan("");
  i32 q;
  $PAIR reduced = @wave_reduced(x, &q);
  f64 r = reduced.h, z = r * r;
  q += ` + quarters + `;
  f64` + WaveSine + `
  s = s * z * r + reduced.l + r;
  f64` + WaveCosine + `
  c = c * (z * z) - r * reduced.l - 0.5 * z + 1;
  f64 v = q & 1 ? c : s;
  return q & 2 ? -v : v;`
}

// ownAtan adds atan(c) for the multiple c of 1/8 that is next to |x|, or to 1/|x|, and
// atan(u) = u - u³/3 + u⁵/5 - … of u = (x-c)/(1+x·c), |u| ≤ 1/16.
const ownAtan = `
  static const f64 high[] = {0, 0x1.fd5ba9aac2f6ep-4, 0x1.f5b75f92c80ddp-3, 0x1.6f61941e4def1p-2, 0x1.dac670561bb4fp-2, 0x1.1e00babdefeb4p-1,
    0x1.4978fa3269ee1p-1, 0x1.700a7c5784634p-1, 0x1.921fb54442d18p-1};
  static const f64 low[] = {0, -0x1.cd37686760c17p-59, 0x1.8ab6e3cf7afbdp-57, -0x1.c63aae6f6e918p-56, 0x1.a2b7f222f65e2p-56, -0x1.928df287a668fp-58,
    0x1.2419a87f2a458p-56, -0x1.8c34d25aadef6p-56, 0x1.1a62633145c07p-55};
  if (x != x) return x;
  f64 a = __builtin_fabs(x), t = a > 1 ? 1 / a : a;
  i32 k = (i32)(8 * t + 0.5);
  f64 c = 0.125 * k, u = k > 0 ? (t - c) / (1 + t * c) : t, z = u * u;
  f64 p = 1.0 / 13 * z - 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z - 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z - 1.0 / 3;
  f64 rest = low[k] + (u * z * p + u);
  if (a > 1) rest = (0x1.921fb54442d18p+0 - high[k]) - (rest - 0x1.1a62633145c07p-54);
  else rest += high[k];
  return __builtin_copysign(rest, x);`

// ownAtan2 is the angle of the point (y, x): C's order of arguments.
const ownAtan2 = `
  if (x != x || y != y) return x + y;
  f64 a = __builtin_fabs(x), b = __builtin_fabs(y), r;
  if (a == b && a > 0x1.fffffffffffffp1023) r = 0x1.921fb54442d18p-1;
  else if (a == 0 || b > 0x1.fffffffffffffp1023) r = 0;
  else if (a <= b) r = @atan(a / b);
  else r = 0x1.921fb54442d18p+0 - (@atan(b / a) - 0x1.1a62633145c07p-54);
  if (__builtin_signbit(y)) r = 0x1.921fb54442d18p+1 - (r - 0x1.1a62633145c07p-53);
  return __builtin_copysign(r, x);`

// WaveSine and WaveCosine make s the series (sin(r)/r - 1)/z and c (cos(r) - 1 + z/2)/z² of z = r²: polynomials through the values at the
// Chebyshev points of |r| ≤ π/4; their relative errors are below 2⁻⁵⁵.
const (
	WaveSine = ` s = 0x1.5e0b05bff20f2p-33 * z - 0x1.ae600aca92c64p-26;
  s = s * z + 0x1.71de379654304p-19;
  s = s * z - 0x1.a01a019e83816p-13;
  s = s * z + 0x1.1111111110bb2p-7;
  s = s * z - 0x1.5555555555555p-3;`
	WaveCosine = ` c = -0x1.907d8f29fe831p-37 * z + 0x1.1eeb68cd22f56p-29;
  c = c * z - 0x1.27e4fa17bf139p-22;
  c = c * z + 0x1.a01a019f4e9b4p-16;
  c = c * z - 0x1.6c16c16c16967p-10;
  c = c * z + 0x1.5555555555555p-5;`
)
