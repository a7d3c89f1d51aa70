package bench

import "fmt"

// narrowRows are products of matrices of bytes, summed in int32, and of bfloat16, summed in
// float32.
func narrowRows() []Row {
	var rows []Row
	for _, g := range []gemm{{m: 256, n: 256, k: 256}, {m: 512, n: 512, k: 512}, {m: 1024, n: 1024, k: 1024}, {m: 16, n: 1000, k: 2048}} {
		size := fmt.Sprintf("u8s8/%dx%dx%d", g.m, g.n, g.k)
		row := exampleRow("byte gemm", "tc/quantised.tc", "gemm_u8s8", size, map[string]int64{"M": g.m, "N": g.n, "K": g.k}, map[string]string{
			onednn: bytesText + g.macros() + onednnBytes,
			mkl:    bytesText + g.macros() + mklBytes,
		})
		rows = append(rows, row.with(Goal{}, g.m == 512))
	}
	const types = "enum { TYPE_A = dnnl_bf16, TYPE_B = dnnl_bf16, TYPE_C = dnnl_f32 };\n"
	for _, n := range []int64{256, 512, 1024, 2048, 4096} {
		g := gemm{m: n, n: n, k: n}
		row := exampleRow("half gemm", "tc/quantised.tc", "gemm_bf16", fmt.Sprintf("bf16/%d", n), map[string]int64{"M": n, "N": n, "K": n}, map[string]string{
			onednn:     onednnShim(false, g.macros(), types+onednnNarrowMatmul),
			onednnPack: onednnShim(true, g.macros(), types+onednnNarrowMatmul),
		})
		row.Constant = []string{"B"}
		rows = append(rows, row.with(Goal{Packed: 0.6}, n == 1024))
	}
	return rows
}

const bytesText = `typedef long long i64;
typedef unsigned char u8;
typedef signed char s8;
#define P(T, i) ((T *)args[4 + (i)])
`

const onednnBytes = `
int dnnl_gemm_u8s8s32(char, char, char, i64, i64, i64, float, const u8 *, i64, u8, const s8 *, i64, s8, float, int *, i64, const int *);
int run(const i64 *args) {
  const int zero = 0;
  return dnnl_gemm_u8s8s32('N', 'N', 'F', M, N, K, 1, P(u8, 0), LDA, 0, P(s8, 1), LDB, 0, 0, P(int, 2), N, &zero);
}
`

const mklBytes = `
enum { ROW = 101, PLAIN = 111, FIXED = 173 };
void cblas_gemm_s8u8s32(int, int, int, int, int, int, int, float, const void *, int, s8, const void *, int, s8, float, int *, int, const int *);
int run(const i64 *args) {
  const int zero = 0;
  cblas_gemm_s8u8s32(ROW, PLAIN, PLAIN, FIXED, M, N, K, 1, P(u8, 0), LDA, 0, P(s8, 1), LDB, 0, 0, P(int, 2), N, &zero);
  return 0;
}
`
