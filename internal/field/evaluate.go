package field

import (
	"fmt"
	"slices"
)

// An Environment gives values to the parameters of an operator.
type Environment[N any] interface {
	// Tensor is a component of a tensor.
	Tensor(p *Param, alpha []int) (N, error)
	// Field is the derivative of a component of a field parameter, or of an image convolved with a kernel, along the axes
	// beta of its space, at a point; kernel is nil for a field parameter.
	Field(p, kernel *Param, alpha, beta []int, at []N) (N, error)
}

// Evaluate gives the value of a component of an operator that denotes a tensor. It applies the definitions: a probe makes
// the Taylor polynomial of its field at the position, and derivatives are read off. No rule of normalisation is used, so
// it judges them all.
func Evaluate[N any](numbers Numbers[N], env Environment[N], o *Operator, component ...int) (N, error) {
	e := &evaluator[N]{Numbers: numbers, env: env}
	indices := map[Index]int{}
	for n, size := range o.Shape {
		indices[Axis(n, size)] = component[n]
	}
	none := &jets[N]{Numbers: numbers, bases: map[int]*basis{}}
	j, err := e.jet(o.Body, indices, point[N]{jets: none}, 0)
	if err != nil {
		var zero N
		return zero, err
	}
	return j.of[0], nil
}

type evaluator[N any] struct {
	Numbers[N]
	env Environment[N]
}

// A point is where a field is asked; outside of a probe it has no dimension, and jets are numbers.
type point[N any] struct {
	*jets[N]
	at []N
}

func values(list []Index, indices map[Index]int) []int {
	result := make([]int, len(list))
	for n, i := range list {
		if i.Class == Constant {
			result[n] = i.Number
		} else {
			result[n] = indices[i]
		}
	}
	return result
}

// jet is the Taylor polynomial of a term at a point, up to a degree.
func (e *evaluator[N]) jet(t *Term, indices map[Index]int, p point[N], degree int) (jet[N], error) {
	alpha := values(t.Indices, indices)
	switch t.Op {
	case Rational:
		return p.constant(degree, e.Of(t.Value)), nil
	case Delta:
		return p.constant(degree, p.int(int64(btoi(alpha[0] == alpha[1])))), nil
	case Epsilon:
		return p.constant(degree, p.int(int64(permutation(alpha)))), nil
	case Tensor:
		v, err := e.env.Tensor(t.Param, alpha)
		return p.constant(degree, v), err
	case Field, Conv:
		return e.leaf(t, alpha, values(t.Orders, indices), p, degree)
	case Position:
		r := p.constant(degree, p.at[alpha[0]])
		if degree > 0 {
			var axis [3]int
			axis[alpha[0]] = 1
			r.of[r.basis.number[axis]] = p.int(1)
		}
		return r, nil
	case Partial:
		r, err := e.jet(t.Args[0], indices, p, degree+len(alpha))
		for _, axis := range alpha {
			if err == nil {
				r = p.derive(r, axis)
			}
		}
		return r, err
	case Compose:
		return e.compose(t, indices, p, degree)
	case Probe:
		return e.probe(t, indices, p, degree)
	case Sum:
		return e.sum(t, t.Indices, indices, p, degree)
	}
	return e.arithmetic(t, indices, p, degree)
}

// leaf asks for all derivatives of a reconstructed field.
func (e *evaluator[N]) leaf(t *Term, alpha, beta []int, p point[N], degree int) (jet[N], error) {
	r := p.zero(degree)
	for n, exponents := range r.basis.exponents {
		axes, factor := slices.Clone(beta), int64(1)
		for axis, count := range exponents {
			for m := range count {
				axes = append(axes, axis)
				factor *= int64(m + 1)
			}
		}
		v, err := e.env.Field(t.Param, t.Kernel, alpha, axes, p.at)
		if err == nil {
			v, err = e.Div(v, p.int(factor))
		}
		if err != nil {
			return r, err
		}
		r.of[n] = v
	}
	return r, nil
}

