package affine

import "math"

// MultiplySaturating is the product of numbers that are not negative, or the largest number where it leaves 64 bits.
func MultiplySaturating(x, y int64) int64 {
	if y != 0 && x > math.MaxInt64/y {
		return math.MaxInt64
	}
	return x * y
}

// AddSaturating is the sum of numbers that are not negative, or the largest number where it leaves 64 bits.
func AddSaturating(x, y int64) int64 {
	if x > math.MaxInt64-y {
		return math.MaxInt64
	}
	return x + y
}
