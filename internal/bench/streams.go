package bench

import "fmt"

// blasShim is a shim over the declarations of the BLAS.
func blasShim(p precision, macros, body string) string {
	return typeText(p.double) + macros + cblasText + body
}

const blasMatVec = `
int run(const i64 *args) {
  BLAS(gemv)(ROW, PLAIN, M, K, 1, P(0), K, P(1), 1, 0, P(2), 1);
  return 0;
}
`

const blasDot = `
int run(const i64 *args) {
  P(2)[0] = BLAS(dot)(N, P(0), 1, P(1), 1);
  return 0;
}
`

const openblasTranspose = `
void BLAS(omatcopy)(int, int, int, int, T, const T *, int, T *, int);
int run(const i64 *args) {
  BLAS(omatcopy)(ROW, TRANSPOSED, M, N, 1, P(0), N, P(1), M);
  return 0;
}
`

// MKL has its own name and calling convention for it.
const mklTranspose = `
void MKL_Somatcopy(char, char, unsigned long, unsigned long, float, const float *, unsigned long, float *, unsigned long);
void MKL_Domatcopy(char, char, unsigned long, unsigned long, double, const double *, unsigned long, double *, unsigned long);
int run(const i64 *args) {
  _Generic((T)0, float : MKL_Somatcopy, double : MKL_Domatcopy)('R', 'T', M, N, 1, P(0), N, P(1), M);
  return 0;
}
`

// blasMTTKRP contracts the last dimension by a product and the other one by hand.
const blasMTTKRP = `
#include <stdlib.h>
static T *partial;
int setup(const i64 *args) {
  partial = malloc(sizeof(T) * I * K * R);
  return partial ? 0 : 1;
}
int run(const i64 *args) {
  BLAS(gemm)(ROW, PLAIN, PLAIN, I * K, R, L, 1, P(0), L, P(2), R, 0, partial, R);
#pragma omp parallel for num_threads(args[1])
  for (i64 i = 0; i < I; i++) {
    T *to = P(3) + i * R;
    for (i64 r = 0; r < R; r++) to[r] = 0;
    for (i64 k = 0; k < K; k++)
      for (i64 r = 0; r < R; r++) to[r] += partial[(i * K + k) * R + r] * P(1)[k * R + r];
  }
  return 0;
}
`

const blasSDDMM = `
int run(const i64 *args) {
  BLAS(gemm)(ROW, PLAIN, TRANSPOSED, M, N, K, 1, P(1), K, P(2), K, 0, P(3), N);
#pragma omp parallel for num_threads(args[1])
  for (i64 i = 0; i < (i64)M * N; i++) P(3)[i] *= P(0)[i];
  return 0;
}
`

const blasPerceptron = `
#include <stdlib.h>
static T *inner[LAYERS];
int setup(const i64 *args) {
  for (int i = 0; i + 1 < LAYERS; i++)
    if (!(inner[i] = malloc(sizeof(T) * B * widths[i + 1]))) return 1;
  return 0;
}
int run(const i64 *args) {
  const T *from = P(0);
  for (int i = 0; i < LAYERS; i++) {
    const int in = widths[i], out = widths[i + 1];
    T *to = KEPT ? P(1 + 2 * LAYERS + i) : i == LAYERS - 1 ? P(1 + 2 * LAYERS) : inner[i];
    BLAS(gemm)(ROW, PLAIN, TRANSPOSED, B, out, in, 1, from, in, P(1 + 2 * i), in, 0, to, out);
#pragma omp parallel for num_threads(args[1]) if (B * out > 1 << 14)
    for (i64 b = 0; b < B; b++)
      for (i64 o = 0; o < out; o++) {
        const T v = to[b * out + o] + P(2 + 2 * i)[o];
        to[b * out + o] = v > 0 ? v : 0;
      }
    from = to;
  }
  return 0;
}
`

// enum writes sizes as constants of C.
func enum(pairs ...any) string {
	text := ""
	for i := 0; i+1 < len(pairs); i += 2 {
		text += fmt.Sprintf("enum { %v = %v };\n", pairs[i], pairs[i+1])
	}
	return text
}
