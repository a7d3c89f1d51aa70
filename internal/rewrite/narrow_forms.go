package rewrite

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How operations fit into fewer bits
//
// Three kinds of operations on numbers of a type T take a wider type only for a value in between:
//
//	min(hi, max(lo, x ± y))   is a sum that saturates at the ends of T, and then the rest
//	max(x - y, y - x)         is max(x, y) - min(x, y)
//	(x + y + 1) / 2           is max(x, y) - (max(x, y) - min(x, y)) / 2
//	(x + y) / 2               is min(x, y) + (max(x, y) - min(x, y)) / 2
//
// These hold for all integers, so that nothing is to prove but that x and y are numbers of T,
// and that the wide sum does not wrap.

// form returns an equal expression whose operations fit, or nil.
func (n *narrower) form(e *ein.Binary) ein.Expr {
	if e.Op == ein.Div {
		return n.average(e)
	}
	if d := n.difference(e); d != nil {
		return d
	}
	return n.saturated(e)
}

// defined looks through the name of a local.
func (n *narrower) defined(e ein.Expr) ein.Expr {
	for {
		ref, ok := e.(*ein.LocalRef)
		if !ok || n.definitions[ref.Local] == nil {
			return e
		}
		e = n.definitions[ref.Local]
	}
}

// asBinary returns an expression as one of an operator.
func (n *narrower) asBinary(e ein.Expr, op ein.BinaryOp) (*ein.Binary, bool) {
	b, ok := n.defined(e).(*ein.Binary)
	return b, ok && b.Op == op
}

func (n *narrower) is(e ein.Expr, value int64) bool {
	c, ok := n.of(e).constant()
	return ok && c == value
}

// known gives an expression a range that is better than what its operands say.
func (n *narrower) known(e ein.Expr, r interval) ein.Expr {
	n.values[e] = r
	return e
}

// common returns the type of so many bits for two operands, or Invalid.
func (n *narrower) common(x, y ein.Expr) tensor.DType {
	return n.of(x).union(n.of(y)).typeOf(n.bits)
}

// apart is max(x, y) - min(x, y).
func (n *narrower) apart(x, y ein.Expr) ein.Expr {
	both := n.of(x).union(n.of(y))
	return n.known(binary(ein.Sub, binary(ein.Max, x, y), binary(ein.Min, x, y)), interval{0, both.hi - both.lo})
}

// difference is the form of max(x - y, y - x) and max(d, -d).
func (n *narrower) difference(e *ein.Binary) ein.Expr {
	if e.Op != ein.Max {
		return nil
	}
	for _, sides := range [][2]ein.Expr{{e.X, e.Y}, {e.Y, e.X}} {
		d, ok := n.asBinary(sides[0], ein.Sub)
		if !ok || n.common(d.X, d.Y) == tensor.Invalid || !n.isExact(d) || !n.of(d).negated().fits(d.Type()) {
			continue // one of the two wraps, as that below 0 does in a type without a sign
		}
		if negated, ok := n.defined(sides[1]).(*ein.Unary); ok && negated.Op == ein.Neg && n.defined(negated.X) == ein.Expr(d) {
			return n.apart(d.X, d.Y)
		}
		if other, ok := n.asBinary(sides[1], ein.Sub); ok && ein.SameExpr(other.X, d.Y) && ein.SameExpr(other.Y, d.X) {
			return n.apart(d.X, d.Y)
		}
	}
	return nil
}

// isExact reports whether a sum or difference does not wrap.
func (n *narrower) isExact(e *ein.Binary) bool {
	r, ok := binaryRange(e.Op, n.of(e.X), n.of(e.Y))
	return ok && r.fits(e.Type())
}

// average is the form of the mean of two numbers.
func (n *narrower) average(e *ein.Binary) ein.Expr {
	sum, ok := n.asBinary(e.X, ein.Add)
	if !ok || !n.is(e.Y, 2) || !n.isExact(sum) {
		return nil
	}
	up := false
	for _, sides := range [][2]ein.Expr{{sum.X, sum.Y}, {sum.Y, sum.X}} {
		if inner, ok := n.asBinary(sides[0], ein.Add); ok && n.is(sides[1], 1) && n.isExact(inner) {
			sum, up = inner, true
			break
		}
	}
	common := n.common(sum.X, sum.Y)
	apart := n.apart(sum.X, sum.Y)
	if common == tensor.Invalid || n.of(apart).typeOf(n.bits) == tensor.Invalid {
		return nil
	}
	half := binary(ein.Div, apart, e.Y)
	if up {
		return binary(ein.Sub, binary(ein.Max, sum.X, sum.Y), half)
	}
	return binary(ein.Add, binary(ein.Min, sum.X, sum.Y), half)
}

