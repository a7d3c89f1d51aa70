package tc

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// parseArray reads "2,3: 1 2 3 4 5 6" (shape: elements) into a tensor.
func parseArray(t *testing.T, dtype tensor.DType, text string) *tensor.Tensor {
	t.Helper()
	head, elements, _ := strings.Cut(text, ":")
	var shape []int
	for _, n := range strings.FieldsFunc(head, func(r rune) bool { return r == ',' || r == ' ' }) {
		v, err := strconv.Atoi(n)
		if err != nil {
			t.Fatal(err)
		}
		shape = append(shape, v)
	}
	made, err := tensor.New(dtype, shape...)
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Fields(elements)
	n := 0
	for offset := range made.Offsets() {
		v, err := strconv.ParseFloat(values[n], 64)
		if err != nil {
			t.Fatal(err)
		}
		made.SetFloatAt(offset, v)
		n++
	}
	return made
}

func formatArray(a *tensor.Tensor) string {
	dims := make([]string, a.Rank())
	for k, n := range a.Shape() {
		dims[k] = strconv.Itoa(n)
	}
	text := strings.Join(dims, ",") + ":"
	for offset := range a.Offsets() {
		if a.DType().IsInteger() {
			text += fmt.Sprintf(" %d", a.IntAt(offset))
		} else {
			text += fmt.Sprintf(" %v", a.FloatAt(offset))
		}
	}
	return text
}

// evaluate compiles a program and evaluates its def f.
func evaluate(t *testing.T, program string, inputs map[string]string) (map[string]*tensor.Tensor, error) {
	t.Helper()
	unit, diags := compileText(t, program)
	if diags.HasErrors() {
		var b strings.Builder
		source.RenderAll(&b, diags.List, source.RenderOptions{})
		t.Fatal(b.String())
	}
	f := unit.Program.Func("f")
	shapes, scalars, args := map[string][]int64{}, map[string]int64{}, map[string]*tensor.Tensor{}
	for _, in := range f.ByRole(ein.Input, ein.InOut) {
		a := parseArray(t, in.Type, inputs[in.Name])
		args[in.Name] = a
		shapes[in.Name] = make([]int64, a.Rank())
		for k, n := range a.Shape() {
			shapes[in.Name][k] = int64(n)
		}
		if a.Rank() == 0 && in.Type.IsInteger() {
			scalars[in.Name] = a.Int()
		}
	}
	sizes, err := f.Bind(shapes, scalars)
	if err != nil {
		return nil, err
	}
	return ein.Evaluate(f, args, ein.EvalOptions{Sizes: sizes})
}

// TestScalarIsSize: an integer scalar and a size of the same name are one number.
func TestScalarIsSize(t *testing.T) {
	const program = "def f(float(n) x, int n) -> (m) { s +=! x(i)  m = s/n }"
	if _, err := evaluate(t, program, map[string]string{"x": "3: 1 2 3", "n": ": 3"}); err != nil {
		t.Error(err)
	}
	if _, err := evaluate(t, program, map[string]string{"x": "3: 1 2 3", "n": ": 4"}); err == nil || !strings.Contains(err.Error(), "expected n = 4") {
		t.Errorf("%v", err)
	}
}

