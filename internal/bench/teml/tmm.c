// C = Aᵀ B through the transposed copy At, as the meta-program has it.
static T A[K][N], B[K][M], At[N][K], C[N][M];
ARGUMENTS(LOAD(0, A) LOAD(1, B), STORE(2, C))
int run(const i64 *args) {
#if PATH == SEQUENTIAL
  for (int k = 0; k < K; k++)
    for (int i = 0; i < N; i++) At[i][k] = A[k][i];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      C[i][j] = 0;
      for (int k = 0; k < K; k++) C[i][j] += At[i][k] * B[k][j];
    }
#else // blocks of 32, j innermost and vectors: what Pluto makes of it
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    for (int k = 0; k < K; k++) At[i][k] = A[k][i];
#pragma omp parallel for
  for (int it = 0; it < N; it += 32)
    for (int jt = 0; jt < M; jt += 32) {
      for (int i = it; i < LEAST(it + 32, N); i++)
        for (int j = jt; j < LEAST(jt + 32, M); j++) C[i][j] = 0;
      for (int kt = 0; kt < K; kt += 32)
        for (int i = it; i < LEAST(it + 32, N); i++)
          for (int k = kt; k < LEAST(kt + 32, K); k++)
#pragma GCC ivdep
            for (int j = jt; j < LEAST(jt + 32, M); j++) C[i][j] += At[i][k] * B[k][j];
    }
#endif
  return 0;
}
