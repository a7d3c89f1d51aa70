float expf(float);
int naive(const long *args) {
  const float *X = (const float *)args[0];
  float *Y = (float *)args[1];
  for (long n = 0; n < N; n++) {
    float top = X[n * D], sum = 0;
    for (long d = 1; d < D; d++) top = X[n * D + d] > top ? X[n * D + d] : top;
    for (long d = 0; d < D; d++) sum += Y[n * D + d] = expf(X[n * D + d] - top);
    for (long d = 0; d < D; d++) Y[n * D + d] /= sum;
  }
  return 0;
}
