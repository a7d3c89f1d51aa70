package ein

import "slices"

// Factors lists what is multiplied in an expression, in order; a value that is no
// product is its only factor.
func Factors(e Expr) []Expr {
	if b, ok := e.(*Binary); ok && b.Op == Mul {
		return append(Factors(b.X), Factors(b.Y)...)
	}
	return []Expr{e}
}

// DependsOn reports whether the value of an expression may depend on one of the
// indices. A local may depend on anything.
func DependsOn(e Expr, indices ...*Index) bool {
	found := false
	Walk(e, func(e Expr) bool {
		switch e := e.(type) {
		case *IndexRef:
			found = found || slices.Contains(indices, e.Index)
		case *LocalRef:
			found = found || len(indices) > 0
		}
		return !found
	})
	return found
}

// AnyDependsOn reports whether the value of one of some expressions, the subscripts of an
// access mostly, may depend on an index.
func AnyDependsOn(list []Expr, index *Index) bool {
	return slices.ContainsFunc(list, func(e Expr) bool { return DependsOn(e, index) })
}
