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

// TestNearPanels: lines of a packed panel are asked for ahead unless it stays in the nearest cache; one of
// several panels that take turns is always fetched.
func TestNearPanels(t *testing.T) {
	for _, row := range []struct {
		name           string
		columns, steps int
		l1             int64
		asks           bool
	}{
		{"a short panel", 32, 128, 0, false},
		{"an unknown cache", 32, 160, 0, true},
		{"a small cache", 32, 160, 24 << 10, true},
		{"a cache with room", 32, 160, 32 << 10, false},
		{"several panels", 96, 160, 48 << 10, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := readProgram(t, fmt.Sprintf(`
func product {
  in A: float32[24, %[2]d]
  in B: float32[%[1]d, %[2]d]
  out C: float32[24, %[1]d]
  for i in 0:24, j in 0:%[1]d, k in 0:%[2]d reduce + { C[i, j] = A[i, k] * B[j, k] }
}`, row.columns, row.steps))
			tree, err := schedule.Parse(`domain S0[i, j, k]
place B private
  band S0.j tile 32
    band S0.i tile 6
      accumulate S0 register
        band S0.k
          band S0.i unroll | S0.j vector 16 unroll
`)
			if err != nil {
				t.Fatal(err)
			}
			f, err := lower.Lower(p.f, marked(p.f, tree, row.l1), lower.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if text := loop.Print(f); strings.Contains(text, "prefetch B_block") != row.asks {
				t.Errorf("asking for lines of the panel should be %t:\n%s", row.asks, text)
			}
			verify(t, p, tree, nil, evaluate)
		})
	}
}

// TestStreamedRows: rows of columns that many register tiles stream, as they lie, from the second cache are
// asked for six steps ahead; few rows, or those of a panel that stays in the nearest cache, are not. The caches are
// small, so that the evaluators have little to do.
func TestStreamedRows(t *testing.T) {
	processor := (&machine.Processor{L1: 24 << 10}).WithValue(machine.NearRows, 166<<10).WithValue(machine.NearOperand, 350<<10).WithValue(machine.FollowedRows, 85)
	for _, row := range []struct {
		name                 string
		rows, columns, steps int
		tile                 string
		asks                 bool
	}{
		{"streamed", 16, 512, 100, "i tile 2 | S0.j tile 64", true},
		{"a part of a large one", 16, 1024, 100, "i tile 2 | S0.j tile 64", true},
		{"near enough", 16, 256, 100, "i tile 2 | S0.j tile 64", false},
		{"few rows", 12, 512, 100, "i tile 2 | S0.j tile 64", false},
		{"few steps", 16, 512, 90, "i tile 2 | S0.j tile 64", false},
		{"a narrow panel", 16, 512, 100, "j tile 16 | S0.i tile 2", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := readProgram(t, fmt.Sprintf(`
func product {
  in A: float32[%[1]d, %[3]d]
  in B: float32[%[3]d, %[2]d]
  out C: float32[%[1]d, %[2]d]
  for i in 0:%[1]d, j in 0:%[2]d, k in 0:%[3]d reduce + { C[i, j] = A[i, k] * B[k, j] }
}`, row.rows, row.columns, row.steps))
			tree, err := schedule.Parse(`domain S0[i, j, k]
band S0.` + row.tile + `
  accumulate S0 register
    band S0.k
      band S0.i unroll | S0.j vector 16 unroll
`)
			if err != nil {
				t.Fatal(err)
			}
			fetch.Mark(p.f, tree, processor, nil)
			f, err := lower.Lower(p.f, tree, lower.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if text, want := loop.Print(f), fmt.Sprintf("ahead %d", 6*row.columns); strings.Contains(text, "prefetch B") != row.asks || row.asks && !strings.Contains(text, want) {
				t.Errorf("asking for rows of B should be %t:\n%s", row.asks, text)
			}
			verifyFor(t, p, tree, nil, evaluate, processor)
		})
	}
}
