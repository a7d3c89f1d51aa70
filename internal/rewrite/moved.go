package rewrite

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
)

// unmoved returns what a subscript that is clamped, mirrored or wrapped is in the
// interior: the expression without the minima, maxima and remainders that move it
// there, and the needs, each of which is an affine g with g >= 0 where they change
// nothing. Expressions without any have no needs.
func unmoved(e ein.Expr) (value ein.Expr, needs []affine.Expr) {
	b, ok := e.(*ein.Binary)
	if !ok {
		return e, nil
	}
	x, needsX := unmoved(b.X)
	y, needsY := unmoved(b.Y)
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
		if n, known := gy.IsConst(); !known || n < 1 {
			return e, nil
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
