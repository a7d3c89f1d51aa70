package loop

import (
	"fmt"
	"slices"
)

// How the rest is proved: by refutation
//
// What the elimination of affine_form.go does not prove is refuted: a form that is
// negative is put beside all facts about its atoms, and the simplex method looks
// for a solution. None in rational numbers is a proof. A solution is looked at for
// what cannot be: a minimum that is neither of its operands, an atom that is not
// an integer. Then there are two cases, each with one more fact, and both have to
// be contradictory.
//
// Products of atoms are unknowns of their own. What is known about them follows
// from multiplying facts by atoms that are not negative, such as 0 ≤ N − 1 − i by
// M where i·M occurs.

// The limits of a refutation: systems to solve, exchanges of variables in all of
// them, facts, and facts that are products.
const (
	maxSystems  = 64
	fewSystems  = 4 // of tests alone
	maxPivots   = 250
	maxFacts    = 200
	maxProducts = 120
)

// refutes reports whether f < 0 contradicts what is known.
func (p *prover) refutes(f affineForm) (refuted bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(rangeError); !ok {
				panic(r)
			}
			refuted = false
		}
	}()
	negative := f.scale(-1).plus(-1)
	// Tests that stand before an access mostly say all, with the numbers between which what
	// occurs in it is, whatever the ranges of the loops are.
	few := append([]affineForm{negative}, p.assumed...)
	for _, term := range negative.terms {
		few = append(few, term.atom.between()...)
	}
	if p.contradictory(few, 1) {
		return true
	}
	facts := p.about(negative)
	if len(facts) > maxFacts {
		return false
	}
	return p.contradictory(append(facts, clamps(facts)...), maxSystems) || p.contradictory(p.aboutQuotients(negative), fewSystems) || p.contradictoryWholeNumbers(facts)
}

// contradictory reports whether facts have no solution in integers, as far as some systems say.
func (p *prover) contradictory(facts []affineForm, systems int) bool {
	r := &refutation{prover: p, systems: systems, pivots: maxPivots}
	facts = distinct(facts)
	return len(facts) <= 2*maxFacts && r.contradictory(facts, nil)
}

// aboutQuotients returns the tests that stand before an access and what is known of the quotients in a
// form, which is more where the two are joined; nothing where there are none.
func (p *prover) aboutQuotients(f affineForm) []affineForm {
	operands := f.operands()
	if len(operands) == len(f.terms) || len(p.assumed) == 0 {
		return nil
	}
	facts := append([]affineForm{f}, p.assumed...)
	for _, test := range p.assumed {
		for _, t := range test.terms {
			facts = append(facts, t.atom.between()...)
		}
	}
	for _, a := range operands {
		facts = append(facts, a.between()...)
		if a.op == atomDiv || a.op == atomMod {
			facts = append(append(facts, a.facts...), sharpened(p.assumed, a.facts)...)
		}
	}
	return facts
}

// sharpened returns the sums of tests and of what is known of a quotient that say more of whole numbers
// than both: x ≥ 0 and 2·q + 1 ≥ x make 2·q ≥ −1, and so q ≥ 0.
func sharpened(tests, quotient []affineForm) (list []affineForm) {
	for _, f := range tests {
		for _, g := range quotient {
			if sum := f.add(g); !sum.overflow && sum.reduced().key() != sum.key() {
				list = append(list, sum.reduced())
			}
		}
	}
	return list
}

// operands lists the atoms of a form, and those of what is divided in them.
func (f affineForm) operands() (list []*atom) {
	for _, t := range f.terms {
		if list = append(list, t.atom); t.atom.op == atomDiv || t.atom.op == atomMod {
			list = append(list, t.atom.x.operands()...)
		}
	}
	return list
}

// about returns the facts that have to do with the atoms of a form, and the form.
func (p *prover) about(f affineForm) []affineForm {
	facts, seen := []affineForm{f}, map[*atom]bool{}
	used := make([]bool, len(p.assumed))
	for from := 0; from < len(facts); {
		for ; from < len(facts); from++ {
			for _, a := range facts[from].closure() {
				if !seen[a] {
					seen[a] = true
					facts = append(facts, a.facts...)
				}
			}
		}
		for i, assumed := range p.assumed {
			if !used[i] && slices.ContainsFunc(assumed.closure(), func(a *atom) bool { return seen[a] }) {
				used[i] = true
				facts = append(facts, assumed)
			}
		}
	}
	return distinct(facts)
}

