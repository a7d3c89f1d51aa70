/* What the measured loops share. VECTOR is the size of a vector register, PAGE and LINE are those
 * of the memory, WAYS are lines of a set, AHEAD_BYTES is how far ahead lines are asked for: Go defines them. REGISTER is the letter of vector registers in assembly, and STREAM
 * writes two vectors or halves past the caches. */
typedef long long int64;
#define HALF (VECTOR > 16 ? VECTOR / 2 : VECTOR)

#if defined(__x86_64__)
#define REGISTER "v"
#if defined(__AVX__)
#define STREAM_ONE "vmovntps"
#else
#define STREAM_ONE "movntps"
#endif
#define STREAM(p, x, y)                                                  \
  __asm__ volatile(STREAM_ONE " %2, %0\n" STREAM_ONE " %3, %1"           \
                   : "=m"((p)[0]), "=m"((p)[1])                          \
                   : REGISTER(x), REGISTER(y))
#define STREAM_END __asm__ volatile("sfence" : : : "memory")
#elif defined(__aarch64__)
#define REGISTER "w"
#define STREAM(p, x, y) __asm__ volatile("stnp %q1, %q2, [%0]" : : "r"(p), "w"(x), "w"(y) : "memory")
#define STREAM_END __asm__ volatile("" : : : "memory")
#else
#error "no measurements for this processor"
#endif

typedef void parallel_function(void (*body)(void *, int64, int64), void *context, int64 count, int64 threads);

/* A job is what one call measures: `rounds` repetitions on each thread, over a
 * part of a buffer where there is one. */
typedef struct {
  int (*work)(char *from, char *to, long bytes, long rounds);
  char *from, *to;
  long bytes, rounds; /* of each thread */
  int status;
} job;

static void share(void *context, int64 begin, int64 end) {
  job *j = context;
  for (int64 i = begin; i < end; i++)
    if (j->work(j->from + i * j->bytes, j->to + i * j->bytes, j->bytes, j->rounds)) j->status = 1;
}

/* args: pool, threads, rounds, from, to, bytes of each thread */
static int spread(const int64 *args, int (*work)(char *, char *, long, long)) {
  job j = {work, (char *)args[3], (char *)args[4], args[5], args[2], 0};
  ((parallel_function *)args[0])(share, &j, args[1], args[1]);
  return j.status;
}
