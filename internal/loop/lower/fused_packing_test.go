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

// TestFilled multiplies with blocks of a large operand that the first register tile copies, and with
// some that are copied before. Only a copy has a loop over a variable n.
func TestFilled(t *testing.T) {
	processor := (&machine.Processor{}).WithValue(machine.FarBlocks, 64<<10) // small, so that the evaluators have little to do
	const sum = `
      accumulate S0 register
        band S0.k
          band S0.i unroll | S0.j vector 4 unroll
`
	for _, row := range []struct {
		name          string
		rows, columns int
		nest          string
		fills         bool
	}{
		{"strips", 24, 576, "band S0.j tile 16\n  place B private\n    band S0.i tile 3" + sum, true},
		{"a last row of tiles that is smaller", 26, 576, "band S0.j tile 16\n  place B private\n    band S0.i tile 3" + sum, true},
		{"padded rows", 26, 576, "band S0.j tile 16\n  place B private\n    band S0.i tile 3 pad" + sum, true},
		{"blocks of several tiles, columns outside", 24, 576, "band S0.j tile 96\n  place B private\n    band S0.j tile 16 | S0.i tile 3" + sum, true},
		{"blocks of several tiles, rows outside", 24, 576, "band S0.j tile 96\n  place B private\n    band S0.i tile 3 | S0.j tile 16" + sum, true},
		{"two loops over rows", 26, 576, "band S0.j tile 96\n  place B private\n    band S0.i tile 6 | S0.j tile 16 | S0.i tile 3" + sum, true},
		{"a copy of the rows, too", 24, 576, "band S0.j tile 16\n  place B private\n    band S0.i tile 3\n      place A private" + strings.ReplaceAll(sum, "\n  ", "\n    "), true},
		{"a copy of the copy", 24, 576, "band S0.j tile 96\n  place B private\n    band S0.j tile 16 | S0.i tile 3\n      place B private" + strings.ReplaceAll(sum, "\n  ", "\n    "), false},
		{"blocks of the reduction", 24, 576, `band S0.j tile 16
  accumulate S0 output
    band S0.k tile 8
      place B private
        band S0.i tile 3
          accumulate S0 register
            band S0.k
              band S0.i unroll | S0.j vector 4 unroll
`, true},
		{"threads", 24, 576, "band S0.j tile 16 parallel\n  place B private\n    band S0.i tile 3" + sum, true},
		{"threads with padded rows", 26, 576, "band S0.i tile 16 parallel pad | S0.j tile 16 parallel\n  place B private\n    band S0.i tile 2 pad" + sum, true},
		{"threads that share a block", 24, 576, "band S0.j tile 16\n  place B private\n    band S0.i tile 3 parallel" + sum, false},
		{"rows from the last on", 24, 576, "band S0.j tile 16\n  place B private\n    band S0.i tile 3 reverse" + sum, false},
		{"few tiles", 12, 576, "band S0.j tile 16\n  place B private\n    band S0.i tile 3" + sum, false},
		{"many tiles", 200, 576, "band S0.j tile 16\n  place B private\n    band S0.i tile 3" + sum, false},
		{"a small operand", 24, 480, "band S0.j tile 16\n  place B private\n    band S0.i tile 3" + sum, false},
		{"vectors that are partial", 24, 576, "band S0.j tile 48\n  place B private\n    band S0.j tile 6 | S0.i tile 3" + sum, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := readProgram(t, fmt.Sprintf(`
func product {
  in A: float64[%[1]d, 16]
  in B: float64[16, %[2]d]
  out C: float64[%[1]d, %[2]d]
  for i in 0:%[1]d, j in 0:%[2]d, k in 0:16 reduce + { C[i, j] = A[i, k] * B[k, j] }
}`, row.rows, row.columns))
			tree, err := schedule.Parse("domain S0[i, j, k]\n" + row.nest)
			if err != nil {
				t.Fatal(err)
			}
			fetch.Mark(p.f, tree, processor, nil)
			f, err := lower.Lower(p.f, tree, lower.Options{})
			if err != nil {
				t.Fatal(err)
			}
			text := loop.Print(f)
			if copied := strings.Contains(text, "for n"); copied == row.fills && !strings.Contains(row.nest, "place A") {
				t.Errorf("the first tile should fill the block: %t\n%s", row.fills, text)
			}
			if row.fills && strings.Count(text, "] = B[") >= strings.Count(text, "muladd(") {
				t.Errorf("more than the first tile fills the block:\n%s", text)
			}
			verifyFor(t, p, tree, nil, evaluate, processor)
		})
	}
}
