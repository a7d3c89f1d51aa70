package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How short reductions are unrolled
//
// The squared distance of two points of space is a sum, and as a statement it makes a matrix of all pairs. It is three
// terms: what reads it computes it as fast as it loads it, and needs no matrix. So a reduction of few terms
// is written out where it might be inlined, in the order in which it is defined, which no mode of
// numerics minds.
//
// It stays a statement where readers compute point by point, or add as few terms themselves: the schedule then keeps
// what it computed in registers, and reads each operand for several elements at once. A reader that folds long
// rows does so by itself, with accumulators of its own.

// mostShort is how many terms a reduction has that is written out: by then the operands of a tile fill the
// registers (the greatest of 1000 products of rows of 8 takes 0.7 of the time of a matrix and its greatest, of rows of 12 1.4).
const mostShort = 8

// mostRepeated is how many elements of a row share what does not depend on their position: schedules
// unroll so short a row, and compilers compute once what is the same in all of it.
const mostRepeated = 4

// unrolled returns a statement whose reductions are short as a point-wise one: c itself where it has none, nil
// where one of its indices is of another kind or longer.
func unrolled(c *ein.Comprehension) *ein.Comprehension {
	if len(c.ByKind(ein.Concat)) == len(c.Indices) {
		return c
	}
	if len(c.Values) != 1 || c.Accumulate != nil || !isShort(c) {
		return nil
	}
	pointwise := *c
	pointwise.Indices = c.ByKind(ein.Concat)
	value := c.Values[0]
	for k := len(c.Indices) - 1; k >= 0; k-- {
		if i := c.Indices[k]; i.Combine.Kind == ein.Reduce {
			value = foldOut(i, value)
		}
	}
	pointwise.Values = []ein.Expr{value}
	return &pointwise
}

// isShort reports whether a statement has nothing but dimensions of its result and reductions of a few terms that start
// from a value.
func isShort(c *ein.Comprehension) bool {
	for _, i := range c.Indices {
		first, known := i.Min.IsConst()
		switch {
		case i.Combine.Kind == ein.Concat:
		case i.Combine.Kind != ein.Reduce || i.Combine.Op.Identity == nil || i.MayBeEmpty || !known || first < 0:
			return false
		}
	}
	terms := points(c.ByKind(ein.Reduce))
	return terms >= 1 && terms <= mostShort
}

// foldOut writes the fold of a term along an index as one expression.
func foldOut(i *ein.Index, term ein.Expr) ein.Expr {
	first, _ := i.Min.IsConst()
	extent, _ := i.Extent.IsConst()
	o := i.Combine.Op
	value := o.Identity[0]
	for k := first; k < first+extent; k++ {
		at := substitute(term, map[*ein.Index]ein.Expr{i: number(k)})
		left := value
		value = ein.Map(o.Body[0], func(e ein.Expr) ein.Expr {
			if r, ok := e.(*ein.LocalRef); ok {
				switch r.Local {
				case o.Left[0]:
					return left
				case o.Right[0]:
					return at
				}
			}
			return e
		})
	}
	return value
}

// foldLongRows reports whether all statements that read the temporary of the statement at a place do so in a
// reduction that is not short. One that folds everything into one element has a single tile, which reads all operands of
// each term: as many as mostShort take longer than a temporary does that some cache holds.
func foldLongRows(f *ein.Func, at int) bool {
	c := f.Body[at]
	t := c.Writes[0].Tensor
	bytes := points(c.ByKind(ein.Concat)) * float64(t.Type.Size())
	many := points(c.ByKind(ein.Reduce)) > mostShort/2 && bytes < byteCosts[0].bytes
	return !slices.ContainsFunc(f.Body[at+1:], func(user *ein.Comprehension) bool {
		return reads(user, t) > 0 && (!foldsLongRow(user) || many && len(user.ByKind(ein.Concat)) == 0)
	})
}

// foldsLongRow reports whether a statement reduces along an index with more values than a reduction that is
// written out, as far as is known.
func foldsLongRow(c *ein.Comprehension) bool {
	return slices.ContainsFunc(c.ByKind(ein.Reduce), func(i *ein.Index) bool {
		n, known := i.Extent.IsConst()
		return !known || n > mostShort
	})
}

// sharesRow reports whether so many elements of a row of a statement's result compute a value of c once: the accelerations of a
// body in the directions of space divide by one distance. Functions may be calls, which nobody shares.
func sharesRow(user, c *ein.Comprehension, elements float64) bool {
	isCall := func(e ein.Expr) bool { _, ok := e.(*ein.Call); return ok }
	return elements >= 1 && elements <= mostRepeated && foldsLongRow(user) && !contains(c, isCall)
}