// saturated is the form of a sum or difference between bounds.
func (n *narrower) saturated(e *ein.Binary) ein.Expr {
	sum, bounds := n.bounded(e, anything)
	if sum == nil || n.saturating[sum] || !n.isExact(sum) {
		return nil
	}
	exact := n.of(sum)
	for _, kind := range []tensor.Kind{tensor.KindUint, tensor.KindInt} {
		t := integerType(n.bits, kind)
		all := typeRange(t)
		if !n.of(sum.X).fits(t) || !n.of(sum.Y).fits(t) || min(bounds.hi, exact.hi) > all.hi || max(bounds.lo, exact.lo) < all.lo {
			continue
		}
		inner := n.known(saturatedSum(sum, all), interval{max(all.lo, exact.lo), min(all.hi, exact.hi)})
		n.saturating[inner] = true
		return n.rebuilt(e, sum, inner)
	}
	return nil
}

// bounded finds the sum below minima and maxima with constants, and the bounds of the outer ones.
func (n *narrower) bounded(e ein.Expr, bounds interval) (*ein.Binary, interval) {
	b, ok := n.defined(e).(*ein.Binary)
	switch {
	case !ok:
		return nil, bounds
	case b.Op == ein.Add || b.Op == ein.Sub:
		return b, bounds
	case b.Op != ein.Min && b.Op != ein.Max:
		return nil, bounds
	}
	for _, sides := range [][2]ein.Expr{{b.X, b.Y}, {b.Y, b.X}} {
		c, known := n.of(sides[0]).constant()
		if !known {
			continue
		}
		if b.Op == ein.Min {
			bounds.hi = min(bounds.hi, c)
		} else {
			bounds.lo = max(bounds.lo, c)
		}
		return n.bounded(sides[1], bounds)
	}
	return nil, bounds
}

// rebuilt replaces the sum below minima and maxima, and drops those of them that are no limit to
// what is below them then, which a bound beyond the sum's range may have moved out of it.
func (n *narrower) rebuilt(e ein.Expr, sum *ein.Binary, by ein.Expr) ein.Expr {
	b := n.defined(e).(*ein.Binary)
	if b == sum {
		return by
	}
	limit, rest := b.X, b.Y
	c, known := n.of(limit).constant()
	if !known {
		limit, rest = b.Y, b.X
		c, _ = n.of(limit).constant()
	}
	inner := n.rebuilt(rest, sum, by)
	if r := n.of(inner); b.Op == ein.Min && c >= r.hi || b.Op == ein.Max && c <= r.lo {
		return inner
	}
	return &ein.Binary{Pos: b.Pos, Op: b.Op, X: limit, Y: inner}
}

// saturatedSum is x ± y between the ends of a type, for numbers of that type, of which all that is
// computed are, too. With signs, y is moved between the limits that x sets: only one of them can
// be within the type, which depends on the sign of x.
func saturatedSum(sum *ein.Binary, all interval) ein.Expr {
	x, y, t := sum.X, sum.Y, sum.Type()
	c := func(v int64) ein.Expr { return ein.IntConst(t, v) }
	switch {
	case all.lo == 0 && sum.Op == ein.Add:
		return binary(ein.Add, x, binary(ein.Min, y, binary(ein.Sub, c(all.hi), x)))
	case all.lo == 0:
		return binary(ein.Sub, binary(ein.Max, x, y), y)
	case sum.Op == ein.Add:
		below := binary(ein.Min, y, binary(ein.Sub, c(all.hi), binary(ein.Max, x, c(0))))
		return binary(ein.Add, x, binary(ein.Max, below, binary(ein.Sub, c(all.lo), binary(ein.Min, x, c(0)))))
	}
	above := binary(ein.Max, y, binary(ein.Sub, binary(ein.Max, x, c(-1)), c(all.hi)))
	return binary(ein.Sub, x, binary(ein.Min, above, binary(ein.Sub, binary(ein.Min, x, c(-1)), c(all.lo))))
}
