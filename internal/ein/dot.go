package ein

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/tensor"
)

// DotGroup is how many elements of a type fill 32 bits, if their products are summed in 32
// bits by groups (see DotOf); 0 for a type for which they are not.
func DotGroup(d tensor.DType) int {
	if DotSum(d) == tensor.Invalid {
		return 0
	}
	return tensor.Int32.Size() / d.Size()
}

// DotSum is the type in which products of elements of a type are summed by groups.
func DotSum(d tensor.DType) tensor.DType {
	switch d {
	case tensor.Int8, tensor.Uint8, tensor.Int16:
		return tensor.Int32
	case tensor.BFloat16:
		return tensor.Float32
	}
	return tensor.Invalid
}

// DotOf recognises a sum of products of two narrow numbers that is taken in 32 bits, such
// as int32(A(i,k)) * int32(B(k,j)), and returns what is read and the size of the groups.
// Sums of int32 wrap, so groups of products may be added in any order, and so may floats
// where the sum is one.
func DotOf(c *Comprehension) (x, y *Access, group int) {
	if len(c.Values) != 1 || !isSumOfAll(c) {
		return nil, nil, 0
	}
	product, ok := computed(c.Values[0]).(*Binary)
	if !ok || product.Op != Mul {
		return nil, nil, 0
	}
	x, y = narrowAccess(product.X), narrowAccess(product.Y)
	if x == nil || y == nil || DotSum(x.Tensor.Type) != product.Type().Compute() || DotSum(y.Tensor.Type) != product.Type().Compute() || DotGroup(x.Tensor.Type) != DotGroup(y.Tensor.Type) {
		return nil, nil, 0
	}
	return x, y, DotGroup(x.Tensor.Type)
}

// MatrixOf recognises a sum of products that a matrix unit takes: of two narrow numbers (DotOf), or,
// in groups of one, of two of float32, added in any order.
func MatrixOf(c *Comprehension) (x, y *Access, group int) {
	if x, y, group = DotOf(c); group > 0 || len(c.Values) != 1 || !isSumOfAll(c) {
		return x, y, group
	}
	product, ok := computed(c.Values[0]).(*Binary)
	if !ok || product.Op != Mul || product.Type() != tensor.Float32 {
		return nil, nil, 0
	}
	x, okX := computed(product.X).(*Access)
	y, okY := computed(product.Y).(*Access)
	if !okX || !okY || x.Tensor.Type != tensor.Float32 || y.Tensor.Type != tensor.Float32 || x.Checked || y.Checked {
		return nil, nil, 0
	}
	return x, y, 1
}

// MatrixGroup is how many elements of a type are a group for a matrix unit: those that fill 32
// bits, one of float32; 0 for a type that no unit takes.
func MatrixGroup(d tensor.DType) int {
	if d == tensor.Float32 {
		return 1
	}
	return DotGroup(d)
}

// MatrixSum is the type in which products of elements of a type are summed by a matrix unit.
func MatrixSum(d tensor.DType) tensor.DType {
	if d == tensor.Float32 {
		return d
	}
	return DotSum(d)
}

// isSumOfAll reports whether all indices that are reduced are summed over, in any order, and none is
// scanned.
func isSumOfAll(c *Comprehension) bool {
	return !slices.ContainsFunc(c.Indices, func(i *Index) bool {
		return i.Combine.Kind == Scan || i.Combine.Kind == Reduce && (i.Combine.Op.Kind != SumOp || i.Combine.Op.Ordered())
	})
}

// narrowAccess returns the narrow number that is read and computed with in 32 bits, or nil.
func narrowAccess(e Expr) *Access {
	read := computed(e)
	if cast, ok := read.(*Cast); ok {
		read = cast.X
	}
	a, ok := read.(*Access)
	if !ok || DotGroup(a.Tensor.Type) == 0 || a.Checked || e.Type().Compute() != DotSum(a.Tensor.Type) {
		return nil
	}
	return a
}

// computed takes casts off that change nothing in a computation: floats of 16 bits are
// those of 32 there.
func computed(e Expr) Expr {
	for {
		cast, ok := e.(*Cast)
		if !ok || !cast.To.IsFloat() || cast.To.Compute() != cast.X.Type().Compute() {
			return e
		}
		e = cast.X
	}
}

// isMatrixProduct reports whether an expression is the product of a statement whose sum a
// matrix unit may take (DotOf), in floats.
func isMatrixProduct(c *Comprehension, product *Binary) bool {
	if product.Op != Mul || !product.Type().IsFloat() || c == nil || len(c.Values) != 1 || computed(c.Values[0]) != product {
		return false
	}
	_, _, group := DotOf(c)
	return group > 0
}

// flushed adds to the error of a product what matrix units lose: they take operands, products
// and partial sums that are smaller than the smallest normal number for 0. A sum of products
// that are all multiples of much smaller ones than what is small here has no such partial
// sums.
func flushed(multiply func(a, b value) value) func(a, b value) value {
	const smallest, small = 0x1p-126, 0x1p-100
	flush := func(v value) value {
		if v.f != 0 && math.Abs(v.f) < smallest {
			v.e += math.Abs(v.f)
		}
		return v
	}
	return func(a, b value) value {
		p := multiply(flush(a), flush(b))
		if p.f != 0 && math.Abs(p.f) < small {
			p.e += 2 * smallest
		}
		return p
	}
}
