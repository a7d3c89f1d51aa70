package check

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/source/sourcetest"
)

// checked parses and checks a program; its diagnostics are those of both.
func checked(file *source.File, options Options) *source.Diagnostics {
	f, diagnostics := syntax.Parse(file)
	if diagnostics.HasErrors() {
		return diagnostics
	}
	_, found := Program(f, options)
	return &source.Diagnostics{List: append(diagnostics.List, found.List...)}
}

// TestCodes checks the example of every code, and its fix.
func TestCodes(t *testing.T) {
	sourcetest.Codes(t, []string{"E131", "E132", "E133"}, func(_ *testing.T, text string) *source.Diagnostics {
		return checked(source.NewFile("test.diderot", text), Options{})
	})
}

// TestErrors compares diagnostics with the expectations in the comments of the programs in testdata/errors.
func TestErrors(t *testing.T) {
	sourcetest.Programs(t, "testdata/errors/*.diderot", func(_ *testing.T, file *source.File) *source.Diagnostics {
		return checked(file, Options{})
	})
}
