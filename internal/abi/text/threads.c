/* How many threads a call uses where nobody says it: as many as there are cores that the process may use, or what
 * RICCI_THREADS says. */
RICCI_SHARED int64_t ricci_threads(void) {
  static _Atomic int64_t known;
  int64_t n = atomic_load_explicit(&known, memory_order_relaxed);
  if (n > 0) return n;
  const char *wanted = getenv("RICCI_THREADS");
  if (wanted) n = strtoll(wanted, 0, 10);
#ifdef __linux__
  cpu_set_t cores;
  if (n <= 0 && sched_getaffinity(0, sizeof cores, &cores) == 0) n = CPU_COUNT(&cores);
#endif
  if (n <= 0) n = sysconf(_SC_NPROCESSORS_ONLN);
  if (n <= 0) n = 1;
  atomic_store_explicit(&known, n, memory_order_relaxed);
  return n;
}
