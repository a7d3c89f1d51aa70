/* Made by Ricci.

   Compile with gcc (9 or later) or clang (10 or later), for C99 or any later standard,
   with or without GNU extensions, and link with -lm:
     gcc   -O2 -c FILE.c
     clang -O2 -fwrapv -fno-strict-aliasing -DRICCI_WRAPV -c FILE.c
   -fopenmp makes it parallel. Never compile it with -ffast-math.
   It has kernels for several levels of instructions (plain neon avx2 avx512 avx512fp16). On x86-64
   it asks the processor which it has; the environment variable RICCI_LEVEL names the best
   that it may take. Those below the instructions that flags like -march=native allow are
   left out, and with -DRICCI_ONE_LEVEL those above.
   A note of gcc about the ABI of vectors means nothing here; -Wno-psabi silences it. */
#if defined(__FAST_MATH__)
#error "infinities, NaNs and the order of additions carry meaning: compile without -ffast-math and -Ofast"
#endif
#if defined(__clang__)
#if !defined(RICCI_WRAPV)
#error "clang needs the flags -fwrapv -fno-strict-aliasing -DRICCI_WRAPV (for cgo: in CGO_CFLAGS)"
#endif
#elif defined(__GNUC__)
#pragma GCC optimize("wrapv", "no-strict-aliasing", "no-math-errno", "no-trapping-math", "no-tree-slp-vectorize")
#pragma GCC diagnostic ignored "-Wpsabi"
#else
#error "this file needs gcc or clang"
#endif
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Warray-bounds"
#endif
#if defined(__x86_64__) && defined(__AVX2__) && defined(__FMA__) && defined(__F16C__) && defined(__AVX512F__) && defined(__AVX512CD__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512VNNI__) && defined(__AVX512BF16__) && defined(__AVX512FP16__)
#define RICCI_FLOOR 4
#elif defined(__x86_64__) && defined(__AVX2__) && defined(__FMA__) && defined(__F16C__) && defined(__AVX512F__) && defined(__AVX512CD__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define RICCI_FLOOR 3
#elif defined(__x86_64__) && defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define RICCI_FLOOR 2
#elif defined(__aarch64__)
#define RICCI_FLOOR 1
#else
#define RICCI_FLOOR 0
#endif
#if defined(RICCI_ONE_LEVEL)
#define RICCI_CEILING RICCI_FLOOR
#elif defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 10) && (defined(__clang__) && __clang_major__ >= 14 || !defined(__clang__) && __GNUC__ >= 12)
#define RICCI_CEILING 4
#elif defined(__x86_64__)
#define RICCI_CEILING 3
#elif defined(__x86_64__)
#define RICCI_CEILING 2
#elif defined(__aarch64__)
#define RICCI_CEILING 1
#else
#define RICCI_CEILING RICCI_FLOOR
#endif
#include <stdint.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#include "F.h"

typedef signed char i8;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
typedef f64 f64x2 __attribute__((vector_size(16)));
typedef i64 i64x2 __attribute__((vector_size(16)));
typedef f32 f32x2 __attribute__((vector_size(8)));
typedef i32 i32x2 __attribute__((vector_size(8)));
typedef f64x2 f64x2u __attribute__((aligned(8), may_alias)); // in memory
typedef f32x2 f32x2u __attribute__((aligned(4), may_alias)); // in memory
typedef f32 f32x4 __attribute__((vector_size(16)));
typedef i64 i64x4 __attribute__((vector_size(32)));
typedef f32x4 f32x4u __attribute__((aligned(4), may_alias)); // in memory
#if defined(__clang__) || __GNUC__ >= 12
#define r_shuffle(mask, x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
#define r_shuffle(mask, x, y, ...) __builtin_shuffle(x, y, (mask){__VA_ARGS__})
#endif
typedef i32 i32x4 __attribute__((vector_size(16)));
typedef u8 u8x4 __attribute__((vector_size(4)));
typedef i8 i8x4 __attribute__((vector_size(4)));
typedef u8x4 u8x4u __attribute__((aligned(1), may_alias)); // in memory
typedef f64 f64x4 __attribute__((vector_size(32)));
typedef f64x4 f64x4u __attribute__((aligned(8), may_alias)); // in memory
typedef f32 f32x8 __attribute__((vector_size(32)));
typedef i32 i32x8 __attribute__((vector_size(32)));
typedef i64 i64x8 __attribute__((vector_size(64)));
typedef f32x8 f32x8u __attribute__((aligned(4), may_alias)); // in memory
typedef u8 u8x8 __attribute__((vector_size(8)));
typedef i8 i8x8 __attribute__((vector_size(8)));
typedef u8x8 u8x8u __attribute__((aligned(1), may_alias)); // in memory
typedef f64 f64x8 __attribute__((vector_size(64)));
typedef u64 u64x8 __attribute__((vector_size(64)));
typedef f64x8 f64x8u __attribute__((aligned(8), may_alias)); // in memory
typedef f32 f32x16 __attribute__((vector_size(64)));
typedef i32 i32x16 __attribute__((vector_size(64)));
typedef i64 i64x16 __attribute__((vector_size(128)));
typedef f32x16 f32x16u __attribute__((aligned(4), may_alias)); // in memory
typedef u8 u8x16 __attribute__((vector_size(16)));
typedef i8 i8x16 __attribute__((vector_size(16)));
typedef u8x16 u8x16u __attribute__((aligned(1), may_alias)); // in memory

#if RICCI_FLOOR <= 0 && 0 <= RICCI_CEILING
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#endif

/* x / y, correctly rounded */
static inline __attribute__((always_inline)) f64x2 r_div_by_f64x2_plain(f64x2 x, f64 y) {
  return x / y;
}

/* x where the mask holds, y elsewhere */
static inline i64x2 r_select_i64x2_plain(i64x2 m, i64x2 x, i64x2 y) {
  return (i64x2)((m & (i64x2)x) | (~m & (i64x2)y));
}

/* p[i] of each lane */
static inline f32x2 r_gather_narrow_f32x2_plain(const f32 *p, i32x2 i) {
  return (f32x2){p[i[0]], p[i[1]]};
}

/* the mask of the first lanes, as many as are left */
static inline i32x2 r_first32_i64x2_plain(i64 left) {
  return (i32x2){0, 1} < (i32)(left < 0 ? 0 : left > 2 ? 2 : left);
}

/* p[i] of each lane, and 0 where m is 0 */
static inline f32x2 r_gather_narrow_masked_f32x2_plain(const f32 *p, i32x2 i, i32x2 m) {
  return (f32x2){m[0] ? p[i[0]] : 0, m[1] ? p[i[1]] : 0};
}

/* the mask of the first lanes, as many as are left */
static inline i64x2 r_first64_i64x2_plain(i64 left) {
  return __builtin_convertvector(r_first32_i64x2_plain(left), i64x2);
}

/* writes the lanes where m is not 0 */
static inline __attribute__((always_inline)) void r_store_masked_f64x2_plain(f64 *p, f64x2 x, i64x2 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovq2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovupd %1, %0%{%2%}" : "+m"(*(f64x2u *)p) : "v"(x), "Yk"(k));
#elif defined(__AVX2__)
  __asm__("vpmaskmovq %1, %2, %0" : "+m"(*(f64x2u *)p) : "x"(x), "x"(m));
#else
  for (int l = 0; l < 2; l++) if (m[l]) p[l] = x[l];
#endif
}

/* x where the mask holds, y elsewhere */
static inline f64x2 r_select_f64x2_plain(i64x2 m, f64x2 x, f64x2 y) {
  return (f64x2)((m & (i64x2)x) | (~m & (i64x2)y));
}

/* reads the lanes where m is not 0; the others are 0 */
static inline __attribute__((always_inline)) f64x2 r_load_masked_f64x2_plain(const f64 *p, i64x2 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  f64x2 r;
  u64 k;
  __asm__("vpmovq2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovupd %2, %0%{%1%}%{z%}" : "=v"(r) : "Yk"(k), "m"(*(const f64x2u *)p));
  return r;
#elif defined(__AVX2__)
  f64x2 r;
  __asm__("vpmaskmovq %2, %1, %0" : "=x"(r) : "x"(m), "m"(*(const f64x2u *)p));
  return r;
#else
  return (f64x2){m[0] ? p[0] : 0, m[1] ? p[1] : 0};
#endif
}

/* reads the lanes where m is not 0; the others are 0 */
static inline __attribute__((always_inline)) f32x2 r_load_masked_f32x2_plain(const f32 *p, i32x2 m) {
  return (f32x2){m[0] ? p[0] : 0, m[1] ? p[1] : 0};
}

/* the sum of the lanes */
static inline f64 r_fold_add_f64_plain(f64 x) {
  return x;
}

/* the sum of the lanes */
static inline f64 r_fold_add_f64x2_plain(f64x2 x) {
  union { f64x2 v; f64 h[2]; } a = {x};
  return r_fold_add_f64_plain((f64)(a.h[0] + a.h[1]));
}

static inline f32 r_floor_f32_plain(f32 x) {
  return __builtin_floorf(x);
}

/* truncated and clamped, 0 for a NaN */
static inline i32 r_to_int32_f32_plain(f32 x) {
  return x != x ? 0 : x >= 0x1p31 ? (i32)0x7fffffff : x < -0x1p31 ? (i32)0x80000000 : (i32)x;
}

static inline i64 r_max_i64_plain(i64 x, i64 y) {
  return y > x ? y : x;
}

static inline i64 r_min_i64_plain(i64 x, i64 y) {
  return y < x ? y : x;
}

/* x where the mask holds, y elsewhere */
static inline f32x2 r_select_f32x2_plain(i32x2 m, f32x2 x, f32x2 y) {
  return (f32x2)((m & (i32x2)x) | (~m & (i32x2)y));
}

/* p[i] of each lane */
static inline f32x4 r_gather_f32x4_plain(const f32 *p, i64x4 i) {
  return (f32x4){p[i[0]], p[i[1]], p[i[2]], p[i[3]]};
}

/* lanes so many elements apart */
static inline __attribute__((always_inline)) f32x4 r_every_4_f32x4_plain(const f32 *p) {
  f32x4 x, y;
  __builtin_memcpy(&x, p, sizeof x);
  __builtin_memcpy(&y, p + 4, sizeof y);
  x = r_shuffle(i32x4, x, y, 0, 4, 0, 0);
  __builtin_memcpy(&y, p + 8, sizeof y);
  x = r_shuffle(i32x4, x, y, 0, 1, 4, 0);
  __builtin_memcpy(&y, p + 9, sizeof y);
  x = r_shuffle(i32x4, x, y, 0, 1, 2, 7);
  return x;
}

/* lanes s elements apart */
static inline f32x4 r_strided_f32x4_plain(const f32 *p, i64 s) {
  return (f32x4){p[0], p[s], p[2 * s], p[3 * s]};
}

/* the mask of the first lanes, as many as are left */
static inline i32x4 r_first32_i64x4_plain(i64 left) {
  return (i32x4){0, 1, 2, 3} < (i32)(left < 0 ? 0 : left > 4 ? 4 : left);
}

/* lanes s elements apart, and 0 where m is 0 */
static inline f32x4 r_strided_masked_f32x4_plain(const f32 *p, i64 s, i32x4 m) {
  return (f32x4){m[0] ? p[0] : 0, m[1] ? p[s] : 0, m[2] ? p[2 * s] : 0, m[3] ? p[3 * s] : 0};
}

/* reads the lanes where m is not 0; the others are 0 */
static inline __attribute__((always_inline)) f32x4 r_load_masked_f32x4_plain(const f32 *p, i32x4 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  f32x4 r;
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovups %2, %0%{%1%}%{z%}" : "=v"(r) : "Yk"(k), "m"(*(const f32x4u *)p));
  return r;
#elif defined(__AVX2__)
  f32x4 r;
  __asm__("vpmaskmovd %2, %1, %0" : "=x"(r) : "x"(m), "m"(*(const f32x4u *)p));
  return r;
#else
  return (f32x4){m[0] ? p[0] : 0, m[1] ? p[1] : 0, m[2] ? p[2] : 0, m[3] ? p[3] : 0};
#endif
}

/* lanes so many elements apart, and 0 where m is 0 */
static inline __attribute__((always_inline)) f32x4 r_every_4_masked_f32x4_plain(const f32 *p, i32x4 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) || defined(__AVX2__)
  f32x4 x, y;
  x = r_load_masked_f32x4_plain(p, (i32x4){m[0], 0, 0, 0});
  y = r_load_masked_f32x4_plain(p + 4, (i32x4){m[1], 0, 0, 0});
  x = r_shuffle(i32x4, x, y, 0, 4, 0, 0);
  y = r_load_masked_f32x4_plain(p + 8, (i32x4){m[2], 0, 0, 0});
  x = r_shuffle(i32x4, x, y, 0, 1, 4, 0);
  y = r_load_masked_f32x4_plain(p + 9, (i32x4){0, 0, 0, m[3]});
  x = r_shuffle(i32x4, x, y, 0, 1, 2, 7);
  return x;
#else
  return (f32x4){m[0] ? p[0] : 0, m[1] ? p[4] : 0, m[2] ? p[8] : 0, m[3] ? p[12] : 0};
#endif
}

/* writes the lanes where m is not 0 */
static inline __attribute__((always_inline)) void r_store_masked_f32x4_plain(f32 *p, f32x4 x, i32x4 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovups %1, %0%{%2%}" : "+m"(*(f32x4u *)p) : "v"(x), "Yk"(k));
#elif defined(__AVX2__)
  __asm__("vpmaskmovd %1, %2, %0" : "+m"(*(f32x4u *)p) : "x"(x), "x"(m));
#else
  for (int l = 0; l < 4; l++) if (m[l]) p[l] = x[l];
#endif
}

/* lanes so many elements apart */
static inline __attribute__((always_inline)) f32x4 r_every_3_f32x4_plain(const f32 *p) {
  f32x4 x, y;
  __builtin_memcpy(&x, p, sizeof x);
  __builtin_memcpy(&y, p + 4, sizeof y);
  x = r_shuffle(i32x4, x, y, 0, 3, 6, 0);
  __builtin_memcpy(&y, p + 6, sizeof y);
  x = r_shuffle(i32x4, x, y, 0, 1, 2, 7);
  return x;
}

/* lanes so many elements apart, and 0 where m is 0 */
static inline __attribute__((always_inline)) f32x4 r_every_3_masked_f32x4_plain(const f32 *p, i32x4 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) || defined(__AVX2__)
  f32x4 x, y;
  x = r_load_masked_f32x4_plain(p, (i32x4){m[0], 0, 0, m[1]});
  y = r_load_masked_f32x4_plain(p + 4, (i32x4){0, 0, m[2], 0});
  x = r_shuffle(i32x4, x, y, 0, 3, 6, 0);
  y = r_load_masked_f32x4_plain(p + 6, (i32x4){m[2], 0, 0, m[3]});
  x = r_shuffle(i32x4, x, y, 0, 1, 2, 7);
  return x;
#else
  return (f32x4){m[0] ? p[0] : 0, m[1] ? p[3] : 0, m[2] ? p[6] : 0, m[3] ? p[9] : 0};
#endif
}

/* the mask of the first lanes, as many as are left */
static inline i8x4 r_first8_i64x4_plain(i64 left) {
  return (i8x4){0, 1, 2, 3} < (i8)(left < 0 ? 0 : left > 4 ? 4 : left);
}

/* writes the lanes where m is not 0 */
static inline __attribute__((always_inline)) void r_store_masked_u8x4_plain(u8 *p, u8x4 x, i8x4 m) {
  for (int l = 0; l < 4; l++) if (m[l]) p[l] = x[l];
}

/* what iterations over p_1 use */
typedef struct {
  i64 first;
  const f32 *p;
  i64 volume_X;
  i64 volume_Y;
  i64 volume_Z;
  f64 *volume_inverse;
  f64 *volume_start;
  f32 *x;
  f32 *w;
} ricci_F_plain_body1_context;

/* the iterations over p_1 from begin to end, of one thread */
static void ricci_F_plain_body1(void *captured, i64 begin, i64 end) {
  const ricci_F_plain_body1_context *context = captured;
  const f32 *p = context->p;
  const i64 volume_X = context->volume_X;
  const i64 volume_Y = context->volume_Y;
  const i64 volume_Z = context->volume_Z;
  f64 *volume_inverse = context->volume_inverse;
  f64 *volume_start = context->volume_start;
  f32 *x = context->x;
  f32 *w = context->w;
  for (i64 p_1 = context->first + begin; p_1 < context->first + end; p_1++) {
    x[p_1 * 3] = p[p_1 * 3] * (f32)volume_inverse[0] + p[p_1 * 3 + 1] * (f32)volume_inverse[1] + p[p_1 * 3 + 2] * (f32)volume_inverse[2] + (f32)volume_start[0];
    x[p_1 * 3 + 1] = p[p_1 * 3] * (f32)volume_inverse[3] + p[p_1 * 3 + 1] * (f32)volume_inverse[4] + p[p_1 * 3 + 2] * (f32)volume_inverse[5] + (f32)volume_start[1];
    x[p_1 * 3 + 2] = p[p_1 * 3] * (f32)volume_inverse[6] + p[p_1 * 3 + 1] * (f32)volume_inverse[7] + p[p_1 * 3 + 2] * (f32)volume_inverse[8] + (f32)volume_start[2];
    for (i64 a_4 = 0; a_4 < 3; a_4++) {
      for (i64 k = 0; k < 2; k++) {
        const f32 x_1 = x[a_4 + p_1 * 3];
        const f32 g = (i64)r_to_int32_f32_plain(r_floor_f32_plain(x_1)) == r_max_i64_plain(1, r_min_i64_plain((i64)r_to_int32_f32_plain(r_floor_f32_plain(x_1)), (a_4 == 2 ? volume_Z : a_4 == 1 ? volume_Y : volume_X) - 3)) ? x_1 - r_floor_f32_plain(x_1) - 0x1p-01f : __builtin_nanf("");
        const f32 q = g * g;
        *(f32x2u *)&w[a_4 * 4 + k * 2 + p_1 * 12] = r_select_f32x2_plain(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 0), i32x2), 0x1p-02f - (f32x2){}, r_select_f32x2_plain(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 1), i32x2), -0x1p-02f - (f32x2){}, r_select_f32x2_plain(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 2), i32x2), -0x1p-02f - (f32x2){}, 0x1p-02f - (f32x2){}))) * q + r_select_f32x2_plain(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 0), i32x2), 0x1.555556p-06f - (f32x2){}, r_select_f32x2_plain(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 1), i32x2), 0x1.eaaaaap-02f - (f32x2){}, r_select_f32x2_plain(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 2), i32x2), 0x1.eaaaaap-02f - (f32x2){}, 0x1.555556p-06f - (f32x2){}))) + g * (r_select_f32x2_plain(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 0), i32x2), -0x1.555556p-03f - (f32x2){}, r_select_f32x2_plain(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 1), i32x2), 0x1p-01f - (f32x2){}, r_select_f32x2_plain(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 2), i32x2), -0x1p-01f - (f32x2){}, 0x1.555556p-03f - (f32x2){}))) * q + r_select_f32x2_plain(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 0), i32x2), -0x1p-03f - (f32x2){}, r_select_f32x2_plain(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 1), i32x2), -0x1.4p-01f - (f32x2){}, r_select_f32x2_plain(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 2), i32x2), 0x1.4p-01f - (f32x2){}, 0x1p-03f - (f32x2){}))));
      }
    }
  }
}

/* what iterations over p_2 use */
typedef struct {
  i64 first;
  const f32 *volume;
  i64 volume_X;
  i64 volume_Y;
  i64 volume_Z;
  f32 *x;
  f32 *w;
  f32 *s;
} ricci_F_plain_body2_context;

/* the iterations over p_2 from begin to end, of one thread */
static void ricci_F_plain_body2(void *captured, i64 begin, i64 end) {
  const ricci_F_plain_body2_context *context = captured;
  const f32 *volume = context->volume;
  const i64 volume_X = context->volume_X;
  const i64 volume_Y = context->volume_Y;
  const i64 volume_Z = context->volume_Z;
  f32 *x = context->x;
  f32 *w = context->w;
  f32 *s = context->s;
  for (i64 p_2 = context->first + begin; p_2 < context->first + end; p_2++) {
    f32x4 s_acc[4];
    #pragma GCC unroll 4
    for (i64 n_1 = 0; n_1 < 4; n_1++) {
      s_acc[n_1] = (f32x4){};
    }
    for (i64 k0 = 0; k0 < 4; k0++) {
      #pragma GCC unroll 4
      for (i64 k2 = 0; k2 < 4; k2++) {
        s_acc[k2] = w[k0 + p_2 * 12] * r_gather_f32x4_plain(volume, (i64x4){0, 1, 2, 3} * volume_X + k0 + k2 * volume_X * volume_Y - volume_X - volume_X * volume_Y - 1 + r_max_i64_plain(1, r_min_i64_plain((i64)r_to_int32_f32_plain(r_floor_f32_plain(x[p_2 * 3 + 2])), volume_Z - 3)) * (volume_X * volume_Y) + r_max_i64_plain(1, r_min_i64_plain((i64)r_to_int32_f32_plain(r_floor_f32_plain(x[p_2 * 3 + 1])), volume_Y - 3)) * volume_X + r_max_i64_plain(1, r_min_i64_plain((i64)r_to_int32_f32_plain(r_floor_f32_plain(x[p_2 * 3])), volume_X - 3))) + s_acc[k2];
      }
    }
    #pragma GCC unroll 4
    for (i64 k2_1 = 0; k2_1 < 4; k2_1++) {
      *(f32x4u *)&s[p_2 * 16 + k2_1 * 4] = s_acc[k2_1];
    }
  }
}

/* args[0] runs iterations on at most args[1] threads, args[2] is memory to work in, args[3] takes a failed check */
static int ricci_F_plain(const i64 *args) {
  const f32 *volume = (const f32 *)args[4];
  const f32 *volume_directions = (const f32 *)args[5];
  const f32 *volume_origin = (const f32 *)args[6];
  const f32 *p = (const f32 *)args[7];
  f32 *value = (f32 *)args[8];
  u8 *inside = (u8 *)args[9];
  const i64 volume_X = args[10]; /* size volume_X */
  const i64 volume_Y = args[11]; /* size volume_Y */
  const i64 volume_Z = args[12]; /* size volume_Z */
  const i64 N = args[13]; /* size N */
  f64 *volume_inverse = (f64 *)args[2];
  f64 *volume_start = (f64 *)(args[2] + 128);
  f32 *x = (f32 *)(args[2] + 192);
  f32 *w = (f32 *)(args[2] + (((N * 12 + 63) >> 6) * 64 + 192));
  f32 *s = (f32 *)(args[2] + (((N * 12 + 63) >> 6) * 64 + ((N * 48 + 63) >> 6) * 64 + 192));
  f32 *s_1 = (f32 *)(args[2] + (((N * 12 + 63) >> 6) * 64 + ((N * 48 + 63) >> 6) * 64 + N * 64 + 192));
  for (i64 a = 0; a < 3; a++) {
    *(f64x2u *)&volume_inverse[a * 3] = r_div_by_f64x2_plain(__builtin_convertvector(r_gather_narrow_f32x2_plain(volume_directions, (i32)((a + 1 >= 3 ? a + 1 - 3 : a + 1) * 3) + (i32x2){} + __builtin_convertvector(r_select_i64x2_plain((i64x2)((i64x2){0, 1} + 1 >= 3), (i64x2){0, 1} + 1 - 3, (i64x2){0, 1} + 1), i32x2)), f64x2) * __builtin_convertvector(r_gather_narrow_f32x2_plain(volume_directions, (i32)((a + 2 >= 3 ? a + 2 - 3 : a + 2) * 3) + (i32x2){} + __builtin_convertvector(r_select_i64x2_plain((i64x2)((i64x2){0, 1} + 2 >= 3), (i64x2){0, 1} + 2 - 3, (i64x2){0, 1} + 2), i32x2)), f64x2) - __builtin_convertvector(r_gather_narrow_f32x2_plain(volume_directions, (i32)((a + 1 >= 3 ? a + 1 - 3 : a + 1) * 3) + (i32x2){} + __builtin_convertvector(r_select_i64x2_plain((i64x2)((i64x2){0, 1} + 2 >= 3), (i64x2){0, 1} + 2 - 3, (i64x2){0, 1} + 2), i32x2)), f64x2) * __builtin_convertvector(r_gather_narrow_f32x2_plain(volume_directions, (i32)((a + 2 >= 3 ? a + 2 - 3 : a + 2) * 3) + (i32x2){} + __builtin_convertvector(r_select_i64x2_plain((i64x2)((i64x2){0, 1} + 1 >= 3), (i64x2){0, 1} + 1 - 3, (i64x2){0, 1} + 1), i32x2)), f64x2), (f64)volume_directions[0] * ((f64)volume_directions[4] * (f64)volume_directions[8] - (f64)volume_directions[5] * (f64)volume_directions[7]) + (f64)volume_directions[1] * ((f64)volume_directions[5] * (f64)volume_directions[6] - (f64)volume_directions[3] * (f64)volume_directions[8]) + (f64)volume_directions[2] * ((f64)volume_directions[3] * (f64)volume_directions[7] - (f64)volume_directions[4] * (f64)volume_directions[6]));
    r_store_masked_f64x2_plain(&volume_inverse[a * 3 + 2], r_div_by_f64x2_plain(__builtin_convertvector(r_gather_narrow_masked_f32x2_plain(volume_directions, (i32)((a + 1 >= 3 ? a + 1 - 3 : a + 1) * 3) + (i32x2){} + __builtin_convertvector(r_select_i64x2_plain((i64x2)((i64x2){0, 1} + 2 + 1 >= 3), (i64x2){0, 1} + 2 + 1 - 3, (i64x2){0, 1} + 2 + 1), i32x2), r_first32_i64x2_plain(1)), f64x2) * __builtin_convertvector(r_gather_narrow_masked_f32x2_plain(volume_directions, (i32)((a + 2 >= 3 ? a + 2 - 3 : a + 2) * 3) + (i32x2){} + __builtin_convertvector(r_select_i64x2_plain((i64x2)((i64x2){0, 1} + 2 + 2 >= 3), (i64x2){0, 1} + 2 + 2 - 3, (i64x2){0, 1} + 2 + 2), i32x2), r_first32_i64x2_plain(1)), f64x2) - __builtin_convertvector(r_gather_narrow_masked_f32x2_plain(volume_directions, (i32)((a + 1 >= 3 ? a + 1 - 3 : a + 1) * 3) + (i32x2){} + __builtin_convertvector(r_select_i64x2_plain((i64x2)((i64x2){0, 1} + 2 + 2 >= 3), (i64x2){0, 1} + 2 + 2 - 3, (i64x2){0, 1} + 2 + 2), i32x2), r_first32_i64x2_plain(1)), f64x2) * __builtin_convertvector(r_gather_narrow_masked_f32x2_plain(volume_directions, (i32)((a + 2 >= 3 ? a + 2 - 3 : a + 2) * 3) + (i32x2){} + __builtin_convertvector(r_select_i64x2_plain((i64x2)((i64x2){0, 1} + 2 + 1 >= 3), (i64x2){0, 1} + 2 + 1 - 3, (i64x2){0, 1} + 2 + 1), i32x2), r_first32_i64x2_plain(1)), f64x2), (f64)volume_directions[0] * ((f64)volume_directions[4] * (f64)volume_directions[8] - (f64)volume_directions[5] * (f64)volume_directions[7]) + (f64)volume_directions[1] * ((f64)volume_directions[5] * (f64)volume_directions[6] - (f64)volume_directions[3] * (f64)volume_directions[8]) + (f64)volume_directions[2] * ((f64)volume_directions[3] * (f64)volume_directions[7] - (f64)volume_directions[4] * (f64)volume_directions[6])), r_first64_i64x2_plain(1));
  }
  {
    f64x2 volume_start_acc[3];
    #pragma GCC unroll 3
    for (i64 n = 0; n < 3; n++) {
      volume_start_acc[n] = (f64x2){};
    }
    #pragma GCC unroll 3
    for (i64 a_1 = 0; a_1 < 3; a_1++) {
      volume_start_acc[a_1] += -(*(const f64x2u *)&volume_inverse[a_1 * 3] * __builtin_convertvector(*(const f32x2u *)volume_origin, f64x2));
    }
    #pragma GCC unroll 3
    for (i64 a_2 = 0; a_2 < 3; a_2++) {
      volume_start_acc[a_2] = r_select_f64x2_plain(r_first64_i64x2_plain(1), volume_start_acc[a_2] + -(r_load_masked_f64x2_plain(&volume_inverse[2 + a_2 * 3], r_first64_i64x2_plain(1)) * __builtin_convertvector(r_load_masked_f32x2_plain(&volume_origin[2], r_first32_i64x2_plain(1)), f64x2)), volume_start_acc[a_2]);
    }
    #pragma GCC unroll 3
    for (i64 a_3 = 0; a_3 < 3; a_3++) {
      volume_start[a_3] = r_fold_add_f64x2_plain(volume_start_acc[a_3]);
    }
  }
  {
    const i64 begin = 0, end = r_max_i64_plain(0, N);
    ricci_F_plain_body1_context context = {
      .first = begin,
      .p = p,
      .volume_X = volume_X,
      .volume_Y = volume_Y,
      .volume_Z = volume_Z,
      .volume_inverse = volume_inverse,
      .volume_start = volume_start,
      .x = x,
      .w = w
    };
    const i64 count = end - begin, threads = args[1] < count ? args[1] : count;
    #pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static, 1)
    for (i64 part = 0; part < threads; part++) ricci_F_plain_body1(&context, count * part / threads, count * (part + 1) / threads);
  }
  {
    const i64 begin = 0, end = r_max_i64_plain(0, N);
    ricci_F_plain_body2_context context = {
      .first = begin,
      .volume = volume,
      .volume_X = volume_X,
      .volume_Y = volume_Y,
      .volume_Z = volume_Z,
      .x = x,
      .w = w,
      .s = s
    };
    const i64 count = end - begin, threads = args[1] < count ? args[1] : count;
    #pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static, 1)
    for (i64 part = 0; part < threads; part++) ricci_F_plain_body2(&context, count * part / threads, count * (part + 1) / threads);
  }
  for (i64 n_2 = 0; n_2 < r_max_i64_plain(0, N); n_2++) {
    f32x4 s_1_acc[1];
    __builtin_prefetch(&s_1[n_2 * 4] + 256, 1);
    s_1_acc[0] = (f32x4){};
    for (i64 k1 = 0; k1 < 4; k1++) {
      s_1_acc[0] = w[k1 + n_2 * 12 + 4] * r_every_4_f32x4_plain(&s[k1 + n_2 * 16]) + s_1_acc[0];
    }
    *(f32x4u *)&s_1[n_2 * 4] = s_1_acc[0];
  }
  for (i64 n_3 = 0; n_3 < (r_max_i64_plain(0, N) >> 2) * 4; n_3 += 4) {
    f32 s_2_block[4] __attribute__((aligned(64)));
    {
      f32x4 s_2_acc[1];
      s_2_acc[0] = (f32x4){};
      for (i64 k2_2 = 0; k2_2 < 4; k2_2++) {
        s_2_acc[0] = r_strided_f32x4_plain(&w[k2_2 + n_3 * 12 + 8], 12) * r_every_4_f32x4_plain(&s_1[k2_2 + n_3 * 4]) + s_2_acc[0];
      }
      *(f32x4u *)s_2_block = s_2_acc[0];
    }
    *(f32x4u *)&value[n_3] = *(const f32x4u *)s_2_block;
  }
  if (r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4 > 0) {
    f32 s_2_block_1[4] __attribute__((aligned(64)));
    {
      f32x4 s_2_acc_1[1];
      s_2_acc_1[0] = (f32x4){};
      for (i64 k2_3 = 0; k2_3 < 4; k2_3++) {
        if (r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4 > 0) {
          s_2_acc_1[0] = r_strided_masked_f32x4_plain(&w[k2_3 + (r_max_i64_plain(0, N) >> 2) * 48 + 8], 12, r_first32_i64x4_plain(r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4)) * r_every_4_masked_f32x4_plain(&s_1[k2_3 + (r_max_i64_plain(0, N) >> 2) * 16], r_first32_i64x4_plain(r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4)) + s_2_acc_1[0];
        }
      }
      if (r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4 > 0) {
        r_store_masked_f32x4_plain(s_2_block_1, s_2_acc_1[0], r_first32_i64x4_plain(r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4));
      }
    }
    if (r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4 > 0) {
      r_store_masked_f32x4_plain(&value[(r_max_i64_plain(0, N) >> 2) * 4], r_load_masked_f32x4_plain(s_2_block_1, r_first32_i64x4_plain(r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4)), r_first32_i64x4_plain(r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4));
    }
  }
  for (i64 n_4 = 0; n_4 < (r_max_i64_plain(0, N) >> 2) * 4; n_4 += 4) {
    *(u8x4u *)&inside[n_4] = (u8x4)(__builtin_convertvector(1.0f < r_every_3_f32x4_plain(&x[n_4 * 3]), i8x4) & __builtin_convertvector(r_every_3_f32x4_plain(&x[n_4 * 3]) < (f32)(i32)volume_X - 2.0f, i8x4) & __builtin_convertvector(1.0f < r_every_3_f32x4_plain(&x[n_4 * 3 + 1]), i8x4) & __builtin_convertvector(r_every_3_f32x4_plain(&x[n_4 * 3 + 1]) < (f32)(i32)volume_Y - 2.0f, i8x4) & __builtin_convertvector(1.0f < r_every_3_f32x4_plain(&x[n_4 * 3 + 2]), i8x4) & __builtin_convertvector(r_every_3_f32x4_plain(&x[n_4 * 3 + 2]) < (f32)(i32)volume_Z - 2.0f, i8x4) & 1);
  }
  if (r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4 > 0) {
    if (r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4 > 0) {
      r_store_masked_u8x4_plain(&inside[(r_max_i64_plain(0, N) >> 2) * 4], (u8x4)(__builtin_convertvector(1.0f < r_every_3_masked_f32x4_plain(&x[(r_max_i64_plain(0, N) >> 2) * 12], r_first32_i64x4_plain(r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4)), i8x4) & __builtin_convertvector(r_every_3_masked_f32x4_plain(&x[(r_max_i64_plain(0, N) >> 2) * 12], r_first32_i64x4_plain(r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4)) < (f32)(i32)volume_X - 2.0f, i8x4) & __builtin_convertvector(1.0f < r_every_3_masked_f32x4_plain(&x[(r_max_i64_plain(0, N) >> 2) * 12 + 1], r_first32_i64x4_plain(r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4)), i8x4) & __builtin_convertvector(r_every_3_masked_f32x4_plain(&x[(r_max_i64_plain(0, N) >> 2) * 12 + 1], r_first32_i64x4_plain(r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4)) < (f32)(i32)volume_Y - 2.0f, i8x4) & __builtin_convertvector(1.0f < r_every_3_masked_f32x4_plain(&x[(r_max_i64_plain(0, N) >> 2) * 12 + 2], r_first32_i64x4_plain(r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4)), i8x4) & __builtin_convertvector(r_every_3_masked_f32x4_plain(&x[(r_max_i64_plain(0, N) >> 2) * 12 + 2], r_first32_i64x4_plain(r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4)) < (f32)(i32)volume_Z - 2.0f, i8x4) & 1), r_first8_i64x4_plain(r_max_i64_plain(0, N) - (r_max_i64_plain(0, N) >> 2) * 4));
    }
  }
  return 0;
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#endif

#if RICCI_FLOOR <= 1 && 1 <= RICCI_CEILING && defined(__aarch64__)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#endif

/* x / y, correctly rounded */
static inline __attribute__((always_inline)) f64x2 r_div_by_f64x2_neon(f64x2 x, f64 y) {
  return x / y;
}

/* x where the mask holds, y elsewhere */
static inline i64x2 r_select_i64x2_neon(i64x2 m, i64x2 x, i64x2 y) {
  return (i64x2)((m & (i64x2)x) | (~m & (i64x2)y));
}

/* p[i] of each lane */
static inline f32x2 r_gather_narrow_f32x2_neon(const f32 *p, i32x2 i) {
  return (f32x2){p[i[0]], p[i[1]]};
}

/* the mask of the first lanes, as many as are left */
static inline i32x2 r_first32_i64x2_neon(i64 left) {
  return (i32x2){0, 1} < (i32)(left < 0 ? 0 : left > 2 ? 2 : left);
}

/* p[i] of each lane, and 0 where m is 0 */
static inline f32x2 r_gather_narrow_masked_f32x2_neon(const f32 *p, i32x2 i, i32x2 m) {
  return (f32x2){m[0] ? p[i[0]] : 0, m[1] ? p[i[1]] : 0};
}

/* the mask of the first lanes, as many as are left */
static inline i64x2 r_first64_i64x2_neon(i64 left) {
  return __builtin_convertvector(r_first32_i64x2_neon(left), i64x2);
}

/* writes the lanes where m is not 0 */
static inline __attribute__((always_inline)) void r_store_masked_f64x2_neon(f64 *p, f64x2 x, i64x2 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovq2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovupd %1, %0%{%2%}" : "+m"(*(f64x2u *)p) : "v"(x), "Yk"(k));
#elif defined(__AVX2__)
  __asm__("vpmaskmovq %1, %2, %0" : "+m"(*(f64x2u *)p) : "x"(x), "x"(m));
#else
  for (int l = 0; l < 2; l++) if (m[l]) p[l] = x[l];
#endif
}

/* x where the mask holds, y elsewhere */
static inline f64x2 r_select_f64x2_neon(i64x2 m, f64x2 x, f64x2 y) {
  return (f64x2)((m & (i64x2)x) | (~m & (i64x2)y));
}

/* reads the lanes where m is not 0; the others are 0 */
static inline __attribute__((always_inline)) f64x2 r_load_masked_f64x2_neon(const f64 *p, i64x2 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  f64x2 r;
  u64 k;
  __asm__("vpmovq2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovupd %2, %0%{%1%}%{z%}" : "=v"(r) : "Yk"(k), "m"(*(const f64x2u *)p));
  return r;
#elif defined(__AVX2__)
  f64x2 r;
  __asm__("vpmaskmovq %2, %1, %0" : "=x"(r) : "x"(m), "m"(*(const f64x2u *)p));
  return r;
#else
  return (f64x2){m[0] ? p[0] : 0, m[1] ? p[1] : 0};
#endif
}

/* reads the lanes where m is not 0; the others are 0 */
static inline __attribute__((always_inline)) f32x2 r_load_masked_f32x2_neon(const f32 *p, i32x2 m) {
  return (f32x2){m[0] ? p[0] : 0, m[1] ? p[1] : 0};
}

/* the sum of the lanes */
static inline f64 r_fold_add_f64_neon(f64 x) {
  return x;
}

/* the sum of the lanes */
static inline f64 r_fold_add_f64x2_neon(f64x2 x) {
  union { f64x2 v; f64 h[2]; } a = {x};
  return r_fold_add_f64_neon((f64)(a.h[0] + a.h[1]));
}

static inline f32 r_floor_f32_neon(f32 x) {
  return __builtin_floorf(x);
}

/* truncated and clamped, 0 for a NaN */
static inline i32 r_to_int32_f32_neon(f32 x) {
  return x != x ? 0 : x >= 0x1p31 ? (i32)0x7fffffff : x < -0x1p31 ? (i32)0x80000000 : (i32)x;
}

static inline i64 r_max_i64_neon(i64 x, i64 y) {
  return y > x ? y : x;
}

static inline i64 r_min_i64_neon(i64 x, i64 y) {
  return y < x ? y : x;
}

/* x where the mask holds, y elsewhere */
static inline f32x2 r_select_f32x2_neon(i32x2 m, f32x2 x, f32x2 y) {
  return (f32x2)((m & (i32x2)x) | (~m & (i32x2)y));
}

/* p[i] of each lane */
static inline f32x4 r_gather_f32x4_neon(const f32 *p, i64x4 i) {
  return (f32x4){p[i[0]], p[i[1]], p[i[2]], p[i[3]]};
}

/* lanes so many elements apart */
static inline __attribute__((always_inline)) f32x4 r_every_4_f32x4_neon(const f32 *p) {
  f32x4 x, y;
  __builtin_memcpy(&x, p, sizeof x);
  __builtin_memcpy(&y, p + 4, sizeof y);
  x = r_shuffle(i32x4, x, y, 0, 4, 0, 0);
  __builtin_memcpy(&y, p + 8, sizeof y);
  x = r_shuffle(i32x4, x, y, 0, 1, 4, 0);
  __builtin_memcpy(&y, p + 9, sizeof y);
  x = r_shuffle(i32x4, x, y, 0, 1, 2, 7);
  return x;
}

/* lanes s elements apart */
static inline f32x4 r_strided_f32x4_neon(const f32 *p, i64 s) {
  return (f32x4){p[0], p[s], p[2 * s], p[3 * s]};
}

/* the mask of the first lanes, as many as are left */
static inline i32x4 r_first32_i64x4_neon(i64 left) {
  return (i32x4){0, 1, 2, 3} < (i32)(left < 0 ? 0 : left > 4 ? 4 : left);
}

/* lanes s elements apart, and 0 where m is 0 */
static inline f32x4 r_strided_masked_f32x4_neon(const f32 *p, i64 s, i32x4 m) {
  return (f32x4){m[0] ? p[0] : 0, m[1] ? p[s] : 0, m[2] ? p[2 * s] : 0, m[3] ? p[3 * s] : 0};
}

/* reads the lanes where m is not 0; the others are 0 */
static inline __attribute__((always_inline)) f32x4 r_load_masked_f32x4_neon(const f32 *p, i32x4 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  f32x4 r;
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovups %2, %0%{%1%}%{z%}" : "=v"(r) : "Yk"(k), "m"(*(const f32x4u *)p));
  return r;
#elif defined(__AVX2__)
  f32x4 r;
  __asm__("vpmaskmovd %2, %1, %0" : "=x"(r) : "x"(m), "m"(*(const f32x4u *)p));
  return r;
#else
  return (f32x4){m[0] ? p[0] : 0, m[1] ? p[1] : 0, m[2] ? p[2] : 0, m[3] ? p[3] : 0};
#endif
}

/* lanes so many elements apart, and 0 where m is 0 */
static inline __attribute__((always_inline)) f32x4 r_every_4_masked_f32x4_neon(const f32 *p, i32x4 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) || defined(__AVX2__)
  f32x4 x, y;
  x = r_load_masked_f32x4_neon(p, (i32x4){m[0], 0, 0, 0});
  y = r_load_masked_f32x4_neon(p + 4, (i32x4){m[1], 0, 0, 0});
  x = r_shuffle(i32x4, x, y, 0, 4, 0, 0);
  y = r_load_masked_f32x4_neon(p + 8, (i32x4){m[2], 0, 0, 0});
  x = r_shuffle(i32x4, x, y, 0, 1, 4, 0);
  y = r_load_masked_f32x4_neon(p + 9, (i32x4){0, 0, 0, m[3]});
  x = r_shuffle(i32x4, x, y, 0, 1, 2, 7);
  return x;
#else
  return (f32x4){m[0] ? p[0] : 0, m[1] ? p[4] : 0, m[2] ? p[8] : 0, m[3] ? p[12] : 0};
#endif
}

