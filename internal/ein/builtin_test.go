package ein

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/ricci-lang/ricci/tensor"
)

const shippedNames = `acos acosh asin asinh atan2 atan atanh cbrt ceil copysign cos cosh cospi cyl_bessel_i0
	cyl_bessel_i1 erfc erfcinv erfcx erf erfinv exp10 exp2 exp expm1 fabs fdim fdivide floor fma fmax fmin fmod hypot j0 j1
	lgamma log10 log1p log2 logb log nextafter norm3d norm4d normcdf normcdfinv pow rcbrt remainder rhypot rint rnorm3d rnorm4d
	round rsqrt sin sinh sinpi sqrt tan tanh tgamma trunc y0 y1`

func call(t testing.TB, name string, args ...float64) float64 {
	t.Helper()
	b, ok := LookupBuiltin(name)
	if !ok || b.Arity != len(args) {
		t.Fatalf("no builtin %s with %d arguments", name, len(args))
	}
	return b.Eval64(args)
}

func TestBuiltinTable(t *testing.T) {
	want := strings.Fields(shippedNames)
	sort.Strings(want)
	var got []string
	for _, b := range Builtins() {
		got = append(got, b.Name)
		if b.Doc == "" || b.Eval64 == nil || b.spread == nil || b.Arity < 1 {
			t.Errorf("%s: incomplete row", b.Name)
		}
		if found, ok := LookupBuiltin(b.Name); !ok || found != b {
			t.Errorf("%s is not found", b.Name)
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the table has %d rows:\n got %v\nwant %v", len(got), got, want)
	}
	if _, ok := LookupBuiltin("nosuch"); ok {
		t.Error("found a builtin that does not exist")
	}
}

// ulps is the distance of got from want in units in the last place of want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	if w == got {
		return 0
	}
	if math.IsInf(w, 0) || math.IsInf(got, 0) || math.IsNaN(got) {
		return math.Inf(1)
	}
	unit := math.Abs(math.Nextafter(w, math.Inf(1)) - w)
	d, _ := bigNew().Sub(bigOf(got), want).Float64()
	return math.Abs(d) / unit
}

