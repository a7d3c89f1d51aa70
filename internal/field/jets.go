package field

import (
	"fmt"
	"math/big"
)

// A jet is a function near a point: the coefficients of its Taylor polynomial in Dim variables up to a degree.
type jet[N any] struct {
	basis *basis
	of    []N
}

// A basis lists the exponents of all monomials up to a degree.
type basis struct {
	dim, degree int
	exponents   [][3]int
	number      map[[3]int]int
}

func newBasis(dim, degree int) *basis {
	b := &basis{dim: dim, degree: degree, number: map[[3]int]int{}}
	limit := func(axis, left int) int {
		if axis < dim {
			return left
		}
		return 0
	}
	for total := 0; total <= degree; total++ {
		for x := limit(0, total); x >= 0; x-- {
			for y := limit(1, total-x); y >= 0; y-- {
				z := total - x - y
				if z > limit(2, z) {
					continue
				}
				e := [3]int{x, y, z}
				b.number[e] = len(b.exponents)
				b.exponents = append(b.exponents, e)
			}
		}
	}
	return b
}

// Jets evaluates functions of a point by arithmetic on Taylor polynomials. It knows no rule of differentiation but that of
// monomials.
type jets[N any] struct {
	Numbers[N]
	dim   int
	bases map[int]*basis
	few   []N // the first numbers, which are wanted again and again
}

func (j *jets[N]) basis(degree int) *basis {
	if j.bases[degree] == nil {
		j.bases[degree] = newBasis(j.dim, degree)
	}
	return j.bases[degree]
}

func (j *jets[N]) int(n int64) N {
	if n < 0 || n >= 4 {
		return j.Of(big.NewRat(n, 1))
	}
	for len(j.few) < 4 {
		j.few = append(j.few, j.Of(big.NewRat(int64(len(j.few)), 1)))
	}
	return j.few[n]
}

func (j *jets[N]) zero(degree int) jet[N] {
	b := j.basis(degree)
	r := jet[N]{b, make([]N, len(b.exponents))}
	for n := range r.of {
		r.of[n] = j.int(0)
	}
	return r
}

func (j *jets[N]) constant(degree int, v N) jet[N] {
	r := j.zero(degree)
	r.of[0] = v
	return r
}

func (j *jets[N]) add(a, b jet[N]) jet[N] {
	r := j.zero(a.basis.degree)
	for n := range r.of {
		r.of[n] = j.Add(a.of[n], b.of[n])
	}
	return r
}

func (j *jets[N]) mul(a, b jet[N]) jet[N] {
	r := j.zero(a.basis.degree)
	for n, x := range a.basis.exponents {
		if j.Sign(a.of[n]) == 0 {
			continue
		}
		for m, y := range b.basis.exponents {
			to, ok := r.basis.number[[3]int{x[0] + y[0], x[1] + y[1], x[2] + y[2]}]
			if ok && j.Sign(b.of[m]) != 0 {
				r.of[to] = j.Add(r.of[to], j.Mul(a.of[n], b.of[m]))
			}
		}
	}
	return r
}

func (j *jets[N]) scale(v N, a jet[N]) jet[N] { return j.mul(j.constant(a.basis.degree, v), a) }

// derive differentiates along an axis: the degree falls by one.
func (j *jets[N]) derive(a jet[N], axis int) jet[N] {
	r := j.zero(a.basis.degree - 1)
	for n, e := range r.basis.exponents {
		e[axis]++
		r.of[n] = j.Mul(j.int(int64(e[axis])), a.of[a.basis.number[e]])
	}
	return r
}

// compose is f(a), where series are the Taylor coefficients of f at the value of a: Horner's scheme in what is left of a.
func (j *jets[N]) compose(series []N, a jet[N]) jet[N] {
	rest := jet[N]{a.basis, append([]N(nil), a.of...)}
	rest.of[0] = j.int(0)
	r := j.constant(a.basis.degree, series[len(series)-1])
	for n := len(series) - 2; n >= 0; n-- {
		r = j.add(j.mul(r, rest), j.constant(a.basis.degree, series[n]))
	}
	return r
}

// substitute is f(a, b, …), where f are the Taylor coefficients at the values of a, b, …: what is left of these stands for its
// variables.
func (j *jets[N]) substitute(f jet[N], places []jet[N]) jet[N] {
	degree := f.basis.degree
	powers := make([][]jet[N], len(places)) // of each, from 0 on
	for axis, a := range places {
		rest := jet[N]{a.basis, append([]N(nil), a.of...)}
		rest.of[0] = j.int(0)
		powers[axis] = []jet[N]{j.constant(degree, j.int(1))}
		for n := range degree {
			powers[axis] = append(powers[axis], j.mul(powers[axis][n], rest))
		}
	}
	r := j.zero(degree)
	for n, exponents := range f.basis.exponents {
		part := j.constant(degree, f.of[n])
		for axis := range places {
			if exponents[axis] > 0 {
				part = j.mul(part, powers[axis][exponents[axis]])
			}
		}
		r = j.add(r, part)
	}
	return r
}

