package session_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/session"
	"github.com/ricci-lang/ricci/internal/strand/strandtest"
	"github.com/ricci-lang/ricci/tensor"
)

// matches reports whether an error says what is wanted, with its help; "" wants none.
func matches(err error, want string) bool {
	if err == nil || want == "" {
		return err == nil && want == ""
	}
	text := err.Error()
	var d *source.Diagnostic
	if errors.As(err, &d) {
		text += " " + d.Help
	}
	return regexp.MustCompile("(?s)" + want).MatchString(text)
}

func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-12 })
}

// TestOrientation places images of two axes in worlds of two and three dimensions.
func TestOrientation(t *testing.T) {
	p := strandtest.Parse(t, `strand s real float32 int int32 {
  image img: 2 [2] input
  temp k: int
  output id: int
  create array for k = 0i32 to 1i32 new ()
  begin { id = 0i32 }
  update { stabilize }
}`)
	axes := []tensor.Axis{{}, {Spatial: true}, {Spatial: true}}
	for _, row := range []struct {
		what               string
		directions         [][]float64
		origin             []float64
		want               string
		places, wantOrigin []float64
	}{
		{"sheared", [][]float64{{2, 0}, {1, -3}}, []float64{5, 6}, "", []float64{2, 1, 0, -3}, []float64{5, 6}},
		{"in the plane of x and z", [][]float64{{2, 0, 0}, {1, 0, 3}}, []float64{5, 6, 7}, "", []float64{2, 1, 0, 3}, []float64{5, 7}},
		{"turned about y by the triangle 3, 4, 5", [][]float64{{4, 0, 3}, {8, 2, 6}}, []float64{3, 7, -4}, "", []float64{5, 10, 0, 2}, []float64{0, 7}},
		{"along one line", [][]float64{{0, 0, 2}, {0, 0, 3}}, []float64{5, 6, 7}, "E1405.*not independent", nil, nil},
	} {
		m := filled(t, tensor.Int8, 3, 4, 2)
		m.Axes, m.Directions, m.Origin, m.Derived = slices.Clone(axes), row.directions, row.origin, false
		n := session.NewInputs(p, "", nil)
		err := n.SetImage("img", m)
		if !matches(err, row.want) {
			t.Errorf("%s: %v, expected %q", row.what, err, row.want)
		}
		if err != nil {
			continue
		}
		all, err := n.Given()
		if err != nil {
			t.Fatal(err)
		}
		d := all.Images["img"]
		if !near(d.Directions, row.places) || !near(d.Origin, row.wantOrigin) || !slices.Equal(d.Sizes, []int{4, 3}) || d.Samples[23] != 23 {
			t.Errorf("%s: %+v", row.what, d)
		}
	}
	m := filled(t, tensor.Int8, 3, 4, 2)
	m.Axes = []tensor.Axis{{Spatial: true}, {}, {Spatial: true}}
	m.Directions, m.Origin, m.Derived = [][]float64{{1, 0}, {0, 1}}, []float64{0, 0}, false
	if err := session.NewInputs(p, "", nil).SetImage("img", m); !matches(err, "E1405.*axis 0 is spatial") {
		t.Error(err)
	}
}

// TestOblique: in a plane of a larger world lengths and angles are what they were, and where a plane is nearly level, so are
// coordinates.
func TestOblique(t *testing.T) {
	p := strandtest.Parse(t, `strand s real float64 int int32 {
  image img: 2 [] input
  temp k: int
  output id: int
  create array for k = 0i32 to 1i32 new ()
  begin { id = 0i32 }
  update { stabilize }
}`)
	random := rand.New(rand.NewPCG(2, 30))
	vector := func(size float64) []float64 {
		return []float64{size * random.NormFloat64(), size * random.NormFloat64(), size * random.NormFloat64()}
	}
	product := func(a, b []float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
	place := func(directions [][]float64, origin []float64) *strand.ImageData {
		m := filled(t, tensor.Int8, 3, 4)
		m.Axes, m.Directions, m.Origin, m.Derived = []tensor.Axis{{Spatial: true}, {Spatial: true}}, directions, origin, false
		n := session.NewInputs(p, "", nil)
		if err := n.SetImage("img", m); err != nil {
			t.Fatal(err)
		}
		all, err := n.Given()
		if err != nil {
			t.Fatal(err)
		}
		return all.Images["img"]
	}
	for range 50 {
		a, b, o := vector(1), vector(1), vector(5)
		d := place([][]float64{a, b}, o).Directions
		for _, row := range [][2]float64{{product(a, a), d[0]*d[0] + d[2]*d[2]}, {product(b, b), d[1]*d[1] + d[3]*d[3]}, {product(a, b), d[0]*d[1] + d[2]*d[3]}} {
			if math.Abs(row[0]-row[1]) > 1e-12*max(1, product(a, a), product(b, b)) {
				t.Errorf("the product of steps is %g, in the plane %g", row[0], row[1])
			}
		}
		a[1], b[1] = 1e-9, -2e-9
		level := place([][]float64{a, b}, o)
		for n, want := range []float64{a[0], b[0], a[2], b[2], o[0], o[2]} {
			if got := append(slices.Clone(level.Directions), level.Origin...)[n]; math.Abs(got-want) > 1e-5 {
				t.Errorf("number %d of a plane that is nearly level is %g, expected %g", n, got, want)
			}
		}
	}
}
