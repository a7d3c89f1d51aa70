int naive(const long *args) {
  const float *X = (const float *)args[0], *W = (const float *)args[1], *bias = (const float *)args[2];
  float *Y = (float *)args[3];
  for (long b = 0; b < B; b++)
    for (long o = 0; o < O; o++) {
      float s = bias[o];
      for (long i = 0; i < I; i++) s += X[b * I + i] * W[o * I + i];
      Y[b * O + o] = s > 0 ? s : 0;
    }
  return 0;
}
