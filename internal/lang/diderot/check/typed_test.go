package check

import (
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestTyped compares the programs in testdata/typed with their typed trees; -update records them.
func TestTyped(t *testing.T) {
	goldentest.Run(t, "testdata/typed/*.txtar", "typed", 1, func(t *testing.T, inputs []string) string {
		f, diagnostics := syntax.Parse(source.NewFile("in.diderot", inputs[0]))
		if err := diagnostics.Err(); err != nil {
			t.Fatal(err)
		}
		program, diagnostics := Program(f, Options{})
		if err := diagnostics.Err(); err != nil {
			t.Fatal(err)
		}
		verify(t, program)
		var b strings.Builder
		if err := typed.Write(&b, program); err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}
