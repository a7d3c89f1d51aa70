package bench

import "fmt"

// The kernels of Figures 5 and 6 of the paper on Tensor Comprehensions, at the sizes of their tables; the batch of 128,
// the widths of the layers and the filters of 3×3 are those of the benchmarks that were published with it, and so are the
// Kronecker products, which the figures do not have.
var tcStudies = []study{
	{figure: "fig5", name: "tmm", file: "tc/matmul.tc", def: "matmul_nt", peers: tmmPeers, sizes: []string{
		"128x32x256: M=128 K=32 N=256", "128x1024x1024: M=128 K=1024 N=1024", "128x4096x16384: M=128 K=4096 N=16384",
	}},
	{figure: "fig5", name: "tbmm", file: "tc/matmul.tc", def: "tbmm", sizes: []string{"500x26x72x26: B=500 N=26 M=72 K=26"}, peers: tbmmPeers},
	{figure: "fig5", name: "gconv", file: "suite.tc", def: "grouped", peers: gconvPeers, constant: []string{"V"}, sizes: []string{
		"32x32x16x16x14x14: N=32 G=32 F=16 C=16 W=14 H=14 KH=3 KW=3", "32x32x32x32x7x7: N=32 G=32 F=32 C=32 W=7 H=7 KH=3 KW=3",
		"32x32x4x4x56x56: N=32 G=32 F=4 C=4 W=56 H=56 KH=3 KW=3", "32x32x8x8x28x28: N=32 G=32 F=8 C=8 W=28 H=28 KH=3 KW=3",
	}},
	{figure: "published", name: "kronecker", file: "tc/kronecker.tc", def: "kronecker3", peers: kroneckerPeers, sizes: []string{
		"256x16^3x32^3: M=256 D0=16 D1=16 D2=16 N0=32 N1=32 N2=32", "256x16^3x64^3: M=256 D0=16 D1=16 D2=16 N0=64 N1=64 N2=64",
		"256x16^3x64x128^2: M=256 D0=16 D1=16 D2=16 N0=64 N1=128 N2=128",
	}},
	{figure: "fig6", name: "1lut", file: "tc/production.tc", def: "1LUT", sizes: []string{"10^7x64x50: B=128 D=64 L1=50 E1=10000000"}, hand: "lut", macros: lutMacros},
	{figure: "fig6", name: "2lut", file: "tc/production.tc", def: "2LUT", sizes: []string{"10^7x64x50: B=128 D=64 L1=50 E1=10000000 L2=50 E2=10000000"}, hand: "lut", macros: lutMacros},
	{figure: "fig6", name: "c3", file: "tc/production.tc", def: "C3", sizes: []string{"128x1000x1024: B=128 WX=1000 WY=1024"}, peers: c3Peers},
	{figure: "fig6", name: "mlp1", file: "tc/production.tc", def: "MLP1", sizes: []string{"128x2000x128: B=128 M=2000 N=128"}, peers: layerPeers("M", "N")},
	{figure: "fig6", name: "mlp3", file: "tc/production.tc", def: "MLP3", sizes: []string{"128x128x64x32x2: B=128 N=128 O=64 P=32 Q=2"}, peers: layerPeers("N", "O", "P", "Q"), quick: "128x128x64x32x2"},
}

func tcRows() []Row { return studyRows("tc", tcStudies) }

func tmmPeers(s map[string]int64) map[string]string {
	return gemm{m: s["M"], n: s["N"], k: s["K"], tb: true}.texts()
}

func tbmmPeers(s map[string]int64) map[string]string {
	return gemm{batch: s["B"], m: s["N"], n: s["K"], k: s["M"], tb: true}.texts()
}

func c3Peers(s map[string]int64) map[string]string {
	return gemm{m: s["B"], n: s["WY"], k: s["WX"], tb: true}.texts()
}

func gconvPeers(s map[string]int64) map[string]string {
	return convolution{n: s["N"], g: s["G"], c: s["C"], f: s["F"], h: s["H"], w: s["W"], kh: s["KH"], kw: s["KW"], stride: 1}.texts()
}

// layerPeers are layers whose results all are results of the row; sizes are their widths.
func layerPeers(sizes ...string) func(map[string]int64) map[string]string {
	return func(s map[string]int64) map[string]string {
		widths := make([]int64, len(sizes))
		for i, name := range sizes {
			widths[i] = s[name]
		}
		return perceptronPeers(single, s["B"], widths, true)
	}
}

func lutMacros(s map[string]int64) string {
	text := enumAs(s, "B", "B", "D", "D", "L1", "L1")
	if s["L2"] == 0 {
		return text + "enum { TABLES = 1, L2 = 0 };\n"
	}
	return text + fmt.Sprintf("enum { TABLES = 2, L2 = %d };\n", s["L2"])
}

func kroneckerPeers(s map[string]int64) map[string]string {
	return map[string]string{cblas: blasShim(single, enumAll(s), blasKronecker)}
}

// blasKronecker applies the factors one by one: to all rows, to matrices, and to wider ones.
const blasKronecker = `
int run(const i64 *args) {
  BLAS(gemm)(ROW, PLAIN, TRANSPOSED, M * N0 * N1, D2, N2, 1, P(3), N2, P(2), N2, 0, P(6), D2);
  for (i64 i = 0; i < (i64)M * N0; i++)
    BLAS(gemm)(ROW, PLAIN, PLAIN, D1, D2, N1, 1, P(1), N1, P(6) + i * N1 * D2, D2, 0, P(5) + i * D1 * D2, D2);
  for (i64 i = 0; i < M; i++)
    BLAS(gemm)(ROW, PLAIN, PLAIN, D0, D1 * D2, N0, 1, P(0), N0, P(5) + i * N0 * D1 * D2, D1 * D2, 0, P(4) + i * D0 * D1 * D2, D1 * D2);
  return 0;
}
`
