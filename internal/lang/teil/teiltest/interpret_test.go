package teiltest

import (
	"fmt"
	"testing"
)

// TestIndices enumerates the indices of a few shapes.
func TestIndices(t *testing.T) {
	for _, test := range []struct {
		shape []int
		want  string
	}{
		{nil, "[[]]"},
		{[]int{2, 2}, "[[1 1] [1 2] [2 1] [2 2]]"},
		{[]int{0}, "[]"},
		{[]int{2, 0}, "[]"},
		{[]int{0, 2}, "[]"},
	} {
		var got [][]int
		for k := range Indices(test.shape) {
			if got = append(got, k); len(got) > 4 {
				break
			}
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("shape %v: %v, want %s", test.shape, got, test.want)
		}
	}
}
