package affine

import (
	"slices"
	"sort"
)

// How proofs work
//
// To prove e ≥ 0 for all values of the symbols, the functions in e are removed
// first: each is replaced by a bound that makes e smaller (min and max by cases,
// floor division by its defining inequality). What is left is a polynomial over
// symbols with known lower bounds. Its negation, e ≤ −1, is put beside the
// assumptions; monomials count as independent unknowns that are at least the
// product of their lower bounds, and Fourier–Motzkin elimination looks for a
// contradiction. The method is sound, complete for linear expressions over the
// rationals, and bounded: it gives up (Unknown) rather than blow up.

// A Verdict is what is known about e ≥ 0.
type Verdict int

// The verdicts.
const (
	Unknown   Verdict = iota // neither proved nor refuted
	Always                   // for every value of the symbols
	Never                    // e < 0 for every value of the symbols
	Sometimes                // values of both kinds are known
)

// String names the verdict.
func (v Verdict) String() string { return [...]string{"unknown", "always", "never", "sometimes"}[v] }

// Facts is what is known about symbols: lower bounds and expressions that are
// not negative. It is not safe for concurrent use.
type Facts struct {
	least   map[string]int64
	assumed []Expr
}

// NewFacts returns an empty set of facts: every symbol may be any integer.
func NewFacts() *Facts { return &Facts{least: map[string]int64{}} }

// Clone returns an independent copy.
func (f *Facts) Clone() *Facts {
	c := NewFacts()
	for s, n := range f.least {
		c.least[s] = n
	}
	c.assumed = append(c.assumed, f.assumed...)
	return c
}

// AtLeast notes symbol ≥ n; the larger of two bounds counts.
func (f *Facts) AtLeast(symbol string, n int64) {
	if old, ok := f.least[symbol]; !ok || n > old {
		f.least[symbol] = n
	}
}

// Assume notes e ≥ 0.
func (f *Facts) Assume(e Expr) {
	if s, ok := e.AddConst(-e.constant()).IsSymbol(); ok {
		f.AtLeast(s, -e.constant())
		return
	}
	f.assumed = append(f.assumed, e)
}

func (e Expr) constant() int64 {
	if n := len(e.terms); n > 0 && len(e.terms[n-1].Atoms) == 0 {
		return e.terms[n-1].Coefficient
	}
	return 0
}

// Sign decides e ≥ 0 under the facts.
func (f *Facts) Sign(e Expr) Verdict {
	if n, ok := e.IsConst(); ok {
		if n >= 0 {
			return Always
		}
		return Never
	}
	switch {
	case f.Proves(e):
		return Always
	case f.Proves(e.Scale(-1).AddConst(-1)):
		return Never
	case f.occursBoth(e):
		return Sometimes
	}
	return Unknown
}

// caseLimit bounds the nesting of case distinctions, rowLimit the number of
// inequalities in an elimination.
const (
	caseLimit = 12
	rowLimit  = 400
)

// Proves reports whether e ≥ 0 follows from the facts; false means unknown.
func (f *Facts) Proves(e Expr) bool { return f.proves(e, caseLimit) }

// Larger returns the larger of two expressions, without max where the facts decide.
func (f *Facts) Larger(x, y Expr) Expr {
	switch {
	case f.Proves(x.Sub(y)):
		return x
	case f.Proves(y.Sub(x)):
		return y
	}
	return MaxOf(x, y)
}

// Smaller returns the smaller of two expressions, without min where the facts decide.
func (f *Facts) Smaller(x, y Expr) Expr {
	switch {
	case f.Proves(y.Sub(x)):
		return x
	case f.Proves(x.Sub(y)):
		return y
	}
	return MinOf(x, y)
}

func (f *Facts) proves(e Expr, depth int) bool {
	if n, ok := e.IsConst(); ok {
		return n >= 0
	}
	if depth == 0 {
		return false
	}
	e = e.tightened()
	if at, ok := functionTerm(e); ok {
		return f.isAssumed(e) || f.provesWithout(e, at, depth)
	}
	return f.contradicts(e.Scale(-1).AddConst(-1))
}

