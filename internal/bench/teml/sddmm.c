// A[i][j] = B[i][j] Σ C[i][k] D[k][j], as one nest.
static T B[N][M], C[N][K], D[K][M], A[N][M];
ARGUMENTS(LOAD(0, B) LOAD(1, C) LOAD(2, D), STORE(3, A))
int run(const i64 *args) {
#if PATH == SEQUENTIAL
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      A[i][j] = 0;
      for (int k = 0; k < K; k++) A[i][j] += B[i][j] * C[i][k] * D[k][j];
    }
#elif PATH == PLUTO // interchange(l, 2, 3); parallelize(l, 1); vectorize(l, 3)
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < M; j++) A[i][j] = 0;
    for (int k = 0; k < K; k++)
#pragma GCC ivdep
      for (int j = 0; j < M; j++) A[i][j] += B[i][j] * C[i][k] * D[k][j];
  }
#else // D transposed first, k innermost
  static T Dt[M][K];
#pragma omp parallel for
  for (int j = 0; j < M; j++)
    for (int k = 0; k < K; k++) Dt[j][k] = D[k][j];
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      T sum = 0;
      for (int k = 0; k < K; k++) sum += B[i][j] * C[i][k] * Dt[j][k];
      A[i][j] = sum;
    }
#endif
  return 0;
}
