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

// TestPhases convolves images of random sizes with windows of random distance, whose
// blocks of rows are copied: in phases where the windows are apart, in whole, partial
// and padded tiles.
func TestPhases(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	for range 80 {
		distance, channels := 1+draw.IntN(4), 1+draw.IntN(3)
		height, width := 2+draw.IntN(6), 5+draw.IntN(20)
		rows, columns := 1+draw.IntN(4), 1+draw.IntN(5)
		p := readProgram(t, fmt.Sprintf(`
func convolution {
  in X: float32[%[1]d, %[2]d, %[3]d]
  in V: float32[6, %[1]d, %[4]d, %[5]d]
  out Y: float32[6, %[6]d, %[7]d]
  for f in 0:6, h in 0:%[6]d, w in 0:%[7]d, c in 0:%[1]d reduce +, r in 0:%[4]d reduce +, s in 0:%[5]d reduce + {
    Y[f, h, w] = X[c, %[8]di64 * h + r + 1i64, %[8]di64 * w + s + 2i64] * V[f, c, r, s]
  }
}`, channels, distance*(height-1)+rows+2, distance*(width-1)+columns+2, rows, columns, height, width, distance))
		pad := func() string { return []string{"", " pad"}[draw.IntN(2)] }
		unroll := []string{"", " unroll"}[draw.IntN(2)]
		tree, err := schedule.Parse(fmt.Sprintf(`domain S0[f, h, w, c, r, s]
band S0.h tile %d parallel%s
  place X private
    band S0.f tile 4 | S0.h | S0.w tile %d%s
      accumulate S0 register
        band S0.c | S0.r | S0.s%s
          band S0.f unroll | S0.w vector 4 unroll
`, 2+draw.IntN(height-1), pad(), 4*(1+draw.IntN(2)), pad(), unroll))
		if err != nil {
			t.Fatal(err)
		}
		verify(t, p, tree, nil, func(t testing.TB, p program, f *loop.Func, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, bool) {
			for line := range strings.Lines(loop.Print(f)) {
				if strings.Contains(line, "muladd(X_block[ramp") || strings.Contains(line, "muladd(X_block_1[ramp") {
					t.Errorf("a sum reads elements that are %d apart: %s", distance, line)
				}
			}
			return evaluate(t, p, f, args)
		})
	}
}
