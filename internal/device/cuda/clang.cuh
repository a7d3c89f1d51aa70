// What clang has to know of CUDA where NVIDIA's headers are not installed: the words of texts, as declarations.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __align__(n) __attribute__((aligned(n)))

struct ricci_dim3 { unsigned x, y, z; };
#define RICCI_REGISTER(name, sreg) \
  struct ricci_##name { \
    __declspec(property(get = get_x)) unsigned x; \
    __declspec(property(get = get_y)) unsigned y; \
    __declspec(property(get = get_z)) unsigned z; \
    static inline __device__ unsigned get_x() { return __nvvm_read_ptx_sreg_##sreg##_x(); } \
    static inline __device__ unsigned get_y() { return __nvvm_read_ptx_sreg_##sreg##_y(); } \
    static inline __device__ unsigned get_z() { return __nvvm_read_ptx_sreg_##sreg##_z(); } \
  }; \
  extern const __device__ ricci_##name name;
RICCI_REGISTER(threadIdx, tid)
RICCI_REGISTER(blockIdx, ctaid)
RICCI_REGISTER(blockDim, ntid)
RICCI_REGISTER(gridDim, nctaid)

#define RICCI_INLINE static inline __device__
RICCI_INLINE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
RICCI_INLINE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
RICCI_INLINE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
RICCI_INLINE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
RICCI_INLINE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
RICCI_INLINE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
RICCI_INLINE int atomicCAS(int *at, int old, int value) { return __nvvm_atom_cas_gen_i(at, old, value); }

// Atomic updates of int and unsigned int.
#define RICCI_ATOMIC(name, call) \
  RICCI_INLINE int name(int *at, int x) { return call(at, x); } \
  RICCI_INLINE unsigned name(unsigned *at, unsigned x) { return call(at, x); }
#define RICCI_FETCH_ADD(at, x) __atomic_fetch_add(at, x, __ATOMIC_RELAXED)
#define RICCI_FETCH_MIN(at, x) __atomic_fetch_min(at, x, __ATOMIC_RELAXED)
#define RICCI_FETCH_MAX(at, x) __atomic_fetch_max(at, x, __ATOMIC_RELAXED)
#define RICCI_FETCH_AND(at, x) __atomic_fetch_and(at, x, __ATOMIC_RELAXED)
#define RICCI_FETCH_OR(at, x) __atomic_fetch_or(at, x, __ATOMIC_RELAXED)
#define RICCI_FETCH_XOR(at, x) __atomic_fetch_xor(at, x, __ATOMIC_RELAXED)
RICCI_ATOMIC(atomicAdd, RICCI_FETCH_ADD)
RICCI_ATOMIC(atomicMin, RICCI_FETCH_MIN)
RICCI_ATOMIC(atomicMax, RICCI_FETCH_MAX)
RICCI_ATOMIC(atomicAnd, RICCI_FETCH_AND)
RICCI_ATOMIC(atomicOr, RICCI_FETCH_OR)
RICCI_ATOMIC(atomicXor, RICCI_FETCH_XOR)

// Shuffles of values of 4 bytes; longer ones in two halves, shorter ones as an int.
#define RICCI_SHUFFLE(name, builtin, bits) \
  template <typename T> RICCI_INLINE T name(unsigned mask, T x, int by, int width = 32) { \
    int parts[(sizeof(T) + 3) / 4] = {}; \
    __builtin_memcpy(parts, &x, sizeof x); \
    for (unsigned i = 0; i < (sizeof(T) + 3) / 4; i++) parts[i] = builtin(mask, parts[i], by, ((32 - width) << 8) | bits); \
    __builtin_memcpy(&x, parts, sizeof x); \
    return x; \
  }
RICCI_SHUFFLE(__shfl_xor_sync, __nvvm_shfl_sync_bfly_i32, 0x1f)
RICCI_SHUFFLE(__shfl_down_sync, __nvvm_shfl_sync_down_i32, 0x1f)
RICCI_SHUFFLE(__shfl_up_sync, __nvvm_shfl_sync_up_i32, 0)
RICCI_SHUFFLE(__shfl_sync, __nvvm_shfl_sync_idx_i32, 0x1f)

// The library of functions: clang's PTX calls what a text calls, and who assembles it has them (libdevice).
#define RICCI_ONE(name) extern "C" __device__ double name(double); extern "C" __device__ float name##f(float);
#define RICCI_TWO(name) extern "C" __device__ double name(double, double); extern "C" __device__ float name##f(float, float);
RICCI_ONE(acos) RICCI_ONE(acosh) RICCI_ONE(asin) RICCI_ONE(asinh) RICCI_ONE(atan) RICCI_ONE(atanh) RICCI_ONE(cbrt) RICCI_ONE(ceil) RICCI_ONE(cos) RICCI_ONE(cosh)
RICCI_ONE(erf) RICCI_ONE(erfc) RICCI_ONE(exp) RICCI_ONE(exp2) RICCI_ONE(expm1) RICCI_ONE(fabs) RICCI_ONE(floor) RICCI_ONE(log) RICCI_ONE(log10) RICCI_ONE(log1p)
RICCI_ONE(log2) RICCI_ONE(logb) RICCI_ONE(rint) RICCI_ONE(round) RICCI_ONE(sin) RICCI_ONE(sinh) RICCI_ONE(sqrt) RICCI_ONE(tan) RICCI_ONE(tanh) RICCI_ONE(tgamma)
RICCI_ONE(trunc)
RICCI_TWO(atan2) RICCI_TWO(copysign) RICCI_TWO(fdim) RICCI_TWO(fmod) RICCI_TWO(hypot) RICCI_TWO(nextafter) RICCI_TWO(pow) RICCI_TWO(remainder)
extern "C" __device__ double fma(double, double, double);
extern "C" __device__ float fmaf(float, float, float);
