package ein

import "github.com/ricci-lang/ricci/tensor"

// DotGroup is how many integers of a type fill 32 bits, if their products are summed in
// int32 by groups (see DotOf); 0 for a type for which they are not.
func DotGroup(d tensor.DType) int {
	switch d {
	case tensor.Int8, tensor.Uint8, tensor.Int16:
		return tensor.Int32.Size() / d.Size()
	}
	return 0
}

// DotOf recognises an int32 sum of products of two narrow integers, such as
// int32(A(i,k)) * int32(B(k,j)), and returns what is read and the size of the groups.
// Sums of int32 wrap, so groups of products may be added in any order.
func DotOf(c *Comprehension) (x, y *Access, group int) {
	if len(c.Values) != 1 {
		return nil, nil, 0
	}
	for _, i := range c.Indices {
		if i.Combine.Kind == Scan || i.Combine.Kind == Reduce && i.Combine.Op.Kind != SumOp {
			return nil, nil, 0
		}
	}
	product, ok := c.Values[0].(*Binary)
	if !ok || product.Op != Mul || product.Type() != tensor.Int32 {
		return nil, nil, 0
	}
	x, y = narrowAccess(product.X), narrowAccess(product.Y)
	if x == nil || y == nil || DotGroup(x.Tensor.Type) != DotGroup(y.Tensor.Type) {
		return nil, nil, 0
	}
	return x, y, DotGroup(x.Tensor.Type)
}

// narrowAccess returns the narrow integer that is converted, or nil.
func narrowAccess(e Expr) *Access {
	if cast, ok := e.(*Cast); ok {
		if a, ok := cast.X.(*Access); ok && DotGroup(a.Tensor.Type) > 0 && !a.Checked {
			return a
		}
	}
	return nil
}
