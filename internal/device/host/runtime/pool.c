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
 * Iterations are handed out in contiguous pieces. Each thread has a share of them, the
 * same one in every region of as many iterations, so that it finds in its own caches
 * what it wrote and read in the last one. Who has finished his share takes pieces from
 * the ends of the others', so a late worker only means that others do more. When
 * nothing is left the caller takes back every GO that was not picked up: it never waits
 * for a worker that has not started, which matters when the machine is busy. Who waits
 * spins for a moment and then sleeps.
 *
 * The kernel may wake a thread on the core of the thread that wakes it even when
 * another core is idle; in a virtual machine it does so often, because the host has
 * taken the idle core away. Worker and caller then share one core for milliseconds.
 * So before a region the caller looks where its workers are, and confines those that
 * sleep, or that share a core, to the cores where no other thread of the region is.
 * This decides about the start only: the first thing that a worker does in a region
 * is to lift the limit, so that the kernel may move it when the machine is busy. A
 * worker never leaves the set of cores that it was given from outside.
 *
 * A region inside a region, and a region that finds the pool taken by another
 * thread, run serially on the spot. Both happen in a failed try of the one lock.
 *
 * A fork leaves the child without workers, whatever their words say, and perhaps with a
 * region of a thread that is not there. So the child begins anew.
 */
#define _GNU_SOURCE /* cpu_set_t */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#ifndef EXPORT
#define EXPORT __attribute__((visibility("default")))
#endif

enum { IDLE, ASLEEP, GO, RUN, WAITED };

enum {
  MAX_WORKERS = 1023,
  PIECES_PER_THREAD = 4,
  SPINS = 32,        /* between two looks at the clock: 1 or 2 microseconds */
  PATIENCE = 200000, /* nanoseconds of waiting until a thread sleeps */
  STACK_BYTES = 8 << 20,
};

typedef void body_function(void *context, int64_t begin, int64_t end);

typedef struct {
  _Alignas(128) _Atomic uint32_t state;
#ifdef __linux__
  _Atomic pid_t id; /* 0 until the thread has started */
  _Atomic int core; /* where it was seen last */
  /* These belong to the worker while the state is RUN, to the caller otherwise. */
  int home;          /* its core, or -1 when another thread of the region has it */
  int confined;      /* to fewer cores than `allowed` */
  cpu_set_t allowed; /* what it was given; valid while it is confined */
#else
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
  int64_t count, pieces, threads;
} pool = {.busy = ATOMIC_FLAG_INIT, .limit = MAX_WORKERS};

static worker workers[MAX_WORKERS];

/* A share is what nobody has taken yet of the pieces of one thread: the number of the
 * first one in the lower half, that behind the last one in the upper half. The caller
 * has the first share, and each worker the one behind its own number. */
typedef struct {
  _Alignas(128) _Atomic uint64_t left;
} share;

static share shares[1 + MAX_WORKERS];

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("isb"); /* waits for some cycles, which yield does not */
#endif
}

static int64_t nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A patience is the state of somebody who waits. */
typedef struct {
  int spins;
  int64_t since;
} patience;

