package testrun

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/source"
)

var update = flag.Bool("update", false, "record the goldens again")

// outcome runs the blocks of a program on the evaluator and describes each.
func outcome(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	err = File(context.Background(), source.NewFile(path, string(text)), Options{Targets: []ricci.Target{ricci.Eval}}, func(r Result) {
		if r.Err == nil {
			fmt.Fprintf(&b, "ok %s\n", r.Name)
			return
		}
		fmt.Fprintf(&b, "FAIL %s: %v\n", r.Name, r.Err)
	})
	if err != nil {
		fmt.Fprintf(&b, "not tested: %v\n", err)
	}
	return strings.ReplaceAll(b.String(), filepath.Dir(path)+string(filepath.Separator), "")
}

// TestBlocks runs the programs of testdata: each archive holds a program, files
// that it reads, and want, what the blocks of the program come to.
func TestBlocks(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no test data", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			var want *txtar.File
			for i := range archive.Files {
				f := &archive.Files[i]
				if f.Name == "want" {
					want = f
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			programs, err := filepath.Glob(filepath.Join(dir, "program.*"))
			if err != nil || len(programs) != 1 {
				t.Fatal(programs, err)
			}
			got := outcome(t, programs[0])
			if *update {
				want.Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(want.Data), got); diff != "" {
				t.Errorf("want -, got +\n%s", diff)
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	text := "def f(float(N) X) -> (Y) { Y(i) = X(i) }\n# test: runs\n#   size N = 2\n"
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := File(ctx, source.NewFile("p.tc", text), Options{}, func(r Result) { t.Errorf("%s was reported: %v", r.Name, r.Err) })
	if err != context.Canceled {
		t.Errorf("the error is %v", err)
	}
}

// TestDynamic: blocks judge one kernel for all sizes, which a script that writes loops out does not make.
func TestDynamic(t *testing.T) {
	const text = `A = tensor([N, M])
x = tensor([M])
t = vmul(A, x, [[i, j], [j]])
s = add(s, t, [[i], ] -> [i])
codegen(unroll(build(s), 2))
# test: rows
#   in  A = [[1, 2, 3, 4], [5, 6, 7, 8]]
#   in  x = [1, 1, 1, 1]
#   out s = [10, 26]
`
	for dynamic, want := range map[bool]string{false: "", true: "E0714"} {
		err := File(t.Context(), source.NewFile("p.teml", text), Options{Targets: []ricci.Target{"loop"}, Dynamic: dynamic}, func(r Result) {
			if got := fmt.Sprint(r.Err); (r.Err == nil) != (want == "") || !strings.Contains(got, want) {
				t.Errorf("with dynamic sizes %t: %v, expected %s", dynamic, r.Err, want)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
