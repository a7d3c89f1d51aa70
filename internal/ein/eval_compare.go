package ein

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// Tolerance says in words what Compare accepts; tools print it with a verdict.
const Tolerance = "a float may differ from the float64 reference by twice its first-order rounding error bound" +
	" (every operation rounded to its type, folds in any order, functions a few ulps off) and half an ulp of its own type;" +
	" what is computed without rounding, and integers, must be equal;" +
	" elements whose value hangs on a rounding (a truncation, a near tie) are only counted"

// safety covers the terms of higher order and the rounding of a float64 reference
// itself.
const safety = 2

// A Comparison is the verdict of Compare.
type Comparison struct {
	Elements   int // how many elements were compared
	Mismatches int // how many are farther off than they may be
	Ambiguous  int // how many have no bound and were accepted whatever they are
	// Worst is the element that is farthest off in relation to what it may be;
	// nil when every element is equal to the reference.
	Worst *Difference
}

// OK reports whether no element is farther off than it may be.
func (c Comparison) OK() bool { return c.Mismatches == 0 }

// A Difference is one element that is not equal to the reference.
type Difference struct {
	Index     []int
	Got, Want string
	Error     float64 // |got - want|
	Allowed   float64
}

// String formats the difference in one line.
func (d *Difference) String() string {
	return fmt.Sprintf("element %v is %s, the reference is %s: off by %.3g, allowed are %.3g", d.Index, d.Got, d.Want, d.Error, d.Allowed)
}

// Compare compares an output with the reference and the bound of
// EvaluateWithBounds, by the rule of Tolerance; a nil bound asks for equality.
// Tensors of different types or shapes are an internal error.
func Compare(got, want, bound *tensor.Tensor) (Comparison, error) {
	var c Comparison
	if got.DType() != want.DType() || !slices.Equal(got.Shape(), want.Shape()) || bound != nil && !slices.Equal(bound.Shape(), want.Shape()) {
		return c, source.Internalf("compare", source.Span{}, "%s%v is compared with %s%v", got.DType(), got.Shape(), want.DType(), want.Shape())
	}
	worst := 0.0
	shape := want.Shape()
	index := make([]int, len(shape))
	for range want.Len() {
		e := 0.0
		if bound != nil {
			e = bound.Float(index...)
		}
		allowed, off := allowedError(want, index, e), elementError(got, want, index)
		c.Elements++
		switch {
		case e == unbounded:
			c.Ambiguous++
		case off > 0:
			if !(off <= allowed) {
				c.Mismatches++
			}
			if ratio := off / allowed; ratio > worst {
				worst = ratio
				c.Worst = &Difference{Index: slices.Clone(index), Got: elementText(got, index), Want: elementText(want, index), Error: off, Allowed: allowed}
			}
		}
		advance(index, shape)
	}
	return c, nil
}

// advance moves to the next index in row-major order.
func advance(index, shape []int) {
	for d := len(index) - 1; d >= 0; d-- {
		if index[d]++; index[d] < shape[d] {
			return
		}
		index[d] = 0
	}
}

func allowedError(want *tensor.Tensor, index []int, e float64) float64 {
	if e == 0 || !want.DType().IsFloat() {
		return e
	}
	p, w := precisionOf(want.DType()), math.Abs(want.Float(index...))
	if math.IsInf(w, 1) || math.IsNaN(w) {
		return safety * e
	}
	return safety*e + p.unit*w + p.tiny
}

// elementError is |got - want|: 0 for two NaNs and for equal infinities, +∞ for
// one NaN.
func elementError(got, want *tensor.Tensor, index []int) float64 {
	switch got.DType().Kind() {
	case tensor.KindFloat:
		return distance(got.Float(index...), want.Float(index...))
	case tensor.KindUint:
		g, w := got.Uint(index...), want.Uint(index...)
		return float64(max(g, w) - min(g, w))
	}
	g, w := got.Int(index...), want.Int(index...)
	return float64(uint64(max(g, w)) - uint64(min(g, w)))
}

func elementText(t *tensor.Tensor, index []int) string {
	switch d := t.DType(); {
	case d == tensor.Bool:
		return strconv.FormatBool(t.Int(index...) != 0)
	case d == tensor.Float64:
		return strconv.FormatFloat(t.Float(index...), 'g', -1, 64)
	case d.IsFloat():
		return strconv.FormatFloat(t.Float(index...), 'g', -1, 32)
	case d.Kind() == tensor.KindUint:
		return strconv.FormatUint(t.Uint(index...), 10)
	}
	return strconv.FormatInt(t.Int(index...), 10)
}
