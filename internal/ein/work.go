package ein

import (
	"math"
	"slices"

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
// times; an expression counts once for all points of the indices that it does not use.
// Of an input that is read in a few places only these count, and so of an in-out.
// Terms that are the identity of an operator but where an equality holds count where it may
// (indicator.go), and not at all where a condition on data, but not on what is reduced, leaves all
// of them out.
// Temporaries are not counted. Unknown sizes count as 0.
func (f *Func) Work(sizes map[string]int64) (operations, bytes int64) {
	floats, integers := f.Operations(sizes)
	if operations = floats; floats == 0 {
		operations = integers
	}
	return operations, f.moved(valueIn(sizes))
}

// Operations counts as Work does, those on floats and those on integers.
func (f *Func) Operations(sizes map[string]int64) (floats, integers int64) {
	value := valueIn(sizes)
	for _, c := range f.Body {
		floats = affine.AddSaturating(floats, counter(countsFloat).comprehension(c, value))
		integers = affine.AddSaturating(integers, counter(countsInteger).comprehension(c, value))
	}
	return floats, integers
}

// valueIn returns what computes extents; what cannot be computed is 0.
func valueIn(sizes map[string]int64) func(affine.Expr) int64 {
	return func(e affine.Expr) int64 {
		n, err := e.Eval(sizes)
		if err != nil {
			return 0
		}
		return max(n, 0)
	}
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
	c = c.visited()
	points := int64(1)
	for _, i := range c.Indices {
		points = affine.MultiplySaturating(points, value(i.Extent))
	}
	total := int64(0)
	w := &weigher{counts: counts, c: c, value: value, locals: map[*Local]indexSet{}}
	for _, v := range c.Values {
		n, _ := w.expr(v)
		total = affine.AddSaturating(total, n)
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
		total = affine.AddSaturating(total, affine.MultiplySaturating(applications, counts.operator(i.Combine.Op)))
		inner = i.Combine.Op
	}
	if c.Accumulate != nil {
		total = affine.AddSaturating(total, affine.MultiplySaturating(points, counts.operator(c.Accumulate)))
	}
	return total
}

// dividePoints counts the points that remain once the reduced indices from n
// inward are gone.
func dividePoints(c *Comprehension, n int, value func(affine.Expr) int64) int64 {
	points := int64(1)
	for k, i := range c.Indices {
		if k < n || i.Combine.Kind != Reduce {
			points = affine.MultiplySaturating(points, value(i.Extent))
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

// moved counts the bytes of the arguments.
func (f *Func) moved(value func(affine.Expr) int64) (bytes int64) {
	read, written := f.touched(value)
	for _, t := range f.ByRole(Input, Output, InOut) {
		size := int64(t.Type.Size())
		for _, d := range t.Dims {
			size = affine.MultiplySaturating(size, value(d.Extent))
		}
		n := size
		switch t.Role {
		case Input:
			n = min(size, read[t])
		case InOut:
			n = affine.AddSaturating(min(size, max(read[t], written[t])), min(size, written[t]))
		}
		bytes = affine.AddSaturating(bytes, n)
	}
	return bytes
}

// lineBytes is what moves at least.
const lineBytes = 64

// touched bounds how many bytes of a tensor are read, and written, in the lines of memory that
// the points of a comprehension reach.
func (f *Func) touched(value func(affine.Expr) int64) (read, written map[*Tensor]int64) {
	read, written = map[*Tensor]int64{}, map[*Tensor]int64{}
	for _, c := range f.Body {
		w := &weigher{c: c, value: value, locals: map[*Local]indexSet{}}
		for _, v := range c.Values { // which finds what local names use
			w.expr(v)
		}
		for _, a := range c.Accesses() {
			read[a.Tensor] = affine.AddSaturating(read[a.Tensor], w.bytes(a.Tensor, a.Subscripts))
		}
		for _, a := range c.Writes {
			written[a.Tensor] = affine.AddSaturating(written[a.Tensor], w.bytes(a.Tensor, a.Subscripts))
		}
	}
	return read, written
}

// bytes are those of an access: rows of the last dimension, in which elements are as far apart
// as its subscript steps, or single elements where that changes with the row.
func (w *weigher) bytes(t *Tensor, subscripts []Expr) int64 {
	size := int64(t.Type.Size())
	if len(subscripts) == 0 {
		return size
	}
	var rows indexSet
	for _, e := range subscripts[:len(subscripts)-1] {
		_, used := w.expr(e)
		rows |= used
	}
	last := subscripts[len(subscripts)-1]
	_, run := w.expr(last)
	e, isAffine := AffineOf(last)
	step := int64(math.MaxInt64)
	for k, i := range w.c.Indices {
		if run&(1<<min(k, 63)) == 0 || !isAffine {
			continue
		}
		n, rest, linear := e.Linear(i.Name)
		if !linear {
			isAffine = false
			break
		}
		e, step = rest, min(step, max(n, -n))
	}
	switch {
	case !isAffine:
		return affine.MultiplySaturating(w.points(rows|run), size)
	case rows&run != 0:
		return affine.MultiplySaturating(w.points(rows|run), lineBytes)
	}
	each := affine.MultiplySaturating(w.points(run), min(lineBytes, affine.MultiplySaturating(size, step)))
	return affine.MultiplySaturating(w.points(rows), max(each, lineBytes))
}

// An indexSet has bit n for index number n of a comprehension; the last bit stands for all from
// there on.
type indexSet uint64

// A weigher counts the operations of the expressions of a comprehension, each once for the
// points of the indices that it uses.
type weigher struct {
	counts counter // nil counts nothing
	c      *Comprehension
	value  func(affine.Expr) int64
	locals map[*Local]indexSet
}

// points is the number of points of some indices.
func (w *weigher) points(used indexSet) int64 {
	n := int64(1)
	for k, i := range w.c.Indices {
		if used&(1<<min(k, 63)) != 0 {
			n = affine.MultiplySaturating(n, w.value(i.Extent))
		}
	}
	return n
}

func (w *weigher) expr(e Expr) (total int64, used indexSet) {
	switch e := e.(type) {
	case *IndexRef:
		return 0, 1 << min(slices.Index(w.c.Indices, e.Index), 63)
	case *LocalRef:
		return 0, w.locals[e.Local]
	case *Let:
		value, of := w.expr(e.Value)
		w.locals[e.Var] = of
		total, used = w.expr(e.Body)
		return affine.AddSaturating(value, total), used
	case *Select:
		condition, a := w.expr(e.Cond)
		then, b := w.expr(e.Then)
		other, c := w.expr(e.Else)
		return affine.AddSaturating(condition, max(then, other)), a | b | c
	}
	for _, child := range Children(e) {
		n, u := w.expr(child)
		total, used = affine.AddSaturating(total, n), used|u
	}
	if _, isAccess := e.(*Access); isAccess {
		return 0, used
	}
	if w.counts != nil && w.counts(e) {
		total = affine.AddSaturating(total, w.points(used))
	}
	return total, used
}
