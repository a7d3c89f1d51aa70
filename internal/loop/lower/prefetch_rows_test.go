package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestNextRows multiplies rows that pass by a block of columns. Tiles ask for the rows that come next
// where these come from memory and the block has a tile for each of them.
func TestNextRows(t *testing.T) {
	for _, row := range []struct {
		name                      string
		rows, depth, block, steps int
		asks                      bool
	}{
		{"rows from memory", 2050, 4096, 32, 1024, true},
		{"rows that the last cache holds", 205, 4096, 32, 1024, false},
		{"fewer tiles than rows", 2050, 4096, 16, 1024, false},
		{"short runs", 2050, 4096, 32, 128, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := readProgram(t, fmt.Sprintf(`
func product {
  in A: float32[%[1]d, %[2]d]
  in B: float32[%[2]d, 64]
  out C: float32[%[1]d, 64]
  for i in 0:%[1]d, j in 0:64, k in 0:%[2]d reduce + { C[i, j] = A[i, k] * B[k, j] }
}`, row.rows, row.depth))
			tree, err := schedule.Parse(fmt.Sprintf(`domain S0[i, j, k]
band S0.j tile %d
  accumulate S0 output
    band S0.k tile %d
      place B private
        band S0.i tile 3 pad | S0.j tile 8
          accumulate S0 register
            band S0.k
              band S0.i unroll | S0.j vector 4 unroll
`, row.block, row.steps))
			if err != nil {
				t.Fatal(err)
			}
			f, err := lower.Lower(p.f, marked(p.f, tree, 0), lower.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if text := loop.Print(f); strings.Contains(text, "prefetch A[") != row.asks {
				t.Errorf("asking for the next rows should be %t:\n%s", row.asks, text)
			}
		})
	}
}
