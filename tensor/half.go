package tensor

import (
	"math"
	"math/bits"

	"github.com/x448/float16"
)

// Float16ToFloat32 returns the value of an IEEE binary16; a NaN keeps its sign
// and payload and becomes quiet.
func Float16ToFloat32(h uint16) float32 { return float16.Frombits(h).Float32() }

// Float32ToFloat16 rounds to the nearest IEEE binary16, ties to even; NaN stays
// NaN and values beyond 65504 by half a step become infinite.
func Float32ToFloat16(f float32) uint16 { return float16.Fromfloat32(f).Bits() }

// BFloat16ToFloat32 returns the value of a bfloat16, which is exact.
func BFloat16ToFloat32(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// Float32ToBFloat16 rounds to the nearest bfloat16, ties to even; a NaN keeps
// its sign and becomes quiet.
func Float32ToBFloat16(f float32) uint16 {
	b := math.Float32bits(f)
	if f != f {
		return uint16(b>>16) | 0x40
	}
	// Adding 0x7FFF rounds up everything above the tie, and the tie itself when
	// the kept part is odd; a carry into the exponent is the right result.
	return uint16((b + 0x7FFF + b>>16&1) >> 16)
}

// toHalf rounds a float64 once to a 16-bit float. Going through float32 would
// round twice, so that first step rounds to odd: a result that was cut has its
// last bit set and is never taken for a tie.
func toHalf(d DType, v float64) uint16 {
	f := float32(v)
	if back := float64(f); back != v && v == v && !math.IsInf(back, 0) {
		b := math.Float32bits(f)
		if math.Abs(back) > math.Abs(v) {
			b-- // now truncated
		}
		f = math.Float32frombits(b | 1)
	}
	if d == Float16 {
		return Float32ToFloat16(f)
	}
	return Float32ToBFloat16(f)
}

// magnitudeToFloat converts an integer to a float64 rounded to odd, so that
// toHalf sees what was cut.
func magnitudeToFloat(u uint64) float64 {
	if cut := bits.Len64(u) - 53; cut > 0 {
		lost := uint64(1)<<cut - 1
		if u&lost != 0 {
			u = u&^lost | 1<<cut
		}
	}
	return float64(u)
}

// IsFloat16 reports whether a number is one of float16: infinities are, NaN is not.
func IsFloat16(v float64) bool { return float64(Float16ToFloat32(Float32ToFloat16(float32(v)))) == v }
