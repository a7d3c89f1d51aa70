package loop

import (
	"math"
	"slices"
	"sort"
)

// How bounds are proved
//
// A subscript becomes a linear form over atoms: variables, and the results of
// operations that are not linear. Atoms are numbered in the order in which they
// come to be, so that what is known about an atom (a fact, a form that is not
// negative) speaks of it and earlier ones. To prove that a form is not negative,
// the last atom in it is eliminated with one of its facts, and so on back to a
// number; when several facts could serve, each is tried. Divisions, minima and
// maxima are atoms whose facts are their defining inequalities; a minimum that is
// added needs both cases. Integers make it sharper: a form is divided by the
// common divisor of its coefficients, and its constant rounded down. This is quick
// and proves most; monotone.go has what products of sizes need, refutation.go the rest.

// An affineForm is Σ coefficient·atom + constant; terms are sorted by atom.
type affineForm struct {
	terms    []formTerm
	constant int64
	overflow bool // a coefficient did not fit: nothing can be proved
}

type formTerm struct {
	atom        *atom
	coefficient int64
}

// atomOp says what an atom is.
type atomOp uint8

const (
	atomVariable atomOp = iota // known by its facts only
	atomMin
	atomMax
	atomDiv
	atomMod
	atomProduct
	atomEither // one of x and y

	// Keys of divisions by what is positive; the atoms are those of atomDiv and atomMod.
	atomPositiveDiv
	atomPositiveMod

	// Keys of operators on bits; the atoms are known by their facts.
	atomBitAnd
	atomBitOr
	atomBitXor
)

// An atom is an unknown of forms.
type atom struct {
	number int
	name   string
	op     atomOp
	x, y   affineForm
	facts  []affineForm // not negative; this atom is their last
	// whenX and whenY hold where atomEither is x, or y.
	whenX, whenY []affineForm
	ends         []affineForm // what it is less than wherever it occurs
	lo, hi       int64        // what is known as numbers; math.MinInt64 and MaxInt64 when nothing
}

func constantForm(v int64) affineForm { return affineForm{constant: v} }

func atomForm(a *atom) affineForm { return affineForm{terms: []formTerm{{a, 1}}} }

// combine returns m·f + n·g.
func combine(m int64, f affineForm, n int64, g affineForm) affineForm {
	r := affineForm{overflow: f.overflow || g.overflow}
	add := func(a *atom, x, y int64) {
		p, ok1 := mulExact(m, x)
		q, ok2 := mulExact(n, y)
		s, ok3 := addExact(p, q)
		if !ok1 || !ok2 || !ok3 {
			r.overflow = true
		}
		if a == nil {
			r.constant = s
		} else if s != 0 {
			r.terms = append(r.terms, formTerm{a, s})
		}
	}
	i, j := 0, 0
	for i < len(f.terms) || j < len(g.terms) {
		switch {
		case j == len(g.terms) || i < len(f.terms) && f.terms[i].atom.number < g.terms[j].atom.number:
			add(f.terms[i].atom, f.terms[i].coefficient, 0)
			i++
		case i == len(f.terms) || g.terms[j].atom.number < f.terms[i].atom.number:
			add(g.terms[j].atom, 0, g.terms[j].coefficient)
			j++
		default:
			add(f.terms[i].atom, f.terms[i].coefficient, g.terms[j].coefficient)
			i, j = i+1, j+1
		}
	}
	add(nil, f.constant, g.constant)
	return r
}

func (f affineForm) add(g affineForm) affineForm { return combine(1, f, 1, g) }
func (f affineForm) sub(g affineForm) affineForm { return combine(1, f, -1, g) }
func (f affineForm) scale(n int64) affineForm    { return combine(n, f, 0, affineForm{}) }
func (f affineForm) plus(n int64) affineForm     { return combine(1, f, 1, constantForm(n)) }
func (f affineForm) isConstant() (int64, bool)   { return f.constant, len(f.terms) == 0 && !f.overflow }

// last returns the term of the latest atom.
func (f affineForm) last() formTerm { return f.terms[len(f.terms)-1] }

