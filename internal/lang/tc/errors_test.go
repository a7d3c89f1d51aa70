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
