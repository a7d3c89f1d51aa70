package c_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/target/c"
)

var update = flag.Bool("update", false, "rewrite the C text in testdata/golden")

// TestGolden compares the C text of loop programs with what it was.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f, err := loop.Parse(source.NewFile(path, string(archive.Files[0].Data)))
			if err != nil {
				t.Fatal(err)
			}
			if err := loop.Verify(f); err != nil {
				t.Fatal(err)
			}
			text, err := c.Print(f, c.Options{Parallel: c.Pool, VectorBytes: 32})
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "kernel.c", Data: []byte(text)})
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[len(archive.Files)-1].Data), text); diff != "" {
				t.Error(diff)
			}
		})
	}
}
