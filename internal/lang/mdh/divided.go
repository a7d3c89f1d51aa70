package mdh

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
)

// undivided returns the subscripts of an output with what their quotients and remainders
// determine: x by x / m and x % m together, and by x % m alone where x has no more than m
// values for the indices that no other subscript has by themselves, as i in (i + j) % N, j.
func (c *instance) undivided(results []affine.Expr) []affine.Expr {
	list := slices.Clone(results)
	for _, r := range results {
		t := r.Terms()
		rest := r
		for _, one := range t {
			if len(one.Atoms) == 1 && one.Atoms[0].Op == affine.Mod {
				x, m := one.Atoms[0].X, one.Atoms[0].Y
				rest = r.Sub(affine.Rem(x, m).Scale(one.Coefficient))
				if len(t) > 1 && c.usesIndex(rest) {
					continue
				}
				if slices.ContainsFunc(results, affine.Div(x, m).Equal) || c.spans(x, m, c.unknown(results)) {
					list = append(list, x)
				}
			}
		}
	}
	return list
}

func (c *instance) usesIndex(e affine.Expr) bool {
	return slices.ContainsFunc(c.box(), func(r affine.Range) bool { return e.Uses(r.Symbol) })
}

// unknown lists the ranges of the indices that are no subscript by themselves.
func (c *instance) unknown(results []affine.Expr) []affine.Range {
	return slices.DeleteFunc(c.box(), func(r affine.Range) bool {
		return slices.ContainsFunc(results, func(e affine.Expr) bool {
			coefficient, rest, ok := e.Linear(r.Symbol)
			return ok && coefficient*coefficient == 1 && !c.usesIndex(rest)
		})
	})
}

// spans reports whether an expression has no more than m values in a box.
func (c *instance) spans(e, m affine.Expr, box []affine.Range) bool {
	lo, hi, ok := c.facts.Extremes(e, box)
	return ok && c.facts.Proves(m.AddConst(-1).Sub(hi.Sub(lo)))
}

// shortened divides what can be divided: (M*N - 1) / M is N - 1.
func (c *instance) shortened(e affine.Expr) affine.Expr {
	for _, t := range e.Terms() {
		if len(t.Atoms) != 1 || t.Atoms[0].Op != affine.FloorDiv {
			continue
		}
		quotient, rest := c.quotient(t.Atoms[0].X, t.Atoms[0].Y)
		if len(quotient.Terms()) == 0 {
			continue
		}
		m := t.Atoms[0].Y
		whole := affine.Div(t.Atoms[0].X, m).Scale(t.Coefficient)
		switch {
		case c.facts.Proves(rest) && c.facts.Proves(m.AddConst(-1).Sub(rest)):
			return c.shortened(e.Sub(whole).Add(quotient.Scale(t.Coefficient)))
		case c.facts.Proves(rest.Scale(-1).AddConst(-1)) && c.facts.Proves(rest.Add(m)):
			return c.shortened(e.Sub(whole).Add(quotient.AddConst(-1).Scale(t.Coefficient)))
		}
	}
	return e
}

// quotient splits x into a multiple of a size and what is left.
func (c *instance) quotient(x, size affine.Expr) (quotient, rest affine.Expr) {
	name, ok := size.IsSymbol()
	if !ok {
		return affine.Expr{}, x
	}
	for _, t := range x.Terms() {
		term := affine.Const(t.Coefficient)
		divided, found := term, false
		for _, a := range t.Atoms {
			atom := affine.Symbol(a.Symbol)
			if a.Op != "" {
				atom = affine.Apply(a.Op, a.X, a.Y)
			}
			term = term.Mul(atom)
			if a.Op == "" && a.Symbol == name && !found {
				found = true
				continue
			}
			divided = divided.Mul(atom)
		}
		if found {
			quotient = quotient.Add(divided)
		} else {
			rest = rest.Add(term)
		}
	}
	return quotient, rest
}
