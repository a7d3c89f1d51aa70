package mdh

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/standard"
)

// TestDefaultTrees reads the default schedules of typical functions as plans and makes
// trees of those again: they are the same.
func TestDefaultTrees(t *testing.T) {
	files, err := filepath.Glob("../standard/testdata/default/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no functions", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f := parseFunc(t, string(archive.Files[0].Data))
			tree, err := standard.Default(f, processor)
			if err != nil {
				t.Fatal(err)
			}
			p, notes, err := FromTree(f, processor, tree)
			if err != nil {
				t.Fatalf("%v\n%s", err, schedule.Print(tree))
			}
			if len(notes) > 0 {
				t.Logf("notes %v", notes)
			}
			again, err := Make(f, p)
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, p, schedule.Print(tree))
			}
			second, _, err := FromTree(f, processor, again)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(p.String(), second.String()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(normal(tree), normal(again)); diff != "" && slices.Contains(verbatim, filepath.Base(file)) {
				t.Error(diff)
			}
		})
	}
}

// TestPlannedTrees reads trees as plans, whose texts are read back and made into the same
// trees: nothing is left out.
func TestPlannedTrees(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/trees.txtar")
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string]*ein.Func{}
	for _, file := range archive.Files {
		name, ok := strings.CutSuffix(file.Name, ".ein")
		if ok {
			functions[name] = parseFunc(t, string(file.Data))
			continue
		}
		t.Run(name, func(t *testing.T) {
			function, _, _ := strings.Cut(name, ".")
			f := functions[function]
			tree, err := schedule.Parse(string(file.Data))
			if err == nil {
				err = schedule.Check(f, tree)
			}
			if err != nil {
				t.Fatal(err)
			}
			p, notes, err := FromTree(f, processor, tree)
			if err != nil || len(notes) > 0 {
				t.Fatal(err, notes)
			}
			for _, text := range []string{p.String(), p.Expressions(f)} {
				again, err := ParsePlan(text, hostModels)
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				made, err := Make(f, again)
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				if !Same(f, tree, made) {
					t.Errorf("%s\nmade\n%s", text, schedule.Print(made))
				}
			}
		})
	}
}

// TestNoParameters: trees whose loops have no parameters are refused, and two schedules are
// not taken for one.
func TestNoParameters(t *testing.T) {
	f := parseFunc(t, "func f { in X: float32[64] out A: float32[64] for i in 0:64 { A[i] = X[i] } }")
	parsed := func(text string) *schedule.Tree {
		tree, err := schedule.Parse("domain S0[i]\nband " + text)
		if err == nil {
			err = schedule.Check(f, tree)
		}
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	for text, want := range map[string]string{
		"S0.i tile 2 | S0.i tile 8 | S0.i":               "blocks of 8 of i inside of those of 2",
		"S0.i tile 8 unroll | S0.i tile 2 unroll | S0.i": "two loops over i for one layer",
		"S0.i tile 8 | S0.i tile 2 | S0.i":               "",
	} {
		if _, _, err := FromTree(f, processor, parsed(text)); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: found %v, expected %q", text, err, want)
		}
	}
	if Same(f, parsed("S0.i tile 2 | S0.i tile 8 | S0.i"), parsed("S0.i tile 2 | S0.i")) {
		t.Error("strided pairs are taken for pairs in order")
	}
	if !Same(f, parsed("S0.i tile 64 | S0.i tile 8 | S0.i"), parsed("S0.i tile 8 | S0.i")) {
		t.Error("a loop over one block is taken for another schedule")
	}
}

// verbatim are the files whose trees have no loop of one block, which a plan leaves out,
// and no partial tile in a partial block, which it pads.
var verbatim = []string{"abt.txtar", "dot.txtar", "matmul.txtar"}

// hints are what no parameter says and does not change the order.
var hints = regexp.MustCompile(` coincident| stream| ahead \d+| prefetch \w+`)

// normal leaves out hints, and where bands begin.
func normal(t *schedule.Tree) string {
	text := hints.ReplaceAllString(schedule.Print(t), "")
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "band "); ok && len(lines) > 0 && strings.HasPrefix(lines[len(lines)-1], "band ") {
			lines[len(lines)-1] += " | " + rest
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