// isAssumed reports whether e is at least something that is assumed, functions in it included.
func (f *Facts) isAssumed(e Expr) bool {
	return slices.ContainsFunc(f.assumed, func(a Expr) bool {
		n, ok := e.Sub(a.tightened()).IsConst()
		return ok && n >= 0
	})
}

// tightened divides e ≥ 0 by the common divisor g of its coefficients and rounds the
// constant down: g·x + c ≥ 0 ⇔ x + ⌊c/g⌋ ≥ 0 for whole numbers.
func (e Expr) tightened() Expr {
	divisor := int64(0)
	for _, t := range e.terms {
		if len(t.Atoms) > 0 {
			for rest := t.Coefficient; rest != 0; {
				divisor, rest = rest, divisor%rest
			}
		}
	}
	if divisor = max(divisor, -divisor); divisor <= 1 {
		return e
	}
	terms := make([]Term, len(e.terms))
	for n, t := range e.terms {
		terms[n] = Term{Coefficient: floorDiv(t.Coefficient, divisor), Atoms: t.Atoms}
	}
	return normal(terms)
}

// functionTerm finds a term whose first function atom is to be removed next:
// minima and maxima before divisions, whose inequalities are only tight last.
func functionTerm(e Expr) (int, bool) {
	found := -1
	for i, t := range e.terms {
		for _, a := range t.Atoms {
			if a.Op == Min || a.Op == Max {
				return i, true
			}
			if a.Op != "" && found < 0 {
				found = i
			}
		}
	}
	return found, found >= 0
}

// provesWithout removes the function atom of term number at from e = c·A·rest + r.
func (f *Facts) provesWithout(e Expr, at int, depth int) bool {
	t := e.terms[at]
	k := 0
	for i, a := range t.Atoms {
		if a.Op == Min || a.Op == Max || (a.Op != "" && t.Atoms[k].Op == "") {
			k = i
			if a.Op == Min || a.Op == Max {
				break
			}
		}
	}
	atom := t.Atoms[k]
	factor := Const(t.Coefficient) // the coefficient of the atom, an expression
	for i, a := range t.Atoms {
		if i != k {
			factor = factor.Mul(atomExpr(a))
		}
	}
	// Other terms with the same atom belong to its coefficient.
	var others []Term
	for i, u := range e.terms {
		if i == at {
			continue
		}
		if j := indexOfAtom(u, atom); j >= 0 {
			product := Const(u.Coefficient)
			for m, a := range u.Atoms {
				if m != j {
					product = product.Mul(atomExpr(a))
				}
			}
			factor = factor.Add(product)
			continue
		}
		others = append(others, u)
	}
	rest := Expr{terms: others}
	if !factorIsFree(factor, atom) {
		return false
	}
	if f.proves(factor, depth-1) {
		return f.provesAtom(atom, factor, rest, true, depth-1)
	}
	if f.proves(factor.Scale(-1), depth-1) {
		return f.provesAtom(atom, factor, rest, false, depth-1)
	}
	return false
}

func indexOfAtom(t Term, atom Atom) int {
	for j, a := range t.Atoms {
		if a.Op != "" && a.key() == atom.key() {
			return j
		}
	}
	return -1
}

func factorIsFree(factor Expr, atom Atom) bool {
	for _, t := range factor.terms {
		if indexOfAtom(t, atom) >= 0 {
			return false
		}
	}
	return true
}

func atomExpr(a Atom) Expr { return Expr{terms: []Term{{Coefficient: 1, Atoms: []Atom{a}}}} }

