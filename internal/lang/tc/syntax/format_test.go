package syntax

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/source"
)

func parseClean(t *testing.T, text string) *File {
	t.Helper()
	file, diagnostics := Parse(source.NewFile("in.tc", text))
	if diagnostics.HasErrors() {
		t.Fatalf("%v\n%s", diagnostics.Err(), text)
	}
	return file
}

func TestFormatGolden(t *testing.T) {
	goldentest.Run(t, "testdata/format/*.txtar", "out.tc", 1, func(t *testing.T, inputs []string) string {
		text := inputs[0]
		formatted := Format(parseClean(t, text))
		checkFormatted(t, text, formatted)
		return formatted
	})
}

func TestDumpGolden(t *testing.T) {
	goldentest.Run(t, "testdata/dump/*.txtar", "out", 1, func(t *testing.T, inputs []string) string {
		text := inputs[0]
		var b bytes.Buffer
		if err := Dump(&b, parseClean(t, text)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}

func TestJSON(t *testing.T) {
	data, err := JSON(parseClean(t, "def f(float(N) A) -> (B) {\n  B(i) = A(i)\n}"))
	if err != nil {
		t.Fatal(err)
	}
	var tree Node
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	statement := tree.Children[0].Children[2]
	if statement.Kind != "statement" || statement.Text != "=" || statement.Line != 2 || statement.Column != 3 {
		t.Errorf("the statement is %+v", statement)
	}
}

// checkFormatted checks what Format promises: the same program, all comments,
// and a fixed point.
func checkFormatted(t *testing.T, text, formatted string) {
	t.Helper()
	before := parseClean(t, text)
	after := parseClean(t, formatted)
	if diff := sameTree(before, after); diff != "" {
		t.Errorf("formatting changes the tree:\n%s\n%s", diff, formatted)
	}
	if diff := cmp.Diff(commentTexts(before), commentTexts(after)); diff != "" {
		t.Errorf("formatting changes the comments:\n%s\n%s", diff, formatted)
	}
	if second := Format(after); second != formatted {
		t.Errorf("formatting is not idempotent:\n%s", cmp.Diff(formatted, second))
	}
}

func commentTexts(f *File) []string {
	texts := make([]string, len(f.Comments))
	for i, c := range f.Comments {
		texts[i] = commentText(c)
	}
	return texts
}
