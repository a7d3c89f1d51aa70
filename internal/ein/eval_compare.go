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
const Tolerance = "a float may differ from the float64 reference by 1.25 times (a float64: twice) its first-order rounding error bound" +
	" (every operation rounded to its type, folds in the orders of schedules, functions a few ulps off) and half an ulp of its own type," +
	" and by what a matrix unit takes for 0 in a product of bfloat16;" +
	" what is computed without rounding, and integers, must be equal;" +
	" elements whose value hangs on a rounding (a truncation, a near tie) are only counted"

// safety covers the terms of higher order, and for float64 the rounding of the reference,
// which is of the same kind.
func safety(p *precision) float64 {
	if p.dtype == tensor.Float64 {
		return 2
	}
	return 1.25
}

// A Comparison is the verdict of Compare.
type Comparison struct {
	Elements   int // how many elements were compared
	Mismatches int // how many are farther off than they may be
	Ambiguous  int // how many have no bound and were accepted whatever they are
	Exact      int // how many have to be equal
	// Sharpness is the error that is noticed in nine of ten elements, in parts of a typical
	// element, which is the root of the mean square; 0 where all have to be equal.
	Sharpness float64
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
	if got.DType() != want.DType() || !slices.Equal(got.Shape(), want.Shape()) || bound != nil && !slices.Equal(bound.Shape(), want.Shape()) {
		return Comparison{}, source.Internalf("compare", source.Span{}, "%s%v is compared with %s%v", got.DType(), got.Shape(), want.DType(), want.Shape())
	}
	c := comparer{got: got, want: want, bound: bound}
	rows, columns := want.Shape(), 1
	if last := len(rows) - 1; last >= 0 {
		columns, rows[last] = rows[last], 1
	}
	index := make([]int, len(rows))
	for range want.Len() / max(1, columns) {
		c.row(index, columns)
		advance(index, rows)
	}
	c.Sharpness = c.sharpness()
	return c.Comparison, nil
}

// A comparer is at work on three tensors of one shape.
type comparer struct {
	Comparison
	got, want, bound *tensor.Tensor // bound may be nil
	worst            float64        // how far Worst is off, in parts of what it may be
	allowed          []float64      // what elements may be off, a selection
	squares          float64        // of the finite elements of the reference
	finite           int
}

// selectedElements is how many elements the sharpness of a large comparison follows from.
const selectedElements = 1 << 16

// weigh notes how much an element may be off.
func (c *comparer) weigh(e, allowed float64, w int) {
	if e <= eitherZero {
		c.Exact++
		allowed = 0
	}
	if every := 1 + c.want.Len()/selectedElements; c.finite%every == 0 {
		c.allowed = append(c.allowed, allowed)
	}
	c.finite++
	if size := math.Abs(c.want.FloatAt(w)); finite(size) {
		c.squares += size * size
	}
}

// sharpness follows from what was noted.
func (c *comparer) sharpness() float64 {
	if len(c.allowed) == 0 {
		return 0
	}
	slices.Sort(c.allowed)
	allowed, typical := c.allowed[len(c.allowed)*9/10], math.Sqrt(c.squares/float64(c.finite))
	switch {
	case allowed == 0:
		return 0
	case typical == 0:
		return unbounded
	}
	return allowed / typical
}

// row compares the elements from an index on, along the last dimension. Outputs may have
// millions of them: subscripts become offsets once.
func (c *comparer) row(index []int, columns int) {
	start := func(t *tensor.Tensor) (offset, stride int) {
		if len(index) == 0 {
			return 0, 0
		}
		return t.Offset(index...), t.Stride(len(index) - 1)
	}
	g, gotStride := start(c.got)
	w, wantStride := start(c.want)
	b, boundStride := 0, 0
	if c.bound != nil {
		b, boundStride = start(c.bound)
	}
	c.Elements += columns
	for column := range columns {
		off, e := elementError(c.got, g, c.want, w), 0.0
		if c.bound != nil {
			e = c.bound.FloatAt(b)
		}
		if e == unbounded {
			c.Ambiguous++
		} else {
			allowed := allowedError(c.want, w, e)
			c.weigh(e, allowed, w)
			if off > 0 {
				c.differs(index, column, off, allowed, g, w)
			}
		}
		g, w, b = g+gotStride, w+wantStride, b+boundStride
	}
}

// differs counts an element that is not equal to the reference; g and w are its offsets.
func (c *comparer) differs(index []int, column int, off, allowed float64, g, w int) {
	if !(off <= allowed) {
		c.Mismatches++
	}
	ratio := off / allowed
	if !(ratio > c.worst) {
		return
	}
	c.worst = ratio
	at := slices.Clone(index)
	if len(at) > 0 {
		at[len(at)-1] = column
	}
	c.Worst = &Difference{Index: at, Got: elementText(c.got, g), Want: elementText(c.want, w), Error: off, Allowed: allowed}
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

func allowedError(want *tensor.Tensor, offset int, e float64) float64 {
	if e == 0 || !want.DType().IsFloat() {
		return e
	}
	p, w := precisionOf(want.DType()), math.Abs(want.FloatAt(offset))
	if math.IsInf(w, 1) || math.IsNaN(w) {
		return safety(p) * e
	}
	return safety(p)*e + p.unit*w + p.tiny
}

// elementError is |got - want|: 0 for two NaNs and for equal infinities, +∞ for
// one NaN.
func elementError(got *tensor.Tensor, g int, want *tensor.Tensor, w int) float64 {
	switch got.DType().Kind() {
	case tensor.KindFloat:
		return distance(got.FloatAt(g), want.FloatAt(w))
	case tensor.KindUint:
		a, b := got.UintAt(g), want.UintAt(w)
		return float64(max(a, b) - min(a, b))
	}
	a, b := got.IntAt(g), want.IntAt(w)
	return float64(uint64(max(a, b)) - uint64(min(a, b)))
}

func elementText(t *tensor.Tensor, offset int) string {
	switch d := t.DType(); {
	case d == tensor.Bool:
		return strconv.FormatBool(t.IntAt(offset) != 0)
	case d == tensor.Float64:
		return strconv.FormatFloat(t.FloatAt(offset), 'g', -1, 64)
	case d.IsFloat():
		return strconv.FormatFloat(t.FloatAt(offset), 'g', -1, 32)
	case d.Kind() == tensor.KindUint:
		return strconv.FormatUint(t.UintAt(offset), 10)
	}
	return strconv.FormatInt(t.IntAt(offset), 10)
}
