package loop

import (
	"cmp"
	"slices"
)

// A polynomial is Σ coefficient·product of atoms, sorted by the products, none of
// which occurs twice. The constant has no atoms. It is immutable.
type polynomial []monomial

type monomial struct {
	factors     []*atom // the latest first
	coefficient int64
}

func constantPolynomial(v int64) polynomial {
	if v == 0 {
		return nil
	}
	return polynomial{{coefficient: v}}
}

// polynomial multiplies the products of a form out.
func (f affineForm) polynomial() polynomial {
	p := append(polynomial(nil), constantPolynomial(f.constant)...)
	for _, t := range f.terms {
		factors := t.atom.factors()
		slices.SortFunc(factors, func(a, b *atom) int { return b.number - a.number })
		p = append(p, monomial{factors, t.coefficient})
	}
	return p.normal()
}

func compareFactors(x, y monomial) int {
	return slices.CompareFunc(x.factors, y.factors, func(a, b *atom) int { return cmp.Compare(a.number, b.number) })
}

// normal sorts and adds up what it owns.
func (p polynomial) normal() polynomial {
	slices.SortFunc(p, compareFactors)
	sum := p[:0]
	for _, m := range p {
		if last := len(sum) - 1; last >= 0 && compareFactors(sum[last], m) == 0 {
			sum[last].coefficient = checked(addExact(sum[last].coefficient, m.coefficient))
		} else {
			sum = append(sum, m)
		}
	}
	return slices.DeleteFunc(sum, func(m monomial) bool { return m.coefficient == 0 })
}

func (p polynomial) add(q polynomial) polynomial { return slices.Concat(p, q).normal() }

func (p polynomial) plus(n int64) polynomial { return p.add(constantPolynomial(n)) }

func (p polynomial) scale(n int64) polynomial { return p.multiply(constantPolynomial(n)) }

func (p polynomial) multiply(q polynomial) polynomial {
	product := make(polynomial, 0, len(p)*len(q))
	for _, x := range p {
		for _, y := range q {
			factors := slices.Concat(x.factors, y.factors)
			slices.SortFunc(factors, func(a, b *atom) int { return b.number - a.number })
			product = append(product, monomial{factors, checked(mulExact(x.coefficient, y.coefficient))})
		}
	}
	return product.normal()
}

// latest returns the latest atom, nil for a constant.
func (p polynomial) latest() *atom {
	if len(p) == 0 || len(p[len(p)-1].factors) == 0 {
		return nil
	}
	return p[len(p)-1].factors[0] // the greatest product starts with it
}

// split writes p, which has no later atom than a, as a·factor + rest with no a in
// the rest.
func (p polynomial) split(a *atom) (factor, rest polynomial) {
	for _, m := range p {
		if len(m.factors) > 0 && m.factors[0] == a {
			factor = append(factor, monomial{m.factors[1:], m.coefficient})
		} else {
			rest = append(rest, m)
		}
	}
	return factor.normal(), rest
}

// constant returns the value of a polynomial without atoms.
func (p polynomial) constant() (int64, bool) {
	switch {
	case len(p) == 0:
		return 0, true
	case len(p) == 1 && len(p[0].factors) == 0:
		return p[0].coefficient, true
	}
	return 0, false
}

// reduced divides by the common divisor of the coefficients of atoms and rounds the
// constant down; p ≥ 0 is unchanged.
func (p polynomial) reduced() polynomial {
	var divisor int64
	for _, m := range p {
		if len(m.factors) > 0 {
			divisor = gcd(divisor, m.coefficient)
		}
	}
	if divisor <= 1 {
		return p
	}
	r := make(polynomial, 0, len(p))
	for _, m := range p {
		r = append(r, monomial{m.factors, floorDivide(m.coefficient, divisor)})
	}
	return r.normal()
}

// key identifies a polynomial.
func (p polynomial) key() string {
	var key []byte
	number := func(n int64) {
		for ; n > 0x7f || n < -0x40; n >>= 7 {
			key = append(key, byte(n)|0x80)
		}
		key = append(key, byte(n)&0x7f)
	}
	for _, m := range p {
		number(m.coefficient)
		number(int64(len(m.factors)))
		for _, a := range m.factors {
			number(int64(a.number))
		}
	}
	return string(key)
}

// divide returns p/q where it is a polynomial.
func (p polynomial) divide(q polynomial) (quotient polynomial, ok bool) {
	if len(q) == 0 {
		return nil, false
	}
	for lead := q[len(q)-1]; len(p) > 0; {
		top := p[len(p)-1]
		factors, divides := without(top.factors, lead.factors)
		if !divides || top.coefficient%lead.coefficient != 0 || len(quotient) == maxMonomials {
			return nil, false
		}
		term := polynomial{{factors, top.coefficient / lead.coefficient}}
		quotient = append(quotient, term...)
		p = p.add(term.multiply(q).scale(-1))
	}
	return quotient.normal(), true
}

// without removes each of some atoms once.
func without(factors, some []*atom) (rest []*atom, ok bool) {
	rest = slices.Clone(factors)
	for _, a := range some {
		i := slices.Index(rest, a)
		if i < 0 {
			return nil, false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return rest, true
}
