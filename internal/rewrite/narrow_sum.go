package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// narrowSum computes the terms of a sum in int32 in 8 or 16 bits, or the factors of which they are
// products, so that the sum takes groups of them (ein.NarrowSum).
func narrowSum(r *ranges, c *ein.Comprehension) bool {
	if !isSum(c) || usesIndex(c.Values[0]) || hasOuterGuards(c) {
		return false
	}
	for _, bits := range []int{8, 16} {
		for _, narrow := range []func(*narrower, ein.Expr) ein.Expr{(*narrower).term, (*narrower).product} {
			n := newNarrower(r, bits)
			if v := narrow(n, c.Values[0]); !n.failed {
				c.Values[0] = v
				return true
			}
		}
	}
	return false
}

// isSum reports whether a statement sums one value in int32.
func isSum(c *ein.Comprehension) bool {
	if len(c.Values) != 1 || c.Values[0].Type() != tensor.Int32 || len(c.ByKind(ein.Reduce)) == 0 || len(c.ByKind(ein.Scan)) > 0 {
		return false
	}
	return !slices.ContainsFunc(c.ByKind(ein.Reduce), func(i *ein.Index) bool { return i.Combine.Op.Kind != ein.SumOp })
}

// hasOuterGuards reports whether terms are left out by conditions on some of the reduced indices,
// which schedules test outside of the loops over the others.
func hasOuterGuards(c *ein.Comprehension) bool {
	reduced := c.ByKind(ein.Reduce)
	return slices.ContainsFunc(c.Guards(reduced[0].Combine.Op), func(g ein.Guard) bool {
		return slices.ContainsFunc(reduced, func(i *ein.Index) bool { return !mentions(g.Expr, i) })
	})
}

// mentions reports whether an expression has an index in it.
func mentions(e ein.Expr, index *ein.Index) bool {
	found := false
	ein.Walk(e, func(e ein.Expr) bool {
		ref, ok := e.(*ein.IndexRef)
		found = found || ok && ref.Index == index
		return !found
	})
	return found
}

// groupType returns the type of so many bits in which a value is a term or a factor.
func (n *narrower) groupType(e ein.Expr) tensor.DType {
	t := n.of(e).typeOf(n.bits)
	if n.bits == 16 && t == tensor.Uint16 && n.of(e).fits(tensor.Int16) {
		t = tensor.Int16
	}
	if ein.DotGroup(t) == 0 {
		n.failed = true
	}
	return t
}

// within applies a function to what a value is where its locals are bound.
func (n *narrower) within(e ein.Expr, inner func(ein.Expr) ein.Expr) ein.Expr {
	if let, ok := e.(*ein.Let); ok {
		return n.let(let, func(body ein.Expr) ein.Expr { return n.within(body, inner) })
	}
	return inner(e)
}

// term converts a narrow number.
func (n *narrower) term(e ein.Expr) ein.Expr { return n.within(e, n.converted) }

// product multiplies two converted narrow numbers.
func (n *narrower) product(e ein.Expr) ein.Expr {
	return n.within(e, func(e ein.Expr) ein.Expr {
		b, ok := e.(*ein.Binary)
		if !ok || b.Op != ein.Mul {
			return n.fail()
		}
		return &ein.Binary{Pos: b.Pos, Op: ein.Mul, X: n.converted(b.X), Y: n.converted(b.Y)}
	})
}

func (n *narrower) converted(e ein.Expr) ein.Expr {
	t := n.groupType(e)
	if n.failed {
		return n.fail()
	}
	value := n.value(e, t)
	if n.widest(value) > n.bits {
		return n.fail()
	}
	return &ein.Cast{Pos: e.Span(), To: tensor.Int32, X: value}
}
