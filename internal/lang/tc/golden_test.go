package tc

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

var update = flag.Bool("update", false, "record the golden files anew")

// TestLowering compares programs with the ein text that they are lowered to. Each
// file of testdata/lower has the program and the text; -update records the text.
func TestLowering(t *testing.T) {
	paths, err := filepath.Glob("testdata/lower/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no test files", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil || len(archive.Files) == 0 {
				t.Fatal("no program", err)
			}
			unit, diags := Compile(source.NewFile(path, string(archive.Files[0].Data)), Options{})
			if err := diags.Err(); err != nil {
				t.Fatal(err)
			}
			verifyUnit(t, unit)
			got := ein.PrintProgram(unit.Program)
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "ein", Data: []byte(got)})
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(archive.Files) != 2 {
				t.Fatal("no recorded text: run with -update")
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
