package strand_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/strand"
)

const probeText = `strand probe real float64 int int32 {
  image img: 2 [2]
  kernel ctmr 2 { 2, 4, 5/2, 1/2 | 1, 0, -5/2, -3/2 | 1, 0, -5/2, 3/2 | 2, -4, 5/2, -1/2 }
  input at: real[2]
  param k: int
  output v: real{2}
  output d: real[2]
  output xx: real
  temp n: int
  temp x: real
  temp y: real
  create array for n = 0i32 to 0i32 new (n)
  begin {
    v.0 = 0f64
    v.1 = 0f64
    d.0 = 0f64
    d.1 = 0f64
    xx = 0f64
  }
  update {
    x = img.matrix.0 * at.0 + img.matrix.1 * at.1 + img.shift.0
    y = img.matrix.2 * at.0 + img.matrix.3 * at.1 + img.shift.1
    sample img BORDER ctmr at (x, y) {
      v.0 = 0 [0, 0]
      v.1 = 1 [0, 0]
      d.0 = 1 [1, 0]
      d.1 = 1 [0, 1]
      xx = 0 [2, 0]
    }
    stabilize
  }
}
`

// TestSample probes quadratic polynomials, which the kernel reconstructs exactly, on a sheared
// grid, and outside by all borders.
func TestSample(t *testing.T) {
	linear := func(x, y float64) float64 { return 1 + 2*x - 3*y }
	square := func(x, y float64) float64 { return 0.5*x*x - x*y + y*y + x }
	data := &strand.ImageData{Sizes: []int{7, 6}, Components: 2, Directions: []float64{0.5, 0.25, 0, -2}, Origin: []float64{3, 1}}
	for y := range 6 {
		for x := range 7 {
			data.Samples = append(data.Samples, linear(float64(x), float64(y)), square(float64(x), float64(y)))
		}
	}
	probe := func(border string, x, y float64) ([]float64, error) {
		p := parse(t, strings.Replace(probeText, "BORDER", border, 1))
		given := strand.Given{Images: map[string]*strand.ImageData{"img": data}, Inputs: map[string]strand.Value{"at": reals(3+0.5*x+0.25*y, 1-2*y)}}
		result, err := strand.Evaluate(context.Background(), p, given, 0, strand.Options{})
		if err != nil {
			return nil, err
		}
		var list []float64
		for _, o := range result.Outputs {
			list = append(list, numbers(t, o)...)
		}
		return list, nil
	}
	for _, at := range [][2]float64{{1, 1}, {2.25, 3.75}, {4.875, 1.5}} {
		x, y := at[0], at[1]
		got, err := probe("inside", x, y)
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range []float64{linear(x, y), square(x, y), x - y + 1, 2*y - x, 0} {
			if !(math.Abs(got[k]-want) < 1e-13) {
				t.Errorf("number %d at %v is %v, expected %v", k, at, got[k], want)
			}
		}
	}
	// At whole positions the kernel is the sample itself.
	for border, source := range map[string]float64{"clamp": linear(0, 5), "mirror": linear(2, 4), "wrap": linear(4, 1)} {
		if got, err := probe(border, -3, 7); err != nil || math.Abs(got[0]-source) > 1e-13 {
			t.Errorf("%s: got %v, expected %v: %v", border, got, source, err)
		}
	}
	_, err := probe("inside", 0.5, 2)
	var fault *strand.Fault
	if !errors.As(err, &fault) || fault.Strand != 0 || fault.Step != 1 || !strings.Contains(err.Error(), "the image img is probed at [3.75 -3], which is outside") {
		t.Errorf("got %v, expected a fault of strand 0", err)
	}
	if _, err := probe("clamp", math.NaN(), 2); err == nil {
		t.Error("a probe at no number gives something")
	}
}
