package lower

import (
	"cmp"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How conditions are made
//
// A condition that always holds is nil, and one that never holds a constant: what is known
// while loops are made is not tested when they run, and branches that are never taken are
// not there.

// compare tests two positions.
func (l *lowerer) compare(x affine.Expr, op ein.BinaryOp, y affine.Expr) loop.Expr {
	d, known := x.Sub(y).IsConst()
	switch sign := cmp.Compare(d, 0); {
	case !known:
		return &loop.Binary{Op: op, X: l.toLoop(x, 1), Y: l.toLoop(y, 1)}
	case op == ein.Lt && sign < 0, op == ein.Le && sign <= 0, op == ein.Gt && sign > 0, op == ein.Ge && sign >= 0, op == ein.Eq && sign == 0:
		return nil
	}
	return literal(tensor.Bool, 0)
}

// both is the conjunction of two conditions, or masks.
func both(a, b loop.Expr) loop.Expr {
	switch {
	case a == nil || isNever(b):
		return b
	case b == nil || isNever(a):
		return a
	}
	return &loop.Binary{Op: ein.And, X: a, Y: b}
}

// either is the disjunction of two conditions.
func either(a, b loop.Expr) loop.Expr {
	switch {
	case a == nil || isNever(b):
		return a
	case b == nil || isNever(a):
		return b
	}
	return &loop.Binary{Op: ein.Or, X: a, Y: b}
}

// isNever reports whether a condition is known not to hold.
func isNever(condition loop.Expr) bool {
	c, ok := condition.(*loop.Const)
	return ok && c.Bits == 0
}

// when chooses between statements.
func when(condition loop.Expr, then, otherwise []loop.Stmt) []loop.Stmt {
	switch {
	case condition == nil:
		return then
	case isNever(condition):
		return otherwise
	case len(then) == 0 && len(otherwise) == 0:
		return nil
	}
	return []loop.Stmt{&loop.If{Cond: condition, Then: then, Else: otherwise}}
}