func TestBuiltinsAgainstBigSeries(t *testing.T) {
	erfc := func(x float64) *big.Float { return bigErfc(bigOf(x)) }
	sqrtTwo := bigNew().Sqrt(bigOf(2))
	oracle := []struct {
		name  string
		args  []float64
		limit float64
		want  func(x float64) *big.Float
	}{
		{"exp", []float64{-740, -700, -1, 1e-9, 1, 17.3, 709}, 1, func(x float64) *big.Float { return bigExp(bigOf(x)) }},
		{"log", []float64{1e-320}, 1, bigLog},
		{"expm1", []float64{-30, -1e-10, 0.3, 2, 700}, 2, func(x float64) *big.Float { return bigNew().Sub(bigExp(bigOf(x)), bigOf(1)) }},
		{"exp2", []float64{-1070.5, -0.3, 1e-9, 0.7, 1023.9}, 2, func(x float64) *big.Float { return bigExp(bigNew().Mul(bigOf(x), bigLog(2))) }},
		{"cosh", []float64{-3, 1e-5, 0.4, 20, 705, 710.4}, 4, func(x float64) *big.Float {
			e := bigExp(bigOf(x))
			return e.Mul(e.Add(e, bigNew().Quo(bigOf(1), e)), bigOf(0.5))
		}},
		{"tanh", []float64{-3, 1e-5, 0.1, 0.6, 0.7, 15}, 4, func(x float64) *big.Float {
			e := bigExp(bigOf(2 * x))
			return bigNew().Quo(bigNew().Sub(e, bigOf(1)), bigNew().Add(e, bigOf(1)))
		}},
		{"sin", []float64{1e-8, 0.5, 3.14159, 22, 355, 1e5, 1e15, 1e300}, 2, func(x float64) *big.Float { return bigSin(x, false) }},
		{"cos", []float64{1e-8, 0.5, 1.5707963, 11, 1e5, 1e15, 1e300}, 2, func(x float64) *big.Float { return bigSin(x, true) }},
		{"tan", []float64{1e-8, 0.5, 1.5707963, 11, 1e5, 1e15, 1e300}, 3, func(x float64) *big.Float { return bigNew().Quo(bigSin(x, false), bigSin(x, true)) }},
		{"erf", []float64{1e-10, 0.3, 0.9, 2, 5}, 2, func(x float64) *big.Float { return bigNew().Sub(bigOf(1), bigErfc(bigOf(x))) }},
		{"exp10", []float64{-320.5, -307.7, -12.3, -1, 1e-9, 0.5, 3, 22, 301.25, 308.2}, 3, func(x float64) *big.Float {
			return bigExp(bigNew().Mul(bigOf(x), bigLog(10)))
		}},
		{"log", []float64{5e-324, 0.1, 0.999999, 1.0000001, 10, 1e300}, 1, bigLog},
		{"log2", []float64{5e-324, 0.1, 0.999999, 1.0000001, 10, 1e300}, 2, func(x float64) *big.Float { return bigNew().Quo(bigLog(x), bigLog(2)) }},
		{"log10", []float64{1e-310, 0.1, 0.999999, 1.0000001, 11, 1e300}, 2, func(x float64) *big.Float { return bigNew().Quo(bigLog(x), bigLog(10)) }},
		{"erfc", []float64{-3, 0.1, 0.5, 1, 2, 5, 20}, 2, erfc},
		{"erfcx", []float64{-26, -5, -0.5, 0, 1e-5, 0.3, 0.9, 1.7, 4.1, 9.99, 10, 13.7, 26}, 4, func(x float64) *big.Float {
			return bigNew().Mul(erfc(x), bigExp(bigNew().Mul(bigOf(x), bigOf(x))))
		}},
		{"normcdf", []float64{-37, -30.3, -8.1, -1.3, -1e-9, 0.4, 3, 8}, 5, func(x float64) *big.Float {
			return bigNew().Mul(bigErfc(bigNew().Quo(bigOf(-x), sqrtTwo)), bigOf(0.5))
		}},
		{"cyl_bessel_i0", []float64{0, 1e-8, 0.7, 3, 11.1, 29.9, 30.1, 75, 300, 712}, 6, func(x float64) *big.Float { return bigBesselI(x, 0) }},
		{"cyl_bessel_i1", []float64{1e-8, 0.7, 3, 11.1, 29.9, 30.1, 75, 300, 712}, 6, func(x float64) *big.Float { return bigBesselI(x, 1) }},
		{"sinh", []float64{-3, 1e-5, 0.4, 20, 705, 710.4}, 4, func(x float64) *big.Float {
			e := bigExp(bigOf(x))
			return e.Mul(e.Sub(e, bigNew().Quo(bigOf(1), e)), bigOf(0.5))
		}},
	}
	for _, row := range oracle {
		for _, x := range row.args {
			if got := call(t, row.name, x); !(ulps(got, row.want(x)) <= row.limit) {
				t.Errorf("%s(%v) = %v is off by %.1f ulp", row.name, x, got, ulps(got, row.want(x)))
			}
		}
	}
	for _, p := range [][2]float64{{1.0000001, 1e9}, {0.3, -500}, {7, 300}, {1e-300, 1.05}, {1.5, 1700}, {2, -1060}, {1 - 1e-16, 1e18}} {
		want := bigExp(bigNew().Mul(bigOf(p[1]), bigLog(p[0])))
		if got := call(t, "pow", p[0], p[1]); !(ulps(got, want) <= 2) {
			t.Errorf("pow(%v, %v) = %v is off by %.1f ulp", p[0], p[1], got, ulps(got, want))
		}
	}
}

