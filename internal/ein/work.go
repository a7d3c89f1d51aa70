package ein

import (
	"math"

	"github.com/ricci-lang/ricci/internal/affine"
)

// Work returns what a call with these sizes has to do at least: the operations
// on floats, and the bytes of the arguments, inputs read once and outputs
// written once (in-outs count twice). An addition, a multiplication, a negation,
// a minimum and a call of a builtin function count one each; comparisons, casts
// and integer arithmetic count nothing; of a choice the dearer branch counts. A
// run of neighbouring reductions by one operator over n points applies it n
// times. Temporaries are not counted. Unknown sizes count as 0.
func (f *Func) Work(sizes map[string]int64) (flops, bytes int64) {
	value := func(e affine.Expr) int64 {
		n, err := e.Eval(sizes)
		if err != nil {
			return 0
		}
		return max(n, 0)
	}
	for _, t := range f.ByRole(Input, Output, InOut) {
		size := int64(t.Type.Size())
		for _, d := range t.Dims {
			size = timesSaturating(size, value(d.Extent))
		}
		if t.Role == InOut {
			size = plusSaturating(size, size)
		}
		bytes = plusSaturating(bytes, size)
	}
	for _, c := range f.Body {
		flops = plusSaturating(flops, c.flops(value))
	}
	return flops, bytes
}

func (c *Comprehension) flops(value func(affine.Expr) int64) int64 {
	points := int64(1)
	for _, i := range c.Indices {
		points = timesSaturating(points, value(i.Extent))
	}
	total := int64(0)
	for _, v := range c.Values {
		total = plusSaturating(total, timesSaturating(points, exprFlops(v)))
	}
	// Operators apply from the innermost index out; a reduced index is gone for
	// those further out.
	var inner *Operator
	for n := len(c.Indices) - 1; n >= 0; n-- {
		i := c.Indices[n]
		if i.Combine.Kind == Concat {
			inner = nil
			continue
		}
		applications := points
		if i.Combine.Kind == Reduce {
			points = dividePoints(c, n, value)
			if inner == i.Combine.Op {
				applications = 0
			}
		}
		total = plusSaturating(total, timesSaturating(applications, operatorFlops(i.Combine.Op)))
		inner = i.Combine.Op
	}
	if c.Accumulate != nil {
		total = plusSaturating(total, timesSaturating(points, operatorFlops(c.Accumulate)))
	}
	return total
}

// dividePoints counts the points that remain once the reduced indices from n
// inward are gone.
func dividePoints(c *Comprehension, n int, value func(affine.Expr) int64) int64 {
	points := int64(1)
	for k, i := range c.Indices {
		if k < n || i.Combine.Kind != Reduce {
			points = timesSaturating(points, value(i.Extent))
		}
	}
	return points
}

// operatorFlops counts an application; an argmin or argmax counts one.
func operatorFlops(o *Operator) int64 {
	if o.Kind == ArgMinOp || o.Kind == ArgMaxOp {
		return 1
	}
	total := int64(0)
	for _, e := range o.Body {
		total += exprFlops(e)
	}
	return total
}

func exprFlops(e Expr) int64 {
	if s, ok := e.(*Select); ok {
		return exprFlops(s.Cond) + max(exprFlops(s.Then), exprFlops(s.Else))
	}
	total := int64(0)
	for _, child := range Children(e) {
		total += exprFlops(child)
	}
	switch e := e.(type) {
	case *Call:
		total++
	case *Unary:
		if e.Type().IsFloat() {
			total++
		}
	case *Binary:
		if e.Type().IsFloat() {
			total++
		}
	}
	return total
}

func timesSaturating(x, y int64) int64 {
	if y != 0 && x > math.MaxInt64/y {
		return math.MaxInt64
	}
	return x * y
}

func plusSaturating(x, y int64) int64 {
	if x > math.MaxInt64-y {
		return math.MaxInt64
	}
	return x + y
}
