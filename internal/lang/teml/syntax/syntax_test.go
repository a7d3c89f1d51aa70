package syntax

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/source/sourcetest"
)

func parse(t *testing.T, text string) *File {
	t.Helper()
	file, diagnostics := Parse(source.NewFile("test.teml", text))
	if err := diagnostics.Err(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return file
}

func dumped(t *testing.T, f *File) string {
	t.Helper()
	var b strings.Builder
	if err := Dump(&b, f.Source); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checkForms checks that formatting changes no tree and nothing the second time.
func checkForms(t *testing.T, f *File) (formatted string) {
	t.Helper()
	formatted = Format(f)
	again := parse(t, formatted)
	if second := Format(again); second != formatted {
		t.Errorf("formatting twice differs:\n%s", cmp.Diff(formatted, second))
	}
	if diff := cmp.Diff(dumped(t, f), dumped(t, again)); diff != "" {
		t.Errorf("formatting changes the tree:\n%s", diff)
	}
	return formatted
}

// TestFormat compares programs with their standard layout; -update records it.
func TestFormat(t *testing.T) {
	goldentest.Run(t, "testdata/format/*.txtar", "formatted.teml", 1, func(t *testing.T, inputs []string) string {
		return checkForms(t, parse(t, inputs[0]))
	})
}

// TestDump compares programs with their trees; -update records them.
func TestDump(t *testing.T) {
	goldentest.Run(t, "testdata/dump/*.txtar", "tree", 1, func(t *testing.T, inputs []string) string {
		return dumped(t, parse(t, inputs[0]))
	})
}

// TestErrors compares the diagnostics of the parser with the expectations in the
// comments of the programs.
func TestErrors(t *testing.T) {
	sourcetest.Programs(t, "testdata/errors/*.teml", func(_ *testing.T, file *source.File) *source.Diagnostics {
		_, diagnostics := Parse(file)
		return diagnostics
	})
}

// FuzzParse parses any text: it never panics, places lie in the text, and what is
// accepted has one layout.
func FuzzParse(f *testing.F) {
	for _, info := range source.Codes() {
		if info.Code > "E1200" {
			f.Add(info.Example)
			f.Add(info.Fix)
		}
	}
	f.Add("fun f(x, y) { t = @C:g(x, [[i], , ε] -> [i]) # c\n return if not -x[1] ≤ 2 and true then x ‖ [] else y }; codegen n(l) → A, B unchecked\noption type float32")
	f.Fuzz(func(t *testing.T, text string) {
		file, diagnostics := Parse(source.NewFile("fuzz.teml", text))
		for _, d := range diagnostics.List {
			if d.Span.Start < 0 || d.Span.Start > d.Span.End || d.Span.End > len(text) {
				t.Fatalf("the place %d:%d is outside of the text", d.Span.Start, d.Span.End)
			}
		}
		if !diagnostics.HasErrors() {
			checkForms(t, file)
		}
	})
}
