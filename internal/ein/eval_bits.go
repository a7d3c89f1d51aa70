package ein

import (
	"math/bits"

	"github.com/ricci-lang/ricci/tensor"
)

// bitOperation is an operator on the bits of integers of type t, which are extended to 64.
func bitOperation(op BinaryOp, t tensor.DType) func(a, b int64) int64 {
	width := uint64(8 * t.Size())
	switch op {
	case BitAnd:
		return func(a, b int64) int64 { return a & b }
	case BitOr:
		return func(a, b int64) int64 { return a | b }
	case BitXor:
		return func(a, b int64) int64 { return a ^ b }
	case Shl:
		return func(a, b int64) int64 {
			if uint64(b) >= width { // negative ones are large
				return 0
			}
			return wrap(t, a<<uint64(b))
		}
	case Shr:
		if t.Kind() == tensor.KindUint {
			return func(a, b int64) int64 { return int64(uint64(a) >> uint64(b)) } // Go shifts by any count
		}
		return func(a, b int64) int64 { return a >> uint64(b) }
	}
	return nil
}

// EvalBits applies an operator on bits to integers of type t, which are extended to 64 bits.
func EvalBits(op BinaryOp, t tensor.DType, a, b int64) int64 { return bitOperation(op, t)(a, b) }

// EvalCount applies Popcount or Clz to an integer of type t.
func EvalCount(op UnaryOp, t tensor.DType, a int64) int64 {
	width := 8 * t.Size()
	pattern := uint64(a) << (64 - width) >> (64 - width)
	if op == Popcount {
		return int64(bits.OnesCount64(pattern))
	}
	return int64(bits.LeadingZeros64(pattern) - 64 + width)
}

// BitRange is where x op y is, for BitAnd, BitOr and BitXor, x between xlo and xhi, and y between ylo and yhi: bits that all
// values have 0 stay so, and bits like the sign's do.
func BitRange(op BinaryOp, xlo, xhi, ylo, yhi int64) (lo, hi int64) {
	switch {
	case op == BitAnd && xlo >= 0 && ylo >= 0:
		return 0, min(xhi, yhi)
	case op == BitAnd && ylo >= 0:
		return 0, yhi
	case op == BitAnd && xlo >= 0:
		return 0, xhi
	}
	length := 0 // of the longest value without its sign
	for _, v := range []int64{xlo, xhi, ylo, yhi} {
		length = max(length, bits.Len64(uint64(v^v>>63)))
	}
	if hi = int64(uint64(1)<<length - 1); xlo >= 0 && ylo >= 0 {
		return 0, hi
	}
	return ^hi, hi
}

func (exact) count(op UnaryOp, t tensor.DType) func(value) value {
	return func(a value) value { return value{i: EvalCount(op, t, a.i)} }
}

// count of bits is unknown where any of them may be another one.
func (bounded) count(op UnaryOp, t tensor.DType) func(value) value {
	return func(a value) value { return value{i: EvalCount(op, t, a.i), e: certain(a.e == 0)} }
}