// clamps returns bounds of max(l, min(x, u)) where l ≤ u, which save two cases each.
func clamps(facts []affineForm) []affineForm {
	var all affineForm
	for _, f := range facts {
		all.terms = append(all.terms, f.terms...)
	}
	var list []affineForm
	for _, a := range all.closure() {
		if !a.isExtreme() {
			continue
		}
		sign := int64(1) // of u − a
		if a.op == atomMin {
			sign = -1
		}
		for _, operands := range [][2]affineForm{{a.x, a.y}, {a.y, a.x}} {
			low, inner := operands[0], operands[1]
			if !inner.isAtom() || inner.last().atom.op == a.op || !inner.last().atom.isExtreme() {
				continue
			}
			for _, u := range []affineForm{inner.last().atom.x, inner.last().atom.y} {
				if u.sub(low).scale(sign).eliminates() {
					list = append(list, u.sub(atomForm(a)).scale(sign))
				}
			}
		}
	}
	return list
}

// distinct drops facts that occur twice, or of which nothing can be concluded.
func distinct(facts []affineForm) []affineForm {
	seen := map[string]bool{}
	return slices.DeleteFunc(facts, func(f affineForm) bool {
		key := f.key()
		drop := f.overflow || seen[key]
		seen[key] = true
		return drop
	})
}

// multiplied adds products of facts with atoms. A fact about a is multiplied by m
// where a·m occurs, as long as new products come up.
func (p *prover) multiplied(facts []affineForm) []affineForm {
	positive := map[*atom]bool{}
	for _, f := range facts {
		if len(f.terms) == 1 && f.terms[0].coefficient > 0 && f.constant <= 0 {
			positive[f.terms[0].atom] = true
		}
	}
	seen := map[string]bool{}
	for _, f := range facts {
		seen[f.key()] = true
	}
	facts = append(facts, p.timesExtents(facts, seen)...)
	linear := len(facts)
	done := map[*atom]bool{}
	for from, rounds := 0, 0; rounds < 3 && len(facts) < linear+maxProducts; rounds++ {
		var products []*atom
		for _, f := range facts[from:] {
			for _, t := range f.terms {
				if t.atom.op == atomProduct && !done[t.atom] {
					done[t.atom] = true
					products = append(products, t.atom)
				}
			}
		}
		from = len(facts)
		for _, product := range products {
			for _, f := range p.timesCofactors(product, facts[:linear], positive) {
				for _, g := range append([]affineForm{f}, p.productFacts(f)...) {
					if key := g.key(); !g.overflow && !seen[key] {
						seen[key] = true
						facts = append(facts, g)
					}
				}
			}
		}
	}
	return facts
}

// timesExtents multiplies facts by products of extents, one of which at least is a
// sum such as H − K + 1. A fact about a is multiplied by m where a·m occurs.
func (p *prover) timesExtents(facts []affineForm, seen map[string]bool) []affineForm {
	monomials, cofactors := map[string]bool{}, p.cofactors(facts)
	note := func(f affineForm) {
		for _, t := range f.terms {
			monomials[t.atom.monomial()] = true
		}
	}
	for _, f := range facts {
		note(f)
	}
	var list []affineForm
	for changed := len(cofactors) > 0; changed; {
		changed = false
		for _, m := range cofactors {
			for _, f := range facts {
				if len(list) == maxProducts {
					return list
				}
				if len(f.terms) > maxSumTerms || !occurs(f, m, monomials) {
					continue
				}
				if g := p.product(f, m); !g.overflow && !seen[g.key()] {
					seen[g.key()] = true
					list = append(list, g)
					note(g)
					changed = true
				}
			}
		}
	}
	return list
}

// cofactors returns the products of up to three extents that occur in products in
// the facts.
func (p *prover) cofactors(facts []affineForm) []affineForm {
	var sums, sizes []affineForm
	used := map[*atom]bool{}
	for _, f := range facts {
		for _, t := range f.terms {
			if t.atom.op == atomProduct {
				for _, a := range t.atom.factors() {
					used[a] = true
				}
			}
		}
	}
	for _, e := range p.extents {
		switch {
		case !slices.ContainsFunc(e.terms, func(t formTerm) bool { return used[t.atom] }) || contains(sums, e) || contains(sizes, e):
		case e.isAtom():
			sizes = append(sizes, e)
		case e.constant != -1 || len(e.terms) > 1:
			sums = append(sums, e)
		}
	}
	sums, sizes = sums[:min(len(sums), maxExtents)], sizes[:min(len(sizes), maxExtents)]
	list := slices.Clone(sums)
	for i, g := range sums {
		for k, h := range append(slices.Clone(sums[i:]), sizes...) {
			pair := p.product(g, h)
			list = append(list, pair)
			for _, size := range sizes[max(0, k-len(sums[i:])):] {
				list = append(list, p.product(pair, size))
			}
		}
	}
	return list
}

// The sums that timesExtents multiplies.
const (
	maxExtents  = 6
	maxSumTerms = 5
)

func contains(list []affineForm, f affineForm) bool {
	return slices.ContainsFunc(list, func(g affineForm) bool { return g.key() == f.key() })
}

