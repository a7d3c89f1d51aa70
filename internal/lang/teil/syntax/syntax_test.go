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
	file, diagnostics := Parse(source.NewFile("test.teil", text))
	if err := diagnostics.Err(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return file
}

// dump returns the trees of a file.
func dump(t *testing.T, f *File) string {
	t.Helper()
	var b strings.Builder
	for _, p := range f.Params {
		b.WriteString(p.Name.Name + " = " + p.Value.Value.String() + "\n")
	}
	for _, p := range f.Programs {
		if err := Dump(&b, p); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// checkForms checks that formatting changes no tree and nothing the second time,
// and that Print is read back and formatted.
func checkForms(t *testing.T, f *File) (formatted string) {
	t.Helper()
	formatted = Format(f)
	again := parse(t, formatted)
	if diff := cmp.Diff(formatted, Format(again)); diff != "" {
		t.Errorf("formatting twice differs:\n%s", diff)
	}
	if diff := cmp.Diff(dump(t, f), dump(t, again)); diff != "" {
		t.Errorf("formatting changes the tree:\n%s", diff)
	}
	printed := Print(f)
	back := parse(t, printed)
	if diff := cmp.Diff(dump(t, f), dump(t, back)); diff != "" {
		t.Errorf("printing changes the tree:\n%s\n%s", diff, printed)
	}
	if diff := cmp.Diff(printed, Format(back)); diff != "" {
		t.Errorf("what is printed is not formatted:\n%s", diff)
	}
	return formatted
}

// TestFormat compares programs with their standard layout; -update records it.
func TestFormat(t *testing.T) {
	goldentest.Run(t, "testdata/format/*.txtar", "formatted.teil", 1, func(t *testing.T, inputs []string) string {
		return checkForms(t, parse(t, inputs[0]))
	})
}

// TestDump compares trees; -update records them.
func TestDump(t *testing.T) {
	goldentest.Run(t, "testdata/dump/*.txtar", "dump", 1, func(t *testing.T, inputs []string) string {
		f := parse(t, inputs[0])
		checkForms(t, f)
		return dump(t, f)
	})
}

// TestErrors compares the diagnostics of the parser with the expectations in the
// comments of the programs.
func TestErrors(t *testing.T) {
	sourcetest.Programs(t, "testdata/errors/*.teil", func(_ *testing.T, file *source.File) *source.Diagnostics {
		_, diagnostics := Parse(file)
		return diagnostics
	})
}

// TestOperations checks the table of operations.
func TestOperations(t *testing.T) {
	seen := map[string]bool{}
	for _, op := range Operations() {
		if seen[op.Name] || op.Rule == "" || op.Summary == "" || (op.Operands < 1) != (op.Class == Generator) {
			t.Errorf("the row of %s is incomplete or there twice", op.Name)
		}
		seen[op.Name] = true
		words := strings.Fields(op.Usage())
		if len(words) != 1+len(op.Parameters)+op.Operands {
			t.Errorf("%s is written %q", op.Name, op.Usage())
		}
		if !IsReserved(op.Name) {
			t.Errorf("%s can be a name", op.Name)
		}
	}
}

// FuzzParse parses any text: it never panics, places lie in the text, and what is
// accepted has one layout.
func FuzzParse(f *testing.F) {
	for _, info := range source.Codes() {
		if strings.HasPrefix(string(info.Code), "E11") {
			f.Add(info.Example)
			f.Add(info.Fix)
		}
	}
	f.Add("param n=(2*k)def f direct alloc A:float[min(n,3)]inout(x,y)=f(A)v=-(A*id n.B)(u)-1--c\nw=shift 1 0 n pow A -2")
	f.Fuzz(func(t *testing.T, text string) {
		file, diagnostics := Parse(source.NewFile("fuzz.teil", text))
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
