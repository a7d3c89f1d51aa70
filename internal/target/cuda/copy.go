package cuda

import "github.com/ricci-lang/ricci/internal/target/items"

// copies are functions of the text itself, over the words that processors have from sm_80 on. A program that runs the text elsewhere defines
// R_COPIES and has its own.
var copies = items.Copies{Start: "r_copy<$bytes>($to, $from);", Commit: "r_commit();", Wait: "r_wait<$n>();"}

// copyFunction starts copies. What does not lie at a multiple of its bytes is copied by words, and what lies at none of those by the thread itself, as
// everything is on processors before sm_80.
const copyFunction = `#ifndef R_COPIES
template <int bytes> static __device__ inline void r_copy(void *to, const void *from) {
  const unsigned long long places = (unsigned long long)to | (unsigned long long)from;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned at;
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(at) : "l"(to));
  if (bytes == 16 && places % 16 == 0) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(at), "l"(from) : "memory");
    return;
  }
  if (bytes == 8 && places % 8 == 0) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" : : "r"(at), "l"(from) : "memory");
    return;
  }
  if (places % 4 == 0) {
    for (int k = 0; k < bytes; k += 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "r"(at + k), "l"((const char *)from + k) : "memory");
    return;
  }
#else
  struct __align__(bytes) whole { unsigned words[bytes / 4]; };
  if (places % bytes == 0) {
    *(whole *)to = *(const whole *)from;
    return;
  }
#endif
  for (int k = 0; k < bytes; k++) ((char *)to)[k] = ((const char *)from)[k];
}
#endif
`

const commitFunction = `#ifndef R_COPIES
static __device__ inline void r_commit() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}
#endif
`

const waitFunction = `#ifndef R_COPIES
template <int batches> static __device__ inline void r_wait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" : : "n"(batches) : "memory");
#endif
}
#endif
`