/* writes the lanes where m is not 0 */
static inline __attribute__((always_inline)) void r_store_masked_f32x4_neon(f32 *p, f32x4 x, i32x4 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovups %1, %0%{%2%}" : "+m"(*(f32x4u *)p) : "v"(x), "Yk"(k));
#elif defined(__AVX2__)
  __asm__("vpmaskmovd %1, %2, %0" : "+m"(*(f32x4u *)p) : "x"(x), "x"(m));
#else
  for (int l = 0; l < 4; l++) if (m[l]) p[l] = x[l];
#endif
}

/* lanes so many elements apart */
static inline __attribute__((always_inline)) f32x4 r_every_3_f32x4_neon(const f32 *p) {
  f32x4 x, y;
  __builtin_memcpy(&x, p, sizeof x);
  __builtin_memcpy(&y, p + 4, sizeof y);
  x = r_shuffle(i32x4, x, y, 0, 3, 6, 0);
  __builtin_memcpy(&y, p + 6, sizeof y);
  x = r_shuffle(i32x4, x, y, 0, 1, 2, 7);
  return x;
}

/* lanes so many elements apart, and 0 where m is 0 */
static inline __attribute__((always_inline)) f32x4 r_every_3_masked_f32x4_neon(const f32 *p, i32x4 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) || defined(__AVX2__)
  f32x4 x, y;
  x = r_load_masked_f32x4_neon(p, (i32x4){m[0], 0, 0, m[1]});
  y = r_load_masked_f32x4_neon(p + 4, (i32x4){0, 0, m[2], 0});
  x = r_shuffle(i32x4, x, y, 0, 3, 6, 0);
  y = r_load_masked_f32x4_neon(p + 6, (i32x4){m[2], 0, 0, m[3]});
  x = r_shuffle(i32x4, x, y, 0, 1, 2, 7);
  return x;
#else
  return (f32x4){m[0] ? p[0] : 0, m[1] ? p[3] : 0, m[2] ? p[6] : 0, m[3] ? p[9] : 0};
#endif
}

/* the mask of the first lanes, as many as are left */
static inline i8x4 r_first8_i64x4_neon(i64 left) {
  return (i8x4){0, 1, 2, 3} < (i8)(left < 0 ? 0 : left > 4 ? 4 : left);
}

/* writes the lanes where m is not 0 */
static inline __attribute__((always_inline)) void r_store_masked_u8x4_neon(u8 *p, u8x4 x, i8x4 m) {
  for (int l = 0; l < 4; l++) if (m[l]) p[l] = x[l];
}

/* what iterations over p_1 use */
typedef struct {
  i64 first;
  const f32 *p;
  i64 volume_X;
  i64 volume_Y;
  i64 volume_Z;
  f64 *volume_inverse;
  f64 *volume_start;
  f32 *x;
  f32 *w;
} ricci_F_neon_body1_context;

/* the iterations over p_1 from begin to end, of one thread */
static void ricci_F_neon_body1(void *captured, i64 begin, i64 end) {
  const ricci_F_neon_body1_context *context = captured;
  const f32 *p = context->p;
  const i64 volume_X = context->volume_X;
  const i64 volume_Y = context->volume_Y;
  const i64 volume_Z = context->volume_Z;
  f64 *volume_inverse = context->volume_inverse;
  f64 *volume_start = context->volume_start;
  f32 *x = context->x;
  f32 *w = context->w;
  for (i64 p_1 = context->first + begin; p_1 < context->first + end; p_1++) {
    x[p_1 * 3] = p[p_1 * 3] * (f32)volume_inverse[0] + p[p_1 * 3 + 1] * (f32)volume_inverse[1] + p[p_1 * 3 + 2] * (f32)volume_inverse[2] + (f32)volume_start[0];
    x[p_1 * 3 + 1] = p[p_1 * 3] * (f32)volume_inverse[3] + p[p_1 * 3 + 1] * (f32)volume_inverse[4] + p[p_1 * 3 + 2] * (f32)volume_inverse[5] + (f32)volume_start[1];
    x[p_1 * 3 + 2] = p[p_1 * 3] * (f32)volume_inverse[6] + p[p_1 * 3 + 1] * (f32)volume_inverse[7] + p[p_1 * 3 + 2] * (f32)volume_inverse[8] + (f32)volume_start[2];
    for (i64 a_4 = 0; a_4 < 3; a_4++) {
      for (i64 k = 0; k < 2; k++) {
        const f32 x_1 = x[a_4 + p_1 * 3];
        const f32 g = (i64)r_to_int32_f32_neon(r_floor_f32_neon(x_1)) == r_max_i64_neon(1, r_min_i64_neon((i64)r_to_int32_f32_neon(r_floor_f32_neon(x_1)), (a_4 == 2 ? volume_Z : a_4 == 1 ? volume_Y : volume_X) - 3)) ? x_1 - r_floor_f32_neon(x_1) - 0x1p-01f : __builtin_nanf("");
        const f32 q = g * g;
        *(f32x2u *)&w[a_4 * 4 + k * 2 + p_1 * 12] = r_select_f32x2_neon(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 0), i32x2), 0x1p-02f - (f32x2){}, r_select_f32x2_neon(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 1), i32x2), -0x1p-02f - (f32x2){}, r_select_f32x2_neon(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 2), i32x2), -0x1p-02f - (f32x2){}, 0x1p-02f - (f32x2){}))) * q + r_select_f32x2_neon(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 0), i32x2), 0x1.555556p-06f - (f32x2){}, r_select_f32x2_neon(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 1), i32x2), 0x1.eaaaaap-02f - (f32x2){}, r_select_f32x2_neon(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 2), i32x2), 0x1.eaaaaap-02f - (f32x2){}, 0x1.555556p-06f - (f32x2){}))) + g * (r_select_f32x2_neon(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 0), i32x2), -0x1.555556p-03f - (f32x2){}, r_select_f32x2_neon(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 1), i32x2), 0x1p-01f - (f32x2){}, r_select_f32x2_neon(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 2), i32x2), -0x1p-01f - (f32x2){}, 0x1.555556p-03f - (f32x2){}))) * q + r_select_f32x2_neon(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 0), i32x2), -0x1p-03f - (f32x2){}, r_select_f32x2_neon(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 1), i32x2), -0x1.4p-01f - (f32x2){}, r_select_f32x2_neon(__builtin_convertvector((i64x2)((i64x2){0, 1} + k * 2 == 2), i32x2), 0x1.4p-01f - (f32x2){}, 0x1p-03f - (f32x2){}))));
      }
    }
  }
}

/* what iterations over p_2 use */
typedef struct {
  i64 first;
  const f32 *volume;
  i64 volume_X;
  i64 volume_Y;
  i64 volume_Z;
  f32 *x;
  f32 *w;
  f32 *s;
} ricci_F_neon_body2_context;

/* the iterations over p_2 from begin to end, of one thread */
static void ricci_F_neon_body2(void *captured, i64 begin, i64 end) {
  const ricci_F_neon_body2_context *context = captured;
  const f32 *volume = context->volume;
  const i64 volume_X = context->volume_X;
  const i64 volume_Y = context->volume_Y;
  const i64 volume_Z = context->volume_Z;
  f32 *x = context->x;
  f32 *w = context->w;
  f32 *s = context->s;
  for (i64 p_2 = context->first + begin; p_2 < context->first + end; p_2++) {
    f32x4 s_acc[4];
    #pragma GCC unroll 4
    for (i64 n_1 = 0; n_1 < 4; n_1++) {
      s_acc[n_1] = (f32x4){};
    }
    for (i64 k0 = 0; k0 < 4; k0++) {
      #pragma GCC unroll 4
      for (i64 k2 = 0; k2 < 4; k2++) {
        s_acc[k2] = w[k0 + p_2 * 12] * r_gather_f32x4_neon(volume, (i64x4){0, 1, 2, 3} * volume_X + k0 + k2 * volume_X * volume_Y - volume_X - volume_X * volume_Y - 1 + r_max_i64_neon(1, r_min_i64_neon((i64)r_to_int32_f32_neon(r_floor_f32_neon(x[p_2 * 3 + 2])), volume_Z - 3)) * (volume_X * volume_Y) + r_max_i64_neon(1, r_min_i64_neon((i64)r_to_int32_f32_neon(r_floor_f32_neon(x[p_2 * 3 + 1])), volume_Y - 3)) * volume_X + r_max_i64_neon(1, r_min_i64_neon((i64)r_to_int32_f32_neon(r_floor_f32_neon(x[p_2 * 3])), volume_X - 3))) + s_acc[k2];
      }
    }
    #pragma GCC unroll 4
    for (i64 k2_1 = 0; k2_1 < 4; k2_1++) {
      *(f32x4u *)&s[p_2 * 16 + k2_1 * 4] = s_acc[k2_1];
    }
  }
}

/* args[0] runs iterations on at most args[1] threads, args[2] is memory to work in, args[3] takes a failed check */
static int ricci_F_neon(const i64 *args) {
  const f32 *volume = (const f32 *)args[4];
  const f32 *volume_directions = (const f32 *)args[5];
  const f32 *volume_origin = (const f32 *)args[6];
  const f32 *p = (const f32 *)args[7];
  f32 *value = (f32 *)args[8];
  u8 *inside = (u8 *)args[9];
  const i64 volume_X = args[10]; /* size volume_X */
  const i64 volume_Y = args[11]; /* size volume_Y */
  const i64 volume_Z = args[12]; /* size volume_Z */
  const i64 N = args[13]; /* size N */
  f64 *volume_inverse = (f64 *)args[2];
  f64 *volume_start = (f64 *)(args[2] + 128);
  f32 *x = (f32 *)(args[2] + 192);
  f32 *w = (f32 *)(args[2] + (((N * 12 + 63) >> 6) * 64 + 192));
  f32 *s = (f32 *)(args[2] + (((N * 12 + 63) >> 6) * 64 + ((N * 48 + 63) >> 6) * 64 + 192));
  f32 *s_1 = (f32 *)(args[2] + (((N * 12 + 63) >> 6) * 64 + ((N * 48 + 63) >> 6) * 64 + N * 64 + 192));
  for (i64 a = 0; a < 3; a++) {
    *(f64x2u *)&volume_inverse[a * 3] = r_div_by_f64x2_neon(__builtin_convertvector(r_gather_narrow_f32x2_neon(volume_directions, (i32)((a + 1 >= 3 ? a + 1 - 3 : a + 1) * 3) + (i32x2){} + __builtin_convertvector(r_select_i64x2_neon((i64x2)((i64x2){0, 1} + 1 >= 3), (i64x2){0, 1} + 1 - 3, (i64x2){0, 1} + 1), i32x2)), f64x2) * __builtin_convertvector(r_gather_narrow_f32x2_neon(volume_directions, (i32)((a + 2 >= 3 ? a + 2 - 3 : a + 2) * 3) + (i32x2){} + __builtin_convertvector(r_select_i64x2_neon((i64x2)((i64x2){0, 1} + 2 >= 3), (i64x2){0, 1} + 2 - 3, (i64x2){0, 1} + 2), i32x2)), f64x2) - __builtin_convertvector(r_gather_narrow_f32x2_neon(volume_directions, (i32)((a + 1 >= 3 ? a + 1 - 3 : a + 1) * 3) + (i32x2){} + __builtin_convertvector(r_select_i64x2_neon((i64x2)((i64x2){0, 1} + 2 >= 3), (i64x2){0, 1} + 2 - 3, (i64x2){0, 1} + 2), i32x2)), f64x2) * __builtin_convertvector(r_gather_narrow_f32x2_neon(volume_directions, (i32)((a + 2 >= 3 ? a + 2 - 3 : a + 2) * 3) + (i32x2){} + __builtin_convertvector(r_select_i64x2_neon((i64x2)((i64x2){0, 1} + 1 >= 3), (i64x2){0, 1} + 1 - 3, (i64x2){0, 1} + 1), i32x2)), f64x2), (f64)volume_directions[0] * ((f64)volume_directions[4] * (f64)volume_directions[8] - (f64)volume_directions[5] * (f64)volume_directions[7]) + (f64)volume_directions[1] * ((f64)volume_directions[5] * (f64)volume_directions[6] - (f64)volume_directions[3] * (f64)volume_directions[8]) + (f64)volume_directions[2] * ((f64)volume_directions[3] * (f64)volume_directions[7] - (f64)volume_directions[4] * (f64)volume_directions[6]));
    r_store_masked_f64x2_neon(&volume_inverse[a * 3 + 2], r_div_by_f64x2_neon(__builtin_convertvector(r_gather_narrow_masked_f32x2_neon(volume_directions, (i32)((a + 1 >= 3 ? a + 1 - 3 : a + 1) * 3) + (i32x2){} + __builtin_convertvector(r_select_i64x2_neon((i64x2)((i64x2){0, 1} + 2 + 1 >= 3), (i64x2){0, 1} + 2 + 1 - 3, (i64x2){0, 1} + 2 + 1), i32x2), r_first32_i64x2_neon(1)), f64x2) * __builtin_convertvector(r_gather_narrow_masked_f32x2_neon(volume_directions, (i32)((a + 2 >= 3 ? a + 2 - 3 : a + 2) * 3) + (i32x2){} + __builtin_convertvector(r_select_i64x2_neon((i64x2)((i64x2){0, 1} + 2 + 2 >= 3), (i64x2){0, 1} + 2 + 2 - 3, (i64x2){0, 1} + 2 + 2), i32x2), r_first32_i64x2_neon(1)), f64x2) - __builtin_convertvector(r_gather_narrow_masked_f32x2_neon(volume_directions, (i32)((a + 1 >= 3 ? a + 1 - 3 : a + 1) * 3) + (i32x2){} + __builtin_convertvector(r_select_i64x2_neon((i64x2)((i64x2){0, 1} + 2 + 2 >= 3), (i64x2){0, 1} + 2 + 2 - 3, (i64x2){0, 1} + 2 + 2), i32x2), r_first32_i64x2_neon(1)), f64x2) * __builtin_convertvector(r_gather_narrow_masked_f32x2_neon(volume_directions, (i32)((a + 2 >= 3 ? a + 2 - 3 : a + 2) * 3) + (i32x2){} + __builtin_convertvector(r_select_i64x2_neon((i64x2)((i64x2){0, 1} + 2 + 1 >= 3), (i64x2){0, 1} + 2 + 1 - 3, (i64x2){0, 1} + 2 + 1), i32x2), r_first32_i64x2_neon(1)), f64x2), (f64)volume_directions[0] * ((f64)volume_directions[4] * (f64)volume_directions[8] - (f64)volume_directions[5] * (f64)volume_directions[7]) + (f64)volume_directions[1] * ((f64)volume_directions[5] * (f64)volume_directions[6] - (f64)volume_directions[3] * (f64)volume_directions[8]) + (f64)volume_directions[2] * ((f64)volume_directions[3] * (f64)volume_directions[7] - (f64)volume_directions[4] * (f64)volume_directions[6])), r_first64_i64x2_neon(1));
  }
  {
    f64x2 volume_start_acc[3];
    #pragma GCC unroll 3
    for (i64 n = 0; n < 3; n++) {
      volume_start_acc[n] = (f64x2){};
    }
    #pragma GCC unroll 3
    for (i64 a_1 = 0; a_1 < 3; a_1++) {
      volume_start_acc[a_1] += -(*(const f64x2u *)&volume_inverse[a_1 * 3] * __builtin_convertvector(*(const f32x2u *)volume_origin, f64x2));
    }
    #pragma GCC unroll 3
    for (i64 a_2 = 0; a_2 < 3; a_2++) {
      volume_start_acc[a_2] = r_select_f64x2_neon(r_first64_i64x2_neon(1), volume_start_acc[a_2] + -(r_load_masked_f64x2_neon(&volume_inverse[2 + a_2 * 3], r_first64_i64x2_neon(1)) * __builtin_convertvector(r_load_masked_f32x2_neon(&volume_origin[2], r_first32_i64x2_neon(1)), f64x2)), volume_start_acc[a_2]);
    }
    #pragma GCC unroll 3
    for (i64 a_3 = 0; a_3 < 3; a_3++) {
      volume_start[a_3] = r_fold_add_f64x2_neon(volume_start_acc[a_3]);
    }
  }
  {
    const i64 begin = 0, end = r_max_i64_neon(0, N);
    ricci_F_neon_body1_context context = {
      .first = begin,
      .p = p,
      .volume_X = volume_X,
      .volume_Y = volume_Y,
      .volume_Z = volume_Z,
      .volume_inverse = volume_inverse,
      .volume_start = volume_start,
      .x = x,
      .w = w
    };
    const i64 count = end - begin, threads = args[1] < count ? args[1] : count;
    #pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static, 1)
    for (i64 part = 0; part < threads; part++) ricci_F_neon_body1(&context, count * part / threads, count * (part + 1) / threads);
  }
  {
    const i64 begin = 0, end = r_max_i64_neon(0, N);
    ricci_F_neon_body2_context context = {
      .first = begin,
      .volume = volume,
      .volume_X = volume_X,
      .volume_Y = volume_Y,
      .volume_Z = volume_Z,
      .x = x,
      .w = w,
      .s = s
    };
    const i64 count = end - begin, threads = args[1] < count ? args[1] : count;
    #pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static, 1)
    for (i64 part = 0; part < threads; part++) ricci_F_neon_body2(&context, count * part / threads, count * (part + 1) / threads);
  }
  for (i64 n_2 = 0; n_2 < r_max_i64_neon(0, N); n_2++) {
    f32x4 s_1_acc[1];
    __builtin_prefetch(&s_1[n_2 * 4] + 256, 1);
    s_1_acc[0] = (f32x4){};
    for (i64 k1 = 0; k1 < 4; k1++) {
      s_1_acc[0] = w[k1 + n_2 * 12 + 4] * r_every_4_f32x4_neon(&s[k1 + n_2 * 16]) + s_1_acc[0];
    }
    *(f32x4u *)&s_1[n_2 * 4] = s_1_acc[0];
  }
  for (i64 n_3 = 0; n_3 < (r_max_i64_neon(0, N) >> 2) * 4; n_3 += 4) {
    f32 s_2_block[4] __attribute__((aligned(64)));
    {
      f32x4 s_2_acc[1];
      s_2_acc[0] = (f32x4){};
      for (i64 k2_2 = 0; k2_2 < 4; k2_2++) {
        s_2_acc[0] = r_strided_f32x4_neon(&w[k2_2 + n_3 * 12 + 8], 12) * r_every_4_f32x4_neon(&s_1[k2_2 + n_3 * 4]) + s_2_acc[0];
      }
      *(f32x4u *)s_2_block = s_2_acc[0];
    }
    *(f32x4u *)&value[n_3] = *(const f32x4u *)s_2_block;
  }
  if (r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4 > 0) {
    f32 s_2_block_1[4] __attribute__((aligned(64)));
    {
      f32x4 s_2_acc_1[1];
      s_2_acc_1[0] = (f32x4){};
      for (i64 k2_3 = 0; k2_3 < 4; k2_3++) {
        if (r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4 > 0) {
          s_2_acc_1[0] = r_strided_masked_f32x4_neon(&w[k2_3 + (r_max_i64_neon(0, N) >> 2) * 48 + 8], 12, r_first32_i64x4_neon(r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4)) * r_every_4_masked_f32x4_neon(&s_1[k2_3 + (r_max_i64_neon(0, N) >> 2) * 16], r_first32_i64x4_neon(r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4)) + s_2_acc_1[0];
        }
      }
      if (r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4 > 0) {
        r_store_masked_f32x4_neon(s_2_block_1, s_2_acc_1[0], r_first32_i64x4_neon(r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4));
      }
    }
    if (r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4 > 0) {
      r_store_masked_f32x4_neon(&value[(r_max_i64_neon(0, N) >> 2) * 4], r_load_masked_f32x4_neon(s_2_block_1, r_first32_i64x4_neon(r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4)), r_first32_i64x4_neon(r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4));
    }
  }
  for (i64 n_4 = 0; n_4 < (r_max_i64_neon(0, N) >> 2) * 4; n_4 += 4) {
    *(u8x4u *)&inside[n_4] = (u8x4)(__builtin_convertvector(1.0f < r_every_3_f32x4_neon(&x[n_4 * 3]), i8x4) & __builtin_convertvector(r_every_3_f32x4_neon(&x[n_4 * 3]) < (f32)(i32)volume_X - 2.0f, i8x4) & __builtin_convertvector(1.0f < r_every_3_f32x4_neon(&x[n_4 * 3 + 1]), i8x4) & __builtin_convertvector(r_every_3_f32x4_neon(&x[n_4 * 3 + 1]) < (f32)(i32)volume_Y - 2.0f, i8x4) & __builtin_convertvector(1.0f < r_every_3_f32x4_neon(&x[n_4 * 3 + 2]), i8x4) & __builtin_convertvector(r_every_3_f32x4_neon(&x[n_4 * 3 + 2]) < (f32)(i32)volume_Z - 2.0f, i8x4) & 1);
  }
  if (r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4 > 0) {
    if (r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4 > 0) {
      r_store_masked_u8x4_neon(&inside[(r_max_i64_neon(0, N) >> 2) * 4], (u8x4)(__builtin_convertvector(1.0f < r_every_3_masked_f32x4_neon(&x[(r_max_i64_neon(0, N) >> 2) * 12], r_first32_i64x4_neon(r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4)), i8x4) & __builtin_convertvector(r_every_3_masked_f32x4_neon(&x[(r_max_i64_neon(0, N) >> 2) * 12], r_first32_i64x4_neon(r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4)) < (f32)(i32)volume_X - 2.0f, i8x4) & __builtin_convertvector(1.0f < r_every_3_masked_f32x4_neon(&x[(r_max_i64_neon(0, N) >> 2) * 12 + 1], r_first32_i64x4_neon(r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4)), i8x4) & __builtin_convertvector(r_every_3_masked_f32x4_neon(&x[(r_max_i64_neon(0, N) >> 2) * 12 + 1], r_first32_i64x4_neon(r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4)) < (f32)(i32)volume_Y - 2.0f, i8x4) & __builtin_convertvector(1.0f < r_every_3_masked_f32x4_neon(&x[(r_max_i64_neon(0, N) >> 2) * 12 + 2], r_first32_i64x4_neon(r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4)), i8x4) & __builtin_convertvector(r_every_3_masked_f32x4_neon(&x[(r_max_i64_neon(0, N) >> 2) * 12 + 2], r_first32_i64x4_neon(r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4)) < (f32)(i32)volume_Z - 2.0f, i8x4) & 1), r_first8_i64x4_neon(r_max_i64_neon(0, N) - (r_max_i64_neon(0, N) >> 2) * 4));
    }
  }
  return 0;
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#endif

#if RICCI_FLOOR <= 2 && 2 <= RICCI_CEILING && defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#endif
#if defined(__clang__)
#pragma clang attribute push(__attribute__((min_vector_width(256))), apply_to = function)
#endif
#if RICCI_FLOOR < 2
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2,f16c,lzcnt,movbe,popcnt"))), apply_to = function)
#ifndef __AVX2__
#define __AVX2__ 1
#define RICCI__AVX2__
#endif
#ifndef __FMA__
#define __FMA__ 1
#define RICCI__FMA__
#endif
#ifndef __F16C__
#define __F16C__ 1
#define RICCI__F16C__
#endif
#else
#pragma GCC target("avx2,fma,bmi,bmi2,f16c,lzcnt,movbe,popcnt")
#endif
#endif

/* x / y, correctly rounded */
static inline __attribute__((always_inline)) f64x4 r_div_by_f64x4_avx2(f64x4 x, f64 y) {
  return x / y;
}

/* x where the mask holds, y elsewhere */
static inline i64x4 r_select_i64x4_avx2(i64x4 m, i64x4 x, i64x4 y) {
  return (i64x4)((m & (i64x4)x) | (~m & (i64x4)y));
}

/* the mask of the first lanes, as many as are left */
static inline i32x4 r_first32_i64x4_avx2(i64 left) {
  return (i32x4){0, 1, 2, 3} < (i32)(left < 0 ? 0 : left > 4 ? 4 : left);
}

/* p[i] of each lane, and 0 where m is 0 */
static inline f32x4 r_gather_narrow_masked_f32x4_avx2(const f32 *p, i32x4 i, i32x4 m) {
  return (f32x4){m[0] ? p[i[0]] : 0, m[1] ? p[i[1]] : 0, m[2] ? p[i[2]] : 0, m[3] ? p[i[3]] : 0};
}

/* the mask of the first lanes, as many as are left */
static inline i64x4 r_first64_i64x4_avx2(i64 left) {
  return __builtin_convertvector(r_first32_i64x4_avx2(left), i64x4);
}

/* writes the lanes where m is not 0 */
static inline __attribute__((always_inline)) void r_store_masked_f64x4_avx2(f64 *p, f64x4 x, i64x4 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovq2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovupd %1, %0%{%2%}" : "+m"(*(f64x4u *)p) : "v"(x), "Yk"(k));
#elif defined(__AVX2__)
  __asm__("vpmaskmovq %1, %2, %0" : "+m"(*(f64x4u *)p) : "x"(x), "x"(m));
#else
  for (int l = 0; l < 4; l++) if (m[l]) p[l] = x[l];
#endif
}

/* x where the mask holds, y elsewhere */
static inline f64x4 r_select_f64x4_avx2(i64x4 m, f64x4 x, f64x4 y) {
  return (f64x4)((m & (i64x4)x) | (~m & (i64x4)y));
}

/* reads the lanes where m is not 0; the others are 0 */
static inline __attribute__((always_inline)) f64x4 r_load_masked_f64x4_avx2(const f64 *p, i64x4 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  f64x4 r;
  u64 k;
  __asm__("vpmovq2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovupd %2, %0%{%1%}%{z%}" : "=v"(r) : "Yk"(k), "m"(*(const f64x4u *)p));
  return r;
#elif defined(__AVX2__)
  f64x4 r;
  __asm__("vpmaskmovq %2, %1, %0" : "=x"(r) : "x"(m), "m"(*(const f64x4u *)p));
  return r;
#else
  return (f64x4){m[0] ? p[0] : 0, m[1] ? p[1] : 0, m[2] ? p[2] : 0, m[3] ? p[3] : 0};
#endif
}

/* reads the lanes where m is not 0; the others are 0 */
static inline __attribute__((always_inline)) f32x4 r_load_masked_f32x4_avx2(const f32 *p, i32x4 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  f32x4 r;
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovups %2, %0%{%1%}%{z%}" : "=v"(r) : "Yk"(k), "m"(*(const f32x4u *)p));
  return r;
#elif defined(__AVX2__)
  f32x4 r;
  __asm__("vpmaskmovd %2, %1, %0" : "=x"(r) : "x"(m), "m"(*(const f32x4u *)p));
  return r;
#else
  return (f32x4){m[0] ? p[0] : 0, m[1] ? p[1] : 0, m[2] ? p[2] : 0, m[3] ? p[3] : 0};
#endif
}

/* the sum of the lanes */
static inline f64 r_fold_add_f64_avx2(f64 x) {
  return x;
}

/* the sum of the lanes */
static inline f64 r_fold_add_f64x2_avx2(f64x2 x) {
  union { f64x2 v; f64 h[2]; } a = {x};
  return r_fold_add_f64_avx2((f64)(a.h[0] + a.h[1]));
}

/* the sum of the lanes */
static inline f64 r_fold_add_f64x4_avx2(f64x4 x) {
  union { f64x4 v; f64x2 h[2]; } a = {x};
  return r_fold_add_f64x2_avx2((f64x2)(a.h[0] + a.h[1]));
}

static inline f32 r_floor_f32_avx2(f32 x) {
  return __builtin_floorf(x);
}

/* truncated and clamped, 0 for a NaN */
static inline i32 r_to_int32_f32_avx2(f32 x) {
  return x != x ? 0 : x >= 0x1p31 ? (i32)0x7fffffff : x < -0x1p31 ? (i32)0x80000000 : (i32)x;
}

static inline i64 r_max_i64_avx2(i64 x, i64 y) {
  return y > x ? y : x;
}

static inline i64 r_min_i64_avx2(i64 x, i64 y) {
  return y < x ? y : x;
}

/* x where the mask holds, y elsewhere */
static inline f32x4 r_select_f32x4_avx2(i32x4 m, f32x4 x, f32x4 y) {
  return (f32x4)((m & (i32x4)x) | (~m & (i32x4)y));
}

/* p[i] of each lane */
static inline f32x8 r_gather_narrow_f32x8_avx2(const f32 *p, i32x8 i) {
#if defined(__AVX512FP16__)
  return (f32x8)__builtin_ia32_gather3siv8sf((f32x8){}, p, i, -1, 4);
#else
  return (f32x8){p[i[0]], p[i[1]], p[i[2]], p[i[3]], p[i[4]], p[i[5]], p[i[6]], p[i[7]]};
#endif
}

/* lanes s elements apart */
static inline f32x8 r_strided_f32x8_avx2(const f32 *p, i64 s) {
#if defined(__AVX512FP16__)
  if (s > -(1 << 27) && s < 1 << 27) return r_gather_narrow_f32x8_avx2(p, (i32x8){0, 1, 2, 3, 4, 5, 6, 7} * (i32)s);
#endif
  return (f32x8){p[0], p[s], p[2 * s], p[3 * s], p[4 * s], p[5 * s], p[6 * s], p[7 * s]};
}

static inline i64x4 r_max_i64x4_avx2(i64x4 x, i64x4 y) {
#if !defined(__clang__) && defined(__AVX2__) && defined(__AVX512VL__)
  i64x4 r;
  __asm__("vpmaxsq %1, %2, %0" : "=v"(r) : "v"(x), "v"(y));
  return r;
#else
  i64x4 m = y > x;
  return (i64x4)((m & (i64x4)y) | (~m & (i64x4)x));
#endif
}

static inline i64x8 r_max_i64x8_avx2(i64x8 x, i64x8 y) {
  union { i64x8 v; i64x4 h[2]; } a = {x}, b = {y};
  union { i64x8 v; i64x4 h[2]; } r;
  r.h[0] = r_max_i64x4_avx2(a.h[0], b.h[0]);
  r.h[1] = r_max_i64x4_avx2(a.h[1], b.h[1]);
  return r.v;
}

static inline i64x4 r_min_i64x4_avx2(i64x4 x, i64x4 y) {
#if !defined(__clang__) && defined(__AVX2__) && defined(__AVX512VL__)
  i64x4 r;
  __asm__("vpminsq %1, %2, %0" : "=v"(r) : "v"(x), "v"(y));
  return r;
#else
  i64x4 m = y < x;
  return (i64x4)((m & (i64x4)y) | (~m & (i64x4)x));
#endif
}

static inline i64x8 r_min_i64x8_avx2(i64x8 x, i64x8 y) {
  union { i64x8 v; i64x4 h[2]; } a = {x}, b = {y};
  union { i64x8 v; i64x4 h[2]; } r;
  r.h[0] = r_min_i64x4_avx2(a.h[0], b.h[0]);
  r.h[1] = r_min_i64x4_avx2(a.h[1], b.h[1]);
  return r.v;
}

/* x where the mask holds, y elsewhere */
static inline f32x8 r_select_f32x8_avx2(i32x8 m, f32x8 x, f32x8 y) {
  return (f32x8)((m & (i32x8)x) | (~m & (i32x8)y));
}

/* x where the mask holds, y elsewhere */
static inline i32x8 r_select_i32x8_avx2(i32x8 m, i32x8 x, i32x8 y) {
  return (i32x8)((m & (i32x8)x) | (~m & (i32x8)y));
}

/* truncated and clamped, 0 for a NaN */
static inline i32x8 r_to_int32_f32x8_avx2(f32x8 x) {
  i32x8 high = x >= (f32)0x1p31, low = x < (f32)-0x1p31, outside = high | low | (x != x);
  i32x8 r = __builtin_convertvector(r_select_f32x8_avx2(outside, (f32x8){}, x), i32x8);
  r = r_select_i32x8_avx2(__builtin_convertvector(low, i32x8), (i32)(i32)0x80000000 + (i32x8){}, r);
  return r_select_i32x8_avx2(__builtin_convertvector(high, i32x8), (i32)0x7fffffff + (i32x8){}, r);
}

/* lanes so many elements apart */
static inline __attribute__((always_inline)) f32x8 r_every_3_f32x8_avx2(const f32 *p) {
  f32x8 x, y;
  __builtin_memcpy(&x, p, sizeof x);
  __builtin_memcpy(&y, p + 8, sizeof y);
  x = r_shuffle(i32x8, x, y, 0, 3, 6, 9, 12, 15, 0, 0);
  __builtin_memcpy(&y, p + 14, sizeof y);
  x = r_shuffle(i32x8, x, y, 0, 1, 2, 3, 4, 5, 12, 15);
  return x;
}

static inline f32x8 r_fabs_f32x8_avx2(f32x8 x) {
  return (f32x8)((i32x8)x & ~(i32x8)(-(f32x8){}));
}

static inline f32x8 r_copysign_f32x8_avx2(f32x8 x, f32x8 y) {
  return (f32x8)(((i32x8)x & ~(i32x8)(-(f32x8){})) | ((i32x8)y & (i32x8)(-(f32x8){})));
}

static inline f32x8 r_trunc_f32x8_avx2(f32x8 x) {
#if defined(__AVX__)
  f32x8 r;
  __asm__("vroundps $11, %1, %0" : "=x"(r) : "x"(x));
  return r;
#else
  const f32 whole = 0x1p23f;
  i32x8 small = r_fabs_f32x8_avx2(x) < whole;
  f32x8 t = __builtin_convertvector(__builtin_convertvector(r_select_f32x8_avx2(small, x, (f32x8){}), i32x8), f32x8);
  return r_select_f32x8_avx2(small, r_copysign_f32x8_avx2(t, x), x);
#endif
}

static inline f32x8 r_floor_f32x8_avx2(f32x8 x) {
#if defined(__AVX__)
  f32x8 r;
  __asm__("vroundps $9, %1, %0" : "=x"(r) : "x"(x));
  return r;
#else
  f32x8 t = r_trunc_f32x8_avx2(x);
  return r_copysign_f32x8_avx2(r_select_f32x8_avx2(t > x, t - 1, t), x);
#endif
}

/* each lane in more bits */
static inline __attribute__((always_inline)) i64x4 r_widen_int32_i64x4_avx2(i32x4 x) {
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX2__)

  i64x4 r;
  __asm__("vpmovsxdq %1, %0" : "=v"(r) : "v"(x));
  return r;
#else
  return __builtin_convertvector(x, i64x4);
#endif
}

