package tensor

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// FillRandom fills t with numbers that depend only on the seed and the position
// in row-major order, the same on every machine: floats are uniform in [-1, 1),
// and those of a narrower type are the float64 ones rounded down to its
// precision; integers are uniform in 0 … 9, so that sums of their products stay
// exact in most types; bools are fair. On foreign memory, it and the other Fill
// functions write a copy, and panic with the error where that fails.
func FillRandom(t *Tensor, seed uint64) {
	if t.foreign {
		t.mustFill(func(host *Tensor) { FillRandom(host, seed) })
		return
	}
	source := rand.NewPCG(seed, 0)
	precision := significandBits(t.dtype)
	step := math.Ldexp(1, 1-precision)
	for offset := range t.Offsets() {
		u := source.Uint64()
		switch t.dtype.Kind() {
		case KindBool:
			t.SetBitsAt(offset, u>>63)
		case KindFloat:
			t.SetFloatAt(offset, float64(u>>(64-precision))*step-1)
		default:
			digit, _ := bits.Mul64(u, 10)
			t.SetBitsAt(offset, digit)
		}
	}
}

// significandBits returns the precision of a float type, and that of float64 for
// the others.
func significandBits(d DType) int {
	switch d {
	case Float16:
		return 11
	case BFloat16:
		return 8
	case Float32:
		return 24
	}
	return 53
}

// FillIota fills t with 0, 1, 2, … in row-major order; the numbers wrap in
// narrow integers and are rounded in floats.
func FillIota(t *Tensor) {
	if t.foreign {
		t.mustFill(FillIota)
		return
	}
	next := int64(0)
	for offset := range t.Offsets() {
		t.SetIntAt(offset, next)
		next++
	}
}

// FillConst fills t with one number, converted as SetFloat does.
func FillConst(t *Tensor, v float64) {
	if t.foreign {
		t.mustFill(func(host *Tensor) { FillConst(host, v) })
		return
	}
	b := bitsOfFloat(t.dtype, v)
	for offset := range t.Offsets() {
		t.SetBitsAt(offset, b)
	}
}
