package lower

import (
	"cmp"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
)

// How conditions are made
//
// A condition that always holds is nil, and one that never holds a constant: what is known
// while loops are made is not tested when they run, and branches that are never taken are
// not there.

// compare tests two positions.
func (l *lowerer) compare(x affine.Expr, op ein.BinaryOp, y affine.Expr) loop.Expr {
	d, known := x.Sub(y).IsConst()
	switch sign := cmp.Compare(d, 0); {
	case !known:
		return &loop.Binary{Op: op, X: l.toLoop(x, 1), Y: l.toLoop(y, 1)}
	case op == ein.Lt && sign < 0, op == ein.Le && sign <= 0, op == ein.Gt && sign > 0, op == ein.Ge && sign >= 0, op == ein.Eq && sign == 0:
		return nil
	}
	return literal(tensor.Bool, 0)
}

// comparedLanes compares sums and differences of indices and sizes of which the lanes of a vector take successive values,
// beside values that are narrower than indices: in their bits, where the numbers fit, and else by what is true of
// vectors of any width, that such a condition holds in the first lanes or behind these. Numbers of 64 bits would have
// half of the lanes. It returns nil for other comparisons.
func (x *context) comparedLanes(e *ein.Binary) loop.Expr {
	if x.lanes < 2 || !machine.ComparesPositions(e) {
		return nil
	}
	bytes := machine.WidestBytes(x.c)
	a, _ := ein.AffineOf(e.X)
	b, _ := ein.AffineOf(e.Y)
	difference := a.Sub(b).Subst(x.env)
	step, first, linear := difference.Linear(laneSymbol)
	if bytes >= tensor.Int64.Size() || !linear || step*step != 1 || !x.l.known(difference) {
		return nil
	}
	if narrow := signedOf(bytes); x.fitsNarrow(a, narrow) && x.fitsNarrow(b, narrow) {
		w := widen(x.narrowLanes(a, narrow), x.narrowLanes(b, narrow))
		return &loop.Binary{Op: e.Op, X: w[0], Y: w[1]}
	}
	return x.firstLanes(e.Op, step, first)
}

// narrowLanes is a position in a narrow type: of a vector the first lane, which is one number, and lane numbers, which are
// constants.
func (x *context) narrowLanes(position affine.Expr, t tensor.DType) loop.Expr {
	step, first, linear := position.Subst(x.env).Linear(laneSymbol)
	if !linear || step*step != 1 {
		return &loop.Cast{To: t, X: x.l.toLoop(position.Subst(x.env), x.lanes)}
	}
	op := map[int64]ein.BinaryOp{1: ein.Add, -1: ein.Sub}[step]
	lanes := &loop.Cast{To: t, X: &loop.Ramp{Base: int64Const(0), Stride: 1, Lanes: x.lanes}}
	return &loop.Binary{Op: op, X: broadcast(&loop.Cast{To: t, X: x.l.toLoop(first, 1)}, x.lanes), Y: lanes}
}

// signedOf returns the signed integers of a number of bytes.
func signedOf(bytes int) tensor.DType {
	return map[int]tensor.DType{1: tensor.Int8, 2: tensor.Int16, 4: tensor.Int32}[bytes]
}

// fitsNarrow reports whether a position is a number of a type for all values of the statement's indices; in the
// lanes behind a range it may wrap.
func (x *context) fitsNarrow(position affine.Expr, t tensor.DType) bool {
	var box []affine.Range
	for _, i := range x.c.Indices {
		box = append(box, affine.Range{Symbol: i.Name, Min: i.Min, Extent: i.Extent})
	}
	low, high, ok := affine.NewFacts().Extremes(position, box)
	least, knownLow := low.IsConst()
	greatest, knownHigh := high.IsConst()
	most := int64(1)<<(8*t.Size()-1) - 1
	return ok && knownLow && knownHigh && least >= -most && greatest <= most
}

// firstLanes is the mask of the lanes in which step*lane + first, with a step of 1 or -1, compares so with 0.
func (x *context) firstLanes(op ein.BinaryOp, step int64, first affine.Expr) loop.Expr {
	below := func(limit int64) loop.Expr {
		if step == 1 {
			return x.l.tailMask(affine.Const(limit).Sub(first), x.lanes)
		}
		return not(x.l.tailMask(first.AddConst(1-limit), x.lanes))
	}
	switch op {
	case ein.Lt:
		return below(0)
	case ein.Le:
		return below(1)
	case ein.Gt:
		return not(below(1))
	case ein.Ge:
		return not(below(0))
	case ein.Eq:
		return both(below(1), not(below(0)))
	}
	return either(below(0), not(below(1)))
}

// not is the negation of a condition.
func not(condition loop.Expr) loop.Expr {
	if u, ok := condition.(*loop.Unary); ok && u.Op == ein.Not {
		return u.X
	}
	return &loop.Unary{Op: ein.Not, X: condition}
}

// both is the conjunction of two conditions, or masks.
func both(a, b loop.Expr) loop.Expr {
	switch {
	case a == nil || isNever(b):
		return b
	case b == nil || isNever(a):
		return a
	}
	return &loop.Binary{Op: ein.And, X: a, Y: b}
}

// either is the disjunction of two conditions.
func either(a, b loop.Expr) loop.Expr {
	switch {
	case a == nil || isNever(b):
		return a
	case b == nil || isNever(a):
		return b
	}
	return &loop.Binary{Op: ein.Or, X: a, Y: b}
}

// isNever reports whether a condition is known not to hold.
func isNever(condition loop.Expr) bool {
	c, ok := condition.(*loop.Const)
	return ok && c.Bits == 0
}

// when chooses between statements.
func when(condition loop.Expr, then, otherwise []loop.Stmt) []loop.Stmt {
	switch {
	case condition == nil:
		return then
	case isNever(condition):
		return otherwise
	case len(then) == 0 && len(otherwise) == 0:
		return nil
	}
	return []loop.Stmt{&loop.If{Cond: condition, Then: then, Else: otherwise}}
}
