package ein

import (
	"math"
	"math/bits"
)

// Sines, cosines and tangents of package math lose digits next to the multiples of π/2, and most of them where
// arguments are large. Here the argument is reduced exactly first, by as many bits of 2/π as it takes (Payne
// and Hanek, Radian reduction for trigonometric functions, 1983).

// twoOverPi are the bits of 2/π behind the point.
var twoOverPi = [...]uint64{
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
	0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
	0x56033046fc7b6bab, 0xf0cfbc209af4361d,
}

// reduce returns x - q·π/2 for the nearest q, which counts modulo 4, in double length. x is finite.
func reduce(x float64) (rest long, quarter int) {
	fraction, exponent := math.Frexp(math.Abs(x))
	if exponent < 0 {
		return long{x, 0}, 0
	}
	// |x| = m·2^e. The bits of 2/π before the first one make multiples of 4 of it.
	m, e := uint64(fraction*0x1p53), exponent-53
	first := max(0, e-2)
	var a [3]uint64 // of 192 bits
	for k := range a {
		word, shift := first/64+k, uint(first%64)
		a[k] = twoOverPi[word]<<shift | twoOverPi[word+1]>>1>>(63-shift)
	}
	// product·2^-192 is x·2/π, multiplied by 2^(first-e).
	var product [4]uint64
	carry := uint64(0)
	for k := 2; k >= 0; k-- {
		high, low := bits.Mul64(a[k], m)
		var over uint64
		product[k+1], over = bits.Add64(low, carry, 0)
		carry = high + over
	}
	product[0] = carry
	// The point is behind the two upper bits once it has moved.
	shift := uint(62 + e - first)
	for ; shift >= 64; shift -= 64 {
		product = [4]uint64{product[1], product[2], product[3], 0}
	}
	for k := range product {
		product[k] <<= shift
		if k < 3 {
			product[k] |= product[k+1] >> 1 >> (63 - shift)
		}
	}
	q := int(product[0] >> 62)
	product[0] &= 1<<62 - 1
	sign := 1.0
	if product[0]>>61 == 1 { // 1/2 and more belong to the next multiple
		q, sign = q+1, -1
		product[0] ^= 1<<62 - 1
		for k := 1; k < 4; k++ {
			product[k] = ^product[k]
		}
	}
	sum := long{}
	for k := 3; k >= 0; k-- {
		for half := range 2 {
			part := product[k] << (32 * (1 - half)) >> 32
			sum = sum.add(long{math.Ldexp(float64(part), 32*half+2-64*(k+1)), 0})
		}
	}
	if x < 0 {
		q, sign = -q, -sign
	}
	return sum.multiply(long{math.Pi / 2, 6.12323399573676588613e-17}).scale(sign), q & 3
}

// wave is the sine a number of quarters later.
func wave(x float64, quarters int) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return math.NaN()
	}
	r, q := reduce(x)
	sine, cosine := math.Sin(r.high), math.Cos(r.high)
	switch (q + quarters) & 3 {
	case 0:
		return sine + r.low*cosine
	case 1:
		return cosine - r.low*sine
	case 2:
		return -sine - r.low*cosine
	}
	return r.low*sine - cosine
}

func sin(x float64) float64 {
	if x == 0 {
		return x
	}
	return wave(x, 0)
}

func cos(x float64) float64 { return wave(x, 1) }

func tan(x float64) float64 { return sin(x) / cos(x) }

// atan2 has the sign of its first argument also where their quotient is too small for a number.
func atan2(y, x float64) float64 { return math.Copysign(math.Atan2(math.Abs(y), x), y) }
