package tc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

func verifyUnit(t *testing.T, unit *Unit) {
	t.Helper()
	for _, f := range unit.Program.Funcs {
		if err := ein.Verify(f); err != nil {
			t.Errorf("%v\n%s", err, ein.Print(f))
		}
	}
}

// describe lists the dimensions of the outputs, the indices and the conditions.
func describe(d *DefInfo) string {
	var lines []string
	for _, t := range d.Func.Outputs() {
		dims := make([]string, len(t.Dims))
		for i, dim := range t.Dims {
			dims[i] = fmt.Sprintf("(%s, %s)", dim.Min, dim.Extent)
		}
		lines = append(lines, strings.TrimSpace(t.Name+" "+strings.Join(dims, " ")))
	}
	for _, r := range d.Func.Requires {
		lines = append(lines, "if "+r.Expr.String()+" >= 0")
	}
	return strings.Join(lines, "; ")
}

// TestRanges holds the inference examples of the public suite, of the paper and
// of the users' complaints: the (min, extent) of each output dimension, and the
// conditions on the sizes.
func TestRanges(t *testing.T) {
	for _, test := range []struct{ name, program, want string }{
		// the public suite
		{"copy", "float(P) I) -> (O) { O(i) = I(i) }", "O (0, P)"},
		{"transpose", "float(P,Q) I) -> (O) { O(i,j) = I(j,i) }", "O (0, Q) (0, P)"},
		{"scale", "float(P) I) -> (O) { O(i) = I(123*i) }", "O (0, (P + 122)/123)"},
		{"shift", "float(P) I) -> (O) { O(i) = I(i-1) }", "O (1, P)"},
		{"matmul", "float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }", "C (0, M) (0, N)"},
		{"conv", "float(N,C,H,W) I, float(M,C,KH,KW) K) -> (O) { O(n,m,h,w) +=! K(m,c,kh,kw) * I(n,c,h+kh,w+kw) }",
			"O (0, N) (0, M) (0, H - KH + 1) (0, W - KW + 1); if H - KH >= 0; if W - KW >= 0"},
		{"conv gradient", "float(H) I, float(KH) K) -> (O) { O(h) +=! I(h-kh) * K(kh) }", "O (KH - 1, H - KH + 1); if H - KH >= 0"},
		{"strided", "float(H,W) I, float(KH,KW) K) -> (O) { O(h,w) +=! I(2*h+kh,3*w+kw) * K(kh,kw) }",
			"O (0, (H - KH)/2 + 1) (0, (W - KW)/3 + 1); if H - KH >= 0; if W - KW >= 0"},
		{"diagonal", "float(A,B,C) I) -> (O) { O(i,j) = I(i,i+j,j) }", "O (0, A) (0, C); if B - A - C + 1 >= 0"},
		{"two rounds", "float(A,B,C) I) -> (O) { O(i,j) +=! I(j,i+j,k) }", "O (0, B - A + 1) (0, A); if B - A >= 0"},
		{"partial copy", "float(N) I) -> (O) { O(i) = I(i) where i in 3:N-1 }", "O (3, N - 4); if N - 5 >= 0"},
		{"numbers", "float(10,19) I) -> (O) { O(i,j) = I(j,i+3) }", "O (0, 16) (0, 10)"},
		// issue 191 and the paper
		{"two offsets", "float(5) B) -> (A) { A(i,j) = B(i) + B(j+3) }", "A (0, 5) (0, 2)"},
		{"two offsets, symbolic", "float(N) B) -> (A) { A(i,j) = B(i) + B(j+3) }", "A (0, N) (0, N - 3); if N - 4 >= 0"},
		{"stencil", "float(N) B) -> (A) { A(i) = B(i-1) + B(i) + B(i+1) }", "A (1, N - 2); if N - 3 >= 0"},
		{"conv1d", "float(M) I, float(N) K) -> (O) { O(i) +=! K(x) * I(i+x) }", "O (0, M - N + 1); if M - N >= 0"},
		{"max pooling", "float(B,C,H,W) I) -> (O) { O(b,c,i,j) max=! I(b,c,2*i+kw,2*j+kh) where kw in 0:2, kh in 0:2 }",
			"O (0, B) (0, C) (0, H/2) (0, W/2); if H - 2 >= 0; if W - 2 >= 0"},
		{"gather", "float(N) X, int(A,B) I) -> (Z) { Z(i,j) = X(I(i,j)) }", "Z (0, A) (0, B)"},
		{"sgemm", "float a, float b, float(N,M) A, float(M,K) B) -> (C) { C(i,j) = b * C(i,j)  C(i,j) += a * A(i,k) * B(k,j) }", "C (0, N) (0, K)"},
		{"initialise first", "float(M,K) A, float(K) x) -> (C) { C(i) = 0  C(i) += A(i,k) * x(k) }", "C (0, M)"},
		{"MLP1", "float(B,M) I, float(N,M) W, float(N) B1) -> (O) { O(b,n) = B1(n)  O(b,n) += I(b,m) * W(n,m)  O(b,n) = fmax(O(b,n), 0) }", "O (0, B) (0, N)"},
		{"run-time stride", "int sh, float(H) I, float(KH) K) -> (O) { O(h) +=! I(sh*h+kh) * K(kh) }",
			"O (0, (H - KH)/sh + 1); if sh - 1 >= 0; if H - KH >= 0"},
		{"run-time window", "int k, float(N) I) -> (O) { O(i) +=! I(i+x) where x in 0:k }", "O (0, N - k + 1); if k - 1 >= 0; if N - k >= 0"},
		{"run-time divisor", "int s, float(N) I) -> (O) { O(i) = I(i) where i in 0:N/s }", "O (0, N/s); if s - 1 >= 0; if N - s >= 0"},
		{"reversal", "float(N) I) -> (O) { O(i) = I(N-1-i) }", "O (0, N)"},
		{"reversal by size", "float(N) I) -> (O) { O(i) = I(I.0-1-i) }", "O (0, N)"},
		{"lesser", "float(M) A, float(N) B) -> (C) { C(i) = A(i) + B(i) }", "C (0, min(M, N))"},
		{"exists", "float(N) A) -> (C) { C(i) = 1.0 where exists A(i+1) }", "C (0, N - 1); if N - 2 >= 0"},
		{"declared", "float s) -> (float(N,3) C) { C(i,j) = s }", "C (0, N) (0, 3)"},
		{"declared names a new size", "float(N) A) -> (float(P) C) { C(i) = A(i+1) }", "C (0, N - 1); if N - 2 >= 0"},
		{"declared equal", "float(N) A, float(P) B) -> (float(P) C) { C(i) = A(i) + B(0) }", "C (0, P); if N - P >= 0; if P - N >= 0"},
		{"scalar", "float(N) A) -> (s) { s +=! A(i) }", "s"},
		{"padded", "float(N) A, float(K) W) -> (C) { C(i) +=! pad(A(i+k-1), 0) * W(k) where i in 0:N }", "C (0, N)"},
		{"or empty", "float(N) A) -> (C) { C(i) = A(i) where i or empty }", "C (0, N)"},
		{"or empty range", "float(H) A, float(K) W) -> (C) { C(i) +=! A(i+k) * W(k) where i or empty }", "C (0, max(0, H - K + 1))"},
		{"explicitly negative", "float(N) A) -> (C) { C(i) +=! A(i+x) where x in -1:2 }", "C (1, N - 2); if N - 3 >= 0"},
		{"quotient", "float(N) A) -> (C) { C(i) = A(i/2) where i in 0:2*N }", "C (0, 2*N)"},
		{"remainder", "float(N) A) -> (C) { C(i) = A(i%N) where i in 0:3*N }", "C (0, 3*N)"},
		{"product", "float(16) A) -> (C) { C(i,j) = A(i*j) where i in 0:4, j in 0:6 }", "C (0, 4) (0, 6)"},
		{"clamped by hand", "float(N) A) -> (C) { C(i) = A(min(max(i-1, 0), N-1)) where i in 0:N+2 }", "C (0, N + 2)"},
		{"let", "float(N) A) -> (C) { C(i) = x * x where x = A(i+1) }", "C (0, N - 1); if N - 2 >= 0"},
		{"remainder of a short range", "float(N) A) -> (C) { C(i) = A(i) + A(i % 3) }", "C (0, N)"},
		{"half of a tensor that begins at 1", "float(N) A) -> (y) { t(i) = A(i-1) + A(i+1)  y(i) = t(i/2) }", "y (2, 2*N - 4); if N - 3 >= 0"},
		{"window on a half", "float(N) A, float(K) w) -> (y) { y(i) +=! A(i/2 + k) * w(k) }", "y (0, 2*N - 2*K + 2); if N - K >= 0"},
		{"half from the end", "float(N) A) -> (y) { y(i) = A(N-1-i/2) }", "y (0, 2*N)"},
		{"let with a condition", "float(N) A) -> (C) { C(i) = A(i) + x where x = i > 0 ? A(i-1) : 0 }", "C (0, N)"},
		{"whole subscripts under pad", "float(N,C,H) I, float(F,C,K) W) -> (O) { O(n,f,h) +=! pad(I(n,c,h+k-1), 0) * W(f,c,k) where h in 0:H }", "O (0, N) (0, F) (0, H)"},
		{"Kronecker product", "float(A,B) X, float(C,D) Y) -> (O) { O(i,j) = X(i/C,j/D) * Y(i%C,j%D) where i in 0:A*C, j in 0:B*D }", "O (0, A*C) (0, B*D)"},
		{"run-time upsampling", "int s, float(N) A) -> (O) { O(i) = A(i/s) where i in 0:N*s }", "O (0, N*s); if s - 1 >= 0"},
		{"TeIL 4a", "float(m) B, float(m) C) -> (A) { A(i) = B(i)  A(j) += C(j) }", "A (0, m)"},
		{"TeIL 4b", "float(m) B, float(m) C) -> (A) { A(i) = B(i)  A(i) += C(i) }", "A (0, m)"},
		{"TeIL 2c", "float(K,J,I) B, float(I) C) -> (A) { A(i,j) +=! B(k,j,i) * C(i) }", "A (0, I) (0, J)"},
		{"TeIL 3a", "float(m,h) A, float(n,h) B) -> (C) { C(y,x) +=! A(k,y) * B(k,x) }", "C (0, h) (0, h)"},
		{"part of an initialised tensor", "float(N) A) -> (C) { C(i) = 0.0 where i in 0:N  C(i) = A(i) where i in 0:N-2 }", "C (0, N); if N - 3 >= 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			unit, diags := compileText(t, "def f("+test.program)
			if diags.HasErrors() {
				var b strings.Builder
				source.RenderAll(&b, diags.List, source.RenderOptions{})
				t.Fatal(b.String())
			}
			if got := describe(unit.Def("f")); got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
		})
	}
}
