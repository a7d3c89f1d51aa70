package affine

import "slices"

// A Range is the non-empty interval [Min, Min+Extent) of an index.
type Range struct {
	Symbol      string
	Min, Extent Expr
}

// Last returns the greatest value of the range.
func (r Range) Last() Expr { return r.Min.Add(r.Extent).AddConst(-1) }

// Extremes returns bounds of e over a non-empty box of indices: lo ≤ e ≤ hi for
// every point. They are attained when e is affine; where an index occurs several
// times inside functions they may be wider. ok is false when no bound is known.
// Indices with the ranges of other indices in Min or Extent must come first.
func (f *Facts) Extremes(e Expr, box []Range) (lo, hi Expr, ok bool) {
	known := f.withBox(box)
	lo, okLo := known.extreme(e, box, false)
	hi, okHi := known.extreme(e, box, true)
	return lo, hi, okLo && okHi
}

// withBox adds what the box says about its symbols.
func (f *Facts) withBox(box []Range) *Facts {
	known := f.Clone()
	for _, r := range box {
		s := Symbol(r.Symbol)
		known.Assume(s.Sub(r.Min))
		known.Assume(r.Last().Sub(s))
	}
	return known
}

// extreme eliminates the indices from the last to the first.
func (f *Facts) extreme(e Expr, box []Range, upper bool) (Expr, bool) {
	for i := len(box) - 1; i >= 0; i-- {
		r := box[i]
		if !e.Uses(r.Symbol) {
			continue
		}
		var ok bool
		if e, ok = f.boundFunctions(e, r.Symbol, box, upper); !ok {
			return Expr{}, false
		}
		if e, ok = f.extremeOver(e, r, upper); !ok {
			return Expr{}, false
		}
	}
	return e, true
}

// extremeOver replaces the index of r, which stands in no function, by the end
// of its range that makes e extreme.
func (f *Facts) extremeOver(e Expr, r Range, upper bool) (Expr, bool) {
	if !e.Uses(r.Symbol) {
		return e, true
	}
	factor, rest, ok := e.coefficientOf(r.Symbol)
	if !ok {
		return Expr{}, false
	}
	atFirst, atLast := rest.Add(factor.Mul(r.Min)), rest.Add(factor.Mul(r.Last()))
	switch {
	case f.Proves(factor):
		if upper {
			return atLast, true
		}
		return atFirst, true
	case f.Proves(factor.Scale(-1)):
		if upper {
			return atFirst, true
		}
		return atLast, true
	case upper:
		return MaxOf(atFirst, atLast), true
	}
	return MinOf(atFirst, atLast), true
}

// coefficientOf splits e as factor·symbol + rest; the symbol must not stand in a
// function or a power.
func (e Expr) coefficientOf(symbol string) (factor, rest Expr, ok bool) {
	for _, t := range e.terms {
		at := -1
		for i, a := range t.Atoms {
			switch {
			case a.Op != "" && atomExpr(a).Uses(symbol):
				return Expr{}, Expr{}, false
			case a.Op == "" && a.Symbol == symbol && at >= 0:
				return Expr{}, Expr{}, false
			case a.Op == "" && a.Symbol == symbol:
				at = i
			}
		}
		term := Expr{terms: []Term{t}}
		if at < 0 {
			rest = rest.Add(term)
			continue
		}
		atoms := append(append([]Atom(nil), t.Atoms[:at]...), t.Atoms[at+1:]...)
		factor = factor.Add(Expr{terms: []Term{{Coefficient: t.Coefficient, Atoms: atoms}}})
	}
	return factor, rest, true
}

// boundFunctions replaces every function of e that uses the symbol by a bound
// that makes e extreme.
func (f *Facts) boundFunctions(e Expr, symbol string, box []Range, upper bool) (Expr, bool) {
	var sum Expr
	for _, t := range e.terms {
		at := -1
		for i, a := range t.Atoms {
			if a.Op != "" && atomExpr(a).Uses(symbol) {
				if at >= 0 {
					return Expr{}, false
				}
				at = i
			}
		}
		if at < 0 {
			sum = sum.Add(Expr{terms: []Term{t}})
			continue
		}
		factor := Const(t.Coefficient)
		for i, a := range t.Atoms {
			if i != at {
				factor = factor.Mul(atomExpr(a))
			}
		}
		up := upper
		if !f.Proves(factor) {
			if !f.Proves(factor.Scale(-1)) {
				return Expr{}, false
			}
			up = !upper
		}
		bound, ok := f.boundAtom(t.Atoms[at], box, up)
		if !ok {
			return Expr{}, false
		}
		sum = sum.Add(factor.Mul(bound))
	}
	return sum, true
}