/* each lane in more bits */
static inline __attribute__((always_inline)) i64x8 r_widen_int32_i64x8_avx2(i32x8 x) {
  union { i32x8 v; i32x4 h[2]; } a = {x};
  union { i64x8 v; i64x4 h[2]; } r;
  r.h[0] = r_widen_int32_i64x4_avx2(a.h[0]);
  r.h[1] = r_widen_int32_i64x4_avx2(a.h[1]);
  return r.v;
}

/* p[i] of each lane */
static inline f32x8 r_gather_f32x8_avx2(const f32 *p, i64x8 i) {
  return (f32x8){p[i[0]], p[i[1]], p[i[2]], p[i[3]], p[i[4]], p[i[5]], p[i[6]], p[i[7]]};
}

static inline void r_scatter_strided_f32x8_avx2(f32 *p, i64 s, f32x8 x) {
  for (int l = 0; l < 8; l++) p[l * s] = x[l];
}

/* the mask of the first lanes, as many as are left */
static inline i32x8 r_first32_i64x8_avx2(i64 left) {
  return (i32x8){0, 1, 2, 3, 4, 5, 6, 7} < (i32)(left < 0 ? 0 : left > 8 ? 8 : left);
}

/* a bit for each lane that holds */
static inline u64 r_bits_i32x8_avx2(i32x8 x) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(x));
  return k;
#else
  u64 k = 0;
  for (int l = 0; l < 8; l++) k |= (u64)(x[l] != 0) << l;
  return k;
#endif
}

/* p[i] of each lane, and 0 where m is 0 */
static inline f32x8 r_gather_narrow_masked_f32x8_avx2(const f32 *p, i32x8 i, i32x8 m) {
#if defined(__AVX512FP16__)
  return (f32x8)__builtin_ia32_gather3siv8sf((f32x8){}, p, i, (unsigned short)r_bits_i32x8_avx2(m), 4);
#else
  return (f32x8){m[0] ? p[i[0]] : 0, m[1] ? p[i[1]] : 0, m[2] ? p[i[2]] : 0, m[3] ? p[i[3]] : 0, m[4] ? p[i[4]] : 0, m[5] ? p[i[5]] : 0, m[6] ? p[i[6]] : 0, m[7] ? p[i[7]] : 0};
#endif
}

/* lanes s elements apart, and 0 where m is 0 */
static inline f32x8 r_strided_masked_f32x8_avx2(const f32 *p, i64 s, i32x8 m) {
#if defined(__AVX512FP16__)
  if (s > -(1 << 27) && s < 1 << 27) return r_gather_narrow_masked_f32x8_avx2(p, (i32x8){0, 1, 2, 3, 4, 5, 6, 7} * (i32)s, m);
#endif
  return (f32x8){m[0] ? p[0] : 0, m[1] ? p[s] : 0, m[2] ? p[2 * s] : 0, m[3] ? p[3 * s] : 0, m[4] ? p[4 * s] : 0, m[5] ? p[5 * s] : 0, m[6] ? p[6 * s] : 0, m[7] ? p[7 * s] : 0};
}

/* reads the lanes where m is not 0; the others are 0 */
static inline __attribute__((always_inline)) f32x8 r_load_masked_f32x8_avx2(const f32 *p, i32x8 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  f32x8 r;
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovups %2, %0%{%1%}%{z%}" : "=v"(r) : "Yk"(k), "m"(*(const f32x8u *)p));
  return r;
#elif defined(__AVX2__)
  f32x8 r;
  __asm__("vpmaskmovd %2, %1, %0" : "=x"(r) : "x"(m), "m"(*(const f32x8u *)p));
  return r;
#else
  return (f32x8){m[0] ? p[0] : 0, m[1] ? p[1] : 0, m[2] ? p[2] : 0, m[3] ? p[3] : 0, m[4] ? p[4] : 0, m[5] ? p[5] : 0, m[6] ? p[6] : 0, m[7] ? p[7] : 0};
#endif
}

/* lanes so many elements apart, and 0 where m is 0 */
static inline __attribute__((always_inline)) f32x8 r_every_3_masked_f32x8_avx2(const f32 *p, i32x8 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) || defined(__AVX2__)
  f32x8 x, y;
  x = r_load_masked_f32x8_avx2(p, (i32x8){m[0], 0, 0, m[1], 0, 0, m[2], 0});
  y = r_load_masked_f32x8_avx2(p + 8, (i32x8){0, m[3], 0, 0, m[4], 0, 0, m[5]});
  x = r_shuffle(i32x8, x, y, 0, 3, 6, 9, 12, 15, 0, 0);
  y = r_load_masked_f32x8_avx2(p + 14, (i32x8){0, m[5], 0, 0, m[6], 0, 0, m[7]});
  x = r_shuffle(i32x8, x, y, 0, 1, 2, 3, 4, 5, 12, 15);
  return x;
#else
  return (f32x8){m[0] ? p[0] : 0, m[1] ? p[3] : 0, m[2] ? p[6] : 0, m[3] ? p[9] : 0, m[4] ? p[12] : 0, m[5] ? p[15] : 0, m[6] ? p[18] : 0, m[7] ? p[21] : 0};
#endif
}

/* p[i] of each lane, and 0 where m is 0 */
static inline f32x8 r_gather_masked_f32x8_avx2(const f32 *p, i64x8 i, i32x8 m) {
  return (f32x8){m[0] ? p[i[0]] : 0, m[1] ? p[i[1]] : 0, m[2] ? p[i[2]] : 0, m[3] ? p[i[3]] : 0, m[4] ? p[i[4]] : 0, m[5] ? p[i[5]] : 0, m[6] ? p[i[6]] : 0, m[7] ? p[i[7]] : 0};
}

/* , where m is not 0 */
static inline void r_scatter_strided_masked_f32x8_avx2(f32 *p, i64 s, f32x8 x, i32x8 m) {
  for (int l = 0; l < 8; l++) if (m[l]) p[l * s] = x[l];
}

/* lanes so many elements apart */
static inline __attribute__((always_inline)) f32x4 r_every_4_f32x4_avx2(const f32 *p) {
  f32x4 x, y;
  __builtin_memcpy(&x, p, sizeof x);
  __builtin_memcpy(&y, p + 4, sizeof y);
  x = r_shuffle(i32x4, x, y, 0, 4, 0, 0);
  __builtin_memcpy(&y, p + 8, sizeof y);
  x = r_shuffle(i32x4, x, y, 0, 1, 4, 0);
  __builtin_memcpy(&y, p + 9, sizeof y);
  x = r_shuffle(i32x4, x, y, 0, 1, 2, 7);
  return x;
}

/* lanes so many elements apart */
static inline __attribute__((always_inline)) f32x8 r_every_4_f32x8_avx2(const f32 *p) {
  f32x8 x, y;
  __builtin_memcpy(&x, p, sizeof x);
  __builtin_memcpy(&y, p + 8, sizeof y);
  x = r_shuffle(i32x8, x, y, 0, 4, 8, 12, 0, 0, 0, 0);
  __builtin_memcpy(&y, p + 16, sizeof y);
  x = r_shuffle(i32x8, x, y, 0, 1, 2, 3, 8, 12, 0, 0);
  __builtin_memcpy(&y, p + 21, sizeof y);
  x = r_shuffle(i32x8, x, y, 0, 1, 2, 3, 4, 5, 11, 15);
  return x;
}

/* lanes so many elements apart, and 0 where m is 0 */
static inline __attribute__((always_inline)) f32x8 r_every_4_masked_f32x8_avx2(const f32 *p, i32x8 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) || defined(__AVX2__)
  f32x8 x, y;
  x = r_load_masked_f32x8_avx2(p, (i32x8){m[0], 0, 0, 0, m[1], 0, 0, 0});
  y = r_load_masked_f32x8_avx2(p + 8, (i32x8){m[2], 0, 0, 0, m[3], 0, 0, 0});
  x = r_shuffle(i32x8, x, y, 0, 4, 8, 12, 0, 0, 0, 0);
  y = r_load_masked_f32x8_avx2(p + 16, (i32x8){m[4], 0, 0, 0, m[5], 0, 0, 0});
  x = r_shuffle(i32x8, x, y, 0, 1, 2, 3, 8, 12, 0, 0);
  y = r_load_masked_f32x8_avx2(p + 21, (i32x8){0, 0, 0, m[6], 0, 0, 0, m[7]});
  x = r_shuffle(i32x8, x, y, 0, 1, 2, 3, 4, 5, 11, 15);
  return x;
#else
  return (f32x8){m[0] ? p[0] : 0, m[1] ? p[4] : 0, m[2] ? p[8] : 0, m[3] ? p[12] : 0, m[4] ? p[16] : 0, m[5] ? p[20] : 0, m[6] ? p[24] : 0, m[7] ? p[28] : 0};
#endif
}

/* writes the lanes where m is not 0 */
static inline __attribute__((always_inline)) void r_store_masked_f32x8_avx2(f32 *p, f32x8 x, i32x8 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovups %1, %0%{%2%}" : "+m"(*(f32x8u *)p) : "v"(x), "Yk"(k));
#elif defined(__AVX2__)
  __asm__("vpmaskmovd %1, %2, %0" : "+m"(*(f32x8u *)p) : "x"(x), "x"(m));
#else
  for (int l = 0; l < 8; l++) if (m[l]) p[l] = x[l];
#endif
}

/* the mask of the first lanes, as many as are left */
static inline i8x8 r_first8_i64x8_avx2(i64 left) {
  return (i8x8){0, 1, 2, 3, 4, 5, 6, 7} < (i8)(left < 0 ? 0 : left > 8 ? 8 : left);
}

/* writes the lanes where m is not 0 */
static inline __attribute__((always_inline)) void r_store_masked_u8x8_avx2(u8 *p, u8x8 x, i8x8 m) {
  for (int l = 0; l < 8; l++) if (m[l]) p[l] = x[l];
}

/* what iterations over p_1 use */
typedef struct {
  i64 first;
  const f32 *p;
  i64 volume_X;
  i64 volume_Y;
  i64 volume_Z;
  f64 *volume_inverse;
  f64 *volume_start;
  f32 *x;
  f32 *w;
} ricci_F_avx2_body1_context;

/* the iterations over p_1 from begin to end, of one thread */
static void ricci_F_avx2_body1(void *captured, i64 begin, i64 end) {
  const ricci_F_avx2_body1_context *context = captured;
  const f32 *p = context->p;
  const i64 volume_X = context->volume_X;
  const i64 volume_Y = context->volume_Y;
  const i64 volume_Z = context->volume_Z;
  f64 *volume_inverse = context->volume_inverse;
  f64 *volume_start = context->volume_start;
  f32 *x = context->x;
  f32 *w = context->w;
  for (i64 p_1 = context->first + begin; p_1 < context->first + end; p_1++) {
    x[p_1 * 3] = p[p_1 * 3] * (f32)volume_inverse[0] + p[p_1 * 3 + 1] * (f32)volume_inverse[1] + p[p_1 * 3 + 2] * (f32)volume_inverse[2] + (f32)volume_start[0];
    x[p_1 * 3 + 1] = p[p_1 * 3] * (f32)volume_inverse[3] + p[p_1 * 3 + 1] * (f32)volume_inverse[4] + p[p_1 * 3 + 2] * (f32)volume_inverse[5] + (f32)volume_start[1];
    x[p_1 * 3 + 2] = p[p_1 * 3] * (f32)volume_inverse[6] + p[p_1 * 3 + 1] * (f32)volume_inverse[7] + p[p_1 * 3 + 2] * (f32)volume_inverse[8] + (f32)volume_start[2];
    for (i64 a_3 = 0; a_3 < 3; a_3++) {
      const f32 x_1 = x[a_3 + p_1 * 3];
      const f32 g = (i64)r_to_int32_f32_avx2(r_floor_f32_avx2(x_1)) == r_max_i64_avx2(1, r_min_i64_avx2((i64)r_to_int32_f32_avx2(r_floor_f32_avx2(x_1)), (a_3 == 2 ? volume_Z : a_3 == 1 ? volume_Y : volume_X) - 3)) ? x_1 - r_floor_f32_avx2(x_1) - 0x1p-01f : __builtin_nanf("");
      const f32 q = g * g;
      *(f32x4u *)&w[a_3 * 4 + p_1 * 12] = r_select_f32x4_avx2(__builtin_convertvector((i64x4)((i64x4){0, 1, 2, 3} == 0), i32x4), 0x1p-02f - (f32x4){}, r_select_f32x4_avx2(__builtin_convertvector((i64x4)((i64x4){0, 1, 2, 3} == 1), i32x4), -0x1p-02f - (f32x4){}, r_select_f32x4_avx2(__builtin_convertvector((i64x4)((i64x4){0, 1, 2, 3} == 2), i32x4), -0x1p-02f - (f32x4){}, 0x1p-02f - (f32x4){}))) * q + r_select_f32x4_avx2(__builtin_convertvector((i64x4)((i64x4){0, 1, 2, 3} == 0), i32x4), 0x1.555556p-06f - (f32x4){}, r_select_f32x4_avx2(__builtin_convertvector((i64x4)((i64x4){0, 1, 2, 3} == 1), i32x4), 0x1.eaaaaap-02f - (f32x4){}, r_select_f32x4_avx2(__builtin_convertvector((i64x4)((i64x4){0, 1, 2, 3} == 2), i32x4), 0x1.eaaaaap-02f - (f32x4){}, 0x1.555556p-06f - (f32x4){}))) + g * (r_select_f32x4_avx2(__builtin_convertvector((i64x4)((i64x4){0, 1, 2, 3} == 0), i32x4), -0x1.555556p-03f - (f32x4){}, r_select_f32x4_avx2(__builtin_convertvector((i64x4)((i64x4){0, 1, 2, 3} == 1), i32x4), 0x1p-01f - (f32x4){}, r_select_f32x4_avx2(__builtin_convertvector((i64x4)((i64x4){0, 1, 2, 3} == 2), i32x4), -0x1p-01f - (f32x4){}, 0x1.555556p-03f - (f32x4){}))) * q + r_select_f32x4_avx2(__builtin_convertvector((i64x4)((i64x4){0, 1, 2, 3} == 0), i32x4), -0x1p-03f - (f32x4){}, r_select_f32x4_avx2(__builtin_convertvector((i64x4)((i64x4){0, 1, 2, 3} == 1), i32x4), -0x1.4p-01f - (f32x4){}, r_select_f32x4_avx2(__builtin_convertvector((i64x4)((i64x4){0, 1, 2, 3} == 2), i32x4), 0x1.4p-01f - (f32x4){}, 0x1p-03f - (f32x4){}))));
    }
  }
}

/* args[0] runs iterations on at most args[1] threads, args[2] is memory to work in, args[3] takes a failed check */
static int ricci_F_avx2(const i64 *args) {
  const f32 *volume = (const f32 *)args[4];
  const f32 *volume_directions = (const f32 *)args[5];
  const f32 *volume_origin = (const f32 *)args[6];
  const f32 *p = (const f32 *)args[7];
  f32 *value = (f32 *)args[8];
  u8 *inside = (u8 *)args[9];
  const i64 volume_X = args[10]; /* size volume_X */
  const i64 volume_Y = args[11]; /* size volume_Y */
  const i64 volume_Z = args[12]; /* size volume_Z */
  const i64 N = args[13]; /* size N */
  f64 *volume_inverse = (f64 *)args[2];
  f64 *volume_start = (f64 *)(args[2] + 128);
  f32 *x = (f32 *)(args[2] + 192);
  f32 *w = (f32 *)(args[2] + (((N * 12 + 63) >> 6) * 64 + 192));
  f32 *s = (f32 *)(args[2] + (((N * 12 + 63) >> 6) * 64 + ((N * 48 + 63) >> 6) * 64 + 192));
  f32 *s_1 = (f32 *)(args[2] + (((N * 12 + 63) >> 6) * 64 + ((N * 48 + 63) >> 6) * 64 + N * 64 + 192));
  for (i64 a = 0; a < 3; a++) {
    r_store_masked_f64x4_avx2(&volume_inverse[a * 3], r_div_by_f64x4_avx2(__builtin_convertvector(r_gather_narrow_masked_f32x4_avx2(volume_directions, (i32)((a + 1 >= 3 ? a + 1 - 3 : a + 1) * 3) + (i32x4){} + __builtin_convertvector(r_select_i64x4_avx2((i64x4)((i64x4){0, 1, 2, 3} + 1 >= 3), (i64x4){0, 1, 2, 3} + 1 - 3, (i64x4){0, 1, 2, 3} + 1), i32x4), r_first32_i64x4_avx2(3)), f64x4) * __builtin_convertvector(r_gather_narrow_masked_f32x4_avx2(volume_directions, (i32)((a + 2 >= 3 ? a + 2 - 3 : a + 2) * 3) + (i32x4){} + __builtin_convertvector(r_select_i64x4_avx2((i64x4)((i64x4){0, 1, 2, 3} + 2 >= 3), (i64x4){0, 1, 2, 3} + 2 - 3, (i64x4){0, 1, 2, 3} + 2), i32x4), r_first32_i64x4_avx2(3)), f64x4) - __builtin_convertvector(r_gather_narrow_masked_f32x4_avx2(volume_directions, (i32)((a + 1 >= 3 ? a + 1 - 3 : a + 1) * 3) + (i32x4){} + __builtin_convertvector(r_select_i64x4_avx2((i64x4)((i64x4){0, 1, 2, 3} + 2 >= 3), (i64x4){0, 1, 2, 3} + 2 - 3, (i64x4){0, 1, 2, 3} + 2), i32x4), r_first32_i64x4_avx2(3)), f64x4) * __builtin_convertvector(r_gather_narrow_masked_f32x4_avx2(volume_directions, (i32)((a + 2 >= 3 ? a + 2 - 3 : a + 2) * 3) + (i32x4){} + __builtin_convertvector(r_select_i64x4_avx2((i64x4)((i64x4){0, 1, 2, 3} + 1 >= 3), (i64x4){0, 1, 2, 3} + 1 - 3, (i64x4){0, 1, 2, 3} + 1), i32x4), r_first32_i64x4_avx2(3)), f64x4), (f64)volume_directions[0] * ((f64)volume_directions[4] * (f64)volume_directions[8] - (f64)volume_directions[5] * (f64)volume_directions[7]) + (f64)volume_directions[1] * ((f64)volume_directions[5] * (f64)volume_directions[6] - (f64)volume_directions[3] * (f64)volume_directions[8]) + (f64)volume_directions[2] * ((f64)volume_directions[3] * (f64)volume_directions[7] - (f64)volume_directions[4] * (f64)volume_directions[6])), r_first64_i64x4_avx2(3));
  }
  {
    f64x4 volume_start_acc[3];
    #pragma GCC unroll 3
    for (i64 n = 0; n < 3; n++) {
      volume_start_acc[n] = (f64x4){};
    }
    #pragma GCC unroll 3
    for (i64 a_1 = 0; a_1 < 3; a_1++) {
      volume_start_acc[a_1] = r_select_f64x4_avx2(r_first64_i64x4_avx2(3), volume_start_acc[a_1] + -(r_load_masked_f64x4_avx2(&volume_inverse[a_1 * 3], r_first64_i64x4_avx2(3)) * __builtin_convertvector(r_load_masked_f32x4_avx2(volume_origin, r_first32_i64x4_avx2(3)), f64x4)), volume_start_acc[a_1]);
    }
    #pragma GCC unroll 3
    for (i64 a_2 = 0; a_2 < 3; a_2++) {
      volume_start[a_2] = r_fold_add_f64x4_avx2(volume_start_acc[a_2]);
    }
  }
  {
    const i64 begin = 0, end = r_max_i64_avx2(0, N);
    ricci_F_avx2_body1_context context = {
      .first = begin,
      .p = p,
      .volume_X = volume_X,
      .volume_Y = volume_Y,
      .volume_Z = volume_Z,
      .volume_inverse = volume_inverse,
      .volume_start = volume_start,
      .x = x,
      .w = w
    };
    const i64 count = end - begin, threads = args[1] < count ? args[1] : count;
    #pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static, 1)
    for (i64 part = 0; part < threads; part++) ricci_F_avx2_body1(&context, count * part / threads, count * (part + 1) / threads);
  }
  for (i64 n_1 = 0; n_1 < (r_max_i64_avx2(0, N) >> 5) * 32; n_1 += 32) {
    for (i64 k1 = 0; k1 < 4; k1++) {
      for (i64 n_2 = 0; n_2 < 32; n_2 += 8) {
        f32x8 s_acc[4];
        #pragma GCC unroll 4
        for (i64 n_3 = 0; n_3 < 4; n_3++) {
          s_acc[n_3] = (f32x8){};
        }
        for (i64 k0 = 0; k0 < 4; k0++) {
          #pragma GCC unroll 4
          for (i64 k2 = 0; k2 < 4; k2++) {
            s_acc[k2] = r_strided_f32x8_avx2(&w[k0 + n_1 * 12 + n_2 * 12], 12) * r_gather_f32x8_avx2(volume, k0 + k1 * volume_X + k2 * volume_X * volume_Y - volume_X - volume_X * volume_Y - 1 + r_max_i64x8_avx2(1 + (i64x8){}, r_min_i64x8_avx2(r_widen_int32_i64x8_avx2(r_to_int32_f32x8_avx2(r_floor_f32x8_avx2(r_every_3_f32x8_avx2(&x[n_1 * 3 + n_2 * 3 + 2])))), volume_Z - 3 + (i64x8){})) * (volume_X * volume_Y) + r_max_i64x8_avx2(1 + (i64x8){}, r_min_i64x8_avx2(r_widen_int32_i64x8_avx2(r_to_int32_f32x8_avx2(r_floor_f32x8_avx2(r_every_3_f32x8_avx2(&x[n_1 * 3 + n_2 * 3 + 1])))), volume_Y - 3 + (i64x8){})) * volume_X + r_max_i64x8_avx2(1 + (i64x8){}, r_min_i64x8_avx2(r_widen_int32_i64x8_avx2(r_to_int32_f32x8_avx2(r_floor_f32x8_avx2(r_every_3_f32x8_avx2(&x[n_1 * 3 + n_2 * 3])))), volume_X - 3 + (i64x8){}))) + s_acc[k2];
          }
        }
        #pragma GCC unroll 4
        for (i64 k2_1 = 0; k2_1 < 4; k2_1++) {
          r_scatter_strided_f32x8_avx2(&s[k1 + n_1 * 16 + n_2 * 16 + k2_1 * 4], 16, s_acc[k2_1]);
        }
      }
    }
  }
  for (i64 n_4 = (r_max_i64_avx2(0, N) >> 5) * 32; n_4 < (r_max_i64_avx2(0, N) >> 3) * 8; n_4 += 8) {
    for (i64 k1_1 = 0; k1_1 < 4; k1_1++) {
      f32x8 s_acc_1[4];
      #pragma GCC unroll 4
      for (i64 n_5 = 0; n_5 < 4; n_5++) {
        s_acc_1[n_5] = (f32x8){};
      }
      for (i64 k0_1 = 0; k0_1 < 4; k0_1++) {
        #pragma GCC unroll 4
        for (i64 k2_2 = 0; k2_2 < 4; k2_2++) {
          s_acc_1[k2_2] = r_strided_f32x8_avx2(&w[k0_1 + n_4 * 12], 12) * r_gather_f32x8_avx2(volume, k0_1 + k1_1 * volume_X + k2_2 * volume_X * volume_Y - volume_X - volume_X * volume_Y - 1 + r_max_i64x8_avx2(1 + (i64x8){}, r_min_i64x8_avx2(r_widen_int32_i64x8_avx2(r_to_int32_f32x8_avx2(r_floor_f32x8_avx2(r_every_3_f32x8_avx2(&x[n_4 * 3 + 2])))), volume_Z - 3 + (i64x8){})) * (volume_X * volume_Y) + r_max_i64x8_avx2(1 + (i64x8){}, r_min_i64x8_avx2(r_widen_int32_i64x8_avx2(r_to_int32_f32x8_avx2(r_floor_f32x8_avx2(r_every_3_f32x8_avx2(&x[n_4 * 3 + 1])))), volume_Y - 3 + (i64x8){})) * volume_X + r_max_i64x8_avx2(1 + (i64x8){}, r_min_i64x8_avx2(r_widen_int32_i64x8_avx2(r_to_int32_f32x8_avx2(r_floor_f32x8_avx2(r_every_3_f32x8_avx2(&x[n_4 * 3])))), volume_X - 3 + (i64x8){}))) + s_acc_1[k2_2];
        }
      }
      #pragma GCC unroll 4
      for (i64 k2_3 = 0; k2_3 < 4; k2_3++) {
        r_scatter_strided_f32x8_avx2(&s[k1_1 + n_4 * 16 + k2_3 * 4], 16, s_acc_1[k2_3]);
      }
    }
  }
  if (r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8 > 0) {
    for (i64 k1_2 = 0; k1_2 < 4; k1_2++) {
      if (r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8 > 0) {
        f32x8 s_acc_2[4];
        #pragma GCC unroll 4
        for (i64 n_6 = 0; n_6 < 4; n_6++) {
          s_acc_2[n_6] = (f32x8){};
        }
        for (i64 k0_2 = 0; k0_2 < 4; k0_2++) {
          #pragma GCC unroll 4
          for (i64 k2_4 = 0; k2_4 < 4; k2_4++) {
            if (r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8 > 0) {
              s_acc_2[k2_4] = r_strided_masked_f32x8_avx2(&w[k0_2 + (r_max_i64_avx2(0, N) >> 3) * 96], 12, r_first32_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8)) * r_gather_masked_f32x8_avx2(volume, k0_2 + k1_2 * volume_X + k2_4 * volume_X * volume_Y - volume_X - volume_X * volume_Y - 1 + r_max_i64x8_avx2(1 + (i64x8){}, r_min_i64x8_avx2(r_widen_int32_i64x8_avx2(r_to_int32_f32x8_avx2(r_floor_f32x8_avx2(r_every_3_masked_f32x8_avx2(&x[(r_max_i64_avx2(0, N) >> 3) * 24 + 2], r_first32_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8))))), volume_Z - 3 + (i64x8){})) * (volume_X * volume_Y) + r_max_i64x8_avx2(1 + (i64x8){}, r_min_i64x8_avx2(r_widen_int32_i64x8_avx2(r_to_int32_f32x8_avx2(r_floor_f32x8_avx2(r_every_3_masked_f32x8_avx2(&x[(r_max_i64_avx2(0, N) >> 3) * 24 + 1], r_first32_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8))))), volume_Y - 3 + (i64x8){})) * volume_X + r_max_i64x8_avx2(1 + (i64x8){}, r_min_i64x8_avx2(r_widen_int32_i64x8_avx2(r_to_int32_f32x8_avx2(r_floor_f32x8_avx2(r_every_3_masked_f32x8_avx2(&x[(r_max_i64_avx2(0, N) >> 3) * 24], r_first32_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8))))), volume_X - 3 + (i64x8){})), r_first32_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8)) + s_acc_2[k2_4];
            }
          }
        }
        #pragma GCC unroll 4
        for (i64 k2_5 = 0; k2_5 < 4; k2_5++) {
          if (r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8 > 0) {
            r_scatter_strided_masked_f32x8_avx2(&s[k1_2 + (r_max_i64_avx2(0, N) >> 3) * 128 + k2_5 * 4], 16, s_acc_2[k2_5], r_first32_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8));
          }
        }
      }
    }
  }
  for (i64 n_7 = 0; n_7 < r_max_i64_avx2(0, N); n_7++) {
    f32x4 s_1_acc[1];
    __builtin_prefetch(&s_1[n_7 * 4] + 256, 1);
    s_1_acc[0] = (f32x4){};
    for (i64 k1_3 = 0; k1_3 < 4; k1_3++) {
      s_1_acc[0] = w[k1_3 + n_7 * 12 + 4] * r_every_4_f32x4_avx2(&s[k1_3 + n_7 * 16]) + s_1_acc[0];
    }
    *(f32x4u *)&s_1[n_7 * 4] = s_1_acc[0];
  }
  for (i64 n_8 = 0; n_8 < (r_max_i64_avx2(0, N) >> 3) * 8; n_8 += 8) {
    f32 s_2_block[8] __attribute__((aligned(64)));
    {
      f32x8 s_2_acc[1];
      s_2_acc[0] = (f32x8){};
      for (i64 k2_6 = 0; k2_6 < 4; k2_6++) {
        s_2_acc[0] = r_strided_f32x8_avx2(&w[k2_6 + n_8 * 12 + 8], 12) * r_every_4_f32x8_avx2(&s_1[k2_6 + n_8 * 4]) + s_2_acc[0];
      }
      *(f32x8u *)s_2_block = s_2_acc[0];
    }
    *(f32x8u *)&value[n_8] = *(const f32x8u *)s_2_block;
  }
  if (r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8 > 0) {
    f32 s_2_block_1[8] __attribute__((aligned(64)));
    {
      f32x8 s_2_acc_1[1];
      s_2_acc_1[0] = (f32x8){};
      for (i64 k2_7 = 0; k2_7 < 4; k2_7++) {
        if (r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8 > 0) {
          s_2_acc_1[0] = r_strided_masked_f32x8_avx2(&w[k2_7 + (r_max_i64_avx2(0, N) >> 3) * 96 + 8], 12, r_first32_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8)) * r_every_4_masked_f32x8_avx2(&s_1[k2_7 + (r_max_i64_avx2(0, N) >> 3) * 32], r_first32_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8)) + s_2_acc_1[0];
        }
      }
      if (r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8 > 0) {
        r_store_masked_f32x8_avx2(s_2_block_1, s_2_acc_1[0], r_first32_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8));
      }
    }
    if (r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8 > 0) {
      r_store_masked_f32x8_avx2(&value[(r_max_i64_avx2(0, N) >> 3) * 8], r_load_masked_f32x8_avx2(s_2_block_1, r_first32_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8)), r_first32_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8));
    }
  }
  for (i64 n_9 = 0; n_9 < (r_max_i64_avx2(0, N) >> 3) * 8; n_9 += 8) {
    *(u8x8u *)&inside[n_9] = (u8x8)(__builtin_convertvector(1.0f < r_every_3_f32x8_avx2(&x[n_9 * 3]), i8x8) & __builtin_convertvector(r_every_3_f32x8_avx2(&x[n_9 * 3]) < (f32)(i32)volume_X - 2.0f, i8x8) & __builtin_convertvector(1.0f < r_every_3_f32x8_avx2(&x[n_9 * 3 + 1]), i8x8) & __builtin_convertvector(r_every_3_f32x8_avx2(&x[n_9 * 3 + 1]) < (f32)(i32)volume_Y - 2.0f, i8x8) & __builtin_convertvector(1.0f < r_every_3_f32x8_avx2(&x[n_9 * 3 + 2]), i8x8) & __builtin_convertvector(r_every_3_f32x8_avx2(&x[n_9 * 3 + 2]) < (f32)(i32)volume_Z - 2.0f, i8x8) & 1);
  }
  if (r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8 > 0) {
    if (r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8 > 0) {
      r_store_masked_u8x8_avx2(&inside[(r_max_i64_avx2(0, N) >> 3) * 8], (u8x8)(__builtin_convertvector(1.0f < r_every_3_masked_f32x8_avx2(&x[(r_max_i64_avx2(0, N) >> 3) * 24], r_first32_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8)), i8x8) & __builtin_convertvector(r_every_3_masked_f32x8_avx2(&x[(r_max_i64_avx2(0, N) >> 3) * 24], r_first32_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8)) < (f32)(i32)volume_X - 2.0f, i8x8) & __builtin_convertvector(1.0f < r_every_3_masked_f32x8_avx2(&x[(r_max_i64_avx2(0, N) >> 3) * 24 + 1], r_first32_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8)), i8x8) & __builtin_convertvector(r_every_3_masked_f32x8_avx2(&x[(r_max_i64_avx2(0, N) >> 3) * 24 + 1], r_first32_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8)) < (f32)(i32)volume_Y - 2.0f, i8x8) & __builtin_convertvector(1.0f < r_every_3_masked_f32x8_avx2(&x[(r_max_i64_avx2(0, N) >> 3) * 24 + 2], r_first32_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8)), i8x8) & __builtin_convertvector(r_every_3_masked_f32x8_avx2(&x[(r_max_i64_avx2(0, N) >> 3) * 24 + 2], r_first32_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8)) < (f32)(i32)volume_Z - 2.0f, i8x8) & 1), r_first8_i64x8_avx2(r_max_i64_avx2(0, N) - (r_max_i64_avx2(0, N) >> 3) * 8));
    }
  }
  return 0;
}
#if defined(__clang__)
#pragma clang attribute pop
#if RICCI_FLOOR < 2
#pragma clang attribute pop
#ifdef RICCI__AVX2__
#undef RICCI__AVX2__
#undef __AVX2__
#endif
#ifdef RICCI__FMA__
#undef RICCI__FMA__
#undef __FMA__
#endif
#ifdef RICCI__F16C__
#undef RICCI__F16C__
#undef __F16C__
#endif
#endif
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#endif

