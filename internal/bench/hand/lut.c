/* Embeddings: the sums of a row of the result stay in the cache, and the rows of the table are asked for ahead,
 * because nobody else knows which they are. */
enum { AHEAD = 8, LINE = 64 / sizeof(T) };
static void look(const T *restrict table, const int *restrict index, T *restrict to, int count) {
  T sum[D];
  for (int j = 0; j < D; j++) sum[j] = 0;
  for (int k = 0; k < AHEAD && k < count; k++)
    for (int j = 0; j < D; j += LINE) __builtin_prefetch(table + (i64)index[k] * D + j);
  for (int k = 0; k < count; k++) {
    if (k + AHEAD < count)
      for (int j = 0; j < D; j += LINE) __builtin_prefetch(table + (i64)index[k + AHEAD] * D + j);
    const T *restrict row = table + (i64)index[k] * D;
#pragma omp simd
    for (int j = 0; j < D; j++) sum[j] += row[j];
  }
  for (int j = 0; j < D; j++) to[j] = sum[j];
}
int run(const i64 *args) {
#pragma omp parallel for schedule(static) num_threads(args[1])
  for (int i = 0; i < B * TABLES; i++) {
    const int table = i / B, row = i % B, count = table ? L2 : L1;
    look(P(2 * table), (const int *)args[5 + 2 * table] + (i64)row * count, P(2 * TABLES + table) + (i64)row * D, count);
  }
  return 0;
}
