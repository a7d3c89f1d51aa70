int naive(const long *args) {
  const float *restrict X = (const float *)args[0];
  float *restrict Y = (float *)args[1];
  const long OM = M - 2;
  for (long i = 1; i < N - 1; i++)
    for (long j = 1; j < M - 1; j++)
      Y[(i - 1) * OM + j - 1] = 0.2f * (X[i * M + j] + X[(i - 1) * M + j] + X[(i + 1) * M + j] + X[i * M + j - 1] + X[i * M + j + 1]);
  return 0;
}
