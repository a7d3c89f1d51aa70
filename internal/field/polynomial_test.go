package field_test

import (
	"math/big"
)

// A polynomial is coefficients by exponents.
type polynomial map[[3]int]*big.Rat

// polynomial draws one of all degrees up to one.
func (w *world) polynomial(degree int) polynomial { return w.polynomialOver(w.dim, degree) }

func (w *world) polynomialOver(dim, degree int) polynomial {
	f := polynomial{}
	for n := range 64 {
		e := [3]int{n % 4, n / 4 % 4, n / 16}
		if e[0]+e[1]+e[2] <= degree && (e[1] == 0 || dim > 1) && (e[2] == 0 || dim > 2) {
			f[e] = w.number(1)
		}
	}
	return f
}

func (f polynomial) derive(axis int) polynomial {
	d := polynomial{}
	for e, c := range f {
		if n := e[axis]; n > 0 {
			e[axis]--
			d[e] = new(big.Rat).Mul(c, big.NewRat(int64(n), 1))
		}
	}
	return d
}

func (f polynomial) at(x []*big.Rat) *big.Rat {
	total := new(big.Rat)
	for e, c := range f {
		term := new(big.Rat).Set(c)
		for axis, v := range x {
			for range e[axis] {
				term.Mul(term, v)
			}
		}
		total.Add(total, term)
	}
	return total
}

// invert is by the formula of cofactors; matrices that are nearly singular are not ok.
func invert(m []*big.Rat, n int) ([]*big.Rat, bool) {
	if len(m) != n*n {
		return nil, false
	}
	minor := func(row, column int) *big.Rat {
		var list []*big.Rat
		for k, v := range m {
			if k/n != row && k%n != column {
				list = append(list, v)
			}
		}
		return determinant(list, n-1)
	}
	det := determinant(m, n)
	if new(big.Rat).Abs(det).Cmp(big.NewRat(1, 4)) < 0 {
		return nil, false
	}
	inverse := make([]*big.Rat, n*n)
	for k := range inverse {
		v := minor(k%n, k/n)
		if (k%n+k/n)%2 == 1 {
			v.Neg(v)
		}
		inverse[k] = v.Quo(v, det)
	}
	return inverse, true
}

func determinant(m []*big.Rat, n int) *big.Rat {
	if n == 0 {
		return big.NewRat(1, 1)
	}
	total := new(big.Rat)
	for column := range n {
		var rest []*big.Rat
		for k, v := range m[n:] {
			if k%n != column {
				rest = append(rest, v)
			}
		}
		term := determinant(rest, n-1)
		term.Mul(term, m[column])
		if column%2 == 1 {
			term.Neg(term)
		}
		total.Add(total, term)
	}
	return total
}

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// place is the number of a component, row by row, and indices are its inverse.
func place(alpha, shape []int) int {
	n := 0
	for axis, i := range alpha {
		n = n*shape[axis] + i
	}
	return n
}

func indices(n int, shape []int) []int {
	alpha := make([]int, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		alpha[axis] = n % shape[axis]
		n /= shape[axis]
	}
	return alpha
}
