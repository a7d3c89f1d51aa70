// Package langtest has what the tests of all notations ask of their compilers.
package langtest

import (
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// A Compiler is the function of a notation that its tests are about. Whatever it makes of a
// program is verified, whether or not the program has errors; Lowering compares it with goldens.
// A Syntax has what the tests of a notation's syntax are about.

// A Compiler makes a unit of a file.
type Compiler func(*source.File, lang.Options) (*lang.Unit, *source.Diagnostics)

// Compile compiles a program and verifies what comes out.
func (compile Compiler) Compile(t testing.TB, file *source.File) (*lang.Unit, *source.Diagnostics) {
	t.Helper()
	unit, diagnostics := compile(file, lang.Options{})
	for _, f := range unit.Program.Funcs {
		if err := ein.Verify(f); err != nil {
			t.Errorf("%v\n%s", err, ein.Print(f))
		}
	}
	return unit, diagnostics
}

// Lowering compares the programs in testdata/lower, as files of this name, with the ein text
// that they are lowered to; -update records the text.
func (compile Compiler) Lowering(t *testing.T, name string) {
	goldentest.Run(t, "testdata/lower/*.txtar", "ein", 1, func(t *testing.T, inputs []string) string {
		unit, diagnostics := compile.Compile(t, source.NewFile(name, inputs[0]))
		if err := diagnostics.Err(); err != nil {
			t.Fatal(err)
		}
		return ein.PrintProgram(unit.Program)
	})
}

// Fuzz compiles any text, as a file of this name: the compiler never panics, and what is accepted
// verifies.
func (compile Compiler) Fuzz(f *testing.F, name string) {
	f.Fuzz(func(t *testing.T, text string) { compile.Compile(t, source.NewFile(name, text)) })
}

// Seeds adds the examples of the codes with a prefix, and the files of patterns.
func Seeds(f *testing.F, codes string, patterns ...string) {
	for _, info := range source.Codes() {
		if strings.HasPrefix(string(info.Code), codes) {
			f.Add(info.Example)
			f.Add(info.Fix)
		}
	}
	for _, pattern := range patterns {
		for _, text := range Texts(f, pattern) {
			f.Add(text)
		}
	}
}

// Texts yields the files of a pattern, by their paths, of which there are some.
func Texts(t testing.TB, pattern string) iter.Seq2[string, string] {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: no files: %v", pattern, err)
	}
	return func(yield func(path, text string) bool) {
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !yield(path, string(text)) {
				return
			}
		}
	}
}