#if RICCI_FLOOR <= 3 && 3 <= RICCI_CEILING && defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#endif
#if defined(__clang__)
#pragma clang attribute push(__attribute__((min_vector_width(512))), apply_to = function)
#endif
#if RICCI_FLOOR < 3
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2,f16c,lzcnt,movbe,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl"))), apply_to = function)
#ifndef __AVX2__
#define __AVX2__ 1
#define RICCI__AVX2__
#endif
#ifndef __FMA__
#define __FMA__ 1
#define RICCI__FMA__
#endif
#ifndef __F16C__
#define __F16C__ 1
#define RICCI__F16C__
#endif
#ifndef __AVX512F__
#define __AVX512F__ 1
#define RICCI__AVX512F__
#endif
#ifndef __AVX512CD__
#define __AVX512CD__ 1
#define RICCI__AVX512CD__
#endif
#ifndef __AVX512BW__
#define __AVX512BW__ 1
#define RICCI__AVX512BW__
#endif
#ifndef __AVX512DQ__
#define __AVX512DQ__ 1
#define RICCI__AVX512DQ__
#endif
#ifndef __AVX512VL__
#define __AVX512VL__ 1
#define RICCI__AVX512VL__
#endif
#else
#pragma GCC target("avx2,fma,bmi,bmi2,f16c,lzcnt,movbe,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")
#endif
#endif

/* x / y, correctly rounded */
static inline __attribute__((always_inline)) f64x8 r_div_by_f64x8_avx512(f64x8 x, f64 y) {
#if defined(__AVX512F__) && defined(__AVX512BW__)
  const f64 size = y < 0 ? -y : y, z = 1 / y;
  const _Bool near = size >= 0x1p-60 && size <= 0x1p60;
  const u64x8 least = (123ULL << 53) + (u64x8){};
  const u64x8 normal = (1800ULL << 53) + (u64x8){};
  const u64x8 range = near ? normal : (u64x8){}, bits = (u64x8)x + (u64x8)x;
  const f64x8 ys = y - (f64x8){}, zs = z - (f64x8){}, q = x * zs;
  const u64 all = (1ULL << 8) - 1;
  f64x8 r = x, p = q;
  u64 inside, zero;
  __asm__("vfnmadd231pd %2, %1, %0" : "+v"(r) : "v"(q), "v"(ys));
  __asm__("vfmadd231pd %2, %1, %0" : "+v"(p) : "v"(r), "v"(zs));
  __asm__("vpcmpltuq %2, %1, %0" : "=Yk"(inside) : "v"(bits - least), "v"(range));
  if (__builtin_expect(inside == all, 1)) return p;
  __asm__("vptestnmq %1, %1, %0" : "=Yk"(zero) : "v"(bits));
  if (near && (inside | zero) == all) {
    r = q;
    __asm__("vmovapd %1, %0%{%2%}" : "+v"(r) : "v"(p), "Yk"(inside));
    return r;
  }
#endif
  return x / y;
}

/* x where the mask holds, y elsewhere */
static inline i64x8 r_select_i64x8_avx512(i64x8 m, i64x8 x, i64x8 y) {
  return (i64x8)((m & (i64x8)x) | (~m & (i64x8)y));
}

/* the mask of the first lanes, as many as are left */
static inline i32x8 r_first32_i64x8_avx512(i64 left) {
  return (i32x8){0, 1, 2, 3, 4, 5, 6, 7} < (i32)(left < 0 ? 0 : left > 8 ? 8 : left);
}

/* a bit for each lane that holds */
static inline u64 r_bits_i32x8_avx512(i32x8 x) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(x));
  return k;
#else
  u64 k = 0;
  for (int l = 0; l < 8; l++) k |= (u64)(x[l] != 0) << l;
  return k;
#endif
}

/* p[i] of each lane, and 0 where m is 0 */
static inline f32x8 r_gather_narrow_masked_f32x8_avx512(const f32 *p, i32x8 i, i32x8 m) {
#if defined(__AVX512FP16__)
  return (f32x8)__builtin_ia32_gather3siv8sf((f32x8){}, p, i, (unsigned short)r_bits_i32x8_avx512(m), 4);
#else
  return (f32x8){m[0] ? p[i[0]] : 0, m[1] ? p[i[1]] : 0, m[2] ? p[i[2]] : 0, m[3] ? p[i[3]] : 0, m[4] ? p[i[4]] : 0, m[5] ? p[i[5]] : 0, m[6] ? p[i[6]] : 0, m[7] ? p[i[7]] : 0};
#endif
}

/* the mask of the first lanes, as many as are left */
static inline i64x8 r_first64_i64x8_avx512(i64 left) {
  return __builtin_convertvector(r_first32_i64x8_avx512(left), i64x8);
}

/* writes the lanes where m is not 0 */
static inline __attribute__((always_inline)) void r_store_masked_f64x8_avx512(f64 *p, f64x8 x, i64x8 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovq2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovupd %1, %0%{%2%}" : "+m"(*(f64x8u *)p) : "v"(x), "Yk"(k));
#else
  for (int l = 0; l < 8; l++) if (m[l]) p[l] = x[l];
#endif
}

/* x where the mask holds, y elsewhere */
static inline f64x8 r_select_f64x8_avx512(i64x8 m, f64x8 x, f64x8 y) {
  return (f64x8)((m & (i64x8)x) | (~m & (i64x8)y));
}

/* reads the lanes where m is not 0; the others are 0 */
static inline __attribute__((always_inline)) f64x8 r_load_masked_f64x8_avx512(const f64 *p, i64x8 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  f64x8 r;
  u64 k;
  __asm__("vpmovq2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovupd %2, %0%{%1%}%{z%}" : "=v"(r) : "Yk"(k), "m"(*(const f64x8u *)p));
  return r;
#else
  return (f64x8){m[0] ? p[0] : 0, m[1] ? p[1] : 0, m[2] ? p[2] : 0, m[3] ? p[3] : 0, m[4] ? p[4] : 0, m[5] ? p[5] : 0, m[6] ? p[6] : 0, m[7] ? p[7] : 0};
#endif
}

/* reads the lanes where m is not 0; the others are 0 */
static inline __attribute__((always_inline)) f32x8 r_load_masked_f32x8_avx512(const f32 *p, i32x8 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  f32x8 r;
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovups %2, %0%{%1%}%{z%}" : "=v"(r) : "Yk"(k), "m"(*(const f32x8u *)p));
  return r;
#elif defined(__AVX2__)
  f32x8 r;
  __asm__("vpmaskmovd %2, %1, %0" : "=x"(r) : "x"(m), "m"(*(const f32x8u *)p));
  return r;
#else
  return (f32x8){m[0] ? p[0] : 0, m[1] ? p[1] : 0, m[2] ? p[2] : 0, m[3] ? p[3] : 0, m[4] ? p[4] : 0, m[5] ? p[5] : 0, m[6] ? p[6] : 0, m[7] ? p[7] : 0};
#endif
}

/* the sum of the lanes */
static inline f64 r_fold_add_f64_avx512(f64 x) {
  return x;
}

/* the sum of the lanes */
static inline f64 r_fold_add_f64x2_avx512(f64x2 x) {
  union { f64x2 v; f64 h[2]; } a = {x};
  return r_fold_add_f64_avx512((f64)(a.h[0] + a.h[1]));
}

/* the sum of the lanes */
static inline f64 r_fold_add_f64x4_avx512(f64x4 x) {
  union { f64x4 v; f64x2 h[2]; } a = {x};
  return r_fold_add_f64x2_avx512((f64x2)(a.h[0] + a.h[1]));
}

/* the sum of the lanes */
static inline f64 r_fold_add_f64x8_avx512(f64x8 x) {
  union { f64x8 v; f64x4 h[2]; } a = {x};
  return r_fold_add_f64x4_avx512((f64x4)(a.h[0] + a.h[1]));
}

static inline i64 r_max_i64_avx512(i64 x, i64 y) {
  return y > x ? y : x;
}

/* rounded down, for y > 0 */
static inline i64 r_div_positive_i64_avx512(i64 x, i64 y) {
  return (i64)(x / y - (x % y < 0));
}

/* lanes so many elements apart */
static inline __attribute__((always_inline)) f32x8 r_every_3_f32x8_avx512(const f32 *p) {
  f32x8 x, y;
  __builtin_memcpy(&x, p, sizeof x);
  __builtin_memcpy(&y, p + 8, sizeof y);
  x = r_shuffle(i32x8, x, y, 0, 3, 6, 9, 12, 15, 0, 0);
  __builtin_memcpy(&y, p + 14, sizeof y);
  x = r_shuffle(i32x8, x, y, 0, 1, 2, 3, 4, 5, 12, 15);
  return x;
}

/* stores the lanes of vectors in turns */
static inline __attribute__((always_inline)) void r_interleave_3_f32x8_avx512(f32 *p, f32x8 x0, f32x8 x1, f32x8 x2) {
#if defined(__SSE2__) || defined(__AVX512VL__) && defined(__AVX512BW__) || defined(__ARM_NEON)
  f32x8 x0x1x2_0 = r_shuffle(i32x8, x0, x1, 0, 8, 0, 1, 9, 1, 2, 10);
  x0x1x2_0 = r_shuffle(i32x8, x0x1x2_0, x2, 0, 1, 8, 3, 4, 9, 6, 7);
  f32x8 x0x1x2_1 = r_shuffle(i32x8, x0, x1, 2, 3, 11, 3, 4, 12, 4, 5);
  x0x1x2_1 = r_shuffle(i32x8, x0x1x2_1, x2, 10, 1, 2, 11, 4, 5, 12, 7);
  f32x8 x0x1x2_2 = r_shuffle(i32x8, x0, x1, 13, 5, 6, 14, 6, 7, 15, 7);
  x0x1x2_2 = r_shuffle(i32x8, x0x1x2_2, x2, 0, 13, 2, 3, 14, 5, 6, 15);
  *(f32x8u *)(p) = x0x1x2_0;
  *(f32x8u *)(p + 8) = x0x1x2_1;
  *(f32x8u *)(p + 16) = x0x1x2_2;
#else
  for (int l = 0; l < 8; l++) {
    p[l * 3] = x0[l];
    p[l * 3 + 1] = x1[l];
    p[l * 3 + 2] = x2[l];
  }
#endif
}

/* x where the mask holds, y elsewhere */
static inline f32x8 r_select_f32x8_avx512(i32x8 m, f32x8 x, f32x8 y) {
  return (f32x8)((m & (i32x8)x) | (~m & (i32x8)y));
}

/* x where the mask holds, y elsewhere */
static inline i32x8 r_select_i32x8_avx512(i32x8 m, i32x8 x, i32x8 y) {
  return (i32x8)((m & (i32x8)x) | (~m & (i32x8)y));
}

/* truncated and clamped, 0 for a NaN */
static inline i32x8 r_to_int32_f32x8_avx512(f32x8 x) {
  i32x8 high = x >= (f32)0x1p31, low = x < (f32)-0x1p31, outside = high | low | (x != x);
  i32x8 r = __builtin_convertvector(r_select_f32x8_avx512(outside, (f32x8){}, x), i32x8);
  r = r_select_i32x8_avx512(__builtin_convertvector(low, i32x8), (i32)(i32)0x80000000 + (i32x8){}, r);
  return r_select_i32x8_avx512(__builtin_convertvector(high, i32x8), (i32)0x7fffffff + (i32x8){}, r);
}

static inline f32x8 r_fabs_f32x8_avx512(f32x8 x) {
  return (f32x8)((i32x8)x & ~(i32x8)(-(f32x8){}));
}

static inline f32x8 r_copysign_f32x8_avx512(f32x8 x, f32x8 y) {
  return (f32x8)(((i32x8)x & ~(i32x8)(-(f32x8){})) | ((i32x8)y & (i32x8)(-(f32x8){})));
}

static inline f32x8 r_trunc_f32x8_avx512(f32x8 x) {
#if defined(__AVX__)
  f32x8 r;
  __asm__("vroundps $11, %1, %0" : "=x"(r) : "x"(x));
  return r;
#else
  const f32 whole = 0x1p23f;
  i32x8 small = r_fabs_f32x8_avx512(x) < whole;
  f32x8 t = __builtin_convertvector(__builtin_convertvector(r_select_f32x8_avx512(small, x, (f32x8){}), i32x8), f32x8);
  return r_select_f32x8_avx512(small, r_copysign_f32x8_avx512(t, x), x);
#endif
}

static inline f32x8 r_floor_f32x8_avx512(f32x8 x) {
#if defined(__AVX__)
  f32x8 r;
  __asm__("vroundps $9, %1, %0" : "=x"(r) : "x"(x));
  return r;
#else
  f32x8 t = r_trunc_f32x8_avx512(x);
  return r_copysign_f32x8_avx512(r_select_f32x8_avx512(t > x, t - 1, t), x);
#endif
}

/* each lane in more bits */
static inline __attribute__((always_inline)) i64x8 r_widen_int32_i64x8_avx512(i32x8 x) {
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512BW__)

  i64x8 r;
  __asm__("vpmovsxdq %1, %0" : "=v"(r) : "v"(x));
  return r;
#else
  return __builtin_convertvector(x, i64x8);
#endif
}

static inline i64x8 r_max_i64x8_avx512(i64x8 x, i64x8 y) {
#if !defined(__clang__) && defined(__AVX512F__)
  return (i64x8)__builtin_ia32_pmaxsq512_mask((i64x8)x, (i64x8)y, (i64x8)x, -1);
#elif !defined(__clang__) && defined(__AVX512BW__) && defined(__AVX512VL__)
  i64x8 r;
  __asm__("vpmaxsq %1, %2, %0" : "=v"(r) : "v"(x), "v"(y));
  return r;
#else
  i64x8 m = y > x;
  return (i64x8)((m & (i64x8)y) | (~m & (i64x8)x));
#endif
}

static inline i64x8 r_min_i64x8_avx512(i64x8 x, i64x8 y) {
#if !defined(__clang__) && defined(__AVX512F__)
  return (i64x8)__builtin_ia32_pminsq512_mask((i64x8)x, (i64x8)y, (i64x8)x, -1);
#elif !defined(__clang__) && defined(__AVX512BW__) && defined(__AVX512VL__)
  i64x8 r;
  __asm__("vpminsq %1, %2, %0" : "=v"(r) : "v"(x), "v"(y));
  return r;
#else
  i64x8 m = y < x;
  return (i64x8)((m & (i64x8)y) | (~m & (i64x8)x));
#endif
}

static inline void r_scatter_strided_f32x8_avx512(f32 *p, i64 s, f32x8 x) {
  for (int l = 0; l < 8; l++) p[l * s] = x[l];
}

/* lanes so many elements apart, and 0 where m is 0 */
static inline __attribute__((always_inline)) f32x8 r_every_3_masked_f32x8_avx512(const f32 *p, i32x8 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) || defined(__AVX2__)
  f32x8 x, y;
  x = r_load_masked_f32x8_avx512(p, (i32x8){m[0], 0, 0, m[1], 0, 0, m[2], 0});
  y = r_load_masked_f32x8_avx512(p + 8, (i32x8){0, m[3], 0, 0, m[4], 0, 0, m[5]});
  x = r_shuffle(i32x8, x, y, 0, 3, 6, 9, 12, 15, 0, 0);
  y = r_load_masked_f32x8_avx512(p + 14, (i32x8){0, m[5], 0, 0, m[6], 0, 0, m[7]});
  x = r_shuffle(i32x8, x, y, 0, 1, 2, 3, 4, 5, 12, 15);
  return x;
#else
  return (f32x8){m[0] ? p[0] : 0, m[1] ? p[3] : 0, m[2] ? p[6] : 0, m[3] ? p[9] : 0, m[4] ? p[12] : 0, m[5] ? p[15] : 0, m[6] ? p[18] : 0, m[7] ? p[21] : 0};
#endif
}

/* writes the lanes where m is not 0 */
static inline __attribute__((always_inline)) void r_store_masked_f32x8_avx512(f32 *p, f32x8 x, i32x8 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovups %1, %0%{%2%}" : "+m"(*(f32x8u *)p) : "v"(x), "Yk"(k));
#elif defined(__AVX2__)
  __asm__("vpmaskmovd %1, %2, %0" : "+m"(*(f32x8u *)p) : "x"(x), "x"(m));
#else
  for (int l = 0; l < 8; l++) if (m[l]) p[l] = x[l];
#endif
}

/* writes lanes so many elements apart, where m is not 0 */
static inline __attribute__((always_inline)) void r_store_every_3_masked_f32x8_avx512(f32 *p, f32x8 x, i32x8 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  f32x8 y = x;
  r_store_masked_f32x8_avx512(p, r_shuffle(i32x8, x, y, 0, 0, 0, 1, 1, 1, 2, 2), (i32x8){m[0], 0, 0, m[1], 0, 0, m[2], 0});
  r_store_masked_f32x8_avx512(p + 8, r_shuffle(i32x8, x, y, 2, 3, 3, 3, 4, 4, 4, 5), (i32x8){0, m[3], 0, 0, m[4], 0, 0, m[5]});
  r_store_masked_f32x8_avx512(p + 16, r_shuffle(i32x8, x, y, 5, 5, 6, 6, 6, 7, 7, 7), (i32x8){0, 0, m[6], 0, 0, m[7], 0, 0});
#else
  for (int l = 0; l < 8; l++) if (m[l]) p[l * 3] = x[l];
#endif
}

/* , where m is not 0 */
static inline void r_scatter_strided_masked_f32x8_avx512(f32 *p, i64 s, f32x8 x, i32x8 m) {
  for (int l = 0; l < 8; l++) if (m[l]) p[l * s] = x[l];
}

/* p[i] of each lane */
static inline f32x16 r_gather_narrow_f32x16_avx512(const f32 *p, i32x16 i) {
#if defined(__AVX512FP16__)
  return (f32x16)__builtin_ia32_gathersiv16sf((f32x16){}, p, i, -1, 4);
#else
  return (f32x16){p[i[0]], p[i[1]], p[i[2]], p[i[3]], p[i[4]], p[i[5]], p[i[6]], p[i[7]], p[i[8]], p[i[9]], p[i[10]], p[i[11]], p[i[12]], p[i[13]], p[i[14]], p[i[15]]};
#endif
}

/* lanes s elements apart */
static inline f32x16 r_strided_f32x16_avx512(const f32 *p, i64 s) {
#if defined(__AVX512FP16__)
  if (s > -(1 << 27) && s < 1 << 27) return r_gather_narrow_f32x16_avx512(p, (i32x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} * (i32)s);
#endif
  return (f32x16){p[0], p[s], p[2 * s], p[3 * s], p[4 * s], p[5 * s], p[6 * s], p[7 * s], p[8 * s], p[9 * s], p[10 * s], p[11 * s], p[12 * s], p[13 * s], p[14 * s], p[15 * s]};
}

static inline i64x16 r_max_i64x16_avx512(i64x16 x, i64x16 y) {
  union { i64x16 v; i64x8 h[2]; } a = {x}, b = {y};
  union { i64x16 v; i64x8 h[2]; } r;
  r.h[0] = r_max_i64x8_avx512(a.h[0], b.h[0]);
  r.h[1] = r_max_i64x8_avx512(a.h[1], b.h[1]);
  return r.v;
}

static inline i64x16 r_min_i64x16_avx512(i64x16 x, i64x16 y) {
  union { i64x16 v; i64x8 h[2]; } a = {x}, b = {y};
  union { i64x16 v; i64x8 h[2]; } r;
  r.h[0] = r_min_i64x8_avx512(a.h[0], b.h[0]);
  r.h[1] = r_min_i64x8_avx512(a.h[1], b.h[1]);
  return r.v;
}

/* x where the mask holds, y elsewhere */
static inline f32x16 r_select_f32x16_avx512(i32x16 m, f32x16 x, f32x16 y) {
  return (f32x16)((m & (i32x16)x) | (~m & (i32x16)y));
}

/* x where the mask holds, y elsewhere */
static inline i32x16 r_select_i32x16_avx512(i32x16 m, i32x16 x, i32x16 y) {
  return (i32x16)((m & (i32x16)x) | (~m & (i32x16)y));
}

/* truncated and clamped, 0 for a NaN */
static inline i32x16 r_to_int32_f32x16_avx512(f32x16 x) {
  i32x16 high = x >= (f32)0x1p31, low = x < (f32)-0x1p31, outside = high | low | (x != x);
  i32x16 r = __builtin_convertvector(r_select_f32x16_avx512(outside, (f32x16){}, x), i32x16);
  r = r_select_i32x16_avx512(__builtin_convertvector(low, i32x16), (i32)(i32)0x80000000 + (i32x16){}, r);
  return r_select_i32x16_avx512(__builtin_convertvector(high, i32x16), (i32)0x7fffffff + (i32x16){}, r);
}

/* lanes so many elements apart */
static inline __attribute__((always_inline)) f32x16 r_every_3_f32x16_avx512(const f32 *p) {
  f32x16 x, y;
  __builtin_memcpy(&x, p, sizeof x);
  __builtin_memcpy(&y, p + 16, sizeof y);
  x = r_shuffle(i32x16, x, y, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0);
  __builtin_memcpy(&y, p + 30, sizeof y);
  x = r_shuffle(i32x16, x, y, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 19, 22, 25, 28, 31);
  return x;
}

static inline f32x16 r_fabs_f32x16_avx512(f32x16 x) {
  return (f32x16)((i32x16)x & ~(i32x16)(-(f32x16){}));
}

static inline f32x16 r_copysign_f32x16_avx512(f32x16 x, f32x16 y) {
  return (f32x16)(((i32x16)x & ~(i32x16)(-(f32x16){})) | ((i32x16)y & (i32x16)(-(f32x16){})));
}

static inline f32x16 r_trunc_f32x16_avx512(f32x16 x) {
#if defined(__AVX512F__)
  f32x16 r;
  __asm__("vrndscaleps $11, %1, %0" : "=v"(r) : "v"(x));
  return r;
#else
  const f32 whole = 0x1p23f;
  i32x16 small = r_fabs_f32x16_avx512(x) < whole;
  f32x16 t = __builtin_convertvector(__builtin_convertvector(r_select_f32x16_avx512(small, x, (f32x16){}), i32x16), f32x16);
  return r_select_f32x16_avx512(small, r_copysign_f32x16_avx512(t, x), x);
#endif
}

static inline f32x16 r_floor_f32x16_avx512(f32x16 x) {
#if defined(__AVX512F__)
  f32x16 r;
  __asm__("vrndscaleps $9, %1, %0" : "=v"(r) : "v"(x));
  return r;
#else
  f32x16 t = r_trunc_f32x16_avx512(x);
  return r_copysign_f32x16_avx512(r_select_f32x16_avx512(t > x, t - 1, t), x);
#endif
}

/* each lane in more bits */
static inline __attribute__((always_inline)) i64x16 r_widen_int32_i64x16_avx512(i32x16 x) {
  union { i32x16 v; i32x8 h[2]; } a = {x};
  union { i64x16 v; i64x8 h[2]; } r;
  r.h[0] = r_widen_int32_i64x8_avx512(a.h[0]);
  r.h[1] = r_widen_int32_i64x8_avx512(a.h[1]);
  return r.v;
}

/* p[i] of each lane */
static inline f32x16 r_gather_f32x16_avx512(const f32 *p, i64x16 i) {
  return (f32x16){p[i[0]], p[i[1]], p[i[2]], p[i[3]], p[i[4]], p[i[5]], p[i[6]], p[i[7]], p[i[8]], p[i[9]], p[i[10]], p[i[11]], p[i[12]], p[i[13]], p[i[14]], p[i[15]]};
}

static inline void r_scatter_strided_f32x16_avx512(f32 *p, i64 s, f32x16 x) {
  for (int l = 0; l < 16; l++) p[l * s] = x[l];
}

/* the mask of the first lanes, as many as are left */
static inline i32x16 r_first32_i64x16_avx512(i64 left) {
  return (i32x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} < (i32)(left < 0 ? 0 : left > 16 ? 16 : left);
}

/* a bit for each lane that holds */
static inline u64 r_bits_i32x16_avx512(i32x16 x) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(x));
  return k;
#else
  u64 k = 0;
  for (int l = 0; l < 16; l++) k |= (u64)(x[l] != 0) << l;
  return k;
#endif
}

/* p[i] of each lane, and 0 where m is 0 */
static inline f32x16 r_gather_narrow_masked_f32x16_avx512(const f32 *p, i32x16 i, i32x16 m) {
#if defined(__AVX512FP16__)
  return (f32x16)__builtin_ia32_gathersiv16sf((f32x16){}, p, i, (unsigned short)r_bits_i32x16_avx512(m), 4);
#else
  return (f32x16){m[0] ? p[i[0]] : 0, m[1] ? p[i[1]] : 0, m[2] ? p[i[2]] : 0, m[3] ? p[i[3]] : 0, m[4] ? p[i[4]] : 0, m[5] ? p[i[5]] : 0, m[6] ? p[i[6]] : 0, m[7] ? p[i[7]] : 0, m[8] ? p[i[8]] : 0, m[9] ? p[i[9]] : 0, m[10] ? p[i[10]] : 0, m[11] ? p[i[11]] : 0, m[12] ? p[i[12]] : 0, m[13] ? p[i[13]] : 0, m[14] ? p[i[14]] : 0, m[15] ? p[i[15]] : 0};
#endif
}

/* lanes s elements apart, and 0 where m is 0 */
static inline f32x16 r_strided_masked_f32x16_avx512(const f32 *p, i64 s, i32x16 m) {
#if defined(__AVX512FP16__)
  if (s > -(1 << 27) && s < 1 << 27) return r_gather_narrow_masked_f32x16_avx512(p, (i32x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} * (i32)s, m);
#endif
  return (f32x16){m[0] ? p[0] : 0, m[1] ? p[s] : 0, m[2] ? p[2 * s] : 0, m[3] ? p[3 * s] : 0, m[4] ? p[4 * s] : 0, m[5] ? p[5 * s] : 0, m[6] ? p[6 * s] : 0, m[7] ? p[7 * s] : 0, m[8] ? p[8 * s] : 0, m[9] ? p[9 * s] : 0, m[10] ? p[10 * s] : 0, m[11] ? p[11 * s] : 0, m[12] ? p[12 * s] : 0, m[13] ? p[13 * s] : 0, m[14] ? p[14 * s] : 0, m[15] ? p[15 * s] : 0};
}

