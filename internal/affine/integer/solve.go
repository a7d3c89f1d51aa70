package integer

import "slices"

// A problem is a system on the way to its solution. Eliminated variables no longer
// occur; equations may bring new ones.
type problem struct {
	variables    int
	equal, least []row
}

// work counts the steps of one search.
type work struct{ steps int }

func (w *work) spend(rows int) {
	if w.steps -= rows + 1; w.steps < 0 {
		panic(errLimit)
	}
}

// solve returns values of all variables, or false when there is no solution.
func (w *work) solve(p problem) ([]int64, bool) {
	w.spend(len(p.equal) + len(p.least))
	if len(p.equal) > 0 {
		return w.solveEquation(p)
	}
	p, ok := p.normal()
	switch v := p.cheapest(); {
	case !ok:
		return nil, false
	case len(p.equal) > 0:
		return w.solveEquation(p)
	case v < 0:
		return make([]int64, p.variables), true
	default:
		return w.eliminate(p, v)
	}
}

// normal divides every inequality by its common factor and drops the ones that say
// nothing; of parallel ones the tightest stays, and opposite ones that meet are an
// equation. ok is false when one cannot hold.
func (p problem) normal() (_ problem, ok bool) {
	q := problem{variables: p.variables}
	type interval struct {
		below, above row // c·x + constant ≥ 0 and −c·x + constant ≥ 0
		has          [2]bool
	}
	intervals := map[string]*interval{}
	var order []string
	for _, r := range p.least {
		g := r.divisor()
		if g == 0 {
			if r.constant < 0 {
				return q, false
			}
			continue
		}
		r = r.divided(g)
		key, sign := r.key()
		i := intervals[key]
		if i == nil {
			i = &interval{}
			intervals[key], order = i, append(order, key)
		}
		if side := int(1-sign) / 2; side == 0 && (!i.has[0] || r.constant < i.below.constant) {
			i.below, i.has[0] = r, true
		} else if side == 1 && (!i.has[1] || r.constant < i.above.constant) {
			i.above, i.has[1] = r, true
		}
	}
	for _, key := range order {
		i := intervals[key]
		if i.has[0] && i.has[1] {
			width := add(i.below.constant, i.above.constant)
			if width < 0 {
				return q, false
			}
			if width == 0 {
				q.equal = append(q.equal, i.below)
				continue
			}
		}
		if i.has[0] {
			q.least = append(q.least, i.below)
		}
		if i.has[1] {
			q.least = append(q.least, i.above)
		}
	}
	return q, true
}

// solveEquation solves the first equation for one of its variables.
func (w *work) solveEquation(p problem) ([]int64, bool) {
	e, v := p.equal[0], -1
	g := e.divisor()
	switch {
	case g == 0 && e.constant != 0, g != 0 && e.constant%g != 0:
		return nil, false
	case g == 0:
		return w.solve(problem{variables: p.variables, equal: p.equal[1:], least: p.least})
	case g > 1:
		e = e.divided(g)
		p.equal = append([]row{e}, p.equal[1:]...)
	}
	for i, c := range e.coefficients {
		if c != 0 && (v < 0 || magnitude(c) < magnitude(e.coefficients[v])) {
			v = i
		}
	}
	c := e.coefficients[v]
	sign := int64(1)
	if c < 0 {
		sign = -1
	}
	if c*sign == 1 {
		value := row{coefficients: make([]int64, p.variables)}.combined(0, e, -sign)
		value.coefficients[v] = 0
		p.equal = p.equal[1:]
		return w.with(p.substituted(v, value), v, value)
	}
	// All coefficients are taken modulo |c|+1, which makes that of v ±1; what is
	// lost is a multiple of the modulus, the new variable.
	modulus := c*sign + 1
	p = p.widened(p.variables + 1)
	e = p.equal[0]
	value := row{coefficients: make([]int64, p.variables), constant: sign * balanced(e.constant, modulus)}
	for i, a := range e.coefficients {
		if i != v {
			value.coefficients[i] = sign * balanced(a, modulus)
		}
	}
	value.coefficients[p.variables-1] = multiply(-sign, modulus)
	return w.with(p.substituted(v, value), v, value)
}

// balanced returns a modulo m between −m/2 and m/2.
func balanced(a, m int64) int64 { return a - m*floorDiv(add(multiply(2, a), m), multiply(2, m)) }

