package loop

import "slices"

// maxEqualities bounds how many atoms are expressed by others.
const maxEqualities = 12

// solved uses the equalities among facts, two forms that are each other's negative, to express atoms by
// others. What is left can be divided by common divisors: i + j = 2·q + 1 and i ≥ j make i ≥ j + 1.
func solved(facts []affineForm) []affineForm {
	facts = slices.Clone(facts)
	for range maxEqualities {
		f, term, found := equality(facts)
		if !found {
			break
		}
		var rest []affineForm
		for _, g := range facts {
			g = combine(1, g, -g.coefficient(term.atom)*term.coefficient, f).reduced()
			if len(g.terms) > 0 || g.constant < 0 {
				rest = append(rest, g)
			}
		}
		facts = distinct(rest)
	}
	return facts
}

// equality returns a fact whose negative is one, too, and a term of it with a factor of 1 or −1.
func equality(facts []affineForm) (f affineForm, term formTerm, found bool) {
	keys := map[string]bool{}
	for _, f := range facts {
		keys[f.key()] = true
	}
	for _, f := range facts {
		if len(f.terms) == 0 || !keys[f.scale(-1).key()] {
			continue
		}
		for _, t := range slices.Backward(f.terms) {
			if t.coefficient == 1 || t.coefficient == -1 {
				return f, t, true
			}
		}
	}
	return affineForm{}, formTerm{}, false
}

// contradictoryWholeNumbers reports whether facts contradict each other once their equalities are solved.
func (p *prover) contradictoryWholeNumbers(facts []affineForm) bool {
	less := solved(distinct(facts))
	if len(less) == len(facts) || len(less) > maxFacts {
		return false
	}
	pivots := maxPivots
	contradiction, _ := newSystem(less).contradictory(&pivots)
	return contradiction
}
