package tc

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/source"
)

// TestLowering compares programs with the ein text that they are lowered to. Each
// file of testdata/lower has the program and the text; -update records the text.
func TestLowering(t *testing.T) {
	goldentest.Run(t, "testdata/lower/*.txtar", "ein", 1, func(t *testing.T, inputs []string) string {
		unit, diags := Compile(source.NewFile("program.tc", inputs[0]), Options{})
		if err := diags.Err(); err != nil {
			t.Fatal(err)
		}
		verifyUnit(t, unit)
		return ein.PrintProgram(unit.Program)
	})
}
