package affine

import "fmt"

// How proofs under conditions work
//
// Proves looks at the functions of what is to be proved, and leaves out assumptions that have some. A
// condition may say what it says by functions: i % 2 == 1, i < N/2, min(i, j) > 0. ProvesWhere names them
// instead, in the goal and in all that is known: a quotient q = ⌊x/y⌋ is a symbol with y·q ≤ x ≤ y·q + y − 1,
// a remainder is x − y·q, and a minimum or maximum is one operand in one case and the other in the
// other. Equalities are solved for a symbol, so that what is left can be divided by common divisors:
// i = 2·q + 1 and i ≥ 0 make q ≥ 0. The rest is for Proves.

// mostCases bounds the minima and maxima whose cases are told apart, one in the other.
const mostCases = 5

// ProvesWhere reports whether e ≥ 0 at all points of a box at which all expressions of facts are ≥ 0;
// false means unknown.
func (f *Facts) ProvesWhere(e Expr, facts []Expr, box []Range) bool {
	w := &where{goal: e, least: f.least, cases: mostCases}
	w.facts = append(append(w.facts, f.assumed...), facts...)
	for _, r := range box {
		s := Symbol(r.Symbol)
		w.facts = append(w.facts, s.Sub(r.Min), r.Last().Sub(s))
	}
	return w.proves()
}

// where is a goal ≥ 0 and what is known to be ≥ 0 beside lower bounds of symbols.
type where struct {
	goal  Expr
	facts []Expr
	least map[string]int64
	named int
	cases int
}

func (w *where) proves() bool {
	for {
		atom, ok := innermost(append([]Expr{w.goal}, w.facts...))
		switch {
		case !ok:
			return w.decides(w.goal)
		case (atom.Op == Min || atom.Op == Max) && w.cases > 0:
			return w.provesCases(atom)
		}
		w.name(atom)
	}
}

// provesCases proves the goal where an extreme is its first operand, and where it is the second.
func (w *where) provesCases(atom Atom) bool {
	first := atom.Y.Sub(atom.X) // ≥ 0 where a minimum is X
	if atom.Op == Max {
		first = first.Scale(-1)
	}
	return w.with(atom, atom.X, first).proves() && w.with(atom, atom.Y, first.Scale(-1).AddConst(-1)).proves()
}

// with puts a value in the place of an atom, where a fact holds.
func (w *where) with(atom Atom, value, fact Expr) *where {
	c := &where{goal: w.goal.replaced(atom, value), least: w.least, named: w.named, cases: w.cases - 1}
	for _, g := range w.facts {
		c.facts = append(c.facts, g.replaced(atom, value))
	}
	c.facts = append(c.facts, fact)
	return c
}

// name puts a symbol in the place of an atom, with what is known about it.
func (w *where) name(atom Atom) {
	w.named++
	s := fmt.Sprintf("'%d", w.named) // no word, so no symbol of a program
	q, x, y := Symbol(s), atom.X, atom.Y
	var known []Expr
	switch {
	case atom.Op == Min:
		known = []Expr{x.Sub(q), y.Sub(q)}
	case atom.Op == Max:
		known = []Expr{q.Sub(x), q.Sub(y)}
	case w.decides(y.AddConst(-1)):
		rest := x.Sub(y.Mul(q))
		known = []Expr{rest, y.AddConst(-1).Sub(rest)}
		if w.decides(x) {
			known = append(known, q)
		}
		w.replace(Atom{Op: FloorDiv, X: x, Y: y}, q)
		w.replace(Atom{Op: Mod, X: x, Y: y}, rest)
	}
	w.replace(atom, q)
	w.facts = append(w.facts, known...)
}

func (w *where) replace(atom Atom, value Expr) {
	w.goal = w.goal.replaced(atom, value)
	for i, g := range w.facts {
		w.facts[i] = g.replaced(atom, value)
	}
}

// decides proves e ≥ 0 from the facts that have no functions, or that they contradict each other.
func (w *where) decides(e Expr) bool {
	known := NewFacts()
	for s, n := range w.least {
		known.least[s] = n
	}
	var facts []Expr
	for _, g := range w.facts {
		if _, functions := functionTerm(g); !functions {
			facts = append(facts, g.tightened())
		}
	}
	e, facts = known.solved(e, facts)
	for _, g := range facts {
		known.Assume(g)
	}
	if known.Proves(e) {
		return true
	}
	for _, g := range facts {
		if known.contradicts(g) { // nothing is at such a point
			return true
		}
	}
	return false
}

// solved uses equalities to express symbols by others.
func (f *Facts) solved(e Expr, facts []Expr) (Expr, []Expr) {
	for range len(facts) {
		symbol, value, ok := equality(facts)
		if !ok {
			break
		}
		env := map[string]Expr{symbol: value}
		if n, bounded := f.least[symbol]; bounded {
			facts = append(facts, Symbol(symbol).AddConst(-n))
		}
		e = e.Subst(env)
		var rest []Expr
		for _, g := range facts {
			if g = g.Subst(env).tightened(); !isZero(g) {
				rest = append(rest, g)
			}
		}
		facts = rest
	}
	return e, facts
}

func isZero(e Expr) bool { return len(e.terms) == 0 }

// equality finds two facts that say that a symbol has a value.
func equality(facts []Expr) (symbol string, value Expr, ok bool) {
	seen := map[string]bool{}
	for _, g := range facts {
		seen[g.String()] = true
	}
	for _, g := range facts {
		if !seen[g.Scale(-1).String()] {
			continue
		}
		for _, t := range g.terms {
			if len(t.Atoms) != 1 || t.Coefficient != 1 && t.Coefficient != -1 {
				continue
			}
			if rest := g.Sub(Symbol(t.Atoms[0].Symbol).Scale(t.Coefficient)); !rest.Uses(t.Atoms[0].Symbol) {
				return t.Atoms[0].Symbol, rest.Scale(-t.Coefficient), true
			}
		}
	}
	return "", Expr{}, false
}

// innermost finds a function whose operands have none.
func innermost(list []Expr) (Atom, bool) {
	for _, e := range list {
		for _, t := range e.terms {
			for _, a := range t.Atoms {
				if a.Op == "" {
					continue
				}
				if inner, ok := innermost([]Expr{a.X, a.Y}); ok {
					return inner, true
				}
				return a, true
			}
		}
	}
	return Atom{}, false
}

// replaced puts a value in the place of a function.
func (e Expr) replaced(atom Atom, value Expr) Expr {
	var in func(e Expr) Expr
	in = func(e Expr) Expr {
		var sum Expr
		for _, t := range e.terms {
			product := Const(t.Coefficient)
			for _, a := range t.Atoms {
				switch {
				case a.Op == "":
					product = product.Mul(atomExpr(a))
				case a.Op == atom.Op && a.X.Equal(atom.X) && a.Y.Equal(atom.Y):
					product = product.Mul(value)
				default:
					product = product.Mul(Apply(a.Op, in(a.X), in(a.Y)))
				}
			}
			sum = sum.Add(product)
		}
		return sum
	}
	return in(e)
}