// reduced divides by the common divisor of the coefficients; f ≥ 0 is unchanged.
func (f affineForm) reduced() affineForm {
	var divisor int64
	for _, t := range f.terms {
		divisor = gcd(divisor, t.coefficient)
	}
	if divisor <= 1 {
		return f
	}
	r := affineForm{constant: floorDivide(f.constant, divisor), overflow: f.overflow}
	for _, t := range f.terms {
		r.terms = append(r.terms, formTerm{t.atom, t.coefficient / divisor})
	}
	return r
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

func floorDivide(x, y int64) int64 {
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

func mulExact(x, y int64) (int64, bool) {
	if x == 0 || y == 0 {
		return 0, true
	}
	p := x * y
	return p, p/y == x && !(x == -1 && y == math.MinInt64) && !(y == -1 && x == math.MinInt64)
}

func addExact(x, y int64) (int64, bool) {
	s := x + y
	return s, (s > x) == (y > 0)
}

// rangeOf returns the interval of a form by the intervals of its atoms.
func (f affineForm) rangeOf() (lo, hi int64) {
	lo, hi = f.constant, f.constant
	for _, t := range f.terms {
		least, greatest := t.atom.lo, t.atom.hi
		if t.coefficient < 0 {
			least, greatest = greatest, least
		}
		lo = saturatedStep(lo, t.coefficient, least, math.MinInt64)
		hi = saturatedStep(hi, t.coefficient, greatest, math.MaxInt64)
	}
	if f.overflow {
		return math.MinInt64, math.MaxInt64
	}
	return lo, hi
}

// saturatedStep returns sum + coefficient·bound, or limit when it is unbounded.
func saturatedStep(sum, coefficient, bound, limit int64) int64 {
	if sum == limit || bound == math.MinInt64 || bound == math.MaxInt64 {
		return limit
	}
	p, ok1 := mulExact(coefficient, bound)
	s, ok2 := addExact(sum, p)
	if !ok1 || !ok2 {
		return limit
	}
	return s
}

// maxProofSteps limits the eliminations of one proof.
const maxProofSteps = 400

// proves reports whether f ≥ 0 follows from what is known.
func (p *prover) proves(f affineForm) bool {
	return f.eliminates() || !f.overflow && (p.monotone(f) || p.refutes(f))
}

// eliminates reports whether f ≥ 0 follows by elimination alone.
func (f affineForm) eliminates() bool {
	e := elimination{steps: maxProofSteps}
	return e.nonNegative(f)
}

// An elimination counts down what is left of its limit.
type elimination struct{ steps int }

func (p *elimination) nonNegative(f affineForm) bool {
	if f.overflow || p.steps <= 0 {
		return false
	}
	p.steps--
	f = f.reduced()
	if lo, _ := f.rangeOf(); lo >= 0 {
		return true
	}
	if len(f.terms) == 0 {
		return false
	}
	t := f.last()
	a := t.atom
	rest := affineForm{constant: f.constant, terms: f.terms[:len(f.terms)-1]}
	with := func(value affineForm) func() bool {
		return func() bool { return p.nonNegative(combine(1, rest, t.coefficient, value)) }
	}
	switch {
	case a.op == atomEither:
		if assuming(a.whenX, with(a.x)) && assuming(a.whenY, with(a.y)) {
			return true
		}
	case a.op == atomMin && t.coefficient > 0, a.op == atomMax && t.coefficient < 0:
		if with(a.x)() && with(a.y)() {
			return true
		}
	}
	return slices.ContainsFunc(f.without(a, t.coefficient), p.nonNegative)
}

// without returns what is to be proved instead of f ≥ 0, one for each fact by which an atom
// can be eliminated, those with the fewest terms first: they need the fewest further steps.
func (f affineForm) without(a *atom, coefficient int64) []affineForm {
	var list []affineForm
	for _, fact := range a.facts {
		c := fact.coefficient(a)
		if (c > 0) != (coefficient > 0) {
			continue
		}
		// c·f + c − 1 ≥ 0 says the same of the integer f; less a multiple of the fact
		// it has no a.
		c = max(c, -c)
		list = append(list, combine(c, f, -max(coefficient, -coefficient), fact).plus(c-1))
	}
	slices.SortStableFunc(list, func(x, y affineForm) int { return len(x.terms) - len(y.terms) })
	return list
}

// coefficient returns the coefficient of an atom, 0 when it does not occur.
func (f affineForm) coefficient(a *atom) int64 {
	for _, t := range f.terms {
		if t.atom == a {
			return t.coefficient
		}
	}
	return 0
}

// assume notes a fact at its last atom, with what follows for earlier atoms, and
// returns the function that forgets it.
func (p *prover) assume(fact affineForm) (forget func()) {
	p.assumed = append(p.assumed, fact)
	undo := []func(){noteFor(fact)}
	for _, follows := range p.resolved(fact) {
		if !p.open || follows.key() == fact.key() {
			continue
		}
		undo = append(undo, noteFor(follows))
		for _, single := range follows.singles() {
			undo = append(undo, noteFor(single))
		}
	}
	return func() {
		p.assumed = p.assumed[:len(p.assumed)-1]
		for _, u := range slices.Backward(undo) {
			u()
		}
	}
}

// singles returns what c − a·x − b·y ≥ 0 says of x alone where y is not negative: with x
// whole it may be more, as 127 − 4·x − y ≥ 0 says that x ≤ 31.
func (f affineForm) singles() (list []affineForm) {
	for _, t := range f.terms {
		if len(f.terms) > 1 && !slices.ContainsFunc(f.terms, func(u formTerm) bool { return u != t && (u.coefficient > 0 || u.atom.lo < 0) }) {
			list = append(list, affineForm{constant: f.constant, terms: []formTerm{t}}.reduced())
		}
	}
	return list
}

// note adds a fact and, where its last atom is defined by others (a quotient, a
// minimum), the facts without that atom. It returns the atoms that got one.
func note(fact affineForm, depth int) []*atom {
	fact = fact.reduced()
	if len(fact.terms) == 0 || fact.overflow || depth == 0 {
		return nil
	}
	a, c := fact.last().atom, fact.last().coefficient
	defining := a.facts
	a.facts = append(a.facts, fact)
	noted := []*atom{a}
	if a.op == atomVariable || a.op == atomProduct {
		return noted
	}
	for _, d := range defining {
		if other := d.coefficient(a); (other > 0) != (c > 0) {
			noted = append(noted, note(combine(max(other, -other), fact, max(c, -c), d), depth-1)...)
		}
	}
	return noted
}

// resolved returns what a fact says without minima and maxima, and quotients of them. A
// number of tiles that is rounded up, ⌊(min(x, y) + c − 1)/c⌋, is behind the end of many
// loops: resolved and divided by c, the fact is about whole tiles.
func (p *prover) resolved(fact affineForm) []affineForm {
	budget := maxResolved
	return p.resolvedIn(&budget, fact)
}

// maxResolved is how many facts resolved looks at: bounds of skewed loops may have minima of
// quotients of maxima, one in the other, and what they say is twice as much for each.
const maxResolved = 256

func (p *prover) resolvedIn(budget *int, fact affineForm) []affineForm {
	if *budget--; *budget < 0 {
		return nil
	}
	i := slices.IndexFunc(fact.terms, func(t formTerm) bool {
		return t.atom.isExtreme() || t.atom.op == atomDiv && slices.ContainsFunc(t.atom.x.terms, func(t formTerm) bool { return t.atom.isExtreme() })
	})
	if i < 0 {
		return []affineForm{fact}
	}
	a, c := fact.terms[i].atom, fact.terms[i].coefficient
	var list []affineForm
	for _, d := range a.facts {
		other := d.coefficient(a)
		mean := a.isExtreme() && (other > 1 || other < -1)
		if (other > 0) == (c > 0) || mean {
			continue
		}
		next := combine(max(other, -other), fact, max(c, -c), d).reduced()
		found := p.resolvedIn(budget, next)
		if p.open && a.isExtreme() && len(next.terms) < 3 && !slices.ContainsFunc(next.terms, func(t formTerm) bool { return t.atom.isExtreme() }) {
			found = append(found, next) // of quotients: 32·⌊min(256, x)/32⌋ + j < 256 where j runs from there to the minimum
		}
		for _, f := range found {
			if len(f.terms) > 0 && !f.overflow {
				list = append(list, f)
			}
		}
	}
	return list
}

// reached returns the room of a loop, and what that is inside of it: a maximum with 0, as where a loop
// has no iterations, is its other operand there, since with 0 there would be none.
func reached(room affineForm) []affineForm {
	rooms := []affineForm{room}
	for i := 0; i < len(rooms) && len(rooms) < maxRooms; i++ {
		for _, t := range rooms[i].terms {
			if !(t.atom.op == atomMax && t.coefficient > 0) && !(t.atom.op == atomMin && t.coefficient < 0) {
				continue
			}
			rest := rooms[i].sub(atomForm(t.atom).scale(t.coefficient))
			x, y := rest.add(t.atom.x.scale(t.coefficient)), rest.add(t.atom.y.scale(t.coefficient))
			if _, most := x.rangeOf(); most < 0 {
				rooms = append(rooms, y)
			} else if _, most := y.rangeOf(); most < 0 {
				rooms = append(rooms, x)
			}
		}
	}
	return rooms
}

// maxRooms is how many forms the room of a loop has.
const maxRooms = 4

// noteFor notes a fact until the function that it returns is called.
func noteFor(fact affineForm) (forget func()) {
	noted := note(fact, 3)
	return func() {
		for _, a := range noted {
			a.facts = a.facts[:len(a.facts)-1]
		}
	}
}

// assuming runs a proof with more facts.
func assuming(facts []affineForm, proof func() bool) bool {
	for _, fact := range facts {
		defer noteFor(fact)()
		if c, ok := fact.isConstant(); ok && c < 0 {
			return true // this case does not occur
		}
	}
	return proof()
}

// closure lists the atoms that f and the facts about them mention, in order.
func (f affineForm) closure() []*atom {
	seen := map[*atom]bool{}
	var visit func(affineForm)
	visit = func(g affineForm) {
		for _, t := range g.terms {
			if seen[t.atom] {
				continue
			}
			seen[t.atom] = true
			visit(t.atom.x)
			visit(t.atom.y)
			for _, fact := range t.atom.facts {
				visit(fact)
			}
		}
	}
	visit(f)
	list := make([]*atom, 0, len(seen))
	for a := range seen {
		list = append(list, a)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].number < list[j].number })
	return list
}
