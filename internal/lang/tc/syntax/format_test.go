package syntax

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/source"
)

var update = flag.Bool("update", false, "record the golden files")

// golden runs a text transformation on "in.tc" of every txtar file of a folder
// and compares with the file named by want.
func golden(t *testing.T, folder, want string, transform func(t *testing.T, text string) string) {
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden files in %s: %v", folder, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := transform(t, string(archive.Files[0].Data))
			if *update {
				archive.Files = append(archive.Files[:1:1], txtar.File{Name: want, Data: []byte(got)})
				if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
				t.Errorf("-want +got (record with -update):\n%s", diff)
			}
		})
	}
}

func parseClean(t *testing.T, text string) *File {
	t.Helper()
	file, diagnostics := Parse(source.NewFile("in.tc", text))
	if diagnostics.HasErrors() {
		t.Fatalf("%v\n%s", diagnostics.Err(), text)
	}
	return file
}

func TestFormatGolden(t *testing.T) {
	golden(t, "format", "out.tc", func(t *testing.T, text string) string {
		formatted := Format(parseClean(t, text))
		checkFormatted(t, text, formatted)
		return formatted
	})
}

func TestDumpGolden(t *testing.T) {
	golden(t, "dump", "out", func(t *testing.T, text string) string {
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
