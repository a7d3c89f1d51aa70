package lower_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/loop/lower"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/rogpeppe/go-internal/txtar"
)

// consequences are files that choose nothing: what they make of stages and of rows follows from the tree, as docs/architecture.md
// says ("What follows from a tree"). So they know no number but those here, and of the machine and of the limits of texts only what
// is said.
var consequences = map[string]struct{ numbers, uses []string }{
	"pipeline.go":           {},
	"interleave.go":         {},
	"scalar_replacement.go": {},
	"single_buffering.go":   {},
	"prefetch_pieces.go":    {uses: []string{"line"}},
	"carried.go":            {},
	"peeling.go":            {uses: []string{"perLine"}},
	"collapsed_rows.go":     {uses: []string{"line"}},
	// Lanes of four bytes and more are stored one by one where a line is not whole; of shorter ones no processor has a mask.
	"rows.go": {numbers: []string{"4"}, uses: []string{"MostRows"}},
}

// knows are the ways to what is no part of the tree: options, the machine, and limits.
func knows(name string) bool {
	return name == "options" || name == "machine" || name == "line" || name == "perLine" || name == "sharedFrom" || strings.HasPrefix(name, "Most")
}

// TestConsequences reads the files.
func TestConsequences(t *testing.T) {
	for path, may := range consequences {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		used := map[string]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if n.Kind == token.INT && !isIn(n.Value, "0", "1", "2") && !isIn(n.Value, may.numbers...) {
					t.Errorf("%s: the number %s: is it a choice? Then it is a mark", files.Position(n.Pos()), n.Value)
				}
				used[n.Value] = true
			case *ast.SelectorExpr:
				if name := n.Sel.Name; knows(name) && !isIn(name, may.uses...) {
					t.Errorf("%s: %s is no part of the tree", files.Position(n.Pos()), name)
				}
				used[n.Sel.Name] = true
			}
			return true
		})
		for _, word := range append(may.numbers, may.uses...) {
			if !used[word] {
				t.Errorf("%s does not use %s any more", path, word)
			}
		}
	}
}

func isIn(word string, list ...string) bool {
	for _, w := range list {
		if w == word {
			return true
		}
	}
	return false
}

// lowered lowers a function by a tree.
func lowered(t *testing.T, function, tree string) string {
	t.Helper()
	f, err := ein.ParseFunc("in", function)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := schedule.Parse(tree)
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := lower.Lower(f, parsed, lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return loop.Print(kernel)
}

// TestWholeLines: rows are cut at lines from so many vectors on as the mark says, or as is usual.
func TestWholeLines(t *testing.T) {
	for _, test := range []struct {
		columns string
		mark    string
		cut     bool
	}{
		{"59", "", false}, {"64", "", true},
		{"64", " whole-lines 5", false}, {"80", " whole-lines 5", true},
		{"32", "", false}, {"32", " whole-lines 2", true},
	} {
		function := strings.ReplaceAll(`
func copied {
  in X: float32[3, N]
  out Y: float32[3, N]
  for i in 0:3, j in 0:N { Y[i, j] = X[i, j] + 1f32 }
}`, "N", test.columns)
		tree := "domain S0[i, j]\nband S0.i | S0.j vector 16 stream" + test.mark + "\n"
		if got := strings.Contains(lowered(t, function, tree), "lead("); got != test.cut {
			t.Errorf("rows of %s with%s: cut at lines %v, expected %v", test.columns, test.mark, got, test.cut)
		}
		parsed, err := schedule.Parse(tree)
		if err != nil {
			t.Fatal(err)
		}
		verify(t, readProgram(t, function), parsed, nil, evaluate)
	}
}

// TestFirstLines: a pipeline asks for as many lines of the next piece at once as the mark says, or as is usual.
func TestFirstLines(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/golden/pipeline_pieces.txtar")
	if err != nil {
		t.Fatal(err)
	}
	function, tree := string(archive.Files[0].Data), string(archive.Files[1].Data)
	for mark, want := range map[string]string{"": "unrolled n_4 = 0 .. 8 step", " first-lines 3": "unrolled n_4 = 0 .. 3 step"} {
		text := lowered(t, function, strings.Replace(tree, " pipeline\n", " pipeline"+mark+"\n", 1))
		if !strings.Contains(text, want+" 1 {\n                prefetch X") {
			t.Errorf("with%s: no %s\n%s", mark, want, text)
		}
	}
}
