/* Draws calls of a function whose kernel is written here, y(i,j) = x(i,j) + z(j) and s = how many elements y has, and compares what becomes of
 * them with what this file says they mean. The text of package abi stands in front; sanitizers watch the memory. The arguments are a seed
 * and how many calls to draw. */

static uint64_t state;

static int64_t draw(int64_t n) { /* 0 to n - 1 */
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((state >> 33) % (uint64_t)n);
}

static int often(void) { return draw(8) != 0; }

enum { X, Z, Y, S, ARGUMENTS, MEMORY = 64 };

static int64_t fixed_strides[] = {-5, 1}; /* of x, in the function with fixed extents */

static const ricci_argument open_arguments[] = {
    {"x", "float32(N, M)", 2, 32, RICCI_IN, 2, 0}, {"z", "float32(M)", 2, 32, RICCI_IN, 1, 0}, {"y", "float32(N, M)", 2, 32, RICCI_OUT, 2, 0}, {"s", "int64", 0, 64, RICCI_OUT, 0, 0}};
static const ricci_argument fixed_arguments[] = {
    {"x", "float32(3, 2)", 2, 32, RICCI_IN, 2, fixed_strides}, {"z", "float32(2)", 2, 32, RICCI_IN, 1, 0}, {"y", "float32(3, 2)", 2, 32, RICCI_OUT, 2, 0}, {"s", "int64", 0, 64, RICCI_OUT, 0, 0}};
static const ricci_size open_sizes[] = {{"N", X, 0}, {"M", X, 1}};
static const int64_t fixed_extents[] = {3, 2, 2, 3, 2};

/* What a compiler would make: extents of at most 4, so that all is small. */
static int extents_of(int64_t *sizes, int64_t *extents) {
  if (sizes[0] < 0 || sizes[1] < 0) return -4;
  if (sizes[0] > 4 || sizes[1] > 4) return -5;
  const int64_t list[] = {sizes[0], sizes[1], sizes[1], sizes[0], sizes[1]};
  memcpy(extents, list, sizeof list);
  return 0;
}

static const char *explain(int code) { return code == -4 ? "negative" : code == -5 ? "too large" : "memory"; }

static int64_t row_stride, columns, rows;

static int kernel(ricci_run *run) {
  const float *x = run->data[X], *z = run->data[Z];
  float *y = run->data[Y];
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++) y[i * columns + j] = -1;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++) y[i * columns + j] = x[i * row_stride + j] + z[j];
  *(int64_t *)run->data[S] = rows * columns;
  return 0;
}

static int run_open(ricci_run *run) {
  rows = run->sizes[0], columns = run->sizes[1], row_stride = columns;
  return kernel(run);
}

static int run_fixed(ricci_run *run) {
  rows = 3, columns = 2, row_stride = fixed_strides[0];
  return kernel(run);
}

static const ricci_function functions[] = {
    {"open", ARGUMENTS, 2, 2, 0, 5, open_arguments, open_sizes, 0, extents_of, explain, run_open, 0, 0, 0},
    {"fixed", ARGUMENTS, 2, 0, 0, 5, fixed_arguments, 0, fixed_extents, 0, explain, run_fixed, 0, 0, 0}};

typedef struct {
  DLTensor t;
  int64_t shape[3], strides[3];
} tensor;

static int64_t close_to(int64_t right) { return often() ? right : draw(7) - 2; }

