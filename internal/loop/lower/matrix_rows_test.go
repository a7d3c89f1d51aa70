package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestMatrixRows runs the default schedules of chains of two products, whose rows share loops,
// on machines with matrix units, in the evaluator of loops.
func TestMatrixRows(t *testing.T) {
	draw := rand.New(rand.NewPCG(17, 18))
	for range sweep.Draws(t, 3, 30) {
		b, i, j, d := 3, 60+draw.IntN(20), 40+draw.IntN(30), 32+draw.IntN(16)
		p := readProgram(t, fmt.Sprintf(`func chain {
  in Q: bfloat16[%[1]d, %[2]d, %[4]d]
  in K: bfloat16[%[1]d, %[3]d, %[4]d]
  in V: bfloat16[%[1]d, %[3]d, %[4]d]
  temp S: float32[%[1]d, %[2]d, %[3]d]
  temp P: bfloat16[%[1]d, %[2]d, %[3]d]
  out O: float32[%[1]d, %[2]d, %[4]d]
  for b in 0:%[1]d, i in 0:%[2]d, j in 0:%[3]d, d in 0:%[4]d reduce + { S[b, i, j] = float32(Q[b, i, d]) * float32(K[b, j, d]) }
  for b in 0:%[1]d, i in 0:%[2]d, j in 0:%[3]d { P[b, i, j] = bfloat16(max(S[b, i, j], 0f32)) }
  for b in 0:%[1]d, i in 0:%[2]d, d in 0:%[4]d, j in 0:%[3]d reduce + { O[b, i, d] = float32(P[b, i, j]) * float32(V[b, j, d]) }
}`, b, i, j, d))
		machine := &machine.Processor{VectorBytes: 64, VectorRegisters: 32, L1: 1 << 12, L2: 1 << 15, L3: 1 << 20, Cores: 1 + draw.IntN(2), Features: []string{"avx512bw", "amx_int8", "amx_bf16"}}
		tree := p.defaultTree(t, machine)
		if n := strings.Count(schedule.Print(tree), "matrix"); n != 2 {
			t.Errorf("%d of the two products are for the matrix unit:\n%s", n, schedule.Print(tree))
		}
		verify(t, p, tree, nil, evaluate)
	}
}