func (j *jets[N]) div(a, b jet[N]) (jet[N], error) {
	series, err := j.powers(b.of[0], -1, b.basis.degree)
	if err != nil {
		return a, err
	}
	r := j.mul(a, j.compose(series, b))
	r.of[0], err = j.Div(a.of[0], b.of[0]) // of floats 0/0 is no number, which 0 times an infinity above would not be
	return r, err
}

// powers are the Taylor coefficients of x^n at v, n an integer.
func (j *jets[N]) powers(v N, n, degree int) ([]N, error) {
	series := make([]N, degree+1)
	binomial := big.NewRat(1, 1)
	for m := range series {
		at := j.int(1)
		var err error
		for range max(n-m, m-n) {
			if n-m > 0 {
				at = j.Mul(at, v)
			} else if binomial.Sign() != 0 {
				if at, err = j.Div(at, v); err != nil {
					return nil, err
				}
			}
		}
		series[m] = j.Mul(j.Of(new(big.Rat).Set(binomial)), at)
		binomial.Mul(binomial, big.NewRat(int64(n-m), int64(m+1)))
	}
	return series, nil
}

// function is f(a). Its Taylor series solves the differential equation of f in one variable.
func (j *jets[N]) function(op Op, a jet[N]) (jet[N], error) {
	v := a.of[0]
	sign := int64(j.Sign(v))
	if op == Abs || op == Sgn {
		if sign == 0 && a.basis.degree > 0 {
			return a, fmt.Errorf("%s has no derivative at 0: %w", op, ErrInexact)
		}
		if op == Abs {
			return j.scale(j.int(sign), a), nil
		}
		return j.constant(a.basis.degree, j.int(sign)), nil
	}
	series, err := j.series(op, v, a.basis.degree)
	if err != nil {
		return a, err
	}
	return j.compose(series, a), nil
}

func (j *jets[N]) series(op Op, v N, degree int) ([]N, error) {
	first, err := j.Function(op, v)
	if err != nil {
		return nil, err
	}
	line := &jets[N]{Numbers: j.Numbers, dim: 1, bases: map[int]*basis{}}
	x := line.zero(degree) // v + t
	x.of[0] = v
	if degree > 0 {
		x.of[1] = j.int(1)
	}
	f := line.constant(degree, first)
	// f(v+t) = f(v) + ∫ f′, one degree more each time.
	var second jet[N]
	if op == Sin || op == Cos {
		other := Sin + Cos - op
		v, err := j.Function(other, v)
		if err != nil {
			return nil, err
		}
		second = line.constant(degree, v)
	}
	for range degree {
		slope, err := line.slope(op, x, f, second)
		if err != nil {
			return nil, err
		}
		if op == Sin || op == Cos {
			back, err := line.slope(Sin+Cos-op, x, second, f)
			if err != nil {
				return nil, err
			}
			second = line.integrate(second.of[0], back)
		}
		f = line.integrate(first, slope)
	}
	return f.of, nil
}

func (j *jets[N]) integrate(first N, slope jet[N]) jet[N] {
	r := j.constant(slope.basis.degree, first)
	for n := 1; n < len(r.of); n++ {
		r.of[n] = j.Mul(slope.of[n-1], j.Of(big.NewRat(1, int64(n))))
	}
	return r
}

// slope is f′ in terms of x and f; second is the other of sine and cosine.
func (j *jets[N]) slope(op Op, x, f, second jet[N]) (jet[N], error) {
	degree := x.basis.degree
	one := j.constant(degree, j.int(1))
	square := j.mul(x, x)
	switch op {
	case Sqrt:
		return j.div(j.constant(degree, j.Of(big.NewRat(1, 2))), f)
	case Exp:
		return f, nil
	case Sin:
		return second, nil
	case Cos:
		return j.scale(j.int(-1), second), nil
	case Tan:
		return j.add(one, j.mul(f, f)), nil
	case Atan:
		return j.div(one, j.add(one, square))
	}
	root, err := j.function(Sqrt, j.add(one, j.scale(j.int(-1), square)))
	if err != nil {
		return f, err
	}
	sign := int64(1)
	if op == Acos {
		sign = -1
	}
	return j.div(j.constant(degree, j.int(sign)), root)
}
