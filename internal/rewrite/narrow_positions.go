package rewrite

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// Narrow positions
//
// The position of an extremum is an int64, and with it a vector has half as many lanes as one of the floats
// or of the narrower numbers that are compared. Where all positions fit 32 bits they are kept in as many while
// rows are folded, and widened by a statement of their own, which has one point for each row.

// leastFolded is how many terms rows have for which another pass over the results is little.
const leastFolded = 16

// narrowPosition lets statement number k of a function, a fold of pairs of a value and a position, keep positions in
// 32 bits, and inserts the statement that widens them.
func narrowPosition(r *ranges, k int) bool {
	f, c := r.f, r.f.Body[k]
	op := pairOperator(c)
	if op == nil || c.Accumulate != nil || op.Left[1].DType != tensor.Int64 || op.Left[0].DType.Size() > 4 || !r.of(c.Values[1]).fits(tensor.Int32) {
		return false
	}
	n := newNarrower(r, 32)
	position := n.value(c.Values[1], tensor.Int32)
	if n.failed || n.widest(position) > n.bits || (&narrower{}).widest(c.Values[0]) > n.bits {
		return false
	}
	narrow := ein.ArgOperator(op.Kind, op.Left[0].DType, tensor.Int32)
	narrow.Associative, narrow.Commutative = op.Associative, op.Commutative
	widened := widenedWrite(f, c, 1)
	c.Values[1] = position
	for _, i := range c.ByKind(ein.Reduce) {
		i.Combine.Op = narrow
	}
	f.Body = slices.Insert(f.Body, k+1, widened)
	return true
}

// pairOperator returns the operator of a statement that folds long rows of pairs of a value and a position, or nil.
func pairOperator(c *ein.Comprehension) *ein.Operator {
	folded := c.ByKind(ein.Reduce)
	if len(folded) == 0 || len(c.Values) != 2 || len(folded)+len(c.ByKind(ein.Concat)) != len(c.Indices) || points(folded) < leastFolded {
		return nil
	}
	op := folded[0].Combine.Op
	if op.Kind != ein.ArgMinOp && op.Kind != ein.ArgMaxOp {
		return nil
	}
	other := func(i *ein.Index) bool { return i.MayBeEmpty || i.Combine.Op != op } // of nothing the position is the greatest int64
	if slices.ContainsFunc(folded, other) {
		return nil
	}
	return op
}

// widenedWrite lets write number w of a statement go to a temporary of 32-bit integers over the dimensions of its
// results, and returns the statement that widens these and writes what it wrote.
func widenedWrite(f *ein.Func, c *ein.Comprehension, w int) *ein.Comprehension {
	before := c.Writes[w]
	widened := &ein.Comprehension{Pos: c.Pos}
	t := &ein.Tensor{Pos: before.Pos, Name: freshName(f, before.Tensor.Name+"_narrow"), Type: tensor.Int32, Role: ein.Temp}
	var inside, outside []ein.Expr // subscripts of the temporary in both
	moved := map[*ein.Index]ein.Expr{}
	for _, i := range c.ByKind(ein.Concat) {
		j := &ein.Index{Pos: i.Pos, Name: i.Name, Min: i.Min, Extent: i.Extent, MayBeEmpty: i.MayBeEmpty}
		widened.Indices = append(widened.Indices, j)
		t.Dims = append(t.Dims, ein.Dim{Min: i.Min, Extent: i.Extent})
		inside, outside = append(inside, &ein.IndexRef{Pos: i.Pos, Index: i}), append(outside, &ein.IndexRef{Pos: j.Pos, Index: j})
		moved[i] = outside[len(outside)-1]
	}
	f.Tensors = append(f.Tensors, t)
	widened.Writes = []*ein.Write{{Pos: before.Pos, Tensor: before.Tensor, Subscripts: substituteAll(before.Subscripts, moved)}}
	widened.Values = []ein.Expr{castTo(before.Tensor.Type, &ein.Access{Pos: before.Pos, Tensor: t, Subscripts: outside})}
	c.Writes[w] = &ein.Write{Pos: before.Pos, Tensor: t, Subscripts: inside}
	return widened
}
