package pipelinetest_test

import (
	"math"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/pipelinetest"
	"github.com/ricci-lang/ricci/internal/units"
)

// byRows are chains whose temporaries have rows.
var byRows = []struct{ name, text string }{
	{"softmax", `def f(float(M,N) A) -> (P) { m(i) max=! A(i,j)
 T(i,j) = exp(A(i,j) - m(i))
 s(i) +=! T(i,j)
 P(i,j) = T(i,j) / s(i) }`},
	{"layer norm", `def f(float(M,N) A) -> (P) { m(i) +=! A(i,j)
 D(i,j) = A(i,j) - m(i) / N
 v(i) +=! D(i,j) * D(i,j)
 P(i,j) = D(i,j) * rsqrt(v(i) / N + 1e-5) }`},
	{"softmax, weighted", `def f(float(M,N) A, float(N) w) -> (r) { m(i) max=! A(i,j)
 T(i,j) = exp(A(i,j) - m(i))
 s(i) +=! T(i,j)
 r(i) +=! T(i,j) * w(j) / s(i) }`},
	{"blur", `def f(float(M,N) A) -> (B) { H(i,j) = (clamp(A(i,j-1)) + A(i,j) + clamp(A(i,j+1))) / 3 where i in 0:M, j in 0:N
 B(i,j) = (clamp(H(i-1,j)) + H(i,j) + clamp(H(i+1,j))) / 3 where i in 0:M, j in 0:N }`},
	{"blur, threshold, sharpen", `def f(float(M,N) A) -> (C) { H(i,j) +=! A(i,j+k) where k in 0:3
 V(i,j) +=! H(i+k,j) where k in 0:3
 S(i,j) = 2 * A(i+1,j+1) - V(i,j) / 9
 C(i,j) = S(i,j) > 0.5 ? 1.0 : 0.0 }`},
	{"attention", `def f(float(M,D) Q, float(N,D) K, float(N,D) V) -> (O) { S(i,j) +=! Q(i,d) * K(j,d)
 m(i) max=! S(i,j)
 T(i,j) = exp(S(i,j) - m(i))
 s(i) +=! T(i,j)
 R(i,d) +=! T(i,j) * V(j,d)
 O(i,d) = R(i,d) / s(i) }`},
	{"scan", `def f(float(M,N) A) -> (P) { E(i,j) = exp(A(i,j))
 C(i,j) scan(j) +=! E(i,j)
 m(i) max=! C(i,j)
 P(i,j) = C(i,j) / m(i) }`},
	{"two readers", `def f(float(M,N) A) -> (x, y) { T(i,j) = sqrt(A(i,j)) + 1
 x(i) +=! T(i,j)
 y(i) max=! T(i,j) }`},
	{"windows", `def f(float(M,N) A) -> (B) { m(i) +=! A(i,j)
 T(i,j) = exp(A(i,j) / m(i))
 B(i,j) +=! T(i,j+k) where k in 0:5 }`},
	{"columns", `def f(float(N,M) A) -> (P) { m(j) max=! A(i,j)
 T(i,j) = exp(A(i,j) - m(j))
 s(j) +=! T(i,j)
 P(i,j) = T(i,j) / s(j) }`},
	{"planes", `def f(float(M,N,4) A) -> (P) { m(i) +=! A(i,j,c)
 T(i,j,c) = exp(A(i,j,c) - m(i))
 s(i,c) +=! T(i,j,c)
 P(i,j,c) = T(i,j,c) / s(i,c) }`},
}

// TestMemoryOfRows: what temporaries take grows as rows do. No row is so long that a temporary of which rows are needed
// one after the other becomes as large as the product of its dimensions; what is whole is so for rows of all lengths.
func TestMemoryOfRows(t *testing.T) {
	const rows, longer, threads = 50_000, 4, 2
	const onStacks = 16 << 20 // what leaves the stacks of the threads
	for _, p := range byRows {
		f := read(t, p.name+".tc", p.text)
		before := int64(math.MaxInt64 / 8)
		for n := int64(1 << 8); n <= 1<<22; n *= longer {
			one := &pipelinetest.Case{Func: f, Sizes: map[string]int64{"M": rows, "N": n}, Machine: &wide, Name: "f", Threads: threads}
			if strings.Contains(p.text, "D)") {
				one.Sizes["D"] = 64
			}
			if err := one.PrepareDefault(); err != nil {
				t.Errorf("%s, rows of %d: %v", p.name, n, err)
				continue
			}
			bytes, err := one.Loop.WorkspaceBytes(one.Sizes, threads)
			if err != nil || bytes > before*(longer+1)+onStacks {
				t.Errorf("%s: %v; temporaries take %s for rows of %d, and %s for a quarter of that", p.name, err, units.Bytes(bytes), n, units.Bytes(before))
			}
			before = bytes
		}
	}
}
