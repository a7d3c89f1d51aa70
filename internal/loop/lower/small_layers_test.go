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

// TestSmallLayers computes two layers of random sizes, with weights stored either way, by the default schedules
// of machines with long and short vectors: blocks of rows go through both of them. Between them stand
// statements that are finished in tiles or row by row, and what is between may be read behind.
func TestSmallLayers(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 8))
	middles := []string{
		"for i in 0:%[1]d, j in 0:%[3]d { G[i, j] = max(H[i, j] + b[j], 0f32) }",
		"for i in 0:%[1]d, j in 0:%[3]d { T[i, j] = H[i, j] + b[j] }\n  for i in 0:%[1]d, j in 0:%[3]d { G[i, j] = T[i, j] * H[i, j] }",
		"for i in 0:%[1]d, j in 0:%[3]d reduce max { m[i] = H[i, j] }\n  for i in 0:%[1]d, j in 0:%[3]d { G[i, j] = H[i, j] - m[i] }",
		"for i in 0:%[1]d, j in 0:%[3]d { G[i, j] = H[i, j] * b[j] }\n  for i in 0:%[1]d, j in 0:%[3]d reduce + { z[i] = G[i, j] }",
	}
	ends := []string{
		"for i in 0:%[1]d, p in 0:%[4]d { Y[i, p] = L[i, p] + c[p] }",
		"for i in 0:%[1]d, p in 0:%[4]d { Y[i, p] = L[i, p] + G[i, 0i64] }",
	}
	fused := 0
	const programs = 12
	for n := range programs {
		rows, sums, middle, columns := 48+draw.IntN(40), 5+draw.IntN(30), 5+draw.IntN(40), 2+draw.IntN(24)
		m := &machine.Processor{VectorBytes: 16 << draw.IntN(3), VectorRegisters: 32, L1: 48 << 10, L2: 1 << 20, L3: 8 << 20, Cores: 1 + draw.IntN(3)}
		weights, weight := fmt.Sprintf("[%d, %d]", middle, sums), "W[j, k]"
		if draw.IntN(3) == 0 {
			weights, weight = fmt.Sprintf("[%d, %d]", sums, middle), "W[k, j]"
		}
		declared := ""
		between := middles[n%len(middles)]
		for name, text := range map[string]string{"T[": "temp T: float32[%[1]d, %[3]d]\n  ", "m[": "temp m: float32[%[1]d]\n  ", "z[": "out z: float32[%[1]d]\n  "} {
			if strings.Contains(between, name) {
				declared += text
			}
		}
		p := readProgram(t, fmt.Sprintf(`
func layers {
  in X: float32[%[1]d, %[2]d]
  in W: float32`+weights+`
  in b: float32[%[3]d]
  in V: float32[%[4]d, %[3]d]
  in c: float32[%[4]d]
  `+declared+`temp H: float32[%[1]d, %[3]d]
  temp G: float32[%[1]d, %[3]d]
  temp L: float32[%[1]d, %[4]d]
  out Y: float32[%[1]d, %[4]d]
  for i in 0:%[1]d, j in 0:%[3]d, k in 0:%[2]d reduce + { H[i, j] = X[i, k] * `+weight+` }
  `+between+`
  for i in 0:%[1]d, p in 0:%[4]d, j in 0:%[3]d reduce + { L[i, p] = G[i, j] * V[p, j] }
  `+ends[draw.IntN(len(ends))]+`
}`, rows, sums, middle, columns))
		tree, err := standard.Default(p.f, m)
		if err != nil || tree.Fallback != nil {
			t.Fatal(err, tree.Fallback)
		}
		if text := schedule.Print(tree); strings.Contains(text, "place G private") && !strings.HasPrefix(text[strings.Index(text, "\n")+1:], "sequence") {
			fused++
		}
		verify(t, p, tree, nil, evaluate)
	}
	if fused < programs*2/3 {
		t.Errorf("%d of %d programs are fused", fused, programs)
	}
	t.Logf("%d of %d programs are fused", fused, programs)
}
