// v = (A ⊗ A ⊗ A) u in each of many elements: three contractions.
// NEST is a contraction in the loop order of the path: in the order a, b, c, m, with
// the summed m before c, or before b and c.
#define ZERO(to) for (int a = 0; a < N; a++) for (int b = 0; b < N; b++) for (int c = 0; c < N; c++) to[e][a][b][c] = 0;
#define NEST_LAST(to, term) for (int a = 0; a < N; a++) for (int b = 0; b < N; b++) for (int c = 0; c < N; c++) for (int m = 0; m < N; m++) to[e][a][b][c] += term;
#define NEST_FOURTH(to, term) for (int a = 0; a < N; a++) for (int b = 0; b < N; b++) for (int m = 0; m < N; m++) _Pragma("GCC ivdep") for (int c = 0; c < N; c++) to[e][a][b][c] += term;
#define NEST_THIRD(to, term) for (int a = 0; a < N; a++) for (int m = 0; m < N; m++) for (int b = 0; b < N; b++) _Pragma("GCC ivdep") for (int c = 0; c < N; c++) to[e][a][b][c] += term;
#if PATH == SEQUENTIAL
#define ELEMENTS for (int e = 0; e < E; e++)
#define FIRST NEST_LAST
#define SECOND NEST_LAST
#elif PATH == PLUTO // interchange(l1, 4, 5); vectorize(l1, 5); interchange(l2, 4, 5); vectorize(l2, 5)
#define ELEMENTS _Pragma("omp parallel for") for (int e = 0; e < E; e++)
#define FIRST NEST_FOURTH
#define SECOND NEST_FOURTH
#else // l1 with m before b and c, so that no access is transposed
#define ELEMENTS _Pragma("omp parallel for") for (int e = 0; e < E; e++)
#define FIRST NEST_THIRD
#define SECOND NEST_FOURTH
#endif
static T u[E][N][N][N], A[N][N], v[E][N][N][N], t[E][N][N][N], w[E][N][N][N];
ARGUMENTS(LOAD(0, u) LOAD(1, A), STORE(2, v))
int run(const i64 *args) {
  ELEMENTS { ZERO(t) FIRST(t, A[a][m] * u[e][m][b][c]) }
  ELEMENTS { ZERO(w) SECOND(w, A[b][m] * t[e][a][m][c]) }
  ELEMENTS { ZERO(v) NEST_LAST(v, A[c][m] * w[e][a][b][m]) }
  return 0;
}
