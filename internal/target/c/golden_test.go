package c_test

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target/c"
)

// TestGolden compares the C text of loop programs with what it was.
func TestGolden(t *testing.T) {
	goldentest.Run(t, "testdata/golden/*.txtar", "kernel.c", 1, func(t *testing.T, inputs []string) string {
		f, err := loop.Parse(source.NewFile("kernel.loop", inputs[0]))
		if err != nil {
			t.Fatal(err)
		}
		if err := loop.Verify(f); err != nil {
			t.Fatal(err)
		}
		text, err := c.Print(f, c.Options{Parallel: c.Pool, VectorBytes: 32})
		if err != nil {
			t.Fatal(err)
		}
		return text
	})
}
