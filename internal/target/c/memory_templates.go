package c

// memoryTemplates are masked loads and stores of lanes that lie side by side, loads of those
// a short step apart (every.go), and the conversions of 16-bit floats.
var memoryTemplates = addEvery(map[string][]template{
	"load_masked": {
		{kinds: "fiu", lanes: registers, params: "const $S *p, $I m", body: loadMasked},
		{kinds: "fiu", lanes: halved, params: "const $S *p, $I m", body: `
  union { $I v; $J h[2]; } k = {m};
  union { $V v; $H h[2]; } r;
  r.h[0] = @load_masked.H(p, k.h[0]);
  r.h[1] = @load_masked.H(p + $N / 2, k.h[1]);
  return r.v;`},
	},
	"store_masked": {
		{kinds: "fiu", lanes: registers, result: "void", params: "$S *p, $V x, $I m", body: storeMasked},
		{kinds: "fiu", lanes: halved, result: "void", params: "$S *p, $V x, $I m", body: `
  union { $I v; $J h[2]; } k = {m};
  union { $V v; $H h[2]; } a = {x};
  @store_masked.H(p, a.h[0], k.h[0]);
  @store_masked.H(p + $N / 2, a.h[1], k.h[1]);`},
	},
	"stream": {
		{kinds: "fiu", lanes: registers, result: "void", params: "$S *p, $V x", body: streamStore},
		{kinds: "fiu", lanes: halved, result: "void", params: "$S *p, $V x", body: `
  union { $V v; $H h[2]; } a = {x};
  @stream.H(p, a.h[0]);
  @stream.H(p + $N / 2, a.h[1]);`},
	},
	"fence": {{kinds: "i", result: "void", params: "void", body: `
#if defined(__x86_64__)
  __asm__ __volatile__("sfence" ::: "memory");
#endif`}},
	"from_bfloat16": {
		{kinds: "f", params: "u16 h", body: "  union { u32 u; f32 f; } r = {(u32)h << 16};\n  return r.f;"},
		{kinds: "f", lanes: vectors, params: "$u16 h", body: "  return ($V)(__builtin_convertvector(h, $U) << 16);"},
	},
	"to_bfloat16": {
		{kinds: "f", result: "u16", params: "$V x", body: `
  union { f32 f; u32 u; } b = {x};
  if (x != x) return (u16)(b.u >> 16 | 0x40);
  return (u16)((b.u + 0x7fff + (b.u >> 16 & 1)) >> 16);`},
		{kinds: "f", lanes: vectors, result: "$u16", params: "$V x", body: `
  $U b = ($U)x, quiet = b >> 16 | 0x40, rounded = (b + 0x7fff + (b >> 16 & 1)) >> 16;
  return __builtin_convertvector(@select.u32(x != x, quiet, rounded), $u16);`},
	},
	"from_float16": {
		{kinds: "f", params: "u16 h", body: fromFloat16},
		{kinds: "f", lanes: vectors, params: "$u16 h", body: instruction(`  $V r;
  __asm__("vcvtph2ps %1, %0" : "=v"(r) : "v"(h));
  return r;`, `  $V r = {};
  for (int l = 0; l < $N; l++) r[l] = @from_float16.S(h[l]);
  return r;`)},
	},
	"to_float16": {
		{kinds: "f", result: "u16", params: "$V x", body: toFloat16},
		{kinds: "f", lanes: vectors, result: "$u16", params: "$V x", body: instruction(`  $u16 h;
  __asm__("vcvtps2ph $0, %1, %0" : "=v"(h) : "v"(x));
  return h;`, `  $u16 h = {};
  for (int l = 0; l < $N; l++) h[l] = @to_float16.S(x[l]);
  return h;`)},
	},
})

// The instructions with masks touch no memory for the lanes that are false, as
// the loop IR demands. They are written as assembly because the two compilers
// have different intrinsics and neither finds them in a loop over lanes.
const (
	hasMasks   = "#if ($BYTES == 16 || $BYTES == 32 || $BYTES == 64) && defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)"
	hasAVX2    = "#elif ($BYTES == 16 || $BYTES == 32) && $BYTES / $N >= 4 && defined(__AVX2__)"
	loadMasked = hasMasks + `
  $V r;
  u64 k;
  __asm__("$TOMASK %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("$MOVE %2, %0%{%1%}%{z%}" : "=v"(r) : "Yk"(k), "m"(*(const $M *)p));
  return r;
` + hasAVX2 + `
  $V r;
  if ($BYTES / $N == 4) __asm__("vpmaskmovd %2, %1, %0" : "=x"(r) : "x"(m), "m"(*(const $M *)p));
  else __asm__("vpmaskmovq %2, %1, %0" : "=x"(r) : "x"(m), "m"(*(const $M *)p));
  return r;
#else
  return ($V){$L{m[#] ? p[#] : 0}};
#endif`
	storeMasked = hasMasks + `
  u64 k;
  __asm__("$TOMASK %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("$MOVE %1, %0%{%2%}" : "+m"(*($M *)p) : "v"(x), "Yk"(k));
` + hasAVX2 + `
  if ($BYTES / $N == 4) __asm__("vpmaskmovd %1, %2, %0" : "+m"(*($M *)p) : "x"(x), "x"(m));
  else __asm__("vpmaskmovq %1, %2, %0" : "+m"(*($M *)p) : "x"(x), "x"(m));
#else
  for (int l = 0; l < $N; l++) if (m[l]) p[l] = x[l];
#endif`
)

// streamStore writes past the caches, which takes an aligned address: clang's own store of
// this kind does not look at it on x86-64. Other threads see the result after a fence.
const streamStore = `
#if defined(__AVX512F__) && $BYTES == 64 || defined(__AVX__) && $BYTES == 32
  if (((u64)p & ($BYTES - 1)) == 0) __asm__("vmovntps %1, %0" : "=m"(*($M *)p) : "v"(x));
  else *($M *)p = x;
#elif defined(__x86_64__) && $BYTES == 16
  if (((u64)p & 15) == 0) __asm__("movntps %1, %0" : "=m"(*($M *)p) : "x"(x));
  else *($M *)p = x;
#elif defined(__clang__) && !defined(__x86_64__)
  __builtin_nontemporal_store(x, ($M *)p);
#else
  *($M *)p = x;
#endif`

// instruction returns body for the vectors that the F16C and AVX-512 conversions
// take. gcc 12 converts vectors of _Float16 lane by lane.
func instruction(body, otherwise string) string {
	return `#if $N == 8 && defined(__F16C__) || $N == 16 && defined(__AVX512F__)
` + body + `
#else
` + otherwise + `
#endif`
}

// fromFloat16 widens: a compiler without _Float16 gets the bits moved, where
// multiplying by 2^112 restores the exponent of denormals too.
const fromFloat16 = `
#ifdef __FLT16_MAX__
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
#ifdef __FLT16_MAX__
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
