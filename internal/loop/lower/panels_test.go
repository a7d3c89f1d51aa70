package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// TestPanels multiplies matrices of random sizes with the second one, stored either
// way, in panels: of whole and partial tiles, in whole, partial and padded blocks.
func TestPanels(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		p, tree := panelled(t, draw, 8+draw.IntN(5), 2+draw.IntN(6))
		verify(t, p, tree, nil, evaluate)
	}
}

// TestPanelsAhead multiplies with panels that the nearest cache does not hold, whose
// lines are fetched ahead, within the block, and with some that it does.
func TestPanelsAhead(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	for _, deep := range []bool{true, true, true, false} {
		depth := 1100 + draw.IntN(10) // steps of at least 16 bytes
		if !deep {
			depth = 100
		}
		p, tree := panelled(t, draw, depth+draw.IntN(2)*7, depth)
		verify(t, p, tree, nil, func(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
			if strings.Contains(loop.Print(f), "prefetch B_block") != deep {
				t.Errorf("fetching ahead should be %t:\n%s", deep, loop.Print(f))
			}
			return evaluate(t, p, f, args)
		})
	}
}

// panelled draws a product of matrices that sums over k indices, in blocks of depth.
func panelled(t *testing.T, draw *rand.Rand, k, depth int) (program, *schedule.Tree) {
	m, n := 4+draw.IntN(6), 50+draw.IntN(50)
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
`, block, pad(), depth, tile, pad()))
	if err != nil {
		t.Fatal(err)
	}
	return p, tree
}