/* wait_more lets a little time pass; it returns 0 when it is time to sleep. */
static int wait_more(patience *p) {
  relax();
  if (++p->spins % SPINS != 0) return 1;
  int64_t now = nanoseconds();
  if (p->spins == SPINS) p->since = now;
  return now - p->since < PATIENCE;
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

#ifdef __linux__
/* settle notes where the worker is. */
static void settle(worker *w) {
  int core = sched_getcpu();
  if (core != atomic_load_explicit(&w->core, memory_order_relaxed))
    atomic_store_explicit(&w->core, core, memory_order_relaxed);
}

static void enroll(worker *w) {
  settle(w);
  atomic_store(&w->id, (pid_t)syscall(SYS_gettid));
}

/* release lifts the limit of confine. */
static void release(worker *w) {
  if (w->confined) sched_setaffinity(0, sizeof w->allowed, &w->allowed);
  w->confined = 0;
  settle(w);
}

/* confine keeps a worker off the taken cores, its home excepted, as long as a core
 * is left. Beyond 1024 cores the first call fails, and the kernel decides. */
static void confine(worker *w, const cpu_set_t *taken) {
  pid_t id = atomic_load(&w->id);
  if (id == 0) return;
  if (!w->confined && sched_getaffinity(id, sizeof w->allowed, &w->allowed) != 0) return;
  cpu_set_t cores = *taken;
  if (w->home >= 0) CPU_CLR(w->home, &cores);
  CPU_AND(&cores, &cores, &w->allowed);
  CPU_XOR(&cores, &cores, &w->allowed);
  if (CPU_COUNT(&cores) > 0 && sched_setaffinity(id, sizeof cores, &cores) == 0) w->confined = 1;
}

static int is_asleep(worker *w) { return atomic_load_explicit(&w->state, memory_order_relaxed) == ASLEEP; }

/* spread sends the workers of a region to different cores. Nearly always they are
 * awake and on different ones already. */
static void spread(int64_t helpers) {
  int here = sched_getcpu(), apart = 1;
  if (here < 0) return;
  cpu_set_t taken;
  CPU_ZERO(&taken);
  CPU_SET(here, &taken);
  for (worker *w = workers; w < workers + helpers; w++) {
    int core = atomic_load_explicit(&w->core, memory_order_relaxed);
    w->home = CPU_ISSET(core, &taken) ? -1 : core;
    CPU_SET(core, &taken);
    if (w->home < 0 || is_asleep(w)) apart = 0;
  }
  if (apart) return;
  for (worker *w = workers; w < workers + helpers; w++)
    if (w->home < 0 || is_asleep(w)) confine(w, &taken);
}

/* is_in_the_way says that the worker cannot go on because the caller has its core. */
static int is_in_the_way(worker *w) {
  int here = sched_getcpu();
  return here >= 0 && here == atomic_load_explicit(&w->core, memory_order_relaxed);
}
#else
/* Elsewhere the kernel decides. */
static void settle(worker *w) { (void)w; }
static void enroll(worker *w) { (void)w; }
static void release(worker *w) { (void)w; }
static void spread(int64_t helpers) { (void)helpers; }
static int is_in_the_way(worker *w) { return (void)w, 0; }
#endif

/* deal gives the pieces to the threads. */
static void deal(void) {
  for (int64_t i = 0; i < pool.threads; i++) {
    uint64_t first = (uint64_t)(i * pool.pieces / pool.threads), end = (uint64_t)((i + 1) * pool.pieces / pool.threads);
    atomic_store_explicit(&shares[i].left, first | end << 32, memory_order_relaxed);
  }
}

/* take takes a piece of a share, the last one for somebody else than its owner; it
 * returns -1 when nothing is left. */
static int64_t take(share *s, int is_own) {
  uint64_t left = atomic_load_explicit(&s->left, memory_order_relaxed);
  for (;;) {
    uint32_t first = (uint32_t)left, end = (uint32_t)(left >> 32);
    if (first >= end) return -1;
    uint64_t rest = is_own ? left + 1 : left - ((uint64_t)1 << 32);
    if (atomic_compare_exchange_weak_explicit(&s->left, &left, rest, memory_order_relaxed, memory_order_relaxed))
      return is_own ? first : end - 1;
  }
}

/* beginning is the first iteration of a piece, p * count / pieces; that product may be too large. */
static int64_t beginning(int64_t p, int64_t count, int64_t pieces) {
  return p * (count / pieces) + p * (count % pieces) / pieces;
}

/* run_pieces is the part of one thread in the region: its own share first. */
static void run_pieces(int64_t self) {
  body_function *body = pool.body;
  void *context = pool.context;
  int64_t count = pool.count, pieces = pool.pieces, threads = pool.threads;
  for (int64_t i = 0; i < threads; i++)
    for (int64_t p; (p = take(&shares[(self + i) % threads], i == 0)) >= 0;)
      body(context, beginning(p, count, pieces), beginning(p + 1, count, pieces));
}

static void *work(void *argument) {
  worker *w = argument;
  enroll(w);
  for (;;) {
    patience p = {0};
    for (;;) {
      uint32_t state = GO;
      if (atomic_load_explicit(&w->state, memory_order_relaxed) == GO &&
          atomic_compare_exchange_strong(&w->state, &state, RUN))
        break;
      settle(w);
      if (wait_more(&p)) continue;
      state = IDLE;
      if (atomic_compare_exchange_strong(&w->state, &state, ASLEEP) || state == ASLEEP) sleep_while(w, ASLEEP);
      p = (patience){0};
    }
    release(w);
    run_pieces(1 + (w - workers));
    settle(w);
    if (atomic_exchange(&w->state, IDLE) == WAITED) wake(w);
  }
  return 0;
}

/* forget makes the pool of a child that was forked as new. One worker more than are counted may be
 * there: the thread that starts it may not have come to count it. */
static void forget(void) {
  for (worker *w = workers; w <= workers + pool.started && w < workers + MAX_WORKERS; w++) *w = (worker){0};
  pool.started = 0;
  pool.limit = MAX_WORKERS;
  atomic_flag_clear(&pool.busy);
}

/* start makes workers until there are `wanted`, or as many as the system allows.
 * Signals are for the threads of the host program, so workers block them all. */
static void start(int64_t wanted) {
  static int is_watched; /* guarded by busy */
  if (!is_watched) is_watched = pthread_atfork(0, 0, forget) == 0;
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

/* join takes back a worker that has not started, or waits until it is done. To spin
 * on the core that the worker needs would only make it later. */
static void join(worker *w) {
  uint32_t state = GO;
  if (atomic_compare_exchange_strong(&w->state, &state, IDLE)) return;
  patience p = {0};
  do {
    if (atomic_load(&w->state) == IDLE || atomic_load(&w->state) == ASLEEP) return;
  } while (!is_in_the_way(w) && wait_more(&p));
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
  pool.body = body;
  pool.context = context;
  pool.count = count;
  pool.threads = helpers + 1;
  pool.pieces = pool.threads * PIECES_PER_THREAD < count ? pool.threads * PIECES_PER_THREAD : count;
  deal();
  spread(helpers);
  for (int64_t i = 0; i < helpers; i++)
    if (atomic_exchange(&workers[i].state, GO) == ASLEEP) wake(&workers[i]);
  run_pieces(0);
  for (int64_t i = 0; i < helpers; i++) join(&workers[i]);
  atomic_flag_clear_explicit(&pool.busy, memory_order_release);
}

/* ricci_parallel_address lets a caller that can only call int32_t f(const
 * int64_t *) learn the address of the function above. */
EXPORT int32_t ricci_parallel_address(int64_t *out) {
  out[0] = (int64_t)(intptr_t)&ricci_parallel;
  return 0;
}
