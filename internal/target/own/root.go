package own

// cbrtBody is the cube root of x = m·2³ᵏ, 1 ≤ m < 8: a polynomial with an error of 2⁻⁹, two steps of
// Halley's method, each of which cubes the error, and one of Newton's with the cube in double length.
var cbrtBody = `
  f64 a = __builtin_fabs(x);
  if (a == 0 || !(a <= 0x1.fffffffffffffp1023)) return x;
  i32 k = 0;
  if (a < 0x1p-1022) { a *= 0x1p54; k = -18; }
  union { f64 f; u64 u; } m = {a}, scale;
  i32 e = (i32)(m.u >> 52) - 1023 + 1074, third = e / 3;
  m.u = (m.u & 0xfffffffffffffULL) | (u64)(e - 3 * third + 1023) << 52;
` + polynomial("y", "m.f", "0x1.da65ac9237f24p-15", "-0x1.a29d4b8e82abep-10", "0x1.2b08ff2518449p-6", "-0x1.cb3e73ee2713fp-4", "0x1.f48b3890d403cp-2", "0x1.3784c81b01b17p-1") + `
  for (int i = 0; i < 2; i++) { f64 cube = y * y * y; y *= (cube + 2 * m.f) / (2 * cube + m.f); }
  $PAIR cube = @pair_times(@pair_product(y, y), y);
  y -= ((cube.h - m.f) + cube.l) / (3 * y * y);
  scale.u = (u64)(k + third - 358 + 1023) << 52;
  return __builtin_copysign(y * scale.f, x);`

// normBody is the norm of four numbers, or its reciprocal, with a scale that keeps squares in range.
const normBody = `
  x = __builtin_fabs(x), y = __builtin_fabs(y), z = __builtin_fabs(z), w = __builtin_fabs(w);
  f64 a = x > y ? x : y, b = z > w ? z : w, largest = a > b ? a : b, scale = 1, back = 1;
  if (x == __builtin_inf() || y == __builtin_inf() || z == __builtin_inf() || w == __builtin_inf()) return reciprocal ? 0 : __builtin_inf();
  if (largest > 0x1p500) scale = 0x1p-600, back = 0x1p600;
  if (largest < 0x1p-400) scale = 0x1p600, back = 0x1p-600;
  x *= scale, y *= scale, z *= scale, w *= scale;
  f64 r = __builtin_sqrt((x * x + y * y) + (z * z + w * w));
  return reciprocal ? 1 / r * scale : r * back;`
