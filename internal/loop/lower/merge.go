package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
)

// collapseDimensions makes one dimension of two that lie behind one another in the
// source and in the place alike, as the rows and columns of a filter do: fewer and
// longer runs are copied. The other dimension is left with a single point.
func (c *blockCopy) collapseDimensions() {
	c.points = slices.Clone(c.points)
	for changed := true; changed; {
		changed = false
		for outer := range c.points {
			for inner := range c.points {
				if outer != inner && outer != c.fast && c.continues(outer, inner) {
					c.points[inner] = c.points[inner].Mul(c.points[outer])
					c.points[outer] = affine.Const(1)
					changed = true
				}
			}
		}
	}
}

// continues reports whether a step along the outer dimension is as many steps along
// the inner one as that has points, in the source and in the place.
func (c *blockCopy) continues(outer, inner int) bool {
	if c.limit(outer).set || c.limit(inner).set {
		return false
	}
	n, known := c.points[inner].IsConst()
	if most, ok := c.points[outer].IsConst(); !known || !ok || n <= 1 || most <= 1 {
		return false
	}
	return c.from.strides[outer].Equal(c.from.strides[inner].Scale(n)) && c.to.strides[outer].Equal(c.to.strides[inner].Scale(n))
}