// TestMeaning evaluates programs: what the statements compute.
func TestMeaning(t *testing.T) {
	for _, test := range []struct {
		name, program string
		inputs        map[string]string
		want          map[string]string
	}{
		{"matmul", "def f(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }",
			map[string]string{"A": "2,2: 1 2 3 4", "B": "2,1: 5 6"}, map[string]string{"C": "2,1: 17 39"}},
		{"argmin", "def f(float(N,K) D) -> (V, P) { (V(i), P(i)) argmin=! D(i,k) }",
			map[string]string{"D": "2,3: 3 1 1 0 5 0"}, map[string]string{"V": "2: 1 0", "P": "2: 1 0"}},
		{"argmax, position only", "def f(int(N,K) D) -> (P) { P(i) argmax=! D(i,k+1) where k in 1:K-1 }",
			map[string]string{"D": "1,4: 9 9 2 3"}, map[string]string{"P": "1: 2"}},
		{"argmin of two indices", "def f(float(N,M) D) -> (P, Q) { (P, Q) argmin=! D(i+1,j) where i in 1:N-1, j in 0:M }",
			map[string]string{"D": "4,2: 0 0 0 0 5 4 4 3"}, map[string]string{"P": ": 2", "Q": ": 1"}},
		{"narrow positions", "def f(float(N,M) D) -> (int P, uint8 Q, float(N) V, int16(N) R) { (P, Q) argmin=! D(i+1,j) where i in 1:N-1, j in 0:M; (V(i), R(i)) argmax=! D(i,j) }",
			map[string]string{"D": "4,2: 0 0 0 0 5 4 4 3"}, map[string]string{"P": ": 2", "Q": ": 1", "V": "4: 0 0 5 4", "R": "4: 0 0 0 0"}},
		{"running argmin", "def f(float(N) A, float(N) B) -> (V, P) { (V, P) argmin=! A(k) (V, P) argmin= B(k) }",
			map[string]string{"A": "3: 3 2 2", "B": "3: 2 1 4"}, map[string]string{"V": ": 1", "P": ": 1"}},
		{"an output as long as a scalar says", "def f(int n) -> (float(n,n) y) { y(i,j) = i == j ? n : 0 }",
			map[string]string{"n": ": 2"}, map[string]string{"y": "2,2: 2 0 0 2"}},
		{"a temporary as long as a scalar says", "def f(int n) -> (s) { float(n) t(i) = 0.5*i  s +=! t(i) }",
			map[string]string{"n": ": 4"}, map[string]string{"s": ": 3"}},
		{"a scalar and a size of one name", "def f(int n, float(n) x) -> (y) { y(i) = x(i)/n where i in 1:n }",
			map[string]string{"n": ": 2", "x": "2: 4 6"}, map[string]string{"y": "1: 3"}},
		{"scan", "def f(float(B,N) A) -> (S) { S(b,i) scan(i) +=! A(b,i) }",
			map[string]string{"A": "2,3: 1 2 3 4 5 6"}, map[string]string{"S": "2,3: 1 3 6 4 9 15"}},
		{"scan of a reduction", "def f(float(N,K) A) -> (S) { S(i) scan(i) max=! A(i,k) }",
			map[string]string{"A": "3,2: 1 2 0 0 5 4"}, map[string]string{"S": "3: 2 2 5"}},
		{"pad", "def f(float(N) A) -> (B) { B(i) +=! pad(A(i+k), 10) where i in 0:N, k in -1:2 }",
			map[string]string{"A": "3: 1 2 3"}, map[string]string{"B": "3: 13 6 15"}},
		{"pad data", "def f(float(N) A, int(M) J) -> (B) { B(i) = pad(A(J(i-1)), -1) where i in 0:M+1 }",
			map[string]string{"A": "2: 7 8", "J": "3: 1 5 -1"}, map[string]string{"B": "4: -1 8 -1 -1"}},
		{"pad of a condition", "def f(float(N) A) -> (B) { B(i) = pad(i > 0 ? A(i-1) : 5, 9) where i in 0:N }",
			map[string]string{"A": "3: 1 2 3"}, map[string]string{"B": "3: 5 1 2"}},
		{"pad of a condition that is not enough", "def f(float(N) A) -> (B) { B(i) = 1 + pad(2*(i > 0 ? A(i+1) : 5), 9) where i in 0:N }",
			map[string]string{"A": "3: 1 2 3"}, map[string]string{"B": "3: 11 7 10"}},
		{"pad of a condition on data", "def f(float(N) A, float(N) m) -> (B) { B(i) = pad(m(i+1) > 0 ? A(i-1) : A(i+2), 9) where i in 0:N }",
			map[string]string{"A": "4: 1 2 3 4", "m": "4: 1 1 0 1"}, map[string]string{"B": "4: 9 4 2 9"}},
		{"pad of a conjunction", "def f(float(N) A, float(N) m) -> (B) { B(i) = pad(m(i) > 0 && A(i-1) > 1 ? 1 : 0, 9) where i in 0:N }",
			map[string]string{"A": "3: 1 2 3", "m": "3: 0 1 1"}, map[string]string{"B": "3: 0 0 1"}},
		{"pad within a branch", "def f(float(N) A, float(N) m) -> (B) { B(i) = m(i) > 0 ? pad(A(i-1), 9) : 0 where i in 0:N }",
			map[string]string{"A": "3: 1 2 3", "m": "3: 1 0 1"}, map[string]string{"B": "3: 9 0 2"}},
		{"nested pads", "def f(float(N) A) -> (B) { B(i) = pad(pad(A(i-1), 100) + A(i+1), -1) where i in 0:N }",
			map[string]string{"A": "3: 1 2 3"}, map[string]string{"B": "3: 102 4 -1"}},
		{"clamp mirror wrap", "def f(float(N) A) -> (C, M, W) { C(i) = clamp(A(i-2)) where i in 0:N+4  M(i) = mirror(A(i-2)) where i in 0:N+4  W(i) = wrap(A(i-2)) where i in 0:N+4 }",
			map[string]string{"A": "3: 1 2 3"}, map[string]string{"C": "7: 1 1 1 2 3 3 3", "M": "7: 2 1 1 2 3 3 2", "W": "7: 2 3 1 2 3 1 2"}},
		{"mirror of a shifted tensor", "def f(float(N) A) -> (M) { t(i) = A(i-1)  M(i) = mirror(t(i)) where i in 0:N+2 }",
			map[string]string{"A": "3: 1 2 3"}, map[string]string{"M": "5: 1 1 2 3 3"}},
		{"softmax", "def f(float(N) A) -> (S) { m max=! A(i)  s +=! exp(A(i) - m)  S(i) = exp(A(i) - m) / s }",
			map[string]string{"A": "2: 3 3"}, map[string]string{"S": "2: 0.5 0.5"}},
		{"in place", "def f(float(N) C) -> (A) { A(i) = A(N-1-i) + C(i) }",
			map[string]string{"C": "3: 10 20 30", "A": "3: 1 2 3"}, map[string]string{"A": "3: 13 22 31"}},
		{"in-place transposition", "def f(float(N) X) -> (float(N,N) A) { A(i,j) = A(j,i) + 0 * X(0) }",
			map[string]string{"X": "2: 0 0", "A": "2,2: 1 2 3 4"}, map[string]string{"A": "2,2: 1 3 2 4"}},
		{"sgemm", "def f(float a, float b, float(N,M) A, float(M,K) B) -> (C) { C(i,j) = b * C(i,j)  C(i,j) += a * A(i,k) * B(k,j) }",
			map[string]string{"a": ": 2", "b": ": 10", "A": "1,2: 1 2", "B": "2,1: 3 4", "C": "1,1: 5"}, map[string]string{"C": "1,1: 72"}},
		{"MLP1", "def f(float(B,M) I, float(N,M) W1, float(N) B1) -> (O1) { O1(b,n) = B1(n) O1(b,n) += I(b,m) * W1(n,m) O1(b,n) = fmax(O1(b,n), 0) }",
			map[string]string{"I": "1,2: 1 1", "W1": "2,2: 1 2 -9 1", "B1": "2: 1 2"}, map[string]string{"O1": "1,2: 4 0"}},
		{"shifted", "def f(float(N) A) -> (B, C, S) { B(i-2) = A(i)  C(0) = -1.0  C(i+1) = A(i) * i where i in 0:N  S(0) = 0.0  S(i+1) scan(i) +=! A(i) where i in 0:N }",
			map[string]string{"A": "3: 3 4 5"}, map[string]string{"B": "3: 3 4 5", "C": "4: -1 0 4 10", "S": "4: 0 3 7 12"}},
		{"shifted over itself", "def f(float(N) A, int s) -> (B, C) { B(i) = A(i)  B(i+1) = 10 * old(B)(i) where i in 0:N-1  C(i+s) = B(i)  C(i+s) = 2 * C(i+s) where i in 1:N }",
			map[string]string{"A": "3: 1 2 3", "s": ": 5"}, map[string]string{"B": "3: 1 10 20", "C": "3: 1 20 40"}},
		{"shifted argmin", "def f(float(N,K,L) D) -> (V, P, Q) { (V(i+1), P(i+1), Q(i+1)) argmin=! D(i,k,l) }",
			map[string]string{"D": "2,2,2: 3 1 2 1 4 4 0 4"}, map[string]string{"V": "2: 1 0", "P": "2: 0 1", "Q": "2: 1 0"}},
		{"absolute", "def f(int8(N) A, uint8(N) U, double(N) D) -> (B, C, E, F) { B(i) = abs(A(i))  C(i) = abs(U(i))  E(i) = abs(D(i))  F(i) = abs(int32(U(i)) - A(i)) }",
			map[string]string{"A": "4: -128 -127 0 5", "U": "4: 0 255 7 200", "D": "4: -0.5 0 3 -7"},
			map[string]string{"B": "4: -128 127 0 5", "C": "4: 0 255 7 200", "E": "4: 0.5 0 3 7", "F": "4: 128 382 7 195"}},
		{"absolute subscripts", "def f(float(N) A) -> (B, C) { B(i,j) = A(abs(i-j)) where i in 0:N, j in 0:N  C(i) = abs(i-1) < 1 ? A(i-1) : -1 where i in 0:N+1 }",
			map[string]string{"A": "2: 3 4"}, map[string]string{"B": "2,2: 3 4 4 3", "C": "3: -1 3 -1"}},
		{"call", "def g(float(N) A, float s) -> (B, t) { t(i) = s * A(i)  B(i) = t(i) + 1 }\ndef f(float(N) X) -> (Y, Z) { (Y, t) = g(X, 2)  (Z, u) = g(t, X(0)) }",
			map[string]string{"X": "2: 3 4"}, map[string]string{"Y": "2: 7 9", "Z": "2: 19 25"}},
		{"call of a shifted tensor", "def g(float(N) A) -> (B) { B(i) = A(i) + A(i+1) }\ndef f(float(N) X) -> (Y) { t(i) = X(i-1)  Y = g(t) }",
			map[string]string{"X": "3: 1 2 3"}, map[string]string{"Y": "2: 3 5"}},
		{"call in place", "def g(float(N) A) -> (C) { C(i) += A(i) }\ndef f(float(N) X) -> (Y) { Y(i) = 1 + X(i)  Y = g(X) }",
			map[string]string{"X": "2: 1 2"}, map[string]string{"Y": "2: 3 5"}},
		{"call with a stride", "def pool(int s, float(H) I) -> (O) { O(i) max=! I(s*i+k) where k in 0:s }\ndef f(int q, float(H) I) -> (A, B) { A = pool(2, I)  B = pool(q+1, I) }",
			map[string]string{"q": ": 2", "I": "6: 1 2 3 4 5 6"}, map[string]string{"A": "3: 2 4 6", "B": "2: 3 6"}},
		{"call of a call", "def g(float(N) A) -> (B) { B(i) = A(i) + A(i+1) }\ndef f(float(N) X) -> (Y, Z) { Y = g(g(X))  Z = concat(g(X), X, g(g(X))) }",
			map[string]string{"X": "4: 1 2 4 8"}, map[string]string{"Y": "2: 9 18", "Z": "9: 3 6 12 1 2 4 8 9 18"}},
		{"call of a slice", "def g(float(N) A) -> (B) { s +=! A(k)  B(i) = s - A(i) }\ndef f(float(M,N) X, int m) -> (Y, Z) { Y = g(X(m))  Z = g(g(X(M-1))) }",
			map[string]string{"X": "3,2: 1 2 3 4 5 6", "m": ": 1"}, map[string]string{"Y": "2: 4 3", "Z": "2: 5 6"}},
		{"call for each row", "def g(float(N) A, float w) -> (B, c) { s +=! A(k)  B(i) = s - w * A(i)  c = s }\ndef f(float(M,N) X, float(M) w) -> (Y, t) { (Y(r), t(r)) = g(X(r), w(r)) }",
			map[string]string{"X": "3,2: 1 2 3 4 5 6", "w": "3: 1 2 3"}, map[string]string{"Y": "3,2: 2 1 1 -1 -4 -7", "t": "3: 3 7 11"}},
		{"call for each column", "def g(float(N) A) -> (B) { B(i) = A(i) - A(0) }\ndef h(float(M,N) X) -> (Y) { Y(i,j) = X(j,i) }\ndef f(float(M,N) X) -> (Y) { T = h(X)  Y(k) = g(g(T(k))) }",
			map[string]string{"X": "2,3: 1 2 3 4 6 8"}, map[string]string{"Y": "3,2: 0 3 0 4 0 5"}},
		{"call for each element", "def g(float x, float y) -> (z) { z = x * x + y }\ndef f(float(M,N) X, float(N) v) -> (Y) { Y(i,j) = g(X(i,j), v(j)) }",
			map[string]string{"X": "2,2: 1 2 3 4", "v": "2: 10 20"}, map[string]string{"Y": "2,2: 11 24 19 36"}},
		{"call in place for each row", "def g(float(N) A) -> (C) { C(i) += A(i) }\ndef f(float(M,N) X) -> (Y) { Y(i,j) = 1 + X(i,j)  Y(r) = g(X(r)) }",
			map[string]string{"X": "2,2: 1 2 3 4"}, map[string]string{"Y": "2,2: 3 5 7 9"}},
		{"pieces", "def f(float(N) A) -> (B) { B(i) = 10 where i in 0:1  B(i) = A(i) * B(0) where i in 1:N-1  B(i) max=! A(k) + i where i in N-1:N }",
			map[string]string{"A": "4: 1 2 3 4"}, map[string]string{"B": "4: 10 20 30 7"}},
		{"points", "def f(float(N) A) -> (B, V, P) { B(0) = A(0)  B(N-1) = 0  B(i) = A(i-1) + A(i+1) where i in 1:N-1  (V(1), P(1)) argmax=! A(k) }",
			map[string]string{"A": "4: 1 2 3 4"}, map[string]string{"B": "4: 1 4 6 0", "V": "1: 4", "P": "1: 3"}},
		{"old values", "def f(float(N) x) -> (y) { y(i) = x(i)  y(i) = old(y)(i-1) + x(i) where i in 1:N }",
			map[string]string{"x": "4: 1 2 3 4"}, map[string]string{"y": "4: 1 3 5 7"}},
		{"length", "def f(float(N) x) -> (y) { y(i) = x(len(x)-1-i) / len(x) where i in 0:len(x) }",
			map[string]string{"x": "2: 1 2"}, map[string]string{"y": "2: 1 0.5"}},
		{"concat", "def f(float(N,M) A, float(N,K) B) -> (C, D) { C = concat(A, B, A)  D = concat(A, A, 0) }",
			map[string]string{"A": "2,1: 1 2", "B": "2,2: 3 4 5 6"}, map[string]string{"C": "2,4: 1 3 4 1 2 5 6 2", "D": "4,1: 1 2 1 2"}},
		{"integers", "def f(uint8(N) A, int(N) B) -> (C, D, E) { C(i) = A(i) + 1  D(i) = B(i) / 2 * 2 + B(i) % 2  E(i) = B(i) > 0 && A(i) == 1 ? 1 : 0 }",
			map[string]string{"A": "3: 255 1 2", "B": "3: -3 3 0"}, map[string]string{"C": "3: 0 2 3", "D": "3: -3 3 0", "E": "3: 0 1 0"}},
		{"remainders", "def f(float(N) A, int(N) B) -> (C, D, E, F) { C(i) = A(i) % 2  D(i) = B(i) % -3  E(i) = fmod(A(i), 2)  F = -7.5 % 2 }",
			map[string]string{"A": "3: -0.5 3.5 -4", "B": "3: 1 -1 3"}, map[string]string{"C": "3: 1.5 1.5 0", "D": "3: -2 -1 0", "E": "3: -0.5 1.5 -0", "F": ": 0.5"}},
		{"sums of indices", "def f(uint8(N) x) -> (s, p) { s +=! i * i * 100000000 where exists x(i)  p(i) scan(i) *=! i + 1 where exists x(i) }",
			map[string]string{"x": "14: " + strings.Repeat("0 ", 14)}, map[string]string{"s": ": 81900000000", "p": "14: 1 2 6 24 120 720 5040 40320 362880 3628800 39916800 479001600 6227020800 87178291200"}},
		{"bits of conditions", "def f(bool(N) b, int64(N) A) -> (int64 m, n, int64(N) C) { m +=! b(i) * (1 << i)  n +=! A(i) * ((A(i) > 0) * (1 << i))  C(i) = (1 << i) * (i + 1) }",
			map[string]string{"b": "34: " + strings.Repeat("0 ", 33) + "1", "A": "34: " + strings.Repeat("0 ", 33) + "1"},
			map[string]string{"m": ": 8589934592", "n": ": 8589934592"}},
		{"phases", "def f(float(N) x) -> (re, float s) { re(k) +=! x(n) * cos(2*3.14159265358979*k*n*1000003/N) where k in 0:2  s = floor(w*100) + int32(0.7*i*5) where w = 0.3*j, j = N + 1, i = 3*N }",
			map[string]string{"x": "2: 1 1"}, map[string]string{"re": "2: 2 0", "s": ": 109"}},
		{"bits", "def f(uint8(N) A, int8(N) B) -> (C, D, E, F) { C(i) = A(i) & 12 | ~A(i) & 3 ^ 1  D(i) = B(i) << 1  E(i) = B(i) >> 1  F(i) = popcount(A(i)) * 10 + clz(B(i)) }",
			map[string]string{"A": "3: 255 5 0", "B": "3: -3 127 0"}, map[string]string{"C": "3: 13 7 2", "D": "3: -6 -2 0", "E": "3: -2 63 0", "F": "3: 80 21 8"}},
		{"counts of shifts", "def f(int8(N) A, int(N) n) -> (C, D, E) { C(i) = A(i) << n(i)  D(i) = A(i) >> n(i)  E(i) = uint8(A(i)) >> n(i) }",
			map[string]string{"A": "6: -3 -3 -3 -3 5 5", "n": "6: 7 8 256 -1 -2147483648 1"},
			map[string]string{"C": "6: -128 0 0 0 0 10", "D": "6: -1 -1 -1 -1 0 2", "E": "6: 1 0 0 0 0 2"}},
		{"literals that are shifted", "def f(int64(N) A, int(N) n) -> (C, D, E, float F) { C(i) = A(i) & (1 << n(i)) - 1  D(i) = A(i) | 1 << 40  E(i) = A(i) & ~(1 << n(i))  F(i) = 0.5 * (1 << n(i)) }",
			map[string]string{"A": "2: -1 -1", "n": "2: 40 3"}, map[string]string{"C": "2: 1099511627775 7", "D": "2: -1 -1", "E": "2: -1099511627777 -9", "F": "2: 5.49755813888e+11 4"}},
		{"sums of weighted indices", "def f(uint8(N) b, bool(N) m) -> (s, t, u, p, int v) { s +=! 20000000*i*b(i)  t +=! m(i) ? 1000000000*i*i : 0  u +=! x where x = m(i)*int(b(i))*(10000000*i)  p(i) scan(i) *=! 1000*max(i,1) where exists b(i)  v +=! i*b(i) }",
			map[string]string{"b": "4: 1 2 100 200", "m": "4: 1 1 0 1"}, map[string]string{"s": ": 16040000000", "t": ": 10000000000", "u": ": 6020000000", "p": "4: 1000 1000000 2000000000 6000000000000", "v": ": 802"}},
		{"literals that are shifted and become floats", "def f(double(N) A, int(N) n) -> (C, D, double E) { C(i) = A(i)/360*(1 << n(i))  D(i) = sqrt(1 << n(i)) + float((1 << n(i)) - 1) - ((1 << n(i)) - 1)  E(i) = (1 << n(i)) > A(i) ? b : -b where b = 1 << n(i) }",
			map[string]string{"A": "2: 360 3600", "n": "2: 40 4"}, map[string]string{"C": "2: 1.099511627776e+12 160", "D": "2: 1.048576e+06 4", "E": "2: 1.099511627776e+12 -16"}},
		{"shifts in subscripts and ranges", "def f(int(N) A) -> (B) { B(i) = A(i >> 1) + A(i & 1) where i in 0:N << 1 }",
			map[string]string{"A": "2: 10 20"}, map[string]string{"B": "4: 20 30 30 40"}},
		{"bools", "def f(float(N) A) -> (any, all, n) { any max=! A(i) > 1  all min=! A(i) > 1  n +=! A(i) > 1 }",
			map[string]string{"A": "3: 1 2 3"}, map[string]string{"any": ": 1", "all": ": 0", "n": ": 2"}},
		{"index values", "def f(float(N) A) -> (B) { B(i) = A(i) * i + N + A.0 }",
			map[string]string{"A": "2: 5 6"}, map[string]string{"B": "2: 4 10"}},
		{"half", "def f(half(N) A) -> (B, float s) { B(i) = A(i) * A(i)  s +=! A(i) * A(i) }",
			map[string]string{"A": "2: 300 300"}, map[string]string{"B": "2: +Inf +Inf", "s": ": 180000"}},
		{"lets", "def f(float(N) A, int(N) J) -> (B) { B(i) = x * x + y where x = A(j), j = N - 1 - i, y = J(i) }",
			map[string]string{"A": "2: 2 3", "J": "2: 1 0"}, map[string]string{"B": "2: 10 4"}},
		{"lets with conditions", "def f(int(K) T) -> (D, E) { D(i) = m * m where i in 0:K, m = n + 1, n = i > 0 ? T(i-1) : 7  E(i) = T(i) + m where m = i > 0 ? T(i-1) : 7 }",
			map[string]string{"T": "3: 1 2 3"}, map[string]string{"D": "3: 64 4 9", "E": "3: 8 3 5"}},
		{"lets with conditions under conditions", "def f(int(K) T) -> (D) { D(i) = i < K-1 ? m + m : n where i in 0:K, m = n + T(i+1), n = i > 0 ? T(i-1) : 7 }",
			map[string]string{"T": "3: 1 2 3"}, map[string]string{"D": "3: 18 8 2"}},
		{"argmax of conditions", "def f(int(N,M) A) -> (V, P, Q) { (V(i), P(i)) argmax=! A(i,j) > 1  Q(i) argmin=! A(i,j) > 1 }",
			map[string]string{"A": "2,3: 1 2 3 2 0 0"}, map[string]string{"V": "2: 1 1", "P": "2: 1 0", "Q": "2: 0 1"}},
		{"gather", "def f(float(N,D) X, int(M) I) -> (Z) { Z(i,d) = X(I(i),d) }",
			map[string]string{"X": "2,2: 1 2 3 4", "I": "3: 1 1 0"}, map[string]string{"Z": "3,2: 3 4 3 4 1 2"}},
		{"embedding", "def f(float(E,D) L, int(B,K) I) -> (O) { O(i,j) +=! L(I(i,k),j) }",
			map[string]string{"L": "2,1: 1 5", "I": "1,3: 1 1 0"}, map[string]string{"O": "1,1: 11"}},
		{"empty", "def f(float(N) A) -> (B, s) { B(i) = A(i) where i or empty  s +=! A(i) where i or empty }",
			map[string]string{"A": "0:"}, map[string]string{"B": "0:", "s": ": 0"}},
		{"part", "def f(float(N) A) -> (B) { B(i) = A(i)  B(i) = 0 where i in 1:N-1 }",
			map[string]string{"A": "4: 1 2 3 4"}, map[string]string{"B": "4: 1 0 0 4"}},
		{"typed temporary", "def f(float(N) A) -> (double s) { double t(i) = A(i)  s +=! t(i) }",
			map[string]string{"A": "2: 1 2"}, map[string]string{"s": ": 3"}},
		{"temporaries of literals", "def f(int(N) A) -> (c, double d) { h(b) +=! A(i) == b ? 1 : 0 where b in 0:3  c(b) scan(b) +=! h(b)  z = 0  q = 0.5  z = q  d = z + h(1) }",
			map[string]string{"A": "4: 1 1 2 0"}, map[string]string{"c": "3: 1 3 4", "d": ": 2.5"}},
		{"shifted output", "def f(float(N) A) -> (B) { B(i) = A(i-1) + A(i) }",
			map[string]string{"A": "3: 1 2 4"}, map[string]string{"B": "2: 3 6"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := evaluate(t, test.program, test.inputs)
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range test.want {
				if text := formatArray(got[name]); text != want {
					t.Errorf("%s is %s, want %s", name, text, want)
				}
			}
		})
	}
}

