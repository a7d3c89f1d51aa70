package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// A Side is the part [Low, High) of the range of an index.
type Side struct {
	Index     string
	Low, High int64
}

// Inside returns what a point-wise statement computes away from its boundaries: the statement where
// each of the indices is within its side, without the conditions that hold there, and without minima, maxima
// and remainders of subscripts that change nothing there. Each side is at least half of the range of
// its index. Nil: there is no such part, or it is everything.
//
// It is for statements that SplitBoundaries does not cut, since others are fused with them.
func Inside(c *ein.Comprehension) (*ein.Comprehension, []Side) {
	if len(c.ByKind(ein.Concat)) != len(c.Indices) || contains(c, isChecked) || slices.ContainsFunc(c.Indices, func(i *ein.Index) bool { n, ok := i.Extent.IsConst(); return !ok || n < 1 }) {
		return nil, nil
	}
	inside := c
	var sides []Side
	for k := range c.Indices {
		if lo, hi, ok := interior(inside, inside.Indices[k]); ok {
			inside = restricted(inside, k, lo, hi)
			sides = append(sides, Side{c.Indices[k].Name, lo, hi})
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
