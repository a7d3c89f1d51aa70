package mdh

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/source/sourcetest"
)

var update = flag.Bool("update", false, "record the golden files anew")

// TestLowering compares programs with the ein text that they are lowered to;
// -update records the text.
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
			unit, diagnostics := compileText(t, string(archive.Files[0].Data))
			if err := diagnostics.Err(); err != nil {
				t.Fatal(err)
			}
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

// TestErrors compares the diagnostics of the programs in testdata/errors with the
// expectations in their comments.
func TestErrors(t *testing.T) {
	paths, err := filepath.Glob("testdata/errors/*.mdh")
	if err != nil || len(paths) == 0 {
		t.Fatal("no test files", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, diagnostics := compileText(t, string(text))
			if testing.Verbose() {
				source.RenderAll(os.Stdout, diagnostics.List, source.RenderOptions{})
			}
			sourcetest.Expect(t, source.NewFile(path, string(text)), diagnostics.List)
		})
	}
}

// FuzzCompile compiles any text: it never panics, and what is accepted verifies and
// prints as text that parses.
func FuzzCompile(f *testing.F) {
	for _, info := range source.Codes() {
		if info.Code > "E1000" {
			f.Add(info.Example)
			f.Add(info.Fix)
		}
	}
	for _, pattern := range []string{"../../../examples/mdh/*.mdh", "testdata/errors/*.mdh"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			if len(text) < 4000 {
				f.Add(string(text))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		unit, _ := Compile(source.NewFile("fuzz.mdh", text), lang.Options{})
		for _, fn := range unit.Program.Funcs {
			if err := ein.Verify(fn); err != nil {
				t.Fatalf("%v\n%s", err, ein.Print(fn))
			}
		}
	})
}
