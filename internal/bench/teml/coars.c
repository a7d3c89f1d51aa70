// Harris' coarsity: C = Sxx Syy - Sxy².
static T Sxx[N][M], Syy[N][M], Sxy[N][M], C[N][M];
ARGUMENTS(LOAD(0, Sxx) LOAD(1, Syy) LOAD(2, Sxy), STORE(3, C))
int run(const i64 *args) {
#if PATH == SEQUENTIAL
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) C[i][j] = Sxx[i][j] * Syy[i][j] - Sxy[i][j] * Sxy[i][j];
#else // tile(l, 32); parallelize(l, 1); vectorize(l, 4)
#pragma omp parallel for
  for (int it = 0; it < N; it += 32)
    for (int jt = 0; jt < M; jt += 32)
      for (int i = it; i < LEAST(it + 32, N); i++)
#pragma GCC ivdep
        for (int j = jt; j < LEAST(jt + 32, M); j++) C[i][j] = Sxx[i][j] * Syy[i][j] - Sxy[i][j] * Sxy[i][j];
#endif
  return 0;
}
