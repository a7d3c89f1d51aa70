package tc

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/source/sourcetest"
)

// TestErrors compares the diagnostics of the programs in testdata/errors with the
// expectations in their comments.
func TestErrors(t *testing.T) {
	paths, err := filepath.Glob("testdata/errors/*.tc")
	if err != nil || len(paths) == 0 {
		t.Fatal("no test files", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file := source.NewFile(path, string(text))
			unit, diags := Compile(file, Options{})
			verifyUnit(t, unit)
			if testing.Verbose() {
				source.RenderAll(os.Stdout, diags.List, source.RenderOptions{})
			}
			sourcetest.Expect(t, file, diags.List)
		})
	}
}
