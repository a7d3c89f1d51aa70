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

// TestLong computes matrix products with long sums and small results by the default
// schedules: chunks of the sums in parallel, cut into blocks or not. Operands are stored
// either way, and the result may be added to what is there.
func TestLong(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 8))
	inBlocks, inOne, packed := 0, 0, 0
	for n := range 8 {
		m := &machine.Processor{VectorBytes: 16, VectorRegisters: 16, L1: 32 << 10, L2: 1 << 20, L3: 4 << 20, Cores: 2}
		rows, columns, steps := 2+draw.IntN(5), 4+draw.IntN(10), 2048+draw.IntN(300)+n%4/3*7000
		across := n%4 == 1 // both operands lie along the sum, and one is used often enough to be packed
		if across {
			rows += 24
		}
		left, a := fmt.Sprintf("[%d, %d]", rows, steps), "A[i, k]"
		if draw.IntN(2) > 0 && !across {
			left, a = fmt.Sprintf("[%d, %d]", steps, rows), "A[k, i]"
		}
		right, b := fmt.Sprintf("[%d, %d]", steps, columns), "B[k, j]"
		if across {
			right, b = fmt.Sprintf("[%d, %d]", columns, steps), "B[j, k]"
		}
		p := readProgram(t, fmt.Sprintf(`
func product {
  in A: float32%[4]s
  in B: float32%[5]s
  out C: float32[%[1]d, %[2]d]
  for i in 0:%[1]d, j in 0:%[2]d, k in 0:%[3]d reduce + %[8]s{ C[i, j] = %[6]s * %[7]s }
}`, rows, columns, steps, left, right, a, b, []string{"", "accumulate + "}[draw.IntN(2)]))
		tree, err := standard.Default(p.f, m)
		if err != nil {
			t.Fatal(err)
		}
		if text := schedule.Print(tree); strings.Contains(text, "accumulate S0 workspace") {
			switch {
			case strings.Contains(text, "accumulate S0 private"):
				inBlocks++
			default:
				inOne++
			}
			if strings.Contains(text, "place") {
				packed++
			}
		}
		verify(t, p, tree, nil, evaluate)
	}
	if inBlocks < 1 || inOne < 2 || packed < 1 {
		t.Errorf("%d products have chunks of several blocks, %d of one, %d are packed", inBlocks, inOne, packed)
	}
	t.Logf("%d products have chunks of several blocks, %d of one, %d are packed", inBlocks, inOne, packed)
}
