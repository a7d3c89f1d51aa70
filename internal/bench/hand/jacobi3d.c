/* Seven points in tiles of the first two dimensions: three planes of a tile fit into the second cache, so each
 * element comes from memory once. */
enum { PLANES = 64, ROWS = 32, LEAD = N3 + 2 };
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
int run(const i64 *args) {
  const T *restrict x = P(0);
  T *restrict y = P(1);
  const i64 plane = (i64)(N2 + 2) * LEAD;
#pragma omp parallel for collapse(2) schedule(static) num_threads(args[1])
  for (int it = 0; it < N1; it += PLANES)
    for (int jt = 0; jt < N2; jt += ROWS)
      for (int i = it; i < LEAST(it + PLANES, N1); i++)
        for (int j = jt; j < LEAST(jt + ROWS, N2); j++) {
          const T *restrict c = x + (i + 1) * plane + (i64)(j + 1) * LEAD + 1;
          T *restrict to = y + ((i64)i * N2 + j) * N3;
#pragma omp simd
          for (int k = 0; k < N3; k++)
            to[k] = (T)0.4 * c[k] + (T)0.1 * (c[k - plane] + c[k - LEAD] + c[k - 1] + c[k + 1] + c[k + LEAD] + c[k + plane]);
        }
  return 0;
}
