// A[i][j] = Σ B[i][k][l] D[l][j] C[k][j].
static T B[I][K][L], C[K][J], D[L][J], A[I][J];
ARGUMENTS(LOAD(0, B) LOAD(1, C) LOAD(2, D), STORE(3, A))
int run(const i64 *args) {
#if PATH == SEQUENTIAL
  for (int i = 0; i < I; i++)
    for (int j = 0; j < J; j++) {
      A[i][j] = 0;
      for (int k = 0; k < K; k++)
        for (int l = 0; l < L; l++) A[i][j] += B[i][k][l] * D[l][j] * C[k][j];
    }
#else
#if PATH == OWN // Dt = transpose(D, [[1, 2]]), then the same loops
  static T Dt[J][L];
#pragma omp parallel for
  for (int j = 0; j < J; j++)
    for (int l = 0; l < L; l++) Dt[j][l] = D[l][j];
#define FACTOR(l, j) Dt[j][l]
#else
#define FACTOR(l, j) D[l][j]
#endif
#pragma omp parallel for
  for (int i = 0; i < I; i++) { // parallelize(l, 1); interchange(l, 2, 3)
    for (int j = 0; j < J; j++) A[i][j] = 0;
    for (int k = 0; k < K; k++)
      for (int j = 0; j < J; j++)
        for (int l = 0; l < L; l++) A[i][j] += B[i][k][l] * FACTOR(l, j) * C[k][j];
  }
#endif
  return 0;
}
