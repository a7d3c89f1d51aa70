int naive(const long *args) {
  const float *restrict X = (const float *)args[0], *restrict Y = (const float *)args[1];
  float *restrict Z = (float *)args[2];
  for (long i = 0; i < N; i++) Z[i] = 2.5f * X[i] + Y[i];
  return 0;
}
