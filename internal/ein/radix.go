package ein

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
)

// radix reports whether s determines all open indices in it, because they are the
// digits of a number: i*J + j for j in 0:J. Extents and coefficients may be
// symbolic. With digits k = 1, 2, … of coefficients c and extents E, the proof is
// that c₁ ≥ 1 and cₖ₊₁ ≥ cₖ·Eₖ: then cₖ exceeds what all digits before it can add,
// the sum of cₗ·(Eₗ - 1).
func radix(s affine.Expr, kept []*Index, open map[string]*Index) []*Index {
	coefficients := map[*Index]affine.Expr{}
	for _, t := range s.Terms() {
		i, c, ok := digit(t, open)
		if !ok {
			return nil
		}
		if i != nil {
			coefficients[i] = coefficients[i].Add(c)
		}
	}
	var digits []*Index
	least := affine.Const(1)
	for len(digits) < len(coefficients) {
		var next *Index
		var nearest int64
		for _, i := range kept {
			c, remains := coefficients[i]
			if !remains || slices.Contains(digits, i) {
				continue
			}
			if above, ok := excess(c, least); ok && (next == nil || above < nearest) {
				next, nearest = i, above
			}
		}
		if next == nil || usesAny(next.Extent, open) {
			return nil
		}
		digits = append(digits, next)
		least = least.AddConst(nearest).Mul(next.Extent)
	}
	return digits
}

// digit splits a term into the one open index in it, if any, and its coefficient.
func digit(t affine.Term, open map[string]*Index) (i *Index, coefficient affine.Expr, ok bool) {
	coefficient = affine.Const(t.Coefficient)
	for _, a := range t.Atoms {
		switch {
		case a.Op != "":
			if usesAny(a.X, open) || usesAny(a.Y, open) {
				return nil, coefficient, false
			}
			coefficient = coefficient.Mul(affine.Apply(a.Op, a.X, a.Y))
		case open[a.Symbol] == nil:
			coefficient = coefficient.Mul(affine.Symbol(a.Symbol))
		case i != nil:
			return nil, coefficient, false
		default:
			i = open[a.Symbol]
		}
	}
	return i, coefficient, true
}

// excess returns by how much c, or -c, exceeds a least value; ok is false where that
// is no constant. The sign of a coefficient does not matter for differences.
func excess(c, least affine.Expr) (above int64, ok bool) {
	for _, e := range []affine.Expr{c, c.Scale(-1)} {
		if n, isConst := e.Sub(least).IsConst(); isConst && n >= 0 {
			return n, true
		}
	}
	return 0, false
}

func usesAny(e affine.Expr, open map[string]*Index) bool {
	used := map[string]bool{}
	e.Symbols(used)
	for name := range used {
		if open[name] != nil {
			return true
		}
	}
	return false
}
