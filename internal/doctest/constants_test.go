package doctest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What is a fact of hardware comes from the machine: rules and the model have no such numbers of their own. So every number
// with a name in their rooms has a kind in a list, and none is compared with what a machine has.

// constantKinds are what numbers in rules may be.
var constantKinds = map[string]string{
	"count":   "of points, rows, steps, tasks or uses, from which on something pays, or up to which",
	"size":    "bytes, found by measuring and capped by a part of a cache or of a stack, or those of an array that a task has there",
	"cost":    "cycles or instructions of a piece of code that a compiler makes",
	"share":   "a part, or a gain, of what is compared",
	"shape":   "of the model's curves",
	"assumed": "of a size that is not known",
	"limit":   "of texts, searches and what is written out",
	"mark":    "a value that means something else than its number",
	"matrix":  "of matrix units: to come from the machine, too",
}

// ruleRooms have the rules and the model.
var ruleRooms = []string{"standard", "estimate", "fetch", "mdh", "sketch"}

const constantsList = "testdata/constants.txt"

// TestConstants compares the list with the rooms. With -update it gets new numbers, whose kind is to be written by hand, and
// loses those that are gone.
func TestConstants(t *testing.T) {
	text, err := os.ReadFile(constantsList)
	if err != nil && !*update {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, kind, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.HasPrefix(line, "#") {
			listed[name] = kind
		}
	}
	found := map[string]string{}
	for _, room := range ruleRooms {
		files, _ := filepath.Glob("../schedule/" + room + "/*.go")
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range constantsOf(file) {
				key := room + "/" + filepath.Base(path) + " " + name
				found[key] = listed[key]
			}
			for _, at := range comparedWithNumbers(file) {
				t.Errorf("%s: what a machine has is compared with a number: say in internal/machine what follows from it (Processor.HasMasks)", set.Position(at))
			}
		}
	}
	if *update {
		b := "# The kinds of numbers in rules and in the model: go test ./internal/doctest -run Constants -update, then write the kinds (constants_test.go).\n"
		for _, key := range slices.Sorted(maps.Keys(found)) {
			b += fmt.Sprintf("%s: %s\n", key, found[key])
		}
		if err := os.WriteFile(constantsList, []byte(b), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if constantKinds[found[key]] == "" {
			t.Errorf("%s has the kind %q in internal/doctest/%s. A fact of hardware is a row of quantityRows in internal/machine/quantities.go; of other numbers -update lists the name, and behind it stands one of %v", key, found[key], constantsList, slices.Sorted(maps.Keys(constantKinds)))
		}
	}
	for key := range listed {
		if _, isThere := found[key]; !isThere {
			t.Errorf("%s is in internal/doctest/%s and nowhere else: -update takes it away", key, constantsList)
		}
	}
}

// constantsOf lists the names of the constants of a file that are numbers, also of those within functions.
func constantsOf(file *ast.File) (names []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
			for _, s := range d.Specs {
				spec := s.(*ast.ValueSpec)
				for i, name := range spec.Names {
					if i < len(spec.Values) && hasNumber(spec.Values[i]) {
						names = append(names, name.Name)
					}
				}
			}
		}
		return true
	})
	return names
}

func hasNumber(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		found = found || ok && (lit.Kind == token.INT || lit.Kind == token.FLOAT)
		return !found
	})
	return found
}

// machineFields are the numbers of a machine.Processor.
var machineFields = []string{"VectorBytes", "VectorRegisters", "L1", "L2", "L3", "Cores"}

// comparedWithNumbers are the places where such a field is compared with a number other than 0 and 1, which say that there
// is none, or one.
func comparedWithNumbers(file *ast.File) (list []token.Pos) {
	isField := func(e ast.Expr) bool {
		s, ok := e.(*ast.SelectorExpr)
		return ok && slices.Contains(machineFields, s.Sel.Name)
	}
	isNumber := func(e ast.Expr) bool {
		_, small := e.(*ast.BasicLit)
		small = small && (e.(*ast.BasicLit).Value == "0" || e.(*ast.BasicLit).Value == "1")
		return hasNumber(e) && !small
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok && slices.Contains([]token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ}, b.Op) {
			if isField(b.X) && isNumber(b.Y) || isField(b.Y) && isNumber(b.X) {
				list = append(list, b.Pos())
			}
		}
		return true
	})
	return list
}

// TestConstantsFound: the test finds what it is for.
func TestConstantsFound(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "f.go", "package f\nconst a, b = 12, \"x\"\nfunc f(m M) bool {\n const c = 3 * a\n return m.VectorBytes < 64 || 32 <= m.p.L1 || m.Cores == 1 || m.L1 < m.L2 }", 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := constantsOf(file); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("constants %v", got)
	}
	if got := comparedWithNumbers(file); len(got) != 2 {
		t.Errorf("%d comparisons", len(got))
	}
}