// with solves the problem and puts in the value of a variable that it no longer has.
func (w *work) with(p problem, v int, value row) ([]int64, bool) {
	values, ok := w.solve(p)
	if !ok {
		return nil, false
	}
	values[v] = value.value(values)
	return values, true
}

func (p problem) substituted(v int, value row) problem {
	q := problem{variables: p.variables}
	for _, r := range p.equal {
		q.equal = append(q.equal, r.substituted(v, value))
	}
	for _, r := range p.least {
		q.least = append(q.least, r.substituted(v, value))
	}
	return q
}

func (p problem) widened(n int) problem {
	q := problem{variables: n}
	for _, r := range p.equal {
		q.equal = append(q.equal, r.widened(n))
	}
	for _, r := range p.least {
		q.least = append(q.least, r.widened(n))
	}
	return q
}

// cheapest returns the variable whose elimination makes the fewest rows, an exact
// one before all others, or -1 when no variable occurs.
func (p problem) cheapest() int {
	best, bestCost := -1, 0
	for v := range p.variables {
		lower, upper, exact := p.bounds(v)
		if len(lower)+len(upper) == 0 {
			continue
		}
		cost := len(lower)*len(upper) - len(lower) - len(upper)
		if !exact {
			cost += 1 << 20
		}
		if best < 0 || cost < bestCost {
			best, bestCost = v, cost
		}
	}
	return best
}

// bounds returns the inequalities in which a variable has a positive and a
// negative coefficient, and whether eliminating it is exact.
func (p problem) bounds(v int) (lower, upper []row, exact bool) {
	unitBelow, unitAbove := true, true
	for _, r := range p.least {
		switch c := r.coefficients[v]; {
		case c > 0:
			lower, unitBelow = append(lower, r), unitBelow && c == 1
		case c < 0:
			upper, unitAbove = append(upper, r), unitAbove && c == -1
		}
	}
	return lower, upper, unitBelow || unitAbove
}

// eliminate removes a variable from the inequalities, and finds its value.
func (w *work) eliminate(p problem, v int) ([]int64, bool) {
	lower, upper, exact := p.bounds(v)
	others := problem{variables: p.variables, least: slices.DeleteFunc(slices.Clone(p.least), func(r row) bool { return r.coefficients[v] != 0 })}
	shadow := func(dark bool) problem {
		if len(lower)*len(upper) > w.steps { // before they take memory
			panic(errLimit)
		}
		q := problem{variables: p.variables, least: slices.Clone(others.least)}
		for _, l := range lower {
			for _, u := range upper {
				a, b := l.coefficients[v], -u.coefficients[v]
				r := l.combined(b, u, a)
				if dark {
					r.constant = add(r.constant, -multiply(a-1, b-1))
				}
				q.least = append(q.least, r)
			}
		}
		return q
	}
	if values, ok := w.solve(shadow(!exact)); ok {
		values[v] = between(lower, upper, v, values)
		return values, true
	}
	if exact {
		return nil, false
	}
	if _, ok := w.solve(shadow(false)); !ok {
		return nil, false
	}
	return w.splinters(p, v, lower, upper)
}

// splinters tries the planes near the lower bounds in which the solutions lie that
// the dark shadow misses.
func (w *work) splinters(p problem, v int, lower, upper []row) ([]int64, bool) {
	steepest := int64(1)
	for _, u := range upper {
		steepest = max(steepest, -u.coefficients[v])
	}
	for _, l := range lower {
		a := l.coefficients[v]
		for i := range (multiply(steepest, a)-steepest-a)/steepest + 1 {
			plane := row{l.coefficients, add(l.constant, -i)}
			if values, ok := w.solve(problem{variables: p.variables, equal: []row{plane}, least: p.least}); ok {
				return values[:p.variables], true
			}
		}
	}
	return nil, false
}

// between returns the value of a variable that all of its bounds allow, of several
// the one nearest to the lower bound; the values of all others are known.
func between(lower, upper []row, v int, values []int64) int64 {
	values[v] = 0
	value, has := int64(0), false
	for _, l := range lower {
		if least := ceilDiv(-l.value(values), l.coefficients[v]); !has || least > value {
			value, has = least, true
		}
	}
	if has {
		return value
	}
	for _, u := range upper {
		if most := floorDiv(u.value(values), -u.coefficients[v]); !has || most < value {
			value, has = most, true
		}
	}
	return value
}
