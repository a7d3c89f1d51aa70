package tensor

import (
	"math"
	"slices"
)

// Equal reports whether two tensors have the same element type, shape and
// numbers. Unlike ==, it takes NaN as equal to NaN. It copies from foreign memory, and
// panics with the error where that fails, as AllClose does.
func Equal(a, b *Tensor) bool {
	if a.dtype != b.dtype {
		return false
	}
	ok, _ := AllClose(a, b, 0, 0)
	return ok
}

// AllClose reports whether two tensors have the same shape and for all elements
// |a-b| ≤ atol + rtol·|b|, also between different types. Infinities are close
// only to themselves, NaN is close to NaN. Otherwise where is the index of the
// element that is furthest beyond its tolerance; it is nil when the shapes differ.
func AllClose(a, b *Tensor, rtol, atol float64) (ok bool, where []int) {
	if !slices.Equal(a.shape, b.shape) {
		return false, nil
	}
	if a.foreign || b.foreign {
		hostA, hostB := Must(a.onHost()), Must(b.onHost())
		defer a.giveUp(hostA)
		defer b.giveUp(hostB)
		a, b = hostA, hostB
	}
	worst, position, at := 0.0, 0, -1
	for r := range rows(a.shape, a.strides, b.strides) {
		for i := range r.n {
			if e := excess(a, b, r.a+i*r.stepA, r.b+i*r.stepB, rtol, atol); e > worst {
				worst, at = e, position
			}
			position++
		}
	}
	if at < 0 {
		return true, nil
	}
	return false, unravel(at, a.shape)
}

// excess returns by how much the difference of two elements is beyond the
// tolerance; not more than zero means close.
func excess(a, b *Tensor, offsetA, offsetB int, rtol, atol float64) float64 {
	x, y := a.FloatAt(offsetA), b.FloatAt(offsetB)
	difference := math.Abs(x - y)
	switch {
	case !a.dtype.IsFloat() && !b.dtype.IsFloat():
		difference = integerDifference(a, b, offsetA, offsetB)
	case x == y || x != x && y != y:
		return 0
	case !isFinite(x) || !isFinite(y):
		return math.Inf(1)
	}
	return difference - (atol + rtol*math.Abs(y))
}

// integerDifference is exact before it is rounded, so that neighbours above 2⁵³
// differ.
func integerDifference(a, b *Tensor, offsetA, offsetB int) float64 {
	x, y := a.UintAt(offsetA), b.UintAt(offsetB)
	negativeX := a.dtype.Kind() == KindInt && int64(x) < 0
	negativeY := b.dtype.Kind() == KindInt && int64(y) < 0
	switch {
	case negativeX && !negativeY:
		return float64(-x) + float64(y)
	case negativeY && !negativeX:
		return float64(x) + float64(-y)
	case negativeX:
		x, y = -x, -y
	}
	return float64(max(x, y) - min(x, y))
}

// unravel returns the index of the element at a position in row-major order.
func unravel(position int, shape []int) []int {
	index := make([]int, len(shape))
	for dim := len(shape) - 1; dim >= 0; dim-- {
		index[dim] = position % shape[dim]
		position /= shape[dim]
	}
	return index
}
