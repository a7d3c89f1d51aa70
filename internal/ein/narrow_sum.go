package ein

import "github.com/ricci-lang/ricci/tensor"

// NarrowTerm recognises a term of a sum in int32 that is a narrow number, int32(x) of 8 bits or of
// int16, or the product of two, and returns how many of them fill 32 bits; 0 for others. Such
// terms may be added to the lanes of a vector in groups, since sums of int32 wrap.
func NarrowTerm(e Expr) (group int) {
	types := NarrowTypes(e)
	if len(types) == 0 {
		return 0
	}
	return DotGroup(types[0])
}

// NarrowTypes returns the type of the number that is a narrow term, or of both that one multiplies;
// nil for other expressions.
func NarrowTypes(e Expr) []tensor.DType {
	for {
		let, ok := e.(*Let)
		if !ok {
			break
		}
		e = let.Body
	}
	if e.Type() != tensor.Int32 {
		return nil
	}
	switch e := e.(type) {
	case *Cast:
		if t := e.X.Type(); DotSum(t) == tensor.Int32 {
			return []tensor.DType{t}
		}
	case *Binary:
		x, okX := e.X.(*Cast)
		y, okY := e.Y.(*Cast)
		if e.Op == Mul && okX && okY && DotSum(x.X.Type()) == tensor.Int32 && DotSum(y.X.Type()) == tensor.Int32 && DotGroup(x.X.Type()) == DotGroup(y.X.Type()) {
			return []tensor.DType{x.X.Type(), y.X.Type()}
		}
	}
	return nil
}

// NarrowSum is NarrowTerm for a comprehension that sums, and 0 for others.
func NarrowSum(c *Comprehension) (group int) {
	sums := false
	for _, i := range c.Indices {
		if i.Combine.Kind == Scan || i.Combine.Kind == Reduce && i.Combine.Op.Kind != SumOp {
			return 0
		}
		sums = sums || i.Combine.Kind == Reduce
	}
	if !sums || len(c.Values) != 1 {
		return 0
	}
	return NarrowTerm(c.Values[0])
}
