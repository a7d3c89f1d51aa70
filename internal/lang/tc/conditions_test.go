package tc

import (
	"strings"
	"testing"
)

// TestConditionTexts checks how conditions are written for people: equations as
// one, and minima and maxima split.
func TestConditionTexts(t *testing.T) {
	for _, test := range []struct{ program, want string }{
		{"def f(float(M) A, float(N) B) -> (float(M) C, float(N) D) { C(i) = A(i)  D(i) = B(i)  C(i) = D(i) }", "M == N"},
		{"def f(float(A) X, float(B) Y) -> (C) { C(i) +=! X(i+k) * Y(i+k) where i in 0:11, k in 0:4 }", "A >= 14; B >= 14"},
		{"def f(float(A) X, float(B) Y) -> (Z) { Z(i) = X(i)  Z(i) = Y(i) * X(i) }", "B >= A"},
		{"def f(float(A) X, float(B) Y) -> (s) { s +=! Y(i) where i in 0:min(11, B - A + 1), exists X(0)  s +=! Y(i) where i in 0:11 }", "B >= A; B >= 11"},
		{"def f(float(N) A) -> (B) { B(i) = A(i*i) where i in 0:3 }", "N >= 5"},
		{"def f(float(N) A) -> (B) { B(i) = A(N*i*i - N*i*i + i*i*i) where i in 1:3 }", "N >= 9"},
		{"def f(float(N) A) -> (B) { B(i) = A(10 - i*i) where i in 0:4 }", "N >= 11"},
		{"def f(float(N) A) -> (B) { B(i) = A(i*i) where i in 0:N }", "3*N >= N*N + 2"},
		{"def f(float(N,M) A) -> (B) { B(i,j) = i*M + j where exists A(i,j) }", "M*N <= 2147483648"},
		{"def f(float(N,M) A) -> (int64 B) { B(i,j) = i*M + j where exists A(i,j) }", ""},
		{"def f(float(N,M) A, int(N) J) -> (B) { B(i) = J(i) % (N*M) }", "M*N <= 2147483647"},
	} {
		unit, diags := compileText(t, test.program)
		if diags.HasErrors() {
			t.Errorf("%s: %v", test.program, diags.Err())
			continue
		}
		var list []string
		for _, r := range unit.Def("f").Func.Requires {
			if text, repeated := unit.Def("f").Func.Relation(r); !repeated {
				list = append(list, text)
			}
		}
		if got := strings.Join(list, "; "); got != test.want {
			t.Errorf("%s: the conditions are %s, want %s", test.program, got, test.want)
		}
	}
}
