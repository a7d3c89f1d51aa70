/* Pairs of loops that compute the same in two ways: what compilers make of the first is timed against the second.
 * VECTOR is the size of a vector register and REGISTERS their number, which Go defines. The arrays are small. */
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
