package ricci_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/sweep"
	"github.com/ricci-lang/ricci/tensor"
)

// pipelinePrograms are compared with the reference evaluator for several sizes:
// every kind of statement, on the way from text to native code.
var pipelinePrograms = []struct {
	name, text string
	sizes      []map[string]int64
}{
	{"copy", `def f(float(N) A) -> (B) { B(i) = A(i) }`, []map[string]int64{{"N": 1}, {"N": 16}, {"N": 1000}}},
	{"matmul", matmul, []map[string]int64{{"M": 1, "K": 1, "N": 1}, {"M": 3, "K": 5, "N": 7}, {"M": 64, "K": 64, "N": 64}, {"M": 65, "K": 130, "N": 33}}},
	{"matmul transposed", `def f(float(K,M) A, float(N,K) B) -> (C) { C(i,j) +=! A(k,i) * B(j,k) }`, []map[string]int64{{"M": 13, "K": 17, "N": 19}, {"M": 32, "K": 32, "N": 32}}},
	{"sgemm", `def f(float a, float b, float(M,K) A, float(K,N) B, float(M,N) C) -> (D) {
		D(i,j) +=! A(i,k) * B(k,j)
		D(i,j) = a * D(i,j) + b * C(i,j) }`, []map[string]int64{{"M": 20, "K": 30, "N": 40}}},
	{"batched", `def f(float(B,M,K) X, float(B,K,N) Y) -> (Z) { Z(b,i,j) +=! X(b,i,k) * Y(b,k,j) }`, []map[string]int64{{"B": 5, "M": 6, "K": 7, "N": 20}}},
	{"double", `def f(double(M,K) A, double(K) B) -> (C) { C(i) +=! A(i,k) * B(k) }`, []map[string]int64{{"M": 33, "K": 65}}},
	{"convolution", `def f(float(N,C,H,W) I, float(M,C,KH,KW) K, float(M) b) -> (O) {
		O(n,m,h,w) +=! I(n,c,h+kh,w+kw) * K(m,c,kh,kw)
		O(n,m,h,w) = fmax(O(n,m,h,w) + b(m), 0.0) }`, []map[string]int64{{"N": 2, "C": 3, "H": 10, "W": 12, "M": 4, "KH": 3, "KW": 3}}},
	{"strided convolution", `def f(float(H,W) I, float(KH,KW) K) -> (O) { O(h,w) +=! I(2*h+kh,3*w+kw) * K(kh,kw) }`, []map[string]int64{{"H": 20, "W": 31, "KH": 3, "KW": 2}}},
	{"padded", `def f(float(N) A, float(K) W) -> (B) { B(i) +=! pad(A(i + k - 1), 0.0) * W(k) where i in 0:N }`, []map[string]int64{{"N": 50, "K": 3}}},
	{"boundaries", `def f(float(N) A) -> (B) { B(i) = clamp(A(i + 3)) + mirror(A(i - 2)) + wrap(A(i + 5)) where i in 0:N }`, []map[string]int64{{"N": 1}, {"N": 4}, {"N": 40}}},
	{"softmax", `def f(float(B,N) I) -> (O) {
		m(b) max=! I(b,n)
		e(b,n) = exp(I(b,n) - m(b))
		s(b) +=! e(b,n)
		O(b,n) = e(b,n) / s(b) }`, []map[string]int64{{"B": 3, "N": 10}, {"B": 8, "N": 128}}},
	{"layer norm", `def f(float(B,N) I) -> (O) {
		mean(b) +=! I(b,n) mean(b) = mean(b) / float(N)
		v(b) +=! (I(b,n) - mean(b)) * (I(b,n) - mean(b))
		O(b,n) = (I(b,n) - mean(b)) * rsqrt(v(b) / float(N) + 1e-5) }`, []map[string]int64{{"B": 5, "N": 37}}},
	{"pooling", `def f(float(H,W) I) -> (O) { O(h,w) max=! I(2*h+kh,2*w+kw) where kh in 0:2, kw in 0:2 }`, []map[string]int64{{"H": 16, "W": 18}}},
	{"argmin", `def f(float(M,N) D) -> (V, P) { (V(i), P(i)) argmin=! D(i,k) }`, []map[string]int64{{"M": 7, "N": 40}}},
	{"scan", `def f(float(M,N) A) -> (S) { S(b,i) scan(i) +=! A(b,i) }`, []map[string]int64{{"M": 4, "N": 35}}},
	{"integers", `def f(int32(N) A, int32(N) B) -> (C, D, E) { C(i) = A(i) / B(i) D(i) = A(i) % B(i) E +=! A(i) * B(i) }`, []map[string]int64{{"N": 100}}},
	{"small integers", `def f(uint8(N) A, int8(N) B) -> (int16(N) C, S) { C(i) = int16(A(i)) - int16(B(i)) S max=! A(i) }`, []map[string]int64{{"N": 77}}},
	{"halves", `def f(float16(N) A, bfloat16(N) B) -> (float16(N) C, bfloat16(N) D) { C(i) = A(i) * A(i) D(i) = B(i) + B(i) }`, []map[string]int64{{"N": 45}}},
	{"in place", `def f(float(N) A) -> (B) { B(i) = A(i) B(i) = B(N - 1 - i) + B(i) }`, []map[string]int64{{"N": 1}, {"N": 30}}},
	{"choice", `def f(float(N) A, float(N) B) -> (C) { C(i) = A(i) > B(i) ? A(i) : i % 2 == 0 ? B(i) : -B(i) }`, []map[string]int64{{"N": 50}}},
	{"embedding", `def f(float(V,E) T, uint8(B,L) I) -> (O) { O(b,e) +=! T(int32(I(b,l)), e) }`, []map[string]int64{{"V": 256, "E": 16, "B": 4, "L": 5}}},
	{"calls", `def g(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }
		def f(float(M,M) A) -> (D) { B = g(A, A) D = g(B, A) }`, []map[string]int64{{"M": 12}}},
	{"concat", `def f(float(M,N) A, float(M,K) B) -> (C) { C = concat(A, B) }`, []map[string]int64{{"M": 3, "N": 10, "K": 20}}},
	{"offset", `def f(float(N) A) -> (B) { B(i) = A(i) where i in 3:N-1 }`, []map[string]int64{{"N": 5}, {"N": 50}}},
	{"scalar", `def f(float(N) A, float(N) B) -> (D) { D +=! A(i) * B(i) }`, []map[string]int64{{"N": 1}, {"N": 1001}}},
	{"kronecker", `def f(float(N) A, float(M) B) -> (C) { C(i,j) = A(i) * B(j) }`, []map[string]int64{{"N": 9, "M": 33}}},
	{"product", `def f(double(N,M) A) -> (P) { P(i) *=! A(i,j) }`, []map[string]int64{{"N": 3, "M": 21}}},
	{"empty", `def f(float(N) A) -> (B, S) { B(i) = A(i) where i or empty S +=! A(i) where i or empty }`, []map[string]int64{{"N": 0}, {"N": 5}}},
	{"empty rows", `def f(float(M,N) A) -> (B) { B(i,j) = A(i,j) * 2.0 where i or empty }`, []map[string]int64{{"M": 0, "N": 20}}},
	{"numeric sizes", `def f(float(4,3) A) -> (B) { B(j,i) = A(i,j) }`, []map[string]int64{nil}},
}

