package mdh

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/lang/langtest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/source/sourcetest"
)

// TestLowering compares programs with the ein text that they are lowered to;
// -update records the text.
func TestLowering(t *testing.T) { langtest.Compiler(Compile).Lowering(t, "test.mdh") }

// TestErrors compares the diagnostics of the programs in testdata/errors with the
// expectations in their comments.
func TestErrors(t *testing.T) {
	sourcetest.Programs(t, "testdata/errors/*.mdh", func(t *testing.T, file *source.File) *source.Diagnostics {
		_, diagnostics := compileFile(t, file)
		return diagnostics
	})
}

// FuzzCompile compiles any text: it never panics, and what is accepted verifies and
// prints as text that parses.
func FuzzCompile(f *testing.F) {
	langtest.Seeds(f, "E10", "../../../examples/mdh/*.mdh", "testdata/errors/*.mdh")
	langtest.Compiler(Compile).Fuzz(f, "fuzz.mdh")
}
