package diderot_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/diderot"
	"github.com/ricci-lang/ricci/internal/lang/diderot/check"
	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

const pointsText = `#version 2.0
input image(2)[] img;
input image(1)[3] colours;
input real factor = 2.0;
const real half = 0.5;
input vec2 from = [-0.4, -0.5];
real base = factor * half + 1.0;
field#2(2)[] F = base * (bspln3 ⊛ img);
field#1(2)[2] G = ∇F;
field#0(2)[2,2] H = ∇⊗∇F;
field(2)[] R(x) = |x| * base;
field#0(1)[3] paint = tent ⊛ clamp(colours);
function real shade (vec2 n, real a) {
  if (a > 0.5)
    return (n • n) * factor;
  return a - F(n);
}
function vec3 colour (int k) = paint(real(k));
function real sums (int k) {
  real t = 0.0;
  foreach (int i in 0 .. k) { t += real(i); }
  return t;
}
initialize { print(base, "\n"); }
strand point (int i) {
  vec2 p = from + real(i) * [0.13, 0.07];
  output real f = 0.0;
  output vec2 g = [0.0, 0.0];
  output mat2 h = identity[2];
  output real r = 0.0;
  output real s = 0.0;
  output vec3 c = [0.0, 0.0, 0.0];
  output bool ok = false;
  update {
    ok = inside(p, F);
    if (ok) {
      f = F(p);
      g = G(p);
      h = H(p);
    }
    r = R(p);
    s = shade(p, real(i) * 0.2);
    c = colour(i);
    stabilize;
  }
}
create_array { point(i) | i in 0 .. 15 }
`

// typedProgram checks a text.
func typedProgram(t *testing.T, text string) *typed.Program {
	t.Helper()
	f, diagnostics := syntax.Parse(source.NewFile("points.diderot", text))
	if diagnostics.HasErrors() {
		t.Fatal(diagnostics)
	}
	p, found := check.Program(f, check.Options{})
	if found.HasErrors() {
		t.Fatal(found)
	}
	return p
}