// Identities between functions, with the error that rounding alone explains.
func TestBuiltinIdentities(t *testing.T) {
	f := func(name string, args ...float64) float64 { return call(t, name, args...) }
	identities := []struct {
		name        string
		left, right func(x float64) float64
		relative    float64
	}{
		{"Wronskian of J and Y", func(x float64) float64 { return f("j1", x)*f("y0", x) - f("j0", x)*f("y1", x) }, func(x float64) float64 { return 2 / math.Pi / x }, 1e-13},
		{"Wronskian of I by differences", func(x float64) float64 { return f("cyl_bessel_i0", x+1e-4) - f("cyl_bessel_i0", x-1e-4) }, func(x float64) float64 { return 2e-4 * f("cyl_bessel_i1", x) }, 1e-7},
		{"lgamma and tgamma", func(x float64) float64 { return f("exp", f("lgamma", x)) }, func(x float64) float64 { return f("tgamma", x) }, 1e-13},
		{"reflection of tgamma", func(x float64) float64 { return f("tgamma", x) * f("tgamma", 1-x) * f("sinpi", x) }, func(float64) float64 { return math.Pi }, 1e-13},
		{"sinpi and cospi", func(x float64) float64 { return math.Pow(f("sinpi", x), 2) + math.Pow(f("cospi", x), 2) }, func(float64) float64 { return 1 }, 1e-15},
		{"sinpi and sin", func(x float64) float64 { return f("sinpi", x/64) }, func(x float64) float64 { return f("sin", math.Pi*x/64) }, 1e-14},
		{"asin and acos", func(x float64) float64 { return f("asin", x/32) + f("acos", x/32) }, func(float64) float64 { return math.Pi / 2 }, 1e-15},
		{"asinh", func(x float64) float64 { return f("sinh", f("asinh", x)) }, func(x float64) float64 { return x }, 1e-14},
		{"acosh", func(x float64) float64 { return f("cosh", f("acosh", x+1)) }, func(x float64) float64 { return x + 1 }, 1e-14},
		{"atanh", func(x float64) float64 { return f("tanh", f("atanh", x/32)) }, func(x float64) float64 { return x / 32 }, 1e-14},
		{"cube roots", func(x float64) float64 { return f("cbrt", x) * f("rcbrt", x) }, func(float64) float64 { return 1 }, 1e-15},
		{"log1p", func(x float64) float64 { return f("log1p", f("expm1", x)) }, func(x float64) float64 { return x }, 1e-14},
		{"norms", func(x float64) float64 { return f("norm4d", x, 2, 3, 4) * f("rnorm4d", 4, 3, 2, x) }, func(float64) float64 { return 1 }, 1e-15},
		{"hypot", func(x float64) float64 { return f("hypot", 3*x, 4*x) * f("rhypot", x, 0) }, func(float64) float64 { return 5 }, 1e-15},
		{"remainder", func(x float64) float64 { return f("fmod", x, 0.75) - f("remainder", x, 0.75) }, func(x float64) float64 { return 0.75 * math.Abs(math.Round(x/0.75)-math.Floor(x/0.75)) }, 1e-12},
	}
	random := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		x := 0.01 + 20*random.Float64()
		for _, i := range identities {
			if l, r := i.left(x), i.right(x); !(math.Abs(l-r) <= i.relative*math.Abs(r)+1e-15) {
				t.Errorf("%s at %v: %v and %v", i.name, x, l, r)
			}
		}
	}
	for _, x := range []float64{5e-324, 1e-310, 1e-300} {
		if got, want := f("lgamma", x), -f("log", x); math.Abs(got-want) > 1e-15*want {
			t.Errorf("lgamma(%v) = %v", x, got)
		}
		if got, want := f("y0", x), 2/math.Pi*(f("log", x/2e-5)+math.Log(1e-5)+0.57721566490153286); math.Abs(got-want) > 1e-13*math.Abs(want) {
			t.Errorf("y0(%v) = %v, want %v", x, got, want)
		}
	}
}

func TestGammaAgainstFactorials(t *testing.T) {
	factorial := big.NewInt(1)
	for n := int64(1); n <= 170; n++ {
		want := bigNew().SetInt(factorial)
		if got := call(t, "tgamma", float64(n)); !(ulps(got, want) <= 6) {
			t.Errorf("tgamma(%d) = %v is off by %.1f ulp", n, got, ulps(got, want))
		}
		// Γ(n+1/2) = (2n)! √π / (4ⁿ n!)
		double := new(big.Int).MulRange(1, 2*n)
		half := bigNew().Mul(bigNew().SetInt(double), bigNew().Sqrt(bigPi()))
		factorial.Mul(factorial, big.NewInt(n))
		half.Quo(half, bigNew().SetInt(factorial))
		half.SetMantExp(half, -2*int(n))
		if got := call(t, "tgamma", float64(n)+0.5); !(ulps(got, half) <= 6) {
			t.Errorf("tgamma(%d.5) = %v is off by %.1f ulp", n, got, ulps(got, half))
		}
	}
}