/* put draws a tensor that is mostly right. */
static void put(tensor *x, const ricci_argument *a, const int64_t *extents, const int64_t *strides, char *memory) {
  int64_t dense = 1;
  for (int d = a->rank - 1; d >= 0; d--) {
    x->shape[d] = draw(30) ? extents[d] : close_to(extents[d]);
    x->strides[d] = draw(30) ? (strides ? strides[d] : dense) : draw(13) - 6;
    dense *= extents[d];
  }
  int64_t first = draw(12) * 4 + (draw(40) ? 0 : draw(4));
  if (strides && strides[0] < 0) first += -strides[0] * 2 * 4;
  int64_t offset = draw(2) ? 0 : draw(3) * 4;
  x->t = (DLTensor){.data = memory + first - offset, .device = {draw(60) ? 1 : 2, 0}, .ndim = draw(60) ? a->rank : (int32_t)draw(4),
                    .dtype = {a->code, draw(60) ? a->bits : 16, 1}, .shape = x->shape, .strides = draw(4) || strides ? x->strides : 0, .byte_offset = (uint64_t)offset};
  if (!draw(80)) x->t.data = 0, x->t.byte_offset = 0;
}

/* inside says that all elements lie in the memory, where they are read and written. */
static int inside(const DLTensor *t, const char *memory, int64_t bytes) {
  int64_t low = 0, high = t->dtype.bits / 8, dense = t->dtype.bits / 8;
  for (int d = t->ndim - 1; d >= 0; d--) {
    if (t->shape[d] <= 0) return 1;
    int64_t reach = (t->shape[d] - 1) * (t->strides ? t->strides[d] * (t->dtype.bits / 8) : dense);
    if (reach < 0) low += reach;
    else high += reach;
    dense *= t->shape[d];
  }
  int64_t first = (const char *)t->data - memory + (int64_t)t->byte_offset;
  return first + low >= 0 && first + high <= bytes;
}

static int overlap(const char *a, int64_t n, const char *b, int64_t m) { return a < b + m && b < a + n; }

/* lay draws where the elements of a tensor lie, and marks their bytes. */
static void lay(place *into, char *memory, unsigned char *marks, unsigned char mark) {
  static const uint8_t sizes[] = {8, 16, 32, 64};
  int64_t shape[3], strides[3];
  const uint8_t bits = sizes[draw(4)];
  ricci_argument a = {"x", "", 2, bits, RICCI_OUT, (int32_t)draw(4), strides};
  DLTensor t = {.ndim = a.rank, .shape = shape, .strides = strides, .data = memory + 1536 + draw(64) * (bits / 8)};
  for (int d = 0; d < a.rank; d++) {
    shape[d] = draw(20) ? 1 + draw(4) : 0;
    strides[d] = draw(25) - 12;
  }
  DLTensor *list[] = {&t};
  void *data[1];
  ricci_function g = {.name = "f", .argument = &a};
  ricci_call call = {.arguments = list};
  frame f = {.function = &g, .call = &call, .places = into, .data = data};
  if (check_place(&f, 0, shape)) exit(1);
  for (int64_t n = 0, all = (a.rank > 0 ? shape[0] : 1) * (a.rank > 1 ? shape[1] : 1) * (a.rank > 2 ? shape[2] : 1); n < all; n++) {
    int64_t rest = n, at = (char *)t.data - memory;
    for (int d = 0; d < a.rank; rest /= shape[d++]) at += rest % shape[d] * strides[d] * (bits / 8);
    for (int b = 0; b < bits / 8; b++) marks[at + b] |= mark;
  }
}

/* beside compares what is said of shared memory with the bytes themselves. */
static int beside(long draws) {
  static char memory[4096];
  long interleaved = 0, found = 0;
  for (; draws > 0; draws--) {
    unsigned char marks[sizeof memory] = {0};
    place a, b;
    int both = 0;
    lay(&a, memory, marks, 1), lay(&b, memory, marks, 2);
    for (size_t k = 0; k < sizeof marks; k++) both |= marks[k] == 3;
    if (both && !share_memory(&a, &b)) return printf("memory is shared, and it is said that none is\n"), 1;
    if (!both && a.low < b.high && b.low < a.high) interleaved++, found += !share_memory(&a, &b);
  }
  printf("%ld of %ld that interleave were seen to share nothing\n", found, interleaved);
  return found < interleaved / 8 || found < 100;
}

