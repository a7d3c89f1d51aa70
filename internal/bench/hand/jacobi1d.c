/* The mean of three neighbours: one loop of vectors for each thread. */
int run(const i64 *args) {
  const T *restrict x = P(0);
  T *restrict y = P(1);
#pragma omp parallel for simd schedule(static) num_threads(args[1])
  for (i64 i = 0; i < N; i++) y[i] = (T)0.3333333 * (x[i] + x[i + 1] + x[i + 2]);
  return 0;
}
