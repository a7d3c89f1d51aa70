package bench

import (
	"fmt"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/tensor"
)

// compareElements marks contestants whose results differ from the median of all:
// one that is wrong does not win. The tolerance is that of sums in another order.
func compareElements(list []*contestant, w *work) {
	if len(list) < 2 {
		return
	}
	n := len(list[0].elements)
	tolerance := w.tolerance()
	scale, reference := 0.0, make([]float64, n)
	column := make([]float64, len(list))
	for i := range n {
		for k, c := range list {
			column[k] = math.NaN()
			if i < len(c.elements) {
				column[k] = c.elements[i]
			}
		}
		slices.Sort(column)
		reference[i] = column[len(column)/2]
		if v := math.Abs(reference[i]); !math.IsInf(v, 0) && !math.IsNaN(v) {
			scale = max(scale, v)
		}
	}
	for _, c := range list {
		if len(c.elements) != n {
			c.result.Wrong = fmt.Sprintf("it has %d elements, others have %d", len(c.elements), n)
			continue
		}
		for i, want := range reference {
			got := c.elements[i]
			if got == want || math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) <= tolerance*scale {
				continue
			}
			c.result.Wrong = fmt.Sprintf("element %d of the samples is %g, that of most others %g", i, got, want)
			break
		}
	}
}

// tolerance is relative to the largest element: rounding errors of a sum grow
// with the root of its length when they are independent.
func (w *work) tolerance() float64 {
	epsilon := 0.0
	switch w.dtype {
	case tensor.Float64:
		epsilon = 0x1p-53
	case tensor.Float16:
		epsilon = 0x1p-11
	case tensor.BFloat16:
		epsilon = 0x1p-8
	default:
		epsilon = 0x1p-24
	}
	return 16 * epsilon * math.Sqrt(float64(w.terms)+16)
}