// TestConditionsAtCallTime checks that sizes that break a condition end the call
// with the statement that needs them, and data out of bounds with the access.
func TestConditionsAtCallTime(t *testing.T) {
	for _, test := range []struct {
		name, program string
		inputs        map[string]string
		want          string
	}{
		{"diagonal", "def f(float(A,B,C) I) -> (O) { O(i,j) = I(i,i+j,j) }", map[string]string{"I": "2,2,2: 1 2 3 4 5 6 7 8"}, "I(i,i+j,j) reads dimension 1 of I up to A + C - 2"},
		{"stride", "def f(int s, float(N) A) -> (O) { O(i) = A(s*i) }", map[string]string{"s": ": 0", "A": "2: 1 2"}, "the step s of i in A(s*i) must be positive"},
		{"empty", "def f(float(N) A, float(K) W) -> (O) { O(i) +=! A(i+k) * W(k) }", map[string]string{"A": "2: 1 2", "W": "3: 1 2 3"}, "the range 0:N - K + 1 of i is not empty"},
		{"data", "def f(float(N) A, int(M) J) -> (O) { O(i) = A(J(i)) }", map[string]string{"A": "2: 1 2", "J": "1: 2"}, "A is read at 2 in dimension 0"},
		{"no data", "def f(float(N) A) -> (O) { O(i) = A(i*i - 2*i) where i in 0:3 }", map[string]string{"A": "2: 1 2"}, "A is read at -1 in dimension 0"},
		{"narrow position", "def f(float(N) A) -> (int8 P) { P argmin=! A(i) }", map[string]string{"A": "129: " + strings.Repeat("1 ", 129)}, "the positions 0:N of i are stored in P, which is an int8"},
		{"power", "def f(float(N) A) -> (O) { O(i) = A(i*i) where i in 0:3 }", map[string]string{"A": "4: 1 2 3 4"}, "the sizes must satisfy N >= 5"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := evaluate(t, test.program, test.inputs)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
