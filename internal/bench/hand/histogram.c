/* Counts the values between the least and the greatest bin, and looks the bins up. */
#include <stdint.h>
#include <string.h>
int run(const int64_t *args) {
  const int32_t *elements = (const int32_t *)args[4], *bins = (const int32_t *)args[5];
  int32_t *out = (int32_t *)args[6];
  enum { MOST = 1 << 16 };
  static int32_t table[MOST];
  int32_t low = bins[0], high = bins[0];
  for (int b = 1; b < B; b++) {
    low = bins[b] < low ? bins[b] : low;
    high = bins[b] > high ? bins[b] : high;
  }
  uint32_t range = (uint32_t)high - (uint32_t)low;
  if (range >= MOST)
    return 1;
  memset(table, 0, (range + 1) * sizeof *table);
  for (int e = 0; e < E; e++) {
    uint32_t at = (uint32_t)elements[e] - (uint32_t)low;
    if (at <= range)
      table[at]++;
  }
  for (int b = 0; b < B; b++)
    out[b] = table[bins[b] - low];
  return 0;
}
