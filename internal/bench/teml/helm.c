// v = (S ⊗ S ⊗ S)(q ∘ u) in each of many elements, with q[a][b][c] = d[a] / (d[b] d[c]).
#define ZERO(to) for (int a = 0; a < N; a++) for (int b = 0; b < N; b++) for (int c = 0; c < N; c++) to[e][a][b][c] = 0;
#define NEST_LAST(to, term) for (int a = 0; a < N; a++) for (int b = 0; b < N; b++) for (int c = 0; c < N; c++) for (int m = 0; m < N; m++) to[e][a][b][c] += term;
#define NEST_FOURTH(to, term) for (int a = 0; a < N; a++) for (int b = 0; b < N; b++) for (int m = 0; m < N; m++) _Pragma("GCC ivdep") for (int c = 0; c < N; c++) to[e][a][b][c] += term;
#define NEST_THIRD(to, term) for (int a = 0; a < N; a++) for (int m = 0; m < N; m++) for (int b = 0; b < N; b++) _Pragma("GCC ivdep") for (int c = 0; c < N; c++) to[e][a][b][c] += term;
#define FIRST S[a][m] * r[e][m][b][c]
#define SECOND S[b][m] * t[e][a][m][c]
#define THIRD S[c][m] * w[e][a][b][m]
static T u[E][N][N][N], S[N][N], d[N], v[E][N][N][N], p[N][N], q[N][N][N], r[E][N][N][N], t[E][N][N][N], w[E][N][N][N];
ARGUMENTS(LOAD(0, u) LOAD(1, S) LOAD(2, d), STORE(3, v))
int run(const i64 *args) {
#if PATH == SEQUENTIAL
#define PARALLEL
#define VECTOR
#else
#define PARALLEL _Pragma("omp parallel for")
#define VECTOR _Pragma("GCC ivdep")
#endif
  PARALLEL
  for (int a = 0; a < N; a++) {
    VECTOR
    for (int b = 0; b < N; b++) p[a][b] = d[a] * d[b];
  }
  PARALLEL
  for (int a = 0; a < N; a++)
    for (int b = 0; b < N; b++) {
      VECTOR
      for (int c = 0; c < N; c++) q[a][b][c] = d[a] / p[b][c];
    }
  PARALLEL
  for (int e = 0; e < E; e++)
    for (int a = 0; a < N; a++)
      for (int b = 0; b < N; b++) {
        VECTOR
        for (int c = 0; c < N; c++) r[e][a][b][c] = q[a][b][c] * u[e][a][b][c];
      }
#if PATH == SEQUENTIAL
  for (int e = 0; e < E; e++) { ZERO(t) NEST_LAST(t, FIRST) }
  for (int e = 0; e < E; e++) { ZERO(w) NEST_LAST(w, SECOND) }
  for (int e = 0; e < E; e++) { ZERO(v) NEST_LAST(v, THIRD) }
#elif PATH == PLUTO // the three contractions fused, which is legal for the loop over the elements
#pragma omp parallel for
  for (int e = 0; e < E; e++) {
    ZERO(t) NEST_LAST(t, FIRST)
    ZERO(w) NEST_LAST(w, SECOND)
    ZERO(v) NEST_LAST(v, THIRD)
  }
#else // loops permuted as those of interp, not fused
#pragma omp parallel for
  for (int e = 0; e < E; e++) { ZERO(t) NEST_THIRD(t, FIRST) }
#pragma omp parallel for
  for (int e = 0; e < E; e++) { ZERO(w) NEST_FOURTH(w, SECOND) }
#pragma omp parallel for
  for (int e = 0; e < E; e++) { ZERO(v) NEST_LAST(v, THIRD) }
#endif
  return 0;
}
