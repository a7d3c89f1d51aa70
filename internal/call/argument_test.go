package call

import (
	"testing"

	"github.com/ricci-lang/ricci/tensor"
)

func TestLayout(t *testing.T) {
	for _, c := range []struct {
		shape, strides []int
		distinct       bool
		low, high      uintptr // for elements of 4 bytes
	}{
		{nil, nil, true, 0, 4},
		{[]int{2, 3}, []int{3, 1}, true, 0, 24},
		{[]int{2, 3}, []int{1, 2}, true, 0, 24},
		{[]int{2, 3}, []int{-3, 1}, true, 12, 12},
		{[]int{2, 3}, []int{0, 1}, false, 0, 12},
		{[]int{2, 3}, []int{1, 1}, false, 0, 16},
		{[]int{1, 3}, []int{0, 1}, true, 0, 12},
		{[]int{0, 3}, []int{0, 0}, true, 0, 0},
		{[]int{3, 4}, []int{20, 2}, true, 0, 188},
	} {
		if got := distinct(c.shape, c.strides); got != c.distinct {
			t.Errorf("%v %v: distinct is %v", c.shape, c.strides, got)
		}
		if low, high := span(tensor.Float32, c.shape, c.strides); low != c.low || high != c.high {
			t.Errorf("%v %v: span is %d, %d", c.shape, c.strides, low, high)
		}
	}
}