/* reads the lanes where m is not 0; the others are 0 */
static inline __attribute__((always_inline)) f32x16 r_load_masked_f32x16_avx512(const f32 *p, i32x16 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  f32x16 r;
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovups %2, %0%{%1%}%{z%}" : "=v"(r) : "Yk"(k), "m"(*(const f32x16u *)p));
  return r;
#else
  return (f32x16){m[0] ? p[0] : 0, m[1] ? p[1] : 0, m[2] ? p[2] : 0, m[3] ? p[3] : 0, m[4] ? p[4] : 0, m[5] ? p[5] : 0, m[6] ? p[6] : 0, m[7] ? p[7] : 0, m[8] ? p[8] : 0, m[9] ? p[9] : 0, m[10] ? p[10] : 0, m[11] ? p[11] : 0, m[12] ? p[12] : 0, m[13] ? p[13] : 0, m[14] ? p[14] : 0, m[15] ? p[15] : 0};
#endif
}

/* lanes so many elements apart, and 0 where m is 0 */
static inline __attribute__((always_inline)) f32x16 r_every_3_masked_f32x16_avx512(const f32 *p, i32x16 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) || defined(__AVX2__)
  f32x16 x, y;
  x = r_load_masked_f32x16_avx512(p, (i32x16){m[0], 0, 0, m[1], 0, 0, m[2], 0, 0, m[3], 0, 0, m[4], 0, 0, m[5]});
  y = r_load_masked_f32x16_avx512(p + 16, (i32x16){0, 0, m[6], 0, 0, m[7], 0, 0, m[8], 0, 0, m[9], 0, 0, m[10], 0});
  x = r_shuffle(i32x16, x, y, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0);
  y = r_load_masked_f32x16_avx512(p + 30, (i32x16){m[10], 0, 0, m[11], 0, 0, m[12], 0, 0, m[13], 0, 0, m[14], 0, 0, m[15]});
  x = r_shuffle(i32x16, x, y, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 19, 22, 25, 28, 31);
  return x;
#else
  return (f32x16){m[0] ? p[0] : 0, m[1] ? p[3] : 0, m[2] ? p[6] : 0, m[3] ? p[9] : 0, m[4] ? p[12] : 0, m[5] ? p[15] : 0, m[6] ? p[18] : 0, m[7] ? p[21] : 0, m[8] ? p[24] : 0, m[9] ? p[27] : 0, m[10] ? p[30] : 0, m[11] ? p[33] : 0, m[12] ? p[36] : 0, m[13] ? p[39] : 0, m[14] ? p[42] : 0, m[15] ? p[45] : 0};
#endif
}

/* p[i] of each lane, and 0 where m is 0 */
static inline f32x16 r_gather_masked_f32x16_avx512(const f32 *p, i64x16 i, i32x16 m) {
  return (f32x16){m[0] ? p[i[0]] : 0, m[1] ? p[i[1]] : 0, m[2] ? p[i[2]] : 0, m[3] ? p[i[3]] : 0, m[4] ? p[i[4]] : 0, m[5] ? p[i[5]] : 0, m[6] ? p[i[6]] : 0, m[7] ? p[i[7]] : 0, m[8] ? p[i[8]] : 0, m[9] ? p[i[9]] : 0, m[10] ? p[i[10]] : 0, m[11] ? p[i[11]] : 0, m[12] ? p[i[12]] : 0, m[13] ? p[i[13]] : 0, m[14] ? p[i[14]] : 0, m[15] ? p[i[15]] : 0};
}

/* , where m is not 0 */
static inline void r_scatter_strided_masked_f32x16_avx512(f32 *p, i64 s, f32x16 x, i32x16 m) {
  for (int l = 0; l < 16; l++) if (m[l]) p[l * s] = x[l];
}

/* columns of s, whose rows lie ss apart, become rows of d, ds apart */
static inline void r_transpose_f32_avx512(f32 *d, i64 ds, const f32 *s, i64 ss, i64 rows, i64 cols) {
  for (i64 c = 0; c < cols; c++)
    for (i64 r = 0; r < rows; r++) d[c * ds + r] = s[r * ss + c];
}

/* the columns of 4 rows of s, which lie ss apart */
static inline __attribute__((always_inline)) void r_square_f32x4_avx512(const f32 *s, i64 ss, f32x4 *a) {
#if defined(__clang__) || __GNUC__ >= 12
#pragma GCC unroll 16
  for (int l = 0; l < 4; l++) a[l] = *(const f32x4u *)(s + l * ss);
#pragma GCC unroll 16
  for (int l = 0; l < 4; l++) if (!(l & 1)) {
    const i32x4 x = (i32x4)a[l], y = (i32x4)a[l + 1];
    a[l] = (f32x4)__builtin_shufflevector(x, y, 0, 4, 1, 5), a[l + 1] = (f32x4)__builtin_shufflevector(x, y, 2, 6, 3, 7);
  }
#pragma GCC unroll 16
  for (int l = 0; l < 4; l++) if (!(l & 2)) {
    const i32x4 x = (i32x4)a[l], y = (i32x4)a[l + 2];
    a[l] = (f32x4)__builtin_shufflevector(x, y, 0, 1, 4, 5), a[l + 2] = (f32x4)__builtin_shufflevector(x, y, 2, 3, 6, 7);
  }
#pragma GCC unroll 16
  for (int l = 0; l < 4; l++) {
    const int k = l / 4 * 4 + ((l & 1) * 2 | (l & 2) / 2);
    if (k > l) {
      const f32x4 x = a[l];
      a[l] = a[k], a[k] = x;
    }
  }
#else
#pragma GCC unroll 16
  for (int l = 0; l < 4; l++) a[l] = *(const f32x4u *)(s + l * ss);
#pragma GCC unroll 16
  for (int l = 0; l < 4; l++) if (!(l & 1)) {
    const f32x4 x = a[l], y = a[l + 1];
    a[l] = r_shuffle(i32x4, x, y, 0, 4, 2, 6);
    a[l + 1] = r_shuffle(i32x4, x, y, 1, 5, 3, 7);
  }
#pragma GCC unroll 16
  for (int l = 0; l < 4; l++) if (!(l & 2)) {
    const f32x4 x = a[l], y = a[l + 2];
    a[l] = r_shuffle(i32x4, x, y, 0, 1, 4, 5);
    a[l + 2] = r_shuffle(i32x4, x, y, 2, 3, 6, 7);
  }
#endif
}

/* columns of s, whose rows lie ss apart, become rows of d, ds apart */
static inline void r_transpose_f32x4_avx512(f32 *d, i64 ds, const f32 *s, i64 ss, i64 rows, i64 cols) {
  if (rows < 4 || cols < 4) {
    r_transpose_f32_avx512(d, ds, s, ss, rows, cols);
    return;
  }
  for (i64 i = 0; i < rows; i += 4) {
    i64 r = i + 4 <= rows ? i : rows - 4;
    for (i64 j = 0; j < cols; j += 4) {
      i64 c = j + 4 <= cols ? j : cols - 4;
      f32x4 a[4];
      const f32 *p = s + r * ss + c;
      f32 *q = d + c * ds + r;
      r_square_f32x4_avx512(p, ss, a);
#pragma GCC unroll 16
      for (int l = 0; l < 4; l++) *(f32x4u *)(q + l * ds) = a[l];
    }
  }
}

/* writes the lanes where m is not 0 */
static inline __attribute__((always_inline)) void r_store_masked_f32x16_avx512(f32 *p, f32x16 x, i32x16 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovups %1, %0%{%2%}" : "+m"(*(f32x16u *)p) : "v"(x), "Yk"(k));
#else
  for (int l = 0; l < 16; l++) if (m[l]) p[l] = x[l];
#endif
}

/* writes lanes so many elements apart, where m is not 0 */
static inline __attribute__((always_inline)) void r_store_every_4_masked_f32x16_avx512(f32 *p, f32x16 x, i32x16 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  f32x16 y = x;
  r_store_masked_f32x16_avx512(p, r_shuffle(i32x16, x, y, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3), (i32x16){m[0], 0, 0, 0, m[1], 0, 0, 0, m[2], 0, 0, 0, m[3], 0, 0, 0});
  r_store_masked_f32x16_avx512(p + 16, r_shuffle(i32x16, x, y, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7), (i32x16){m[4], 0, 0, 0, m[5], 0, 0, 0, m[6], 0, 0, 0, m[7], 0, 0, 0});
  r_store_masked_f32x16_avx512(p + 32, r_shuffle(i32x16, x, y, 8, 8, 8, 8, 9, 9, 9, 9, 10, 10, 10, 10, 11, 11, 11, 11), (i32x16){m[8], 0, 0, 0, m[9], 0, 0, 0, m[10], 0, 0, 0, m[11], 0, 0, 0});
  r_store_masked_f32x16_avx512(p + 48, r_shuffle(i32x16, x, y, 12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 15, 15), (i32x16){m[12], 0, 0, 0, m[13], 0, 0, 0, m[14], 0, 0, 0, m[15], 0, 0, 0});
#else
  for (int l = 0; l < 16; l++) if (m[l]) p[l * 4] = x[l];
#endif
}

/* lanes so many elements apart */
static inline __attribute__((always_inline)) f32x16 r_every_4_f32x16_avx512(const f32 *p) {
  f32x16 x, y;
  __builtin_memcpy(&x, p, sizeof x);
  __builtin_memcpy(&y, p + 16, sizeof y);
  x = r_shuffle(i32x16, x, y, 0, 4, 8, 12, 16, 20, 24, 28, 0, 0, 0, 0, 0, 0, 0, 0);
  __builtin_memcpy(&y, p + 32, sizeof y);
  x = r_shuffle(i32x16, x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 20, 24, 28, 0, 0, 0, 0);
  __builtin_memcpy(&y, p + 45, sizeof y);
  x = r_shuffle(i32x16, x, y, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 19, 23, 27, 31);
  return x;
}

/* lanes so many elements apart, and 0 where m is 0 */
static inline __attribute__((always_inline)) f32x16 r_every_4_masked_f32x16_avx512(const f32 *p, i32x16 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) || defined(__AVX2__)
  f32x16 x, y;
  x = r_load_masked_f32x16_avx512(p, (i32x16){m[0], 0, 0, 0, m[1], 0, 0, 0, m[2], 0, 0, 0, m[3], 0, 0, 0});
  y = r_load_masked_f32x16_avx512(p + 16, (i32x16){m[4], 0, 0, 0, m[5], 0, 0, 0, m[6], 0, 0, 0, m[7], 0, 0, 0});
  x = r_shuffle(i32x16, x, y, 0, 4, 8, 12, 16, 20, 24, 28, 0, 0, 0, 0, 0, 0, 0, 0);
  y = r_load_masked_f32x16_avx512(p + 32, (i32x16){m[8], 0, 0, 0, m[9], 0, 0, 0, m[10], 0, 0, 0, m[11], 0, 0, 0});
  x = r_shuffle(i32x16, x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 20, 24, 28, 0, 0, 0, 0);
  y = r_load_masked_f32x16_avx512(p + 45, (i32x16){0, 0, 0, m[12], 0, 0, 0, m[13], 0, 0, 0, m[14], 0, 0, 0, m[15]});
  x = r_shuffle(i32x16, x, y, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 19, 23, 27, 31);
  return x;
#else
  return (f32x16){m[0] ? p[0] : 0, m[1] ? p[4] : 0, m[2] ? p[8] : 0, m[3] ? p[12] : 0, m[4] ? p[16] : 0, m[5] ? p[20] : 0, m[6] ? p[24] : 0, m[7] ? p[28] : 0, m[8] ? p[32] : 0, m[9] ? p[36] : 0, m[10] ? p[40] : 0, m[11] ? p[44] : 0, m[12] ? p[48] : 0, m[13] ? p[52] : 0, m[14] ? p[56] : 0, m[15] ? p[60] : 0};
#endif
}

/* the mask of the first lanes, as many as are left */
static inline i8x16 r_first8_i64x16_avx512(i64 left) {
  return (i8x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} < (i8)(left < 0 ? 0 : left > 16 ? 16 : left);
}

/* writes the lanes where m is not 0 */
static inline __attribute__((always_inline)) void r_store_masked_u8x16_avx512(u8 *p, u8x16 x, i8x16 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovb2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovdqu8 %1, %0%{%2%}" : "+m"(*(u8x16u *)p) : "v"(x), "Yk"(k));
#else
  for (int l = 0; l < 16; l++) if (m[l]) p[l] = x[l];
#endif
}

/* what iterations over p_1 use */
typedef struct {
  i64 first;
  const f32 *p;
  i64 volume_X;
  i64 volume_Y;
  i64 volume_Z;
  i64 N;
  f64 *volume_inverse;
  f64 *volume_start;
  f32 *x;
  f32 *w;
} ricci_F_avx512_body1_context;

/* the iterations over p_1 from begin to end, of one thread */
static void ricci_F_avx512_body1(void *captured, i64 begin, i64 end) {
  const ricci_F_avx512_body1_context *context = captured;
  const f32 *p = context->p;
  const i64 volume_X = context->volume_X;
  const i64 volume_Y = context->volume_Y;
  const i64 volume_Z = context->volume_Z;
  const i64 N = context->N;
  f64 *volume_inverse = context->volume_inverse;
  f64 *volume_start = context->volume_start;
  f32 *x = context->x;
  f32 *w = context->w;
  for (i64 p_1 = context->first + begin; p_1 < context->first + end; p_1++) {
    if (p_1 < r_div_positive_i64_avx512(r_max_i64_avx512(0, N), 40)) {
      for (i64 n_1 = 0; n_1 < 5; n_1++) {
        const f32x8 shared = r_every_3_f32x8_avx512(&p[n_1 * 24 + p_1 * 120]);
        const f32x8 shared_1 = r_every_3_f32x8_avx512(&p[n_1 * 24 + p_1 * 120 + 1]);
        const f32x8 shared_2 = r_every_3_f32x8_avx512(&p[n_1 * 24 + p_1 * 120 + 2]);
        r_interleave_3_f32x8_avx512(&x[n_1 * 24 + p_1 * 120], shared * (f32)volume_inverse[0] + shared_1 * (f32)volume_inverse[1] + shared_2 * (f32)volume_inverse[2] + (f32)volume_start[0], shared * (f32)volume_inverse[3] + shared_1 * (f32)volume_inverse[4] + shared_2 * (f32)volume_inverse[5] + (f32)volume_start[1], shared * (f32)volume_inverse[6] + shared_1 * (f32)volume_inverse[7] + shared_2 * (f32)volume_inverse[8] + (f32)volume_start[2]);
      }
      for (i64 a_3 = 0; a_3 < 3; a_3++) {
        for (i64 k = 0; k < 4; k++) {
          for (i64 n_4 = 0; n_4 < 5; n_4++) {
            const f32x8 x_1 = r_every_3_f32x8_avx512(&x[a_3 + n_4 * 24 + p_1 * 120]);
            const f32x8 g = r_select_f32x8_avx512(__builtin_convertvector((i64x8)(r_widen_int32_i64x8_avx512(r_to_int32_f32x8_avx512(r_floor_f32x8_avx512(x_1))) == r_max_i64x8_avx512(1 + (i64x8){}, r_min_i64x8_avx512(r_widen_int32_i64x8_avx512(r_to_int32_f32x8_avx512(r_floor_f32x8_avx512(x_1))), (a_3 == 2 ? volume_Z : a_3 == 1 ? volume_Y : volume_X) - 3 + (i64x8){}))), i32x8), x_1 - r_floor_f32x8_avx512(x_1) - 0x1p-01f, __builtin_nanf("") - (f32x8){});
            const f32x8 q = g * g;
            r_scatter_strided_f32x8_avx512(&w[a_3 * 4 + k + n_4 * 96 + p_1 * 480], 12, (k == 0 ? 0x1p-02f : k == 1 ? -0x1p-02f : k == 2 ? -0x1p-02f : 0x1p-02f) * q + (k == 0 ? 0x1.555556p-06f : k == 1 ? 0x1.eaaaaap-02f : k == 2 ? 0x1.eaaaaap-02f : 0x1.555556p-06f) + g * ((k == 0 ? -0x1.555556p-03f : k == 1 ? 0x1p-01f : k == 2 ? -0x1p-01f : 0x1.555556p-03f) * q + (k == 0 ? -0x1p-03f : k == 1 ? -0x1.4p-01f : k == 2 ? 0x1.4p-01f : 0x1p-03f)));
          }
        }
      }
    } else if (p_1 < (r_max_i64_avx512(0, N) >> 3) - r_div_positive_i64_avx512(r_max_i64_avx512(0, N), 40) * 4) {
      const f32x8 shared_3 = r_every_3_f32x8_avx512(&p[r_div_positive_i64_avx512(r_max_i64_avx512(0, N), 40) * 96 + p_1 * 24]);
      const f32x8 shared_4 = r_every_3_f32x8_avx512(&p[r_div_positive_i64_avx512(r_max_i64_avx512(0, N), 40) * 96 + p_1 * 24 + 1]);
      const f32x8 shared_5 = r_every_3_f32x8_avx512(&p[r_div_positive_i64_avx512(r_max_i64_avx512(0, N), 40) * 96 + p_1 * 24 + 2]);
      r_interleave_3_f32x8_avx512(&x[r_div_positive_i64_avx512(r_max_i64_avx512(0, N), 40) * 96 + p_1 * 24], shared_3 * (f32)volume_inverse[0] + shared_4 * (f32)volume_inverse[1] + shared_5 * (f32)volume_inverse[2] + (f32)volume_start[0], shared_3 * (f32)volume_inverse[3] + shared_4 * (f32)volume_inverse[4] + shared_5 * (f32)volume_inverse[5] + (f32)volume_start[1], shared_3 * (f32)volume_inverse[6] + shared_4 * (f32)volume_inverse[7] + shared_5 * (f32)volume_inverse[8] + (f32)volume_start[2]);
      for (i64 a_4 = 0; a_4 < 3; a_4++) {
        for (i64 k_1 = 0; k_1 < 4; k_1++) {
          const f32x8 x_2 = r_every_3_f32x8_avx512(&x[a_4 + r_div_positive_i64_avx512(r_max_i64_avx512(0, N), 40) * 96 + p_1 * 24]);
          const f32x8 g_1 = r_select_f32x8_avx512(__builtin_convertvector((i64x8)(r_widen_int32_i64x8_avx512(r_to_int32_f32x8_avx512(r_floor_f32x8_avx512(x_2))) == r_max_i64x8_avx512(1 + (i64x8){}, r_min_i64x8_avx512(r_widen_int32_i64x8_avx512(r_to_int32_f32x8_avx512(r_floor_f32x8_avx512(x_2))), (a_4 == 2 ? volume_Z : a_4 == 1 ? volume_Y : volume_X) - 3 + (i64x8){}))), i32x8), x_2 - r_floor_f32x8_avx512(x_2) - 0x1p-01f, __builtin_nanf("") - (f32x8){});
          const f32x8 q_1 = g_1 * g_1;
          r_scatter_strided_f32x8_avx512(&w[a_4 * 4 + k_1 + r_div_positive_i64_avx512(r_max_i64_avx512(0, N), 40) * 384 + p_1 * 96], 12, (k_1 == 0 ? 0x1p-02f : k_1 == 1 ? -0x1p-02f : k_1 == 2 ? -0x1p-02f : 0x1p-02f) * q_1 + (k_1 == 0 ? 0x1.555556p-06f : k_1 == 1 ? 0x1.eaaaaap-02f : k_1 == 2 ? 0x1.eaaaaap-02f : 0x1.555556p-06f) + g_1 * ((k_1 == 0 ? -0x1.555556p-03f : k_1 == 1 ? 0x1p-01f : k_1 == 2 ? -0x1p-01f : 0x1.555556p-03f) * q_1 + (k_1 == 0 ? -0x1p-03f : k_1 == 1 ? -0x1.4p-01f : k_1 == 2 ? 0x1.4p-01f : 0x1p-03f)));
        }
      }
    } else {
      if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8 > 0) {
        r_store_every_3_masked_f32x8_avx512(&x[(r_max_i64_avx512(0, N) >> 3) * 24], r_every_3_masked_f32x8_avx512(&p[(r_max_i64_avx512(0, N) >> 3) * 24], r_first32_i64x8_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8)) * (f32)volume_inverse[0] + r_every_3_masked_f32x8_avx512(&p[(r_max_i64_avx512(0, N) >> 3) * 24 + 1], r_first32_i64x8_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8)) * (f32)volume_inverse[1] + r_every_3_masked_f32x8_avx512(&p[(r_max_i64_avx512(0, N) >> 3) * 24 + 2], r_first32_i64x8_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8)) * (f32)volume_inverse[2] + (f32)volume_start[0], r_first32_i64x8_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8));
      }
      if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8 > 0) {
        r_store_every_3_masked_f32x8_avx512(&x[(r_max_i64_avx512(0, N) >> 3) * 24 + 1], r_every_3_masked_f32x8_avx512(&p[(r_max_i64_avx512(0, N) >> 3) * 24], r_first32_i64x8_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8)) * (f32)volume_inverse[3] + r_every_3_masked_f32x8_avx512(&p[(r_max_i64_avx512(0, N) >> 3) * 24 + 1], r_first32_i64x8_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8)) * (f32)volume_inverse[4] + r_every_3_masked_f32x8_avx512(&p[(r_max_i64_avx512(0, N) >> 3) * 24 + 2], r_first32_i64x8_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8)) * (f32)volume_inverse[5] + (f32)volume_start[1], r_first32_i64x8_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8));
      }
      if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8 > 0) {
        r_store_every_3_masked_f32x8_avx512(&x[(r_max_i64_avx512(0, N) >> 3) * 24 + 2], r_every_3_masked_f32x8_avx512(&p[(r_max_i64_avx512(0, N) >> 3) * 24], r_first32_i64x8_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8)) * (f32)volume_inverse[6] + r_every_3_masked_f32x8_avx512(&p[(r_max_i64_avx512(0, N) >> 3) * 24 + 1], r_first32_i64x8_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8)) * (f32)volume_inverse[7] + r_every_3_masked_f32x8_avx512(&p[(r_max_i64_avx512(0, N) >> 3) * 24 + 2], r_first32_i64x8_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8)) * (f32)volume_inverse[8] + (f32)volume_start[2], r_first32_i64x8_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8));
      }
      for (i64 a_5 = 0; a_5 < 3; a_5++) {
        for (i64 k_2 = 0; k_2 < 4; k_2++) {
          if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8 > 0) {
            const f32x8 x_3 = r_every_3_masked_f32x8_avx512(&x[a_5 + (r_max_i64_avx512(0, N) >> 3) * 24], r_first32_i64x8_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8));
            const f32x8 g_2 = r_select_f32x8_avx512(__builtin_convertvector((i64x8)(r_widen_int32_i64x8_avx512(r_to_int32_f32x8_avx512(r_floor_f32x8_avx512(x_3))) == r_max_i64x8_avx512(1 + (i64x8){}, r_min_i64x8_avx512(r_widen_int32_i64x8_avx512(r_to_int32_f32x8_avx512(r_floor_f32x8_avx512(x_3))), (a_5 == 2 ? volume_Z : a_5 == 1 ? volume_Y : volume_X) - 3 + (i64x8){}))), i32x8), x_3 - r_floor_f32x8_avx512(x_3) - 0x1p-01f, __builtin_nanf("") - (f32x8){});
            const f32x8 q_2 = g_2 * g_2;
            r_scatter_strided_masked_f32x8_avx512(&w[a_5 * 4 + k_2 + (r_max_i64_avx512(0, N) >> 3) * 96], 12, (k_2 == 0 ? 0x1p-02f : k_2 == 1 ? -0x1p-02f : k_2 == 2 ? -0x1p-02f : 0x1p-02f) * q_2 + (k_2 == 0 ? 0x1.555556p-06f : k_2 == 1 ? 0x1.eaaaaap-02f : k_2 == 2 ? 0x1.eaaaaap-02f : 0x1.555556p-06f) + g_2 * ((k_2 == 0 ? -0x1.555556p-03f : k_2 == 1 ? 0x1p-01f : k_2 == 2 ? -0x1p-01f : 0x1.555556p-03f) * q_2 + (k_2 == 0 ? -0x1p-03f : k_2 == 1 ? -0x1.4p-01f : k_2 == 2 ? 0x1.4p-01f : 0x1p-03f)), r_first32_i64x8_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 3) * 8));
          }
        }
      }
    }
  }
}