// occurs reports whether an atom of f times m is among the monomials.
func occurs(f, m affineForm, monomials map[string]bool) bool {
	return slices.ContainsFunc(f.terms, func(t formTerm) bool {
		return t.atom.op != atomProduct && !slices.ContainsFunc(m.terms, func(u formTerm) bool {
			return !monomials[monomialOf(append(t.atom.factors(), u.atom.factors()...))]
		})
	})
}

func (a *atom) monomial() string { return monomialOf(a.factors()) }

func monomialOf(factors []*atom) string {
	numbers := make([]int, len(factors))
	for i, a := range factors {
		numbers[i] = a.number
	}
	slices.Sort(numbers)
	return fmt.Sprint(numbers)
}

// productFacts returns what is known about the products in f.
func (p *prover) productFacts(f affineForm) []affineForm {
	var facts []affineForm
	for _, t := range f.terms {
		if t.atom.op == atomProduct {
			facts = append(facts, t.atom.facts...)
		}
	}
	return facts
}

// timesCofactors returns, for a product a·m, the facts about a times m, for every
// a in it.
func (p *prover) timesCofactors(product *atom, facts []affineForm, positive map[*atom]bool) []affineForm {
	factors := product.factors()
	if len(factors) > 4 {
		return nil
	}
	var list []affineForm
	for i, a := range factors {
		rest := slices.Delete(slices.Clone(factors), i, i+1)
		if slices.Contains(factors[:i], a) || slices.ContainsFunc(rest, func(b *atom) bool { return !positive[b] }) {
			continue
		}
		m := p.productOf(rest)
		for _, f := range facts {
			if f.coefficient(a) != 0 {
				list = append(list, p.product(f, m))
			}
		}
	}
	return list
}

// A refutation counts down what is left of its limits.
type refutation struct {
	prover          *prover
	systems, pivots int
}

// contradictory reports whether facts have no solution in integers; split are the
// atoms whose cases have been distinguished.
func (r *refutation) contradictory(facts []affineForm, split []*atom) bool {
	if r.systems--; r.systems < 0 {
		return false
	}
	s := newSystem(r.prover.multiplied(facts))
	contradiction, solved := s.contradictory(&r.pivots)
	if contradiction || !solved {
		return contradiction
	}
	with := func(more ...affineForm) bool {
		return r.contradictory(append(slices.Clone(facts), more...), split)
	}
	operations := s.operations()
	for _, a := range operations {
		if slices.Contains(split, a) || !a.isChoice() || !s.wrong(a) && !isFactor(a, operations) {
			continue
		}
		split = append(slices.Clone(split), a)
		x, y := a.cases()
		return with(r.prover.complete(x)...) && with(r.prover.complete(y)...)
	}
	for i, a := range s.atoms {
		value := s.variables[i].value
		if value.isInteger() {
			continue
		}
		n := value.floor()
		return with(atomForm(a).scale(-1).plus(n)) && with(atomForm(a).plus(-n-1))
	}
	return false
}

// complete adds the facts about atoms that come up in a case.
func (p *prover) complete(facts []affineForm) []affineForm {
	list := slices.Clone(facts)
	for _, f := range facts {
		for _, a := range f.closure() {
			list = append(list, a.facts...)
		}
	}
	return distinct(list)
}

func (a *atom) isExtreme() bool { return a.op == atomMin || a.op == atomMax }

func (a *atom) isChoice() bool { return a.isExtreme() || a.op == atomEither }

// operations returns the atoms of the system and those in their operands.
func (s *system) operations() []*atom {
	var all affineForm
	for _, a := range s.atoms {
		all.terms = append(all.terms, formTerm{a, 1})
	}
	return all.closure()
}

// isFactor reports whether a occurs in a product, about which its value says little.
func isFactor(a *atom, operations []*atom) bool {
	return slices.ContainsFunc(operations, func(b *atom) bool { return b.op == atomProduct && slices.Contains(b.factors(), a) })
}

// wrong reports whether an atom that is one of two is none of them.
func (s *system) wrong(a *atom) bool {
	if a.op == atomEither {
		return true // its conditions count too
	}
	value, x, y := s.at(atomForm(a)), s.at(a.x), s.at(a.y)
	if (x.compare(y) < 0) == (a.op == atomMin) {
		return value.compare(x) != 0
	}
	return value.compare(y) != 0
}

// cases returns what holds when an atom is its first operand, and its second.
func (a *atom) cases() (x, y []affineForm) {
	equal := func(f affineForm) []affineForm { d := atomForm(a).sub(f); return []affineForm{d, d.scale(-1)} }
	x, y = equal(a.x), equal(a.y)
	switch a.op {
	case atomEither:
		return append(x, a.whenX...), append(y, a.whenY...)
	case atomMin:
		return append(x, a.y.sub(a.x)), append(y, a.x.sub(a.y))
	}
	return append(x, a.x.sub(a.y)), append(y, a.y.sub(a.x))
}
