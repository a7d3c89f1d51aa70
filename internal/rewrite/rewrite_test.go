package rewrite_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/rewrite"
)

var update = flag.Bool("update", false, "record the goldens again")

// TestGolden rewrites the function in "in" and compares with "out".
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
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
			g, err := rewrite.Optimise(f)
			if err != nil {
				t.Fatal(err)
			}
			got := ein.Print(g)
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "out", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestMeaning compares random functions before and after the passes.
func TestMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := eintest.Func(t)
		sizes := eintest.Sizes(t)
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, sizes)
		if err != nil {
			t.Fatal(err)
		}
		g, err := rewrite.Optimise(f)
		if err != nil {
			t.Fatalf("%v\n%s", err, f)
		}
		want, wantErr := ein.Evaluate(f, args, ein.EvalOptions{Sizes: sizes})
		got, gotErr := ein.Evaluate(g, args, ein.EvalOptions{Sizes: sizes})
		if (wantErr != nil) != (gotErr != nil) {
			t.Fatalf("before: %v, after: %v\n%s\n%s", wantErr, gotErr, f, g)
		}
		for name := range want {
			c, err := ein.Compare(got[name], want[name], nil)
			if err != nil {
				t.Fatal(err)
			}
			if !c.OK() {
				t.Fatalf("%s: %v\n%s\n%s", name, c.Worst, f, g)
			}
		}
	})
}
