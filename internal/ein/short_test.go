package ein

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestShortened: the words of the law are kept by texts, and the bounds of a sum with the law hold for factors that are rounded, of numbers of all sizes; they
// are no wider than for two such factors, and nothing where no factor has more than 11 digits.
func TestShortened(t *testing.T) {
	const text = `func f {
  in A: float32[4, 8]
  in B: float32[8]
  out C: float32[4]
  for i in 0:4, k in 0:8 reduce + { C[i] = A[i, k] * B[k] }
}`
	plain := parsed(t, text)
	f := Shorten(plain)
	if printed := Print(f); printed != Print(parsed(t, strings.Replace(text, "reduce +", "reduce + shortened", 1))) || printed == Print(plain) {
		t.Errorf("it is printed as\n%s", printed)
	}
	both := strings.Replace(text, "reduce +", "reduce + distributive shortened", 1)
	if printed := Print(parsed(t, both)); !strings.Contains(printed, "reduce + distributive shortened") {
		t.Errorf("both laws are printed as\n%s", printed)
	}
	if text := strings.ReplaceAll(text, "float32", "float64"); Print(Shorten(parsed(t, text))) != Print(parsed(t, text)) {
		t.Error("sums of float64 are shortened")
	}
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(n int, exponent func() int, digits float64) []float32 {
		list := make([]float32, n)
		for k := range list {
			list[k] = float32(math.Ldexp(math.Round((r.Float64()*2-1)*digits)/digits, exponent()))
		}
		return list
	}
	for name, c := range map[string]struct {
		exponent func() int
		digits   float64
	}{
		"medium": {func() int { return r.IntN(9) - 4 }, 1 << 24}, "subnormal": {func() int { return -126 - r.IntN(20) }, 1 << 24},
		"short": {func() int { return 10 }, 1 << 10}, "largest": {func() int { return 127 + r.IntN(2) }, 1 << 24},
	} {
		for range 50 {
			a, b := draw(32, c.exponent, c.digits), draw(8, c.exponent, c.digits)
			if name == "subnormal" || name == "largest" {
				b = draw(8, func() int { return -1 }, 1<<24)
			}
			args := tensors{"A": arrayOf(t, a, 4, 8), "B": arrayOf(t, b)}
			want, bounds, err := EvaluateWithBounds(f, args, EvalOptions{})
			if err != nil {
				t.Fatal(err)
			}
			_, sharp, err := EvaluateWithBounds(plain, args, EvalOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 4 {
				sum, terms := float32(0), 0.0
				for k := range 8 {
					terms += math.Abs(float64(a[i*8+k]) * float64(b[k]))
					sum += RoundTF32(a[i*8+k]) * RoundTF32(b[k])
				}
				off, bound := math.Abs(float64(sum)-want["C"].FloatAt(i)), bounds["C"].FloatAt(i)
				if off > bound || math.IsInf(float64(sum), 0) && !math.IsInf(bound, 0) {
					t.Errorf("%s: %g is off by %g, the bound is %g", name, sum, off, bound)
				}
				if name == "medium" && (bound > 0x1.1p-10*terms || off == 0) || name == "short" && bound != sharp["C"].FloatAt(i) {
					t.Errorf("%s: the bound of %g is %g, of terms that add up to %g", name, sum, bound, terms)
				}
			}
		}
	}
	for x, want := range map[float32]float32{1 + 0x1p-11: 1 + 0x1p-10, 1 + 0x1p-12: 1, -1 - 0x1p-11: -1 - 0x1p-10, 0: 0, 3: 3, math.MaxFloat32: float32(math.Inf(1))} {
		if got := RoundTF32(x); got != want {
			t.Errorf("%g is rounded to %g", x, got)
		}
	}
	if nan := float32(math.NaN()); RoundTF32(nan) == RoundTF32(nan) {
		t.Error("a NaN is a number")
	}
}
