package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How neighbours that are wrapped are numbered
//
// Of (i + s) mod n the lanes of a vector along i are n less from one lane on at most, where the
// vector is no longer than n: one remainder, of the first lane, tells all. A vector of remainders
// of 64 bits takes some ten instructions instead (streaming of a lattice of 301 x 403 points in
// nine directions that are data: 0.5 of the time).

// remainder makes x mod y; both are equally wide.
func (x *context) remainder(dividend, divisor loop.Expr) loop.Expr {
	whole := &loop.Binary{Op: ein.Mod, X: dividend, Y: divisor}
	constant, ok := divisor.(*loop.Broadcast)
	if !ok || dividend.Type().Elem != tensor.Int64 || x.mask != nil || len(x.guards) > 0 {
		return whole
	}
	n, ok := constant.X.(*loop.Const)
	lanes := dividend.Type().Lanes
	if !ok || int64(n.Bits) < int64(lanes) || int64(n.Bits) > mostWrapped {
		return whole
	}
	first, ramps, ok := x.l.firstLane(dividend)
	if !ok || ramps != 1 {
		return whole
	}
	begin := x.bindOnce("first", &loop.Binary{Op: ein.Mod, X: first, Y: n})
	lane := x.bindOnce("wrapped", &loop.Binary{Op: ein.Add, X: &loop.Ramp{Base: int64Const(0), Stride: 1, Lanes: lanes}, Y: broadcast(begin, lanes)})
	return &loop.Select{Cond: &loop.Binary{Op: ein.Ge, X: lane, Y: divisor}, Then: &loop.Binary{Op: ein.Sub, X: lane, Y: divisor}, Else: lane}
}

// bindOnce is bind for a value that may have a variable already: the two ends of a mirror, of which
// the lesser one is in bounds, have the same remainder.
func (x *context) bindOnce(name string, e loop.Expr) loop.Expr {
	text := loop.ExprText(e)
	for _, s := range x.before {
		if let, ok := s.(*loop.Let); ok && let.Var.Type == e.Type() && loop.ExprText(let.Value) == text {
			return &loop.VarRef{Var: let.Var}
		}
	}
	return x.bind(name, e)
}

// Bounds of the numbers of which no sum leaves 64 bits, and of the factors of variables there.
const (
	mostWrapped = 1 << 40
	mostFactor  = 1 << 10
)

// firstLane returns the value of a vector in its first lane, and by how much each next lane is
// more; ok is false where that is not known, or sums might leave 64 bits.
func (l *lowerer) firstLane(e loop.Expr) (first loop.Expr, step int64, ok bool) {
	switch e := e.(type) {
	case *loop.Ramp:
		return e.Base, e.Stride, l.isModest(e.Base)
	case *loop.Broadcast:
		return e.X, 0, l.isModest(e.X)
	case *loop.Binary:
		if e.Op != ein.Add && e.Op != ein.Sub {
			return nil, 0, false
		}
		a, stepA, okA := l.firstLane(e.X)
		b, stepB, okB := l.firstLane(e.Y)
		if !okA || !okB {
			return nil, 0, false
		}
		if e.Op == ein.Sub {
			stepB = -stepB
		}
		return &loop.Binary{Op: e.Op, X: a, Y: b}, stepA + stepB, true
	}
	return nil, 0, false
}

// isModest reports whether an integer is far from the ends of 64 bits: sums of variables, which
// number points, of numbers and of data of at most 32 bits.
func (l *lowerer) isModest(e loop.Expr) bool {
	switch e := e.(type) {
	case *loop.VarRef: // a size that is the value of a scalar may be any number, and an index begin there
		return l.vars[e.Var.Name] == e.Var && !slices.ContainsFunc(l.f.Sizes, func(s *ein.Size) bool { return s.Dim == ein.ScalarValue })
	case *loop.Const:
		return -mostWrapped <= int64(e.Bits) && int64(e.Bits) <= mostWrapped
	case *loop.Cast:
		from := e.X.Type().Elem
		return from.IsInteger() && from.Size() <= 4
	case *loop.Binary:
		factor, constant := e.Y.(*loop.Const)
		return (e.Op == ein.Add || e.Op == ein.Sub || e.Op == ein.Mul && constant && factor.Bits <= mostFactor) && l.isModest(e.X) && l.isModest(e.Y)
	}
	return false
}