int main(int count, char **arguments) {
  (void)count;
  state = strtoull(arguments[1], 0, 10);
  if (beside(strtol(arguments[2], 0, 10))) return 1;
  long accepted = 0, refused[16] = {0}, shared = 0;
  for (long n = strtol(arguments[2], 0, 10); n > 0; n--) {
    int is_fixed = (int)draw(2);
    const ricci_function *f = &functions[is_fixed];
    const int64_t N = is_fixed ? 3 : draw(5), M = is_fixed ? 2 : draw(5);
    const int64_t extents[][2] = {{N, M}, {M, 0}, {N, M}, {0, 0}};
    /* One block on the heap for all, or one for each: a sanitizer notices what is beyond either. */
    enum { BYTES = 4 * MEMORY * 4 };
    char *memory = malloc(BYTES), *before = malloc(BYTES), message[40];
    for (int i = 0; i < BYTES / 4; i++) ((float *)memory)[i] = (float)draw(100);
    tensor list[ARGUMENTS];
    DLTensor *pointers[ARGUMENTS];
    int together = (int)draw(2), fits = 1;
    for (int i = 0; i < ARGUMENTS; i++) {
      put(&list[i], &f->argument[i], extents[i], f->argument[i].strides, memory + (together ? 0 : i * MEMORY * 4));
      pointers[i] = draw(100) ? &list[i].t : 0;
      fits &= !pointers[i] || !list[i].t.data || inside(&list[i].t, memory, BYTES);
    }
    memcpy(before, memory, BYTES);
    uint8_t flags[ARGUMENTS] = {1, 1, draw(40) == 0, draw(40) == 0};
    ricci_call call = {.bytes = sizeof call, .count = draw(50) ? ARGUMENTS : (int32_t)draw(6), .arguments = pointers, .flags = draw(2) ? flags : 0,
                       .message = message, .message_bytes = (uint32_t)draw(sizeof message + 1), .threads = (int32_t)draw(3)};
    int32_t code = fits ? ricci_make_call(f, &call) : -1;
    if (code > 0 && memcmp(before, memory, BYTES) != 0) return printf("a refused call (%d) has written\n", code), 1;
    if (code > 0) refused[code]++;
    if (code == 0) {
      accepted++;
      char *y = (char *)list[Y].t.data + list[Y].t.byte_offset, *s = (char *)list[S].t.data + list[S].t.byte_offset;
      for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < M; j++) {
          const float *x = (const float *)(before + ((char *)list[X].t.data + list[X].t.byte_offset - memory)) + i * (is_fixed ? fixed_strides[0] : M) + j;
          const float *z = (const float *)(before + ((char *)list[Z].t.data + list[Z].t.byte_offset - memory)) + j;
          float got = ((float *)y)[i * M + j];
          if (got != *x + *z) return printf("y(%d,%d) is %g, expected %g\n", (int)i, (int)j, got, *x + *z), 1;
          memset(y + (i * M + j) * 4, 0, 4);
        }
      if (*(int64_t *)s != N * M) return printf("s is wrong\n"), 1;
      shared += N * M > 0 && overlap(y, N * M * 4, (char *)list[Z].t.data + list[Z].t.byte_offset, M * 4);
      /* Nothing but y and s has changed. */
      memset(s, 0, 8);
      memset(before + (s - memory), 0, 8);
      memset(before + (y - memory), 0, (size_t)(N * M * 4));
      if (memcmp(before, memory, BYTES) != 0) return printf("something else was written\n"), 1;
    }
    free(memory), free(before);
  }
  printf("%ld accepted, %ld in place of an input; refused:", accepted, shared);
  for (int i = 1; i <= RICCI_BOUNDS; i++) printf(" %ld", refused[i]);
  printf("\n");
  for (int i = RICCI_COUNT; i <= RICCI_SIZES; i++)
    if (refused[i] == 0) return printf("no call was refused for the reason %d\n", i), 1;
  return accepted < 100 || shared < 10;
}
