package ein

import "math"

// erfcx is exp(x²)·erfc(x) with the square in two parts; where erfc comes near
// the smallest numbers it is its asymptotic series.
func erfcx(x float64) float64 {
	switch {
	case x < -30:
		return math.Inf(1)
	case x < 10:
		square := x * x
		return math.Exp(square) * (1 + math.FMA(x, x, -square)) * math.Erfc(x)
	}
	// 1/(x√π) Σ (-1)ⁿ (2n-1)!! / (2x²)ⁿ; at x = 10 the terms fall below half an
	// ulp before n = 30 and grow only after n = 100.
	step := -1 / (2 * x * x)
	sum, term := 1.0, 1.0
	for n := 1.0; math.Abs(term) > 1e-17 && n < 60; n++ {
		term *= (2*n - 1) * step
		sum += term
	}
	return sum / sqrtPi / x
}

// erfinv works near ±1 on 1-|x|, which is exact there.
func erfinv(x float64) float64 {
	if math.Abs(x) <= 0.5 {
		return math.Erfinv(x)
	}
	return math.Copysign(erfcinv(1-math.Abs(x)), x)
}

// erfcinv solves log erfc(y) = log x by Newton's method. The function is concave,
// so the iteration cannot leave its domain, and erfcx keeps it from underflow.
func erfcinv(x float64) float64 {
	switch {
	case !(x >= 0 && x <= 2):
		return math.NaN()
	case x == 0:
		return math.Inf(1)
	case x == 2:
		return math.Inf(-1)
	case x > 1:
		return -erfcinv(2 - x) // exact
	case x > 0.5:
		return math.Erfinv(1 - x) // exact
	}
	logx := log(x)
	y := math.Sqrt(-logx - math.Log(2*math.Sqrt(-logx)))
	if x > 0.05 {
		y = math.Erfinv(1 - x)
	}
	for range 30 {
		scaled := erfcx(y)
		step := (math.Log(scaled) - y*y - logx) * sqrtPi / 2 * scaled
		y += step
		if math.Abs(step) <= 1e-17*y {
			break
		}
	}
	return y
}

// The two parts of 1/√2.
const (
	sqrtHalf     = math.Sqrt2 / 2
	sqrtHalfHigh = 0x1.6a09e667f3bcdp-1
	sqrtHalfLow  = sqrtHalf - sqrtHalfHigh
)

// normcdf is erfc(-x/√2)/2, with the quotient in two parts: in the tail erfc
// would multiply its rounding error by x².
func normcdf(x float64) float64 {
	h := -x * sqrtHalfHigh
	l := math.FMA(-x, sqrtHalfHigh, -h) - x*sqrtHalfLow
	value := math.Erfc(h) / 2
	if value == 0 || h < -6 || math.IsNaN(x) {
		return value
	}
	return value * (1 - 2/sqrtPi*l/erfcx(h))
}

func normcdfinv(x float64) float64 {
	if x <= 0.5 {
		return -math.Sqrt2 * erfcinv(2*x)
	}
	return math.Sqrt2 * erfinv(2*x-1) // 2x-1 is exact
}

func besselI0(x float64) float64 { return besselI(math.Abs(x), 0) }

func besselI1(x float64) float64 { return math.Copysign(besselI(math.Abs(x), 1), x) }

// besselI is I₀ or I₁ at x ≥ 0: the power series, whose terms are all positive,
// or beyond 20 the asymptotic series, whose smallest term is about exp(-2x).
func besselI(x, order float64) float64 {
	switch {
	case x > 800:
		return math.Inf(1)
	case x <= 20:
		term := math.Pow(x/2, order)
		sum := term
		for k := 1.0; term > 1e-18*sum; k++ {
			term *= (x / 2) / k * ((x / 2) / (k + order))
			sum += term
		}
		return sum
	case math.IsNaN(x):
		return x
	}
	sum, term := 1.0, 1.0
	for k := 1.0; math.Abs(term) > 1e-18 && k < 60; k++ {
		term *= ((2*k-1)*(2*k-1) - 4*order*order) / (8 * k * x)
		sum += term
	}
	half := math.Exp(x / 2) // exp(x) alone overflows too early
	return half / math.Sqrt(2*math.Pi*x) * sum * half
}

// besselJ1 has the sign of x also where math.J1 forgets it.
func besselJ1(x float64) float64 {
	if math.Abs(x) < 0x1p-27 {
		return x / 2
	}
	return math.J1(x)
}

// besselY0 continues math.Y0 to the subnormal numbers, see log.
func besselY0(x float64) float64 {
	if x > 0 && x < smallestNormal {
		return math.Y0(smallestNormal) + 2/math.Pi*(log(x)-log(smallestNormal))
	}
	return math.Y0(x)
}

