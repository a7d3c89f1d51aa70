package ein

import (
	"maps"
	"math"
	"slices"
)

// How errors pass through functions
//
// A spread bounds how far f moves when its arguments move by their errors. Most
// functions are monotone or convex on every interval of their domain, so that
// the value at the two ends of the interval is the bound: no derivative is
// needed, and a step such as floor, or an end outside the domain, is seen at
// once. The others have a Lipschitz bound or a case of their own here.

var unbounded = math.Inf(1)

// distance is |a - b|, 0 for equal infinities and for two NaNs, +∞ for one.
func distance(a, b float64) float64 {
	if a == b || a != a && b != b {
		return 0
	}
	if d := math.Abs(a - b); d == d {
		return d
	}
	return unbounded
}

func total(e []float64) float64 {
	sum := 0.0
	for _, v := range e {
		sum += v
	}
	return sum
}

// atEnds serves functions that are monotone or convex where they are defined.
func atEnds(b *Builtin, x, e []float64, f float64) float64 {
	below := b.Eval64([]float64{x[0] - e[0]})
	above := b.Eval64([]float64{x[0] + e[0]})
	return max(distance(below, f), distance(above, f))
}

// poleSpread is atEnds for a function with a pole at 0.
func poleSpread(b *Builtin, x, e []float64, f float64) float64 {
	if math.Abs(x[0]) <= e[0] {
		return unbounded
	}
	return atEnds(b, x, e, f)
}

// logbSpread is for a function of |x| with a pole at 0.
func logbSpread(b *Builtin, x, e []float64, f float64) float64 { return poleSpread(b, x, e, f) }

// sumSpread serves functions that move by at most as much as their arguments.
func sumSpread(_ *Builtin, _, e []float64, _ float64) float64 { return total(e) }

// waveSpread serves functions with |f'| ≤ scale·|slope| (exactly, or up to
// lower-order terms) and |f'| ≤ scale, |f”| ≤ scale².
func waveSpread(slope func(float64) float64, scale float64) func(*Builtin, []float64, []float64, float64) float64 {
	return func(_ *Builtin, x, e []float64, f float64) float64 {
		if math.IsNaN(f) {
			return unbounded
		}
		d := scale * e[0]
		return min(d, d*math.Abs(slope(x[0]))+d*d, 2)
	}
}

// tanSpread uses that a pole between two points less than π apart turns their
// order around.
func tanSpread(b *Builtin, x, e []float64, f float64) float64 {
	below, above := tan(x[0]-e[0]), tan(x[0]+e[0])
	if !(e[0] < 1 && below <= f && f <= above) {
		return unbounded
	}
	return atEnds(b, x, e, f)
}

// gammaSpread serves Γ and log|Γ|: convex up to sign between their poles at 0,
// -1, -2, ….
func gammaSpread(b *Builtin, x, e []float64, f float64) float64 {
	below, above := math.Floor(x[0]-e[0]), math.Floor(x[0]+e[0])
	if below < 0 && below != above || x[0]-e[0] <= 0 && below == x[0]-e[0] {
		return unbounded
	}
	return atEnds(b, x, e, f)
}

// lgammaEnvelope: implementations add terms that cancel at the zeros.
func lgammaEnvelope(x []float64) float64 {
	if x[0] > 0 {
		return 1
	}
	return 1 + math.Abs(x[0])*(1+math.Log1p(-x[0]))
}

// besselEnvelope is the amplitude of the oscillation of J and Y.
func besselEnvelope(x []float64) float64 { return 1 / math.Sqrt(1+math.Abs(x[0])) }

// j1Slope bounds the derivative J₀(x) - J₁(x)/x of J₁.
func j1Slope(x float64) float64 {
	if x == 0 {
		return 0.5
	}
	return math.Abs(math.J0(x)) + math.Abs(math.J1(x)/x)
}

// besselYSpread: Y rises from -∞ at 0, then oscillates; |f'| is at most |slope|
// plus a term that falls with 1/x.
func besselYSpread(slope func(float64) float64) func(*Builtin, []float64, []float64, float64) float64 {
	return func(b *Builtin, x, e []float64, f float64) float64 {
		if x[0]-e[0] <= 0 {
			return unbounded
		}
		ends := atEnds(b, x, e, f)
		if x[0]+e[0] < 2 {
			return ends
		}
		return ends + e[0]*(math.Abs(slope(x[0]))+math.Abs(f)/x[0]+e[0])
	}
}

