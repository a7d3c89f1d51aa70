package lower_test

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestGolden lowers the function in "in" by the tree in "tree" and compares the
// loops with "out". They compute what the evaluator does, where sizes are known.
func TestGolden(t *testing.T) {
	goldentest.Run(t, "testdata/golden/*.txtar", "out", 2, func(t *testing.T, inputs []string) string {
		f, err := ein.ParseFunc("in", inputs[0])
		if err != nil {
			t.Fatal(err)
		}
		tree, err := schedule.Parse(inputs[1])
		if err != nil {
			t.Fatal(err)
		}
		kernel, err := lower.Lower(f, marked(f, tree, 0), lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := loop.Verify(kernel); err != nil {
			t.Error(err)
		}
		if large := strings.HasPrefix(inputs[0], "# large"); len(f.Sizes) == 0 && (!large || sweep.Long(t)) {
			verify(t, readProgram(t, inputs[0]), tree, nil, evaluate)
		}
		return loop.Print(kernel)
	})
}
