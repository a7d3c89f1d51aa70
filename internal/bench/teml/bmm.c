// C[b] = A[b] B[b].
static T A[BATCH][N][K], B[BATCH][K][M], C[BATCH][N][M];
ARGUMENTS(LOAD(0, A) LOAD(1, B), STORE(2, C))
int run(const i64 *args) {
#if PATH == SEQUENTIAL
  for (int b = 0; b < BATCH; b++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++) {
        C[b][i][j] = 0;
        for (int k = 0; k < K; k++) C[b][i][j] += A[b][i][k] * B[b][k][j];
      }
#elif PATH == PLUTO // tile(l, 32); interchange(l, 7, 8); parallelize(l, 1); vectorize(l, 8)
#pragma omp parallel for
  for (int b = 0; b < BATCH; b++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++) C[b][i][j] = 0;
#pragma omp parallel for
  for (int bt = 0; bt < BATCH; bt += 32)
    for (int it = 0; it < N; it += 32)
      for (int jt = 0; jt < M; jt += 32)
        for (int kt = 0; kt < K; kt += 32)
          for (int b = bt; b < LEAST(bt + 32, BATCH); b++)
            for (int i = it; i < LEAST(it + 32, N); i++)
              for (int k = kt; k < LEAST(kt + 32, K); k++)
#pragma GCC ivdep
                for (int j = jt; j < LEAST(jt + 32, M); j++) C[b][i][j] += A[b][i][k] * B[b][k][j];
#else // B transposed first, k innermost
  static T Bt[BATCH][M][K];
#pragma omp parallel for
  for (int b = 0; b < BATCH; b++)
    for (int j = 0; j < M; j++)
      for (int k = 0; k < K; k++) Bt[b][j][k] = B[b][k][j];
#pragma omp parallel for
  for (int b = 0; b < BATCH; b++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++) {
        T sum = 0;
        for (int k = 0; k < K; k++) sum += A[b][i][k] * Bt[b][j][k];
        C[b][i][j] = sum;
      }
#endif
  return 0;
}
