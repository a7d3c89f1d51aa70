// CUDA's words on a processor, for tests: a fibre for each thread of a block, one block after the other.
//
// A fibre runs until it meets __syncthreads, a shuffle or its end. When every fibre of the block waits at a barrier, all go
// on; when every fibre of a sub-group waits at its shuffle, that sub-group does. Where neither is so and nobody can run, the
// threads have diverged, and the launch returns 1.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tuple>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))

struct shim_dim { unsigned x, y, z; };
static shim_dim threadIdx, blockIdx, blockDim, gridDim;

static inline float __uint_as_float(unsigned u) { float f; memcpy(&f, &u, 4); return f; }
static inline float __int_as_float(int i) { return __uint_as_float((unsigned)i); }
static inline unsigned __float_as_uint(float f) { unsigned u; memcpy(&u, &f, 4); return u; }
static inline double __longlong_as_double(long long i) { double f; memcpy(&f, &i, 8); return f; }
static inline long long __double_as_longlong(double f) { long long i; memcpy(&i, &f, 8); return i; }
template <typename T> static T atomicAdd(T *at, T x) { T was = *at; *at = (T)((unsigned)was + (unsigned)x); return was; }
template <typename T> static T atomicMin(T *at, T x) { T was = *at; if (x < was) *at = x; return was; }
template <typename T> static T atomicMax(T *at, T x) { T was = *at; if (x > was) *at = x; return was; }
template <typename T> static T atomicAnd(T *at, T x) { T was = *at; *at = was & x; return was; }
template <typename T> static T atomicOr(T *at, T x) { T was = *at; *at = was | x; return was; }
template <typename T> static T atomicXor(T *at, T x) { T was = *at; *at = was ^ x; return was; }
static inline int atomicCAS(int *at, int old, int value) { int was = *at; if (was == old) *at = value; return was; }

// The type of an argument of a kernel.
template <int n, typename... A> static auto shim_argument(void (*)(A...)) -> typename std::tuple_element<n, std::tuple<A...>>::type;

enum shim_state { shim_ready, shim_barrier, shim_shuffle, shim_done };
struct shim_fibre { ucontext_t context; char *stack; shim_state state; unsigned mask, batches; uint64_t value; };
static shim_fibre *shim_fibres;
static unsigned shim_count, shim_now;
static ucontext_t shim_scheduler;
static void (*shim_kernel)(void);

static void shim_wait(shim_state state) {
  shim_fibre *me = &shim_fibres[shim_now];
  me->state = state;
  swapcontext(&me->context, &shim_scheduler);
}
static inline void __syncthreads(void) { shim_wait(shim_barrier); }

template <typename T> static T shim_exchange(unsigned mask, T x, int from, bool there) {
  shim_fibre *me = &shim_fibres[shim_now];
  uint64_t bits = 0;
  memcpy(&bits, &x, sizeof x);
  me->mask = mask;
  me->value = bits;
  unsigned mine = shim_now;
  shim_wait(shim_shuffle);
  // The values of the others stay until all of the sub-group have read: the next shuffle waits for them.
  T r = x;
  if (there) memcpy(&r, &shim_fibres[mine / 32 * 32 + from].value, sizeof r);
  me->mask = 0;
  shim_wait(shim_ready);
  return r;
}
template <typename T> static T __shfl_xor_sync(unsigned mask, T x, int by, int width) {
  int lane = shim_now % 32, from = lane ^ by;
  return shim_exchange(mask, x, from, from / width == lane / width);
}
template <typename T> static T __shfl_down_sync(unsigned mask, T x, int by, int width) {
  int lane = shim_now % 32, from = lane + by;
  return shim_exchange(mask, x, from, from / width == lane / width);
}
template <typename T> static T __shfl_up_sync(unsigned mask, T x, int by, int width) {
  int lane = shim_now % 32, from = lane - by;
  return shim_exchange(mask, x, from, from >= 0 && from / width == lane / width);
}