func array(list []float64, shape ...int) *tensor.Tensor {
	t, err := tensor.FromSlice(list, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

func flat(t *tensor.Tensor) []float64 {
	list := make([]float64, t.Len())
	for n := range list {
		if list[n] = float64(0); t.DType().IsFloat() {
			list[n] = t.FloatAt(n)
		} else {
			list[n] = float64(t.IntAt(n))
		}
	}
	return list
}

func inputsOf(d *lang.Def) (names []string) {
	for _, x := range d.Func.Inputs() {
		names = append(names, x.Name)
	}
	return names
}

// TestDefs: fields and functions of a program, asked for a list of points, have the values that its strands have.
func TestDefs(t *testing.T) {
	program := typedProgram(t, pointsText)
	defs, err := diderot.Defs(program, diderot.Numbers{Double: true})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	byName := map[string]*lang.Def{}
	for _, d := range defs {
		names = append(names, d.Name+"("+strings.Join(inputsOf(d), " ")+")")
		byName[d.Name] = d
	}
	image := "img img_directions img_origin factor "
	if want := []string{"F(" + image + "p)", "G(" + image + "p)", "H(" + image + "p)", "R(factor p)", "paint(colours colours_directions colours_origin p)",
		"shade(" + image + "n a)", "colour(colours colours_directions colours_origin k)"}; !slices.Equal(names, want) {
		t.Errorf("the defs are\n%s\nexpected\n%s", strings.Join(names, "\n"), strings.Join(want, "\n"))
	}

	strands, err := diderot.Lower(program, diderot.Numbers{Double: true})
	if err != nil {
		t.Fatal(err)
	}
	img := &strand.ImageData{Sizes: []int{9, 8}, Components: 1, Directions: []float64{0.5, 0.1, -0.05, 0.4}, Origin: []float64{-1.5, -1.2}}
	for n := range 72 {
		img.Samples = append(img.Samples, math.Sin(float64(n*n)))
	}
	colours := &strand.ImageData{Sizes: []int{5}, Components: 3, Directions: []float64{2.5}, Origin: []float64{1}}
	for n := range 15 {
		colours.Samples = append(colours.Samples, float64(n%4))
	}
	result, err := strand.Evaluate(context.Background(), strands, strand.Given{Images: map[string]*strand.ImageData{"img": img, "colours": colours}}, 0, strand.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]float64{}
	for _, o := range result.Outputs {
		want[o.Name] = flat(o.Data)
	}
	var p, a []float64
	var k []int32
	for n := range 16 {
		p = append(p, -0.4+float64(n)*0.13, -0.5+float64(n)*0.07)
		a, k = append(a, float64(n)*0.2), append(k, int32(n))
	}
	numbers, _ := tensor.FromSlice(k, 16)
	args := map[string]*tensor.Tensor{"img": array(img.Samples, 8, 9), "img_directions": array([]float64{0.5, -0.05, 0.1, 0.4}, 2, 2), "img_origin": array(img.Origin, 2),
		"colours": array(colours.Samples, 5, 3), "colours_directions": array(colours.Directions, 1, 1), "colours_origin": array(colours.Origin, 1),
		"factor": array([]float64{2}), "p": array(p, 16, 2), "n": array(p, 16, 2), "a": array(a, 16), "k": numbers}
	for name, output := range map[string]string{"F": "f", "G": "g", "H": "h", "R": "r", "shade": "s", "colour": "c"} {
		f := byName[name].Func
		given := map[string]*tensor.Tensor{}
		for _, x := range f.Inputs() {
			given[x.Name] = args[x.Name]
		}
		got, err := ein.Evaluate(f, given, ein.EvalOptions{Sizes: map[string]int64{"img_X": 9, "img_Y": 8, "colours_X": 5, "N": 16}})
		if err != nil {
			t.Fatal(err)
		}
		values := flat(got["value"])
		width := len(values) / 16
		inside := 0
		for n := range 16 {
			ok := got["inside"] == nil || flat(got["inside"])[n] != 0
			if got["inside"] != nil && name != "R" && ok != (want["ok"][n] != 0) {
				t.Errorf("%s: point %d is inside: %t", name, n, ok)
			}
			for c := range width {
				if ok && !(math.Abs(values[n*width+c]-want[output][n*width+c]) < 1e-12) {
					t.Errorf("%s: number %d of point %d is %g, of its strand %g", name, c, n, values[n*width+c], want[output][n*width+c])
				}
			}
			if ok {
				inside++
			}
		}
		if inside < 8 {
			t.Errorf("%s: %d points are inside", name, inside)
		}
	}
}

// A def has what it needs of the program, and nothing else: neither other images, nor an initialize block that assigns nothing
// of it, nor a global that no def could have.
func TestDefsNeed(t *testing.T) {
	text := `#version 2.0
input image(1)[] img;
input image(1)[] other;
input real scale = 2.0;
input real offset = 0.0;
real[] list = { real(i) | i in 0 .. 100 };
real chain = scale;
real begun = 0.0;
field#1(1)[] F = chain * (ctmr ⊛ img);
field#1(1)[] O = ctmr ⊛ other;
field#1(1)[] B = begun * F;
function real through (real x) = F(x);
function real apart (real x) = 2.0 * x;
initialize { begun = offset; begun += O(0.5); }
strand S (int i) {
  output real o = 0.0;
  update { o = list[i] + through(real(i)) + apart(1.0) + B(0.5); stabilize; }
}
create_array { S(i) | i in 0 .. 9 }
`
	defs, err := diderot.Defs(typedProgram(t, text), diderot.Numbers{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"F": "img img_directions img_origin p scale", "O": "other other_directions other_origin p",
		"B":       "img img_directions img_origin offset other other_directions other_origin p scale",
		"through": "img img_directions img_origin scale x", "apart": "x",
	}
	for _, d := range defs {
		names := inputsOf(d)
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want[d.Name] {
			t.Errorf("%s takes %s, expected %s", d.Name, got, want[d.Name])
		}
		delete(want, d.Name)
	}
	if len(want) > 0 {
		t.Errorf("there are no defs %v", want)
	}
}