func TestInverseErrorFunctions(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		// erfc spans 300 decades: check the logarithm where it is small.
		x := math.Exp(-random.Float64() * 740)
		y := call(t, "erfcinv", x)
		back := math.Log(call(t, "erfcx", y)) - y*y
		if math.Abs(back-log(x)) > 4e-16*(1+2*y*y) {
			t.Errorf("erfcinv(%v) = %v, whose erfc is exp(%v)", x, y, back)
		}
		u := 2*random.Float64() - 1
		if v := call(t, "erf", call(t, "erfinv", u)); math.Abs(v-u) > 4e-16 {
			t.Errorf("erf(erfinv(%v)) = %v", u, v)
		}
		p := random.Float64()
		if q := call(t, "normcdf", call(t, "normcdfinv", p)); math.Abs(q-p) > 1e-15 {
			t.Errorf("normcdf(normcdfinv(%v)) = %v", p, q)
		}
		if want, got := mathext.NormalQuantile(p), call(t, "normcdfinv", p); math.Abs(want-got) > 1e-14*(1+math.Abs(want)) {
			t.Errorf("normcdfinv(%v) = %v, gonum has %v", p, got, want)
		}
	}
}

func TestInverseTrigonometryNearItsEnds(t *testing.T) {
	for _, d := range []float64{1e-3, 1e-8, 0x1p-52} {
		x := 1 - d
		// cos(y) = 1 - 2 sin²(y/2)
		for _, y := range []float64{call(t, "acos", x), math.Pi/2 - call(t, "asin", x)} {
			if s := math.Sin(y / 2); math.Abs(2*s*s-(1-x)) > 3e-16*math.Sqrt(d)+4e-16*(1-x) {
				t.Errorf("acos(1-%v) = %v gives 1-%v", d, y, 2*s*s)
			}
		}
	}
}

