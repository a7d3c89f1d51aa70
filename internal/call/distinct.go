package call

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine/integer"
)

// distinct reports whether all elements of a layout have places of their own.
func distinct(shape, strides []int) bool {
	if slices.Contains(shape, 0) {
		return true
	}
	var dims []int
	for i, n := range shape {
		if n > 1 {
			dims = append(dims, i)
		}
	}
	return nested(dims, shape, strides) || !meets(dims, shape, strides)
}

// nested reports whether every stride steps over all that the smaller ones reach, as in views of dense arrays: then elements are distinct.
func nested(dims, shape, strides []int) bool {
	size := func(d int) int { return max(strides[d], -strides[d]) }
	sorted := slices.SortedFunc(slices.Values(dims), func(a, b int) int { return size(a) - size(b) })
	reach := 0
	for _, d := range sorted {
		if size(d) <= reach {
			return false
		}
		reach += size(d) * (shape[d] - 1)
	}
	return true
}

// meets reports whether two elements are one place, or nobody knows: whether there is a distance between two of them, in which the first
// number that is not 0 is positive, over which the strides add up to 0.
func meets(dims, shape, strides []int) bool {
	for first := range dims {
		s, sum := &integer.System{}, integer.Sum{Coefficients: map[int]int64{}}
		for k, d := range dims[first:] {
			v := s.Var(fmt.Sprint("d", d))
			least := int64(1 - shape[d])
			if k == 0 {
				least = 1
			}
			s.AtLeast(integer.Sum{Coefficients: map[int]int64{v: 1}, Constant: -least})
			s.AtLeast(integer.Sum{Coefficients: map[int]int64{v: -1}, Constant: int64(shape[d] - 1)})
			sum.Coefficients[v] = int64(strides[d])
		}
		s.Equal(sum)
		if answer, _ := s.Solve(); answer != integer.Empty {
			return true
		}
	}
	return false
}
