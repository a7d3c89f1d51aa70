package pipelinetest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/pipelinetest"
)

// inPlace are statements that read what they write elsewhere, with loops whose vectors keep
// them: all lanes of a vector are read before any is written.
var inPlace = []struct{ name, element, value, script string }{
	{"the next one", "float32", "A[i + 2i64, j + 1i64]", "l = vectorize(interchange(l, 1, 2), 2, LANES)"},
	{"the next one in the row", "float32", "A[i + 1i64, j + 2i64]", "l = vectorize(l, 2, LANES)"},
	{"two further on and itself", "float64", "A[i + 1i64, j + 1i64] * 0.5f64 + A[i + 1i64, j + 3i64]", "l = vectorize(l, 2, LANES)"},
	{"the next row, before and behind", "float32", "A[i + 2i64, j] - A[i + 2i64, j + 3i64]", "l = vectorize(l, 2, LANES)"},
	{"the next row and the next one, in blocks", "int32", "A[i + 2i64, j + 1i64] * 3i32 - A[i + 1i64, j + 2i64]", "l = vectorize(tile(l, 3, 5), 4, LANES)"},
	{"both diagonals of the next row, on threads", "int16", "A[i + 1i64, j + 2i64] - A[i + 1i64, j + 3i64]", "l = parallelize(vectorize(l, 2, LANES), 1)"},
	{"the one before, one vector being a block, backwards", "float32", "A[i + 1i64, j] * 2f32", "l = vectorize(reverse(stripmine(l, 2, LANES), 2), 3, LANES)"},
	{"before and behind, one vector being a row", "float64", "A[i + 1i64, j] - A[i + 1i64, j + 2i64]", "l = vectorize(l, 2, 64)"},
	{"the next one, a wavefront", "float32", "A[i + 2i64, j] + A[i + 1i64, j + 2i64]", "l = vectorize(interchange(skew(l, 1, 2, 1), 1, 2), 2, LANES)"},
}

// TestInPlace takes vectors in place to native code, for all lanes and for sizes around them.
func TestInPlace(t *testing.T) {
	k := compiler(t)
	var cases []*pipelinetest.Case
	columns := []int{1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64}
	for n, x := range inPlace {
		for m, lanes := range []int{2, 4, 8, 16, 32, 64} {
			if testing.Short() && (n+m)%3 > 0 {
				continue
			}
			width := columns[(3*n+5*m)%len(columns)]
			text := fmt.Sprintf(`func f {
  size N = dim 0 of X
  size M = dim 1 of X
  in X: float32[N, M]
  inout A: %[1]s[N + 2, M + 4]
  for i in 0:N, j in 0:M { A[i + 1i64, j + 1i64] = %[2]s }
}`, x.element, x.value)
			f, err := ein.ParseFunc(x.name, text)
			if err != nil {
				t.Fatal(err)
			}
			one := subject{x.name, text, f}.sized(t, uint64(m), func(size string) int { return map[string]int{"N": 1 + 2*m, "M": width}[size] })
			one.Name, one.Machine, one.Threads = fmt.Sprintf("inplace%d_%d", n, lanes), machine.Host(), 2
			script := "l = build(A)\n" + strings.ReplaceAll(x.script, "LANES", fmt.Sprint(lanes)) + "\ncodegen(l)\n"
			if err := one.FollowText(script); err != nil {
				t.Errorf("%v\n%s\n%s", err, one, script)
				continue
			}
			cases = append(cases, one)
		}
	}
	run(t, k, cases, 0)
}