/* args[0] runs iterations on at most args[1] threads, args[2] is memory to work in, args[3] takes a failed check */
static int ricci_F_avx512(const i64 *args) {
  const f32 *volume = (const f32 *)args[4];
  const f32 *volume_directions = (const f32 *)args[5];
  const f32 *volume_origin = (const f32 *)args[6];
  const f32 *p = (const f32 *)args[7];
  f32 *value = (f32 *)args[8];
  u8 *inside = (u8 *)args[9];
  const i64 volume_X = args[10]; /* size volume_X */
  const i64 volume_Y = args[11]; /* size volume_Y */
  const i64 volume_Z = args[12]; /* size volume_Z */
  const i64 N = args[13]; /* size N */
  f64 *volume_inverse = (f64 *)args[2];
  f64 *volume_start = (f64 *)(args[2] + 128);
  f32 *x = (f32 *)(args[2] + 192);
  f32 *w = (f32 *)(args[2] + (((N * 12 + 63) >> 6) * 64 + 192));
  f32 *s = (f32 *)(args[2] + (((N * 12 + 63) >> 6) * 64 + ((N * 48 + 63) >> 6) * 64 + 192));
  f32 *s_1 = (f32 *)(args[2] + (((N * 12 + 63) >> 6) * 64 + ((N * 48 + 63) >> 6) * 64 + N * 64 + 192));
  for (i64 a = 0; a < 3; a++) {
    r_store_masked_f64x8_avx512(&volume_inverse[a * 3], r_div_by_f64x8_avx512(__builtin_convertvector(r_gather_narrow_masked_f32x8_avx512(volume_directions, (i32)((a + 1 >= 3 ? a + 1 - 3 : a + 1) * 3) + (i32x8){} + __builtin_convertvector(r_select_i64x8_avx512((i64x8)((i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 1 >= 3), (i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 1 - 3, (i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 1), i32x8), r_first32_i64x8_avx512(3)), f64x8) * __builtin_convertvector(r_gather_narrow_masked_f32x8_avx512(volume_directions, (i32)((a + 2 >= 3 ? a + 2 - 3 : a + 2) * 3) + (i32x8){} + __builtin_convertvector(r_select_i64x8_avx512((i64x8)((i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 2 >= 3), (i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 2 - 3, (i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 2), i32x8), r_first32_i64x8_avx512(3)), f64x8) - __builtin_convertvector(r_gather_narrow_masked_f32x8_avx512(volume_directions, (i32)((a + 1 >= 3 ? a + 1 - 3 : a + 1) * 3) + (i32x8){} + __builtin_convertvector(r_select_i64x8_avx512((i64x8)((i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 2 >= 3), (i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 2 - 3, (i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 2), i32x8), r_first32_i64x8_avx512(3)), f64x8) * __builtin_convertvector(r_gather_narrow_masked_f32x8_avx512(volume_directions, (i32)((a + 2 >= 3 ? a + 2 - 3 : a + 2) * 3) + (i32x8){} + __builtin_convertvector(r_select_i64x8_avx512((i64x8)((i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 1 >= 3), (i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 1 - 3, (i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 1), i32x8), r_first32_i64x8_avx512(3)), f64x8), (f64)volume_directions[0] * ((f64)volume_directions[4] * (f64)volume_directions[8] - (f64)volume_directions[5] * (f64)volume_directions[7]) + (f64)volume_directions[1] * ((f64)volume_directions[5] * (f64)volume_directions[6] - (f64)volume_directions[3] * (f64)volume_directions[8]) + (f64)volume_directions[2] * ((f64)volume_directions[3] * (f64)volume_directions[7] - (f64)volume_directions[4] * (f64)volume_directions[6])), r_first64_i64x8_avx512(3));
  }
  {
    f64x8 volume_start_acc[3];
    #pragma GCC unroll 3
    for (i64 n = 0; n < 3; n++) {
      volume_start_acc[n] = (f64x8){};
    }
    #pragma GCC unroll 3
    for (i64 a_1 = 0; a_1 < 3; a_1++) {
      volume_start_acc[a_1] = r_select_f64x8_avx512(r_first64_i64x8_avx512(3), volume_start_acc[a_1] + -(r_load_masked_f64x8_avx512(&volume_inverse[a_1 * 3], r_first64_i64x8_avx512(3)) * __builtin_convertvector(r_load_masked_f32x8_avx512(volume_origin, r_first32_i64x8_avx512(3)), f64x8)), volume_start_acc[a_1]);
    }
    #pragma GCC unroll 3
    for (i64 a_2 = 0; a_2 < 3; a_2++) {
      volume_start[a_2] = r_fold_add_f64x8_avx512(volume_start_acc[a_2]);
    }
  }
  {
    const i64 begin = 0, end = ((r_max_i64_avx512(0, N) + 7) >> 3) - r_div_positive_i64_avx512(r_max_i64_avx512(0, N), 40) * 4;
    ricci_F_avx512_body1_context context = {
      .first = begin,
      .p = p,
      .volume_X = volume_X,
      .volume_Y = volume_Y,
      .volume_Z = volume_Z,
      .N = N,
      .volume_inverse = volume_inverse,
      .volume_start = volume_start,
      .x = x,
      .w = w
    };
    const i64 count = end - begin, threads = args[1] < count ? args[1] : count;
    #pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static, 1)
    for (i64 part = 0; part < threads; part++) ricci_F_avx512_body1(&context, count * part / threads, count * (part + 1) / threads);
  }
  for (i64 n_5 = 0; n_5 < (r_max_i64_avx512(0, N) >> 5) * 32; n_5 += 32) {
    for (i64 k1 = 0; k1 < 4; k1++) {
      for (i64 n_6 = 0; n_6 < 32; n_6 += 16) {
        f32x16 s_acc[4];
        #pragma GCC unroll 4
        for (i64 n_7 = 0; n_7 < 4; n_7++) {
          s_acc[n_7] = (f32x16){};
        }
        for (i64 k0 = 0; k0 < 4; k0++) {
          #pragma GCC unroll 4
          for (i64 k2 = 0; k2 < 4; k2++) {
            s_acc[k2] = r_strided_f32x16_avx512(&w[k0 + n_5 * 12 + n_6 * 12], 12) * r_gather_f32x16_avx512(volume, k0 + k1 * volume_X + k2 * volume_X * volume_Y - volume_X - volume_X * volume_Y - 1 + r_max_i64x16_avx512(1 + (i64x16){}, r_min_i64x16_avx512(r_widen_int32_i64x16_avx512(r_to_int32_f32x16_avx512(r_floor_f32x16_avx512(r_every_3_f32x16_avx512(&x[n_5 * 3 + n_6 * 3 + 2])))), volume_Z - 3 + (i64x16){})) * (volume_X * volume_Y) + r_max_i64x16_avx512(1 + (i64x16){}, r_min_i64x16_avx512(r_widen_int32_i64x16_avx512(r_to_int32_f32x16_avx512(r_floor_f32x16_avx512(r_every_3_f32x16_avx512(&x[n_5 * 3 + n_6 * 3 + 1])))), volume_Y - 3 + (i64x16){})) * volume_X + r_max_i64x16_avx512(1 + (i64x16){}, r_min_i64x16_avx512(r_widen_int32_i64x16_avx512(r_to_int32_f32x16_avx512(r_floor_f32x16_avx512(r_every_3_f32x16_avx512(&x[n_5 * 3 + n_6 * 3])))), volume_X - 3 + (i64x16){}))) + s_acc[k2];
          }
        }
        #pragma GCC unroll 4
        for (i64 k2_1 = 0; k2_1 < 4; k2_1++) {
          r_scatter_strided_f32x16_avx512(&s[k1 + n_5 * 16 + n_6 * 16 + k2_1 * 4], 16, s_acc[k2_1]);
        }
      }
    }
  }
  for (i64 n_8 = (r_max_i64_avx512(0, N) >> 5) * 32; n_8 < (r_max_i64_avx512(0, N) >> 4) * 16; n_8 += 16) {
    for (i64 k1_1 = 0; k1_1 < 4; k1_1++) {
      f32x16 s_acc_1[4];
      #pragma GCC unroll 4
      for (i64 n_9 = 0; n_9 < 4; n_9++) {
        s_acc_1[n_9] = (f32x16){};
      }
      for (i64 k0_1 = 0; k0_1 < 4; k0_1++) {
        #pragma GCC unroll 4
        for (i64 k2_2 = 0; k2_2 < 4; k2_2++) {
          s_acc_1[k2_2] = r_strided_f32x16_avx512(&w[k0_1 + n_8 * 12], 12) * r_gather_f32x16_avx512(volume, k0_1 + k1_1 * volume_X + k2_2 * volume_X * volume_Y - volume_X - volume_X * volume_Y - 1 + r_max_i64x16_avx512(1 + (i64x16){}, r_min_i64x16_avx512(r_widen_int32_i64x16_avx512(r_to_int32_f32x16_avx512(r_floor_f32x16_avx512(r_every_3_f32x16_avx512(&x[n_8 * 3 + 2])))), volume_Z - 3 + (i64x16){})) * (volume_X * volume_Y) + r_max_i64x16_avx512(1 + (i64x16){}, r_min_i64x16_avx512(r_widen_int32_i64x16_avx512(r_to_int32_f32x16_avx512(r_floor_f32x16_avx512(r_every_3_f32x16_avx512(&x[n_8 * 3 + 1])))), volume_Y - 3 + (i64x16){})) * volume_X + r_max_i64x16_avx512(1 + (i64x16){}, r_min_i64x16_avx512(r_widen_int32_i64x16_avx512(r_to_int32_f32x16_avx512(r_floor_f32x16_avx512(r_every_3_f32x16_avx512(&x[n_8 * 3])))), volume_X - 3 + (i64x16){}))) + s_acc_1[k2_2];
        }
      }
      #pragma GCC unroll 4
      for (i64 k2_3 = 0; k2_3 < 4; k2_3++) {
        r_scatter_strided_f32x16_avx512(&s[k1_1 + n_8 * 16 + k2_3 * 4], 16, s_acc_1[k2_3]);
      }
    }
  }
  if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16 > 0) {
    for (i64 k1_2 = 0; k1_2 < 4; k1_2++) {
      if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16 > 0) {
        f32x16 s_acc_2[4];
        #pragma GCC unroll 4
        for (i64 n_10 = 0; n_10 < 4; n_10++) {
          s_acc_2[n_10] = (f32x16){};
        }
        for (i64 k0_2 = 0; k0_2 < 4; k0_2++) {
          #pragma GCC unroll 4
          for (i64 k2_4 = 0; k2_4 < 4; k2_4++) {
            if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16 > 0) {
              s_acc_2[k2_4] = r_strided_masked_f32x16_avx512(&w[k0_2 + (r_max_i64_avx512(0, N) >> 4) * 192], 12, r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16)) * r_gather_masked_f32x16_avx512(volume, k0_2 + k1_2 * volume_X + k2_4 * volume_X * volume_Y - volume_X - volume_X * volume_Y - 1 + r_max_i64x16_avx512(1 + (i64x16){}, r_min_i64x16_avx512(r_widen_int32_i64x16_avx512(r_to_int32_f32x16_avx512(r_floor_f32x16_avx512(r_every_3_masked_f32x16_avx512(&x[(r_max_i64_avx512(0, N) >> 4) * 48 + 2], r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16))))), volume_Z - 3 + (i64x16){})) * (volume_X * volume_Y) + r_max_i64x16_avx512(1 + (i64x16){}, r_min_i64x16_avx512(r_widen_int32_i64x16_avx512(r_to_int32_f32x16_avx512(r_floor_f32x16_avx512(r_every_3_masked_f32x16_avx512(&x[(r_max_i64_avx512(0, N) >> 4) * 48 + 1], r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16))))), volume_Y - 3 + (i64x16){})) * volume_X + r_max_i64x16_avx512(1 + (i64x16){}, r_min_i64x16_avx512(r_widen_int32_i64x16_avx512(r_to_int32_f32x16_avx512(r_floor_f32x16_avx512(r_every_3_masked_f32x16_avx512(&x[(r_max_i64_avx512(0, N) >> 4) * 48], r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16))))), volume_X - 3 + (i64x16){})), r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16)) + s_acc_2[k2_4];
            }
          }
        }
        #pragma GCC unroll 4
        for (i64 k2_5 = 0; k2_5 < 4; k2_5++) {
          if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16 > 0) {
            r_scatter_strided_masked_f32x16_avx512(&s[k1_2 + (r_max_i64_avx512(0, N) >> 4) * 256 + k2_5 * 4], 16, s_acc_2[k2_5], r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16));
          }
        }
      }
    }
  }
  for (i64 n_11 = 0; n_11 < (r_max_i64_avx512(0, N) >> 7) * 128; n_11 += 128) {
    for (i64 n_12 = 0; n_12 < 128; n_12 += 16) {
      f32x16 s_1_acc[4];
      #pragma GCC unroll 16
      for (i64 n_14 = 0; n_14 < 16; n_14++) {
        __builtin_prefetch(&s_1[n_11 * 4 + n_12 * 4 + n_14 * 4] + 256, 1);
      }
      #pragma GCC unroll 4
      for (i64 n_13 = 0; n_13 < 4; n_13++) {
        s_1_acc[n_13] = (f32x16){};
      }
      for (i64 k1_3 = 0; k1_3 < 4; k1_3++) {
        #pragma GCC unroll 4
        for (i64 k2_6 = 0; k2_6 < 4; k2_6++) {
          s_1_acc[k2_6] = r_strided_f32x16_avx512(&w[k1_3 + n_11 * 12 + n_12 * 12 + 4], 12) * r_strided_f32x16_avx512(&s[k1_3 + n_11 * 16 + n_12 * 16 + k2_6 * 4], 16) + s_1_acc[k2_6];
        }
      }
      f32 s_1_tile[64] __attribute__((aligned(64)));
      #pragma GCC unroll 4
      for (i64 k2_7 = 0; k2_7 < 4; k2_7++) {
        *(f32x16u *)&s_1_tile[k2_7 * 16] = s_1_acc[k2_7];
      }
      r_transpose_f32x4_avx512(&s_1[n_11 * 4 + n_12 * 4], 4, s_1_tile, 16, 4, 16);
    }
  }
  for (i64 n_15 = (r_max_i64_avx512(0, N) >> 7) * 128; n_15 < (r_max_i64_avx512(0, N) >> 4) * 16; n_15 += 16) {
    f32x16 s_1_acc_1[4];
    #pragma GCC unroll 16
    for (i64 n_17 = 0; n_17 < 16; n_17++) {
      __builtin_prefetch(&s_1[n_15 * 4 + n_17 * 4] + 256, 1);
    }
    #pragma GCC unroll 4
    for (i64 n_16 = 0; n_16 < 4; n_16++) {
      s_1_acc_1[n_16] = (f32x16){};
    }
    for (i64 k1_4 = 0; k1_4 < 4; k1_4++) {
      #pragma GCC unroll 4
      for (i64 k2_8 = 0; k2_8 < 4; k2_8++) {
        s_1_acc_1[k2_8] = r_strided_f32x16_avx512(&w[k1_4 + n_15 * 12 + 4], 12) * r_strided_f32x16_avx512(&s[k1_4 + n_15 * 16 + k2_8 * 4], 16) + s_1_acc_1[k2_8];
      }
    }
    f32 s_1_tile_1[64] __attribute__((aligned(64)));
    #pragma GCC unroll 4
    for (i64 k2_9 = 0; k2_9 < 4; k2_9++) {
      *(f32x16u *)&s_1_tile_1[k2_9 * 16] = s_1_acc_1[k2_9];
    }
    r_transpose_f32x4_avx512(&s_1[n_15 * 4], 4, s_1_tile_1, 16, 4, 16);
  }
  if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16 > 0) {
    if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16 > 0) {
      f32x16 s_1_acc_2[4];
      #pragma GCC unroll 4
      for (i64 n_18 = 0; n_18 < 4; n_18++) {
        s_1_acc_2[n_18] = (f32x16){};
      }
      for (i64 k1_5 = 0; k1_5 < 4; k1_5++) {
        #pragma GCC unroll 4
        for (i64 k2_10 = 0; k2_10 < 4; k2_10++) {
          if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16 > 0) {
            s_1_acc_2[k2_10] = r_strided_masked_f32x16_avx512(&w[k1_5 + (r_max_i64_avx512(0, N) >> 4) * 192 + 4], 12, r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16)) * r_strided_masked_f32x16_avx512(&s[k1_5 + (r_max_i64_avx512(0, N) >> 4) * 256 + k2_10 * 4], 16, r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16)) + s_1_acc_2[k2_10];
          }
        }
      }
      #pragma GCC unroll 4
      for (i64 k2_11 = 0; k2_11 < 4; k2_11++) {
        if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16 > 0) {
          r_store_every_4_masked_f32x16_avx512(&s_1[(r_max_i64_avx512(0, N) >> 4) * 64 + k2_11], s_1_acc_2[k2_11], r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16));
        }
      }
    }
  }
  for (i64 n_19 = 0; n_19 < (r_max_i64_avx512(0, N) >> 4) * 16; n_19 += 16) {
    f32 s_2_block[16] __attribute__((aligned(64)));
    {
      f32x16 s_2_acc[1];
      s_2_acc[0] = (f32x16){};
      for (i64 k2_12 = 0; k2_12 < 4; k2_12++) {
        s_2_acc[0] = r_strided_f32x16_avx512(&w[k2_12 + n_19 * 12 + 8], 12) * r_every_4_f32x16_avx512(&s_1[k2_12 + n_19 * 4]) + s_2_acc[0];
      }
      *(f32x16u *)s_2_block = s_2_acc[0];
    }
    *(f32x16u *)&value[n_19] = *(const f32x16u *)s_2_block;
  }
  if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16 > 0) {
    f32 s_2_block_1[16] __attribute__((aligned(64)));
    {
      f32x16 s_2_acc_1[1];
      s_2_acc_1[0] = (f32x16){};
      for (i64 k2_13 = 0; k2_13 < 4; k2_13++) {
        if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16 > 0) {
          s_2_acc_1[0] = r_strided_masked_f32x16_avx512(&w[k2_13 + (r_max_i64_avx512(0, N) >> 4) * 192 + 8], 12, r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16)) * r_every_4_masked_f32x16_avx512(&s_1[k2_13 + (r_max_i64_avx512(0, N) >> 4) * 64], r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16)) + s_2_acc_1[0];
        }
      }
      if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16 > 0) {
        r_store_masked_f32x16_avx512(s_2_block_1, s_2_acc_1[0], r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16));
      }
    }
    if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16 > 0) {
      r_store_masked_f32x16_avx512(&value[(r_max_i64_avx512(0, N) >> 4) * 16], r_load_masked_f32x16_avx512(s_2_block_1, r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16)), r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16));
    }
  }
  for (i64 n_20 = 0; n_20 < (r_max_i64_avx512(0, N) >> 4) * 16; n_20 += 16) {
    *(u8x16u *)&inside[n_20] = (u8x16)(__builtin_convertvector(1.0f < r_every_3_f32x16_avx512(&x[n_20 * 3]), i8x16) & __builtin_convertvector(r_every_3_f32x16_avx512(&x[n_20 * 3]) < (f32)(i32)volume_X - 2.0f, i8x16) & __builtin_convertvector(1.0f < r_every_3_f32x16_avx512(&x[n_20 * 3 + 1]), i8x16) & __builtin_convertvector(r_every_3_f32x16_avx512(&x[n_20 * 3 + 1]) < (f32)(i32)volume_Y - 2.0f, i8x16) & __builtin_convertvector(1.0f < r_every_3_f32x16_avx512(&x[n_20 * 3 + 2]), i8x16) & __builtin_convertvector(r_every_3_f32x16_avx512(&x[n_20 * 3 + 2]) < (f32)(i32)volume_Z - 2.0f, i8x16) & 1);
  }
  if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16 > 0) {
    if (r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16 > 0) {
      r_store_masked_u8x16_avx512(&inside[(r_max_i64_avx512(0, N) >> 4) * 16], (u8x16)(__builtin_convertvector(1.0f < r_every_3_masked_f32x16_avx512(&x[(r_max_i64_avx512(0, N) >> 4) * 48], r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16)), i8x16) & __builtin_convertvector(r_every_3_masked_f32x16_avx512(&x[(r_max_i64_avx512(0, N) >> 4) * 48], r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16)) < (f32)(i32)volume_X - 2.0f, i8x16) & __builtin_convertvector(1.0f < r_every_3_masked_f32x16_avx512(&x[(r_max_i64_avx512(0, N) >> 4) * 48 + 1], r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16)), i8x16) & __builtin_convertvector(r_every_3_masked_f32x16_avx512(&x[(r_max_i64_avx512(0, N) >> 4) * 48 + 1], r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16)) < (f32)(i32)volume_Y - 2.0f, i8x16) & __builtin_convertvector(1.0f < r_every_3_masked_f32x16_avx512(&x[(r_max_i64_avx512(0, N) >> 4) * 48 + 2], r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16)), i8x16) & __builtin_convertvector(r_every_3_masked_f32x16_avx512(&x[(r_max_i64_avx512(0, N) >> 4) * 48 + 2], r_first32_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16)) < (f32)(i32)volume_Z - 2.0f, i8x16) & 1), r_first8_i64x16_avx512(r_max_i64_avx512(0, N) - (r_max_i64_avx512(0, N) >> 4) * 16));
    }
  }
  return 0;
}
#if defined(__clang__)
#pragma clang attribute pop
#if RICCI_FLOOR < 3
#pragma clang attribute pop
#ifdef RICCI__AVX2__
#undef RICCI__AVX2__
#undef __AVX2__
#endif
#ifdef RICCI__FMA__
#undef RICCI__FMA__
#undef __FMA__
#endif
#ifdef RICCI__F16C__
#undef RICCI__F16C__
#undef __F16C__
#endif
#ifdef RICCI__AVX512F__
#undef RICCI__AVX512F__
#undef __AVX512F__
#endif
#ifdef RICCI__AVX512CD__
#undef RICCI__AVX512CD__
#undef __AVX512CD__
#endif
#ifdef RICCI__AVX512BW__
#undef RICCI__AVX512BW__
#undef __AVX512BW__
#endif
#ifdef RICCI__AVX512DQ__
#undef RICCI__AVX512DQ__
#undef __AVX512DQ__
#endif
#ifdef RICCI__AVX512VL__
#undef RICCI__AVX512VL__
#undef __AVX512VL__
#endif
#endif
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#endif

#if RICCI_FLOOR <= 4 && 4 <= RICCI_CEILING && defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 10) && (defined(__clang__) && __clang_major__ >= 14 || !defined(__clang__) && __GNUC__ >= 12)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#endif
#if defined(__clang__)
#pragma clang attribute push(__attribute__((min_vector_width(512))), apply_to = function)
#endif
#if RICCI_FLOOR < 4
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2,f16c,lzcnt,movbe,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512vnni,avx512bf16,avx512fp16"))), apply_to = function)
#ifndef __AVX2__
#define __AVX2__ 1
#define RICCI__AVX2__
#endif
#ifndef __FMA__
#define __FMA__ 1
#define RICCI__FMA__
#endif
#ifndef __F16C__
#define __F16C__ 1
#define RICCI__F16C__
#endif
#ifndef __AVX512F__
#define __AVX512F__ 1
#define RICCI__AVX512F__
#endif
#ifndef __AVX512CD__
#define __AVX512CD__ 1
#define RICCI__AVX512CD__
#endif
#ifndef __AVX512BW__
#define __AVX512BW__ 1
#define RICCI__AVX512BW__
#endif
#ifndef __AVX512DQ__
#define __AVX512DQ__ 1
#define RICCI__AVX512DQ__
#endif
#ifndef __AVX512VL__
#define __AVX512VL__ 1
#define RICCI__AVX512VL__
#endif
#ifndef __AVX512VNNI__
#define __AVX512VNNI__ 1
#define RICCI__AVX512VNNI__
#endif
#ifndef __AVX512BF16__
#define __AVX512BF16__ 1
#define RICCI__AVX512BF16__
#endif
#ifndef __AVX512FP16__
#define __AVX512FP16__ 1
#define RICCI__AVX512FP16__
#endif
#else
#pragma GCC target("avx2,fma,bmi,bmi2,f16c,lzcnt,movbe,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512vnni,avx512bf16,avx512fp16")
#endif
#endif

/* x / y, correctly rounded */
static inline __attribute__((always_inline)) f64x8 r_div_by_f64x8_avx512fp16(f64x8 x, f64 y) {
#if defined(__AVX512F__) && defined(__AVX512BW__)
  const f64 size = y < 0 ? -y : y, z = 1 / y;
  const _Bool near = size >= 0x1p-60 && size <= 0x1p60;
  const u64x8 least = (123ULL << 53) + (u64x8){};
  const u64x8 normal = (1800ULL << 53) + (u64x8){};
  const u64x8 range = near ? normal : (u64x8){}, bits = (u64x8)x + (u64x8)x;
  const f64x8 ys = y - (f64x8){}, zs = z - (f64x8){}, q = x * zs;
  const u64 all = (1ULL << 8) - 1;
  f64x8 r = x, p = q;
  u64 inside, zero;
  __asm__("vfnmadd231pd %2, %1, %0" : "+v"(r) : "v"(q), "v"(ys));
  __asm__("vfmadd231pd %2, %1, %0" : "+v"(p) : "v"(r), "v"(zs));
  __asm__("vpcmpltuq %2, %1, %0" : "=Yk"(inside) : "v"(bits - least), "v"(range));
  if (__builtin_expect(inside == all, 1)) return p;
  __asm__("vptestnmq %1, %1, %0" : "=Yk"(zero) : "v"(bits));
  if (near && (inside | zero) == all) {
    r = q;
    __asm__("vmovapd %1, %0%{%2%}" : "+v"(r) : "v"(p), "Yk"(inside));
    return r;
  }
#endif
  return x / y;
}

/* x where the mask holds, y elsewhere */
static inline i64x8 r_select_i64x8_avx512fp16(i64x8 m, i64x8 x, i64x8 y) {
  return (i64x8)((m & (i64x8)x) | (~m & (i64x8)y));
}

/* the mask of the first lanes, as many as are left */
static inline i32x8 r_first32_i64x8_avx512fp16(i64 left) {
  return (i32x8){0, 1, 2, 3, 4, 5, 6, 7} < (i32)(left < 0 ? 0 : left > 8 ? 8 : left);
}

/* a bit for each lane that holds */
static inline u64 r_bits_i32x8_avx512fp16(i32x8 x) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(x));
  return k;
#else
  u64 k = 0;
  for (int l = 0; l < 8; l++) k |= (u64)(x[l] != 0) << l;
  return k;
#endif
}

/* p[i] of each lane, and 0 where m is 0 */
static inline f32x8 r_gather_narrow_masked_f32x8_avx512fp16(const f32 *p, i32x8 i, i32x8 m) {
#if defined(__AVX512FP16__)
  return (f32x8)__builtin_ia32_gather3siv8sf((f32x8){}, p, i, (unsigned short)r_bits_i32x8_avx512fp16(m), 4);
#else
  return (f32x8){m[0] ? p[i[0]] : 0, m[1] ? p[i[1]] : 0, m[2] ? p[i[2]] : 0, m[3] ? p[i[3]] : 0, m[4] ? p[i[4]] : 0, m[5] ? p[i[5]] : 0, m[6] ? p[i[6]] : 0, m[7] ? p[i[7]] : 0};
#endif
}

/* the mask of the first lanes, as many as are left */
static inline i64x8 r_first64_i64x8_avx512fp16(i64 left) {
  return __builtin_convertvector(r_first32_i64x8_avx512fp16(left), i64x8);
}

/* writes the lanes where m is not 0 */
static inline __attribute__((always_inline)) void r_store_masked_f64x8_avx512fp16(f64 *p, f64x8 x, i64x8 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovq2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovupd %1, %0%{%2%}" : "+m"(*(f64x8u *)p) : "v"(x), "Yk"(k));
#else
  for (int l = 0; l < 8; l++) if (m[l]) p[l] = x[l];
#endif
}

/* x where the mask holds, y elsewhere */
static inline f64x8 r_select_f64x8_avx512fp16(i64x8 m, f64x8 x, f64x8 y) {
  return (f64x8)((m & (i64x8)x) | (~m & (i64x8)y));
}

/* reads the lanes where m is not 0; the others are 0 */
static inline __attribute__((always_inline)) f64x8 r_load_masked_f64x8_avx512fp16(const f64 *p, i64x8 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  f64x8 r;
  u64 k;
  __asm__("vpmovq2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovupd %2, %0%{%1%}%{z%}" : "=v"(r) : "Yk"(k), "m"(*(const f64x8u *)p));
  return r;
#else
  return (f64x8){m[0] ? p[0] : 0, m[1] ? p[1] : 0, m[2] ? p[2] : 0, m[3] ? p[3] : 0, m[4] ? p[4] : 0, m[5] ? p[5] : 0, m[6] ? p[6] : 0, m[7] ? p[7] : 0};
#endif
}

/* reads the lanes where m is not 0; the others are 0 */
static inline __attribute__((always_inline)) f32x8 r_load_masked_f32x8_avx512fp16(const f32 *p, i32x8 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  f32x8 r;
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovups %2, %0%{%1%}%{z%}" : "=v"(r) : "Yk"(k), "m"(*(const f32x8u *)p));
  return r;
#elif defined(__AVX2__)
  f32x8 r;
  __asm__("vpmaskmovd %2, %1, %0" : "=x"(r) : "x"(m), "m"(*(const f32x8u *)p));
  return r;
#else
  return (f32x8){m[0] ? p[0] : 0, m[1] ? p[1] : 0, m[2] ? p[2] : 0, m[3] ? p[3] : 0, m[4] ? p[4] : 0, m[5] ? p[5] : 0, m[6] ? p[6] : 0, m[7] ? p[7] : 0};
#endif
}

/* the sum of the lanes */
static inline f64 r_fold_add_f64_avx512fp16(f64 x) {
  return x;
}

/* the sum of the lanes */
static inline f64 r_fold_add_f64x2_avx512fp16(f64x2 x) {
  union { f64x2 v; f64 h[2]; } a = {x};
  return r_fold_add_f64_avx512fp16((f64)(a.h[0] + a.h[1]));
}

/* the sum of the lanes */
static inline f64 r_fold_add_f64x4_avx512fp16(f64x4 x) {
  union { f64x4 v; f64x2 h[2]; } a = {x};
  return r_fold_add_f64x2_avx512fp16((f64x2)(a.h[0] + a.h[1]));
}

/* the sum of the lanes */
static inline f64 r_fold_add_f64x8_avx512fp16(f64x8 x) {
  union { f64x8 v; f64x4 h[2]; } a = {x};
  return r_fold_add_f64x4_avx512fp16((f64x4)(a.h[0] + a.h[1]));
}

static inline i64 r_max_i64_avx512fp16(i64 x, i64 y) {
  return y > x ? y : x;
}

/* rounded down, for y > 0 */
static inline i64 r_div_positive_i64_avx512fp16(i64 x, i64 y) {
  return (i64)(x / y - (x % y < 0));
}

/* lanes so many elements apart */
static inline __attribute__((always_inline)) f32x8 r_every_3_f32x8_avx512fp16(const f32 *p) {
  f32x8 x, y;
  __builtin_memcpy(&x, p, sizeof x);
  __builtin_memcpy(&y, p + 8, sizeof y);
  x = r_shuffle(i32x8, x, y, 0, 3, 6, 9, 12, 15, 0, 0);
  __builtin_memcpy(&y, p + 14, sizeof y);
  x = r_shuffle(i32x8, x, y, 0, 1, 2, 3, 4, 5, 12, 15);
  return x;
}

/* stores the lanes of vectors in turns */
static inline __attribute__((always_inline)) void r_interleave_3_f32x8_avx512fp16(f32 *p, f32x8 x0, f32x8 x1, f32x8 x2) {
#if defined(__SSE2__) || defined(__AVX512VL__) && defined(__AVX512BW__) || defined(__ARM_NEON)
  f32x8 x0x1x2_0 = r_shuffle(i32x8, x0, x1, 0, 8, 0, 1, 9, 1, 2, 10);
  x0x1x2_0 = r_shuffle(i32x8, x0x1x2_0, x2, 0, 1, 8, 3, 4, 9, 6, 7);
  f32x8 x0x1x2_1 = r_shuffle(i32x8, x0, x1, 2, 3, 11, 3, 4, 12, 4, 5);
  x0x1x2_1 = r_shuffle(i32x8, x0x1x2_1, x2, 10, 1, 2, 11, 4, 5, 12, 7);
  f32x8 x0x1x2_2 = r_shuffle(i32x8, x0, x1, 13, 5, 6, 14, 6, 7, 15, 7);
  x0x1x2_2 = r_shuffle(i32x8, x0x1x2_2, x2, 0, 13, 2, 3, 14, 5, 6, 15);
  *(f32x8u *)(p) = x0x1x2_0;
  *(f32x8u *)(p + 8) = x0x1x2_1;
  *(f32x8u *)(p + 16) = x0x1x2_2;
#else
  for (int l = 0; l < 8; l++) {
    p[l * 3] = x0[l];
    p[l * 3 + 1] = x1[l];
    p[l * 3 + 2] = x2[l];
  }
#endif
}

/* x where the mask holds, y elsewhere */
static inline f32x8 r_select_f32x8_avx512fp16(i32x8 m, f32x8 x, f32x8 y) {
  return (f32x8)((m & (i32x8)x) | (~m & (i32x8)y));
}

/* x where the mask holds, y elsewhere */
static inline i32x8 r_select_i32x8_avx512fp16(i32x8 m, i32x8 x, i32x8 y) {
  return (i32x8)((m & (i32x8)x) | (~m & (i32x8)y));
}

/* truncated and clamped, 0 for a NaN */
static inline i32x8 r_to_int32_f32x8_avx512fp16(f32x8 x) {
  i32x8 high = x >= (f32)0x1p31, low = x < (f32)-0x1p31, outside = high | low | (x != x);
  i32x8 r = __builtin_convertvector(r_select_f32x8_avx512fp16(outside, (f32x8){}, x), i32x8);
  r = r_select_i32x8_avx512fp16(__builtin_convertvector(low, i32x8), (i32)(i32)0x80000000 + (i32x8){}, r);
  return r_select_i32x8_avx512fp16(__builtin_convertvector(high, i32x8), (i32)0x7fffffff + (i32x8){}, r);
}

static inline f32x8 r_fabs_f32x8_avx512fp16(f32x8 x) {
  return (f32x8)((i32x8)x & ~(i32x8)(-(f32x8){}));
}

static inline f32x8 r_copysign_f32x8_avx512fp16(f32x8 x, f32x8 y) {
  return (f32x8)(((i32x8)x & ~(i32x8)(-(f32x8){})) | ((i32x8)y & (i32x8)(-(f32x8){})));
}

static inline f32x8 r_trunc_f32x8_avx512fp16(f32x8 x) {
#if defined(__AVX__)
  f32x8 r;
  __asm__("vroundps $11, %1, %0" : "=x"(r) : "x"(x));
  return r;
#else
  const f32 whole = 0x1p23f;
  i32x8 small = r_fabs_f32x8_avx512fp16(x) < whole;
  f32x8 t = __builtin_convertvector(__builtin_convertvector(r_select_f32x8_avx512fp16(small, x, (f32x8){}), i32x8), f32x8);
  return r_select_f32x8_avx512fp16(small, r_copysign_f32x8_avx512fp16(t, x), x);
#endif
}

static inline f32x8 r_floor_f32x8_avx512fp16(f32x8 x) {
#if defined(__AVX__)
  f32x8 r;
  __asm__("vroundps $9, %1, %0" : "=x"(r) : "x"(x));
  return r;
#else
  f32x8 t = r_trunc_f32x8_avx512fp16(x);
  return r_copysign_f32x8_avx512fp16(r_select_f32x8_avx512fp16(t > x, t - 1, t), x);
#endif
}

/* each lane in more bits */
static inline __attribute__((always_inline)) i64x8 r_widen_int32_i64x8_avx512fp16(i32x8 x) {
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512BW__)

  i64x8 r;
  __asm__("vpmovsxdq %1, %0" : "=v"(r) : "v"(x));
  return r;
#else
  return __builtin_convertvector(x, i64x8);
#endif
}

static inline i64x8 r_max_i64x8_avx512fp16(i64x8 x, i64x8 y) {
#if !defined(__clang__) && defined(__AVX512F__)
  return (i64x8)__builtin_ia32_pmaxsq512_mask((i64x8)x, (i64x8)y, (i64x8)x, -1);
#elif !defined(__clang__) && defined(__AVX512BW__) && defined(__AVX512VL__)
  i64x8 r;
  __asm__("vpmaxsq %1, %2, %0" : "=v"(r) : "v"(x), "v"(y));
  return r;
#else
  i64x8 m = y > x;
  return (i64x8)((m & (i64x8)y) | (~m & (i64x8)x));
#endif
}

static inline i64x8 r_min_i64x8_avx512fp16(i64x8 x, i64x8 y) {
#if !defined(__clang__) && defined(__AVX512F__)
  return (i64x8)__builtin_ia32_pminsq512_mask((i64x8)x, (i64x8)y, (i64x8)x, -1);
#elif !defined(__clang__) && defined(__AVX512BW__) && defined(__AVX512VL__)
  i64x8 r;
  __asm__("vpminsq %1, %2, %0" : "=v"(r) : "v"(x), "v"(y));
  return r;
#else
  i64x8 m = y < x;
  return (i64x8)((m & (i64x8)y) | (~m & (i64x8)x));
#endif
}

static inline void r_scatter_strided_f32x8_avx512fp16(f32 *p, i64 s, f32x8 x) {
  for (int l = 0; l < 8; l++) p[l * s] = x[l];
}

/* lanes so many elements apart, and 0 where m is 0 */
static inline __attribute__((always_inline)) f32x8 r_every_3_masked_f32x8_avx512fp16(const f32 *p, i32x8 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) || defined(__AVX2__)
  f32x8 x, y;
  x = r_load_masked_f32x8_avx512fp16(p, (i32x8){m[0], 0, 0, m[1], 0, 0, m[2], 0});
  y = r_load_masked_f32x8_avx512fp16(p + 8, (i32x8){0, m[3], 0, 0, m[4], 0, 0, m[5]});
  x = r_shuffle(i32x8, x, y, 0, 3, 6, 9, 12, 15, 0, 0);
  y = r_load_masked_f32x8_avx512fp16(p + 14, (i32x8){0, m[5], 0, 0, m[6], 0, 0, m[7]});
  x = r_shuffle(i32x8, x, y, 0, 1, 2, 3, 4, 5, 12, 15);
  return x;
#else
  return (f32x8){m[0] ? p[0] : 0, m[1] ? p[3] : 0, m[2] ? p[6] : 0, m[3] ? p[9] : 0, m[4] ? p[12] : 0, m[5] ? p[15] : 0, m[6] ? p[18] : 0, m[7] ? p[21] : 0};
#endif
}

/* writes the lanes where m is not 0 */
static inline __attribute__((always_inline)) void r_store_masked_f32x8_avx512fp16(f32 *p, f32x8 x, i32x8 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovups %1, %0%{%2%}" : "+m"(*(f32x8u *)p) : "v"(x), "Yk"(k));
#elif defined(__AVX2__)
  __asm__("vpmaskmovd %1, %2, %0" : "+m"(*(f32x8u *)p) : "x"(x), "x"(m));
#else
  for (int l = 0; l < 8; l++) if (m[l]) p[l] = x[l];
#endif
}

/* writes lanes so many elements apart, where m is not 0 */
static inline __attribute__((always_inline)) void r_store_every_3_masked_f32x8_avx512fp16(f32 *p, f32x8 x, i32x8 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  f32x8 y = x;
  r_store_masked_f32x8_avx512fp16(p, r_shuffle(i32x8, x, y, 0, 0, 0, 1, 1, 1, 2, 2), (i32x8){m[0], 0, 0, m[1], 0, 0, m[2], 0});
  r_store_masked_f32x8_avx512fp16(p + 8, r_shuffle(i32x8, x, y, 2, 3, 3, 3, 4, 4, 4, 5), (i32x8){0, m[3], 0, 0, m[4], 0, 0, m[5]});
  r_store_masked_f32x8_avx512fp16(p + 16, r_shuffle(i32x8, x, y, 5, 5, 6, 6, 6, 7, 7, 7), (i32x8){0, 0, m[6], 0, 0, m[7], 0, 0});
#else
  for (int l = 0; l < 8; l++) if (m[l]) p[l * 3] = x[l];
#endif
}

/* , where m is not 0 */
static inline void r_scatter_strided_masked_f32x8_avx512fp16(f32 *p, i64 s, f32x8 x, i32x8 m) {
  for (int l = 0; l < 8; l++) if (m[l]) p[l * s] = x[l];
}

/* p[i] of each lane */
static inline f32x16 r_gather_narrow_f32x16_avx512fp16(const f32 *p, i32x16 i) {
#if defined(__AVX512FP16__)
  return (f32x16)__builtin_ia32_gathersiv16sf((f32x16){}, p, i, -1, 4);
#else
  return (f32x16){p[i[0]], p[i[1]], p[i[2]], p[i[3]], p[i[4]], p[i[5]], p[i[6]], p[i[7]], p[i[8]], p[i[9]], p[i[10]], p[i[11]], p[i[12]], p[i[13]], p[i[14]], p[i[15]]};
#endif
}

/* lanes s elements apart */
static inline f32x16 r_strided_f32x16_avx512fp16(const f32 *p, i64 s) {
#if defined(__AVX512FP16__)
  if (s > -(1 << 27) && s < 1 << 27) return r_gather_narrow_f32x16_avx512fp16(p, (i32x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} * (i32)s);
#endif
  return (f32x16){p[0], p[s], p[2 * s], p[3 * s], p[4 * s], p[5 * s], p[6 * s], p[7 * s], p[8 * s], p[9 * s], p[10 * s], p[11 * s], p[12 * s], p[13 * s], p[14 * s], p[15 * s]};
}

static inline i64x16 r_max_i64x16_avx512fp16(i64x16 x, i64x16 y) {
  union { i64x16 v; i64x8 h[2]; } a = {x}, b = {y};
  union { i64x16 v; i64x8 h[2]; } r;
  r.h[0] = r_max_i64x8_avx512fp16(a.h[0], b.h[0]);
  r.h[1] = r_max_i64x8_avx512fp16(a.h[1], b.h[1]);
  return r.v;
}

static inline i64x16 r_min_i64x16_avx512fp16(i64x16 x, i64x16 y) {
  union { i64x16 v; i64x8 h[2]; } a = {x}, b = {y};
  union { i64x16 v; i64x8 h[2]; } r;
  r.h[0] = r_min_i64x8_avx512fp16(a.h[0], b.h[0]);
  r.h[1] = r_min_i64x8_avx512fp16(a.h[1], b.h[1]);
  return r.v;
}

/* x where the mask holds, y elsewhere */
static inline f32x16 r_select_f32x16_avx512fp16(i32x16 m, f32x16 x, f32x16 y) {
  return (f32x16)((m & (i32x16)x) | (~m & (i32x16)y));
}

/* x where the mask holds, y elsewhere */
static inline i32x16 r_select_i32x16_avx512fp16(i32x16 m, i32x16 x, i32x16 y) {
  return (i32x16)((m & (i32x16)x) | (~m & (i32x16)y));
}

/* truncated and clamped, 0 for a NaN */
static inline i32x16 r_to_int32_f32x16_avx512fp16(f32x16 x) {
  i32x16 high = x >= (f32)0x1p31, low = x < (f32)-0x1p31, outside = high | low | (x != x);
  i32x16 r = __builtin_convertvector(r_select_f32x16_avx512fp16(outside, (f32x16){}, x), i32x16);
  r = r_select_i32x16_avx512fp16(__builtin_convertvector(low, i32x16), (i32)(i32)0x80000000 + (i32x16){}, r);
  return r_select_i32x16_avx512fp16(__builtin_convertvector(high, i32x16), (i32)0x7fffffff + (i32x16){}, r);
}

