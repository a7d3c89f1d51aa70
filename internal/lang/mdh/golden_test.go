package mdh

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
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
	for _, info := range source.Codes() {
		if info.Code > "E1000" && info.Code < "E1100" {
			f.Add(info.Example)
			f.Add(info.Fix)
		}
	}
	for _, pattern := range []string{"../../../examples/mdh/*.mdh", "testdata/errors/*.mdh"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			if len(text) < 4000 {
				f.Add(string(text))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		unit, _ := Compile(source.NewFile("fuzz.mdh", text), lang.Options{})
		for _, fn := range unit.Program.Funcs {
			if err := ein.Verify(fn); err != nil {
				t.Fatalf("%v\n%s", err, ein.Print(fn))
			}
		}
	})
}
