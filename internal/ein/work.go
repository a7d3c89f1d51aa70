package ein

import (
	"math"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/tensor"
)

// Work returns what a call with these sizes has to do at least: the operations
// on the elements, and the bytes of the arguments, inputs read once and outputs
// written once (in-outs count twice). An addition, a multiplication, a negation,
// a minimum, a comparison and a call of a builtin function count one each; casts,
// logic and subscripts count nothing; of a choice its condition and the dearer branch
// count, but not the choice: masked instructions do it with what is chosen. These are the operations on floats, or, of a function that has none, those on
// integers, as far as they depend on what tensors hold: a sum of both would have no
// peak. A
// run of neighbouring reductions by one operator over n points applies it n
// times. Temporaries are not counted. Unknown sizes count as 0.
func (f *Func) Work(sizes map[string]int64) (operations, bytes int64) {
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
	for _, counts := range []counter{countsFloat, countsInteger} {
		for _, c := range f.Body {
			operations = plusSaturating(operations, counts.comprehension(c, value))
		}
		if operations > 0 {
			break
		}
	}
	return operations, bytes
}

// A counter says which expressions are operations.
type counter func(e Expr) bool

// countsFloat counts operations on floats.
func countsFloat(e Expr) bool {
	switch e := e.(type) {
	case *Call:
		return true
	case *Unary:
		return e.Type().IsFloat()
	case *Binary:
		return e.X.Type().IsFloat()
	}
	return false
}

// countsInteger counts operations on integers that depend on data.
func countsInteger(e Expr) bool {
	switch e := e.(type) {
	case *Unary:
		return e.Op == Neg && DependsOnData(e)
	case *Binary:
		return e.X.Type() != tensor.Bool && DependsOnData(e)
	}
	return false
}

func (counts counter) comprehension(c *Comprehension, value func(affine.Expr) int64) int64 {
	points := int64(1)
	for _, i := range c.Indices {
		points = timesSaturating(points, value(i.Extent))
	}
	total := int64(0)
	for _, v := range c.Values {
		total = plusSaturating(total, timesSaturating(points, counts.expr(v)))
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
		total = plusSaturating(total, timesSaturating(applications, counts.operator(i.Combine.Op)))
		inner = i.Combine.Op
	}
	if c.Accumulate != nil {
		total = plusSaturating(total, timesSaturating(points, counts.operator(c.Accumulate)))
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

// operator counts an application; an argmin or argmax of its values counts one.
func (counts counter) operator(o *Operator) int64 {
	total := int64(0)
	for _, e := range o.Body {
		total += counts.expr(e)
	}
	if total > 1 && (o.Kind == ArgMinOp || o.Kind == ArgMaxOp) {
		return 1
	}
	return total
}

func (counts counter) expr(e Expr) int64 {
	switch e := e.(type) {
	case *Select:
		return counts.expr(e.Cond) + max(counts.expr(e.Then), counts.expr(e.Else))
	case *Access:
		return 0
	}
	total := int64(0)
	for _, child := range Children(e) {
		total += counts.expr(child)
	}
	if counts(e) {
		total++
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
