package sourcetest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
)

// separator stands between the programs of a file that holds several, as a comment of its notation.
var separator = regexp.MustCompile(`\n(#|//) ----\n`)

// Programs compares what compile reports of the programs in files with the expectations
// in their comments. A verbose test prints the diagnostics as users see them.
func Programs(t *testing.T, pattern string, compile func(t *testing.T, file *source.File) *source.Diagnostics) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatal("no test files", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for n, program := range separator.Split(string(text), -1) {
			t.Run(fmt.Sprintf("%s-%d", filepath.Base(path), n+1), func(t *testing.T) {
				file := source.NewFile(path, program)
				diagnostics := compile(t, file).List
				render(diagnostics)
				Expect(t, file, diagnostics)
			})
		}
	}
}

// Codes compiles the example of every code that begins with one of the stages, such as
// E10: its diagnostics have that code; and its fix, which has none. Codes whose fix
// is a sentence are named.
func Codes(t *testing.T, stages []string, compile func(t *testing.T, text string) *source.Diagnostics, sentences ...source.Code) {
	t.Helper()
	tried := 0
	for _, info := range source.Codes() {
		of := func(stage string) bool { return strings.HasPrefix(string(info.Code), stage) }
		if !slices.ContainsFunc(stages, of) || info.Example == "" {
			continue
		}
		tried++
		t.Run(string(info.Code), func(t *testing.T) {
			diagnostics := compile(t, info.Example).List
			if len(diagnostics) == 0 {
				t.Error("the example has no error")
			}
			for _, d := range diagnostics {
				if d.Code != info.Code {
					t.Errorf("the example gives %v", d)
				}
			}
			render(diagnostics)
			if slices.Contains(sentences, info.Code) {
				return
			}
			if list := compile(t, info.Fix).List; len(list) > 0 {
				t.Errorf("the mended example gives %v", list)
			}
		})
	}
	if tried == 0 {
		t.Errorf("no code begins with one of %v", stages)
	}
}

func render(diagnostics []*source.Diagnostic) {
	if testing.Verbose() {
		source.RenderAll(os.Stdout, diagnostics, source.RenderOptions{})
	}
}
