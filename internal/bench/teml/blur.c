// The mean of 3×3 pixels in two passes.
static T X[H][W], bx[H][W - 2], out[H - 2][W - 2];
ARGUMENTS(LOAD(0, X), STORE(1, out))
int run(const i64 *args) {
#define ACROSS(y, x) bx[y][x] = (X[y][x] + X[y][x + 1] + X[y][(x) + 2]) / 3
#define DOWN(y, x) out[y][x] = (bx[y][x] + bx[(y) + 1][x] + bx[(y) + 2][x]) / 3
#if PATH == SEQUENTIAL
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W - 2; x++) ACROSS(y, x);
  for (int y = 0; y < H - 2; y++)
    for (int x = 0; x < W - 2; x++) DOWN(y, x);
#else // both passes in one nest, the second two rows behind; columns in blocks
#pragma omp parallel for
  for (int xt = 0; xt < W - 2; xt += 1024)
    for (int y = 0; y < H; y++) {
#pragma GCC ivdep
      for (int x = xt; x < LEAST(xt + 1024, W - 2); x++) ACROSS(y, x);
      if (y >= 2)
#pragma GCC ivdep
        for (int x = xt; x < LEAST(xt + 1024, W - 2); x++) DOWN(y - 2, x);
    }
#endif
  return 0;
}
