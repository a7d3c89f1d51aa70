package passes_test

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/passes"
)

// TestPasses records what programs become, which must be programs.
func TestPasses(t *testing.T) {
	goldentest.Run(t, "testdata/*.txtar", "after", 1, func(t *testing.T, inputs []string) string {
		p, err := strand.Parse(source.NewFile("before", inputs[0]))
		if err != nil {
			t.Fatal(err)
		}
		if err := strand.Verify(p); err != nil {
			t.Fatal(err)
		}
		passes.Run(p)
		if err := strand.Verify(p); err != nil {
			t.Fatal(err)
		}
		once := strand.Print(p)
		passes.Run(p)
		if again := strand.Print(p); again != once {
			t.Errorf("the passes change what they have made:\n%s", again)
		}
		return once
	})
}
