package field

import (
	"cmp"
	"slices"
	"strconv"
)

// Class says what an index is.
type Class uint8

// The classes of indices.
const (
	Constant Class = iota // Number is its value
	Free                  // index Number of the operator, the place of an axis of its result
	Bound                 // bound by a Sum
	Opened                // bound by a Sum that is being looked into
)

// An Index is a constant, or a variable with its range 0 … Range−1.
type Index struct {
	Class         Class
	Number, Range int
}

// At returns a constant index.
func At(n int) Index { return Index{Class: Constant, Number: n} }

// Axis returns index n of an operator.
func Axis(n, size int) Index { return Index{Free, n, size} }

func (i Index) compare(j Index) int {
	return cmp.Or(cmp.Compare(i.Class, j.Class), cmp.Compare(i.Number, j.Number), cmp.Compare(i.Range, j.Range))
}

func (i Index) appendKey(key []byte) []byte {
	key = strconv.AppendInt(append(key, '0'+byte(i.Class)), int64(i.Number), 36)
	return strconv.AppendInt(append(key, ':'), int64(i.Range), 36)
}

// Fresh returns a variable that occurs nowhere, to be bound by Sum.
func (s *Store) Fresh(size int) Index {
	s.opened++
	return Index{Opened, s.opened, size}
}

// Sum binds variables. Bound variables are numbered by how many levels of sums are below them, so terms that differ in
// their names only are one term, and a variable of an outer sum can never be caught by an inner one: its number is higher.
func (s *Store) Sum(variables []Index, body *Term) *Term {
	if body.Op == Sum {
		inner, below := s.Open(body)
		variables, body = append(slices.Clone(variables), inner...), below
	}
	if len(variables) == 0 {
		return body
	}
	names := map[Index]Index{}
	bound := make([]Index, len(variables))
	for n, v := range variables {
		bound[n] = Index{Bound, body.level + 1 + n, v.Range}
		names[v] = bound[n]
	}
	return s.intern(Term{Op: Sum, Indices: bound, Args: []*Term{s.Rename(body, names)}})
}

// Open returns the variables and the body of a Sum, with variables that occur nowhere else.
func (s *Store) Open(sum *Term) ([]Index, *Term) {
	names := map[Index]Index{}
	variables := make([]Index, len(sum.Indices))
	for n, v := range sum.Indices {
		variables[n] = s.Fresh(v.Range)
		names[v] = variables[n]
	}
	return variables, s.Rename(sum.Args[0], names)
}

// Rename replaces free variables. What they become must not be bound by a Sum in t: constants, indices of the operator
// and what Fresh gave never are.
func (s *Store) Rename(t *Term, names map[Index]Index) *Term {
	return s.rename(t, names, map[*Term]*Term{})
}

func (s *Store) rename(t *Term, names map[Index]Index, done map[*Term]*Term) *Term {
	if !slices.ContainsFunc(t.free, func(i Index) bool { _, ok := names[i]; return ok }) {
		return t
	}
	if r, ok := done[t]; ok {
		return r
	}
	r := s.rebuild(t, func(a *Term) *Term { return s.rename(a, names, done) }, func(indices []Index) []Index {
		renamed := slices.Clone(indices)
		for n, i := range indices {
			if to, ok := names[i]; ok {
				renamed[n] = to
			}
		}
		return renamed
	})
	done[t] = r
	return r
}

// rebuild makes the term again of changed parts and indices; a Sum keeps its variables.
func (s *Store) rebuild(t *Term, part func(*Term) *Term, indices func([]Index) []Index) *Term {
	args := make([]*Term, len(t.Args))
	for n, a := range t.Args {
		args[n] = part(a)
	}
	switch t.Op {
	case Rational:
		return t
	case Delta:
		to := indices(t.Indices)
		return s.Delta(to[0], to[1])
	case Partial:
		return s.Partial(indices(t.Indices), args[0])
	case Conv:
		return s.Conv(t.Param, t.Kernel, indices(t.Indices), indices(t.Orders))
	case Add, Mul:
		return s.list(t.Op, args)
	case Compose:
		return s.Compose(args[0], args[1:]...)
	case Probe:
		if t.Param == nil {
			return s.ProbeAt(args[0], args[1:]...)
		}
	case Sum:
		if args[0] == t.Args[0] {
			return t
		}
		if args[0].level == t.Args[0].level && args[0].Op != Sum {
			return s.intern(Term{Op: Sum, Indices: t.Indices, Args: args})
		}
		// The levels below changed: number again.
		variables := make([]Index, len(t.Indices))
		names := map[Index]Index{}
		for n, v := range t.Indices {
			variables[n] = s.Fresh(v.Range)
			names[v] = variables[n]
		}
		return s.Sum(variables, s.Rename(args[0], names))
	}
	return s.intern(Term{Op: t.Op, Args: args, Indices: indices(t.Indices), Param: t.Param, Power: t.Power})
}

// with makes the term again of other parts; the body of a Sum must not have been given bound variables from outside.
func (s *Store) with(t *Term, args ...*Term) *Term {
	n := 0
	return s.rebuild(t, func(*Term) *Term { n++; return args[n-1] }, func(i []Index) []Index { return i })
}
