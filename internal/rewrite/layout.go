package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How temporaries lie in memory
//
// The lanes of a vector along j lie a window apart in weights w(i,j,p,q) of 5 x 5 points, and take an instruction
// each. Nobody but the program sees how a temporary lies: short dimensions that come last come first,
// w(p,q,i,j), and vectors are whole. The bilateral filter of 256² pixels takes 0.46 of the time, a softmax of 1000 rows of
// 7 floats 0.26. Rows of up to four elements stay: they are woven.

const (
	shortRow = 16 // elements of a row that are fewer than a vector has, or hardly more
	wovenRow = 4
)

// Images and operands of products stay as they are: what reads an element at many points has makers of schedules that know
// how to copy it.

// LayOut moves the short last dimensions of temporaries in front of the long ones, where a point-wise statement writes them
// and none reads an element more than once.
func LayOut(f *ein.Func) *ein.Func {
	f = f.Clone()
	for _, t := range f.ByRole(ein.Temp) {
		short := shortLast(t)
		if short == 0 || t.Notice || !isPointwise(f, t) {
			continue
		}
		long := len(t.Dims) - short
		t.Dims = turned(t.Dims, long)
		for _, c := range f.Body {
			for k, v := range c.Values {
				c.Values[k] = ein.Map(v, func(e ein.Expr) ein.Expr {
					if a, ok := e.(*ein.Access); ok && a.Tensor == t { // a copy
						a.Subscripts = turned(a.Subscripts, long)
					}
					return e
				})
			}
			for _, w := range c.Writes {
				if w.Tensor == t {
					w.Subscripts = turned(w.Subscripts, long)
				}
			}
		}
	}
	return f
}

// isPointwise reports whether one statement writes a tensor, point by point, and all others read each element once.
func isPointwise(f *ein.Func, t *ein.Tensor) bool {
	var writer *ein.Comprehension
	for _, c := range f.Body {
		if writes(c, t) {
			if writer != nil || len(c.ByKind(ein.Concat)) != len(c.Indices) || len(c.Writes) > 1 || reads(c, t) > 0 {
				return false
			}
			writer = c
		}
	}
	return writer != nil && !slices.ContainsFunc(f.Body, func(c *ein.Comprehension) bool {
		list := accessesOf(c, t)
		return readsInWrites(c, t) || slices.ContainsFunc(list, func(a *ein.Access) bool { return a.Checked || !oncePerPoint(c, a, writer) })
	})
}

// turned is a list that begins with its element number n.
func turned[T any](list []T, n int) []T { return slices.Concat(list[n:], list[:n]) }

// shortLast counts the short dimensions at the end of a tensor behind a long one; 0 where vectors along its rows do well.
func shortLast(t *ein.Tensor) int {
	last := len(t.Dims) - 1
	for d := last; d >= 0; d-- {
		switch n, known := t.Dims[d].Extent.IsConst(); {
		case !known || d == last && n <= wovenRow:
			return 0
		case n >= shortRow:
			return last - d
		}
	}
	return 0
}
