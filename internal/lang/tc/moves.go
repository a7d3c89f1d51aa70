package tc

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// readsElements reports whether an expression may read elements of tensors with subscripts, itself or by a let.
func (s *statement) readsElements(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Name:
		_, isLet := s.lets[e.Name]
		return isLet
	case *syntax.Apply:
		if found := s.def.symbols[e.Func.Name]; found != nil && len(e.Args) > 0 {
			return true
		}
	}
	return slices.ContainsFunc(operands(e), s.readsElements)
}

// movesNothing refuses pad, clamp, mirror or wrap around what reads no elements: it would be the value itself.
func (t *typer) movesNothing(e *syntax.Apply) {
	name, value := e.Func.Name, oneLine(e.Args[0].Span().Text())
	diag := t.errorf(source.CodeMovesNothing, e.Pos, "%s has no effect here: nothing in %s is read from a tensor", name, value)
	switch name {
	case "pad":
		diag.WithHelp("pad(A(i-1), v) is v where A(i-1) is out of bounds; a choice by the index is c ? a : b")
	case "clamp":
		diag.WithHelp("clamp moves the subscripts of what it is around: clamp(A(%s)), not A(clamp(%s)); a number is limited by min(max(%s, low), high)", value, value, value)
	default:
		diag.WithHelp("%s moves the subscripts of what it is around: %s(A(%s)), not A(%s(%s))", name, name, value, name, value)
	}
}
