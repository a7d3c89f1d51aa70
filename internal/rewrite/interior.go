package rewrite

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
)

// An InteriorSide is the part [Low, High) of the range of an index; where sizes are not known, the points at which a Need over
// the indices, which then have no part, is not negative.
type InteriorSide struct {
	Index     string
	Low, High int64
	Need      affine.Expr
}

// Interior returns what a point-wise statement computes away from its boundaries: the statement where
// each of the indices is within its side, without the conditions that hold there, and without minima, maxima
// and remainders of subscripts that change nothing there. Each side is at least half of the range of
// its index, or, where that is not known, lacks a number of points that is. Nil: there is no such part, or it is
// everything.
//
// It is for statements that SplitBoundaries does not cut, since others are fused with them.
func Interior(c *ein.Comprehension) (*ein.Comprehension, []InteriorSide) {
	if len(c.ByKind(ein.Concat)) != len(c.Indices) || contains(c, isChecked) {
		return nil, nil
	}
	inside := c
	var sides []InteriorSide
	open := false
	for _, i := range c.Indices {
		n, known := i.Extent.IsConst()
		_, begins := i.Min.IsConst()
		if open = open || !known || !begins; known && n < 1 {
			return nil, nil
		}
	}
	if open {
		return symbolicInterior(c)
	}
	for k := range c.Indices {
		if lo, hi, ok := interior(inside, inside.Indices[k]); ok {
			inside = restricted(inside, k, lo, hi)
			sides = append(sides, InteriorSide{Index: c.Indices[k].Name, Low: lo, High: hi})
		}
	}
	if sides == nil {
		return nil, nil
	}
	decide(inside)
	for k, v := range inside.Values {
		inside.Values[k] = ein.Map(v, simplifyNode)
	}
	return inside, sides
}
