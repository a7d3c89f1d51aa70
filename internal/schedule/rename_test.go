package schedule

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestRename gives the functions of the default schedules other names: their schedules
// follow, and come back as they were.
func TestRename(t *testing.T) {
	files, err := filepath.Glob("standard/testdata/default/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no functions", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, g := parseFunc(t, string(archive.Files[0].Data)), parseFunc(t, string(archive.Files[0].Data))
		for _, tensor := range g.Tensors {
			tensor.Name = "other_" + tensor.Name
		}
		for _, c := range g.Body {
			for _, i := range c.Indices {
				i.Name = "other_" + i.Name
			}
		}
		tree, err := Parse(string(archive.Files[1].Data))
		if err != nil {
			t.Fatal(err)
		}
		renamed, err := Rename(tree, f, g)
		if err == nil {
			err = Check(g, renamed)
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if back, err := Rename(renamed, g, f); err != nil || Print(back) != Print(tree) {
			t.Errorf("%s: %v\n%s", file, err, Print(back))
		}
	}
}
