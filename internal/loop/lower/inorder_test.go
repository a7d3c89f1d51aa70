package lower_test

import (
	"fmt"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestSumsInOrder compiles sums whose terms are read in another order than they lie in
// memory, which the vectors of gcc 12 do not keep (package c): loops that run backwards, are
// written out, or have rows before columns.
func TestSumsInOrder(t *testing.T) {
	for _, n := range []int{2, 5} {
		p := readProgram(t, fmt.Sprintf(`
func f {
  in A: float32[9, %[1]d]
  out s: float32[]
  out r: float32[9]
  out q: float64[9]
  for i in 0:9 reduce +, j in 0:%[1]d reduce + { s[] = A[i, j] }
  for i in 0:9, j in 0:%[1]d reduce + { r[i] = A[i, j] }
  for i in 0:9, j in 0:%[1]d reduce * { q[i] = float64(A[i, j]) }
}`, n))
		for _, text := range []string{
			"band S0.i | S0.j unroll reverse",
			"band S0.i | S0.j reverse",
			"band S0.i reverse | S0.j tile 2 | S0.j unroll reverse",
			"band S0.j | S0.i tile 3 unroll | S0.i unroll",
		} {
			own := "band S1.i\n      accumulate S1 register\n        band S1.j tile 4 reverse | S1.j unroll reverse\n  filter S2\n    band S2.i\n      accumulate S2 register\n        band S2.j unroll reverse\n"
			tree, err := schedule.Parse("domain S0[i, j]; S1[i, j]; S2[i, j]\nsequence\n  filter S0\n    accumulate S0 register\n      " + text + "\n  filter S1\n    " + own)
			if err != nil {
				t.Fatal(err)
			}
			verify(t, p, tree, nil, execute)
		}
	}
}
