package loop

import (
	"math"
	"slices"
)

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
//
// Extents such as H − K + 1 + 2·p come in products, whose sign is hard to see once
// they are multiplied out. Where the caller has tested H − K + 2·p ≥ 0, that sum is
// an atom s ≥ 0, and H is s + K − 2·p: the product is (s + 1)·(t + 1) then.

// maxMonotoneSteps limits the eliminations of one proof, maxMonomials the length
// of a goal.
const (
	maxMonotoneSteps = 300
	maxMonomials     = 150
)

// A monotone counts down what is left of its limit. What failed is not tried
// again.
type monotone struct {
	slack   map[*atom]polynomial
	assumed []affineForm
	steps   int
	failed  map[string]bool
	bounds  map[*atom][]bound
	samples []*sample
}

// A bound is the fact factor·a + rest ≥ 0.
type bound struct{ factor, rest polynomial }

// monotone reports whether f ≥ 0 follows by replacing atoms by their bounds.
func (p *prover) monotone(f affineForm) bool {
	m := newMonotone(p.slack, p.assumed, maxMonotoneSteps)
	return !f.overflow && inRange(func() bool { return m.nonNegative(m.polynomial(f)) })
}

// inRange runs a proof, which fails when its numbers get too large.
func inRange(proof func() bool) (proved bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(rangeError); !ok {
				panic(r)
			}
			proved = false
		}
	}()
	return proof()
}

func newMonotone(slack map[*atom]polynomial, assumed []affineForm, steps int) *monotone {
	m := &monotone{slack: slack, assumed: assumed, steps: steps, failed: map[string]bool{}, bounds: map[*atom][]bound{}}
	for _, choice := range samples {
		m.samples = append(m.samples, &sample{monotone: m, size: choice.size, part: choice.part, values: map[*atom]int64{}, open: map[*atom]bool{}})
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
		if inRange(func() bool {
			k := b.factor.scale(sign) // positive when the fact bounds a on the right side
			// k·goal = factor·sign·(b.factor·a) + k·rest ≥ −factor·sign·b.rest + k·rest
			return m.nonNegative(k.plus(-1)) && m.nonNegative(k.multiply(rest).add(factor.multiply(b.rest).scale(-sign)).add(k).plus(-1))
		}) {
			return true
		}
	}
	return false
}

// operands proves the goal for both operands of a minimum or maximum.
func (m *monotone) operands(a *atom, factor, rest polynomial) bool {
	for _, value := range []affineForm{a.x, a.y} {
		if value.overflow || !m.nonNegative(factor.multiply(m.polynomial(value)).add(rest)) {
			return false
		}
	}
	return true
}

// cases proves the goal for both values of a selection, each where it is chosen.
func (m *monotone) cases(a *atom, factor, rest polynomial) bool {
	for _, c := range []struct {
		value affineForm
		when  []affineForm
	}{{a.x, a.whenX}, {a.y, a.whenY}} {
		if c.value.overflow {
			return false
		}
		inside := newMonotone(m.slack, slices.Concat(m.assumed, c.when), m.steps)
		goal := factor.multiply(m.polynomial(c.value)).add(rest)
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
	for _, facts := range [][]affineForm{m.assumed, a.facts} {
		for _, fact := range slices.Backward(facts) {
			if fact.overflow {
				continue
			}
			f := m.polynomial(fact)
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

// quotientBounds returns what the inequalities of a quotient q = ⌊x/y⌋ do not say
// without rounding: q ≤ t − 1 where x ≤ y·t − 1 is known, as when a loop over y·t is
// taken apart; and q ≥ t where x = y·t + r, for a number y and r ≥ 0.
func (m *monotone) quotientBounds(q *atom) []bound {
	if q.op != atomDiv || q.x.overflow || q.y.overflow {
		return nil
	}
	x, y := m.polynomial(q.x), m.polynomial(q.y)
	if c, ok := y.constant(); ok {
		var t, r polynomial
		for _, term := range x {
			whole := floorDivide(term.coefficient, c)
			t = append(t, monomial{term.factors, whole})
			r = append(r, monomial{term.factors, term.coefficient - c*whole})
		}
		t, r = t.normal(), r.normal()
		switch {
		case m.nonNegative(r.plus(-c)): // r has the constant of x, of which a multiple of c may be needed
			return []bound{{constantPolynomial(1), t.plus(1).scale(-1)}}
		case m.nonNegative(r):
			return []bound{{constantPolynomial(1), t.scale(-1)}}
		}
		return nil
	}
	var list []bound
	if len(x) != 1 || len(x[0].factors) != 1 || x[0].coefficient != 1 {
		return nil
	}
	for _, b := range m.boundsOf(x.latest()) {
		if k, ok := b.factor.constant(); !ok || k != -1 {
			continue
		}
		if t, ok := b.rest.plus(1).divide(y); ok {
			list = append(list, bound{constantPolynomial(-1), t.plus(-1)})
		}
	}
	return list
}

// name makes the sum f, which is required not to be negative, an atom, in terms of
// which one of the sizes in it is expressed from now on.
func (p *prover) name(f affineForm) {
	if len(f.terms) < 2 || f.overflow {
		return
	}
	isNamed := func(t formTerm) bool { return p.slack[t.atom] != nil }
	if slices.ContainsFunc(f.terms, isNamed) {
		return
	}
	for _, t := range f.terms {
		if t.coefficient == 1 && t.atom.op == atomVariable && !p.kept[t.atom] {
			rest := f.sub(atomForm(t.atom))
			p.slack[t.atom] = atomForm(p.atom("", atomVariable, affineForm{}, affineForm{}, 0, math.MaxInt64)).sub(rest).polynomial()
			for _, other := range rest.terms {
				p.kept[other.atom] = true // the definitions do not form a chain
			}
			return
		}
	}
}

// polynomial returns the polynomial of a form, in terms of the named sums.
func (m *monotone) polynomial(f affineForm) polynomial {
	p := f.polynomial()
	if len(m.slack) == 0 {
		return p
	}
	var sum polynomial
	for _, term := range p {
		product := constantPolynomial(term.coefficient)
		for _, a := range term.factors {
			value, named := m.slack[a]
			if !named {
				value = polynomial{{[]*atom{a}, 1}}
			}
			product = product.multiply(value)
		}
		sum = append(sum, product...)
	}
	return sum.normal()
}
