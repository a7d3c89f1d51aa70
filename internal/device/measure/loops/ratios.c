/* Pairs of loops that compute the same in two ways: what compilers make of the first is timed against the second.
 * VECTOR is the size of a vector register and REGISTERS their number, which Go defines. The arrays are small, but where a
 * pair is about what comes from further away. */
#define SPREAD(name) int name(const int64 *args) { return spread(args, name##_work); }
#define WORK(name) static __attribute__((noinline)) int name##_work(char *from, char *to, long bytes, long rounds)
#define UNROLL _Pragma("GCC unroll 64")
#define KEEP(x) __asm__ volatile("" : "+" REGISTER(x))

/* A register tile of products, as rules make them: a few vectors of one operand times elements of the other for some
 * rows, whose sums take three quarters of the registers. */
typedef float tile_vector __attribute__((vector_size(VECTOR)));
enum { TILE_VECTORS = REGISTERS > 16 ? 4 : 3, TILE_ROWS = REGISTERS * 3 / 4 / TILE_VECTORS, TILE_STEPS = 128, TILE_LANES = VECTOR / 4 };

#define TILE(name, HOLD)                                                                                                   \
  WORK(name)                                                                                                               \
  {                                                                                                                        \
    const float *a = (const float *)from, *b = (const float *)(from + bytes / 2);                                          \
    for (long r = 0; r < rounds; r++) {                                                                                    \
      tile_vector sums[TILE_ROWS * TILE_VECTORS];                                                                          \
      UNROLL for (int n = 0; n < TILE_ROWS * TILE_VECTORS; n++) sums[n] = (tile_vector){};                                 \
      for (long k = 0; k < TILE_STEPS; k++) {                                                                              \
        HOLD                                                                                                               \
        UNROLL for (int i = 0; i < TILE_ROWS; i++)                                                                         \
          UNROLL for (int j = 0; j < TILE_VECTORS; j++)                                                                    \
            sums[i * TILE_VECTORS + j] = a[i * TILE_STEPS + k] * TILE_OPERAND + sums[i * TILE_VECTORS + j];                \
      }                                                                                                                    \
      UNROLL for (int n = 0; n < TILE_ROWS * TILE_VECTORS; n++)((tile_vector *)to)[n] = sums[n];                           \
    }                                                                                                                      \
    return 0;                                                                                                              \
  }                                                                                                                        \
  SPREAD(name)

#define TILE_READ(j) (*(const tile_vector *)&b[(k * TILE_VECTORS + (j)) * TILE_LANES])
#define TILE_OPERAND TILE_READ(j)
TILE(folded_loads, )
#undef TILE_OPERAND
#define TILE_OPERAND held[j]
TILE(held_loads, tile_vector held[TILE_VECTORS]; UNROLL for (int j = 0; j < TILE_VECTORS; j++) { tile_vector x = TILE_READ(j); __asm__("" : "+" REGISTER(x)); held[j] = x; })
#undef TILE_OPERAND

/* A vector of which one lane is stored: under a mask, as vectors that are not whole are, or by itself. */
typedef int mask_vector __attribute__((vector_size(VECTOR)));
enum { LANES = VECTOR / 4, STORES = 64 };

static inline __attribute__((always_inline)) void store_masked(float *p, tile_vector x, mask_vector m)
{
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  unsigned long long k;
  __asm__("vpmovd2m %1, %0" : "=Yk"(k) : "v"(m));
  __asm__("vmovups %1, %0%{%2%}" : "+m"(*(tile_vector *)p) : "v"(x), "Yk"(k));
#elif defined(__AVX2__) && VECTOR <= 32
  __asm__("vpmaskmovd %1, %2, %0" : "+m"(*(tile_vector *)p) : "x"(x), "x"(m));
#else
  for (int l = 0; l < LANES; l++)
    if (m[l]) p[l] = x[l];
#endif
}

