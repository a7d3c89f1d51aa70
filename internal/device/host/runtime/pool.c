/* The thread pool of compiled kernels: fork and join in well under a
 * microsecond, without OpenMP.
 *
 * How it works
 *
 * One region runs at a time. Each worker owns one word, and the word is the whole
 * protocol between it and the thread that runs the region:
 *
 *   IDLE    the worker spins and looks at its word
 *   ASLEEP  the worker waits in the kernel until its word changes
 *   GO      the region wants this worker; it has not started yet
 *   RUN     the worker has started
 *   WAITED  RUN, and the caller sleeps until the worker has finished
 *
 * The caller publishes the region, sets the words it wants to GO, and works too.
 * Iterations are handed out in contiguous chunks from a shared counter, so a late
 * worker only means that others do more. When the counter is used up the caller
 * takes back every GO that was not picked up: it never waits for a worker that has
 * not started, which matters when the machine is busy.
 *
 * A region inside a region, and a region that finds the pool taken by another
 * thread, run serially on the spot. Both happen in a failed try of the one lock.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#define EXPORT __attribute__((visibility("default")))

enum { IDLE, ASLEEP, GO, RUN, WAITED };

enum {
  MAX_WORKERS = 1023,
  CHUNKS_PER_THREAD = 4,
  SPINS = 2000, /* some tens of microseconds */
  STACK_BYTES = 8 << 20,
};

typedef void body_function(void *context, int64_t begin, int64_t end);

typedef struct {
  _Alignas(128) _Atomic uint32_t state;
#ifndef __linux__
  pthread_mutex_t mutex;
  pthread_cond_t changed;
#endif
} worker;

static struct {
  _Alignas(128) atomic_flag busy;
  int64_t started; /* workers that exist; guarded by busy, like the next four */
  int64_t limit;   /* no more than this: lowered when a thread cannot be made */
  body_function *body;
  void *context;
  int64_t count, chunk;
  _Alignas(128) _Atomic int64_t next;
} pool = {.busy = ATOMIC_FLAG_INIT, .limit = MAX_WORKERS};

static worker workers[MAX_WORKERS];

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

/* sleep_while waits until the state differs from value; it may return early. */
static void sleep_while(worker *w, uint32_t value) {
#ifdef __linux__
  syscall(SYS_futex, &w->state, FUTEX_WAIT_PRIVATE, value, (void *)0, (void *)0, 0);
#else
  pthread_mutex_lock(&w->mutex);
  while (atomic_load(&w->state) == value) pthread_cond_wait(&w->changed, &w->mutex);
  pthread_mutex_unlock(&w->mutex);
#endif
}

static void wake(worker *w) {
#ifdef __linux__
  syscall(SYS_futex, &w->state, FUTEX_WAKE_PRIVATE, 1, (void *)0, (void *)0, 0);
#else
  pthread_mutex_lock(&w->mutex);
  pthread_cond_broadcast(&w->changed);
  pthread_mutex_unlock(&w->mutex);
#endif
}

static void run_chunks(void) {
  body_function *body = pool.body;
  void *context = pool.context;
  int64_t count = pool.count, chunk = pool.chunk;
  for (;;) {
    int64_t begin = atomic_fetch_add_explicit(&pool.next, chunk, memory_order_relaxed);
    if (begin >= count) return;
    int64_t end = count - begin > chunk ? begin + chunk : count;
    body(context, begin, end);
  }
}

static void *work(void *argument) {
  worker *w = argument;
  for (;;) {
    int spins = 0;
    for (;;) {
      uint32_t state = GO;
      if (atomic_load_explicit(&w->state, memory_order_relaxed) == GO &&
          atomic_compare_exchange_strong(&w->state, &state, RUN))
        break;
      if (++spins < SPINS) {
        relax();
        continue;
      }
      state = IDLE;
      if (atomic_compare_exchange_strong(&w->state, &state, ASLEEP) || state == ASLEEP) sleep_while(w, ASLEEP);
    }
    run_chunks();
    if (atomic_exchange(&w->state, IDLE) == WAITED) wake(w);
  }
  return 0;
}

/* start makes workers until there are `wanted`, or as many as the system allows.
 * Signals are for the threads of the host program, so workers block them all. */
static void start(int64_t wanted) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  while (pool.started < wanted && pool.started < pool.limit) {
    worker *w = &workers[pool.started];
#ifndef __linux__
    pthread_mutex_init(&w->mutex, 0);
    pthread_cond_init(&w->changed, 0);
#endif
    pthread_t thread;
    if (pthread_create(&thread, &attributes, work, w) != 0) {
      pool.limit = pool.started;
      break;
    }
    pool.started++;
  }
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &old, 0);
}

/* join takes back a worker that has not started, or waits until it is done. */
static void join(worker *w) {
  uint32_t state = GO;
  if (atomic_compare_exchange_strong(&w->state, &state, IDLE)) return;
  for (int spins = 0; spins < SPINS; spins++) {
    if (atomic_load(&w->state) == IDLE || atomic_load(&w->state) == ASLEEP) return;
    relax();
  }
  state = RUN;
  if (!atomic_compare_exchange_strong(&w->state, &state, WAITED)) return;
  while (atomic_load(&w->state) == WAITED) sleep_while(w, WAITED);
}

/* ricci_parallel runs body over [0, count) in contiguous pieces on at most
 * `threads` threads, the calling one included, and returns when all is done. */
EXPORT void ricci_parallel(body_function *body, void *context, int64_t count, int64_t threads) {
  if (count <= 0) return;
  if (threads > count) threads = count;
  if (threads <= 1 || atomic_flag_test_and_set_explicit(&pool.busy, memory_order_acquire)) {
    body(context, 0, count);
    return;
  }
  int64_t helpers = threads - 1;
  if (pool.started < helpers) start(helpers);
  if (pool.started < helpers) helpers = pool.started;
  int64_t pieces = (helpers + 1) * CHUNKS_PER_THREAD;
  pool.body = body;
  pool.context = context;
  pool.count = count;
  pool.chunk = count / pieces + (count % pieces != 0);
  atomic_store_explicit(&pool.next, 0, memory_order_relaxed);
  for (int64_t i = 0; i < helpers; i++)
    if (atomic_exchange(&workers[i].state, GO) == ASLEEP) wake(&workers[i]);
  run_chunks();
  for (int64_t i = 0; i < helpers; i++) join(&workers[i]);
  atomic_flag_clear_explicit(&pool.busy, memory_order_release);
}

/* ricci_parallel_address lets a caller that can only call int32_t f(const
 * int64_t *) learn the address of the function above. */
EXPORT int32_t ricci_parallel_address(int64_t *out) {
  out[0] = (int64_t)(intptr_t)&ricci_parallel;
  return 0;
}
