// Package integer decides whether a system of linear equations and inequalities
// has a solution in integers, and finds one.
package integer

import (
	"errors"
	"maps"
	"slices"
)

// How it works
//
// The Omega test (Pugh, A fast and practical integer programming algorithm for
// dependence analysis, 1992). Equations are solved for a variable with the
// coefficient ±1, which a change of variables makes where there is none. Then one
// variable after the other is eliminated from the inequalities. Where all of its
// lower or all of its upper bounds have the coefficient 1, the shadow of the
// solutions is exact. Otherwise the solutions of the dark shadow, under which an
// integer is sure to lie, are tried first, then the finitely many planes close to a
// lower bound in which the others lie. On the way back each eliminated variable
// gets a value between its bounds. Where that takes too many rows, values are tried (search.go).
//
// The answer is exact for bounded and unbounded systems alike. It is Unknown when
// numbers leave 64 bits or both take more than a fixed number of steps, the
// same on every machine.

// An Answer says whether a system has a solution.
type Answer uint8

// The answers.
const (
	Unknown Answer = iota
	Empty
	Found
)

// String names the answer.
func (a Answer) String() string { return [...]string{"unknown", "empty", "found"}[a] }

// A System is a conjunction of constraints over named integer variables. The zero
// System has none.
type System struct {
	names []string
	index map[string]int
	equal []row // = 0
	least []row // ≥ 0
}

// A row is Σ coefficient·variable + constant; rows are never changed once made.
// Variables beyond the end have the coefficient 0.
type row struct {
	coefficients []int64
	constant     int64
}

// Var returns the number of the variable with a name, which it makes on first use.
func (s *System) Var(name string) int {
	if v, ok := s.index[name]; ok {
		return v
	}
	if s.index == nil {
		s.index = map[string]int{}
	}
	s.index[name] = len(s.names)
	s.names = append(s.names, name)
	return len(s.names) - 1
}

// Has reports whether a variable was made.
func (s *System) Has(name string) bool {
	_, ok := s.index[name]
	return ok
}

// A Sum is Σ coefficient·variable + Constant, with variables by their numbers.
type Sum struct {
	Coefficients map[int]int64
	Constant     int64
}

func (s *System) row(sum Sum) row {
	r := row{coefficients: make([]int64, len(s.names)), constant: sum.Constant}
	for v, c := range sum.Coefficients {
		r.coefficients[v] = c
	}
	return r
}

// Equal adds sum = 0.
func (s *System) Equal(sum Sum) { s.equal = append(s.equal, s.row(sum)) }

// AtLeast adds sum ≥ 0.
func (s *System) AtLeast(sum Sum) { s.least = append(s.least, s.row(sum)) }

// Clone returns a copy to which constraints can be added without changing s.
func (s *System) Clone() *System {
	return &System{names: slices.Clone(s.names), index: maps.Clone(s.index), equal: slices.Clone(s.equal), least: slices.Clone(s.least)}
}

// Solve answers whether there is a solution; the values, by the variables'
// names, are there when it is Found.
func (s *System) Solve() (answer Answer, values map[string]int64) {
	p := problem{variables: len(s.names)}
	for _, r := range s.equal {
		p.equal = append(p.equal, r.widened(len(s.names)))
	}
	for _, r := range s.least {
		p.least = append(p.least, r.widened(len(s.names)))
	}
	answer, solution := limited((*work).solve, p)
	if answer == Unknown {
		answer, solution = limited((*work).search, p)
	}
	if answer != Found {
		return answer, nil
	}
	values = map[string]int64{}
	for v, name := range s.names {
		values[name] = solution[v]
	}
	return Found, values
}

// limited tries to solve a problem within the limits.
func limited(solve func(*work, problem) ([]int64, bool), p problem) (answer Answer, solution []int64) {
	defer func() {
		if r := recover(); r != nil {
			if err, ok := r.(error); !ok || !errors.Is(err, errLimit) {
				panic(r)
			}
			answer, solution = Unknown, nil
		}
	}()
	if solution, ok := solve(&work{steps: stepLimit}, p); ok {
		return Found, solution
	}
	return Empty, nil
}

// stepLimit bounds the number of rows that one Solve makes.
const stepLimit = 200_000

// errLimit ends a search that is too long or whose numbers are too large.
var errLimit = errors.New("beyond the limits of the search")
