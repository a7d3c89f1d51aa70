package bench

import (
	"fmt"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/tensor"
)

// compareElements marks contestants whose results differ from the median of all:
// one that is wrong does not win.
func compareElements(list []*contestant, w *work) {
	if len(list) < 2 {
		return
	}
	n := len(list[0].elements)
	reference := make([]float64, n)
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
	}
	for _, c := range list {
		if len(c.elements) != n {
			c.result.Wrong = fmt.Sprintf("it has %d elements, others have %d", len(c.elements), n)
			continue
		}
		from := 0
		for _, o := range w.outputs {
			to := min(from+int(min(o.elements, sampleCount)), n)
			if c.result.Wrong == "" {
				c.result.Wrong = w.differs(o, c.elements[from:to], reference[from:to])
			}
			from = to
		}
	}
	if len(list) == 2 { // nobody knows which of them is right
		for k, c := range list {
			if other := list[1-k]; c.result.Wrong == "" && other.result.Wrong != "" {
				c.result.Wrong = other.name + " has other results"
			}
		}
	}
}

// seldom is the part of the integers of a result that may differ where they hang on floats: on where an iteration ends
// in Mandelbrot's set, for example, which rounding decides for points beside its border.
const seldom = 0.005

// differs says how samples of an output differ from what most contestants have; empty if they do not. The tolerance of
// floats is that of sums in another order, relative to the largest of them. Integers are exact but for those that
// rounding decides.
func (w *work) differs(o output, samples, reference []float64) string {
	tolerance, allowed := 0.0, 0.0
	if o.dtype.IsFloat() {
		for _, v := range reference {
			if v = math.Abs(v); !math.IsInf(v, 0) && !math.IsNaN(v) {
				tolerance = max(tolerance, v)
			}
		}
		tolerance *= w.tolerance()
	} else if w.floats {
		allowed = seldom * float64(len(samples))
	}
	count, first := 0.0, ""
	for i, want := range reference {
		got := samples[i]
		if got == want || math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) <= tolerance {
			continue
		}
		if count++; first == "" {
			first = fmt.Sprintf("element %d of the samples is %g, that of most others %g", i, got, want)
		}
	}
	if count > allowed {
		return first
	}
	return ""
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
