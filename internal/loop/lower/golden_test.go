package lower_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
)

var update = flag.Bool("update", false, "record the goldens again")

// TestGolden lowers the function in "in" by the tree in "tree" and compares the
// loops with "out".
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f, err := ein.ParseFunc("in", string(archive.Files[0].Data))
			if err != nil {
				t.Fatal(err)
			}
			tree, err := schedule.Parse(string(archive.Files[1].Data))
			if err != nil {
				t.Fatal(err)
			}
			kernel, err := lower.Lower(f, tree, lower.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := loop.Verify(kernel); err != nil {
				t.Error(err)
			}
			got := loop.Print(kernel)
			if *update {
				archive.Files = append(archive.Files[:2], txtar.File{Name: "out", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[2].Data), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
