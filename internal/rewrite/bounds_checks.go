package rewrite

import (
	"github.com/ricci-lang/ricci/internal/ein"
)

// DropTests takes the tests off subscripts that are data whose range is known to be inside:
// bytes into a table of 256, remainders, what was limited by minima and maxima. Such accesses
// can be moved and joined like any other.
func DropTests(f *ein.Func) *ein.Func {
	f = f.Clone()
	for _, c := range f.Body {
		known := newRanges(f)
		drop := func(e ein.Expr) bool {
			if l, ok := e.(*ein.Let); ok {
				known.of(l)
			}
			if a, ok := e.(*ein.Access); ok && a.Checked {
				a.Checked = !allInside(c, a, known)
			}
			return true
		}
		for _, v := range c.Values {
			ein.Walk(v, drop)
		}
		for _, w := range c.Writes {
			for _, sub := range w.Subscripts {
				ein.Walk(sub, drop)
			}
		}
	}
	return f
}

// allInside reports whether no value of a subscript is out of bounds.
func allInside(c *ein.Comprehension, a *ein.Access, known *ranges) bool {
	for d, sub := range a.Subscripts {
		if ein.InBounds(c, a, d) {
			continue
		}
		first, knownFirst := a.Tensor.Dims[d].Min.IsConst()
		n, knownExtent := a.Tensor.Dims[d].Extent.IsConst()
		at := known.of(sub)
		if !knownFirst || !knownExtent || at.lo < first || at.hi >= first+n {
			return false
		}
	}
	return true
}

// AddTests makes accesses tested whose subscripts are not in bounds at all points of their statements: those that
// only conditions keep in bounds, too.
func AddTests(f *ein.Func) *ein.Func {
	f = f.Clone()
	for _, c := range f.Body {
		for _, a := range c.Accesses() {
			for d := range a.Subscripts {
				a.Checked = a.Checked || !ein.InBounds(c, a, d)
			}
		}
	}
	return f
}
