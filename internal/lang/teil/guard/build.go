package guard

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// operation makes a node with the span of the user's program, where whatever a typing
// rule finds is to be shown. An operation's positions stand before its sizes. One
// that the table does not have stays without a row; unknown finds it.
func operation(pos source.Span, name string, positions []int, sizes []affine.Expr, operands ...syntax.Expr) *syntax.Operation {
	op, ok := syntax.Lookup(name)
	if !ok {
		op = &syntax.Op{Name: name}
	}
	e := &syntax.Operation{Pos: pos, Op: op, Operands: operands}
	for _, p := range positions {
		e.Args = append(e.Args, syntax.Size{Pos: pos, Value: affine.Const(int64(p))})
	}
	for _, n := range sizes {
		e.Args = append(e.Args, syntax.Size{Pos: pos, Value: n})
	}
	return e
}

// unknown returns an operation of the expression that has no typing rule.
func unknown(e syntax.Expr) *syntax.Operation {
	var found *syntax.Operation
	syntax.Walk(e, func(e syntax.Expr) {
		if o, ok := e.(*syntax.Operation); ok && o.Op.Rule == "" {
			found = o
		}
	})
	return found
}
