package ein

import (
	"math/big"
	"testing"

	"github.com/ricci-lang/ricci/tensor"
)

// TestBits compares the operators on bits with arithmetic on big integers, for all pairs of hostile values and types.
func TestBits(t *testing.T) {
	for _, d := range tensor.DTypes() {
		if !d.IsInteger() {
			continue
		}
		width := 8 * d.Size()
		values := []int64{0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 63, 64, 100, 127, 128, 255, 1 << 15, 1 << 31, 1 << 62, -1, -2, -8, -64, -128, -1 << 31, -1 << 63, 0x5a5a5a5a5a5a5a5a}
		for _, a := range values {
			x := value{i: wrap(d, a)}
			for _, op := range []UnaryOp{Popcount, Clz} {
				if got, want := (exact{}).count(op, d)(x).i, countOf(op, bigInt(d, x.i), width); got != want {
					t.Errorf("%s of the %s %d is %d, expected %d", op, d, x.i, got, want)
				}
			}
			for _, b := range values {
				y := value{i: wrap(d, b)}
				for op := BitAnd; op <= Shr; op++ {
					got, want := (exact{}).binary(op, d)(x, y).i, wrap(d, bitsOf(op, bigInt(d, x.i), bigInt(d, y.i), width))
					if got != want {
						t.Errorf("%d %s %d of %ss is %d, expected %d", x.i, op, y.i, d, got, want)
					}
				}
			}
		}
	}
}

func bigInt(d tensor.DType, v int64) *big.Int {
	if d.Kind() == tensor.KindUint {
		return new(big.Int).SetUint64(uint64(v))
	}
	return big.NewInt(v)
}

// countOf counts digits of the number modulo 2^width.
func countOf(op UnaryOp, x *big.Int, width int) int64 {
	digits := new(big.Int).Mod(x, new(big.Int).Lsh(big.NewInt(1), uint(width)))
	if op == Clz {
		return int64(width - digits.BitLen())
	}
	ones := int64(0)
	for ; digits.Sign() > 0; digits.Rsh(digits, 1) {
		ones += int64(digits.Bit(0))
	}
	return ones
}

// bitsOf is the low 64 bits of x·2^y, ⌊x / 2^y⌋ or x combined with y. By counts that are no number of a place, all bits go.
func bitsOf(op BinaryOp, x, y *big.Int, width int) int64 {
	places := uint(width)
	if y.Sign() >= 0 && y.Cmp(big.NewInt(int64(width))) < 0 {
		places = uint(y.Int64())
	}
	r := new(big.Int)
	switch op {
	case BitAnd:
		r.And(x, y)
	case BitOr:
		r.Or(x, y)
	case BitXor:
		r.Xor(x, y)
	case Shl:
		r.Mod(r.Lsh(x, places), new(big.Int).Lsh(big.NewInt(1), uint(width)))
	case Shr:
		r.Rsh(x, places)
	}
	return int64(new(big.Int).Mod(r, new(big.Int).Lsh(big.NewInt(1), 64)).Uint64())
}

// TestBitRange tries all pairs of values between the ends.
func TestBitRange(t *testing.T) {
	ends := []int64{-9, -8, -3, -1, 0, 1, 2, 5, 7, 8, 12}
	for n := range len(ends) * len(ends) * len(ends) * len(ends) {
		at := func(k int) int64 { return ends[k%len(ends)] }
		xlo, xhi, ylo, yhi := at(n), at(n/len(ends)), at(n/len(ends)/len(ends)), at(n/len(ends)/len(ends)/len(ends))
		for op := BitAnd; op <= BitXor; op++ {
			lo, hi := BitRange(op, xlo, xhi, ylo, yhi)
			for x := xlo; x <= xhi; x++ {
				for y := ylo; y <= yhi; y++ {
					if v := EvalBits(op, tensor.Int64, x, y); v < lo || v > hi {
						t.Fatalf("%d %s %d is %d, not between %d and %d", x, op, y, v, lo, hi)
					}
				}
			}
		}
	}
}
