package rewrite

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// An interval is a range of integers, both ends included. That of all int64 also stands for
// what is not known, values of uint64 beyond it included.
type interval struct{ lo, hi int64 }

var anything = interval{math.MinInt64, math.MaxInt64}

// typeRange is what values of a type may be.
func typeRange(t tensor.DType) interval {
	bits := uint(8 * t.Size())
	switch {
	case t == tensor.Bool:
		return interval{0, 1}
	case !t.IsInteger() || bits == 64:
		return anything
	case t.Kind() == tensor.KindInt:
		return interval{-1 << (bits - 1), 1<<(bits-1) - 1}
	}
	return interval{0, 1<<bits - 1}
}

// fits reports whether all values are surely among those of a type.
func (r interval) fits(t tensor.DType) bool {
	if t == tensor.Uint64 {
		return r.lo >= 0
	}
	all := typeRange(t)
	return t.IsInteger() && all.lo <= r.lo && r.hi <= all.hi
}

// union is the least interval with both.
func (r interval) union(s interval) interval { return interval{min(r.lo, s.lo), max(r.hi, s.hi)} }

// isSmall reports whether sums of two such numbers do not overflow.
func (r interval) isSmall() bool { return -1<<31 <= r.lo && r.hi <= 1<<32 }

// negated is the interval of the numbers with the other sign; anything where that is not known.
func (r interval) negated() interval {
	if !r.isSmall() {
		return anything
	}
	return interval{-r.hi, -r.lo}
}

// size is the largest number without its sign, of a small interval.
func (r interval) size() int64 { return max(-r.lo, r.hi) }

func (r interval) constant() (int64, bool) { return r.lo, r.lo == r.hi }

// hull is the least interval with all numbers.
func hull(first int64, others ...int64) interval {
	r := interval{first, first}
	for _, n := range others {
		r = r.union(interval{n, n})
	}
	return r
}

// binaryRange is the range of an operator's exact results; ok is false where it is not known.
func binaryRange(op ein.BinaryOp, x, y interval) (r interval, ok bool) {
	switch op {
	case ein.Min:
		return interval{min(x.lo, y.lo), min(x.hi, y.hi)}, true
	case ein.Max:
		return interval{max(x.lo, y.lo), max(x.hi, y.hi)}, true
	}
	if !x.isSmall() || !y.isSmall() {
		return anything, false
	}
	switch op {
	case ein.Add:
		return interval{x.lo + y.lo, x.hi + y.hi}, true
	case ein.Sub:
		return interval{x.lo - y.hi, x.hi - y.lo}, true
	case ein.Mul:
		if x.size() > math.MaxInt64/max(1, y.size()) {
			return anything, false
		}
		return hull(x.lo*y.lo, x.lo*y.hi, x.hi*y.lo, x.hi*y.hi), true
	case ein.Div:
		if y.lo > 0 {
			return hull(floorDiv(x.lo, y.lo), floorDiv(x.lo, y.hi), floorDiv(x.hi, y.lo), floorDiv(x.hi, y.hi)), true
		}
	case ein.BitAnd, ein.BitOr, ein.BitXor:
		lo, hi := ein.BitRange(op, x.lo, x.hi, y.lo, y.hi)
		return interval{lo, hi}, true
	case ein.Shl, ein.Shr:
		return shiftRange(op, x, y)
	case ein.Mod:
		if y.lo > 0 && x.lo >= 0 {
			return interval{0, min(x.hi, y.hi-1)}, true
		} else if y.lo > 0 {
			return interval{0, y.hi - 1}, true
		}
	}
	return anything, false
}

// shiftRange is the range of exact results: a count that shifts everything out of a type gives a product here that the type
// does not have, unless it is 0.
func shiftRange(op ein.BinaryOp, x, y interval) (interval, bool) {
	switch count, known := y.constant(); {
	case op == ein.Shr && known && 0 <= count && count < 63:
		return interval{x.lo >> count, x.hi >> count}, true
	case op == ein.Shr && x.lo < 0:
		return x.union(interval{-1, -1}), true
	case op == ein.Shr:
		return x.union(interval{0, 0}), true
	case known && 0 <= count && count < 31:
		return interval{x.lo << count, x.hi << count}, true
	}
	return anything, false
}

// floorDiv rounds toward minus infinity, for d > 0.
func floorDiv(n, d int64) int64 {
	q := n / d
	if n%d < 0 {
		q--
	}
	return q
}
