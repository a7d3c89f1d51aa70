package ein

import (
	"math"

	"github.com/ricci-lang/ricci/tensor"
)

// IndexValues returns the values [low, high) that the elements of an integer
// argument may have so that every subscript X(I(i)), X(I(i) + 1) that is made of
// one of them stays in bounds, for the given sizes. ok is false when the argument
// is in no such subscript, or when no value fits all of them.
func (f *Func) IndexValues(name string, sizes map[string]int64) (low, high int64, ok bool) {
	t := f.Tensor(name)
	if t == nil || t.Type.IsFloat() || t.Type == tensor.Bool {
		return 0, 0, false
	}
	low, high = IntegersOf(t.Type)
	for _, c := range f.Body {
		for _, value := range c.Values {
			Walk(value, func(e Expr) bool {
				if access, isAccess := e.(*Access); isAccess && access.Checked {
					first, end, found := indexValues(access, t, sizes)
					if found {
						low, high, ok = max(low, first), min(high, end), true
					}
				}
				return true
			})
		}
	}
	return low, high, ok && low < high
}

// IntegersOf returns the half-open range of a type, cut to what an int64 holds.
func IntegersOf(t tensor.DType) (low, high int64) {
	bits := 8 * t.Size()
	switch {
	case t.Kind() == tensor.KindUint && bits < 64:
		return 0, 1 << bits
	case t.Kind() == tensor.KindUint:
		return 0, math.MaxInt64
	case bits < 64:
		return -1 << (bits - 1), 1 << (bits - 1)
	}
	return math.MinInt64, math.MaxInt64
}

// indexValues intersects the ranges of the dimensions that elements of t subscript.
func indexValues(access *Access, t *Tensor, sizes map[string]int64) (low, high int64, found bool) {
	low, high = math.MinInt64, math.MaxInt64
	for i, subscript := range access.Subscripts {
		shift, isElement := elementPlus(subscript, t)
		if !isElement {
			continue
		}
		dim := access.Tensor.Dims[i]
		first, err := dim.Min.Eval(sizes)
		if err != nil {
			continue
		}
		extent, err := dim.Extent.Eval(sizes)
		if err != nil {
			continue
		}
		low, high, found = max(low, first-shift), min(high, first-shift+extent), true
	}
	return low, high, found
}

// elementPlus recognises an element of t plus a number, which may be converted on
// the way.
func elementPlus(e Expr, t *Tensor) (number int64, ok bool) {
	switch e := e.(type) {
	case *Access:
		return 0, e.Tensor == t
	case *Cast:
		return elementPlus(e.X, t)
	case *Binary:
		if n, isNumber := integer(e.Y); isNumber && (e.Op == Add || e.Op == Sub) {
			if e.Op == Sub {
				n = -n
			}
			number, ok = elementPlus(e.X, t)
			return number + n, ok
		}
		if n, isNumber := integer(e.X); isNumber && e.Op == Add {
			number, ok = elementPlus(e.Y, t)
			return number + n, ok
		}
	}
	return 0, false
}

// integer returns the value of an integer literal.
func integer(e Expr) (int64, bool) {
	switch e := e.(type) {
	case *Const:
		return e.Int(), !e.DType.IsFloat()
	case *SizeRef:
		return e.Size.IsConst()
	case *Cast:
		if !e.Type().IsFloat() {
			return integer(e.X)
		}
	}
	return 0, false
}
