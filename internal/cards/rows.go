package cards

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/examples"
)

// A row is a computation of the benchmark: a def of an example, or of the text below, at a size for cards and one for processors that are devices.
type row struct {
	name string
	file string // of the examples; empty: simple
	def  string
	// card and small are sizes, as "M=1024 K=64".
	card, small string
	gemm        string  // the sizes of a product C = A·B as the row has them, "M N K", which cuBLAS computes, too
	half        uintptr // the type of its factors by CUDA's numbers, 2 or 14; 0: they are float32
	fast        bool    // with fast numerics: products of float32 by matrix units (tf32)
}

// simple are programs that no example has.
const simple = `def copy(float(N) X) -> (Y) { Y(i) = X(i) }
def total(float(N) X) -> (s) { s +=! X(i) }
def row_sums(float(N,M) X) -> (s) { s(i) +=! X(i,j) }
def transpose(float(N,M) X) -> (Y) { Y(j,i) = X(i,j) }
def copy_half(half(N) X) -> (Y) { Y(i) = X(i) }
def softmax_half(half(N,D) I) -> (O) {
  largest(n) max=! float(I(n,d))
  e(n,d) = exp(float(I(n,d)) - largest(n))
  sum(n) +=! e(n,d)
  O(n,d) = half(e(n,d) / sum(n))
}
def matmul_half(half(M,K) A, half(K,N) B) -> (C) { C(i,j) +=! float(A(i,k)) * float(B(k,j)) }
def matmul_int8(int8(M,K) A, int8(K,N) B) -> (C) { C(i,j) +=! int(A(i,k)) * int(B(k,j)) }
def mttkrp(float(I,K,L) X, float(K,J) C, float(L,J) D) -> (A) { A(i,j) +=! X(i,k,l) * D(l,j) * C(k,j) }
def sddmm(float(M,N) S, float(M,K) A, float(K,N) B) -> (C) { P(i,j) +=! A(i,k) * B(k,j) C(i,j) = S(i,j) * P(i,j) }
`

