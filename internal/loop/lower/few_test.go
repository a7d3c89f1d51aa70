package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
)

// TestFewColumns computes products of matrices with few columns by the default schedules:
// vectors along the sum, of which some are incomplete, for one product or several. The few
// columns are stored either way, the result may be transposed or added to what is there.
func TestFewColumns(t *testing.T) {
	draw := rand.New(rand.NewPCG(9, 10))
	m := &machine.Processor{VectorBytes: 32, VectorRegisters: 16, L1: 32 << 10, L2: 256 << 10, L3: 4 << 20, Cores: 2}
	folded, placed := 0, 0
	for n := range 10 {
		rows, columns, steps := 64+draw.IntN(60), 2+draw.IntN(2), 80+draw.IntN(100)
		right, b := fmt.Sprintf("[2, %d, %d]", steps, columns), "B[l, k, j]"
		if n%3 == 0 {
			right, b = fmt.Sprintf("[2, %d, %d]", columns, steps), "B[l, j, k]"
		}
		result, c := fmt.Sprintf("[2, %d, %d]", rows, columns), "C[l, i, j]"
		if draw.IntN(3) == 0 {
			result, c = fmt.Sprintf("[%d, 2, %d]", columns, rows), "C[j, l, i]"
		}
		operator := []string{"+", "accumulate +", "max"}[draw.IntN(3)]
		p := readProgram(t, fmt.Sprintf(`
func product {
  in A: float32[2, %[1]d, %[3]d]
  in B: float32%[4]s
  out C: float32%[6]s
  for l in 0:2, i in 0:%[1]d, j in 0:%[2]d, k in 0:%[3]d reduce %[8]s { %[7]s = A[l, i, k] * %[5]s }
}`, rows, columns, steps, right, b, result, c, strings.Replace(operator, "accumulate +", "+ accumulate +", 1)))
		tree, err := standard.Default(p.f, m)
		if err != nil {
			t.Fatal(err)
		}
		if text := schedule.Print(tree); strings.Contains(text, "S0.k vector 8") {
			folded++
			if strings.Contains(text, "place B private") {
				placed++
			}
		}
		verify(t, p, tree, nil, evaluate)
	}
	if folded < 8 || placed < 4 || placed == folded {
		t.Errorf("%d products have vectors along the sum, %d of them copy the columns", folded, placed)
	}
	t.Logf("%d products have vectors along the sum, %d of them copy the columns", folded, placed)
}
