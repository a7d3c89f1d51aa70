// Four steps of a five-point mean, each of which loses the border, of floats.
#define T float
static T X[H][W], t1[H - 2][W - 2], t2[H - 4][W - 4], t3[H - 6][W - 6], out[H - 8][W - 8];
ARGUMENTS(LOAD(0, X), STORE(1, out))
#if PATH == SEQUENTIAL
#define ROWS
#else // every step on all threads
#define ROWS _Pragma("omp parallel for")
#endif
#define STEP(to, from, border) ROWS \
  for (int y = 0; y < H - (border); y++) \
    for (int x = 0; x < W - (border); x++) \
      to[y][x] = (from[y + 1][x] + from[y + 1][x + 2] + from[y][x + 1] + from[y + 2][x + 1] + from[y + 1][x + 1]) * (T)0.2;
int run(const i64 *args) {
  STEP(t1, X, 2)
  STEP(t2, t1, 4)
  STEP(t3, t2, 6)
  STEP(out, t3, 8)
  return 0;
}
