package session

import (
	"fmt"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// How runs are compared
//
// The evaluator says what a program means, bit by bit but for functions such as log, whose last digit nobody promises. A
// kernel with strict numerics computes the same, so that what differs by more than some units in the last place of the
// largest number of an output is wrong. Kernels that contract products and sums are compared with strict ones, and how far
// they are apart is only told: a strand may take another way where a decision hangs on a rounding.

// A Comparison is that of an output with a reference.
type Comparison struct {
	Name       string
	Of         int // elements that the output has
	Elements   int // that were looked at
	Equal      int // bit by bit
	Mismatches int
	Error      float64 // of the element that differs most, and what is allowed
	Allowed    float64
	Worst      string // where that is
}

// allowed are parts of the largest number.
func allowed(t tensor.DType) float64 {
	switch t {
	case tensor.Float32:
		return 2e-6
	case tensor.Float64:
		return 1e-13
	}
	return 0
}

// Compare compares outputs with those of a reference, one by one. Rows are the numbers of the strands of an array that
// the reference has; nil are all.
func Compare(got, reference []*strand.Output, rows []int) ([]Comparison, error) {
	var list []Comparison
	for _, o := range got {
		k := slices.IndexFunc(reference, func(other *strand.Output) bool { return other.Name == o.Name })
		if k < 0 {
			return nil, fmt.Errorf("the reference has no output %s", o.Name)
		}
		c, err := compare(o, reference[k], rows)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

func compare(o, reference *strand.Output, rows []int) (Comparison, error) {
	got, err := floats(o.Data)
	if err != nil {
		return Comparison{}, err
	}
	want, err := floats(reference.Data)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{Name: o.Name, Of: len(got), Elements: len(want)}
	if rows == nil && len(got) != len(want) {
		c.Mismatches, c.Worst = max(len(got), len(want)), fmt.Sprintf("there are %d elements, expected %d", len(got), len(want))
		return c, nil
	}
	largest := 0.0
	for _, v := range want {
		if a := math.Abs(v); a <= math.MaxFloat64 { // no NaN
			largest = max(largest, a)
		}
	}
	c.Allowed = allowed(o.Data.DType()) * largest
	width := len(want) / max(1, len(rows))
	for k, w := range want {
		at := k
		if rows != nil {
			at = rows[k/width]*width + k%width
		}
		c.element(at, got[at], w)
	}
	return c, nil
}

func (c *Comparison) element(at int, got, want float64) {
	if math.Float64bits(got) == math.Float64bits(want) || math.IsNaN(got) && math.IsNaN(want) {
		c.Equal++
		return
	}
	apart := math.Abs(got - want)
	if !(apart <= c.Allowed) {
		c.Mismatches++
	}
	if c.Worst == "" || apart > c.Error || math.IsNaN(apart) {
		c.Error, c.Worst = apart, fmt.Sprintf("element %d is %v, expected %v", at, got, want)
	}
}
