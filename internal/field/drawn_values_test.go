package field

import "math/big"

// polynomials is an environment in which all images and fields are polynomials of degree 3, whose coefficients depend on
// the parameter and the component only. It computes with any numbers.
type polynomials[N any] struct{ Numbers[N] }

func (e polynomials[N]) number(name string, alpha []int, salt uint64) N {
	h := salt*2654435761 + 97
	for _, c := range name {
		h = h*31 + uint64(c)
	}
	for _, a := range alpha {
		h = h*31 + uint64(a) + 7
	}
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 32
	return e.Of(big.NewRat(int64(h%11)-5, int64(h/11%3)+1))
}

func (e polynomials[N]) Tensor(p *Param, alpha []int) (N, error) {
	return e.number(p.Name, alpha, 1), nil
}

func (e polynomials[N]) Field(p, _ *Param, alpha, beta []int, at []N) (N, error) {
	var order [3]int
	for _, axis := range beta {
		order[axis]++
	}
	total := e.Of(new(big.Rat))
	for salt, exponents := range newBasis(p.Dim, 3).exponents {
		term := e.number(p.Name, alpha, uint64(salt)+2)
		for axis := range p.Dim {
			for n := range exponents[axis] {
				if n < order[axis] {
					term = e.Mul(term, e.Of(big.NewRat(int64(exponents[axis]-n), 1)))
				} else {
					term = e.Mul(term, at[axis])
				}
			}
			if order[axis] > exponents[axis] {
				term = e.Of(new(big.Rat))
			}
		}
		total = e.Add(total, term)
	}
	return total, nil
}
