package teml

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/source"
)

// compileText compiles a program and verifies what comes out.
func compileText(t testing.TB, text string) (*lang.Unit, *source.Diagnostics) {
	t.Helper()
	unit, diagnostics := Compile(source.NewFile("test.teml", text), lang.Options{})
	for _, f := range unit.Program.Funcs {
		if err := ein.Verify(f); err != nil {
			t.Errorf("%v\n%s", err, ein.Print(f))
		}
	}
	return unit, diagnostics
}

// TestLowering compares programs with the ein text that they are lowered to;
// -update records the text.
func TestLowering(t *testing.T) {
	goldentest.Run(t, "testdata/lower/*.txtar", "ein", 1, func(t *testing.T, inputs []string) string {
		unit, diagnostics := compileText(t, inputs[0])
		if err := diagnostics.Err(); err != nil {
			t.Fatal(err)
		}
		return ein.PrintProgram(unit.Program)
	})
}
