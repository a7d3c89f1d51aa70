/* How many threads a call uses where nobody says it: what RICCI_THREADS says, or else as many as there are cores that
 * the process may use, by its affinity and by the share of time that a container has. */
#include <unistd.h>

/* share_of_time is how many cores the process may keep busy, where its control group says so; else 0. */
static int64_t share_of_time(void) {
  char text[64];
  int64_t cores = 0;
  FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
  if (!file) return 0;
  if (fgets(text, sizeof text, file)) {
    char *behind = text;
    long long quota = strtoll(text, &behind, 10), period = strtoll(behind, 0, 10);
    if (behind != text && quota > 0 && period > 0) cores = (quota + period - 1) / period;
  }
  fclose(file);
  return cores;
}

static int64_t cores_to_use(void) {
  int64_t n = 0, share = share_of_time();
#ifdef __linux__
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) n = CPU_COUNT(&cores);
#endif
  if (n <= 0) n = sysconf(_SC_NPROCESSORS_ONLN);
  if (share > 0 && share < n) n = share;
  return n > 0 ? n : 1;
}

RICCI_SHARED int64_t ricci_threads(void) {
  static _Atomic int64_t known;
  int64_t n = atomic_load_explicit(&known, memory_order_relaxed);
  if (n > 0) return n;
  const char *wanted = getenv("RICCI_THREADS");
  if (wanted) n = strtoll(wanted, 0, 10);
  if (n <= 0) n = cores_to_use();
  atomic_store_explicit(&known, n, memory_order_relaxed);
  return n;
}
