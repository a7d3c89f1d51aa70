package lower_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// TestAcross runs register tiles whose vectors run across the rows of a result that is
// far away: their lines are asked for ahead, and squares are transposed on the way. The
// last tile may have fewer points than its vectors have lanes.
func TestAcross(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 8))
	for range 3 {
		channels, height, width := 33+2*draw.IntN(7), 16+draw.IntN(2), 32+draw.IntN(4)
		p := readProgram(t, fmt.Sprintf(`
func across {
  in X: float32[3, %[1]d, %[2]d]
  in V: float32[%[3]d, 3, 3, 3]
  out Y: float32[%[3]d, %[4]d, %[5]d]
  for f in 0:%[3]d, h in 0:%[4]d, w in 0:%[5]d, c in 0:3 reduce +, r in 0:3 reduce +, s in 0:3 reduce + {
    Y[f, h, w] = X[c, h + r, w + s] * V[f, c, r, s]
  }
}`, height+2, width+2, channels, height, width))
		pad := func() string { return []string{"", " pad"}[draw.IntN(2)] }
		tree, err := schedule.Parse(fmt.Sprintf(`domain S0[f, h, w, c, r, s]
band S0.h tile 7 parallel%s
  place V private
    band S0.h | S0.f tile %d%s | S0.w tile %d%s
      accumulate S0 register
        band S0.c | S0.r | S0.s
          band S0.w unroll | S0.f vector 8 unroll
`, pad(), 8*(1+draw.IntN(2)), pad(), 8+draw.IntN(9), pad()))
		if err != nil {
			t.Fatal(err)
		}
		verify(t, p, tree, nil, func(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
			return evaluate(t, p, f, args)
		})
	}
}
