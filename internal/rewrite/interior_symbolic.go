package rewrite

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How the inside is found where sizes are not known
//
// Each condition, and each minimum, maximum or remainder of a subscript, needs that an affine expression is not
// negative. Where that is so over all ranges, or at all but a few points beside one of its ends, whatever the sizes are,
// the inside does without. Nothing is said of how many points are left: for small sizes there may be none.
//
// All indices are those of results, which lie in memory. So sums of indices, sizes and small numbers do not wrap.

// mostBeside is how far a need may be from holding: points beside a boundary.
const mostBeside = 64

// An opening collects what the inside of a statement needs.
type opening struct {
	ranges []affine.Range
	known  *affine.Facts // that the ranges have points
	sides  []InteriorSide
}

// symbolicInterior is Interior where sizes are not known.
func symbolicInterior(c *ein.Comprehension) (*ein.Comprehension, []InteriorSide) {
	o := &opening{ranges: box(c), known: affine.NewFacts()}
	for _, r := range o.ranges {
		o.known.Assume(r.Extent.AddConst(-1))
	}
	inside := *c
	inside.Values = make([]ein.Expr, len(c.Values))
	for k, v := range c.Values {
		inside.Values[k] = ein.Map(ein.Map(v, o.opened), simplifyNode)
	}
	if o.sides == nil {
		return nil, nil
	}
	return &inside, o.sides
}

// opened is a node without conditions and what moves subscripts, as far as the inside does without.
func (o *opening) opened(e ein.Expr) ein.Expr {
	switch e := e.(type) {
	case *ein.Access:
		for d, sub := range e.Subscripts { // of a copy
			e.Subscripts[d] = ein.Map(sub, o.unmoved)
		}
	case *ein.Select:
		e.Cond = ein.Map(e.Cond, o.decided)
	}
	return e
}

// unmoved is an operand of a minimum, maximum or remainder that is its value inside.
func (o *opening) unmoved(e ein.Expr) ein.Expr {
	b, ok := e.(*ein.Binary)
	if !ok || b.Op != ein.Min && b.Op != ein.Max && b.Op != ein.Mod {
		return e
	}
	x, okX := openAffine(b.X)
	y, okY := openAffine(b.Y)
	switch {
	case !okX || !okY:
	case b.Op == ein.Mod:
		if o.take(x, y.Sub(x).AddConst(-1)) {
			return b.X
		}
	default:
		d := y.Sub(x) // not negative where the minimum is x
		if b.Op == ein.Max {
			d = d.Scale(-1)
		}
		if o.take(d) {
			return b.X
		}
		if o.take(d.Scale(-1)) {
			return b.Y
		}
	}
	return e
}

// decided is true for a comparison that holds inside.
func (o *opening) decided(e ein.Expr) ein.Expr {
	b, ok := e.(*ein.Binary)
	if !ok || !b.Op.IsComparison() {
		return e
	}
	x, okX := openAffine(b.X)
	y, okY := openAffine(b.Y)
	if !okX || !okY {
		return e
	}
	d := x.Sub(y)
	switch b.Op {
	case ein.Gt:
		d = d.AddConst(-1)
	case ein.Le:
		d = d.Scale(-1)
	case ein.Lt:
		d = d.Scale(-1).AddConst(-1)
	case ein.Ge:
	default:
		return e
	}
	if o.take(d) {
		return boolean(true)
	}
	return e
}

// take reports whether the inside does with needs, which are sides of it then unless they hold everywhere.
func (o *opening) take(needs ...affine.Expr) bool {
	var sides []InteriorSide
	for _, g := range needs {
		low, _, ok := o.known.Extremes(g, o.ranges)
		switch {
		case ok && o.known.Proves(low):
		case !ok || !o.known.Proves(low.AddConst(mostBeside)) || !o.isLinear(g):
			return false
		case !o.has(g):
			sides = append(sides, InteriorSide{Need: g})
		}
	}
	o.sides = append(o.sides, sides...)
	return true
}

func (o *opening) has(g affine.Expr) bool {
	for _, s := range o.sides {
		if s.Need.Equal(g) {
			return true
		}
	}
	return false
}

// isLinear reports whether all indices are terms of g.
func (o *opening) isLinear(g affine.Expr) bool {
	for _, r := range o.ranges {
		if _, rest, linear := g.Linear(r.Symbol); !linear || rest.Uses(r.Symbol) {
			return false
		}
	}
	return true
}

// openAffine is an expression over indices, sizes and small numbers in 64 bits.
func openAffine(e ein.Expr) (affine.Expr, bool) {
	plain := true
	ein.Walk(e, func(e ein.Expr) bool {
		n, isConst := e.(*ein.Const)
		_, isCast := e.(*ein.Cast)
		plain = plain && e.Type() == tensor.Int64 && !isCast && (!isConst || distance(n.Int()) < small)
		return plain
	})
	if !plain {
		return affine.Expr{}, false
	}
	return ein.AffineOf(e)
}
