// Package goldentest compares what a pass makes of recorded inputs with what it made
// before.
package goldentest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "record the golden files anew")

// Updating reports whether the test was called with -update.
func Updating() bool { return *update }

// Run calls pass with the inputs of every txtar archive that the pattern names: its
// files up to the last one, which is called output and has what pass must return. With
// -update it is recorded.
func Run(t *testing.T, pattern, output string, inputs int, pass func(t *testing.T, inputs []string) string) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden files %s: %v", pattern, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil || len(archive.Files) < inputs {
				t.Fatalf("%d inputs, expected %d: %v", len(archive.Files), inputs, err)
			}
			var texts []string
			for _, file := range archive.Files[:inputs] {
				texts = append(texts, string(file.Data))
			}
			got := pass(t, texts)
			if *update {
				archive.Files = append(archive.Files[:inputs:inputs], txtar.File{Name: output, Data: []byte(got)})
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(archive.Files) != inputs+1 {
				t.Fatal("nothing is recorded: run with -update")
			}
			if diff := cmp.Diff(string(archive.Files[inputs].Data), got); diff != "" {
				t.Errorf("-want +got (record with -update):\n%s", diff)
			}
		})
	}
}

// Text compares a file with a text; with -update it is written.
func Text(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s: -want +got (record with -update):\n%s", path, diff)
	}
}

// Section compares the part of a document between the lines <!-- name --> and
// <!-- end --> with a text; with -update it is written.
func Section(t *testing.T, path, name, text string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(page), "<!-- "+name+" -->\n")
	old, after, ends := strings.Cut(rest, "<!-- end -->\n")
	if !begins || !ends {
		t.Fatalf("%s has no section %s", path, name)
	}
	if *update {
		written := before + "<!-- " + name + " -->\n" + text + "<!-- end -->\n" + after
		if err := os.WriteFile(path, []byte(written), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(old, text); diff != "" {
		t.Errorf("the section %s of %s is old (record with -update):\n%s", name, path, diff)
	}
}
