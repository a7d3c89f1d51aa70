package tc

import (
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
)

// TestHelpsMend follows helps literally: what a help writes stands in the mended program,
// which compiles, and is not told the same again.
func TestHelpsMend(t *testing.T) {
	const defs = `def row(float(N) A) -> (B) { B(i) = 2*A(i) }
def el(float a) -> (b) { b = 2*a }
def both(float(N) A) -> (B, s) { B(i) = 2*A(i)  s +=! A(i) }
def tot(float(N) A) -> (s) { s +=! A(i) }
def stencil(float(N) A) -> (B) { B(i) = A(i-1) + A(i+1) }
`
	for _, c := range []struct {
		program string
		pieces  []string // of the help and of the mended program
		mended  string
	}{
		// E0501
		{"def f(float(N) A) -> (C) { C(i) = row(A(i)) + 1 }", []string{"t = row(A)", "t(i)"}, "def f(float(N) A) -> (C) { t = row(A)  C(i) = t(i) + 1 }"},
		{"def f(float(N) A) -> (C) { C(i) = 1 + row(A) }", []string{"t = row(A)", "t(i)"}, "def f(float(N) A) -> (C) { t = row(A)  C(i) = 1 + t(i) }"},
		{"def f(float(M,N) A) -> (C) { C(i,j) = row(A(i,j)) + 1 }", []string{"t(i) = row(A(i))", "t(i,j)"}, "def f(float(M,N) A) -> (C) { t(i) = row(A(i))  C(i,j) = t(i,j) + 1 }"},
		{"def f(float(M,N) A) -> (C) { C(i,j) = A(i,j) / tot(A(i)) }", []string{"t(i) = tot(A(i))", "t(i)"}, "def f(float(M,N) A) -> (C) { t(i) = tot(A(i))  C(i,j) = A(i,j) / t(i) }"},
		{"def f(float(N) A) -> (C) { C(i) = A(i) / tot(row(A)) }", []string{"t = tot(row(A))", "t"}, "def f(float(N) A) -> (C) { t = tot(row(A))  C(i) = A(i) / t }"},
		{"def f(float(N) A) -> (C) { C(i) = el(A(i)) + 1 }", []string{"t(i) = el(A(i))", "t(i)"}, "def f(float(N) A) -> (C) { t(i) = el(A(i))  C(i) = t(i) + 1 }"},
		{"def f(float(N) A, float t) -> (C) { C(i) = t * row(A(i)*2) }", []string{"u(i) = A(i)*2", "t_ = row(u)", "t_(i)"}, "def f(float(N) A, float t) -> (C) { u(i) = A(i)*2  t_ = row(u)  C(i) = t * t_(i) }"},
		{"def f(float(N) A) -> (C) { C(i) = A(i) + both(A) }", []string{"(t, u) = both(A)", "t(i)"}, "def f(float(N) A) -> (C) { (t, u) = both(A)  C(i) = A(i) + t(i) }"},
		{"def f(float(M,N) A) -> (C) { C(i,j) = 1 + concat(A, A) }", []string{"t = concat(A, A)", "t(i,j)"}, "def f(float(M,N) A) -> (C) { t = concat(A, A)  C(i,j) = 1 + t(i,j) }"},
		// E0105
		{"def f(float(N) A) -> (C) { C(i) = row(A)(i+1) }", []string{"t = row(A)", "t(i+1)"}, "def f(float(N) A) -> (C) { t = row(A)  C(i) = t(i+1) }"},
		// E0511
		{"def f(float(N,M) A) -> (C) { s(i,j) = A(i-1,j-1) + A(i+1,j+1)  C(i) = row(s(i)) }", []string{"t(i,j) = s(i,j + 1)"}, "def f(float(N,M) A) -> (C) { s(i,j) = A(i-1,j-1) + A(i+1,j+1)  t(i,j) = s(i,j + 1)  C(i) = row(t(i)) }"},
		{"def f(float(N) A) -> (C) { C = row(stencil(A)) }", []string{"u = stencil(A)", "t(i) = u(i + 1)"}, "def f(float(N) A) -> (C) { u = stencil(A)  t(i) = u(i + 1)  C = row(t) }"},
		// E0207
		{"def f(float(N) A, float(K) i) -> (C) { C(i) = A(i) + i(0) }", []string{"j"}, "def f(float(N) A, float(K) i) -> (C) { C(j) = A(j) + i(0) }"},
		{"def f(float(N) A, float i) -> (C) { C(N) = A(N) * i }", []string{"j"}, "def f(float(N) A, float i) -> (C) { C(j) = A(j) * i }"},
		// E0209, E0211
		{"def f(int64(N) A, uint64(N) B) -> (C) { C(i) = A(i) + B(i) }", []string{"int64(B(i))"}, "def f(int64(N) A, uint64(N) B) -> (C) { C(i) = A(i) + int64(B(i)) }"},
		{"def f(uint8(N) A) -> (C) { C(i) = A(i) + 300 }", []string{"int32(A(i)) + 300"}, "def f(uint8(N) A) -> (C) { C(i) = int32(A(i)) + 300 }"},
		{"def f(uint32(N) A) -> (C) { C(i) = A(i) + -1 }", []string{"int64(A(i)) + -1"}, "def f(uint32(N) A) -> (C) { C(i) = int64(A(i)) + -1 }"},
		{"def f(uint8(N) A) -> (uint8(N) C) { C(i) = 255 - A(i) * 300 }", []string{"C(i) = uint8(255 - int32(A(i)) * 300)"}, "def f(uint8(N) A) -> (uint8(N) C) { C(i) = uint8(255 - int32(A(i)) * 300) }"},
		{"def f(uint8(N) A) -> (C) { C(i) = A(i) < 300 ? 1 : 2 }", []string{"int32(A(i)) < 300"}, "def f(uint8(N) A) -> (C) { C(i) = int32(A(i)) < 300 ? 1 : 2 }"},
		{"def f(uint8(N) A) -> (uint8(N) C) { C(i) = 300 where exists A(i) }", []string{"int16"}, "def f(uint8(N) A) -> (int16(N) C) { C(i) = 300 where exists A(i) }"},
		{"def f(int(N) A) -> (int16(N) C) { C(i) = A(i) > 0 ? 70000 : 3 }", []string{"int32"}, "def f(int(N) A) -> (int32(N) C) { C(i) = A(i) > 0 ? 70000 : 3 }"},
		{"def f(int(N) A) -> (int16(N) C) { C(i) = x where x = A(i) > 0 ? 70000 : 3 }", []string{"32767"}, "def f(int(N) A) -> (int16(N) C) { C(i) = x where x = A(i) > 0 ? 32767 : 3 }"},
		// E0214
		{"def f(float(N) A) -> (B) { B(i) = B(i) where exists A(i) }", []string{"-> (float32(N) B)"}, "def f(float(N) A) -> (float32(N) B) { B(i) = B(i) where exists A(i) }"},
		// E0124, E0201
		{"def f(float(N) A) -> (B) { B(i) = A(i) * 2f }", []string{"2.0"}, "def f(float(N) A) -> (B) { B(i) = A(i) * 2.0 }"},
		{"def f(float(N) A) -> (B) { B(i) = clip(A(i), -1, 1) }", []string{"min(max(A(i), -1), 1)"}, "def f(float(N) A) -> (B) { B(i) = min(max(A(i), -1), 1) }"},
		{"def f(float(N) A) -> (B) { B(i) = select(A(i) > 0, A(i), 1) }", []string{"A(i) > 0 ? A(i) : 1"}, "def f(float(N) A) -> (B) { B(i) = A(i) > 0 ? A(i) : 1 }"},
		// E0301, with tensors that begin below 0
		{"def f(float(N) A) -> (s) { w(d) = A(d+3) where d in -3:4  s(i) +=! w(i+d) }", []string{"d in 0:3, i in -3:2"}, "def f(float(N) A) -> (s) { w(d) = A(d+3) where d in -3:4  s(i) +=! w(i+d) where d in 0:3, i in -3:2 }"},
		{"def f(float(N) A, int R) -> (s) { w(d) = A(d+R) where d in -R:R+1  s(i) = pad(w(i+1), 0) }", []string{"i in -R:R + 1"}, "def f(float(N) A, int R) -> (s) { w(d) = A(d+R) where d in -R:R+1  s(i) = pad(w(i+1), 0) where i in -R:R + 1 }"},
		{"def f(float(N) A) -> (s) { s(i) +=! A(i+k) }", []string{"where k in 0:3"}, "def f(float(N) A) -> (s) { s(i) +=! A(i+k) where k in 0:3 }"},
		// E0305
		{"def f(float(N) A) -> (B) { B(i) +=! A(j) where i in 0:N, j in 0:i }", []string{"B(i) +=! j < i ? A(j) : 0"}, "def f(float(N) A) -> (B) { B(i) +=! j < i ? A(j) : 0 where i in 0:N }"},
		{"def f(float(N) A) -> (B) { B(i) *=! A(j) where i in 1:N, j in i-1:i+1 }", []string{"B(i) *=! j >= i-1 && j < i+1 ? A(j) : 1"}, "def f(float(N) A) -> (B) { B(i) *=! j >= i-1 && j < i+1 ? A(j) : 1 where i in 1:N }"},
		// E0308
		{"def f(float(N) A) -> (C) { C(i) = A(i) + clamp(C(i+1)) }", []string{"-> (float32(N) C)", "old(C)"}, "def f(float(N) A) -> (float32(N) C) { C(i) = A(i) + clamp(old(C)(i+1)) }"},
		// E0404
		{"def f(float(N) A) -> (B) { B(i,i) = A(i) }", []string{"B(i,j) = i == j ? A(i) : 0 where exists A(j)"}, "def f(float(N) A) -> (B) { B(i,j) = i == j ? A(i) : 0 where exists A(j) }"},
		// E0222, E0230, E0419, E0421
		{"def f(float(N) x) -> (z) { z +=! x(i) > 0  z = z/N }", []string{"float32(z)/N"}, "def f(float(N) x) -> (z) { z +=! x(i) > 0  z = float32(z)/N }"},
		{"def f(int(N) x, int(N) y) -> (d) { d +=! (x(i) != y(i))/N }", []string{"float32(x(i) != y(i))/N"}, "def f(int(N) x, int(N) y) -> (d) { d +=! float32(x(i) != y(i))/N }"},
		{"def f(int(N) x) -> (m) { s +=! x(i)  m = s/N }", []string{"int32 m"}, "def f(int(N) x) -> (int32 m) { s +=! x(i)  m = s/N }"},
		{"def f(int(N) d, int(N) s) -> (int64(N) t) { t(i) = d(i)*86400 + s(i) }", []string{"int64(d(i))*86400"}, "def f(int(N) d, int(N) s) -> (int64(N) t) { t(i) = int64(d(i))*86400 + s(i) }"},
		{"def f(float a, float(N) v) -> (p) { p(0) = a  p(i+1) scan(i) +=! v(i) where i in 0:N }", []string{"p(i) scan(i) +=! i == 0 ? a : ", "i - 1"}, "def f(float a, float(N) v) -> (p) { p(i) scan(i) +=! i == 0 ? a : v(i - 1) where i in 0:N+1 }"},
		{"def f(float(N) x, int(N) g) -> (m) { m max=! g(i) == 1 ? x(i) : 0 }", []string{"-1.0/0"}, "def f(float(N) x, int(N) g) -> (m) { m max=! g(i) == 1 ? x(i) : -1.0/0 }"},
		{"def f(float(N) x, int(N) g) -> (m) { m max=! g(i) == 1 ? x(i) : 0 }", []string{"max(x(i), 0)"}, "def f(float(N) x, int(N) g) -> (m) { m max=! g(i) == 1 ? max(x(i), 0) : 0 }"},
		{"def f(int8(N) x, int(N) g) -> (m) { m max=! g(i) == 1 ? x(i) : 0 }", []string{"-128"}, "def f(int8(N) x, int(N) g) -> (m) { m max=! g(i) == 1 ? x(i) : -128 }"},
		{"def f(int64(N) x, int(N) g) -> (m) { m max=! g(i) == 1 ? x(i) : 0 }", []string{"-9223372036854775808"}, "def f(int64(N) x, int(N) g) -> (m) { m max=! g(i) == 1 ? x(i) : -9223372036854775808 }"},
		{"def f(uint64(N) x, int(N) g) -> (m) { m min=! g(i) == 1 ? x(i) : 0 }", []string{"18446744073709551615"}, "def f(uint64(N) x, int(N) g) -> (m) { m min=! g(i) == 1 ? x(i) : 18446744073709551615 }"},
		// E0406, E0503
		{"def f(float(N,M) A) -> (P) { P(i,j) argmin=! A(i,j) }", []string{"P(i) argmin=! A(i,j)"}, "def f(float(N,M) A) -> (P) { P(i) argmin=! A(i,j) }"},
		{"def f(float(N) B) -> (D) { D = both(B) }", []string{"(D, s) = both(B)"}, "def f(float(N) B) -> (D) { (D, s) = both(B) }"},
		// E0117
		{"def f(float(N) A) -> (B) { B(i) +=! A(i+k) where k = [0, 2[ }", []string{"where k in 0:2"}, "def f(float(N) A) -> (B) { B(i) +=! A(i+k) where k in 0:2 }"},
	} {
		follow(t, defs, c.program, c.pieces, c.mended)
	}
}

// follow compares the pieces with a help of the program's, and compiles what it makes of it.
func follow(t *testing.T, defs, program string, pieces []string, mended string) {
	t.Helper()
	_, diagnostics := compileText(t, defs+program)
	if len(diagnostics.List) == 0 {
		t.Errorf("%s\nhas no diagnostics", program)
		return
	}
	found := diagnostics.List[0]
	if n := slices.IndexFunc(diagnostics.List, func(d *source.Diagnostic) bool { return strings.Contains(d.Help, pieces[0]) }); n >= 0 {
		found = diagnostics.List[n]
	}
	for _, piece := range pieces {
		if !strings.Contains(found.Help, piece) || !strings.Contains(mended, piece) {
			t.Errorf("%s\n%s: help: %s\ndoes not say %s, or %s has it not", program, found.Code, found.Help, piece, mended)
		}
	}
	_, after := compileText(t, defs+mended)
	if err := after.Err(); err != nil {
		t.Errorf("%s\nmended: %v", program, err)
	}
	for _, d := range after.List {
		if d.Code == found.Code {
			t.Errorf("%s\nmended, it is told the same: %s", program, d.Message)
		}
	}
}