func (e *evaluator[N]) probe(t *Term, indices map[Index]int, outside point[N], degree int) (jet[N], error) {
	at, err := e.place(t, indices, outside)
	if err != nil {
		return jet[N]{}, err
	}
	r, err := e.jet(t.Args[0], indices, e.point(at), 0)
	if err != nil {
		return r, err
	}
	return outside.constant(degree, r.of[0]), nil
}

// point is where fields over a space of as many dimensions are asked.
func (e *evaluator[N]) point(at []N) point[N] {
	return point[N]{&jets[N]{Numbers: e.Numbers, dim: len(at), bases: map[int]*basis{}}, at}
}

// place is the position of a probe.
func (e *evaluator[N]) place(t *Term, indices map[Index]int, outside point[N]) ([]N, error) {
	if t.Param == nil {
		var at []N
		for _, p := range t.Args[1:] {
			j, err := e.jet(p, indices, outside, 0)
			if err != nil {
				return nil, err
			}
			at = append(at, j.of[0])
		}
		return at, nil
	}
	dim := 1
	if len(t.Param.Shape) == 1 {
		dim = t.Param.Shape[0]
	}
	at := make([]N, dim)
	for n := range at {
		alpha := []int{n}[:len(t.Param.Shape)]
		v, err := e.env.Tensor(t.Param, alpha)
		if err != nil {
			return nil, err
		}
		at[n] = v
	}
	return at, nil
}

// compose is the Taylor polynomial of a field at the place that its coordinates are here, in which theirs are put for the variables.
func (e *evaluator[N]) compose(t *Term, indices map[Index]int, p point[N], degree int) (jet[N], error) {
	var at []N
	var coordinates []jet[N]
	for _, g := range t.Args[1:] {
		j, err := e.jet(g, indices, p, degree)
		if err != nil {
			return j, err
		}
		at, coordinates = append(at, j.of[0]), append(coordinates, j)
	}
	f, err := e.jet(t.Args[0], indices, e.point(at), degree)
	if err != nil {
		return f, err
	}
	return p.substitute(f, coordinates), nil
}

func (e *evaluator[N]) sum(t *Term, variables []Index, indices map[Index]int, p point[N], degree int) (jet[N], error) {
	if len(variables) == 0 {
		return e.jet(t.Args[0], indices, p, degree)
	}
	total := p.zero(degree)
	for n := range variables[0].Range {
		indices[variables[0]] = n
		part, err := e.sum(t, variables[1:], indices, p, degree)
		if err != nil {
			return total, err
		}
		total = p.add(total, part)
	}
	delete(indices, variables[0])
	return total, nil
}

func (e *evaluator[N]) arithmetic(t *Term, indices map[Index]int, p point[N], degree int) (jet[N], error) {
	args := make([]jet[N], len(t.Args))
	for n, a := range t.Args {
		j, err := e.jet(a, indices, p, degree)
		if err != nil {
			return j, err
		}
		args[n] = j
	}
	switch t.Op {
	case Lift:
		return args[0], nil
	case Neg:
		return p.scale(p.int(-1), args[0]), nil
	case Div:
		return p.div(args[0], args[1])
	case Min, Max:
		less := e.Sign(p.add(args[0], p.scale(p.int(-1), args[1])).of[0]) < 0
		return args[btoi(less != (t.Op == Min))], nil
	case Power:
		series, err := p.powers(args[0].of[0], t.Power, degree)
		if err != nil {
			return args[0], err
		}
		return p.compose(series, args[0]), nil
	case Add, Mul:
		r := args[0]
		for _, a := range args[1:] {
			if t.Op == Add {
				r = p.add(r, a)
			} else {
				r = p.mul(r, a)
			}
		}
		return r, nil
	}
	if !t.Op.IsFunction() {
		return jet[N]{}, fmt.Errorf("%s has no value", t)
	}
	return p.function(t.Op, args[0])
}

// permutation is the sign of a permutation of 0 … n−1, 0 where a number is repeated.
func permutation(list []int) int {
	sign := 1
	for n := range list {
		for m := range n {
			switch {
			case list[m] == list[n]:
				return 0
			case list[m] > list[n]:
				sign = -sign
			}
		}
	}
	return sign
}
