package schedule

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
)

// IndexPlusConstant reports whether an expression is an index of c plus a number. Other
// indices that have one value only, such as those of a window of one point, are numbers.
func IndexPlusConstant(c *ein.Comprehension, e ein.Expr) (index *ein.Index, shift int64, ok bool) {
	a, ok := ein.AffineOf(e)
	if !ok {
		return nil, 0, false
	}
	for _, i := range c.Indices {
		if coefficient, rest, linear := a.Linear(i.Name); linear && coefficient == 1 {
			if n, known := withoutUnits(c, rest).IsConst(); known {
				return i, n, true
			}
		}
	}
	return nil, 0, false
}

// withoutUnits puts the values of indices in that have only one.
func withoutUnits(c *ein.Comprehension, e affine.Expr) affine.Expr {
	for _, i := range c.Indices {
		if coefficient, rest, linear := e.Linear(i.Name); linear && coefficient != 0 && isUnit(i) {
			e = rest.Add(i.Min.Scale(coefficient))
		}
	}
	return e
}

// isUnit reports whether an index has one value only.
func isUnit(i *ein.Index) bool {
	n, known := i.Extent.IsConst()
	return known && n == 1
}

// A Stride is an index in a subscript, and how far a step of it goes.
type Stride struct {
	Index *ein.Index
	Step  int64
}

// CommonStep is the largest number of which all steps of a window are multiples; those
// of indices that have one value only do not count.
func CommonStep(terms []Stride) int64 {
	common := int64(0)
	for _, t := range terms {
		for n := t.Step; n > 0 && !isUnit(t.Index); {
			common, n = n, common%n
		}
	}
	return max(1, common)
}

// Window splits a subscript into several indices, or one, with positive steps and a
// constant; ok is false for any other.
func Window(c *ein.Comprehension, e ein.Expr) (terms []Stride, shift int64, ok bool) {
	rest, ok := ein.AffineOf(e)
	for _, i := range c.Indices {
		step, others, linear := rest.Linear(i.Name)
		if !ok || !linear || step < 0 {
			return nil, 0, false
		}
		if step > 0 {
			terms, rest = append(terms, Stride{i, step}), others
		}
	}
	shift, known := rest.IsConst()
	return terms, shift, ok && known && len(terms) > 0
}
