package rewrite

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
)

// withoutBoundary returns what a subscript that is clamped, mirrored or wrapped is in the
// interior: the expression without the minima, maxima and remainders that move it
// there, and the needs, each of which is an affine g with g >= 0 where they change
// nothing, or where a remainder takes off the same multiple as in the middle of the
// ranges. Expressions without any have no needs.
func withoutBoundary(e ein.Expr, ranges []affine.Range) (value ein.Expr, needs []affine.Expr) {
	b, ok := e.(*ein.Binary)
	if !ok {
		return e, nil
	}
	x, needsX := withoutBoundary(b.X, ranges)
	y, needsY := withoutBoundary(b.Y, ranges)
	switch b.Op {
	case ein.Add, ein.Sub, ein.Mul:
		needs = append(needsX, needsY...)
		if len(needs) == 0 {
			return e, nil
		}
		return &ein.Binary{Pos: b.Pos, Op: b.Op, X: x, Y: y}, needs
	case ein.Min, ein.Max, ein.Mod:
	default:
		return e, nil
	}
	if magnitude(x) >= small || magnitude(y) >= small {
		return e, nil
	}
	gx, okX := ein.AffineOf(withoutCasts(x))
	gy, okY := ein.AffineOf(withoutCasts(y))
	if !okX || !okY {
		return e, nil
	}
	needs = append(needsX, needsY...)
	_, constant := gx.IsConst()
	switch {
	case b.Op == ein.Mod:
		n, known := gy.IsConst()
		if !known || n < 1 {
			return e, nil
		}
		if taken := middleMultiple(gx, n, ranges); taken != 0 {
			x, gx = less(x, taken), gx.AddConst(-taken)
		}
		return x, append(needs, gx, gy.Sub(gx).AddConst(-1))
	case constant && b.Op == ein.Min:
		return y, append(needs, gx.Sub(gy))
	case constant:
		return y, append(needs, gy.Sub(gx))
	case b.Op == ein.Min:
		return x, append(needs, gy.Sub(gx))
	}
	return x, append(needs, gx.Sub(gy))
}

// middleMultiple returns the multiple of n that the remainder of g by n takes off in the
// middle of the ranges: of (i + n - 1) % n it is n, but for i = 0. It is 0 where the values of
// g go round more than twice, so that no multiple is that of most of them.
func middleMultiple(g affine.Expr, n int64, ranges []affine.Range) int64 {
	low, high, ok := affine.NewFacts().Extremes(g, ranges)
	least, known := low.IsConst()
	most, alsoKnown := high.IsConst()
	if !ok || !known || !alsoKnown || distance(least)+distance(most) >= small || most-least >= 2*n {
		return 0
	}
	return floor((least+most)/2, n) * n
}

// less takes a number off an expression of small magnitude.
func less(e ein.Expr, n int64) ein.Expr {
	if b, ok := e.(*ein.Binary); ok && (b.Op == ein.Add || b.Op == ein.Sub) {
		if c, ok := b.Y.(*ein.Const); ok {
			if e = b.X; b.Op == ein.Add {
				n -= c.Int()
			} else {
				n += c.Int()
			}
		}
	}
	op := ein.Sub
	if n < 0 {
		op, n = ein.Add, -n
	}
	number := wrapped(e.Type(), n)
	number.Pos = e.Span()
	return &ein.Binary{Pos: e.Span(), Op: op, X: e, Y: number}
}
