void *malloc(unsigned long);
void free(void *);
int naive(const long *args) {
  const float *restrict X = (const float *)args[0];
  float *restrict Y = (float *)args[1];
  const long OW = W - 2;
  float *restrict t = malloc(sizeof(float) * H * OW);
  for (long i = 0; i < H; i++)
    for (long j = 0; j < OW; j++) t[i * OW + j] = (X[i * W + j] + X[i * W + j + 1] + X[i * W + j + 2]) / 3;
  for (long i = 0; i < H - 2; i++)
    for (long j = 0; j < OW; j++) Y[i * OW + j] = (t[i * OW + j] + t[(i + 1) * OW + j] + t[(i + 2) * OW + j]) / 3;
  free(t);
  return 0;
}
