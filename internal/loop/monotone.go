package loop

import "slices"

// How subscripts of unknown sizes are proved
//
// With sizes that are not known a subscript such as (h + r)·W + w + s is a
// polynomial, and the facts are few: how far each loop runs, and what the caller
// has tested of the sizes. The argument is that of a person: the subscript grows
// with w, so it is greatest where w is; W is not negative, so it grows with h too.
//
// Products are multiplied out, and the latest atom a of the goal is eliminated
// first: goal = a·c + rest. Where c ≥ 0 (a proof of its own, about a polynomial of
// lower degree), a lower bound takes the place of a; where c ≤ 0, an upper one. A
// bound is a fact k·a + r ≥ 0, with k ≥ 1 or k ≤ −1, in which a is the latest
// atom; k may be a polynomial, as in the inequalities of a division by a size.
// Multiplying the goal by |k| keeps it an integer that is not negative or at most
// −|k|, so that |k| − 1 may be added. In the end a number remains.
//
// The degree of the latest atom falls with each step, which ends the search; a
// limit keeps it short where many facts could serve. Most of what is not so is seen
// at once: it does not hold for one of a few samples, values of the atoms that agree
// with the facts.

// maxMonotoneSteps limits the eliminations of one proof, maxMonomials the length
// of a goal.
const (
	maxMonotoneSteps = 300
	maxMonomials     = 150
)

// A monotone counts down what is left of its limit. What failed is not tried
// again.
type monotone struct {
	assumed []form
	steps   int
	failed  map[string]bool
	bounds  map[*atom][]bound
	samples []*sample
}

// A bound is the fact factor·a + rest ≥ 0.
type bound struct{ factor, rest polynomial }

// monotone reports whether f ≥ 0 follows by replacing atoms by their bounds.
func (p *prover) monotone(f form) (proved bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(rangeError); !ok {
				panic(r)
			}
			proved = false
		}
	}()
	if f.overflow {
		return false
	}
	m := newMonotone(p.assumed, maxMonotoneSteps)
	return m.nonNegative(f.polynomial())
}

func newMonotone(assumed []form, steps int) *monotone {
	m := &monotone{assumed: assumed, steps: steps, failed: map[string]bool{}, bounds: map[*atom][]bound{}}
	for _, size := range sampleSizes {
		m.samples = append(m.samples, &sample{monotone: m, size: size, values: map[*atom]int64{}})
	}
	return m
}

func (m *monotone) nonNegative(goal polynomial) bool {
	goal = goal.reduced()
	a := goal.latest()
	if a == nil {
		value, _ := goal.constant()
		return value >= 0
	}
	if isSum(goal) {
		return true
	}
	if slices.ContainsFunc(m.samples, func(s *sample) bool { return s.refutes(goal) }) {
		return false
	}
	key := goal.key()
	if m.failed[key] || m.steps <= 0 || len(goal) > maxMonomials {
		return false
	}
	m.steps--
	factor, rest := goal.split(a)
	proved := m.nonNegative(factor) && m.without(a, factor, rest, 1) ||
		m.nonNegative(factor.scale(-1)) && m.without(a, factor, rest, -1)
	if !proved {
		m.failed[key] = true
	}
	return proved
}

// isSum reports whether nothing in a polynomial can be negative.
func isSum(p polynomial) bool {
	return !slices.ContainsFunc(p, func(m monomial) bool {
		return m.coefficient < 0 || slices.ContainsFunc(m.factors, func(a *atom) bool { return a.lo < 0 })
	})
}

// without proves a·factor + rest ≥ 0 where sign·factor ≥ 0.
func (m *monotone) without(a *atom, factor, rest polynomial, sign int64) bool {
	if (a.op == atomMin && sign > 0 || a.op == atomMax && sign < 0) && m.operands(a, factor, rest) {
		return true
	}
	if a.op == atomEither && m.cases(a, factor, rest) {
		return true
	}
	for _, b := range m.boundsOf(a) {
		k := b.factor.scale(sign) // positive when the fact bounds a on the right side
		if !m.nonNegative(k.add(constantPolynomial(-1))) {
			continue
		}
		// k·goal = factor·sign·(b.factor·a) + k·rest ≥ −factor·sign·b.rest + k·rest
		goal := k.multiply(rest).add(factor.multiply(b.rest).scale(-sign)).add(k).add(constantPolynomial(-1))
		if m.nonNegative(goal) {
			return true
		}
	}
	return false
}

// operands proves the goal for both operands of a minimum or maximum.
func (m *monotone) operands(a *atom, factor, rest polynomial) bool {
	for _, value := range []form{a.x, a.y} {
		if value.overflow || !m.nonNegative(factor.multiply(value.polynomial()).add(rest)) {
			return false
		}
	}
	return true
}

// cases proves the goal for both values of a selection, each where it is chosen.
func (m *monotone) cases(a *atom, factor, rest polynomial) bool {
	for _, c := range []struct {
		value form
		when  []form
	}{{a.x, a.whenX}, {a.y, a.whenY}} {
		if c.value.overflow {
			return false
		}
		inside := newMonotone(slices.Concat(m.assumed, c.when), m.steps)
		goal := factor.multiply(c.value.polynomial()).add(rest)
		proved := assuming(c.when, func() bool { return inside.nonNegative(goal) })
		m.steps = inside.steps
		if !proved {
			return false
		}
	}
	return true
}

// boundsOf lists the facts whose latest atom is a, those noted last first: they
// are about the statement, not about the type.
func (m *monotone) boundsOf(a *atom) []bound {
	if list, known := m.bounds[a]; known {
		return list
	}
	list := m.quotientBounds(a)
	seen := map[string]bool{}
	for _, facts := range [][]form{m.assumed, a.facts} {
		for _, fact := range slices.Backward(facts) {
			if fact.overflow {
				continue
			}
			f := fact.polynomial()
			if f.latest() != a || seen[f.key()] {
				continue
			}
			seen[f.key()] = true
			if factor, rest := f.split(a); factor.latest() != a {
				list = append(list, bound{factor, rest})
			}
		}
	}
	m.bounds[a] = list
	return list
}

// quotientBounds returns q ≤ t − 1 for a quotient q = ⌊x/y⌋ where x ≤ y·t − 1 is
// known: what a loop over y·t gives when it is taken apart.
func (m *monotone) quotientBounds(q *atom) []bound {
	if q.op != atomDiv || !q.x.isAtom() || q.y.overflow {
		return nil
	}
	var list []bound
	x, y := q.x.polynomial(), q.y.polynomial()
	for _, b := range m.boundsOf(x.latest()) {
		if k, ok := b.factor.constant(); !ok || k != -1 || len(x[0].factors) != 1 {
			continue
		}
		if t, ok := b.rest.add(constantPolynomial(1)).divide(y); ok {
			list = append(list, bound{constantPolynomial(-1), t.add(constantPolynomial(-1))})
		}
	}
	return list
}
