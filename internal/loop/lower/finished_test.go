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

// TestFinished computes layers of neurons of random sizes by the default schedules:
// sums in panels, whole or in blocks, whose results are finished in the same task. The
// weights are stored either way, and what is finished may go to an output across.
func TestFinished(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	m := &machine.Processor{VectorBytes: 16, VectorRegisters: 16, L1: 32 << 10, L2: 128 << 10, L3: 1 << 20, Cores: 2}
	inPanels, inBlocks := 0, 0
	for n := range 6 {
		b, o, k := 24+draw.IntN(8), 40+draw.IntN(40), 100+draw.IntN(100)+n%2*700
		weights, weight := fmt.Sprintf("[%d, %d]", k, o), "W[k, j]"
		if draw.IntN(4) > 0 {
			weights, weight = fmt.Sprintf("[%d, %d]", o, k), "W[j, k]"
		}
		out, result := fmt.Sprintf("[%d, %d]", b, o), "G[i, j]"
		if draw.IntN(4) == 0 {
			out, result = fmt.Sprintf("[%d, %d]", o, b), "G[j, i]"
		}
		p := readProgram(t, fmt.Sprintf(`
func layer {
  in X: float32[%[1]d, %[3]d]
  in W: float32%[4]s
  in bias: float32[%[2]d]
  temp H: float32[%[1]d, %[2]d]
  out G: float32%[6]s
  for i in 0:%[1]d, j in 0:%[2]d, k in 0:%[3]d reduce + { H[i, j] = X[i, k] * %[5]s }
  for i in 0:%[1]d, j in 0:%[2]d { %[7]s = max(H[i, j] + bias[j], 0f32) }
}`, b, o, k, weights, weight, out, result))
		tree, err := standard.Default(p.f, m)
		if err != nil {
			t.Fatal(err)
		}
		if text := schedule.Print(tree); strings.Contains(text, "place H private") && strings.Contains(text, "place W private") {
			inPanels++
			if strings.Contains(text, "accumulate S0 private") {
				inBlocks++
			}
		}
		verify(t, p, tree, nil, evaluate)
	}
	if inPanels < 3 || inBlocks < 1 || inBlocks == inPanels {
		t.Errorf("%d layers have panels, %d of them cut sums", inPanels, inBlocks)
	}
	t.Logf("%d layers have panels, %d of them cut sums", inPanels, inBlocks)
}
