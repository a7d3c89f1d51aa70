package syntax

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/source/sourcetest"
)

func parse(t *testing.T, text string) *File {
	t.Helper()
	file, diagnostics := Parse(source.NewFile("test.mdh", text))
	if err := diagnostics.Err(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return file
}

// dumped returns the trees of all computations; Print has the other declarations.
func dumped(t *testing.T, f *File) string {
	t.Helper()
	var b strings.Builder
	for _, c := range f.Computations {
		if err := Dump(&b, f.Source, c.Name.Name); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// checkForms checks that formatting changes no tree and nothing the second time,
// and that Print is read back.
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
	printed := Print(f)
	if diff := cmp.Diff(printed, Print(again)); diff != "" {
		t.Errorf("formatting changes what is printed:\n%s", diff)
	}
	back := parse(t, printed)
	if diff := cmp.Diff(dumped(t, f), dumped(t, back)); diff != "" {
		t.Errorf("printing changes the tree:\n%s\n%s", diff, printed)
	}
	if diff := cmp.Diff(printed, Print(back)); diff != "" {
		t.Errorf("printing twice differs:\n%s", diff)
	}
	if diff := cmp.Diff(printed, Format(back)); diff != "" {
		t.Errorf("what is printed is not formatted:\n%s", diff)
	}
	return formatted
}

// TestFormat compares programs with their standard layout; -update records it.
func TestFormat(t *testing.T) {
	goldentest.Run(t, "testdata/format/*.txtar", "formatted.mdh", 1, func(t *testing.T, inputs []string) string {
		return checkForms(t, parse(t, inputs[0]))
	})
}

func TestExamplesAreReadBack(t *testing.T) {
	paths, err := filepath.Glob("../../../../examples/mdh/*.mdh")
	if err != nil || len(paths) == 0 {
		t.Fatal("no examples", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		checkForms(t, parse(t, string(text)))
	}
}

// TestErrors compares the diagnostics of the parser with the expectations in the
// comments of the programs.
func TestErrors(t *testing.T) {
	sourcetest.Programs(t, "testdata/errors/*.mdh", func(_ *testing.T, file *source.File) *source.Diagnostics {
		_, diagnostics := Parse(file)
		return diagnostics
	})
}

// FuzzParse parses any text: it never panics, places lie in the text, and what is
// accepted has one layout.
func FuzzParse(f *testing.F) {
	for _, info := range source.Codes() {
		if info.Code > "E1000" && info.Code < "E1100" {
			f.Add(info.Example)
			f.Add(info.Fix)
		}
	}
	f.Add("op m<T>(l: T, (r, _)) = let (a, b): T = iterate 3 with (x = {0x1F}) while !true do -x.f[1];\n if a ≤ b ∧ c then (1, 2) else f() identity 0 assume associative ordered # c")
	f.Fuzz(func(t *testing.T, text string) {
		file, diagnostics := Parse(source.NewFile("fuzz.mdh", text))
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
