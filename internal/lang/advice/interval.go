package advice

import (
	"math"
	"math/bits"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// An interval holds the values of an integer expression, both ends included.
type interval struct{ lo, hi float64 }

// of is the interval of a type; floats have all numbers.
func of(t tensor.DType) interval {
	bits := t.Size() * 8
	switch t.Kind() {
	case tensor.KindBool:
		return interval{0, 1}
	case tensor.KindUint:
		return interval{0, math.Ldexp(1, bits) - 1}
	case tensor.KindInt:
		return interval{-math.Ldexp(1, bits-1), math.Ldexp(1, bits-1) - 1}
	}
	return interval{math.Inf(-1), math.Inf(1)}
}

func (x interval) within(y interval) bool { return y.lo <= x.lo && x.hi <= y.hi }

func (x interval) join(y interval) interval { return interval{min(x.lo, y.lo), max(x.hi, y.hi)} }

// interval returns one that has all values of an expression: its type's, where it may wrap.
func (l *look) interval(e ein.Expr) interval {
	all := of(e.Type())
	if x := l.exact(e); x.within(all) {
		return x
	}
	return all
}

// exact returns an interval of the values that an expression would have if its last
// operation did not wrap.
func (l *look) exact(e ein.Expr) interval {
	all := of(e.Type())
	switch e := e.(type) {
	case *ein.Const:
		switch {
		case e.DType.Kind() == tensor.KindUint:
			return interval{float64(e.Bits), float64(e.Bits)}
		case e.DType.IsInteger():
			return interval{float64(e.Int()), float64(e.Int())}
		}
	case *ein.LocalRef:
		return l.local(e.Local)
	case *ein.Let:
		return l.interval(e.Body)
	case *ein.Cast:
		if x := l.interval(e.X); x.within(all) {
			return x
		}
	case *ein.Select:
		return l.interval(e.Then).join(l.interval(e.Else))
	case *ein.Unary:
		if x := l.interval(e.X); e.Op == ein.Neg {
			return interval{-x.hi, -x.lo}
		}
	case *ein.Binary:
		if e.Type().IsInteger() {
			return l.binary(e, all)
		}
	}
	return all
}

func (l *look) local(v *ein.Local) interval {
	known, ok := l.intervals[v]
	if !ok {
		known = of(v.DType)
		if value := l.values[v]; value != nil {
			known = l.interval(value)
		}
		l.intervals[v] = known
	}
	return known
}

func (l *look) binary(e *ein.Binary, all interval) interval {
	x, y := l.interval(e.X), l.interval(e.Y)
	switch e.Op {
	case ein.Add:
		return interval{x.lo + y.lo, x.hi + y.hi}
	case ein.Sub:
		if l.atMost(e.Y, e.X) || l.isKnown(e.Y, e.X) {
			return interval{0, x.hi}
		}
		return interval{x.lo - y.hi, x.hi - y.lo}
	case ein.Mul:
		if corners := []float64{x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi}; x.bounded() && y.bounded() {
			return interval{min(corners[0], corners[1], corners[2], corners[3]), max(corners[0], corners[1], corners[2], corners[3])}
		}
	case ein.Min:
		return interval{min(x.lo, y.lo), min(x.hi, y.hi)}
	case ein.Max:
		return interval{max(x.lo, y.lo), max(x.hi, y.hi)}
	case ein.Shl:
		if y.lo >= 0 && y.bounded() && x.bounded() {
			return interval{min(x.lo, math.Ldexp(x.lo, int(y.hi))), max(x.hi, math.Ldexp(x.hi, int(y.hi)))}
		}
		return interval{math.Inf(-1), math.Inf(1)}
	default:
		return l.smaller(e, x, y, all)
	}
	return all
}

// smaller is the interval of what is not beyond its operands.
func (l *look) smaller(e *ein.Binary, x, y, all interval) interval {
	switch e.Op {
	case ein.Div:
		if y.lo == y.hi && y.lo > 0 {
			return interval{math.Floor(x.lo / y.lo), math.Floor(x.hi / y.lo)}
		}
	case ein.Mod:
		if y.lo > 0 {
			return interval{0, y.hi - 1}
		}
	case ein.Shr:
		if y.lo == y.hi && y.lo >= 0 {
			return interval{math.Floor(math.Ldexp(x.lo, -int(y.lo))), math.Floor(math.Ldexp(x.hi, -int(y.lo)))}
		}
	case ein.BitAnd:
		switch {
		case x.lo >= 0 && y.lo >= 0:
			return interval{0, min(x.hi, y.hi)}
		case x.lo >= 0:
			return interval{0, x.hi}
		case y.lo >= 0:
			return interval{0, y.hi}
		}
	case ein.BitOr, ein.BitXor:
		if most := max(x.hi, y.hi); x.lo >= 0 && y.lo >= 0 && most < math.Ldexp(1, 52) {
			return interval{0, math.Ldexp(1, bits.Len64(uint64(most))) - 1}
		}
	}
	return all
}

func (x interval) bounded() bool { return !math.IsInf(x.lo, 0) && !math.IsInf(x.hi, 0) }

// atMost reports whether x ≤ y follows from how they are written: y is the greater one of x and another,
// x is the less one of y and another, or one of what y is the greater one of.
func (l *look) atMost(x, y ein.Expr) bool {
	x, y = l.plain(x), l.plain(y)
	same := func(a, b ein.Expr) bool { return ein.SameExpr(l.plain(a), l.plain(b)) }
	greater, isMax := y.(*ein.Binary)
	isMax = isMax && greater.Op == ein.Max
	less, isMin := x.(*ein.Binary)
	isMin = isMin && less.Op == ein.Min
	return isMax && (same(greater.X, x) || same(greater.Y, x)) || isMin && (same(less.X, y) || same(less.Y, y)) ||
		isMax && isMin && (same(less.X, greater.X) || same(less.X, greater.Y))
}

// An order says that one number is at most another, or less.
type order struct {
	small, large ein.Expr
	strict       bool
}

// under does something with what follows from a condition or from its contrary.
func (l *look) under(cond ein.Expr, holds bool, do func()) {
	before := len(l.known)
	l.learn(cond, holds)
	do()
	l.known = l.known[:before]
}

func (l *look) learn(cond ein.Expr, holds bool) {
	switch c := l.plain(cond).(type) {
	case *ein.Unary:
		if c.Op == ein.Not {
			l.learn(c.X, !holds)
		}
	case *ein.Binary:
		switch c.Op {
		case ein.And, ein.Or:
			if holds == (c.Op == ein.And) {
				l.learn(c.X, holds)
				l.learn(c.Y, holds)
			}
		case ein.Lt, ein.Ge:
			l.compared(c.X, c.Y, holds == (c.Op == ein.Lt))
		case ein.Gt, ein.Le:
			l.compared(c.Y, c.X, holds == (c.Op == ein.Gt))
		}
	}
}

// compared notes x < y, or y ≤ x where that does not hold.
func (l *look) compared(x, y ein.Expr, holds bool) {
	if !holds {
		x, y = y, x
	}
	l.known = append(l.known, order{x, y, holds})
}

// isKnown reports whether x ≤ y follows from a condition.
func (l *look) isKnown(x, y ein.Expr) bool {
	x, y = l.plain(x), l.plain(y)
	for _, o := range l.known {
		if !ein.SameExpr(l.plain(o.large), y) {
			continue
		}
		if ein.SameExpr(l.plain(o.small), x) {
			return true
		}
		least := l.interval(o.small).lo // x ≤ least value of what y is at least
		if o.strict {
			least++
		}
		if l.interval(x).hi <= least {
			return true
		}
	}
	return false
}
