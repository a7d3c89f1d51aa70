/* Memory for temporaries. The system promises more than it has, and ends a process that comes to use it; so what is
 * large is compared with what is available before, as Ricci does for calls from Go. */
enum { LARGE = 1 << 28 };

static int64_t number_in(const char *path) {
  char text[64] = {0};
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  char *line = fgets(text, sizeof text, file);
  fclose(file);
  return line ? strtoll(line, 0, 10) : 0; /* 0 for the word max */
}

/* available_memory is how many bytes there are to be used; INT64_MAX where nobody says it. */
static int64_t available_memory(void) {
  int64_t available = INT64_MAX, limit = number_in("/sys/fs/cgroup/memory.max");
  FILE *file = fopen("/proc/meminfo", "re");
  if (file) {
    char line[128];
    long long kilobytes;
    while (fgets(line, sizeof line, file))
      if (sscanf(line, "MemAvailable: %lld kB", &kilobytes) == 1 && kilobytes > 0 && kilobytes < INT64_MAX / 1024) available = kilobytes * 1024;
    fclose(file);
  }
  if (limit > 0) {
    int64_t left = limit - number_in("/sys/fs/cgroup/memory.current");
    if (left < available) available = left > 0 ? left : 0;
  }
  return available;
}

RICCI_SHARED void *ricci_temporaries(int64_t bytes) {
  if (bytes < 0 || (bytes > LARGE && bytes > available_memory() / 4 * 3)) return 0;
  return malloc((size_t)bytes);
}
