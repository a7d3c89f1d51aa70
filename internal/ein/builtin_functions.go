package ein

import "math"

// The functions of the table that package math does not have, or has with a
// cancellation or an overflow that a judge must not show.

const sqrtPi = 1.77245385090551602729816748334114518

func acos(x float64) float64 { return 2 * math.Atan2(math.Sqrt(1-x), math.Sqrt(1+x)) }

func asin(x float64) float64 { return math.Atan2(x, math.Sqrt((1-x)*(1+x))) }

// cosh and sinh avoid the overflow of exp(x) where exp(x)/2 is still a number.
func cosh(x float64) float64 {
	if x = math.Abs(x); x > 700 && !math.IsInf(x, 1) {
		half := math.Exp(x / 2)
		return half / 2 * half
	}
	return math.Cosh(x)
}

func sinh(x float64) float64 {
	if math.Abs(x) > 700 {
		return math.Copysign(cosh(x), x)
	}
	return math.Sinh(x)
}

// sinpi reduces the argument exactly, to [0, 1/4] for one of two series.
func sinpi(x float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return math.NaN()
	}
	y, sign := math.Mod(math.Abs(x), 2), x
	if y >= 1 {
		y -= 1
		if y != 0 {
			sign = -sign
		}
	}
	y = min(y, 1-y)
	if y <= 0.25 {
		return math.Copysign(math.Sin(math.Pi*y), sign)
	}
	return math.Copysign(math.Cos(math.Pi*(0.5-y)), sign)
}

func cospi(x float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return math.NaN()
	}
	y := math.Mod(math.Abs(x), 2)
	y = min(y, 2-y)
	switch {
	case y <= 0.25:
		return math.Cos(math.Pi * y)
	case y < 0.75:
		return math.Sin(math.Pi * (0.5 - y))
	}
	return -math.Cos(math.Pi * (1 - y))
}

// exp10 of whole numbers is in a table; the exponent of others is in double length.
func exp10(x float64) float64 {
	if x == math.Trunc(x) && math.Abs(x) < 400 {
		return math.Pow10(int(x))
	}
	if !(math.Abs(x) < 400) {
		return math.Exp(x * math.Ln10)
	}
	exponent := long{math.Ln10, -2.17075622338224935e-16}.scale(x)
	return exp(exponent.high) * (1 + exponent.low)
}

// expm1 continues math.Expm1 to the limit of the range.
func expm1(x float64) float64 {
	if x > 700 {
		return exp(x)
	}
	return math.Expm1(x)
}

// exp continues math.Exp to the limit of the range, which it leaves too early on amd64.
func exp(x float64) float64 {
	if x > 709 {
		half := math.Exp(x / 2)
		return half * half
	}
	return math.Exp(x)
}

const smallestNormal = 0x1p-1022

// log scales subnormal numbers, for which math.Log is wrong on amd64.
func log(x float64) float64 {
	if x > 0 && x < smallestNormal {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// log2 and log10 do not split off the exponent near 1, where the parts cancel;
// they are exact for powers of the base.
func log2(x float64) float64 {
	fraction, exponent := math.Frexp(x)
	switch {
	case fraction == 0.5:
		return float64(exponent - 1)
	case x > 0.5 && x < 2, !(x > 0), math.IsInf(x, 1):
		return log(x) * math.Log2E
	}
	return float64(exponent) + math.Log(fraction)*math.Log2E
}

func log10(x float64) float64 {
	y := log(x) / math.Ln10
	if n := math.Round(y); math.Abs(n) < 300 && math.Pow10(int(n)) == x {
		return n
	}
	return y
}

// fdim, fmax and fmin are C's: fdim of equal infinities is 0, and fmax and fmin
// return the other argument for a NaN.
func fdim(x, y float64) float64 {
	if x <= y {
		return 0
	}
	return x - y
}

func fmax(x, y float64) float64 {
	switch {
	case math.IsNaN(x):
		return y
	case math.IsNaN(y):
		return x
	}
	return math.Max(x, y)
}

func fmin(x, y float64) float64 {
	switch {
	case math.IsNaN(x):
		return y
	case math.IsNaN(y):
		return x
	}
	return math.Min(x, y)
}

// fma32 rounds once: the product of two float32 is exact in float64, and the sum
// is rounded to odd, so that the second rounding sees on which side of a tie the
// exact value lies.
func fma32(x []float64) float64 {
	product := x[0] * x[1]
	sum, rest := twoSum(product, x[2])
	if rest != 0 && !math.IsNaN(rest) && math.Float64bits(sum)&1 == 0 {
		sum = math.Nextafter(sum, math.Copysign(math.Inf(1), rest))
	}
	return float64(float32(sum))
}

func nextafter32(x []float64) float64 {
	return float64(math.Nextafter32(float32(x[0]), float32(x[1])))
}

// FloorMod is x % y of floats, x - y·floor(x/y): what C's fmod leaves, exactly, and y is added where the signs
// differ, which may round. It has the sign of y, a zero, too, as in Python and NumPy.
func FloorMod(x, y float64) float64 {
	r := math.Mod(x, y)
	switch {
	case r == 0:
		return math.Copysign(0, y)
	case differ(r, y):
		return r + y
	}
	return r
}

// differ reports whether a remainder that is not 0 has another sign than the divisor.
func differ(r, y float64) bool { return r != 0 && (r < 0) != (y < 0) }

// twoSum returns a + b and its rounding error, exactly.
func twoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	shadow := sum - a
	return sum, (a - (sum - shadow)) + (b - shadow)
}

// scaledNorm returns m and e with √Σx² = m·2^e and m between 1/2 and 2√n. An infinity
// gives +∞ even beside a NaN.
func scaledNorm(x []float64) (m float64, e int) {
	largest := 0.0
	for _, v := range x {
		if math.IsInf(v, 0) {
			return math.Inf(1), 0
		}
		largest = max(largest, math.Abs(v))
	}
	_, e = math.Frexp(largest)
	sum := 0.0
	for _, v := range x {
		v = math.Ldexp(v, -e)
		sum += v * v
	}
	return math.Sqrt(sum), e
}

func norm(x []float64) float64 {
	m, e := scaledNorm(x)
	return math.Ldexp(m, e)
}

func rnorm(x []float64) float64 {
	m, e := scaledNorm(x)
	return math.Ldexp(1/m, -e)
}
