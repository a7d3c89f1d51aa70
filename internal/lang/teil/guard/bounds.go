package guard

import (
	"maps"
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
	return s.isWithin(e, by, func(x affine.Expr) bool {
		if by.low {
			return s.holdsInside(x.Sub(bound))
		}
		return s.holdsInside(bound.Sub(x))
	})
}

// isWithin reports whether what an integer is at least, or at most, is within what is allowed.
func (s *statement) isWithin(e ein.Expr, by side, within func(affine.Expr) bool) bool {
	each := func(list ...ein.Expr) bool {
		return !slices.ContainsFunc(list, func(x ein.Expr) bool { return !s.isWithin(x, by, within) })
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
		case e.Op == ein.Add || e.Op == ein.Sub:
			return s.isMoved(e, by, within)
		}
	case *ein.Select:
		outer := s.path
		defer func() { s.path = outer }()
		s.path = outer.And(ein.Says(e.Cond, true, s.affine, s.values))
		if !each(e.Then) {
			return false
		}
		s.path = outer.And(ein.Says(e.Cond, false, s.affine, s.values))
		return each(e.Else)
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

// isMoved is isWithin for a sum or difference of an int64 that has bounds on both sides, so that the sum wraps no more than sizes do,
// and of indices and sizes.
func (s *statement) isMoved(e *ein.Binary, by side, within func(affine.Expr) bool) bool {
	x, offset := e.X, affine.Expr{}
	moved, ok := exactly(e.Y)
	if ok {
		offset = moved
		if e.Op == ein.Sub {
			offset = affine.Expr{}.Sub(moved)
		}
	} else if moved, ok = exactly(e.X); ok && e.Op == ein.Add {
		x, offset = e.Y, moved
	} else {
		return false
	}
	something := func(affine.Expr) bool { return true }
	return e.Type() == tensor.Int64 && s.isWithin(x, atLeast, something) && s.isWithin(x, atMost, something) &&
		s.isWithin(x, by, func(x affine.Expr) bool { return within(x.Add(offset)) })
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

// isHeld reports whether an integer is a place of a dimension, whatever the data are. The verdict rests on it with the
// conditions on sizes that it needs.
func (s *statement) isHeld(e ein.Expr, dim ein.Dim) bool {
	if !s.isPlace(e, dim) {
		return false
	}
	present := *s
	present.values = maps.Clone(s.values)
	s.places = append(s.places, func(facts *affine.Facts) bool {
		then, l := present, *present.lowering
		l.sizes, then.lowering = facts, &l
		return then.isPlace(e, dim)
	})
	return true
}

func (s *statement) isPlace(e ein.Expr, dim ein.Dim) bool {
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
