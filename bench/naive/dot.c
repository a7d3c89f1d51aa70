int naive(const long *args) {
  const float *X = (const float *)args[0], *Y = (const float *)args[1];
  float s = 0;
  for (long i = 0; i < N; i++) s += X[i] * Y[i];
  *(float *)args[2] = s;
  return 0;
}
