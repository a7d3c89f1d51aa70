package ein

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
)

// Reduced returns the indices of a comprehension that are not Concat, in order.
func Reduced(c *Comprehension) []*Index {
	var list []*Index
	for _, i := range c.Indices {
		if i.Combine.Kind != Concat {
			list = append(list, i)
		}
	}
	return list
}

// ReductionOperator returns the operator of a comprehension whose reductions
// may be split and reordered at will: all of its reduced indices are folded with
// one associative and commutative operator. Otherwise ok is false, and the
// indices must be enumerated in their order. Without reduced indices op is nil
// and ok true. The operator may have no identity: parts start from their first value then.
func ReductionOperator(c *Comprehension) (op *Operator, ok bool) {
	for _, i := range Reduced(c) {
		o := i.Combine.Op
		if i.Combine.Kind != Reduce || !o.Associative || !o.Commutative || op != nil && !SameOperator(op, o) {
			return nil, false
		}
		op = o
	}
	return op, true
}

// SameOperator reports whether two operators are known to be the same function.
func SameOperator(a, b *Operator) bool {
	return a == b || a != nil && b != nil && a.Kind != UserDefined && a.Kind == b.Kind && slices.Equal(a.Types(), b.Types())
}

// ScanOperator returns the scanned index and the operator of a comprehension that
// is a scan and nothing else, with an operator that may be cut anywhere: it is
// associative, and has an identity.
func ScanOperator(c *Comprehension) (index *Index, op *Operator, ok bool) {
	rest := Reduced(c)
	if len(rest) != 1 || rest[0].Combine.Kind != Scan {
		return nil, nil, false
	}
	op = rest[0].Combine.Op
	if !op.Associative || op.Identity == nil {
		return nil, nil, false
	}
	return rest[0], op, true
}

// foldOperators are the operators with which the lanes of a vector can be folded.
var foldOperators = map[OperatorKind]BinaryOp{
	SumOp: Add, ProductOp: Mul, MinOp: Min, MaxOp: Max, AndOp: And, OrOp: Or,
	BitAndOp: BitAnd, BitOrOp: BitOr, BitXorOp: BitXor,
}

// FoldOperator returns the infix operator that folds the lanes of a vector as a
// reduction operator does; ok is false where there is none.
func FoldOperator(op *Operator) (fold BinaryOp, ok bool) {
	fold, ok = foldOperators[op.Kind]
	return fold, ok
}

// InBounds reports whether subscript d of an access of c is proved to be in
// bounds, so that a checked access needs no test of it.
func InBounds(c *Comprehension, a *Access, d int) bool {
	e, ok := AffineOf(a.Subscripts[d])
	if !ok {
		return false
	}
	known := affine.NewFacts()
	var box []affine.Range
	for _, i := range c.Indices {
		box = append(box, affine.Range{Symbol: i.Name, Min: i.Min, Extent: i.Extent})
	}
	dim := a.Tensor.Dims[d]
	lo, hi, ok := known.Extremes(e, box)
	return ok && known.Proves(lo.Sub(dim.Min)) && known.Proves(dim.Min.Add(dim.Extent).AddConst(-1).Sub(hi))
}