func TestPipeline(t *testing.T) {
	for _, program := range pipelinePrograms {
		for _, sizes := range program.sizes {
			t.Run(fmt.Sprint(program.name, sizes), func(t *testing.T) {
				t.Parallel()
				d := parse(t, program.text)
				args := randomArguments(t, d, sizes)
				out, err := d.RunWith(context.Background(), args, sizes, ricci.Options{Target: ricci.C, Threads: 3})
				skipWithoutCompiler(t, err)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := d.Check(context.Background(), args, out, sizes); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestPipelineDynamic keeps all sizes symbolic.
func TestPipelineDynamic(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles every program once more")
	}
	for _, program := range sweep.Some(t, pipelinePrograms, 3) {
		t.Run(program.name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, program.text)
			options := ricci.Options{Target: ricci.C}
			for _, s := range d.Sizes() {
				options.Dynamic = append(options.Dynamic, s.Name)
			}
			for _, sizes := range program.sizes {
				args := randomArguments(t, d, sizes)
				out, err := d.RunWith(context.Background(), args, sizes, options)
				skipWithoutCompiler(t, err)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := d.Check(context.Background(), args, out, sizes); err != nil {
					t.Error(sizes, err)
				}
			}
		})
	}
}

func randomArguments(t testing.TB, d *ricci.Def, sizes map[string]int64) tensors {
	t.Helper()
	signature, err := d.SignatureForSizes(sizes)
	if err != nil {
		t.Fatal(err)
	}
	args := tensors{}
	for i, p := range append(d.Inputs(), d.Outputs()...) {
		if shape, needed := signature.Shapes[p.Name]; needed {
			x, err := tensor.New(p.DType, shape...)
			if err != nil {
				t.Fatal(err)
			}
			tensor.FillRandom(x, uint64(i))
			args[p.Name] = x
		}
	}
	return args
}