// Matrix units: the threads of a warp show each other the words of both operands, as the PTX ISA says which elements they are; thread n has the
// results of rows n/4 and n/4 + 8, in columns 2·(n%4) and its neighbour. The instructions are macros of the texts, which these stand for.
struct shim_words { unsigned x[4], y[2]; };
enum shim_kind { shim_f16, shim_bf16, shim_tf32, shim_s8, shim_u8 };
static double shim_element(shim_kind kind, const unsigned *words, int at) {
  unsigned word = kind == shim_tf32 ? words[at] : kind < shim_tf32 ? words[at / 2] >> at % 2 * 16 & 0xffff : words[at / 4] >> at % 4 * 8 & 0xff;
  switch (kind) {
  case shim_f16: {
    int exponent = word >> 10 & 31, fraction = word & 1023;
    double size = exponent == 31 ? (fraction ? NAN : INFINITY) : exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return word >> 15 ? -size : size;
  }
  case shim_bf16: return __uint_as_float(word << 16);
  case shim_tf32: return __uint_as_float(word & ~0x1fffu);
  case shim_s8: return (signed char)word;
  default: return word;
  }
}
static void shim_add(float &z, double product) { z = (float)((double)z + product); }
static void shim_add(int &z, double product) { z = (int)((unsigned)z + (unsigned)(int)product); }
template <typename T> static void shim_mma(shim_kind xs, shim_kind ys, int depth, T *z[4], shim_words mine) {
  shim_fibre *me = &shim_fibres[shim_now];
  unsigned lane = shim_now % 32, warp = shim_now - lane;
  me->mask = 0xffffffffu;
  me->value = (uint64_t)&mine;
  shim_wait(shim_shuffle);
  int per = xs == shim_tf32 ? 1 : xs < shim_tf32 ? 2 : 4; // elements of a word
  for (int r = 0; r < 4; r++) {
    int row = lane / 4 + r / 2 * 8, column = lane % 4 * 2 + r % 2;
    for (int k = 0; k < depth; k++) {
      int word = k / (4 * per), quad = k / per % 4, part = k % per;
      const shim_words *x = (const shim_words *)shim_fibres[warp + row % 8 * 4 + quad].value, *y = (const shim_words *)shim_fibres[warp + column * 4 + quad].value;
      shim_add(*z[r], shim_element(xs, x->x, (word * 2 + row / 8) * per + part) * shim_element(ys, y->y, word * per + part));
    }
  }
  me->mask = 0;
  shim_wait(shim_ready);
}
#define SHIM_MMA(T, x, y, depth, z0, z1, z2, z3, ...) \
  do { shim_words shim_w = __VA_ARGS__; T *shim_z[] = {&z0, &z1, &z2, &z3}; shim_mma(shim_##x, shim_##y, depth, shim_z, shim_w); } while (0)
#define SHIM_DEEP(T, x, y, depth, z0, z1, z2, z3, x0, x1, x2, x3, y0, y1) SHIM_MMA(T, x, y, depth, z0, z1, z2, z3, {{x0, x1, x2, x3}, {y0, y1}})
#define SHIM_FLAT(T, x, y, depth, z0, z1, z2, z3, x0, x1, y0) SHIM_MMA(T, x, y, depth, z0, z1, z2, z3, {{x0, x1}, {y0}})
#define R_MMA_M16N8K16_F16_F16(...) SHIM_DEEP(float, f16, f16, 16, __VA_ARGS__)
#define R_MMA_M16N8K8_F16_F16(...) SHIM_FLAT(float, f16, f16, 8, __VA_ARGS__)
#define R_MMA_M16N8K16_BF16_BF16(...) SHIM_DEEP(float, bf16, bf16, 16, __VA_ARGS__)
#define R_MMA_M16N8K8_BF16_BF16(...) SHIM_FLAT(float, bf16, bf16, 8, __VA_ARGS__)
#define R_MMA_M16N8K8_TF32_TF32(...) SHIM_DEEP(float, tf32, tf32, 8, __VA_ARGS__)
#define R_MMA_M16N8K4_TF32_TF32(...) SHIM_FLAT(float, tf32, tf32, 4, __VA_ARGS__)
#define R_MMA_M16N8K32_S8_S8(...) SHIM_DEEP(int, s8, s8, 32, __VA_ARGS__)
#define R_MMA_M16N8K16_S8_S8(...) SHIM_FLAT(int, s8, s8, 16, __VA_ARGS__)
#define R_MMA_M16N8K32_S8_U8(...) SHIM_DEEP(int, s8, u8, 32, __VA_ARGS__)
#define R_MMA_M16N8K16_S8_U8(...) SHIM_FLAT(int, s8, u8, 16, __VA_ARGS__)
#define R_MMA_M16N8K32_U8_S8(...) SHIM_DEEP(int, u8, s8, 32, __VA_ARGS__)
#define R_MMA_M16N8K16_U8_S8(...) SHIM_FLAT(int, u8, s8, 16, __VA_ARGS__)
#define R_MMA_M16N8K32_U8_U8(...) SHIM_DEEP(int, u8, u8, 32, __VA_ARGS__)
#define R_MMA_M16N8K16_U8_U8(...) SHIM_FLAT(int, u8, u8, 16, __VA_ARGS__)
// Copies that run ahead arrive at the wait for them and not before: until then there is garbage where they go.
#define R_COPIES
struct shim_copy { unsigned fibre, batch; void *to; const void *from; int bytes; };
static std::vector<shim_copy> shim_copies;
template <int bytes> static void r_copy(void *to, const void *from) {
  shim_copies.push_back({shim_now, shim_fibres[shim_now].batches, to, from, bytes});
  memset(to, 0xa5, bytes);
}
static inline void r_commit(void) { shim_fibres[shim_now].batches++; }
template <int batches> static void r_wait(void) {
  std::vector<shim_copy> left;
  for (const shim_copy &c : shim_copies) {
    if (c.fibre == shim_now && c.batch + batches < shim_fibres[shim_now].batches) memcpy(c.to, c.from, c.bytes);
    else left.push_back(c);
  }
  shim_copies.swap(left);
}

// The block of bytes that a launch gives a group is of the very size, between bytes that nobody may change, and undefined at first.
#define R_DYNAMIC
static unsigned char *r_dynamic;
enum { shim_around = 64 };
static std::vector<unsigned char> shim_given;
static void shim_give(int64_t bytes) {
  shim_given.assign(bytes + 3 * shim_around, 0xa5);
  r_dynamic = (unsigned char *)(((uintptr_t)shim_given.data() + 2 * shim_around - 1) / shim_around * shim_around);
}
static bool shim_kept(int64_t bytes) {
  for (int i = 0; i < shim_around; i++) if (r_dynamic[bytes + i] != 0xa5) return false;
  for (const unsigned char *p = shim_given.data(); p < r_dynamic; p++) if (*p != 0xa5) return false;
  return true;
}

static void shim_run(void) {
  shim_kernel();
  shim_wait(shim_done);
}

// A sub-group goes on when all that its mask names wait at the same shuffle.
static bool shim_meet(unsigned n) {
  unsigned warp = n / 32 * 32;
  for (unsigned lane = 0; lane < 32; lane++) {
    if (!(shim_fibres[n].mask >> lane & 1)) continue;
    if (warp + lane >= shim_count || shim_fibres[warp + lane].state != shim_shuffle || shim_fibres[warp + lane].mask != shim_fibres[n].mask) return false;
  }
  return true;
}

static bool shim_block(void) {
  shim_copies.clear();
  for (unsigned n = 0; n < shim_count; n++) {
    shim_fibre *f = &shim_fibres[n];
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->stack;
    f->context.uc_stack.ss_size = 1 << 18;
    f->context.uc_link = &shim_scheduler;
    makecontext(&f->context, shim_run, 0);
    f->state = shim_ready;
    f->batches = 0;
  }
  for (;;) {
    bool ran = false, all = true, done = true;
    for (unsigned n = 0; n < shim_count; n++) {
      if (shim_fibres[n].state != shim_ready) continue;
      ran = true;
      shim_now = n;
      threadIdx.x = n % blockDim.x;
      threadIdx.y = n / blockDim.x % blockDim.y;
      threadIdx.z = n / blockDim.x / blockDim.y;
      swapcontext(&shim_scheduler, &shim_fibres[n].context);
    }
    for (unsigned n = 0; n < shim_count; n++) {
      all = all && shim_fibres[n].state == shim_barrier;
      done = done && shim_fibres[n].state == shim_done;
    }
    if (done) return true;
    if (all) {
      for (unsigned n = 0; n < shim_count; n++) shim_fibres[n].state = shim_ready;
      continue;
    }
    for (unsigned n = 0; n < shim_count; n++) {
      if (shim_fibres[n].state != shim_shuffle || !shim_meet(n)) continue;
      unsigned mask = shim_fibres[n].mask, warp = n / 32 * 32;
      for (unsigned lane = 0; lane < 32; lane++) if (mask >> lane & 1) shim_fibres[warp + lane].state = shim_ready;
      ran = true;
    }
    if (!ran) return false;
  }
}

static int shim_launch(void (*kernel)(void), const int64_t *groups, const int64_t *items, int64_t dynamic) {
  shim_kernel = kernel;
  gridDim.x = groups[0], gridDim.y = groups[1], gridDim.z = groups[2];
  blockDim.x = items[0], blockDim.y = items[1], blockDim.z = items[2];
  shim_count = blockDim.x * blockDim.y * blockDim.z;
  shim_fibres = (shim_fibre *)calloc(shim_count, sizeof(shim_fibre));
  for (unsigned n = 0; n < shim_count; n++) shim_fibres[n].stack = (char *)malloc(1 << 18);
  bool fine = true;
  for (blockIdx.z = 0; blockIdx.z < gridDim.z; blockIdx.z++)
    for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++)
      for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++) {
        shim_give(dynamic);
        fine = shim_block() && shim_kept(dynamic) && fine;
      }
  for (unsigned n = 0; n < shim_count; n++) free(shim_fibres[n].stack);
  free(shim_fibres);
  return !fine;
}
