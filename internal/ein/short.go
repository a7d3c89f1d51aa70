package ein

import (
	"math"

	"github.com/ricci-lang/ricci/tensor"
)

// How factors are shortened
//
// Matrix units of devices multiply numbers of float32 of which they take the first 11 binary digits (tf32). The law of an operator says whether
// a sum may have its factors rounded so. The error of a product is then that of both: each is off by 2⁻¹¹ of itself at most, and by nothing
// where it has no more digits. So bounds of functions with that law are valid for kernels that round and for those that do not.

// isShortened reports whether all sums of a comprehension may have factors that are rounded.
func isShortened(c *Comprehension) bool {
	for _, i := range Reduced(c) {
		if !i.Combine.Op.Shortened {
			return false
		}
	}
	return true
}

// Shorten returns the function with the law that factors of float32 of the terms of its sums may be rounded to 11 digits.
func Shorten(f *Func) *Func {
	f = f.Clone()
	changed := map[*Operator]*Operator{}
	for _, c := range f.Body {
		for _, i := range c.Indices {
			op := i.Combine.Op
			if i.Combine.Kind != Reduce || op.Kind != SumOp || op.Ordered() || op.Types()[0] != tensor.Float32 {
				continue
			}
			if changed[op] == nil {
				copied := *op
				copied.Shortened = true
				changed[op] = &copied
			}
			i.Combine.Op = changed[op]
		}
	}
	return f
}

// multipliesShort reports whether a product is one of factors that may be rounded.
func multipliesShort(c *Comprehension, product *Binary) bool {
	return product.Op == Mul && product.Type() == tensor.Float32 && c != nil && len(Reduced(c)) > 0 && isShortened(c)
}

// shortened adds to the error of a product what factors lose that are rounded before.
func shortened(multiply func(a, b value) value) func(a, b value) value {
	return func(a, b value) value { return multiply(short(a), short(b)) }
}

// short adds the error of rounding to 11 digits.
func short(v value) value {
	const unit, smallest = 0x1p-11, 0x1p-126
	if !finite(v.f) || v.e == 0 && float64(RoundTF32(float32(v.f))) == v.f {
		return v
	}
	return precisionOf(tensor.Float32).settle(v.f, v.e+unit*(max(math.Abs(v.f), smallest)+v.e))
}

// RoundTF32 rounds to 11 binary digits, the nearest, ties away from zero, as cvt.rna.tf32 does.
func RoundTF32(x float32) float32 {
	if bits := math.Float32bits(x); bits&0x7f800000 != 0x7f800000 {
		return math.Float32frombits((bits + 0x1000) &^ 0x1fff)
	}
	return x
}
