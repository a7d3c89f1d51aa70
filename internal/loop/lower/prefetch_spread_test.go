package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/fetch"
)

// TestSpread multiplies by register tiles whose results, and what the next ones read, are runs
// of memory, for which the steps ask, and by others.
func TestSpread(t *testing.T) {
	processor := (&machine.Processor{}).WithValue(machine.NearOperand, 128<<10) // small, so that the evaluators have little to do
	for _, row := range []struct {
		name                 string
		rows, columns, steps int
		tile                 string
		results, operand     bool
	}{
		{"runs of results", 1200, 16, 26, "tile 16", true, false},
		{"runs of both", 1280, 16, 26, "tile 16", true, true},
		{"many steps for few lines", 1200, 16, 260, "tile 16", false, false},
		{"few steps", 1200, 16, 20, "tile 16", false, false},
		{"a small result", 512, 16, 26, "tile 16", false, false},
		{"a last tile that is padded", 1210, 16, 26, "tile 16 pad", false, false},
		{"a last tile that is smaller", 1210, 16, 26, "tile 16", true, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := readProgram(t, fmt.Sprintf(`
func product {
  in A: float32[%[1]d, %[3]d]
  in B: float32[%[3]d, %[2]d]
  out C: float32[%[1]d, %[2]d]
  for i in 0:%[1]d, j in 0:%[2]d, k in 0:%[3]d reduce + { C[i, j] = A[i, k] * B[k, j] }
}`, row.rows, row.columns, row.steps))
			tree, err := schedule.Parse(fmt.Sprintf(`domain S0[i, j, k]
band S0.i %s
  accumulate S0 register
    band S0.k
      band S0.i unroll | S0.j vector 16 unroll
`, row.tile))
			if err != nil {
				t.Fatal(err)
			}
			fetch.Mark(p.f, tree, processor, nil)
			f, err := lower.Lower(p.f, tree, lower.Options{})
			if err != nil {
				t.Fatal(err)
			}
			text := loop.Print(f)
			if asks := strings.Contains(text, "k * 10"); asks != row.results {
				t.Errorf("asking for a share of the results in every step should be %t:\n%s", row.results, text)
			}
			if asks := strings.Contains(text, "prefetch A["); asks != row.operand {
				t.Errorf("asking for what the next tile reads should be %t:\n%s", row.operand, text)
			}
			verifyFor(t, p, tree, nil, evaluate, processor)
		})
	}
}
