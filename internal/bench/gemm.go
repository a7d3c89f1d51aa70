package bench

import "fmt"

// A gemm is C[b] = A[b]·B[b] of row-major matrices, either of which may be stored
// transposed; the arguments of the row are A, B and C in this order.
type gemm struct {
	batch, m, n, k int64
	ta, tb         bool
	// bShared says that B is one matrix for all of the batch.
	bShared bool
	// swapped says that the row's first argument is B.
	swapped bool
	double  bool
}

// typeText is the start of every shim: the element type and the arguments.
func typeText(double bool) string {
	name, letter := "float", "s"
	if double {
		name, letter = "double", "d"
	}
	return fmt.Sprintf("typedef long long i64;\ntypedef %s T;\n#define P(i) ((T *)args[4 + (i)])\n#define BLAS(name) cblas_%s##name\n", name, letter)
}

// cblasText declares what the texts call, so that no header is needed.
const cblasText = `
enum { ROW = 101, PLAIN = 111, TRANSPOSED = 112 };
void BLAS(gemm)(int, int, int, int, int, int, T, const T *, int, const T *, int, T, T *, int);
void BLAS(gemv)(int, int, int, int, T, const T *, int, const T *, int, T, T *, int);
T BLAS(dot)(int, const T *, int, const T *, int);
`

func (g gemm) lead() (a, b int64) {
	a, b = g.k, g.n
	if g.ta {
		a = g.m
	}
	if g.tb {
		b = g.k
	}
	return a, b
}

// macros have the sizes and leading dimensions of a matrix product.
func (g gemm) macros() string {
	a, b := g.lead()
	strideB := g.k * g.n
	if g.bShared {
		strideB = 0
	}
	swap := ""
	if g.swapped {
		swap = swapText
	}
	return swap + fmt.Sprintf(`enum { BATCH = %d, M = %d, N = %d, K = %d, LDA = %d, LDB = %d, TA = %d, TB = %d };
#define BATCHES %[1]d
static const i64 STRIDE_A = (i64)M * K, STRIDE_B = %[9]d, STRIDE_C = (i64)M * N;
`, max(g.batch, 1), g.m, g.n, g.k, a, b, flag(g.ta), flag(g.tb), strideB)
}

// swapText gives the first two arguments each other's numbers.
const swapText = "#undef P\n#define P(i) ((T *)args[4 + ((i) < 2 ? 1 - (i) : (i))])\n"

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// texts returns the shims of a matrix product.
func (g gemm) texts() map[string]string {
	head := typeText(g.double) + g.macros()
	t := map[string]string{
		cblas: head + cblasText + `
int run(const i64 *args) {
  for (i64 i = 0; i < BATCH; i++)
    BLAS(gemm)(ROW, TA ? TRANSPOSED : PLAIN, TB ? TRANSPOSED : PLAIN, M, N, K, 1, P(0) + i * STRIDE_A, LDA,
               P(1) + i * STRIDE_B, LDB, 0, P(2) + i * STRIDE_C, N);
  return 0;
}
`,
	}
	if !g.double { // which oneDNN does not compute
		t[onednn] = onednnShim(false, g.macros(), onednnMatmul)
		t[onednnPack] = onednnShim(true, g.macros(), onednnMatmul)
	}
	if g.batch > 1 {
		t[mkl] = head + cblasText + mklBatch
	}
	if !g.ta && !g.tb && g.m <= 128 && g.n <= 128 && g.k <= 128 {
		t[xsmm] = head + xsmmGemm
	}
	return t
}

// mklBatch lets MKL choose how to share the batch among threads.
const mklBatch = `
void BLAS(gemm_batch)(int, const int *, const int *, const int *, const int *, const int *, const T *, const T **,
                      const int *, const T **, const int *, const T *, T **, const int *, int, const int *);
int run(const i64 *args) {
  static const T *a[BATCH], *b[BATCH];
  static T *c[BATCH];
  for (i64 i = 0; i < BATCH; i++)
    a[i] = P(0) + i * STRIDE_A, b[i] = P(1) + i * STRIDE_B, c[i] = P(2) + i * STRIDE_C;
  const int ta = TA ? TRANSPOSED : PLAIN, tb = TB ? TRANSPOSED : PLAIN, m = M, n = N, k = K, lda = LDA, ldb = LDB, all = BATCH;
  const T one = 1, zero = 0;
  BLAS(gemm_batch)(ROW, &ta, &tb, &m, &n, &k, &one, a, &lda, b, &ldb, &zero, c, &n, 1, &all);
  return 0;
}
`

// xsmmGemm calls code that libxsmm makes for the very sizes. It counts in
// columns, so the factors change places.
const xsmmGemm = `
#include <libxsmm.h>
#define KERNEL(a, b) _Generic((T)0, float : a, double : b)
static void *kernel;
int setup(const i64 *args) {
  const T one = 1, zero = 0;
  kernel = KERNEL((void *)libxsmm_smmdispatch(N, M, K, 0, 0, 0, (const float *)&one, (const float *)&zero, 0, 0),
                  (void *)libxsmm_dmmdispatch(N, M, K, 0, 0, 0, (const double *)&one, (const double *)&zero, 0, 0));
  return kernel ? 0 : 77;
}
int run(const i64 *args) {
  typedef void product(const T *, const T *, T *);
  product *f = (product *)kernel;
#if BATCHES > 1
#pragma omp parallel for num_threads(args[1])
#endif
  for (i64 i = 0; i < BATCH; i++) f(P(1) + i * STRIDE_B, P(0) + i * STRIDE_A, P(2) + i * STRIDE_C);
  return 0;
}
`