// provesAtom proves factor·atom + rest ≥ 0 where factor ≥ 0 (up) or ≤ 0.
func (f *Facts) provesAtom(atom Atom, factor, rest Expr, up bool, depth int) bool {
	with := func(value Expr) bool { return f.proves(factor.Mul(value).Add(rest), depth) }
	x, y := atom.X, atom.Y
	switch atom.Op {
	case Min, Max:
		if (atom.Op == Min) == up {
			return with(x) && with(y)
		}
		return with(x) || with(y) || f.decidedBranch(atom, with, depth) ||
			f.proves(factor.Mul(x.Add(y)).Add(rest.Scale(2)).AddConst(1), depth) // by the mean; 2z ≥ −1 makes z ≥ 0
	case Mod:
		if !f.proves(y.AddConst(-1), depth) {
			return false
		}
		if up {
			return with(Const(0))
		}
		return with(y.AddConst(-1)) || (f.proves(x, depth) && with(x))
	case FloorDiv:
		return f.provesDivision(x, y, factor, rest, up, depth)
	}
	return false
}

// decidedBranch uses the operand that the minimum or maximum is known to be.
func (f *Facts) decidedBranch(atom Atom, with func(Expr) bool, depth int) bool {
	small, large := atom.X, atom.Y
	if !f.proves(large.Sub(small), depth) {
		small, large = large, small
		if !f.proves(large.Sub(small), depth) {
			return false
		}
	}
	if atom.Op == Min {
		return with(small)
	}
	return with(large)
}

// provesDivision uses q = ⌊x/y⌋ ⇔ y·q ≤ x ≤ y·q + y − 1 for y ≥ 1. With a
// factor of ±1 the inequality is exact: q + r ≥ 0 ⇔ x + y·r ≥ 0. The quotient of a
// number that is not negative is not negative either, that of x ≥ y is at least 1.
func (f *Facts) provesDivision(x, y, factor, rest Expr, up bool, depth int) bool {
	if !f.proves(y.AddConst(-1), depth) {
		return false
	}
	scaled := rest.Mul(y)
	if n, ok := factor.IsConst(); ok && n == 1 {
		return f.proves(x.Add(scaled), depth)
	} else if ok && n == -1 {
		return f.proves(scaled.Add(y).AddConst(-1).Sub(x), depth)
	}
	if !up {
		return f.proves(factor.Mul(x).Add(scaled), depth)
	}
	return f.proves(factor.Mul(x.Sub(y).AddConst(1)).Add(scaled), depth) ||
		f.proves(x, depth) && f.proves(rest, depth) ||
		f.proves(x.Sub(y), depth) && f.proves(rest.Add(factor), depth)
}

// occursBoth searches small values of the symbols, which satisfy the facts, for
// one where e ≥ 0 and one where e < 0.
func (f *Facts) occursBoth(e Expr) bool {
	set := map[string]bool{}
	e.Symbols(set)
	for _, a := range f.assumed {
		a.Symbols(set)
	}
	names := make([]string, 0, len(set))
	for s := range set {
		names = append(names, s)
	}
	sort.Strings(names)
	steps := []int64{0, 1, 2, 3, 5, 8, 17, 64, 1000}
	state := uint64(88172645463325252) // xorshift: the search is deterministic
	yes, no := false, false
	for try := 0; try < 2000 && !(yes && no); try++ {
		env := map[string]int64{}
		for _, s := range names {
			state ^= state << 13
			state ^= state >> 7
			state ^= state << 17
			base, bounded := f.least[s]
			v := steps[state%uint64(len(steps))]
			if !bounded && state>>32%2 == 1 {
				v = -v
			}
			env[s] = base + v
		}
		if !f.holds(env) {
			continue
		}
		if v, err := e.Eval(env); err == nil {
			yes = yes || v >= 0
			no = no || v < 0
		}
	}
	return yes && no
}

func (f *Facts) holds(env map[string]int64) bool {
	for s, n := range f.least {
		if v, ok := env[s]; ok && v < n {
			return false
		}
	}
	for _, a := range f.assumed {
		if v, err := a.Eval(env); err != nil || v < 0 {
			return false
		}
	}
	return true
}
