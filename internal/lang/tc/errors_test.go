package tc

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/source/sourcetest"
)

// TestErrors compares the diagnostics of the programs in testdata/errors with the
// expectations in their comments.
func TestErrors(t *testing.T) {
	sourcetest.Programs(t, "testdata/errors/*.tc", func(t *testing.T, file *source.File) *source.Diagnostics {
		_, diagnostics := compileFile(t, file)
		return diagnostics
	})
}

// TestNotesOnce checks that accesses which allow the same values are named once.
func TestNotesOnce(t *testing.T) {
	_, diagnostics := compileText(t, "def f(float(M) A, float(N) B) -> (C) { C(i) = A(i) * A(i) + B(i) * A(i) * B(i) }\n")
	for _, d := range diagnostics.List {
		if d.Code == source.CodeLesser && len(d.Notes) == 2 {
			return
		}
	}
	t.Errorf("want one note for A and one for B:\n%v", diagnostics.List)
}
