package loop

import "math"

// A sample is a choice of values for atoms, made as they are asked for, that agrees
// with the bounds of each. It only saves the search for proofs that are not there:
// a sample that agrees with less than all facts makes proofs fail, never succeed.
type sample struct {
	monotone *monotone
	size     int64 // what an atom without an upper bound has more than its lower bound
	part     int64 // which part of the way from the lower to the upper bound an atom is
	values   map[*atom]int64
	open     map[*atom]bool // being chosen
	unusable bool           // some atom has no value between its bounds
}

// samples are from small sizes, for facts such as K ≤ H, to more than tiles have.
var samples = [...]struct{ size, part int64 }{{0, 2}, {2, 2}, {5, 1}, {50, math.MaxInt64}, {700, 2}, {700, math.MaxInt64}}

// refutes reports whether p is negative in the sample.
func (s *sample) refutes(p polynomial) bool {
	value, ok := s.of(p)
	return ok && value < 0
}

// of returns the value of a polynomial, false where there is none.
func (s *sample) of(p polynomial) (sum int64, ok bool) {
	for _, m := range p {
		product := m.coefficient
		for _, a := range m.factors {
			value := s.value(a)
			if s.unusable {
				return 0, false
			}
			if product, ok = mulExact(product, value); !ok {
				return 0, false
			}
		}
		if sum, ok = addExact(sum, product); !ok {
			return 0, false
		}
	}
	return sum, !s.unusable
}

func (s *sample) value(a *atom) int64 {
	value, known := s.values[a]
	if !known && !s.unusable {
		if s.open[a] { // a named sum is later than operations on the sizes that it stands for
			s.unusable = true
			return 0
		}
		s.open[a] = true
		value = s.choose(a)
		s.values[a] = value
	}
	return value
}

// choose takes the value of an operation from its operands, and one between the
// bounds of anything else: some part of the way up.
func (s *sample) choose(a *atom) int64 {
	switch a.op {
	case atomMin, atomMax, atomProduct:
		x, ok1 := s.of(s.monotone.polynomial(a.x))
		y, ok2 := s.of(s.monotone.polynomial(a.y))
		product, ok3 := mulExact(x, y)
		s.unusable = s.unusable || !ok1 || !ok2 || !ok3
		return map[atomOp]int64{atomMin: min(x, y), atomMax: max(x, y), atomProduct: product}[a.op]
	}
	lo, hi := s.between(a)
	switch {
	case lo > hi:
		s.unusable = true
		return 0
	case lo == math.MinInt64 && hi == math.MaxInt64:
		return s.size
	case lo == math.MinInt64:
		return hi - s.size
	case hi == math.MaxInt64:
		return lo + s.size + s.size*int64(a.number%7)/8
	}
	return lo + (hi-lo)/s.part
}

// between evaluates the bounds of an atom.
func (s *sample) between(a *atom) (lo, hi int64) {
	lo, hi = math.MinInt64, math.MaxInt64
	for _, b := range s.monotone.boundsOf(a) {
		factor, ok1 := s.of(b.factor)
		rest, ok2 := s.of(b.rest)
		switch {
		case !ok1 || !ok2:
			s.unusable = true
		case factor > 0:
			lo = max(lo, -floorDivide(rest, factor))
		case factor < 0:
			hi = min(hi, floorDivide(rest, -factor))
		case rest < 0:
			s.unusable = true
		}
	}
	return lo, hi
}
