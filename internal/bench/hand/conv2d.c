/* A filter over an image: sums of a few rows and vectors of columns stay in registers while the filter goes by. */
enum { TALL = 4, WIDE = 32, LEAD = Q + S - 1 };
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
static inline __attribute__((always_inline)) void tile(const T *restrict x, const T *restrict f, T *restrict y, int tall, int wide) {
  T sum[TALL][WIDE];
  for (int i = 0; i < tall; i++)
    for (int j = 0; j < wide; j++) sum[i][j] = 0;
  for (int r = 0; r < R; r++)
    for (int s = 0; s < S; s++)
      for (int i = 0; i < tall; i++) {
        const T weight = f[r * S + s], *restrict from = x + (i64)(i + r) * LEAD + s;
#pragma omp simd
        for (int j = 0; j < wide; j++) sum[i][j] += weight * from[j];
      }
  for (int i = 0; i < tall; i++)
    for (int j = 0; j < wide; j++) y[(i64)i * Q + j] = sum[i][j];
}
int run(const i64 *args) {
#pragma omp parallel for schedule(static) num_threads(args[1])
  for (int p = 0; p < P; p += TALL)
    for (int q = 0; q < Q; q += WIDE) {
      const T *x = P(0) + (i64)p * LEAD + q;
      T *y = P(2) + (i64)p * Q + q;
      const int tall = LEAST(TALL, P - p), wide = LEAST(WIDE, Q - q);
      if (tall == TALL && wide == WIDE)
        tile(x, P(1), y, TALL, WIDE);
      else
        tile(x, P(1), y, tall, wide);
    }
  return 0;
}
