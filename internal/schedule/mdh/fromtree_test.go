package mdh

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// TestDefaultTrees reads the default schedules of typical functions as plans and makes
// trees of those again: they are the same.
func TestDefaultTrees(t *testing.T) {
	files, err := filepath.Glob("../testdata/default/*.txtar")
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
			tree, err := schedule.Default(f, machine)
			if err != nil {
				t.Fatal(err)
			}
			p, notes, err := FromTree(f, machine, tree)
			if slices.Contains(unplanned, filepath.Base(file)) {
				if err == nil || !strings.Contains(err.Error(), "one list of shared loops") {
					t.Errorf("got %v, expected that the phases are no plan", err)
				}
				return
			}
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
			second, _, err := FromTree(f, machine, again)
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

// TestSharedAccumulators reads a tree whose reduction shares its loop with another
// statement: plans have no such accumulators.
func TestSharedAccumulators(t *testing.T) {
	f := parseFunc(t, "func f {\n  in X: float32[8]\n  out A: float32[8]\n  out B: float32[]\n  for i in 0:8 { A[i] = X[i] }\n  for i in 0:8 reduce + { B[] = X[i] }\n}")
	tree, err := schedule.Parse("domain S0[i]; S1[i]\naccumulate S1 register\n  band S0.i S1.i\n    sequence\n      filter S0\n      filter S1\n")
	if err == nil {
		err = schedule.Check(f, tree)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := FromTree(f, machine, tree); err == nil || !strings.Contains(err.Error(), "the accumulators of S1 lie above loops that S[0 1] share") {
		t.Errorf("got %v, expected that the accumulators are no plan", err)
	}
}

// unplanned are the files whose trees have loops that only some statements share.
var unplanned = []string{"attention.txtar", "elements.txtar"}

// verbatim are the files whose trees have no loop of one block, which a plan leaves out,
// and no partial tile in a partial block, which it pads.
var verbatim = []string{"abt.txtar", "dot.txtar", "matmul.txtar"}

// hints are what no parameter says and does not change the order.
var hints = regexp.MustCompile(` coincident| ahead \d+`)

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
