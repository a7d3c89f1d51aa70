package ein

import "github.com/ricci-lang/ricci/internal/affine"

// A solver finds the indices with which a write has an element.
type solver struct {
	ranges []indexRange
	rows   []equation // one per dimension
	err    error
}

// An equation is Σ coefficients·indices + constant = subscript.
type equation struct {
	coefficients []int64
	constant     int64
}

func newSolver(w *Write, ranges []indexRange, sizes map[string]int64) solver {
	s := solver{ranges: ranges}
	known := map[string]affine.Expr{}
	for name, n := range sizes {
		known[name] = affine.Const(n)
	}
	for _, subscript := range w.Subscripts {
		e, ok := AffineOf(subscript)
		if !ok {
			s.err = errNotAffine
			return s
		}
		row := equation{coefficients: make([]int64, len(ranges))}
		rest := e.Subst(known)
		for d := range ranges {
			if row.coefficients[d], rest, ok = rest.Linear(ranges[d].of.Name); !ok {
				s.err = errNotAffine
				return s
			}
		}
		if row.constant, ok = rest.IsConst(); !ok {
			s.err = errNotAffine
			return s
		}
		s.rows = append(s.rows, row)
	}
	return s
}

// solve returns the value of every kept index for the element at a position of an array; ok is
// false where the write does not have it.
func (s *solver) solve(a *array, at int64) (kept []int64, ok bool, err error) {
	if s.err != nil {
		return nil, false, s.err
	}
	kept, open := make([]int64, len(s.ranges)), 0
	solved := make([]bool, len(s.ranges))
	for d, r := range s.ranges {
		switch {
		case r.kind == Reduce:
			solved[d] = true
		case r.extent == 0:
			return nil, false, nil
		case r.extent == 1:
			kept[d], solved[d] = r.min, true
		default:
			open++
		}
	}
	targets := make([]int64, len(s.rows))
	for d := range s.rows {
		targets[d] = a.min[d] + at/a.stride[d]%a.extent[d] - s.rows[d].constant
	}
	for before := -1; open > 0 && open != before; {
		before = open
		for d := range s.rows {
			found, possible := s.rows[d].digit(s.ranges, kept, solved, targets[d])
			if !possible {
				return nil, false, nil
			}
			if found {
				open--
			}
		}
	}
	if open > 0 {
		return nil, false, errNotAffine
	}
	for d, row := range s.rows {
		sum := int64(0)
		for i, c := range row.coefficients {
			sum += c * kept[i]
		}
		if sum != targets[d] {
			return nil, false, nil
		}
	}
	return kept, true, nil
}

// digit solves for the index with the largest coefficient of those that are open, if only one of
// its values leaves the others something that they can be.
func (q *equation) digit(ranges []indexRange, kept []int64, solved []bool, target int64) (found, possible bool) {
	largest := -1
	for i, c := range q.coefficients {
		switch {
		case c == 0:
		case solved[i]:
			target -= c * kept[i]
		case largest < 0 || magnitude(c) > magnitude(q.coefficients[largest]):
			largest = i
		}
	}
	if largest < 0 {
		return false, target == 0
	}
	low, high := target, target // of what the index has to contribute
	for i, c := range q.coefficients {
		if c == 0 || solved[i] || i == largest {
			continue
		}
		first, last := c*ranges[i].min, c*(ranges[i].min+ranges[i].extent-1)
		low, high = low-max(first, last), high-min(first, last)
	}
	c := q.coefficients[largest]
	if c < 0 {
		c, low, high = -c, -high, -low
	}
	least, most := -floorQuotient(-low, c), floorQuotient(high, c)
	least, most = max(least, ranges[largest].min), min(most, ranges[largest].min+ranges[largest].extent-1)
	if least > most {
		return false, false
	}
	if least == most {
		kept[largest], solved[largest] = least, true
	}
	return least == most, true
}

func magnitude(c int64) int64 { return max(c, -c) }
