package mutate

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// unwritable stands for a type that has no name in the file; candidates with it are left out.
const unwritable = "\x00"

// constant reports whether an expression has a value when the program is compiled.
func (w *walker) constant(e ast.Expr) bool { return w.info.Types[e].Value != nil || w.constantName(e) }

func (w *walker) constantName(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	_, ok = w.info.Uses[name].(*types.Const)
	return ok
}

func (w *walker) isReal(e ast.Expr) bool {
	return w.is(e, types.IsInteger|types.IsFloat)
}

func (w *walker) isString(e ast.Expr) bool { return w.is(e, types.IsString) }

func (w *walker) is(e ast.Expr, info types.BasicInfo) bool {
	t := w.info.TypeOf(e)
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&info != 0
}

// typeName writes the type of an expression as the file can.
func (w *walker) typeName(e ast.Expr) string { return w.nameOf(w.info.TypeOf(e)) }

func (w *walker) nameOf(t types.Type) string {
	if basic, ok := t.(*types.Basic); ok && basic.Info()&types.IsUntyped != 0 {
		t = types.Default(t)
	}
	return types.TypeString(t, func(p *types.Package) string {
		if p == w.own {
			return ""
		}
		if name := w.imports[p]; name != "" {
			return name
		}
		return unwritable
	})
}

func nodes(list []ast.Expr) []ast.Node {
	var result []ast.Node
	for _, e := range list {
		result = append(result, e)
	}
	return result
}

// placeholders are the parts of a pattern, each after a comma.
func placeholders(n int) string {
	var b strings.Builder
	for k := range min(n, 10) {
		fmt.Fprintf(&b, ", $%d", k)
	}
	return b.String()
}
