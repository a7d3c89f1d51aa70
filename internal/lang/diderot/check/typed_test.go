package check

import (
	"os"
	"path/filepath"
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

// TestRight checks programs that use what the language has; none has an error, nor a warning.
func TestRight(t *testing.T) {
	paths, err := filepath.Glob("testdata/right/*.diderot")
	if err != nil || len(paths) == 0 {
		t.Fatal("no programs", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, diagnostics := syntax.Parse(source.NewFile(path, string(text)))
		if err := diagnostics.Err(); err != nil {
			t.Error(err)
			continue
		}
		program, diagnostics := Program(f, Options{})
		for _, d := range diagnostics.List {
			t.Errorf("%v help: %s", d, d.Help)
		}
		if !diagnostics.HasErrors() {
			verify(t, program)
		}
	}
}
