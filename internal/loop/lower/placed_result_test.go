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

// TestPlacedResult computes products of a small and a large matrix that both lie in rows
// along the sum by the default schedules, whose results are transposed when they are
// complete: with tiles at edges, batches, blocks of the sum, and several places of the
// indices in the result.
func TestPlacedResult(t *testing.T) {
	draw := rand.New(rand.NewPCG(9, 10))
	placed, inBlocks := 0, 0
	for n := range 4 {
		m := &machine.Processor{VectorBytes: 16, VectorRegisters: 16, L1: 32 << 10, L2: 1 << 20, L3: 4 << 20, Cores: 2}
		batch, small, large, steps := 1, 13+draw.IntN(5), 40+draw.IntN(8), 110+draw.IntN(10)
		if n%3 == 2 {
			m.L2, steps = 16<<10, steps+90
		}
		if n%2 > 0 {
			batch = 2
		}
		size, result := "float32[%[1]d, %[2]d, %[3]d]", "C[b, i, j]"
		if n%4 == 3 {
			size, result = "float32[%[2]d, %[1]d, %[3]d]", "C[i, b, j]"
		}
		p := readProgram(t, fmt.Sprintf(`
func product {
  in A: float32[%[1]d, %[2]d, %[4]d]
  in B: float32[%[1]d, %[3]d, %[4]d]
  out C: `+size+`
  for b in 0:%[1]d, i in 0:%[2]d, j in 0:%[3]d, k in 0:%[4]d reduce + { %[5]s = A[b, i, k] * B[b, j, k] }
}`, batch, small, large, steps, result))
		tree, err := standard.Default(p.f, m)
		if err != nil {
			t.Fatal(err)
		}
		if text := schedule.Print(tree); strings.Contains(text, "place C private") {
			placed++
			if strings.Contains(text, "accumulate S0 output") {
				inBlocks++
			}
		}
		verify(t, p, tree, nil, evaluate)
	}
	if placed < 4 || inBlocks < 1 {
		t.Errorf("%d results are transposed, %d of sums in blocks", placed, inBlocks)
	}
	t.Logf("%d results are transposed, %d of sums in blocks", placed, inBlocks)
}