#define STORE(name, ...)                                                                          \
  WORK(name)                                                                                      \
  {                                                                                               \
    tile_vector x = *(const tile_vector *)from;                                                   \
    mask_vector number;                                                                           \
    UNROLL for (int l = 0; l < LANES; l++) number[l] = l;                                         \
    for (long r = 0; r < rounds; r++)                                                             \
      for (float *p = (float *)to; p < (float *)to + STORES * LANES; p += LANES * LANES) {        \
        KEEP(x);                                                                                  \
        UNROLL for (int l = 0; l < LANES; l++) { float *at = p + l * LANES; __VA_ARGS__; }        \
      }                                                                                           \
    return 0;                                                                                     \
  }                                                                                               \
  SPREAD(name)

STORE(masked_stores, store_masked(at, x, number == l))
STORE(single_stores, at[l] = x[l])

/* Elements from anywhere: by one instruction, or by a load and an insertion for each lane. */
#define GATHER(name, ...)                                                                         \
  WORK(name)                                                                                      \
  {                                                                                               \
    const float *p = (const float *)from;                                                         \
    mask_vector at;                                                                               \
    UNROLL for (int l = 0; l < LANES; l++) at[l] = l * 37;                                        \
    for (long r = 0; r < rounds; r++)                                                             \
      for (int n = 0; n < STORES; n++, p = (const float *)from + n) {                             \
        KEEP(at);                                                                                 \
        tile_vector x;                                                                            \
        __VA_ARGS__;                                                                              \
        ((tile_vector *)to)[n] = x;                                                               \
      }                                                                                           \
    return 0;                                                                                     \
  }                                                                                               \
  SPREAD(name)

#if defined(__AVX512F__) && VECTOR == 64
#define GATHERED x = (tile_vector)__builtin_ia32_gathersiv16sf((tile_vector){}, p, at, (unsigned short)-1, 4)
#elif defined(__AVX2__) && VECTOR == 32
#define GATHERED x = (tile_vector)__builtin_ia32_gathersiv8sf((tile_vector){}, p, at, (tile_vector)(mask_vector){-1, -1, -1, -1, -1, -1, -1, -1}, 4)
#else
#define GATHERED x = (tile_vector){}; return 1 /* there is no such instruction */
#endif
GATHER(gathers, GATHERED)
GATHER(inserts, UNROLL for (int l = 0; l < LANES; l++) x[l] = p[at[l]])

/* Floats to bytes: as compilers make them of vectors of 32 bits, or by way of 16 bits. */
typedef short word_vector __attribute__((vector_size(VECTOR / 2)));
typedef signed char byte_vector __attribute__((vector_size(VECTOR / 4)));
#define CAST(name, BYTES)                                                                         \
  WORK(name)                                                                                      \
  {                                                                                               \
    for (long r = 0; r < rounds; r++)                                                             \
      for (int n = 0; n < STORES; n++) {                                                          \
        mask_vector w = __builtin_convertvector(((const tile_vector *)from)[n] * 0.5f, mask_vector); \
        ((byte_vector *)to)[n] = BYTES;                                                           \
      }                                                                                           \
    return 0;                                                                                     \
  }                                                                                               \
  SPREAD(name)

CAST(byte_casts, __builtin_convertvector(w, byte_vector))
CAST(word_casts, __builtin_convertvector(__builtin_convertvector(w, word_vector), byte_vector))

/* Sums of a stream, which ask for the lines ahead of them, as kernels do, or leave that to the hardware. They are whole
 * numbers: what lies there may be slow for floats. */
