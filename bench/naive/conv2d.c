int naive(const long *args) {
  const float *X = (const float *)args[0], *weight = (const float *)args[1];
  float *Y = (float *)args[2];
  const long OH = H - KH + 1, OW = W - KW + 1;
  for (long n = 0; n < N; n++)
    for (long f = 0; f < F; f++)
      for (long h = 0; h < OH; h++)
        for (long w = 0; w < OW; w++) {
          float s = 0;
          for (long c = 0; c < C; c++)
            for (long kh = 0; kh < KH; kh++)
              for (long kw = 0; kw < KW; kw++)
                s += X[((n * C + c) * H + h + kh) * W + w + kw] * weight[((f * C + c) * KH + kh) * KW + kw];
          Y[((n * F + f) * OH + h) * OW + w] = s;
        }
  return 0;
}
