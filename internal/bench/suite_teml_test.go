package bench

import (
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestPaths runs the paths of all kernels, in a quick run of some, at sizes that no block divides: whoever
// computes something else is found by the others.
func TestPaths(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles some forty programs")
	}
	sizes := map[string]int64{"N": 33, "M": 35, "K": 37, "BATCH": 33, "G": 3, "C": 2, "F": 5, "H": 11, "W": 10, "KH": 3, "KW": 2, "I": 9, "J": 10, "L": 11, "E": 5}
	var rows []Row
	for _, k := range sweep.Some(t, temlKernels, 3) {
		own := map[string]int64{}
		for name := range k.sizes {
			own[name] = min(sizes[name], k.sizes[name])
		}
		row := k.row("odd", own, true)
		for i := range row.Paths {
			row.Paths[i].Flags = append(slices.Clone(row.Paths[i].Flags), "-O1") // compiles faster
		}
		rows = append(rows, row)
	}
	o := testOptions(t, rows...)
	o.Threads, o.Runs = []int{2}, 1
	results, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range results.Rows {
		if want := len(rows[i].Paths) + 1; len(row.Times) < want {
			t.Errorf("%s has %d candidates, expected at least %d", row.Name, len(row.Times), want)
		}
		for _, m := range row.Times {
			if !m.ok() {
				t.Errorf("%s, %s: %s%s", row.Name, m.Candidate, m.Missing, m.Wrong)
			}
		}
	}
}
