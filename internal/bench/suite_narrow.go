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
	return append(rows, narrowConvolutions()...)
}

// narrowConvolutions are layers of ResNet of bytes and of bfloat16, whose images have the
// channels outside of the points (NCHW) or innermost (NHWC).
func narrowConvolutions() []Row {
	var rows []Row
	for _, k := range []struct {
		def, name, types string
	}{
		{"conv_bf16", "bf16/nchw", "enum { TYPE_X = dnnl_bf16, TYPE_V = dnnl_bf16, TYPE_Y = dnnl_f32, LAST = 0 };\n"},
		{"conv_nhwc_u8s8", "u8s8/nhwc", "enum { TYPE_X = dnnl_u8, TYPE_V = dnnl_s8, TYPE_Y = dnnl_s32, LAST = 1 };\n"},
	} {
		for _, v := range []convolution{
			{n: 1, c: 64, f: 64, h: 58, w: 58, kh: 3, kw: 3, stride: 1}, {n: 1, c: 128, f: 128, h: 30, w: 30, kh: 3, kw: 3, stride: 1},
			{n: 1, c: 512, f: 512, h: 9, w: 9, kh: 3, kw: 3, stride: 1}, {n: 1, c: 256, f: 64, h: 56, w: 56, kh: 1, kw: 1, stride: 1},
		} {
			row := exampleRow("narrow convolution", "tc/quantised.tc", k.def, fmt.Sprintf("%s/%dx%d@%d", k.name, v.c, v.kh, v.h-v.kh+1),
				map[string]int64{"N": v.n, "C": v.c, "F": v.f, "H": v.h, "W": v.w, "R": v.kh, "S": v.kw}, map[string]string{
					onednn:     onednnShim(false, v.macros(), k.types+onednnNarrowConvolution),
					onednnPack: onednnShim(true, v.macros(), k.types+onednnNarrowConvolution),
				}).withConstant("V")
			rows = append(rows, row.with(Goal{}, v.c == 128))
		}
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