// rows are those of the issue that asks for them: what memory bounds, products, small products, convolutions, stencils, and the rows of the
// paper on Tensor Comprehensions. Names of sizes are those of the programs.
var rows = []row{
	{name: "copy", def: "copy", card: "N=67108864", small: "N=65536"},
	{name: "total", def: "total", card: "N=67108864", small: "N=65536"},
	{name: "row-sums", def: "row_sums", card: "N=8192 M=8192", small: "N=128 M=256"},
	{name: "transpose", def: "transpose", card: "N=8192 M=8192", small: "N=128 M=256"},
	{name: "softmax", file: "tc/normalisation.tc", def: "softmax", card: "N=4096 D=4096", small: "N=32 D=256"},
	{name: "layer-norm", file: "tc/normalisation.tc", def: "layer_norm", card: "N=4096 D=4096", small: "N=32 D=256"},
	{name: "scan", file: "tc/scan.tc", def: "cumsum_rows", card: "B=4096 N=4096", small: "B=32 N=128"},
	{name: "gemm-512", file: "tc/matmul.tc", def: "matmul", card: "M=512 K=512 N=512", small: "M=64 K=64 N=64", gemm: "M N K"},
	{name: "gemm-2048", file: "tc/matmul.tc", def: "matmul", card: "M=2048 K=2048 N=2048", small: "M=96 K=48 N=80", gemm: "M N K"},
	{name: "gemm-8192", file: "tc/matmul.tc", def: "matmul", card: "M=8192 K=8192 N=8192", small: "M=65 K=67 N=63", gemm: "M N K"},
	{name: "gemm-skinny", file: "tc/matmul.tc", def: "matmul", card: "M=16 K=4096 N=4096", small: "M=8 K=128 N=64", gemm: "M N K"},
	{name: "copy-f16", def: "copy_half", card: "N=67108864", small: "N=65536"},
	{name: "softmax-f16", def: "softmax_half", card: "N=4096 D=4096", small: "N=32 D=256"},
	{name: "gemm-2048-f16", def: "matmul_half", card: "M=2048 K=2048 N=2048", small: "M=48 K=48 N=64", half: 2, gemm: "M N K"},
	{name: "gemm-8192-f16", def: "matmul_half", card: "M=8192 K=8192 N=8192", small: "M=33 K=35 N=31", half: 2, gemm: "M N K"},
	{name: "gemm-8192-bf16", file: "tc/quantised.tc", def: "gemm_bf16", card: "M=8192 K=8192 N=8192", small: "M=33 K=35 N=31", half: 14, gemm: "M N K"},
	{name: "gemm-4096-tf32", file: "tc/matmul.tc", def: "matmul", card: "M=4096 K=4096 N=4096", small: "M=48 K=48 N=64", fast: true},
	{name: "gemm-4096-int8", def: "matmul_int8", card: "M=4096 K=4096 N=4096", small: "M=48 K=64 N=48"},
	{name: "matvec", file: "tc/matmul.tc", def: "matvec", card: "M=16384 K=4096", small: "M=64 K=128"},
	{name: "tmm", file: "tc/matmul.tc", def: "matmul_nt", card: "M=128 K=1024 N=1024", small: "M=32 K=64 N=32"},
	{name: "tbmm", file: "tc/matmul.tc", def: "tbmm", card: "B=500 N=26 M=72 K=26", small: "B=4 N=13 M=16 K=13"},
	{name: "ccsdt", file: "mdh/ccsdt.mdh", def: "ccsdt_1", card: "A=24 B=16 C=16 D=16 E=24 F=16 G=24", small: "A=4 B=4 C=3 D=4 E=4 F=3 G=8"},
	{name: "mttkrp", def: "mttkrp", card: "I=256 J=32 K=256 L=256", small: "I=8 J=16 K=12 L=12"},
	{name: "sddmm", def: "sddmm", card: "M=4096 N=4096 K=64", small: "M=32 N=48 K=16"},
	{name: "kronecker", file: "tc/kronecker.tc", def: "kronecker3", card: "M=256 D0=16 D1=16 D2=16 N0=32 N1=32 N2=32", small: "M=2 D0=4 D1=4 D2=4 N0=4 N1=4 N2=4"},
	{name: "conv2d", file: "tc/convolution.tc", def: "conv2d", card: "B=32 IP=64 H=58 W=58 OP=64 KH=3 KW=3", small: "B=1 IP=4 H=12 W=12 OP=4 KH=3 KW=3"},
	{name: "gconv", file: "tc/convolution.tc", def: "gconv2d", card: "N=32 G=32 C=16 F=16 H=16 W=16 KH=3 KW=3", small: "N=1 G=2 C=4 F=4 H=8 W=8 KH=3 KW=3"},
	{name: "capsule", file: "mdh/convolution.mdh", def: "mcc_capsule", card: "N=16 P=28 Q=28 K=32 R=3 S=3 C=32 MI=4 MJ=4 MK=4", small: "N=1 P=4 Q=4 K=4 R=3 S=3 C=4 MI=4 MJ=4 MK=4"},
	{name: "jacobi-2d", file: "tc/stencil.tc", def: "jacobi2d", card: "H=8192 W=8192", small: "H=64 W=128"},
	{name: "jacobi-3d", file: "tc/stencil.tc", def: "jacobi3d", card: "D=512 H=512 W=512", small: "D=16 H=16 W=32"},
	{name: "prl", file: "mdh/record_linkage.mdh", def: "prl", card: "I=1024 J=32768", small: "I=16 J=64"},
	{name: "histogram", file: "mdh/histogram.mdh", def: "histogram", card: "E=1048576 B=256", small: "E=1024 B=16"},
	{name: "1lut", file: "tc/production.tc", def: "1LUT", card: "B=128 D=64 L1=50 E1=1000000", small: "B=8 D=16 L1=8 E1=100"},
	{name: "2lut", file: "tc/production.tc", def: "2LUT", card: "B=128 D=64 L1=50 E1=1000000 L2=50 E2=1000000", small: "B=8 D=16 L1=8 E1=100 L2=8 E2=100"},
	{name: "c3", file: "tc/production.tc", def: "C3", card: "B=128 WX=1000 WY=1024", small: "B=16 WX=50 WY=32"},
	{name: "mlp1", file: "tc/production.tc", def: "MLP1", card: "B=128 M=2000 N=128", small: "B=16 M=64 N=16"},
	{name: "mlp3", file: "tc/production.tc", def: "MLP3", card: "B=128 N=128 O=64 P=32 Q=2", small: "B=8 N=16 O=16 P=8 Q=2"},
}

// of returns the def of a row, with its sizes on a device.
func (r row) of(small bool) (*ricci.Def, map[string]int64, error) {
	text := simple
	if r.file != "" {
		read, err := examples.Files.ReadFile(r.file)
		if err != nil {
			return nil, nil, err
		}
		text = string(read)
	}
	program, err := ricci.Parse(cmp.Or(r.file, "simple.tc"), text)
	if err != nil {
		return nil, nil, err
	}
	def, err := program.Def(r.def)
	if err != nil {
		return nil, nil, err
	}
	list := r.card
	if small && r.small != "" {
		list = r.small
	}
	sizes, err := parseSizes(list)
	return def, sizes, err
}

// parseSizes reads a list of sizes.
func parseSizes(list string) (map[string]int64, error) {
	sizes := map[string]int64{}
	for _, one := range strings.Fields(list) {
		name, value, _ := strings.Cut(one, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the size %q: %w", one, err)
		}
		sizes[name] = n
	}
	return sizes, nil
}
