package schedule

import "github.com/ricci-lang/ricci/internal/ein"

// Factors lists what is multiplied in an expression, in order; a value that is no
// product is its only factor.
func Factors(e ein.Expr) []ein.Expr {
	if b, ok := e.(*ein.Binary); ok && b.Op == ein.Mul {
		return append(Factors(b.X), Factors(b.Y)...)
	}
	return []ein.Expr{e}
}

// DependsOn reports whether the value of an expression may depend on one of the
// indices.
func DependsOn(e ein.Expr, indices []*ein.Index) bool {
	for _, i := range indices {
		if usesIndex(e, i) {
			return true
		}
	}
	return false
}
