package bench

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

func TestStudent(t *testing.T) {
	for freedom := 1; freedom < 120; freedom++ {
		for _, level := range []float64{0.5, 0.9, 0.99, 0.9999} {
			want := distuv.StudentsT{Sigma: 1, Nu: float64(freedom)}.Quantile((1 + level) / 2)
			if got := studentQuantile(level, freedom); math.Abs(got-want) > 1e-6*want {
				t.Errorf("%d degrees of freedom, level %g: %g, expected %g", freedom, level, got, want)
			}
		}
	}
}

func TestHalfWidth(t *testing.T) {
	// Deviation 1, mean 10, t of 4 degrees of freedom 4.6041.
	samples := []float64{9, 9.5, 10, 10, 11.5}
	deviation := math.Sqrt((1 + 0.25 + 0 + 0 + 2.25) / 4)
	if got, want := halfWidth(samples, 0.99), 4.6041*deviation/math.Sqrt(5)/10; math.Abs(got-want) > 1e-5 {
		t.Errorf("the half width is %g, expected %g", got, want)
	}
	for _, few := range [][]float64{nil, {1}} {
		if halfWidth(few, 0.99) != 0 || Published().reached(few) {
			t.Errorf("%v has an interval", few)
		}
	}
	if !Published().reached([]float64{1, 1, 1}) {
		t.Error("equal samples are not enough")
	}
	s := spreadOf([]float64{1, 3}, 0.5)
	if s.Mean != 2 || math.Abs(s.Interval-0.5) > 1e-9 { // t is 1 for one degree, the deviation √2
		t.Errorf("%+v", s)
	}
}

// TestIntervalProperties: a higher level and fewer samples make intervals wider, the unit of time does not matter.
func TestIntervalProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Float64Range(0.5, 2), 2, 30).Draw(t, "samples")
		narrow, wide := halfWidth(samples, 0.9), halfWidth(samples, 0.99)
		if narrow > wide {
			t.Errorf("the interval of 0.9 is %g wide, that of 0.99 %g", narrow, wide)
		}
		scaled := make([]float64, len(samples))
		for i, v := range samples {
			scaled[i] = v * 1e-6
		}
		if w := halfWidth(scaled, 0.99); math.Abs(w-wide) > 1e-9*(1+wide) {
			t.Errorf("the unit of time decides about the width: %g and %g", w, wide)
		}
		if twice := halfWidth(append(samples, samples...), 0.99); wide > 1e-6 && twice >= wide {
			t.Errorf("twice the samples have the interval %g, before %g", twice, wide)
		}
	})
}

func TestParseInterval(t *testing.T) {
	if i, err := ParseInterval("0.99/0.05"); err != nil || i != Published() {
		t.Errorf("%v, %v", i, err)
	}
	for _, text := range []string{"", "0.99", "99/5", "0.99/", "0/0.05", "0.99/1", "a/b", "0.9/0.1/2", "NaN/0.1"} {
		if i, err := ParseInterval(text); err == nil || !strings.Contains(err.Error(), "expected LEVEL/WIDTH") {
			t.Errorf("%q: %v, %v", text, i, err)
		}
	}
}
