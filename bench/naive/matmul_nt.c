int naive(const long *args) {
  const float *A = (const float *)args[0], *B = (const float *)args[1];
  float *C = (float *)args[2];
  for (long i = 0; i < M; i++)
    for (long j = 0; j < N; j++) {
      float s = 0;
      for (long k = 0; k < K; k++) s += A[i * K + k] * B[j * K + k];
      C[i * N + j] = s;
    }
  return 0;
}
