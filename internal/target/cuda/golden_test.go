package cuda

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target"
)

// TestGolden compares the CUDA C of loop programs with what it was.
func TestGolden(t *testing.T) {
	goldentest.Run(t, "testdata/golden/*.txtar", "kernel.cu", 1, func(t *testing.T, inputs []string) string {
		f, err := loop.Parse(source.NewFile("kernel.loop", inputs[0]))
		if err != nil {
			t.Fatal(err)
		}
		m, err := (Target{}).Print(f, target.Options{Numerics: numerics.Default})
		if err != nil {
			t.Fatal(err)
		}
		return m.Code
	})
}
