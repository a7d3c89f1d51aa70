package lower_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestPanels multiplies matrices of random sizes with the second one, stored either
// way, in panels: of whole and partial tiles, in whole, partial and padded blocks.
func TestPanels(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		m, n, k := 4+draw.IntN(6), 50+draw.IntN(50), 8+draw.IntN(5)
		tile := 4 * (1 + draw.IntN(3))
		block := tile * (2 + draw.IntN(3))
		pad := func() string { return []string{"", " pad"}[draw.IntN(2)] }
		shape, access := fmt.Sprintf("[%d, %d]", k, n), "B[k, j]"
		if draw.IntN(2) == 1 {
			shape, access = fmt.Sprintf("[%d, %d]", n, k), "B[j, k]"
		}
		p := readProgram(t, fmt.Sprintf(`
func product {
  in A: float32[%[1]d, %[3]d]
  in B: float32%[4]s
  out C: float32[%[1]d, %[2]d]
  for i in 0:%[1]d, j in 0:%[2]d, k in 0:%[3]d reduce + { C[i, j] = A[i, k] * %[5]s }
}`, m, n, k, shape, access))
		tree, err := schedule.Parse(fmt.Sprintf(`domain S0[i, j, k]
band S0.j tile %d parallel%s
  accumulate S0 output
    band S0.k tile %d
      place B private
        band S0.i tile 3 pad | S0.j tile %d%s
          accumulate S0 register
            band S0.k
              band S0.i unroll | S0.j vector 4 unroll
`, block, pad(), 2+draw.IntN(6), tile, pad()))
		if err != nil {
			t.Fatal(err)
		}
		verify(t, p, tree, nil, evaluate)
	}
}