// lgamma is +∞ at both infinities, as in C.
func lgamma(x float64) float64 {
	switch {
	case math.IsInf(x, -1):
		return math.Inf(1)
	case math.Abs(x) < 0x1p-60:
		return -log(math.Abs(x))
	case x < 0 && x != math.Floor(x):
		return -log(math.Abs(x*sinpi(x))/math.Pi) - lgamma(-x)
	case x > 0 && x < 0.9 || x > 1.1 && x < 1.9: // far from the zeros, where math.Lgamma is less accurate
		return math.Log(math.Gamma(x))
	}
	value, _ := math.Lgamma(x)
	return value
}

// tgamma uses Stirling's series above 30, with its power in double length, and Γ(x)·Γ(-x) = -π/(x·sin πx).
func tgamma(x float64) float64 {
	if x < -30 && x != math.Floor(x) {
		value, y := -math.Pi/(x*sinpi(x)), -x
		for ; y > 171 && value != 0; y-- { // Γ(y) alone is beyond the range
			value /= y - 1
		}
		return value / tgamma(y)
	}
	if x < 30 || x > 172 || math.IsNaN(x) {
		return math.Gamma(x)
	}
	// log Γ(x) = (x-1/2) log x - x + log √(2π) + 1/(12x) - 1/(360x³) + …
	r := 1 / (x * x)
	series := (1.0/12 - r*(1.0/360-r*(1.0/1260-r*(1.0/1680-r/1188)))) / x
	log := logLong(x).scale(x - 0.5).add(long{-x, 0})
	return exp(log.high) * (1 + log.low) * (math.Sqrt2 * sqrtPi) * math.Exp(series)
}

// pow multiplies the logarithm in double length, because the exponential turns
// its absolute error into a relative one. A square is a product (package rewrite).
func pow(x, y float64) float64 {
	if y == 2 {
		return x * x
	}
	magnitude := math.Abs(x)
	if x == 0 || y == 0 || magnitude == 1 || y == 1 || math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return math.Pow(x, y)
	}
	sign := 1.0
	if x < 0 {
		if y != math.Trunc(y) {
			return math.NaN()
		}
		if math.Mod(y, 2) != 0 {
			sign = -1
		}
	}
	log := logLong(magnitude)
	if math.Abs(log.high*y) > 800 {
		return sign * exp(log.high*y) // infinite or zero
	}
	const most = 64 // factors that are multiplied one by one: powers that are whole numbers have to be these
	if y > 0 && y <= most && y == math.Trunc(y) && math.Abs(log.high*y) < 700 {
		value := long{high: magnitude}
		for range int(y) - 1 {
			value = value.scale(magnitude)
		}
		return sign * (value.high + value.low)
	}
	product := log.scale(y)
	return sign * exp(product.high) * (1 + product.low)
}

// A long is an unevaluated sum of two float64 with about 106 bits. Products that are used twice are rounded
// by a conversion: Go may fuse what is written x*y + z, and does on arm64.
type long struct{ high, low float64 }

func (a long) add(b long) long {
	sum, rest := twoSum(a.high, b.high)
	high, low := twoSum(sum, rest+a.low+b.low)
	return long{high, low}
}

func (a long) scale(f float64) long {
	product := float64(a.high * f)
	high, low := twoSum(product, math.FMA(a.high, f, -product)+a.low*f)
	return long{high, low}
}

func (a long) multiply(b long) long {
	product := float64(a.high * b.high)
	high, low := twoSum(product, math.FMA(a.high, b.high, -product)+a.high*b.low+a.low*b.high)
	return long{high, low}
}

func (a long) divide(b long) long {
	quotient := a.high / b.high
	rest := a.add(b.scale(-quotient))
	high, low := twoSum(quotient, rest.high/b.high)
	return long{high, low}
}

// logLong is the natural logarithm of a positive finite x: k·log 2 + 2·artanh(s)
// with s = (m-1)/(m+1) and x = m·2ᵏ, √½ ≤ m < √2.
func logLong(x float64) long {
	m, k := math.Frexp(x)
	if m < sqrtHalf {
		m, k = 2*m, k-1
	}
	high, low := twoSum(m, 1)
	s := long{m - 1, 0}.divide(long{high, low})
	square := s.multiply(s)
	// artanh(s)/s = 1 + s²/3 + s⁴/5 + …; s² < 0.03, so float64 serves from s⁶ on.
	tail := 0.0
	for n := 27.0; n >= 7; n -= 2 {
		tail = 1/n + square.high*tail
	}
	series := square.scale(tail)
	for _, n := range []float64{5, 3, 1} {
		series = series.add(long{1, 0}.divide(long{n, 0}))
		if n > 1 {
			series = series.multiply(square)
		}
	}
	log2 := long{math.Ln2, 2.31904681384629956e-17} // the rest of log 2
	return log2.scale(float64(k)).add(s.multiply(series).scale(2))
}
