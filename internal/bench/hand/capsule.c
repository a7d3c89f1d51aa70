/* A convolution whose elements are matrices: the filter is packed so that its last dimension and the filters lie
 * side by side, which makes a product of it; the sums of a few points stay in registers. */
#include <stdlib.h>
#include <string.h>
#if __AVX512F__
enum { BYTES = 64, POINTS = 2 };
#elif __AVX__
enum { BYTES = 32, POINTS = 1 };
#else
enum { BYTES = 16, POINTS = 1 };
#endif
typedef T vector __attribute__((vector_size(BYTES), aligned(4), may_alias));
enum { LANES = BYTES / sizeof(T), VECTORS = 2, WIDE = LANES * VECTORS, ALL = F * MJ, PADDED = (ALL + WIDE - 1) / WIDE * WIDE };
static T *packed;
int setup(const i64 *args) {
  packed = aligned_alloc(64, ((sizeof(T) * KH * KW * C * MK * PADDED) + 63) / 64 * 64);
  if (packed) memset(packed, 0, sizeof(T) * KH * KW * C * MK * PADDED);
  return packed ? 0 : 1;
}
/* points sums up for neighbouring points and WIDE elements of all their rows. */
static inline __attribute__((always_inline)) void points(const T *image, const T *filter, T *to, int count, int from) {
  vector sum[POINTS][MI][VECTORS] = {0};
  for (int r = 0; r < KH; r++)
    for (int s = 0; s < KW; s++)
      for (int c = 0; c < C; c++)
        for (int mk = 0; mk < MK; mk++) {
          const T *f = filter + ((i64)((r * KW + s) * C + c) * MK + mk) * PADDED;
          vector part[VECTORS];
          for (int v = 0; v < VECTORS; v++) part[v] = *(const vector *)(f + v * LANES);
#pragma GCC unroll 4
          for (int q = 0; q < count; q++) {
            const T *x = image + ((i64)(r * W + q * STEP + s) * C + c) * MI * MK + mk;
#pragma GCC unroll 8
            for (int mi = 0; mi < MI; mi++)
#pragma GCC unroll 4
              for (int v = 0; v < VECTORS; v++) sum[q][mi][v] += x[mi * MK] * part[v];
          }
        }
  for (int q = 0; q < count; q++)
    for (int mi = 0; mi < MI; mi++)
      for (int n = 0; n < WIDE && from + n < ALL; n++) {
        const int k = (from + n) / MJ, mj = (from + n) % MJ;
        to[((i64)(q * F + k) * MI + mi) * MJ + mj] = sum[q][mi][n / LANES][n % LANES];
      }
}
int run(const i64 *args) {
  const T *x = P(0), *f = P(1);
  T *y = P(2);
#pragma omp parallel for num_threads(args[1])
  for (int row = 0; row < KH * KW * C; row++)
    for (int mk = 0; mk < MK; mk++)
      for (int k = 0; k < F; k++)
        for (int mj = 0; mj < MJ; mj++) packed[((i64)row * MK + mk) * PADDED + k * MJ + mj] = f[(((i64)k * KH * KW * C + row) * MK + mk) * MJ + mj];
#pragma omp parallel for collapse(2) num_threads(args[1])
  for (int n = 0; n < N; n++)
    for (int p = 0; p < OH; p++)
      for (int from = 0; from < ALL; from += WIDE)
        for (int q = 0; q < OW; q += POINTS) {
          const T *image = x + ((i64)(n * H + p * STEP) * W + q * STEP) * C * MI * MK;
          T *to = y + ((i64)(n * OH + p) * OW + q) * F * MI * MJ;
          if (OW - q >= POINTS)
            points(image, packed + from, to, POINTS, from);
          else
            points(image, packed + from, to, 1, from);
        }
  return 0;
}
