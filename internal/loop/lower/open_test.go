package lower_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestOpenBlocks runs loops inside of a skewed one over blocks, of which the number follows from
// one further in only: they have no more iterations than a block has points.
func TestOpenBlocks(t *testing.T) {
	for _, order := range []string{
		"S0.k tile 2 skew 1*j/2 | S0.k reverse | S0.j tile 2 | S0.i | S0.j",
		"S0.k tile 2 skew 1*j/2 | S0.k | S0.i | S0.j tile 2 | S0.j",
		"S0.k tile 4 skew 1*j/2 | S0.k tile 2 | S0.k | S0.j tile 2 | S0.i | S0.j",
		"S0.k tile 2 skew 1*j/2 skew 2*k/2 | S0.k reverse | S0.j tile 2 skew 5*k/2 skew 1*j/2 | S0.i reverse | S0.j",
	} {
		p := readProgram(t, `
func f {
  in A: int32[2, 3, 7]
  out C: int32[2, 3, 7]
  out s: int32[]
  for i in 0:2, j in 0:3, k in 0:7 { C[i, j, k] = A[i, j, k] * 2i32 }
  for i in 0:2 reduce +, j in 0:3 reduce +, k in 0:7 reduce + { s[] = A[i, j, k] }
}`)
		tree, err := schedule.Parse("domain S0[i, j, k]; S1[i, j, k]\nsequence\n  filter S0\n    band " + order +
			"\n  filter S1\n    accumulate S1 output\n      band " + strings.ReplaceAll(order, "S0", "S1"))
		if err != nil {
			t.Fatal(err)
		}
		verify(t, p, tree, nil, execute)
	}
}
