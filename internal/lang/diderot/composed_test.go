package diderot_test

import (
	"context"
	"math"
	"testing"

	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// composed is what the fields of these tests are made of: images of the polynomial f(x,y) = 1 + 2x + x² − xy and of that in
// space, which has 3z besides, and formulas. ctmr is exact for them.
const composed = `#version 2.0
input image(2)[] img;
input image(3)[] vol;
input real a = 0.25;
field#1(2)[] F = ctmr ⊛ img;
field#1(3)[] V = ctmr ⊛ vol;
field(2)[] f(p) = 1.0 + 2.0*p[0] + p[0]^2 - p[0]*p[1];
field(3)[] v(p) = 1.0 + 2.0*p[0] + p[0]^2 - p[0]*p[1] + 3.0*p[2];
field(1)[3] helix(t) = [3.0 + cos(t), 3.0 + sin(t), 2.0 + t/8.0];
field(2)[2] warp(p) = [p[0] + 0.1*sin(p[1]), p[1] + a*p[0]];
field(3)[2] flat(p) = [p[0] + p[2]*0.1, p[1]*0.5 + 1.0];
`

// A composition is probed at places p, q and t in the plane, in space and on a line. What is wanted may be of fields besides.
type composition struct{ fields, value, want, besides string }

var compositions = []composition{
	// Programs that add vectors to the position, as the original's var_as_pos.
	{"field#1(2)[] G(p) = F(p + [a, 0.5]);", "G(p)", "f(p + [a, 0.5])", ""},
	{"field#1(2)[] G(p) = F(p + [a, 0.5]);", "∇G(p)[0]", "2.0 + 2.0*(p[0] + a) - (p[1] + 0.5)", ""},
	{"field#1(2)[] G(p) = F(2.0*p - [a, p[0]*p[1]/4.0]);", "∇G(p)[1]", "∇H(p)[1]", "field(2)[2] u(p) = 2.0*p - [a, p[0]*p[1]/4.0];\nfield(2)[] H(p) = 1.0 + 2.0*u(p)[0] + u(p)[0]^2 - u(p)[0]*u(p)[1];"},
	{"field#1(2)[] G = F ∘ warp;", "G(p)", "f(warp(p))", ""},
	{"field#1(2)[] G = F ∘ warp;", "∇G(p)[0]", "∇f(warp(p))[0] + a*∇f(warp(p))[1]", ""},
	{"field#1(2)[] G = F ∘ warp;", "∇G(p)[1]", "∇f(warp(p))[0]*0.1*cos(p[1]) + ∇f(warp(p))[1]", ""},
	// From a line into space, and from space into the plane.
	{"field#1(1)[] G = V ∘ helix;", "∇G(t)", "-∇v(helix(t))[0]*sin(t) + ∇v(helix(t))[1]*cos(t) + ∇v(helix(t))[2]/8.0", ""},
	{"field#1(3)[] G = F ∘ flat;", "∇G(q) • [1.0, 10.0, 100.0]", "∇f(flat(q))[0]*11.0 + ∇f(flat(q))[1]*5.0", ""},
	// Derivatives of formulas that are composed, to any order, and of fields under and around ∘.
	{"field(2)[] G = f ∘ warp;", "(∇⊗∇G(p))[0,1]", "(∇⊗∇H(p))[0,1]", "field(2)[] H(p) = 1.0 + 2.0*warp(p)[0] + warp(p)[0]^2 - warp(p)[0]*warp(p)[1];"},
	{"field(2)[] G = f ∘ warp ∘ warp;", "|∇⊗∇⊗∇G(p)|", "|∇⊗∇⊗∇H(p)|", "field(2)[2] twice(p) = [p[0] + 0.1*sin(p[1]) + 0.1*sin(p[1] + a*p[0]), p[1] + a*p[0] + a*(p[0] + 0.1*sin(p[1]))];\n" +
		"field(2)[] H(p) = 1.0 + 2.0*twice(p)[0] + twice(p)[0]^2 - twice(p)[0]*twice(p)[1];"},
	{"field#0(2)[2] G = (∇F) ∘ warp;", "G(p)[1]", "-warp(p)[0]", ""},
	{"field#1(2)[] G(p) = F([2.0 + F(p)/8.0, p[1]]) * F(p);", "∇G(p)[1]", "∇H(p)[1]", "field(2)[2] u(p) = [2.0 + f(p)/8.0, p[1]];\nfield(2)[] H(p) = (1.0 + 2.0*u(p)[0] + u(p)[0]^2 - u(p)[0]*u(p)[1]) * f(p);"},
	{"function real moved(vec2 p) = F(p + [a, a]); field#1(2)[] G(p) = moved([p[1], p[0]])^2;", "∇G(p)[0]", "-2.0*f([p[1] + a, p[0] + a])*(p[1] + a)", ""},
	// A field at a place that is a formula, but the same everywhere.
	{"field#1(2)[] G(p) = F(p - p + [a + 1.0, 2.0]) * p[0];", "∇G(p)[0]", "f([a + 1.0, 2.0])", ""},
	// Inside: at the place that is asked, and where the field that says which can be asked.
	{"field#1(2)[] G(p) = F(p + [4.0, 0.0]);", "1.0 if inside([1.5, 2.0], G) && !inside([2.5, 2.0], G) else 0.0", "1.0", ""},
	{"field#1(2)[] G(p) = F([F(p), 2.0]);", "1.0 if inside([1.25, 3.0], G) && !inside([3.0, 2.0], G) && !inside([-9.0, 0.0], G) else 0.0", "1.0", ""},
	{"field#1(2)[] G(p) = f([p[0], f(p)]);", "1.0 if inside([1000.0, 0.0], G) else 0.0", "1.0", ""},
}

// TestComposed compares fields that are composed with formulas into which they were put by hand.
func TestComposed(t *testing.T) {
	for _, c := range compositions {
		c.judge(t, 1e-11)
	}
}

// TestComposedDifferences compares derivatives of compositions with differences of what is differentiated.
func TestComposedDifferences(t *testing.T) {
	const fields = `const real h = 0.001;
field#4(2)[] S = c4hexic ⊛ mirror(img);
field#4(2)[2] both(p) = [S(p)/4.0, p[0]*p[1]/3.0];
field#4(2)[] G = sin(S/16.0) ∘ warp ∘ both;
field#4(1)[] L = (c4hexic ⊛ mirror(vol)) ∘ helix;
`
	for _, c := range []composition{
		{fields, "∇G(p)[0]", "(8.0*(G(p + [h, 0.0]) - G(p - [h, 0.0])) - G(p + [2.0*h, 0.0]) + G(p - [2.0*h, 0.0]))/(12.0*h)", ""},
		{fields, "(∇⊗∇G(p))[0,1]", "(8.0*(∇G(p + [0.0, h])[0] - ∇G(p - [0.0, h])[0]) - ∇G(p + [0.0, 2.0*h])[0] + ∇G(p - [0.0, 2.0*h])[0])/(12.0*h)", ""},
		{fields, "(∇⊗∇⊗∇G(p))[1,0,0]", "(8.0*((∇⊗∇G(p + [h, 0.0]))[1,0] - (∇⊗∇G(p - [h, 0.0]))[1,0]) - (∇⊗∇G(p + [2.0*h, 0.0]))[1,0] + (∇⊗∇G(p - [2.0*h, 0.0]))[1,0])/(12.0*h)", ""},
		{fields, "∇∇∇L(t)", "(8.0*(∇∇L(t + h) - ∇∇L(t - h)) - ∇∇L(t + 2.0*h) + ∇∇L(t - 2.0*h))/(12.0*h)", ""},
	} {
		c.judge(t, 1e-7)
	}
}

// judge runs a program that computes both.
func (c composition) judge(t *testing.T, tolerance float64) {
	t.Helper()
	text := composed + c.fields + "\n" + c.besides + `
strand s(int i) {
  vec2 p = [1.5 + 0.2*i, 2.0 + 0.3*i];
  vec3 q = [1.5 + 0.2*i, 2.5, 1.0 + 0.1*i];
  real t = 0.5*i;
  output real got = 0.0;
  output real want = 0.0;
  update { got = ` + c.value + `; want = ` + c.want + `; stabilize; }
}
create_array { s(i) | i in 0..4 }
`
	p := lowered(t, text, lang.Options{Double: true})
	given := strand.Given{Images: map[string]*strand.ImageData{}}
	for _, i := range p.Images {
		given.Images[i.Name] = polynomial(i)
	}
	result, err := strand.Evaluate(context.Background(), p, given, 20, strand.Options{})
	if err != nil {
		t.Errorf("%s: %v", text, err)
		return
	}
	got, wanted := numbersOf(t, result.Outputs[0]), numbersOf(t, result.Outputs[1])
	for n := range got {
		if !(math.Abs(got[n]-wanted[n]) <= tolerance*max(1, math.Abs(wanted[n]))) {
			t.Errorf("%s\nstrand %d: %s is %g, expected %g", c.fields, n, c.value, got[n], wanted[n])
		}
	}
}

func numbersOf(t *testing.T, o *strand.Output) []float64 {
	t.Helper()
	list, err := tensor.ToSlice[float64](o.Data)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
