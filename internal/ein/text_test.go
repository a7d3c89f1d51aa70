package ein_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

var update = flag.Bool("update", false, "record the golden files anew")

// golden runs a function over the file "in" of every archive and compares with
// the file "out".
func golden(t *testing.T, pattern string, transform func(t *testing.T, in string) string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test data for %s: %v", pattern, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			out := transform(t, string(archive.Files[0].Data))
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "out", Data: []byte(out)})
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(archive.Files) < 2 {
				t.Fatal("no recorded output: run with -update")
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), out); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestText(t *testing.T) {
	golden(t, "text_*.txtar", func(t *testing.T, in string) string {
		program, err := ein.Parse(source.NewFile("in", in))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range program.Funcs {
			if err := ein.Verify(f); err != nil {
				t.Error(err)
			}
		}
		out := ein.PrintProgram(program)
		again, err := ein.Parse(source.NewFile("out", out))
		if err != nil {
			t.Fatalf("the printed text does not parse: %v\n%s", err, out)
		}
		if diff := cmp.Diff(out, ein.PrintProgram(again)); diff != "" {
			t.Error(diff)
		}
		return out
	})
}

func TestTextErrors(t *testing.T) {
	golden(t, "errors_*.txtar", func(t *testing.T, in string) string {
		_, err := ein.Parse(source.NewFile("in", in))
		var list source.ErrorList
		if !errors.As(err, &list) {
			t.Fatalf("got %v, expected diagnostics", err)
		}
		var out strings.Builder
		source.RenderAll(&out, list, source.RenderOptions{})
		return out.String()
	})
}
