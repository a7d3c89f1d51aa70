package tc

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/lang/langtest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/source/sourcetest"
)

// compileFile compiles a program and verifies what comes out.
func compileFile(t *testing.T, file *source.File) (*Unit, *source.Diagnostics) {
	t.Helper()
	return langtest.Compiler(Compile).Compile(t, file)
}

func compileText(t *testing.T, text string) (*Unit, *source.Diagnostics) {
	t.Helper()
	return compileFile(t, source.NewFile("test.tc", text))
}

// TestCodes compiles the example of every code of this stage and its fix.
func TestCodes(t *testing.T) {
	sourcetest.Codes(t, []string{"E02", "E03", "E04", "E05"}, func(t *testing.T, text string) *source.Diagnostics {
		_, diagnostics := compileText(t, text)
		return diagnostics
	})
}
