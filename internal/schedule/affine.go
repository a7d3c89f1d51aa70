package schedule

import "github.com/ricci-lang/ricci/internal/ein"

// IndexPlusConstant reports whether an expression is an index of c plus a number.
func IndexPlusConstant(c *ein.Comprehension, e ein.Expr) (index *ein.Index, shift int64, ok bool) {
	a, ok := ein.AffineOf(e)
	if !ok {
		return nil, 0, false
	}
	for _, i := range c.Indices {
		if coefficient, rest, linear := a.Linear(i.Name); linear && coefficient == 1 {
			n, known := rest.IsConst()
			return i, n, known
		}
	}
	return nil, 0, false
}
