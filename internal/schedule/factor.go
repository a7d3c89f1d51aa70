package schedule

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// Factors lists what is multiplied in an expression, in order; a value that is no
// product is its only factor.
func Factors(e ein.Expr) []ein.Expr {
	if b, ok := e.(*ein.Binary); ok && b.Op == ein.Mul {
		return append(Factors(b.X), Factors(b.Y)...)
	}
	return []ein.Expr{e}
}

// DependsOn reports whether the value of an expression may depend on one of the
// indices. A local may depend on anything.
func DependsOn(e ein.Expr, indices ...*ein.Index) bool {
	found := false
	ein.Walk(e, func(e ein.Expr) bool {
		switch e := e.(type) {
		case *ein.IndexRef:
			found = found || slices.Contains(indices, e.Index)
		case *ein.LocalRef:
			found = found || len(indices) > 0
		}
		return !found
	})
	return found
}

// AnyDependsOn reports whether the value of one of some expressions, the subscripts of an
// access mostly, may depend on an index.
func AnyDependsOn(list []ein.Expr, index *ein.Index) bool {
	return slices.ContainsFunc(list, func(e ein.Expr) bool { return DependsOn(e, index) })
}