func TestBuiltinSpecialCases(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	negativeZero := math.Copysign(0, -1)
	cases := []struct {
		name string
		args []float64
		want float64
	}{
		{"sinpi", []float64{0.5}, 1}, {"sinpi", []float64{-1.5}, 1}, {"sinpi", []float64{2.5}, 1}, {"sinpi", []float64{1e300}, 0},
		{"sinpi", []float64{-3}, negativeZero}, {"sinpi", []float64{inf}, nan}, {"sinpi", []float64{4503599627370495.5}, -1},
		{"cospi", []float64{0.5}, 0}, {"cospi", []float64{1.5}, 0}, {"cospi", []float64{1}, -1}, {"cospi", []float64{-7}, -1}, {"cospi", []float64{nan}, nan},
		{"exp10", []float64{3}, 1000}, {"exp10", []float64{-400}, 0}, {"exp10", []float64{400}, inf}, {"exp10", []float64{-inf}, 0}, {"exp10", []float64{22}, 1e22},
		{"exp10", []float64{308.5}, inf},
		{"log2", []float64{8}, 3}, {"log2", []float64{0}, -inf}, {"log2", []float64{-1}, nan}, {"log2", []float64{inf}, inf}, {"log2", []float64{5e-324}, -1074},
		{"log10", []float64{1000}, 3}, {"log10", []float64{1e22}, 22}, {"log10", []float64{0}, -inf}, {"log10", []float64{1e-5}, -5},
		{"erfinv", []float64{1}, inf}, {"erfinv", []float64{-1}, -inf}, {"erfinv", []float64{1.1}, nan}, {"erfinv", []float64{0}, 0}, {"erfinv", []float64{nan}, nan},
		{"erfcinv", []float64{0}, inf}, {"erfcinv", []float64{2}, -inf}, {"erfcinv", []float64{1}, 0}, {"erfcinv", []float64{-1}, nan},
		{"normcdf", []float64{inf}, 1}, {"normcdf", []float64{-inf}, 0}, {"normcdf", []float64{0}, 0.5}, {"normcdf", []float64{nan}, nan},
		{"normcdfinv", []float64{0}, -inf}, {"normcdfinv", []float64{1}, inf}, {"normcdfinv", []float64{0.5}, 0}, {"normcdfinv", []float64{2}, nan},
		{"erfcx", []float64{inf}, 0}, {"erfcx", []float64{-inf}, inf}, {"erfcx", []float64{1e308}, 1e-308 / sqrtPi}, {"erfcx", []float64{-1e200}, inf}, {"erfcx", []float64{nan}, nan},
		{"cyl_bessel_i0", []float64{0}, 1}, {"cyl_bessel_i0", []float64{-inf}, inf}, {"cyl_bessel_i1", []float64{-inf}, -inf}, {"cyl_bessel_i1", []float64{0}, 0}, {"cyl_bessel_i0", []float64{nan}, nan},
		{"lgamma", []float64{-inf}, inf}, {"lgamma", []float64{-3}, inf}, {"lgamma", []float64{1}, 0},
		{"tgamma", []float64{-3}, nan}, {"tgamma", []float64{5}, 24}, {"tgamma", []float64{negativeZero}, -inf}, {"tgamma", []float64{180}, inf}, {"tgamma", []float64{-inf}, nan},
		{"rint", []float64{2.5}, 2}, {"rint", []float64{-3.5}, -4}, {"rint", []float64{-0.5}, negativeZero}, {"rint", []float64{0x1p52 - 0.5}, 0x1p52}, {"rint", []float64{-inf}, -inf}, {"rint", []float64{nan}, nan},
		{"round", []float64{2.5}, 3}, {"round", []float64{-2.5}, -3}, {"logb", []float64{0}, -inf}, {"logb", []float64{10}, 3}, {"logb", []float64{-inf}, inf},
		{"remainder", []float64{5, 2}, 1}, {"remainder", []float64{7, 2}, -1}, {"fmod", []float64{-7, 2}, -1}, {"fmod", []float64{1, 0}, nan},
		{"fdim", []float64{inf, inf}, 0}, {"fdim", []float64{1, 3}, 0}, {"fdim", []float64{nan, 3}, nan}, {"fdivide", []float64{1, 0}, inf},
		{"fmax", []float64{nan, 1}, 1}, {"fmin", []float64{1, nan}, 1}, {"fmin", []float64{nan, nan}, nan}, {"fmax", []float64{2, 3}, 3},
		{"copysign", []float64{3, negativeZero}, -3}, {"fma", []float64{1 + 0x1p-52, 1 - 0x1p-52, -1}, -0x1p-104},
		{"norm3d", []float64{2e200, 3e200, 6e200}, 7e200}, {"norm4d", []float64{inf, nan, 1, 1}, inf}, {"norm3d", []float64{0, 0, 0}, 0}, {"norm4d", []float64{1, 1, 1, 1}, 2},
		{"norm3d", []float64{nan, 0, 0}, nan}, {"hypot", []float64{3e-320, 4e-320}, 5e-320},
		{"rhypot", []float64{1.5e308, 1.5e308}, 1 / 1.5e308 / math.Sqrt2}, {"rhypot", []float64{0, 0}, inf}, {"rnorm3d", []float64{inf, 1, 1}, 0}, {"rnorm4d", []float64{0, 0, 3, 4}, 0.2},
		{"rcbrt", []float64{8}, 0.5}, {"rcbrt", []float64{negativeZero}, -inf}, {"rsqrt", []float64{4}, 0.5}, {"rsqrt", []float64{-1}, nan}, {"rsqrt", []float64{0}, inf},
		{"pow", []float64{-2, 3}, -8}, {"pow", []float64{-8, 1.0 / 3}, nan}, {"pow", []float64{0, -1}, inf}, {"pow", []float64{-1, inf}, 1}, {"pow", []float64{nan, 0}, 1},
		{"pow", []float64{10, 400}, inf}, {"pow", []float64{-10, 401}, -inf}, {"pow", []float64{-10, -401}, negativeZero}, {"pow", []float64{3, 2}, 9}, {"pow", []float64{4, 0.5}, 2},
		{"acos", []float64{1}, 0}, {"acos", []float64{-1}, math.Pi}, {"acos", []float64{1.5}, nan}, {"asin", []float64{negativeZero}, negativeZero}, {"asin", []float64{1}, math.Pi / 2},
		{"cosh", []float64{-inf}, inf}, {"sinh", []float64{-inf}, -inf}, {"y0", []float64{0}, -inf}, {"y1", []float64{-1}, nan}, {"j0", []float64{0}, 1}, {"j1", []float64{0}, 0},
	}
	for _, c := range cases {
		got := call(t, c.name, c.args...)
		same := got == c.want && (got != 0 || math.Signbit(got) == math.Signbit(c.want)) || got != got && c.want != c.want
		if !same && math.Abs(got-c.want) > 4e-16*math.Abs(c.want) {
			t.Errorf("%s(%v) = %v, want %v", c.name, c.args, got, c.want)
		}
	}
}

