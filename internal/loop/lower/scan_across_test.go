package lower_test

import (
	"fmt"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestPiecesAcross runs scans in pieces in which vectors lie across the scan: the totals of
// the pieces are scalars all the same.
func TestPiecesAcross(t *testing.T) {
	for _, n := range []int{2, 3, 16, 19} {
		p := readProgram(t, fmt.Sprintf(`
func f {
  in A: float32[40, 3, %[1]d]
  out s: float32[40, 3, %[1]d]
  for n in 0:40 scan +, k in 0:3, i in 0:%[1]d { s[n, k, i] = A[n, k, i] }
}`, n))
		for _, text := range []string{
			"accumulate S0 workspace\n  band S0.n tile 8 parallel\n    accumulate S0 register\n      band S0.k tile 2\n        band S0.n unroll | S0.k unroll | S0.i vector 2",
			"accumulate S0 register\n  band S0.n tile 16\n    accumulate S0 workspace\n      band S0.n tile 4 parallel\n        accumulate S0 private\n          band S0.n | S0.k | S0.i vector 16",
		} {
			tree, err := schedule.Parse("domain S0[n, k, i]\n" + text + "\n")
			if err != nil {
				t.Fatal(err)
			}
			verify(t, p, tree, nil, execute)
		}
	}
}
