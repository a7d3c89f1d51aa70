/* The traffic of each kind over a piece of memory, `rounds` times, in steps of
 * a type; at so many places at a time. The empty assembly keeps compilers from calling
 * memcpy or dropping what is not used. */
typedef float vector __attribute__((vector_size(VECTOR)));
typedef float half __attribute__((vector_size(HALF)));
enum { BLOCK = 8 }; /* elements of one step */

#define TRAFFIC(name, type, places, step)                                \
  static int name##_piece(char *from, char *to, long bytes, long rounds) \
  {                                                                      \
    const long n = bytes / (long)sizeof(type) / places;                  \
    type value = {0};                                                    \
    __asm__ volatile("" : "+" REGISTER(value));                          \
    for (long r = 0; r < rounds; r++) {                                  \
      const type *in = (const type *)from;                               \
      type *out = (type *)to;                                            \
      for (long i = 0; i < n; i += BLOCK) {                              \
        { enum { k = 0 }; step(type) }                                   \
        { enum { k = 2 }; step(type) }                                   \
        { enum { k = 4 }; step(type) }                                   \
        { enum { k = 6 }; step(type) }                                   \
      }                                                                  \
      STREAM_END;                                                        \
    }                                                                    \
    __asm__ volatile("" : : "r"(from), "r"(to), REGISTER(value));        \
    return 0;                                                            \
  }                                                                      \
  int name(const int64 *args) { return spread(args, name##_piece); }

#define LOAD(type, at) type x = in[(at)], y = in[(at) + 1]; __asm__ volatile("" : "+" REGISTER(x), "+" REGISTER(y));
#define READ(type) LOAD(type, i + k)
#define READ_FOUR(type) { LOAD(type, i + k) } { LOAD(type, n + i + k) } { LOAD(type, 2 * n + i + k) } { LOAD(type, 3 * n + i + k) }
#define AHEAD (AHEAD_BYTES / VECTOR) /* elements; may lie outside: nothing is asked for there */
#define ASK(array, ...) __builtin_prefetch(array + i + k + AHEAD, __VA_ARGS__); __builtin_prefetch(array + i + k + 1 + AHEAD, __VA_ARGS__);
/* asks for what is read, and for the first lines of the next page, where the prefetchers of a processor begin again */
#define ASK_READ(array)                                                                     \
  ASK(array, 0, 2)                                                                          \
  if (__builtin_expect(((unsigned long)(array + i + k) & (PAGE - 1)) < 2 * sizeof(*array), 0)) \
    for (int l = 0; l < 8; l++) __builtin_prefetch((char *)(array + i + k) + PAGE + LINE * l, 0, 2);
#define READ_AHEAD(type) ASK_READ(in) READ(type)
#define READ_FOUR_AHEAD(type) { const type *in0 = in, *in1 = in + n, *in2 = in + 2 * n, *in3 = in + 3 * n; \
    ASK_READ(in0) ASK_READ(in1) ASK_READ(in2) ASK_READ(in3) } READ_FOUR(type)
#define WRITE_AHEAD(type) ASK(out, 1) WRITE(type)
#define COPY_AHEAD(type) ASK_READ(in) ASK(out, 1) COPY(type)
#define WRITE(type) out[i + k] = value; out[i + k + 1] = value;
#define COPY(type) LOAD(type, i + k) out[i + k] = x; out[i + k + 1] = y;
#define WRITE_STREAM(type) STREAM(out + i + k, value, value);
#define COPY_STREAM(type) LOAD(type, i + k) STREAM(out + i + k, x, y);
#define COPY_STREAM_AHEAD(type) ASK_READ(in) COPY_STREAM(type)

TRAFFIC(traffic_read, vector, 1, READ)
TRAFFIC(traffic_read_four, vector, 4, READ_FOUR)
TRAFFIC(traffic_read_ahead, vector, 1, READ_AHEAD)
TRAFFIC(traffic_read_four_ahead, vector, 4, READ_FOUR_AHEAD)
TRAFFIC(traffic_write_ahead, vector, 1, WRITE_AHEAD)
TRAFFIC(traffic_copy_ahead, vector, 1, COPY_AHEAD)
TRAFFIC(traffic_write, vector, 1, WRITE)
TRAFFIC(traffic_write_half, half, 1, WRITE)
TRAFFIC(traffic_copy, vector, 1, COPY)
TRAFFIC(traffic_copy_half, half, 1, COPY)
TRAFFIC(traffic_stream, vector, 1, WRITE_STREAM)
TRAFFIC(traffic_stream_half, half, 1, WRITE_STREAM)
TRAFFIC(traffic_stream_copy, vector, 1, COPY_STREAM)
TRAFFIC(traffic_stream_copy_ahead, vector, 1, COPY_STREAM_AHEAD)
TRAFFIC(traffic_stream_copy_half, half, 1, COPY_STREAM)
