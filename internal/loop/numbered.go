package loop

import "slices"

// How numbers that are taken apart are bounded
//
// Parallel loops next to one another are one loop: p runs over n₁·n₂·n₃, and the numbers of
// the loops are p % n₃, p / n₃ % n₂ and p / n₃ / n₂. Where some nᵢ is not a constant, as where
// the last block of an index has fewer points, the inequalities of the quotients say all of this, but
// only together with products, and no rounding of theirs says that the last quotient is less than n₁
// where it stands in a sum. So a variable remembers what it is less than wherever it occurs, which is
// the end of its loop and no condition in it, and a quotient has the ends that follow from those.

// endsBefore notes forms which an atom is less than wherever it occurs.
func (a *atom) endsBefore(ends []affineForm) {
	a.ends = ends
	for _, end := range ends {
		if a.facts = append(a.facts, end.sub(atomForm(a)).plus(-1)); !end.overflow {
			_, most := end.plus(-1).rangeOf()
			a.hi = min(a.hi, most)
		}
	}
}

// quotientEnds returns what x/y is less than, for a positive y: t where x < y·t.
func (p *prover) quotientEnds(x, y affineForm) (ends []affineForm) {
	if !x.isAtom() || y.overflow {
		return nil
	}
	inRange(func() bool {
		for _, end := range x.last().atom.ends {
			if end.overflow {
				continue
			}
			if t, ok := end.polynomial().divide(y.polynomial()); ok {
				ends = append(ends, p.formOf(t))
			}
		}
		return true
	})
	return ends
}

// formOf returns the form of a polynomial.
func (p *prover) formOf(sum polynomial) (f affineForm) {
	for _, m := range sum {
		if len(m.factors) == 0 {
			f = f.plus(m.coefficient)
		} else {
			f = combine(1, f, m.coefficient, p.productOf(slices.Clone(m.factors)))
		}
	}
	return f
}