typedef unsigned whole_vector __attribute__((vector_size(VECTOR)));
enum { SUMS = 8 };
#define SUM(name, ...)                                                                            \
  WORK(name)                                                                                      \
  {                                                                                               \
    whole_vector sums[SUMS] = {};                                                                 \
    for (long r = 0; r < rounds; r++)                                                             \
      for (const char *p = from; p < from + bytes; p += SUMS * VECTOR)                            \
        UNROLL for (int n = 0; n < SUMS; n++) {                                                   \
          const char *at = p + n * VECTOR;                                                        \
          __VA_ARGS__;                                                                            \
          sums[n] += *(const whole_vector *)at;                                                   \
        }                                                                                         \
    UNROLL for (int n = 0; n < SUMS; n++)((whole_vector *)to)[n] = sums[n];                       \
    return 0;                                                                                     \
  }                                                                                               \
  SPREAD(name)

static inline __attribute__((always_inline)) void ask_ahead(const char *at)
{
  __builtin_prefetch(at + AHEAD_BYTES, 0, 2);
  if (__builtin_expect(((unsigned long)at & (PAGE - 1)) < VECTOR, 0))
    for (int l = 0; l < 8; l++) __builtin_prefetch(at + PAGE + LINE * l, 0, 2);
}

SUM(asked_sums, ask_ahead(at))
SUM(plain_sums, )

/* A transposition of vectors, block by block: the rows of a block of the result lie far apart and begin within lines. Those
 * of the next row are asked for, or they are not. */
typedef float loose_vector __attribute__((vector_size(VECTOR), aligned(4)));
enum { SIDE = 16 }; /* vectors */
#define TRANSPOSE(name, ...)                                                                      \
  WORK(name)                                                                                      \
  {                                                                                               \
    long n = SIDE;                                                                                \
    while ((n + SIDE) * ((n + SIDE) * VECTOR + 20) <= bytes) n += SIDE;                           \
    const long pitch = n * LANES + 5;                                                             \
    for (long r = 0; r < rounds; r++)                                                             \
      for (long i = 0; i < n; i += SIDE)                                                          \
        for (long j = 0; j < n; j += SIDE)                                                        \
          for (long row = j; row < j + SIDE; row++)                                               \
            UNROLL for (int l = 0; l < SIDE; l++) {                                               \
              float *at = (float *)to + row * pitch + (i + l) * LANES;                            \
              __VA_ARGS__;                                                                        \
              *(loose_vector *)at = *((const loose_vector *)((const float *)from + (i + l) * pitch + row * LANES)); \
            }                                                                                     \
    return 0;                                                                                     \
  }                                                                                               \
  SPREAD(name)

TRANSPOSE(asked_rows, __builtin_prefetch(at + pitch, 1))
TRANSPOSE(plain_rows, )

/* Running sums down rows that lie a page apart, a few of them at a time, whose lines share a set of the nearest cache. */
enum { ROW = PAGE / VECTOR }; /* vectors */
#define RUNNING(name, TOGETHER)                                                                   \
  WORK(name)                                                                                      \
  {                                                                                               \
    const long rows = bytes / PAGE;                                                               \
    for (long r = 0; r < rounds; r++) {                                                           \
      whole_vector sums[ROW] = {};                                                                \
      for (long i = 0; i < rows; i += TOGETHER) {                                                 \
        const whole_vector *in = (const whole_vector *)(from + i * PAGE);                         \
        whole_vector *out = (whole_vector *)(to + i * PAGE);                                      \
        if (i + TOGETHER <= rows)                                                                 \
          for (int j = 0; j < ROW; j++)                                                           \
            UNROLL for (int k = 0; k < TOGETHER; k++) out[k * ROW + j] = sums[j] += in[k * ROW + j]; \
        else                                                                                      \
          for (long k = 0; k < rows - i; k++)                                                     \
            for (int j = 0; j < ROW; j++) out[k * ROW + j] = sums[j] += in[k * ROW + j];          \
      }                                                                                           \
    }                                                                                             \
    return 0;                                                                                     \
  }                                                                                               \
  SPREAD(name)

RUNNING(crowded_sums, WAYS)
RUNNING(spread_sums, (WAYS > 1 ? WAYS / 2 : 1))