/* lanes so many elements apart */
static inline __attribute__((always_inline)) f32x16 r_every_3_f32x16_avx512fp16(const f32 *p) {
  f32x16 x, y;
  __builtin_memcpy(&x, p, sizeof x);
  __builtin_memcpy(&y, p + 16, sizeof y);
  x = r_shuffle(i32x16, x, y, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0);
  __builtin_memcpy(&y, p + 30, sizeof y);
  x = r_shuffle(i32x16, x, y, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 19, 22, 25, 28, 31);
  return x;
}

static inline f32x16 r_fabs_f32x16_avx512fp16(f32x16 x) {
  return (f32x16)((i32x16)x & ~(i32x16)(-(f32x16){}));
}

static inline f32x16 r_copysign_f32x16_avx512fp16(f32x16 x, f32x16 y) {
  return (f32x16)(((i32x16)x & ~(i32x16)(-(f32x16){})) | ((i32x16)y & (i32x16)(-(f32x16){})));
}

static inline f32x16 r_trunc_f32x16_avx512fp16(f32x16 x) {
#if defined(__AVX512F__)
  f32x16 r;
  __asm__("vrndscaleps $11, %1, %0" : "=v"(r) : "v"(x));
  return r;
#else
  const f32 whole = 0x1p23f;
  i32x16 small = r_fabs_f32x16_avx512fp16(x) < whole;
  f32x16 t = __builtin_convertvector(__builtin_convertvector(r_select_f32x16_avx512fp16(small, x, (f32x16){}), i32x16), f32x16);
  return r_select_f32x16_avx512fp16(small, r_copysign_f32x16_avx512fp16(t, x), x);
#endif
}

static inline f32x16 r_floor_f32x16_avx512fp16(f32x16 x) {
#if defined(__AVX512F__)
  f32x16 r;
  __asm__("vrndscaleps $9, %1, %0" : "=v"(r) : "v"(x));
  return r;
#else
  f32x16 t = r_trunc_f32x16_avx512fp16(x);
  return r_copysign_f32x16_avx512fp16(r_select_f32x16_avx512fp16(t > x, t - 1, t), x);
#endif
}

/* each lane in more bits */
static inline __attribute__((always_inline)) i64x16 r_widen_int32_i64x16_avx512fp16(i32x16 x) {
  union { i32x16 v; i32x8 h[2]; } a = {x};
  union { i64x16 v; i64x8 h[2]; } r;
  r.h[0] = r_widen_int32_i64x8_avx512fp16(a.h[0]);
  r.h[1] = r_widen_int32_i64x8_avx512fp16(a.h[1]);
  return r.v;
}

/* p[i] of each lane */
static inline f32x16 r_gather_f32x16_avx512fp16(const f32 *p, i64x16 i) {
  return (f32x16){p[i[0]], p[i[1]], p[i[2]], p[i[3]], p[i[4]], p[i[5]], p[i[6]], p[i[7]], p[i[8]], p[i[9]], p[i[10]], p[i[11]], p[i[12]], p[i[13]], p[i[14]], p[i[15]]};
}

static inline void r_scatter_strided_f32x16_avx512fp16(f32 *p, i64 s, f32x16 x) {
  for (int l = 0; l < 16; l++) p[l * s] = x[l];
}

/* the mask of the first lanes, as many as are left */
static inline i32x16 r_first32_i64x16_avx512fp16(i64 left) {
  return (i32x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} < (i32)(left < 0 ? 0 : left > 16 ? 16 : left);
}

/* a bit for each lane that holds */
static inline u64 r_bits_i32x16_avx512fp16(i32x16 x) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(x));
  return k;
#else
  u64 k = 0;
  for (int l = 0; l < 16; l++) k |= (u64)(x[l] != 0) << l;
  return k;
#endif
}

/* p[i] of each lane, and 0 where m is 0 */
static inline f32x16 r_gather_narrow_masked_f32x16_avx512fp16(const f32 *p, i32x16 i, i32x16 m) {
#if defined(__AVX512FP16__)
  return (f32x16)__builtin_ia32_gathersiv16sf((f32x16){}, p, i, (unsigned short)r_bits_i32x16_avx512fp16(m), 4);
#else
  return (f32x16){m[0] ? p[i[0]] : 0, m[1] ? p[i[1]] : 0, m[2] ? p[i[2]] : 0, m[3] ? p[i[3]] : 0, m[4] ? p[i[4]] : 0, m[5] ? p[i[5]] : 0, m[6] ? p[i[6]] : 0, m[7] ? p[i[7]] : 0, m[8] ? p[i[8]] : 0, m[9] ? p[i[9]] : 0, m[10] ? p[i[10]] : 0, m[11] ? p[i[11]] : 0, m[12] ? p[i[12]] : 0, m[13] ? p[i[13]] : 0, m[14] ? p[i[14]] : 0, m[15] ? p[i[15]] : 0};
#endif
}

/* lanes s elements apart, and 0 where m is 0 */
static inline f32x16 r_strided_masked_f32x16_avx512fp16(const f32 *p, i64 s, i32x16 m) {
#if defined(__AVX512FP16__)
  if (s > -(1 << 27) && s < 1 << 27) return r_gather_narrow_masked_f32x16_avx512fp16(p, (i32x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} * (i32)s, m);
#endif
  return (f32x16){m[0] ? p[0] : 0, m[1] ? p[s] : 0, m[2] ? p[2 * s] : 0, m[3] ? p[3 * s] : 0, m[4] ? p[4 * s] : 0, m[5] ? p[5 * s] : 0, m[6] ? p[6 * s] : 0, m[7] ? p[7 * s] : 0, m[8] ? p[8 * s] : 0, m[9] ? p[9 * s] : 0, m[10] ? p[10 * s] : 0, m[11] ? p[11 * s] : 0, m[12] ? p[12 * s] : 0, m[13] ? p[13 * s] : 0, m[14] ? p[14 * s] : 0, m[15] ? p[15 * s] : 0};
}

/* reads the lanes where m is not 0; the others are 0 */
static inline __attribute__((always_inline)) f32x16 r_load_masked_f32x16_avx512fp16(const f32 *p, i32x16 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  f32x16 r;
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovups %2, %0%{%1%}%{z%}" : "=v"(r) : "Yk"(k), "m"(*(const f32x16u *)p));
  return r;
#else
  return (f32x16){m[0] ? p[0] : 0, m[1] ? p[1] : 0, m[2] ? p[2] : 0, m[3] ? p[3] : 0, m[4] ? p[4] : 0, m[5] ? p[5] : 0, m[6] ? p[6] : 0, m[7] ? p[7] : 0, m[8] ? p[8] : 0, m[9] ? p[9] : 0, m[10] ? p[10] : 0, m[11] ? p[11] : 0, m[12] ? p[12] : 0, m[13] ? p[13] : 0, m[14] ? p[14] : 0, m[15] ? p[15] : 0};
#endif
}

/* lanes so many elements apart, and 0 where m is 0 */
static inline __attribute__((always_inline)) f32x16 r_every_3_masked_f32x16_avx512fp16(const f32 *p, i32x16 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) || defined(__AVX2__)
  f32x16 x, y;
  x = r_load_masked_f32x16_avx512fp16(p, (i32x16){m[0], 0, 0, m[1], 0, 0, m[2], 0, 0, m[3], 0, 0, m[4], 0, 0, m[5]});
  y = r_load_masked_f32x16_avx512fp16(p + 16, (i32x16){0, 0, m[6], 0, 0, m[7], 0, 0, m[8], 0, 0, m[9], 0, 0, m[10], 0});
  x = r_shuffle(i32x16, x, y, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0);
  y = r_load_masked_f32x16_avx512fp16(p + 30, (i32x16){m[10], 0, 0, m[11], 0, 0, m[12], 0, 0, m[13], 0, 0, m[14], 0, 0, m[15]});
  x = r_shuffle(i32x16, x, y, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 19, 22, 25, 28, 31);
  return x;
#else
  return (f32x16){m[0] ? p[0] : 0, m[1] ? p[3] : 0, m[2] ? p[6] : 0, m[3] ? p[9] : 0, m[4] ? p[12] : 0, m[5] ? p[15] : 0, m[6] ? p[18] : 0, m[7] ? p[21] : 0, m[8] ? p[24] : 0, m[9] ? p[27] : 0, m[10] ? p[30] : 0, m[11] ? p[33] : 0, m[12] ? p[36] : 0, m[13] ? p[39] : 0, m[14] ? p[42] : 0, m[15] ? p[45] : 0};
#endif
}

/* p[i] of each lane, and 0 where m is 0 */
static inline f32x16 r_gather_masked_f32x16_avx512fp16(const f32 *p, i64x16 i, i32x16 m) {
  return (f32x16){m[0] ? p[i[0]] : 0, m[1] ? p[i[1]] : 0, m[2] ? p[i[2]] : 0, m[3] ? p[i[3]] : 0, m[4] ? p[i[4]] : 0, m[5] ? p[i[5]] : 0, m[6] ? p[i[6]] : 0, m[7] ? p[i[7]] : 0, m[8] ? p[i[8]] : 0, m[9] ? p[i[9]] : 0, m[10] ? p[i[10]] : 0, m[11] ? p[i[11]] : 0, m[12] ? p[i[12]] : 0, m[13] ? p[i[13]] : 0, m[14] ? p[i[14]] : 0, m[15] ? p[i[15]] : 0};
}

/* , where m is not 0 */
static inline void r_scatter_strided_masked_f32x16_avx512fp16(f32 *p, i64 s, f32x16 x, i32x16 m) {
  for (int l = 0; l < 16; l++) if (m[l]) p[l * s] = x[l];
}

/* columns of s, whose rows lie ss apart, become rows of d, ds apart */
static inline void r_transpose_f32_avx512fp16(f32 *d, i64 ds, const f32 *s, i64 ss, i64 rows, i64 cols) {
  for (i64 c = 0; c < cols; c++)
    for (i64 r = 0; r < rows; r++) d[c * ds + r] = s[r * ss + c];
}

/* the columns of 4 rows of s, which lie ss apart */
static inline __attribute__((always_inline)) void r_square_f32x4_avx512fp16(const f32 *s, i64 ss, f32x4 *a) {
#if defined(__clang__) || __GNUC__ >= 12
#pragma GCC unroll 16
  for (int l = 0; l < 4; l++) a[l] = *(const f32x4u *)(s + l * ss);
#pragma GCC unroll 16
  for (int l = 0; l < 4; l++) if (!(l & 1)) {
    const i32x4 x = (i32x4)a[l], y = (i32x4)a[l + 1];
    a[l] = (f32x4)__builtin_shufflevector(x, y, 0, 4, 1, 5), a[l + 1] = (f32x4)__builtin_shufflevector(x, y, 2, 6, 3, 7);
  }
#pragma GCC unroll 16
  for (int l = 0; l < 4; l++) if (!(l & 2)) {
    const i32x4 x = (i32x4)a[l], y = (i32x4)a[l + 2];
    a[l] = (f32x4)__builtin_shufflevector(x, y, 0, 1, 4, 5), a[l + 2] = (f32x4)__builtin_shufflevector(x, y, 2, 3, 6, 7);
  }
#pragma GCC unroll 16
  for (int l = 0; l < 4; l++) {
    const int k = l / 4 * 4 + ((l & 1) * 2 | (l & 2) / 2);
    if (k > l) {
      const f32x4 x = a[l];
      a[l] = a[k], a[k] = x;
    }
  }
#else
#pragma GCC unroll 16
  for (int l = 0; l < 4; l++) a[l] = *(const f32x4u *)(s + l * ss);
#pragma GCC unroll 16
  for (int l = 0; l < 4; l++) if (!(l & 1)) {
    const f32x4 x = a[l], y = a[l + 1];
    a[l] = r_shuffle(i32x4, x, y, 0, 4, 2, 6);
    a[l + 1] = r_shuffle(i32x4, x, y, 1, 5, 3, 7);
  }
#pragma GCC unroll 16
  for (int l = 0; l < 4; l++) if (!(l & 2)) {
    const f32x4 x = a[l], y = a[l + 2];
    a[l] = r_shuffle(i32x4, x, y, 0, 1, 4, 5);
    a[l + 2] = r_shuffle(i32x4, x, y, 2, 3, 6, 7);
  }
#endif
}

/* columns of s, whose rows lie ss apart, become rows of d, ds apart */
static inline void r_transpose_f32x4_avx512fp16(f32 *d, i64 ds, const f32 *s, i64 ss, i64 rows, i64 cols) {
  if (rows < 4 || cols < 4) {
    r_transpose_f32_avx512fp16(d, ds, s, ss, rows, cols);
    return;
  }
  for (i64 i = 0; i < rows; i += 4) {
    i64 r = i + 4 <= rows ? i : rows - 4;
    for (i64 j = 0; j < cols; j += 4) {
      i64 c = j + 4 <= cols ? j : cols - 4;
      f32x4 a[4];
      const f32 *p = s + r * ss + c;
      f32 *q = d + c * ds + r;
      r_square_f32x4_avx512fp16(p, ss, a);
#pragma GCC unroll 16
      for (int l = 0; l < 4; l++) *(f32x4u *)(q + l * ds) = a[l];
    }
  }
}

/* writes the lanes where m is not 0 */
static inline __attribute__((always_inline)) void r_store_masked_f32x16_avx512fp16(f32 *p, f32x16 x, i32x16 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovups %1, %0%{%2%}" : "+m"(*(f32x16u *)p) : "v"(x), "Yk"(k));
#else
  for (int l = 0; l < 16; l++) if (m[l]) p[l] = x[l];
#endif
}

/* writes lanes so many elements apart, where m is not 0 */
static inline __attribute__((always_inline)) void r_store_every_4_masked_f32x16_avx512fp16(f32 *p, f32x16 x, i32x16 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  f32x16 y = x;
  r_store_masked_f32x16_avx512fp16(p, r_shuffle(i32x16, x, y, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3), (i32x16){m[0], 0, 0, 0, m[1], 0, 0, 0, m[2], 0, 0, 0, m[3], 0, 0, 0});
  r_store_masked_f32x16_avx512fp16(p + 16, r_shuffle(i32x16, x, y, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7), (i32x16){m[4], 0, 0, 0, m[5], 0, 0, 0, m[6], 0, 0, 0, m[7], 0, 0, 0});
  r_store_masked_f32x16_avx512fp16(p + 32, r_shuffle(i32x16, x, y, 8, 8, 8, 8, 9, 9, 9, 9, 10, 10, 10, 10, 11, 11, 11, 11), (i32x16){m[8], 0, 0, 0, m[9], 0, 0, 0, m[10], 0, 0, 0, m[11], 0, 0, 0});
  r_store_masked_f32x16_avx512fp16(p + 48, r_shuffle(i32x16, x, y, 12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 15, 15), (i32x16){m[12], 0, 0, 0, m[13], 0, 0, 0, m[14], 0, 0, 0, m[15], 0, 0, 0});
#else
  for (int l = 0; l < 16; l++) if (m[l]) p[l * 4] = x[l];
#endif
}

/* lanes so many elements apart */
static inline __attribute__((always_inline)) f32x16 r_every_4_f32x16_avx512fp16(const f32 *p) {
  f32x16 x, y;
  __builtin_memcpy(&x, p, sizeof x);
  __builtin_memcpy(&y, p + 16, sizeof y);
  x = r_shuffle(i32x16, x, y, 0, 4, 8, 12, 16, 20, 24, 28, 0, 0, 0, 0, 0, 0, 0, 0);
  __builtin_memcpy(&y, p + 32, sizeof y);
  x = r_shuffle(i32x16, x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 20, 24, 28, 0, 0, 0, 0);
  __builtin_memcpy(&y, p + 45, sizeof y);
  x = r_shuffle(i32x16, x, y, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 19, 23, 27, 31);
  return x;
}

/* lanes so many elements apart, and 0 where m is 0 */
static inline __attribute__((always_inline)) f32x16 r_every_4_masked_f32x16_avx512fp16(const f32 *p, i32x16 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) || defined(__AVX2__)
  f32x16 x, y;
  x = r_load_masked_f32x16_avx512fp16(p, (i32x16){m[0], 0, 0, 0, m[1], 0, 0, 0, m[2], 0, 0, 0, m[3], 0, 0, 0});
  y = r_load_masked_f32x16_avx512fp16(p + 16, (i32x16){m[4], 0, 0, 0, m[5], 0, 0, 0, m[6], 0, 0, 0, m[7], 0, 0, 0});
  x = r_shuffle(i32x16, x, y, 0, 4, 8, 12, 16, 20, 24, 28, 0, 0, 0, 0, 0, 0, 0, 0);
  y = r_load_masked_f32x16_avx512fp16(p + 32, (i32x16){m[8], 0, 0, 0, m[9], 0, 0, 0, m[10], 0, 0, 0, m[11], 0, 0, 0});
  x = r_shuffle(i32x16, x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 20, 24, 28, 0, 0, 0, 0);
  y = r_load_masked_f32x16_avx512fp16(p + 45, (i32x16){0, 0, 0, m[12], 0, 0, 0, m[13], 0, 0, 0, m[14], 0, 0, 0, m[15]});
  x = r_shuffle(i32x16, x, y, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 19, 23, 27, 31);
  return x;
#else
  return (f32x16){m[0] ? p[0] : 0, m[1] ? p[4] : 0, m[2] ? p[8] : 0, m[3] ? p[12] : 0, m[4] ? p[16] : 0, m[5] ? p[20] : 0, m[6] ? p[24] : 0, m[7] ? p[28] : 0, m[8] ? p[32] : 0, m[9] ? p[36] : 0, m[10] ? p[40] : 0, m[11] ? p[44] : 0, m[12] ? p[48] : 0, m[13] ? p[52] : 0, m[14] ? p[56] : 0, m[15] ? p[60] : 0};
#endif
}

/* the mask of the first lanes, as many as are left */
static inline i8x16 r_first8_i64x16_avx512fp16(i64 left) {
  return (i8x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} < (i8)(left < 0 ? 0 : left > 16 ? 16 : left);
}

/* writes the lanes where m is not 0 */
static inline __attribute__((always_inline)) void r_store_masked_u8x16_avx512fp16(u8 *p, u8x16 x, i8x16 m) {
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  u64 k;
  __asm__("vpmovb2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovdqu8 %1, %0%{%2%}" : "+m"(*(u8x16u *)p) : "v"(x), "Yk"(k));
#else
  for (int l = 0; l < 16; l++) if (m[l]) p[l] = x[l];
#endif
}

/* what iterations over p_1 use */
typedef struct {
  i64 first;
  const f32 *p;
  i64 volume_X;
  i64 volume_Y;
  i64 volume_Z;
  i64 N;
  f64 *volume_inverse;
  f64 *volume_start;
  f32 *x;
  f32 *w;
} ricci_F_avx512fp16_body1_context;

/* the iterations over p_1 from begin to end, of one thread */
static void ricci_F_avx512fp16_body1(void *captured, i64 begin, i64 end) {
  const ricci_F_avx512fp16_body1_context *context = captured;
  const f32 *p = context->p;
  const i64 volume_X = context->volume_X;
  const i64 volume_Y = context->volume_Y;
  const i64 volume_Z = context->volume_Z;
  const i64 N = context->N;
  f64 *volume_inverse = context->volume_inverse;
  f64 *volume_start = context->volume_start;
  f32 *x = context->x;
  f32 *w = context->w;
  for (i64 p_1 = context->first + begin; p_1 < context->first + end; p_1++) {
    if (p_1 < r_div_positive_i64_avx512fp16(r_max_i64_avx512fp16(0, N), 40)) {
      for (i64 n_1 = 0; n_1 < 5; n_1++) {
        const f32x8 shared = r_every_3_f32x8_avx512fp16(&p[n_1 * 24 + p_1 * 120]);
        const f32x8 shared_1 = r_every_3_f32x8_avx512fp16(&p[n_1 * 24 + p_1 * 120 + 1]);
        const f32x8 shared_2 = r_every_3_f32x8_avx512fp16(&p[n_1 * 24 + p_1 * 120 + 2]);
        r_interleave_3_f32x8_avx512fp16(&x[n_1 * 24 + p_1 * 120], shared * (f32)volume_inverse[0] + shared_1 * (f32)volume_inverse[1] + shared_2 * (f32)volume_inverse[2] + (f32)volume_start[0], shared * (f32)volume_inverse[3] + shared_1 * (f32)volume_inverse[4] + shared_2 * (f32)volume_inverse[5] + (f32)volume_start[1], shared * (f32)volume_inverse[6] + shared_1 * (f32)volume_inverse[7] + shared_2 * (f32)volume_inverse[8] + (f32)volume_start[2]);
      }
      for (i64 a_3 = 0; a_3 < 3; a_3++) {
        for (i64 k = 0; k < 4; k++) {
          for (i64 n_4 = 0; n_4 < 5; n_4++) {
            const f32x8 x_1 = r_every_3_f32x8_avx512fp16(&x[a_3 + n_4 * 24 + p_1 * 120]);
            const f32x8 g = r_select_f32x8_avx512fp16(__builtin_convertvector((i64x8)(r_widen_int32_i64x8_avx512fp16(r_to_int32_f32x8_avx512fp16(r_floor_f32x8_avx512fp16(x_1))) == r_max_i64x8_avx512fp16(1 + (i64x8){}, r_min_i64x8_avx512fp16(r_widen_int32_i64x8_avx512fp16(r_to_int32_f32x8_avx512fp16(r_floor_f32x8_avx512fp16(x_1))), (a_3 == 2 ? volume_Z : a_3 == 1 ? volume_Y : volume_X) - 3 + (i64x8){}))), i32x8), x_1 - r_floor_f32x8_avx512fp16(x_1) - 0x1p-01f, __builtin_nanf("") - (f32x8){});
            const f32x8 q = g * g;
            r_scatter_strided_f32x8_avx512fp16(&w[a_3 * 4 + k + n_4 * 96 + p_1 * 480], 12, (k == 0 ? 0x1p-02f : k == 1 ? -0x1p-02f : k == 2 ? -0x1p-02f : 0x1p-02f) * q + (k == 0 ? 0x1.555556p-06f : k == 1 ? 0x1.eaaaaap-02f : k == 2 ? 0x1.eaaaaap-02f : 0x1.555556p-06f) + g * ((k == 0 ? -0x1.555556p-03f : k == 1 ? 0x1p-01f : k == 2 ? -0x1p-01f : 0x1.555556p-03f) * q + (k == 0 ? -0x1p-03f : k == 1 ? -0x1.4p-01f : k == 2 ? 0x1.4p-01f : 0x1p-03f)));
          }
        }
      }
    } else if (p_1 < (r_max_i64_avx512fp16(0, N) >> 3) - r_div_positive_i64_avx512fp16(r_max_i64_avx512fp16(0, N), 40) * 4) {
      const f32x8 shared_3 = r_every_3_f32x8_avx512fp16(&p[r_div_positive_i64_avx512fp16(r_max_i64_avx512fp16(0, N), 40) * 96 + p_1 * 24]);
      const f32x8 shared_4 = r_every_3_f32x8_avx512fp16(&p[r_div_positive_i64_avx512fp16(r_max_i64_avx512fp16(0, N), 40) * 96 + p_1 * 24 + 1]);
      const f32x8 shared_5 = r_every_3_f32x8_avx512fp16(&p[r_div_positive_i64_avx512fp16(r_max_i64_avx512fp16(0, N), 40) * 96 + p_1 * 24 + 2]);
      r_interleave_3_f32x8_avx512fp16(&x[r_div_positive_i64_avx512fp16(r_max_i64_avx512fp16(0, N), 40) * 96 + p_1 * 24], shared_3 * (f32)volume_inverse[0] + shared_4 * (f32)volume_inverse[1] + shared_5 * (f32)volume_inverse[2] + (f32)volume_start[0], shared_3 * (f32)volume_inverse[3] + shared_4 * (f32)volume_inverse[4] + shared_5 * (f32)volume_inverse[5] + (f32)volume_start[1], shared_3 * (f32)volume_inverse[6] + shared_4 * (f32)volume_inverse[7] + shared_5 * (f32)volume_inverse[8] + (f32)volume_start[2]);
      for (i64 a_4 = 0; a_4 < 3; a_4++) {
        for (i64 k_1 = 0; k_1 < 4; k_1++) {
          const f32x8 x_2 = r_every_3_f32x8_avx512fp16(&x[a_4 + r_div_positive_i64_avx512fp16(r_max_i64_avx512fp16(0, N), 40) * 96 + p_1 * 24]);
          const f32x8 g_1 = r_select_f32x8_avx512fp16(__builtin_convertvector((i64x8)(r_widen_int32_i64x8_avx512fp16(r_to_int32_f32x8_avx512fp16(r_floor_f32x8_avx512fp16(x_2))) == r_max_i64x8_avx512fp16(1 + (i64x8){}, r_min_i64x8_avx512fp16(r_widen_int32_i64x8_avx512fp16(r_to_int32_f32x8_avx512fp16(r_floor_f32x8_avx512fp16(x_2))), (a_4 == 2 ? volume_Z : a_4 == 1 ? volume_Y : volume_X) - 3 + (i64x8){}))), i32x8), x_2 - r_floor_f32x8_avx512fp16(x_2) - 0x1p-01f, __builtin_nanf("") - (f32x8){});
          const f32x8 q_1 = g_1 * g_1;
          r_scatter_strided_f32x8_avx512fp16(&w[a_4 * 4 + k_1 + r_div_positive_i64_avx512fp16(r_max_i64_avx512fp16(0, N), 40) * 384 + p_1 * 96], 12, (k_1 == 0 ? 0x1p-02f : k_1 == 1 ? -0x1p-02f : k_1 == 2 ? -0x1p-02f : 0x1p-02f) * q_1 + (k_1 == 0 ? 0x1.555556p-06f : k_1 == 1 ? 0x1.eaaaaap-02f : k_1 == 2 ? 0x1.eaaaaap-02f : 0x1.555556p-06f) + g_1 * ((k_1 == 0 ? -0x1.555556p-03f : k_1 == 1 ? 0x1p-01f : k_1 == 2 ? -0x1p-01f : 0x1.555556p-03f) * q_1 + (k_1 == 0 ? -0x1p-03f : k_1 == 1 ? -0x1.4p-01f : k_1 == 2 ? 0x1.4p-01f : 0x1p-03f)));
        }
      }
    } else {
      if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8 > 0) {
        r_store_every_3_masked_f32x8_avx512fp16(&x[(r_max_i64_avx512fp16(0, N) >> 3) * 24], r_every_3_masked_f32x8_avx512fp16(&p[(r_max_i64_avx512fp16(0, N) >> 3) * 24], r_first32_i64x8_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8)) * (f32)volume_inverse[0] + r_every_3_masked_f32x8_avx512fp16(&p[(r_max_i64_avx512fp16(0, N) >> 3) * 24 + 1], r_first32_i64x8_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8)) * (f32)volume_inverse[1] + r_every_3_masked_f32x8_avx512fp16(&p[(r_max_i64_avx512fp16(0, N) >> 3) * 24 + 2], r_first32_i64x8_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8)) * (f32)volume_inverse[2] + (f32)volume_start[0], r_first32_i64x8_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8));
      }
      if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8 > 0) {
        r_store_every_3_masked_f32x8_avx512fp16(&x[(r_max_i64_avx512fp16(0, N) >> 3) * 24 + 1], r_every_3_masked_f32x8_avx512fp16(&p[(r_max_i64_avx512fp16(0, N) >> 3) * 24], r_first32_i64x8_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8)) * (f32)volume_inverse[3] + r_every_3_masked_f32x8_avx512fp16(&p[(r_max_i64_avx512fp16(0, N) >> 3) * 24 + 1], r_first32_i64x8_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8)) * (f32)volume_inverse[4] + r_every_3_masked_f32x8_avx512fp16(&p[(r_max_i64_avx512fp16(0, N) >> 3) * 24 + 2], r_first32_i64x8_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8)) * (f32)volume_inverse[5] + (f32)volume_start[1], r_first32_i64x8_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8));
      }
      if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8 > 0) {
        r_store_every_3_masked_f32x8_avx512fp16(&x[(r_max_i64_avx512fp16(0, N) >> 3) * 24 + 2], r_every_3_masked_f32x8_avx512fp16(&p[(r_max_i64_avx512fp16(0, N) >> 3) * 24], r_first32_i64x8_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8)) * (f32)volume_inverse[6] + r_every_3_masked_f32x8_avx512fp16(&p[(r_max_i64_avx512fp16(0, N) >> 3) * 24 + 1], r_first32_i64x8_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8)) * (f32)volume_inverse[7] + r_every_3_masked_f32x8_avx512fp16(&p[(r_max_i64_avx512fp16(0, N) >> 3) * 24 + 2], r_first32_i64x8_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8)) * (f32)volume_inverse[8] + (f32)volume_start[2], r_first32_i64x8_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8));
      }
      for (i64 a_5 = 0; a_5 < 3; a_5++) {
        for (i64 k_2 = 0; k_2 < 4; k_2++) {
          if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8 > 0) {
            const f32x8 x_3 = r_every_3_masked_f32x8_avx512fp16(&x[a_5 + (r_max_i64_avx512fp16(0, N) >> 3) * 24], r_first32_i64x8_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8));
            const f32x8 g_2 = r_select_f32x8_avx512fp16(__builtin_convertvector((i64x8)(r_widen_int32_i64x8_avx512fp16(r_to_int32_f32x8_avx512fp16(r_floor_f32x8_avx512fp16(x_3))) == r_max_i64x8_avx512fp16(1 + (i64x8){}, r_min_i64x8_avx512fp16(r_widen_int32_i64x8_avx512fp16(r_to_int32_f32x8_avx512fp16(r_floor_f32x8_avx512fp16(x_3))), (a_5 == 2 ? volume_Z : a_5 == 1 ? volume_Y : volume_X) - 3 + (i64x8){}))), i32x8), x_3 - r_floor_f32x8_avx512fp16(x_3) - 0x1p-01f, __builtin_nanf("") - (f32x8){});
            const f32x8 q_2 = g_2 * g_2;
            r_scatter_strided_masked_f32x8_avx512fp16(&w[a_5 * 4 + k_2 + (r_max_i64_avx512fp16(0, N) >> 3) * 96], 12, (k_2 == 0 ? 0x1p-02f : k_2 == 1 ? -0x1p-02f : k_2 == 2 ? -0x1p-02f : 0x1p-02f) * q_2 + (k_2 == 0 ? 0x1.555556p-06f : k_2 == 1 ? 0x1.eaaaaap-02f : k_2 == 2 ? 0x1.eaaaaap-02f : 0x1.555556p-06f) + g_2 * ((k_2 == 0 ? -0x1.555556p-03f : k_2 == 1 ? 0x1p-01f : k_2 == 2 ? -0x1p-01f : 0x1.555556p-03f) * q_2 + (k_2 == 0 ? -0x1p-03f : k_2 == 1 ? -0x1.4p-01f : k_2 == 2 ? 0x1.4p-01f : 0x1p-03f)), r_first32_i64x8_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 3) * 8));
          }
        }
      }
    }
  }
}

