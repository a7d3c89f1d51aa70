/* The traffic of each kind over a piece of memory, `rounds` times. The empty
 * assembly keeps compilers from calling memcpy or dropping what is not used. */
typedef float vector __attribute__((vector_size(VECTOR)));
enum { BLOCK = 8 }; /* vectors of one step */

#define TRAFFIC(name, step)                                              \
  static int name##_piece(char *from, char *to, long bytes, long rounds) \
  {                                                                      \
    const long n = bytes / VECTOR;                                       \
    vector value = {0};                                                  \
    __asm__ volatile("" : "+" REGISTER(value));                          \
    for (long r = 0; r < rounds; r++) {                                  \
      const vector *in = (const vector *)from;                           \
      vector *out = (vector *)to;                                        \
      for (long i = 0; i < n; i += BLOCK) {                              \
        { enum { k = 0 }; step }                                         \
        { enum { k = 2 }; step }                                         \
        { enum { k = 4 }; step }                                         \
        { enum { k = 6 }; step }                                         \
      }                                                                  \
      STREAM_END;                                                        \
    }                                                                    \
    (void)in_use(from, to, value);                                       \
    return 0;                                                            \
  }                                                                      \
  int name(const int64 *args) { return spread(args, name##_piece); }

static inline int in_use(const char *from, const char *to, vector v) {
  __asm__ volatile("" : : "r"(from), "r"(to), REGISTER(v));
  return 0;
}

#define LOAD2 vector x = in[i + k], y = in[i + k + 1]; __asm__ volatile("" : "+" REGISTER(x), "+" REGISTER(y));
#define STORE2(x, y) out[i + k] = x; out[i + k + 1] = y;

TRAFFIC(traffic_read, LOAD2)
TRAFFIC(traffic_write, STORE2(value, value))
TRAFFIC(traffic_copy, LOAD2 STORE2(x, y))
TRAFFIC(traffic_stream, STREAM(out + i + k, value, value);)
TRAFFIC(traffic_stream_copy, LOAD2 STREAM(out + i + k, x, y);)
