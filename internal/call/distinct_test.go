package call

import (
	"testing"

	"pgregory.net/rapid"
)

// TestDistinct compares the decision with all places of drawn layouts.
func TestDistinct(t *testing.T) {
	woven, shared := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		rank := rapid.IntRange(0, 4).Draw(t, "rank")
		shape := rapid.SliceOfN(rapid.IntRange(0, 6), rank, rank).Draw(t, "shape")
		strides := rapid.SliceOfN(rapid.IntRange(-30, 30), rank, rank).Draw(t, "strides")
		places, elements := map[int]bool{0: true}, 1
		for i, n := range shape {
			elements *= n
			next := map[int]bool{}
			for at := range places {
				for k := range n {
					next[at+k*strides[i]] = true
				}
			}
			places = next
		}
		want := len(places) == elements
		if got := distinct(shape, strides); got != want {
			t.Fatalf("%v %v: %d elements at %d places, distinct is %v", shape, strides, elements, len(places), got)
		}
		var dims []int
		for i, n := range shape {
			if n > 1 {
				dims = append(dims, i)
			}
		}
		if elements > 0 && want && !nested(dims, shape, strides) {
			woven++
		}
		if !want {
			shared++
		}
	})
	if !t.Failed() && (woven == 0 || shared == 0) {
		t.Errorf("%d layouts were woven, %d shared places", woven, shared)
	}
}

// TestDistinctLarge: layouts of which nobody lists the places.
func TestDistinctLarge(t *testing.T) {
	for _, c := range []struct {
		shape, strides []int
		distinct       bool
	}{
		{[]int{5, 3}, []int{3, 4}, true},
		{[]int{5, 4}, []int{3, 4}, false},
		{[]int{5, 5}, []int{3, 4}, false},
		{[]int{1 << 20, 1 << 20}, []int{1<<20 + 1, 1 << 20}, true},
		{[]int{1<<20 + 1, 1<<20 + 2}, []int{1<<20 + 1, 1 << 20}, false},
		{[]int{1 << 30, 1 << 30}, []int{0, 1}, false},
		{[]int{1 << 20, 3, 1 << 20}, []int{3 << 20, 1, 3}, true},
		{[]int{1 << 20, 3, 1<<20 + 1}, []int{3 << 20, 1, 3}, false},
	} {
		if got := distinct(c.shape, c.strides); got != c.distinct {
			t.Errorf("%v %v: distinct is %v", c.shape, c.strides, got)
		}
	}
}