func copysignSpread(_ *Builtin, x, e []float64, _ float64) float64 {
	if math.Abs(x[1]) <= e[1] && e[1] > 0 {
		return e[0] + 2*math.Abs(x[0])
	}
	return e[0]
}

func divideSpread(_ *Builtin, x, e []float64, f float64) float64 {
	if math.Abs(x[1]) <= e[1] {
		return unbounded
	}
	return (e[0] + math.Abs(f)*e[1]) / (math.Abs(x[1]) - e[1])
}

func fmaSpread(_ *Builtin, x, e []float64, _ float64) float64 {
	return math.Abs(x[0])*e[1] + math.Abs(x[1])*e[0] + e[0]*e[1] + e[2]
}

// reciprocalSpread serves 1/norm: the norm moves by at most the sum of e.
func reciprocalSpread(_ *Builtin, _, e []float64, f float64) float64 {
	n, d := 1/f, total(e)
	if !(n > d) {
		return unbounded
	}
	return f * d / (n - d)
}

// remainderSpread serves x - y·n where n is the rounded quotient.
func remainderSpread(round func(float64) float64) func(*Builtin, []float64, []float64, float64) float64 {
	return func(_ *Builtin, x, e []float64, f float64) float64 {
		ax, ay := math.Abs(x[0]), math.Abs(x[1])
		if !(ay > e[1]) || math.IsNaN(f) {
			return unbounded
		}
		least, most := round((ax-e[0])/(ay+e[1])), round((ax+e[0])/(ay-e[1]))
		return e[0] + most*e[1] + (most-least)*(ay+e[1])
	}
}

// floorModSpread bounds the change of x - y·n, n = floor(x/y), whose extremes over a rectangle without a zero of y
// lie at its corners. A quotient that is almost whole counts for both.
func floorModSpread(x, y value) float64 {
	if !(math.Abs(y.f) > y.e) {
		return unbounded
	}
	least, most := unbounded, -unbounded
	for _, dx := range []float64{-x.e, x.e} {
		for _, dy := range []float64{-y.e, y.e} {
			q := (x.f + dx) / (y.f + dy)
			near := math.Abs(q) * 0x1p-50
			least, most = min(least, math.Floor(q-near)), max(most, math.Floor(q+near))
		}
	}
	return x.e + max(math.Abs(least), math.Abs(most))*y.e + (most-least)*(math.Abs(y.f)+y.e)
}

// nextafterSpread allows both neighbours of every point of the interval, which are as far apart in
// float32 as subnormal numbers are, or farther.
func nextafterSpread(_ *Builtin, x, e []float64, f float64) float64 {
	return e[0] + 2*math.Abs(f-x[0]) + 0x1p-22*math.Abs(x[0]) + 2*math.SmallestNonzeroFloat32
}

// atan2Spread: the angle under which a square of the size of the errors is seen,
// or a full turn where the square meets the cut or the origin.
func atan2Spread(_ *Builtin, x, e []float64, _ float64) float64 {
	if math.Abs(x[0]) <= e[0] && x[1] <= e[1] {
		return 2 * math.Pi
	}
	d, radius := total(e), math.Hypot(x[0], x[1])
	if math.IsInf(radius, 1) || !(radius > d) {
		return math.Pi
	}
	return min(math.Pi, d/(radius-d))
}

// powSpread: for x > 0 the extremes lie at the corners; for x ≤ 0 only an exact
// integer power has a bound.
func powSpread(b *Builtin, x, e []float64, f float64) float64 {
	if x[0]-e[0] <= 0 && (e[1] != 0 || x[1] != math.Trunc(x[1]) || x[1] < 0 && math.Abs(x[0]) <= e[0]) {
		return unbounded
	}
	worst := 0.0
	for _, dx := range []float64{-e[0], e[0]} {
		for _, dy := range []float64{-e[1], e[1]} {
			worst = max(worst, distance(b.Eval64([]float64{x[0] + dx, x[1] + dy}), f))
		}
	}
	return worst
}

// Approximations lists the functions that a function calls and whose results are a few ulps off,
// by name and in order: what is computed by them is exact for no numbers.
func (f *Func) Approximations() []string {
	found := map[string]bool{}
	for _, c := range f.Body {
		for _, value := range c.Values {
			Walk(value, func(e Expr) bool {
				if call, ok := e.(*Call); ok && call.Func.ulps > 0 {
					found[call.Func.Name] = true
				}
				return true
			})
		}
	}
	return slices.Sorted(maps.Keys(found))
}
