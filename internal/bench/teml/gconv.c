// A grouped convolution of stride 1 on images that are padded already.
enum { OH = H - KH + 1, OW = W - KW + 1 };
static T I[N][G][C][H][W], V[G][F][C][KH][KW], O[N][G][F][OH][OW];
ARGUMENTS(LOAD(0, I) LOAD(1, V), STORE(2, O))
int run(const i64 *args) {
#if PATH == SEQUENTIAL
  for (int n = 0; n < N; n++)
    for (int g = 0; g < G; g++)
      for (int o = 0; o < F; o++)
        for (int h = 0; h < OH; h++)
          for (int w = 0; w < OW; w++) {
            O[n][g][o][h][w] = 0;
            for (int c = 0; c < C; c++)
              for (int kh = 0; kh < KH; kh++)
                for (int kw = 0; kw < KW; kw++) O[n][g][o][h][w] += I[n][g][c][h + kh][w + kw] * V[g][o][c][kh][kw];
          }
#else
#pragma omp parallel for
  for (int n = 0; n < N; n++)
    for (int g = 0; g < G; g++)
      for (int o = 0; o < F; o++)
        for (int h = 0; h < OH; h++)
          for (int w = 0; w < OW; w++) O[n][g][o][h][w] = 0;
#pragma omp parallel for
  for (int n = 0; n < N; n++)
    for (int g = 0; g < G; g++)
      for (int o = 0; o < F; o++)
#if PATH == PLUTO // interchange(l, 4, 5); interchange(l, 5, 6); parallelize(l, 1); the innermost loop vectors
        for (int w = 0; w < OW; w++)
          for (int c = 0; c < C; c++)
            for (int h = 0; h < OH; h++)
              for (int kh = 0; kh < KH; kh++)
#pragma GCC ivdep
                for (int kw = 0; kw < KW; kw++) O[n][g][o][h][w] += I[n][g][c][h + kh][w + kw] * V[g][o][c][kh][kw];
#else // c outside of h and w, which is innermost, and the filter's loops written out
        for (int c = 0; c < C; c++)
          for (int h = 0; h < OH; h++)
#pragma GCC ivdep
            for (int w = 0; w < OW; w++) {
              T sum = O[n][g][o][h][w];
#pragma GCC unroll 8
              for (int kh = 0; kh < KH; kh++)
#pragma GCC unroll 8
                for (int kw = 0; kw < KW; kw++) sum += I[n][g][c][h + kh][w + kw] * V[g][o][c][kh][kw];
              O[n][g][o][h][w] = sum;
            }
#endif
#endif
  return 0;
}
