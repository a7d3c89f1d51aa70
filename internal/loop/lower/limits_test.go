package lower_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// numbers are the constants of the lowering and of the passes on loops, beside the limits of package loop, with what they
// are. None is a choice behind the tree.
var numbers = map[string]string{
	"longestVector":      "bytes of the longest vector of any processor",
	"leastHeld":          "bytes of the shortest vector register of any processor",
	"workspaceAlignment": "bytes; part of how kernels are called",
	"largest":            "lanes of the largest square that targets transpose in registers",
	"fewest":             "lanes of an accumulator of groups, since one lane is no vector",
	"mostWrapped":        "no sum of numbers below leaves 64 bits",
	"mostFactor":         "no sum of multiples by factors below leaves 64 bits",
	"packed":             "elements that are packed in some starts of threads, which are a quantity of machines",
}

// TestNumbers reads the constants of both rooms.
func TestNumbers(t *testing.T) {
	var found []string
	for _, pattern := range []string{"*.go", "../passes/*.go"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal(pattern, err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				declaration, ok := n.(*ast.GenDecl)
				if !ok || declaration.Tok != token.CONST {
					return true
				}
				for _, spec := range declaration.Specs {
					values := spec.(*ast.ValueSpec)
					for k, name := range values.Names {
						if k < len(values.Values) && isNumber(values.Values[k]) {
							found = append(found, name.Name)
							if numbers[name.Name] == "" {
								t.Errorf("%s: the constant %s is a choice that no tree says: a limit of what is written out stands in internal/loop/limits.go, a fact of the hardware is a quantity of machines, and what makers of schedules may choose is a mark", path, name.Name)
							}
						}
					}
				}
				return true
			})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		if !slices.Contains(found, name) {
			t.Errorf("there is no constant %s any more: take its row away", name)
		}
	}
}

// isNumber reports whether an expression is made of literal numbers.
func isNumber(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.INT || e.Kind == token.FLOAT
	case *ast.BinaryExpr:
		return isNumber(e.X) && isNumber(e.Y)
	case *ast.UnaryExpr:
		return isNumber(e.X)
	case *ast.ParenExpr:
		return isNumber(e.X)
	}
	return false
}