// The single rounding of float32 functions that do not come from float64.
func TestFloat32Builtins(t *testing.T) {
	eval := func(name string, args ...float64) float64 {
		b, _ := LookupBuiltin(name)
		return b.Eval(tensor.Float32, args)
	}
	if got := eval("nextafter", 1, 2); got != 1+0x1p-23 {
		t.Errorf("nextafter(1, 2) = %v in float32", got)
	}
	if got := eval("exp", 1); got != float64(float32(math.E)) {
		t.Errorf("exp(1) = %v in float32", got)
	}
	// a·b + c just above a tie of float32, by less than float64 can see.
	a, b := float64(1+0x1p-12), float64(1+0x1p-12)
	if got := eval("fma", a, b, 0x1p-90); got != 1+0x1p-11+0x1p-23 {
		t.Errorf("fma rounds twice: %x", got)
	}
	if got := eval("fma", a, b, -0x1p-90); got != 1+0x1p-11 {
		t.Errorf("fma rounds twice: %x", got)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		x := []float64{float64(random.Float32()) - 0.5, float64(random.Float32()), (float64(random.Float32()) - 0.5) * math.Pow(2, -float64(random.IntN(60)))}
		x[2] = float64(float32(x[2]))
		exact := new(big.Float).SetPrec(300).Mul(big.NewFloat(x[0]), big.NewFloat(x[1]))
		want, _ := exact.Add(exact, big.NewFloat(x[2])).Float32()
		if got := eval("fma", x...); got != float64(want) {
			t.Fatalf("fma(%v) = %v, want %v", x, got, want)
		}
	}
}

// A spread covers the change of the function at random points of the box.
func TestSpreads(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, b := range Builtins() {
		for range 500 {
			x, e, moved := make([]float64, b.Arity), make([]float64, b.Arity), make([]float64, b.Arity)
			for i := range x {
				x[i] = random.NormFloat64() * math.Pow(4, float64(random.IntN(4))-1)
				e[i] = math.Abs(x[i]) * math.Pow(10, -float64(random.IntN(10)))
				moved[i] = x[i] + e[i]*(2*random.Float64()-1)
			}
			f := b.Eval64(x)
			bound := b.spread(b, x, e, f)
			change := distance(b.Eval64(moved), f)
			slack := 1e-9*bound + 1e-13*math.Abs(f) + 1e-13
			if f != f {
				slack = 0
			}
			if !(change <= bound+slack) {
				t.Errorf("%s(%v ± %v) = %v: moved by %v at %v, bound %v", b.Name, x, e, f, change, moved, bound)
				break
			}
			if f == f && bound != bound {
				t.Errorf("%s(%v ± %v): the bound is NaN", b.Name, x, e)
			}
		}
	}
}

// TestWholePowers: powers of whole numbers are these, so that their integer parts are right.
func TestWholePowers(t *testing.T) {
	for base := int64(-19); base < 20; base++ {
		for y, power := 1, base; y <= 30 && power < 1<<53 && power > -1<<53; y, power = y+1, power*base {
			pow, _ := LookupFunction("pow")
			if got := pow.Eval64([]float64{float64(base), float64(y)}); got != float64(power) {
				t.Errorf("%d to the power %d is %v", base, y, got)
			}
		}
	}
}
