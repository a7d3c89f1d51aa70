package guard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// A side of a range: of what an expression is at least, or at most.
type side struct {
	strong, weak ein.BinaryOp // one operand of the first is enough, both of the second are needed
	low          bool
}

var (
	atLeast = side{ein.Max, ein.Min, true}
	atMost  = side{ein.Min, ein.Max, false}
)

// isBounded reports whether an integer is at least, or at most, a size at every point at which the
// present expression is evaluated, whatever the data are. Only what never wraps is looked into.
func (s *statement) isBounded(e ein.Expr, by side, bound affine.Expr) bool {
	within := func(x affine.Expr) bool {
		if by.low {
			return s.holdsInside(x.Sub(bound))
		}
		return s.holdsInside(bound.Sub(x))
	}
	each := func(list ...ein.Expr) bool {
		return !slices.ContainsFunc(list, func(x ein.Expr) bool { return !s.isBounded(x, by, bound) })
	}
	if x, ok := exactly(e); ok {
		return within(x)
	}
	switch e := e.(type) {
	case *ein.Binary:
		switch {
		case e.Op == by.strong:
			return each(e.X) || each(e.Y)
		case e.Op == by.weak:
			return each(e.X, e.Y)
		case e.Op == ein.Mod:
			return s.isRemainder(e, by, within)
		}
	case *ein.Select:
		return each(e.Then, e.Else)
	case *ein.LocalRef:
		return s.values[e.Local] != nil && each(s.values[e.Local])
	case *ein.Cast:
		if t := e.X.Type(); e.To.IsInteger() && t.IsInteger() && holdsAll(e.To, t) && each(e.X) {
			return true
		}
	}
	low, high, ok := integers(e)
	return ok && (by.low && within(low) || !by.low && within(high))
}

// exactly returns an integer as an expression over indices and sizes. Arithmetic of types other than
// int64 may wrap where that of sizes does not.
func exactly(e ein.Expr) (affine.Expr, bool) {
	if _, number := e.(*ein.Const); e.Type() != tensor.Int64 && (!number || e.Type() == tensor.Uint64) {
		return affine.Expr{}, false
	}
	return ein.AffineOf(e)
}

// isRemainder is isBounded for x % n, which is from 0 to n - 1 where n is positive.
func (s *statement) isRemainder(e *ein.Binary, by side, within func(affine.Expr) bool) bool {
	n, ok := exactly(e.Y)
	if !ok || !s.holdsInside(n.AddConst(-1)) {
		return false
	}
	if by.low {
		return within(affine.Expr{})
	}
	return within(n.AddConst(-1))
}

// isHeld reports whether an integer is a place of a dimension, whatever the data are.
func (s *statement) isHeld(e ein.Expr, dim ein.Dim) bool {
	return s.isBounded(e, atLeast, dim.Min) && s.isBounded(e, atMost, dim.Min.Add(dim.Extent).AddConst(-1))
}

// integers returns the least and the greatest number of the type of an expression, if it has
// less than 64 bits.
func integers(e ein.Expr) (low, high affine.Expr, ok bool) {
	first, last, ok := rangeOf(e.Type())
	return affine.Const(first), affine.Const(last), ok
}

func rangeOf(t tensor.DType) (low, high int64, ok bool) {
	bits := t.Size() * 8
	switch {
	case t.Kind() == tensor.KindBool:
		return 0, 1, true
	case bits == 64 || !t.IsInteger():
		return 0, 0, false
	case t.Kind() == tensor.KindUint:
		return 0, 1<<bits - 1, true
	}
	return -1 << (bits - 1), 1<<(bits-1) - 1, true
}

// holdsAll reports whether a type has all numbers of another one.
func holdsAll(t, other tensor.DType) bool {
	low, high, ok := rangeOf(other)
	if first, last, narrow := rangeOf(t); narrow {
		return ok && first <= low && high <= last
	}
	return t == other || ok && (t == tensor.Int64 || low >= 0)
}
