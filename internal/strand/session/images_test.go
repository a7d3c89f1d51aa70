package session_test

import (
	"errors"
	"regexp"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand/session"
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

// TestOrientation places images of two axes in worlds of two and three dimensions.
func TestOrientation(t *testing.T) {
	p := parse(t, `strand s real float32 int int32 {
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
		{"oblique", [][]float64{{2, 0, 1}, {1, 4, 3}}, []float64{5, 6, 7}, "E1405.*not parallel", nil, nil},
		{"along one line", [][]float64{{0, 0, 2}, {0, 0, 3}}, []float64{5, 6, 7}, "", []float64{0, 0, 2, 3}, []float64{6, 7}},
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
		if !slices.Equal(d.Directions, row.places) || !slices.Equal(d.Origin, row.wantOrigin) || !slices.Equal(d.Sizes, []int{4, 3}) || d.Samples[23] != 23 {
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
