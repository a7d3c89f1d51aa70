package lower

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How narrow numbers are summed along lanes
//
// A vector of narrow terms (ein.NarrowTerm) has more lanes than the accumulator that takes
// their sum in int32, and is added in groups: by the instructions for dot products, with ones
// where the terms are no products, or by those for sums of distances where terms are bytes
// without a sign. Which lane gets which terms does not matter, since the lanes are summed in
// the end and sums wrap. Lanes behind the end of an index count as 0.

// groupOf returns how many terms of a reduction go to a lane of accumulators of which w are asked
// for; 1 where they are added one by one.
func groupOf(op *ein.Operator, term ein.Expr, w int) int {
	const fewest = 2 // lanes of an accumulator
	if group := ein.NarrowTerm(term); op != nil && op.Kind == ein.SumOp && group > 1 && w >= fewest*group {
		return group
	}
	return 1
}

// addGroups returns what accumulators hold after a vector of terms.
func (x *context) addGroups(old, term loop.Expr, summand ein.Expr) loop.Expr {
	types := ein.NarrowTypes(summand)
	if product, ok := withoutBroadcast(term).(*loop.Binary); ok && len(types) == 2 {
		return &loop.Dot{X: x.narrowed(product.X, types[0]), Y: x.narrowed(product.Y, types[1]), Z: old}
	}
	narrow := x.narrowed(term, types[0])
	ones := func(t tensor.DType) loop.Expr { return broadcast(&loop.Const{Elem: t, Bits: 1}, x.lanes) }
	switch narrow.Type().Elem {
	case tensor.Int8:
		return &loop.Dot{X: ones(tensor.Uint8), Y: narrow, Z: old}
	case tensor.Int16:
		return &loop.Dot{X: narrow, Y: ones(tensor.Int16), Z: old}
	}
	if a, b, ok := distance(narrow); ok {
		return &loop.Distances{X: broadcast(a, x.lanes), Y: broadcast(b, x.lanes), Z: old}
	}
	return &loop.Distances{X: narrow, Y: broadcast(&loop.Const{Elem: tensor.Uint8}, x.lanes), Z: old}
}

func withoutBroadcast(e loop.Expr) loop.Expr {
	if b, ok := e.(*loop.Broadcast); ok {
		return b.X
	}
	return e
}

// narrowed returns the number of a narrow type that is converted to int32 in a vector, 0 in lanes
// that do not exist. A copy of a block may have converted it already.
func (x *context) narrowed(e loop.Expr, t tensor.DType) loop.Expr {
	e = withoutBroadcast(e)
	if cast, ok := e.(*loop.Cast); ok && cast.X.Type().Elem == t {
		e = cast.X
	} else {
		e = &loop.Cast{To: t, X: e}
	}
	value := broadcast(e, x.lanes)
	if x.tail != nil {
		value = &loop.Select{Cond: x.tail, Then: value, Else: broadcast(&loop.Const{Elem: t}, x.lanes)}
	}
	return value
}

// distance recognises max(a, b) - min(a, b).
func distance(e loop.Expr) (a, b loop.Expr, ok bool) {
	d, ok := e.(*loop.Binary)
	if !ok || d.Op != ein.Sub {
		return nil, nil, false
	}
	most, okMost := d.X.(*loop.Binary)
	least, okLeast := d.Y.(*loop.Binary)
	if !okMost || !okLeast || most.Op != ein.Max || least.Op != ein.Min || loop.ExprText(most.X) != loop.ExprText(least.X) || loop.ExprText(most.Y) != loop.ExprText(least.Y) {
		return nil, nil, false
	}
	return most.X, most.Y, true
}