// boundAtom bounds one function application over the box.
func (f *Facts) boundAtom(a Atom, box []Range, upper bool) (Expr, bool) {
	x, okX := f.extreme(a.X, box, upper)
	switch a.Op {
	case Min, Max:
		y, okY := f.extreme(a.Y, box, upper)
		bound := Apply(a.Op, x, y)
		// min(x, y) ≤ (x + y)/2 ≤ max(x, y) is tight for reflections, whose
		// operands move against each other.
		if (a.Op == Min) == upper {
			if sum, ok := f.extreme(a.X.Add(a.Y), box, upper); ok {
				if a.Op == Max {
					sum = sum.AddConst(1)
				}
				bound = Apply(a.Op, bound, Div(sum, Const(2)))
			}
		}
		return bound, okX && okY
	case FloorDiv:
		return Div(x, a.Y), okX && !usesAny(a.Y, box) && f.Proves(a.Y.AddConst(-1))
	}
	if usesAny(a.Y, box) || !f.Proves(a.Y.AddConst(-1)) {
		return Expr{}, false
	}
	lo, okLo := f.extreme(a.X, box, false)
	hi, okHi := f.extreme(a.X, box, true)
	natural := okLo && okHi && f.Proves(lo)
	switch {
	case natural && f.Proves(a.Y.AddConst(-1).Sub(hi)):
		return x, true // the modulus changes nothing
	case natural && upper && !f.Proves(hi.Sub(a.Y.AddConst(-1))):
		return MinOf(a.Y.AddConst(-1), hi), true // i % 3 of i in 0:N is no more than N - 1
	case upper:
		return a.Y.AddConst(-1), true
	}
	return Expr{}, true
}

func usesAny(e Expr, box []Range) bool {
	for _, r := range box {
		if e.Uses(r.Symbol) {
			return true
		}
	}
	return false
}

// SolveInterval returns the largest interval [lo, hi] of the symbol such that
// 0 ≤ e < extent for every point of the box of the other indices (the universal
// quantification of the TC paper, section 3.1). e must be linear in the symbol
// with a coefficient of known sign, or in a quotient of such an expression by a positive
// number; ok is false otherwise.
func (f *Facts) SolveInterval(e Expr, symbol string, extent Expr, box []Range) (lo, hi Expr, ok bool) {
	if quotient, linear, ok := e.quotientOf(symbol); ok {
		x, y := quotient.X, quotient.Y
		if y.Uses(symbol) || usesAny(y, box) || !f.Proves(y.AddConst(-1)) {
			return Expr{}, Expr{}, false
		}
		lo, hi, ok := f.SolveInterval(linear, quotientSymbol, extent, box)
		if !ok || slices.ContainsFunc(box, func(r Range) bool { return x.Uses(r.Symbol) && linear.Uses(r.Symbol) }) {
			return Expr{}, Expr{}, false
		}
		// lo ≤ ⌊x/y⌋ ≤ hi are y·lo ≤ x < y·(hi + 1)
		return f.SolveInterval(x.Sub(y.Mul(lo)), symbol, y.Mul(hi.Sub(lo).AddConst(1)), box)
	}
	factor, rest, ok := e.coefficientOf(symbol)
	if !ok || usesAny(factor, box) {
		return Expr{}, Expr{}, false
	}
	restLo, restHi, ok := f.Extremes(rest, box)
	if !ok {
		return Expr{}, Expr{}, false
	}
	room := extent.AddConst(-1).Sub(restHi)
	switch {
	case f.Proves(factor.AddConst(-1)):
		return Div(restLo, factor).Scale(-1), Div(room, factor), true
	case f.Proves(factor.Scale(-1).AddConst(-1)):
		d := factor.Scale(-1)
		return Div(room, d).Scale(-1), Div(restLo, d), true
	}
	return Expr{}, Expr{}, false
}

// quotientSymbol stands for a quotient that uses a symbol; no program has such a name.
const quotientSymbol = "⌊/⌋"

// quotientOf finds the only function in which the symbol occurs, if that is a quotient and the symbol
// occurs nowhere else; linear is e with quotientSymbol in its place.
func (e Expr) quotientOf(symbol string) (quotient Atom, linear Expr, ok bool) {
	for _, t := range e.terms {
		term := Const(t.Coefficient)
		for _, a := range t.Atoms {
			switch {
			case !atomExpr(a).Uses(symbol):
				term = term.Mul(atomExpr(a))
			case a.Op != FloorDiv || ok && a.key() != quotient.key():
				return Atom{}, Expr{}, false
			default:
				quotient, ok = a, true
				term = term.Mul(Symbol(quotientSymbol))
			}
		}
		linear = linear.Add(term)
	}
	return quotient, linear, ok
}
