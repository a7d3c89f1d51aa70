package c

// How floats of 16 bits are converted
//
// They are computed with as float32; loads widen them and stores round to the nearest, ties to
// even. All bodies of a helper have the same bits, which are those of the evaluator: denormals
// are kept, and NaNs become quiet.

var halfTemplates = map[string][]template{
	"from_bfloat16": {
		{kinds: "f", params: "u16 h", body: "  union { u32 u; f32 f; } r = {(u32)h << 16};\n  return r.f;"},
		{kinds: "f", lanes: vectors, params: "$u16 h", body: "  return ($V)(@widen_uint16.u32(h) << 16);"},
	},
	"to_bfloat16": {
		{kinds: "f", result: "u16", params: "$V x", body: `
  union { f32 f; u32 u; } b = {x};
  if (x != x) return (u16)(b.u >> 16 | 0x40);
  return (u16)((b.u + 0x7fff + (b.u >> 16 & 1)) >> 16);`},
		{kinds: "f", lanes: vectors, result: "$u16", params: "$V x", body: toBFloat16},
	},
	"from_float16": {
		{kinds: "f", params: "u16 h", body: fromFloat16},
		{kinds: "f", lanes: halved, params: "$u16 h", body: partsOfHalves + `
  union { $u16 v; part h[2]; } a = {h};
  union { $V v; $H h[2]; } r;
  r.h[0] = @from_float16.H(a.h[0]);
  r.h[1] = @from_float16.H(a.h[1]);
  return r.v;`},
		{kinds: "f", lanes: vectors, params: "$u16 h", body: instruction(`  $V r;
  __asm__("vcvtph2ps %1, %0" : "=v"(r) : "v"(h));
  return r;`, `  $V r = {};
  for (int l = 0; l < $N; l++) r[l] = @from_float16.S(h[l]);
  return r;`)},
	},
	"to_float16": {
		{kinds: "f", result: "u16", params: "$V x", body: toFloat16},
		{kinds: "f", lanes: halved, result: "$u16", params: "$V x", body: partsOfHalves + `
  union { $V v; $H h[2]; } a = {x};
  union { $u16 v; part h[2]; } r;
  r.h[0] = @to_float16.H(a.h[0]);
  r.h[1] = @to_float16.H(a.h[1]);
  return r.v;`},
		{kinds: "f", lanes: vectors, result: "$u16", params: "$V x", body: instruction(`  $u16 h;
  __asm__("vcvtps2ph $0, %1, %0" : "=v"(h) : "v"(x));
  return h;`, `  $u16 h = {};
  for (int l = 0; l < $N; l++) h[l] = @to_float16.S(x[l]);
  return h;`)},
	},
}

// partsOfHalves names the type of half the lanes of a vector of 16-bit floats, of which there are N.
const partsOfHalves = `
  typedef u16 part __attribute__((vector_size($N)));`

// instruction returns body for the vectors that the F16C and AVX-512 conversions
// take. gcc 12 converts vectors of _Float16 lane by lane.
func instruction(body, otherwise string) string {
	return `#if $N == 8 && defined(__F16C__) || $N == 16 && defined(__AVX512F__)
` + body + `
#else
` + otherwise + `
#endif`
}

// toBFloat16 rounds by the instruction where there is one, except for denormals, which it takes
// for zeros.
const toBFloat16 = `
#if $N == 16 && defined(__AVX512BF16__) && defined(__AVX512DQ__)
  $u16 h;
  u64 denormal;
  __asm__("vfpclassps $0x20, %1, %0" : "=Yk"(denormal) : "v"(x));
  if (__builtin_expect((u16)denormal == 0, 1)) {
    __asm__("vcvtneps2bf16 %1, %0" : "=v"(h) : "v"(x));
    return h;
  }
#endif
  $U b = ($U)x, quiet = b >> 16 | 0x40, rounded = (b + 0x7fff + (b >> 16 & 1)) >> 16;
  return __builtin_convertvector(@select.u32(x != x, quiet, rounded), $u16);`

// fromFloat16 widens. The conversion of F16C writes a whole register: that of AVX512-FP16 for
// scalars keeps a part of it, so that iterations wait for each other (a·x + y in the nearest
// cache: 4 times slower). A compiler without _Float16 gets the bits moved, where
// multiplying by 2^112 restores the exponent of denormals too.
const fromFloat16 = `
#if defined(__F16C__)
  i16 __attribute__((vector_size(16))) v = {(i16)h};
  f32 __attribute__((vector_size(16))) r = __builtin_ia32_vcvtph2ps(v);
  return r[0];
#elif defined(__FLT16_MAX__)
  union { u16 u; _Float16 f; } b = {h};
  return (f32)b.f;
#else
  union { u32 u; f32 f; } r = {(u32)(h & 0x7fff) << 13};
  if ((h & 0x7c00) == 0x7c00) r.u |= 0x7f800000; else r.f *= 0x1p112f;
  r.u |= (u32)(h & 0x8000) << 16;
  return r.f;
#endif`

// toFloat16 rounds to the nearest even: large values by an addition to the bits,
// those that become denormal by an addition of 2^-1 to the value's magnitude.
const toFloat16 = `
#if defined(__F16C__)
  f32 __attribute__((vector_size(16))) v = {x};
  i16 __attribute__((vector_size(16))) r = __builtin_ia32_vcvtps2ph(v, 0);
  return (u16)r[0];
#elif defined(__FLT16_MAX__)
  union { _Float16 f; u16 u; } b = {(_Float16)x};
  return b.u;
#else
  union { f32 f; u32 u; } b = {x}, m;
  u16 sign = (u16)(b.u >> 16 & 0x8000);
  m.u = b.u & 0x7fffffff;
  if (m.u > 0x7f800000) return sign | 0x7e00;
  if (m.u >= 0x477ff000) return sign | 0x7c00;
  if (m.u < 0x38800000) { m.f += 0x1p-1f; return (u16)(sign | (m.u - 0x3f000000)); }
  return (u16)(sign | ((m.u - 0x38000000 + 0xfff + (m.u >> 13 & 1)) >> 13));
#endif`
