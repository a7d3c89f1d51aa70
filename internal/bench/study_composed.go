package bench

// Compositions as array libraries compute them: step by step, through memory.

func attentionPeers(s map[string]int64) map[string]string {
	return map[string]string{cblas: typeText(false) + enumAll(s) + cblasText + stepsText + attentionText}
}

func matmulConvPeers(s map[string]int64) map[string]string {
	return map[string]string{cblas: typeText(false) + enumAll(s) + cblasText + stepsText + matmulConvText}
}

// stepsText lets gcc compute exp by vectors, which libm has.
const stepsText = `
__attribute__((simd("notinbranch"))) float expf(float);
`

const attentionText = `
static T scores[(i64)N * M];
int run(const i64 *args) {
  BLAS(gemm)(ROW, PLAIN, TRANSPOSED, N, M, E, 1, P(0), E, P(1), E, 0, scores, M);
#pragma omp parallel for num_threads(args[1])
  for (int i = 0; i < N; i++) {
    T *restrict s = scores + (i64)i * M, most = s[0], sum = 0;
#pragma omp simd reduction(max : most)
    for (int j = 1; j < M; j++) most = s[j] > most ? s[j] : most;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < M; j++) sum += s[j] = expf(s[j] - most);
#pragma omp simd
    for (int j = 0; j < M; j++) s[j] /= sum;
  }
  BLAS(gemm)(ROW, PLAIN, PLAIN, N, D, M, 1, scores, M, P(2), D, 0, P(3), D);
  return 0;
}
`

// matmulConvText filters rows by vectors; the rows of the filter stay in registers.
const matmulConvText = `
enum { ROWS = I - R + 1, COLUMNS = J - S + 1 };
static T product[(i64)I * J];
int run(const i64 *args) {
  BLAS(gemm)(ROW, PLAIN, PLAIN, I, J, K, 1, P(0), K, P(1), J, 0, product, J);
  const T *restrict filter = P(2);
#pragma omp parallel for num_threads(args[1])
  for (int p = 0; p < ROWS; p++) {
    T *restrict o = P(3) + (i64)p * COLUMNS;
#pragma omp simd
    for (int q = 0; q < COLUMNS; q++) {
      T sum = 0;
#pragma GCC unroll 8
      for (int r = 0; r < R; r++)
#pragma GCC unroll 8
        for (int s = 0; s < S; s++) sum += product[(i64)(p + r) * J + q + s] * filter[r * S + s];
      o[q] = sum;
    }
  }
  return 0;
}
`
