package affine

import (
	"maps"
	"math/big"
)

// A row is an inequality Σ coefficient·unknown + constant ≥ 0 whose unknowns are
// monomials.
type row struct {
	coefficients map[string]*big.Int
	constant     *big.Int
}

// contradicts reports whether e ≥ 0 is impossible under the facts. e has no
// functions.
func (f *Facts) contradicts(e Expr) bool {
	relevant := map[string]bool{}
	e.Symbols(relevant)
	rows := []row{f.shifted(e)}
	symbols, shared := make([]map[string]bool, len(f.assumed)), make([]bool, len(f.assumed))
	for k, a := range f.assumed {
		symbols[k] = map[string]bool{}
		a.Symbols(symbols[k])
	}
	for changed := true; changed; { // assumptions that share symbols, to a fixed point
		changed = false
		for k, set := range symbols {
			if shared[k] || !intersects(set, relevant) {
				continue
			}
			shared[k], changed = true, true
			maps.Copy(relevant, set)
		}
	}
	for k, a := range f.assumed {
		if _, functions := functionTerm(a); !functions && shared[k] {
			rows = append(rows, f.shifted(a))
			rows = append(rows, f.products(a, e)...)
		}
	}
	return eliminate(rows, f.nonNegative(rows))
}

// products multiplies an assumption by the bounded symbols that stand in a
// product in e, so that non-linear goals can use it.
func (f *Facts) products(a, e Expr) []row {
	factors := map[string]bool{}
	for _, t := range e.terms {
		if len(t.Atoms) > 1 {
			for _, atom := range t.Atoms {
				factors[atom.Symbol] = true
			}
		}
	}
	var rows []row
	for s := range factors {
		if n, ok := f.least[s]; ok && n >= 0 {
			rows = append(rows, f.shifted(a.Mul(Symbol(s))))
		}
	}
	return rows
}

func intersects(a, b map[string]bool) bool {
	for s := range a {
		if b[s] {
			return true
		}
	}
	return false
}

// shifted rewrites every bounded symbol as its least value plus an unknown that
// is not negative.
func (f *Facts) shifted(e Expr) row {
	env := map[string]Expr{}
	set := map[string]bool{}
	e.Symbols(set)
	for s := range set {
		if n, ok := f.least[s]; ok {
			env[s] = Symbol(s).AddConst(n)
		}
	}
	r := row{coefficients: map[string]*big.Int{}, constant: new(big.Int)}
	for _, t := range e.Subst(env).terms {
		if len(t.Atoms) == 0 {
			r.constant.SetInt64(t.Coefficient)
			continue
		}
		r.coefficients[t.key()] = big.NewInt(t.Coefficient)
	}
	return r
}

// nonNegative returns the monomials of the rows all of whose symbols are
// bounded, which makes them products of non-negative unknowns. Squares count too.
func (f *Facts) nonNegative(rows []row) map[string]bool {
	result := map[string]bool{}
	for _, r := range rows {
		for key := range r.coefficients {
			result[key] = f.monomialBounded(key)
		}
	}
	return result
}

func (f *Facts) monomialBounded(key string) bool {
	start := 0
	for i := 0; i <= len(key); i++ {
		if i == len(key) || key[i] == '*' {
			if _, ok := f.least[key[start:i]]; !ok {
				return false
			}
			start = i + 1
		}
	}
	return true
}

// eliminate runs Fourier–Motzkin; true means that the rows have no solution.
func eliminate(rows []row, nonNegative map[string]bool) bool {
	for {
		for _, r := range rows {
			if isContradiction(r, nonNegative) {
				return true
			}
		}
		key, ok := cheapestUnknown(rows, nonNegative)
		if !ok {
			return false
		}
		rows = eliminateUnknown(rows, key, nonNegative[key])
		if len(rows) > rowLimit {
			return false
		}
	}
}

// isContradiction: a negative constant and no coefficient that could lift it.
func isContradiction(r row, nonNegative map[string]bool) bool {
	if r.constant.Sign() >= 0 {
		return false
	}
	for key, c := range r.coefficients {
		if c.Sign() > 0 || !nonNegative[key] {
			return false
		}
	}
	return true
}

// cheapestUnknown picks the unknown whose elimination makes the fewest rows.
func cheapestUnknown(rows []row, nonNegative map[string]bool) (string, bool) {
	type count struct{ up, down int }
	counts := map[string]*count{}
	for _, r := range rows {
		for key, c := range r.coefficients {
			if counts[key] == nil {
				counts[key] = &count{}
				if nonNegative[key] {
					counts[key].up = 1
				}
			}
			if c.Sign() > 0 {
				counts[key].up++
			} else {
				counts[key].down++
			}
		}
	}
	best, bestCost := "", -1
	for key, c := range counts {
		cost := c.up*c.down - c.up - c.down
		if bestCost < 0 && best == "" || cost < bestCost || cost == bestCost && key < best {
			best, bestCost = key, cost
		}
	}
	return best, best != ""
}

func eliminateUnknown(rows []row, key string, nonNegative bool) []row {
	var kept, up, down []row
	for _, r := range rows {
		switch c := r.coefficients[key]; {
		case c == nil:
			kept = append(kept, r)
		case c.Sign() > 0:
			up = append(up, r)
		default:
			down = append(down, r)
		}
	}
	if nonNegative {
		up = append(up, row{coefficients: map[string]*big.Int{key: big.NewInt(1)}, constant: new(big.Int)})
	}
	for _, u := range up {
		for _, d := range down {
			kept = append(kept, combine(u, d, key))
		}
	}
	return kept
}

// combine adds positive multiples of two rows so that key cancels.
func combine(u, d row, key string) row {
	a, b := new(big.Int).Neg(d.coefficients[key]), u.coefficients[key]
	r := row{coefficients: map[string]*big.Int{}, constant: new(big.Int)}
	add := func(from row, factor *big.Int) {
		r.constant.Add(r.constant, new(big.Int).Mul(from.constant, factor))
		for k, c := range from.coefficients {
			if r.coefficients[k] == nil {
				r.coefficients[k] = new(big.Int)
			}
			r.coefficients[k].Add(r.coefficients[k], new(big.Int).Mul(c, factor))
		}
	}
	add(u, a)
	add(d, b)
	for k, c := range r.coefficients {
		if c.Sign() == 0 {
			delete(r.coefficients, k)
		}
	}
	return r
}
