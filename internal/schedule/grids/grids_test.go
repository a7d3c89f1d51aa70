package grids

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestDefault records the trees of functions for what the models of the paper have.
func TestDefault(t *testing.T) {
	goldentest.Run(t, "testdata/*.txtar", "trees", 1, func(t *testing.T, inputs []string) string {
		f, err := ein.ParseFunc("function", inputs[0])
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, name := range []string{"opencl", "cuda+wrp"} {
			g, _ := machine.Named(name).Grid()
			tree, err := Default(f, g)
			if err != nil {
				t.Fatal(err)
			}
			text += name + ": " + schedule.Print(tree)
		}
		return text
	})
}

// TestShares: items of a group go to neighbours first, and to a square of results where something is reduced; no axis has more
// than the machine allows.
func TestShares(t *testing.T) {
	for _, test := range []struct {
		text   string
		g      machine.Grid
		square bool
		want   []int64 // of a, b and c, of which c is the fastest
	}{
		{"a in 0:100, b in 0:100, c in 0:100", machine.Grid{Items: 1024}, false, []int64{1, 8, 128}},
		{"a in 0:100, b in 0:100, c in 0:100", machine.Grid{Items: 1024}, true, []int64{1, 32, 32}},
		{"a in 0:100, b in 0:3, c in 0:1000", machine.Grid{Items: 1000}, true, []int64{1, 4, 128}},
		{"a in 0:100, b in 0:3, c in 0:5", machine.Grid{Items: 1024}, false, []int64{32, 4, 8}},
		{"a in 0:100, b in 0:3, c in 0:5", machine.Grid{Items: 1024, Along: [3]int64{4, 2, 8}}, false, []int64{8, 2, 4}},
		{"a in 0:100, b in 0:100, c in 0:100", machine.Grid{Items: 64, Width: 32}, true, []int64{1, 2, 32}},
		{"a in 0:1, b in 0:1, c in 0:1", machine.Grid{Items: 64}, true, []int64{1, 1, 1}},
	} {
		f, err := ein.ParseFunc("f", "func f {\n  out Y: float32[1000, 1000, 1000]\n  for "+test.text+" { Y[a, b, c] = 1f32 }\n}")
		if err != nil {
			t.Fatal(err)
		}
		indices := f.Body[0].Indices
		counts := shares(indices, indices[2], test.g, test.square)
		for k, i := range indices {
			if n := max(counts[i], 1); n != test.want[k] {
				t.Errorf("%s, %+v: %d items along %s, want %v", test.text, test.g, n, i.Name, test.want)
			}
		}
	}
}