/* args[0] runs iterations on at most args[1] threads, args[2] is memory to work in, args[3] takes a failed check */
static int ricci_F_avx512fp16(const i64 *args) {
  const f32 *volume = (const f32 *)args[4];
  const f32 *volume_directions = (const f32 *)args[5];
  const f32 *volume_origin = (const f32 *)args[6];
  const f32 *p = (const f32 *)args[7];
  f32 *value = (f32 *)args[8];
  u8 *inside = (u8 *)args[9];
  const i64 volume_X = args[10]; /* size volume_X */
  const i64 volume_Y = args[11]; /* size volume_Y */
  const i64 volume_Z = args[12]; /* size volume_Z */
  const i64 N = args[13]; /* size N */
  f64 *volume_inverse = (f64 *)args[2];
  f64 *volume_start = (f64 *)(args[2] + 128);
  f32 *x = (f32 *)(args[2] + 192);
  f32 *w = (f32 *)(args[2] + (((N * 12 + 63) >> 6) * 64 + 192));
  f32 *s = (f32 *)(args[2] + (((N * 12 + 63) >> 6) * 64 + ((N * 48 + 63) >> 6) * 64 + 192));
  f32 *s_1 = (f32 *)(args[2] + (((N * 12 + 63) >> 6) * 64 + ((N * 48 + 63) >> 6) * 64 + N * 64 + 192));
  for (i64 a = 0; a < 3; a++) {
    r_store_masked_f64x8_avx512fp16(&volume_inverse[a * 3], r_div_by_f64x8_avx512fp16(__builtin_convertvector(r_gather_narrow_masked_f32x8_avx512fp16(volume_directions, (i32)((a + 1 >= 3 ? a + 1 - 3 : a + 1) * 3) + (i32x8){} + __builtin_convertvector(r_select_i64x8_avx512fp16((i64x8)((i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 1 >= 3), (i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 1 - 3, (i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 1), i32x8), r_first32_i64x8_avx512fp16(3)), f64x8) * __builtin_convertvector(r_gather_narrow_masked_f32x8_avx512fp16(volume_directions, (i32)((a + 2 >= 3 ? a + 2 - 3 : a + 2) * 3) + (i32x8){} + __builtin_convertvector(r_select_i64x8_avx512fp16((i64x8)((i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 2 >= 3), (i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 2 - 3, (i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 2), i32x8), r_first32_i64x8_avx512fp16(3)), f64x8) - __builtin_convertvector(r_gather_narrow_masked_f32x8_avx512fp16(volume_directions, (i32)((a + 1 >= 3 ? a + 1 - 3 : a + 1) * 3) + (i32x8){} + __builtin_convertvector(r_select_i64x8_avx512fp16((i64x8)((i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 2 >= 3), (i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 2 - 3, (i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 2), i32x8), r_first32_i64x8_avx512fp16(3)), f64x8) * __builtin_convertvector(r_gather_narrow_masked_f32x8_avx512fp16(volume_directions, (i32)((a + 2 >= 3 ? a + 2 - 3 : a + 2) * 3) + (i32x8){} + __builtin_convertvector(r_select_i64x8_avx512fp16((i64x8)((i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 1 >= 3), (i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 1 - 3, (i64x8){0, 1, 2, 3, 4, 5, 6, 7} + 1), i32x8), r_first32_i64x8_avx512fp16(3)), f64x8), (f64)volume_directions[0] * ((f64)volume_directions[4] * (f64)volume_directions[8] - (f64)volume_directions[5] * (f64)volume_directions[7]) + (f64)volume_directions[1] * ((f64)volume_directions[5] * (f64)volume_directions[6] - (f64)volume_directions[3] * (f64)volume_directions[8]) + (f64)volume_directions[2] * ((f64)volume_directions[3] * (f64)volume_directions[7] - (f64)volume_directions[4] * (f64)volume_directions[6])), r_first64_i64x8_avx512fp16(3));
  }
  {
    f64x8 volume_start_acc[3];
    #pragma GCC unroll 3
    for (i64 n = 0; n < 3; n++) {
      volume_start_acc[n] = (f64x8){};
    }
    #pragma GCC unroll 3
    for (i64 a_1 = 0; a_1 < 3; a_1++) {
      volume_start_acc[a_1] = r_select_f64x8_avx512fp16(r_first64_i64x8_avx512fp16(3), volume_start_acc[a_1] + -(r_load_masked_f64x8_avx512fp16(&volume_inverse[a_1 * 3], r_first64_i64x8_avx512fp16(3)) * __builtin_convertvector(r_load_masked_f32x8_avx512fp16(volume_origin, r_first32_i64x8_avx512fp16(3)), f64x8)), volume_start_acc[a_1]);
    }
    #pragma GCC unroll 3
    for (i64 a_2 = 0; a_2 < 3; a_2++) {
      volume_start[a_2] = r_fold_add_f64x8_avx512fp16(volume_start_acc[a_2]);
    }
  }
  {
    const i64 begin = 0, end = ((r_max_i64_avx512fp16(0, N) + 7) >> 3) - r_div_positive_i64_avx512fp16(r_max_i64_avx512fp16(0, N), 40) * 4;
    ricci_F_avx512fp16_body1_context context = {
      .first = begin,
      .p = p,
      .volume_X = volume_X,
      .volume_Y = volume_Y,
      .volume_Z = volume_Z,
      .N = N,
      .volume_inverse = volume_inverse,
      .volume_start = volume_start,
      .x = x,
      .w = w
    };
    const i64 count = end - begin, threads = args[1] < count ? args[1] : count;
    #pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(static, 1)
    for (i64 part = 0; part < threads; part++) ricci_F_avx512fp16_body1(&context, count * part / threads, count * (part + 1) / threads);
  }
  for (i64 n_5 = 0; n_5 < (r_max_i64_avx512fp16(0, N) >> 5) * 32; n_5 += 32) {
    for (i64 k1 = 0; k1 < 4; k1++) {
      for (i64 n_6 = 0; n_6 < 32; n_6 += 16) {
        f32x16 s_acc[4];
        #pragma GCC unroll 4
        for (i64 n_7 = 0; n_7 < 4; n_7++) {
          s_acc[n_7] = (f32x16){};
        }
        for (i64 k0 = 0; k0 < 4; k0++) {
          #pragma GCC unroll 4
          for (i64 k2 = 0; k2 < 4; k2++) {
            s_acc[k2] = r_strided_f32x16_avx512fp16(&w[k0 + n_5 * 12 + n_6 * 12], 12) * r_gather_f32x16_avx512fp16(volume, k0 + k1 * volume_X + k2 * volume_X * volume_Y - volume_X - volume_X * volume_Y - 1 + r_max_i64x16_avx512fp16(1 + (i64x16){}, r_min_i64x16_avx512fp16(r_widen_int32_i64x16_avx512fp16(r_to_int32_f32x16_avx512fp16(r_floor_f32x16_avx512fp16(r_every_3_f32x16_avx512fp16(&x[n_5 * 3 + n_6 * 3 + 2])))), volume_Z - 3 + (i64x16){})) * (volume_X * volume_Y) + r_max_i64x16_avx512fp16(1 + (i64x16){}, r_min_i64x16_avx512fp16(r_widen_int32_i64x16_avx512fp16(r_to_int32_f32x16_avx512fp16(r_floor_f32x16_avx512fp16(r_every_3_f32x16_avx512fp16(&x[n_5 * 3 + n_6 * 3 + 1])))), volume_Y - 3 + (i64x16){})) * volume_X + r_max_i64x16_avx512fp16(1 + (i64x16){}, r_min_i64x16_avx512fp16(r_widen_int32_i64x16_avx512fp16(r_to_int32_f32x16_avx512fp16(r_floor_f32x16_avx512fp16(r_every_3_f32x16_avx512fp16(&x[n_5 * 3 + n_6 * 3])))), volume_X - 3 + (i64x16){}))) + s_acc[k2];
          }
        }
        #pragma GCC unroll 4
        for (i64 k2_1 = 0; k2_1 < 4; k2_1++) {
          r_scatter_strided_f32x16_avx512fp16(&s[k1 + n_5 * 16 + n_6 * 16 + k2_1 * 4], 16, s_acc[k2_1]);
        }
      }
    }
  }
  for (i64 n_8 = (r_max_i64_avx512fp16(0, N) >> 5) * 32; n_8 < (r_max_i64_avx512fp16(0, N) >> 4) * 16; n_8 += 16) {
    for (i64 k1_1 = 0; k1_1 < 4; k1_1++) {
      f32x16 s_acc_1[4];
      #pragma GCC unroll 4
      for (i64 n_9 = 0; n_9 < 4; n_9++) {
        s_acc_1[n_9] = (f32x16){};
      }
      for (i64 k0_1 = 0; k0_1 < 4; k0_1++) {
        #pragma GCC unroll 4
        for (i64 k2_2 = 0; k2_2 < 4; k2_2++) {
          s_acc_1[k2_2] = r_strided_f32x16_avx512fp16(&w[k0_1 + n_8 * 12], 12) * r_gather_f32x16_avx512fp16(volume, k0_1 + k1_1 * volume_X + k2_2 * volume_X * volume_Y - volume_X - volume_X * volume_Y - 1 + r_max_i64x16_avx512fp16(1 + (i64x16){}, r_min_i64x16_avx512fp16(r_widen_int32_i64x16_avx512fp16(r_to_int32_f32x16_avx512fp16(r_floor_f32x16_avx512fp16(r_every_3_f32x16_avx512fp16(&x[n_8 * 3 + 2])))), volume_Z - 3 + (i64x16){})) * (volume_X * volume_Y) + r_max_i64x16_avx512fp16(1 + (i64x16){}, r_min_i64x16_avx512fp16(r_widen_int32_i64x16_avx512fp16(r_to_int32_f32x16_avx512fp16(r_floor_f32x16_avx512fp16(r_every_3_f32x16_avx512fp16(&x[n_8 * 3 + 1])))), volume_Y - 3 + (i64x16){})) * volume_X + r_max_i64x16_avx512fp16(1 + (i64x16){}, r_min_i64x16_avx512fp16(r_widen_int32_i64x16_avx512fp16(r_to_int32_f32x16_avx512fp16(r_floor_f32x16_avx512fp16(r_every_3_f32x16_avx512fp16(&x[n_8 * 3])))), volume_X - 3 + (i64x16){}))) + s_acc_1[k2_2];
        }
      }
      #pragma GCC unroll 4
      for (i64 k2_3 = 0; k2_3 < 4; k2_3++) {
        r_scatter_strided_f32x16_avx512fp16(&s[k1_1 + n_8 * 16 + k2_3 * 4], 16, s_acc_1[k2_3]);
      }
    }
  }
  if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16 > 0) {
    for (i64 k1_2 = 0; k1_2 < 4; k1_2++) {
      if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16 > 0) {
        f32x16 s_acc_2[4];
        #pragma GCC unroll 4
        for (i64 n_10 = 0; n_10 < 4; n_10++) {
          s_acc_2[n_10] = (f32x16){};
        }
        for (i64 k0_2 = 0; k0_2 < 4; k0_2++) {
          #pragma GCC unroll 4
          for (i64 k2_4 = 0; k2_4 < 4; k2_4++) {
            if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16 > 0) {
              s_acc_2[k2_4] = r_strided_masked_f32x16_avx512fp16(&w[k0_2 + (r_max_i64_avx512fp16(0, N) >> 4) * 192], 12, r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16)) * r_gather_masked_f32x16_avx512fp16(volume, k0_2 + k1_2 * volume_X + k2_4 * volume_X * volume_Y - volume_X - volume_X * volume_Y - 1 + r_max_i64x16_avx512fp16(1 + (i64x16){}, r_min_i64x16_avx512fp16(r_widen_int32_i64x16_avx512fp16(r_to_int32_f32x16_avx512fp16(r_floor_f32x16_avx512fp16(r_every_3_masked_f32x16_avx512fp16(&x[(r_max_i64_avx512fp16(0, N) >> 4) * 48 + 2], r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16))))), volume_Z - 3 + (i64x16){})) * (volume_X * volume_Y) + r_max_i64x16_avx512fp16(1 + (i64x16){}, r_min_i64x16_avx512fp16(r_widen_int32_i64x16_avx512fp16(r_to_int32_f32x16_avx512fp16(r_floor_f32x16_avx512fp16(r_every_3_masked_f32x16_avx512fp16(&x[(r_max_i64_avx512fp16(0, N) >> 4) * 48 + 1], r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16))))), volume_Y - 3 + (i64x16){})) * volume_X + r_max_i64x16_avx512fp16(1 + (i64x16){}, r_min_i64x16_avx512fp16(r_widen_int32_i64x16_avx512fp16(r_to_int32_f32x16_avx512fp16(r_floor_f32x16_avx512fp16(r_every_3_masked_f32x16_avx512fp16(&x[(r_max_i64_avx512fp16(0, N) >> 4) * 48], r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16))))), volume_X - 3 + (i64x16){})), r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16)) + s_acc_2[k2_4];
            }
          }
        }
        #pragma GCC unroll 4
        for (i64 k2_5 = 0; k2_5 < 4; k2_5++) {
          if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16 > 0) {
            r_scatter_strided_masked_f32x16_avx512fp16(&s[k1_2 + (r_max_i64_avx512fp16(0, N) >> 4) * 256 + k2_5 * 4], 16, s_acc_2[k2_5], r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16));
          }
        }
      }
    }
  }
  for (i64 n_11 = 0; n_11 < (r_max_i64_avx512fp16(0, N) >> 7) * 128; n_11 += 128) {
    for (i64 n_12 = 0; n_12 < 128; n_12 += 16) {
      f32x16 s_1_acc[4];
      #pragma GCC unroll 16
      for (i64 n_14 = 0; n_14 < 16; n_14++) {
        __builtin_prefetch(&s_1[n_11 * 4 + n_12 * 4 + n_14 * 4] + 256, 1);
      }
      #pragma GCC unroll 4
      for (i64 n_13 = 0; n_13 < 4; n_13++) {
        s_1_acc[n_13] = (f32x16){};
      }
      for (i64 k1_3 = 0; k1_3 < 4; k1_3++) {
        #pragma GCC unroll 4
        for (i64 k2_6 = 0; k2_6 < 4; k2_6++) {
          s_1_acc[k2_6] = r_strided_f32x16_avx512fp16(&w[k1_3 + n_11 * 12 + n_12 * 12 + 4], 12) * r_strided_f32x16_avx512fp16(&s[k1_3 + n_11 * 16 + n_12 * 16 + k2_6 * 4], 16) + s_1_acc[k2_6];
        }
      }
      f32 s_1_tile[64] __attribute__((aligned(64)));
      #pragma GCC unroll 4
      for (i64 k2_7 = 0; k2_7 < 4; k2_7++) {
        *(f32x16u *)&s_1_tile[k2_7 * 16] = s_1_acc[k2_7];
      }
      r_transpose_f32x4_avx512fp16(&s_1[n_11 * 4 + n_12 * 4], 4, s_1_tile, 16, 4, 16);
    }
  }
  for (i64 n_15 = (r_max_i64_avx512fp16(0, N) >> 7) * 128; n_15 < (r_max_i64_avx512fp16(0, N) >> 4) * 16; n_15 += 16) {
    f32x16 s_1_acc_1[4];
    #pragma GCC unroll 16
    for (i64 n_17 = 0; n_17 < 16; n_17++) {
      __builtin_prefetch(&s_1[n_15 * 4 + n_17 * 4] + 256, 1);
    }
    #pragma GCC unroll 4
    for (i64 n_16 = 0; n_16 < 4; n_16++) {
      s_1_acc_1[n_16] = (f32x16){};
    }
    for (i64 k1_4 = 0; k1_4 < 4; k1_4++) {
      #pragma GCC unroll 4
      for (i64 k2_8 = 0; k2_8 < 4; k2_8++) {
        s_1_acc_1[k2_8] = r_strided_f32x16_avx512fp16(&w[k1_4 + n_15 * 12 + 4], 12) * r_strided_f32x16_avx512fp16(&s[k1_4 + n_15 * 16 + k2_8 * 4], 16) + s_1_acc_1[k2_8];
      }
    }
    f32 s_1_tile_1[64] __attribute__((aligned(64)));
    #pragma GCC unroll 4
    for (i64 k2_9 = 0; k2_9 < 4; k2_9++) {
      *(f32x16u *)&s_1_tile_1[k2_9 * 16] = s_1_acc_1[k2_9];
    }
    r_transpose_f32x4_avx512fp16(&s_1[n_15 * 4], 4, s_1_tile_1, 16, 4, 16);
  }
  if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16 > 0) {
    if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16 > 0) {
      f32x16 s_1_acc_2[4];
      #pragma GCC unroll 4
      for (i64 n_18 = 0; n_18 < 4; n_18++) {
        s_1_acc_2[n_18] = (f32x16){};
      }
      for (i64 k1_5 = 0; k1_5 < 4; k1_5++) {
        #pragma GCC unroll 4
        for (i64 k2_10 = 0; k2_10 < 4; k2_10++) {
          if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16 > 0) {
            s_1_acc_2[k2_10] = r_strided_masked_f32x16_avx512fp16(&w[k1_5 + (r_max_i64_avx512fp16(0, N) >> 4) * 192 + 4], 12, r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16)) * r_strided_masked_f32x16_avx512fp16(&s[k1_5 + (r_max_i64_avx512fp16(0, N) >> 4) * 256 + k2_10 * 4], 16, r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16)) + s_1_acc_2[k2_10];
          }
        }
      }
      #pragma GCC unroll 4
      for (i64 k2_11 = 0; k2_11 < 4; k2_11++) {
        if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16 > 0) {
          r_store_every_4_masked_f32x16_avx512fp16(&s_1[(r_max_i64_avx512fp16(0, N) >> 4) * 64 + k2_11], s_1_acc_2[k2_11], r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16));
        }
      }
    }
  }
  for (i64 n_19 = 0; n_19 < (r_max_i64_avx512fp16(0, N) >> 4) * 16; n_19 += 16) {
    f32 s_2_block[16] __attribute__((aligned(64)));
    {
      f32x16 s_2_acc[1];
      s_2_acc[0] = (f32x16){};
      for (i64 k2_12 = 0; k2_12 < 4; k2_12++) {
        s_2_acc[0] = r_strided_f32x16_avx512fp16(&w[k2_12 + n_19 * 12 + 8], 12) * r_every_4_f32x16_avx512fp16(&s_1[k2_12 + n_19 * 4]) + s_2_acc[0];
      }
      *(f32x16u *)s_2_block = s_2_acc[0];
    }
    *(f32x16u *)&value[n_19] = *(const f32x16u *)s_2_block;
  }
  if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16 > 0) {
    f32 s_2_block_1[16] __attribute__((aligned(64)));
    {
      f32x16 s_2_acc_1[1];
      s_2_acc_1[0] = (f32x16){};
      for (i64 k2_13 = 0; k2_13 < 4; k2_13++) {
        if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16 > 0) {
          s_2_acc_1[0] = r_strided_masked_f32x16_avx512fp16(&w[k2_13 + (r_max_i64_avx512fp16(0, N) >> 4) * 192 + 8], 12, r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16)) * r_every_4_masked_f32x16_avx512fp16(&s_1[k2_13 + (r_max_i64_avx512fp16(0, N) >> 4) * 64], r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16)) + s_2_acc_1[0];
        }
      }
      if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16 > 0) {
        r_store_masked_f32x16_avx512fp16(s_2_block_1, s_2_acc_1[0], r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16));
      }
    }
    if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16 > 0) {
      r_store_masked_f32x16_avx512fp16(&value[(r_max_i64_avx512fp16(0, N) >> 4) * 16], r_load_masked_f32x16_avx512fp16(s_2_block_1, r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16)), r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16));
    }
  }
  for (i64 n_20 = 0; n_20 < (r_max_i64_avx512fp16(0, N) >> 4) * 16; n_20 += 16) {
    *(u8x16u *)&inside[n_20] = (u8x16)(__builtin_convertvector(1.0f < r_every_3_f32x16_avx512fp16(&x[n_20 * 3]), i8x16) & __builtin_convertvector(r_every_3_f32x16_avx512fp16(&x[n_20 * 3]) < (f32)(i32)volume_X - 2.0f, i8x16) & __builtin_convertvector(1.0f < r_every_3_f32x16_avx512fp16(&x[n_20 * 3 + 1]), i8x16) & __builtin_convertvector(r_every_3_f32x16_avx512fp16(&x[n_20 * 3 + 1]) < (f32)(i32)volume_Y - 2.0f, i8x16) & __builtin_convertvector(1.0f < r_every_3_f32x16_avx512fp16(&x[n_20 * 3 + 2]), i8x16) & __builtin_convertvector(r_every_3_f32x16_avx512fp16(&x[n_20 * 3 + 2]) < (f32)(i32)volume_Z - 2.0f, i8x16) & 1);
  }
  if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16 > 0) {
    if (r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16 > 0) {
      r_store_masked_u8x16_avx512fp16(&inside[(r_max_i64_avx512fp16(0, N) >> 4) * 16], (u8x16)(__builtin_convertvector(1.0f < r_every_3_masked_f32x16_avx512fp16(&x[(r_max_i64_avx512fp16(0, N) >> 4) * 48], r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16)), i8x16) & __builtin_convertvector(r_every_3_masked_f32x16_avx512fp16(&x[(r_max_i64_avx512fp16(0, N) >> 4) * 48], r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16)) < (f32)(i32)volume_X - 2.0f, i8x16) & __builtin_convertvector(1.0f < r_every_3_masked_f32x16_avx512fp16(&x[(r_max_i64_avx512fp16(0, N) >> 4) * 48 + 1], r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16)), i8x16) & __builtin_convertvector(r_every_3_masked_f32x16_avx512fp16(&x[(r_max_i64_avx512fp16(0, N) >> 4) * 48 + 1], r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16)) < (f32)(i32)volume_Y - 2.0f, i8x16) & __builtin_convertvector(1.0f < r_every_3_masked_f32x16_avx512fp16(&x[(r_max_i64_avx512fp16(0, N) >> 4) * 48 + 2], r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16)), i8x16) & __builtin_convertvector(r_every_3_masked_f32x16_avx512fp16(&x[(r_max_i64_avx512fp16(0, N) >> 4) * 48 + 2], r_first32_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16)) < (f32)(i32)volume_Z - 2.0f, i8x16) & 1), r_first8_i64x16_avx512fp16(r_max_i64_avx512fp16(0, N) - (r_max_i64_avx512fp16(0, N) >> 4) * 16));
    }
  }
  return 0;
}
#if defined(__clang__)
#pragma clang attribute pop
#if RICCI_FLOOR < 4
#pragma clang attribute pop
#ifdef RICCI__AVX2__
#undef RICCI__AVX2__
#undef __AVX2__
#endif
#ifdef RICCI__FMA__
#undef RICCI__FMA__
#undef __FMA__
#endif
#ifdef RICCI__F16C__
#undef RICCI__F16C__
#undef __F16C__
#endif
#ifdef RICCI__AVX512F__
#undef RICCI__AVX512F__
#undef __AVX512F__
#endif
#ifdef RICCI__AVX512CD__
#undef RICCI__AVX512CD__
#undef __AVX512CD__
#endif
#ifdef RICCI__AVX512BW__
#undef RICCI__AVX512BW__
#undef __AVX512BW__
#endif
#ifdef RICCI__AVX512DQ__
#undef RICCI__AVX512DQ__
#undef __AVX512DQ__
#endif
#ifdef RICCI__AVX512VL__
#undef RICCI__AVX512VL__
#undef __AVX512VL__
#endif
#ifdef RICCI__AVX512VNNI__
#undef RICCI__AVX512VNNI__
#undef __AVX512VNNI__
#endif
#ifdef RICCI__AVX512BF16__
#undef RICCI__AVX512BF16__
#undef __AVX512BF16__
#endif
#ifdef RICCI__AVX512FP16__
#undef RICCI__AVX512FP16__
#undef __AVX512FP16__
#endif
#endif
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#endif

#if RICCI_FLOOR < RICCI_CEILING
static void r_cpuid(u32 leaf, u32 part, u32 *words) {
  __asm__ __volatile__("cpuid" : "=a"(words[0]), "=b"(words[1]), "=c"(words[2]), "=d"(words[3]) : "a"(leaf), "c"(part));
}
#define RICCI_BIT(word, bit) ((word) >> (bit) & 1)
static int r_processor(void) {
  u32 leaf0[4], leaf1[4], leaf7[4] = {0}, leaf7part1[4] = {0}, extended0[4], extended1[4] = {0}, state = 0, high = 0;
  r_cpuid(0, 0, leaf0);
  r_cpuid(1, 0, leaf1);
  if (leaf0[0] >= 7) r_cpuid(7, 0, leaf7);
  if (leaf0[0] >= 7 && leaf7[0] >= 1) r_cpuid(7, 1, leaf7part1);
  r_cpuid(0x80000000U, 0, extended0);
  if (extended0[0] >= 0x80000001U) r_cpuid(0x80000001U, 0, extended1);
  if (RICCI_BIT(leaf1[2], 27)) __asm__ __volatile__("xgetbv" : "=a"(state), "=d"(high) : "c"(0)); /* what the system saves */
  int level = RICCI_FLOOR;
  const char *limit = getenv("RICCI_LEVEL");
  u32 allowed = ~0U;
  if (limit && !__builtin_strcmp(limit, "plain")) allowed = 0x1;
  if (limit && !__builtin_strcmp(limit, "avx2")) allowed = 0x5;
  if (limit && !__builtin_strcmp(limit, "avx512")) allowed = 0xd;
  if (limit && !__builtin_strcmp(limit, "avx512vnni")) allowed = 0xd;
  if (limit && !__builtin_strcmp(limit, "avx512bf16")) allowed = 0xd;
  if (limit && !__builtin_strcmp(limit, "avx512fp16")) allowed = 0x1d;
  if (limit && !__builtin_strcmp(limit, "amx")) allowed = 0xd;
  if (limit && !__builtin_strcmp(limit, "amx_avx512fp16")) allowed = 0x1d;
#if RICCI_FLOOR <= 2 && 2 <= RICCI_CEILING && defined(__x86_64__)
  if (RICCI_BIT(allowed, 2) && (state & 6) == 6 && RICCI_BIT(leaf1[2], 12) && RICCI_BIT(leaf1[2], 22) && RICCI_BIT(leaf1[2], 23) && RICCI_BIT(leaf1[2], 29) && RICCI_BIT(leaf7[1], 3) && RICCI_BIT(leaf7[1], 5) && RICCI_BIT(leaf7[1], 8) && RICCI_BIT(extended1[2], 5)) level = 2;
#endif
#if RICCI_FLOOR <= 3 && 3 <= RICCI_CEILING && defined(__x86_64__)
  if (RICCI_BIT(allowed, 3) && (state & 6) == 6 && RICCI_BIT(leaf1[2], 12) && RICCI_BIT(leaf1[2], 22) && RICCI_BIT(leaf1[2], 23) && RICCI_BIT(leaf1[2], 29) && RICCI_BIT(leaf7[1], 3) && RICCI_BIT(leaf7[1], 5) && RICCI_BIT(leaf7[1], 8) && RICCI_BIT(extended1[2], 5) &&
      (state & 0xe6) == 0xe6 && RICCI_BIT(leaf7[1], 16) && RICCI_BIT(leaf7[1], 17) && RICCI_BIT(leaf7[1], 28) && RICCI_BIT(leaf7[1], 30) && RICCI_BIT(leaf7[1], 31)) level = 3;
#endif
#if RICCI_FLOOR <= 4 && 4 <= RICCI_CEILING && defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 10) && (defined(__clang__) && __clang_major__ >= 14 || !defined(__clang__) && __GNUC__ >= 12)
  if (RICCI_BIT(allowed, 4) && (state & 6) == 6 && RICCI_BIT(leaf1[2], 12) && RICCI_BIT(leaf1[2], 22) && RICCI_BIT(leaf1[2], 23) && RICCI_BIT(leaf1[2], 29) && RICCI_BIT(leaf7[1], 3) && RICCI_BIT(leaf7[1], 5) && RICCI_BIT(leaf7[1], 8) && RICCI_BIT(extended1[2], 5) &&
      (state & 0xe6) == 0xe6 && RICCI_BIT(leaf7[1], 16) && RICCI_BIT(leaf7[1], 17) && RICCI_BIT(leaf7[1], 28) && RICCI_BIT(leaf7[1], 30) && RICCI_BIT(leaf7[1], 31) &&
      RICCI_BIT(leaf7[2], 11) &&
      RICCI_BIT(leaf7part1[0], 5) &&
      RICCI_BIT(leaf7[3], 23)) level = 4;
#endif
  return level;
}
#undef RICCI_BIT
#endif
static int r_level(void) {
#if RICCI_FLOOR < RICCI_CEILING
  static int known = -1;
  int level = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (level >= 0) return level;
  level = r_processor();
  __atomic_store_n(&known, level, __ATOMIC_RELAXED);
  return level;
#else
  return RICCI_FLOOR;
#endif
}
static inline i64 r_size_add(i64 x, i64 y, int *overflow) {
  i64 r = 0;
  *overflow |= __builtin_add_overflow(x, y, &r);
  return r;
}
static inline i64 r_size_mul(i64 x, i64 y, int *overflow) {
  i64 r = 0;
  *overflow |= __builtin_mul_overflow(x, y, &r);
  return r;
}
static inline i64 r_size_div(i64 x, i64 y, int *overflow) {
  if (y == 0 || (y == -1 && x < -0x7fffffffffffffffLL)) return *overflow = 1;
  return x / y - (x % y != 0 && (x < 0) != (y < 0));
}
const char *F_error(int code) {
  switch (code) {
  case 0: return "no error";
  case -1: return "there is no memory for temporaries";
  case -2: return "the address of an array is NULL";
  case -3: return "the sizes are too large, or divide by zero";
  case -4: return "volume_X must be at least 1";
  case -5: return "volume_Y must be at least 1";
  case -6: return "volume_Z must be at least 1";
  case -7: return "N must not be negative";
  case -8: return "volume_X >= 4 must hold: bspln3 needs 4 samples on each axis of volume";
  case -9: return "volume_Y >= 4 must hold: bspln3 needs 4 samples on each axis of volume";
  case -10: return "volume_Z >= 4 must hold: bspln3 needs 4 samples on each axis of volume";
  }
  return "unknown code";
}
int F_elements(int64_t volume_X, int64_t volume_Y, int64_t volume_Z, int64_t N, int64_t *elements) {
  int overflow = 0;
  if (r_size_add(volume_X, -1, &overflow) < 0 && !overflow) return -4;
  if (r_size_add(volume_Y, -1, &overflow) < 0 && !overflow) return -5;
  if (r_size_add(volume_Z, -1, &overflow) < 0 && !overflow) return -6;
  if (N < 0 && !overflow) return -7;
  if (r_size_add(volume_X, -4, &overflow) < 0 && !overflow) return -8;
  if (r_size_add(volume_Y, -4, &overflow) < 0 && !overflow) return -9;
  if (r_size_add(volume_Z, -4, &overflow) < 0 && !overflow) return -10;
  (void)r_size_mul(r_size_mul(r_size_mul(volume_X, volume_Y, &overflow), volume_Z, &overflow), 4, &overflow); /* bytes of volume */
  (void)r_size_mul(N, 12, &overflow); /* bytes of p */
  (void)r_size_mul(N, 4, &overflow); /* bytes of value */
  (void)N; /* bytes of inside */
  const int64_t lengths[] = {r_size_mul(r_size_mul(volume_X, volume_Y, &overflow), volume_Z, &overflow), 9, 3, r_size_mul(N, 3, &overflow), N, N};
  if (overflow) return -3;
  for (int i = 0; elements && i < 6; i++) elements[i] = lengths[i];
  return 0;
}
int F(const float *volume, const float *volume_directions, const float *volume_origin, const float *p, float *value, uint8_t *inside, int64_t volume_X, int64_t volume_Y, int64_t volume_Z, int64_t N) {
  int64_t elements[6];
  const int refused = F_elements(volume_X, volume_Y, volume_Z, N, elements);
  if (refused) return refused;
  if (!volume && elements[0] > 0) return -2;
  if (!volume_directions && elements[1] > 0) return -2;
  if (!volume_origin && elements[2] > 0) return -2;
  if (!p && elements[3] > 0) return -2;
  if (!value && elements[4] > 0) return -2;
  if (!inside && elements[5] > 0) return -2;
  i64 fault[2] = {0, 0}, threads = 1;
#ifdef _OPENMP
  threads = omp_get_max_threads();
#endif
  const int r_best = r_level();
  int (*r_kernel)(const i64 *) = 0;
  int overflow = 0;
  i64 bytes = 0;
#if RICCI_FLOOR <= 4 && 4 <= RICCI_CEILING && defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 10) && (defined(__clang__) && __clang_major__ >= 14 || !defined(__clang__) && __GNUC__ >= 12)
  if (!r_kernel && r_best >= 4) {
    r_kernel = ricci_F_avx512fp16;
    bytes = r_size_add(r_size_add(r_size_add(r_size_add(r_size_mul(r_size_div(r_size_add(r_size_mul(N, 12, &overflow), 63, &overflow), 64, &overflow), 64, &overflow), r_size_mul(r_size_div(r_size_add(r_size_mul(N, 16, &overflow), 63, &overflow), 64, &overflow), 64, &overflow), &overflow), r_size_mul(r_size_div(r_size_add(r_size_mul(N, 48, &overflow), 63, &overflow), 64, &overflow), 64, &overflow), &overflow), r_size_mul(N, 64, &overflow), &overflow), 255, &overflow) / 64 * 64;
  }
#endif
#if RICCI_FLOOR <= 3 && 3 <= RICCI_CEILING && defined(__x86_64__)
  if (!r_kernel && r_best >= 3) {
    r_kernel = ricci_F_avx512;
    bytes = r_size_add(r_size_add(r_size_add(r_size_add(r_size_mul(r_size_div(r_size_add(r_size_mul(N, 12, &overflow), 63, &overflow), 64, &overflow), 64, &overflow), r_size_mul(r_size_div(r_size_add(r_size_mul(N, 16, &overflow), 63, &overflow), 64, &overflow), 64, &overflow), &overflow), r_size_mul(r_size_div(r_size_add(r_size_mul(N, 48, &overflow), 63, &overflow), 64, &overflow), 64, &overflow), &overflow), r_size_mul(N, 64, &overflow), &overflow), 255, &overflow) / 64 * 64;
  }
#endif
#if RICCI_FLOOR <= 2 && 2 <= RICCI_CEILING && defined(__x86_64__)
  if (!r_kernel && r_best >= 2) {
    r_kernel = ricci_F_avx2;
    bytes = r_size_add(r_size_add(r_size_add(r_size_add(r_size_mul(r_size_div(r_size_add(r_size_mul(N, 12, &overflow), 63, &overflow), 64, &overflow), 64, &overflow), r_size_mul(r_size_div(r_size_add(r_size_mul(N, 16, &overflow), 63, &overflow), 64, &overflow), 64, &overflow), &overflow), r_size_mul(r_size_div(r_size_add(r_size_mul(N, 48, &overflow), 63, &overflow), 64, &overflow), 64, &overflow), &overflow), r_size_mul(N, 64, &overflow), &overflow), 255, &overflow) / 64 * 64;
  }
#endif
#if RICCI_FLOOR <= 1 && 1 <= RICCI_CEILING && defined(__aarch64__)
  if (!r_kernel && r_best >= 1) {
    r_kernel = ricci_F_neon;
    bytes = r_size_add(r_size_add(r_size_add(r_size_add(r_size_mul(r_size_div(r_size_add(r_size_mul(N, 12, &overflow), 63, &overflow), 64, &overflow), 64, &overflow), r_size_mul(r_size_div(r_size_add(r_size_mul(N, 16, &overflow), 63, &overflow), 64, &overflow), 64, &overflow), &overflow), r_size_mul(r_size_div(r_size_add(r_size_mul(N, 48, &overflow), 63, &overflow), 64, &overflow), 64, &overflow), &overflow), r_size_mul(N, 64, &overflow), &overflow), 255, &overflow) / 64 * 64;
  }
#endif
#if RICCI_FLOOR <= 0 && 0 <= RICCI_CEILING
  if (!r_kernel && r_best >= 0) {
    r_kernel = ricci_F_plain;
    bytes = r_size_add(r_size_add(r_size_add(r_size_add(r_size_mul(r_size_div(r_size_add(r_size_mul(N, 12, &overflow), 63, &overflow), 64, &overflow), 64, &overflow), r_size_mul(r_size_div(r_size_add(r_size_mul(N, 16, &overflow), 63, &overflow), 64, &overflow), 64, &overflow), &overflow), r_size_mul(r_size_div(r_size_add(r_size_mul(N, 48, &overflow), 63, &overflow), 64, &overflow), 64, &overflow), &overflow), r_size_mul(N, 64, &overflow), &overflow), 255, &overflow) / 64 * 64;
  }
#endif
  if (overflow) return -1;
  void *r_memory = bytes > 0 ? malloc((size_t)bytes + 63) : 0; // C99 has no aligned_alloc
  if (bytes > 0 && !r_memory) return -1;
  const i64 workspace = ((i64)r_memory + 63) & -64;
  const i64 args[] = {0, threads, workspace, (i64)fault, (i64)volume, (i64)volume_directions, (i64)volume_origin, (i64)p, (i64)value, (i64)inside, volume_X, volume_Y, volume_Z, N};
  const int failed = r_kernel(args);
  free(r_memory);
  return failed ? (int)fault[0] : 0;
}
