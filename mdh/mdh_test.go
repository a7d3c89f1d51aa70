package mdh_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/mdh"
	"github.com/ricci-lang/ricci/tensor"
)

var generic = []mdh.TypeParam{{Name: "T", Choices: []mdh.Type{"float32", "float64"}}}

func matvec() mdh.Computation {
	return mdh.Computation{
		Name: "matvec", Types: generic, Sizes: []string{"I", "K"},
		Out: []mdh.Buffer{{Name: "w", Type: "T", Index: mdh.At(0)}},
		Hom: mdh.Hom{Over: mdh.Sizes("I", "K"), F: mdh.Product, Combine: []mdh.Combine{mdh.CC, mdh.PW(mdh.Add)}},
		Inp: []mdh.Buffer{{Name: "M", Type: "T", Index: mdh.At(0, 1)}, {Name: "v", Type: "T", Index: mdh.At(1)}},
	}
}

func Example() {
	program, err := mdh.Program{Name: "linear", Computations: []mdh.Computation{matvec()}}.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	def, err := program.Def("matvec")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _ := tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	v, _ := tensor.FromSlice([]float32{1, 0, 1}, 3)
	results, err := def.Run(context.Background(), map[string]*tensor.Tensor{"M": m, "v": v})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(def)
	fmt.Println(results["w"])
	// Output:
	// matvec(float32(I, K) M, float32(K) v) -> (float32(I) w)
	// [ 4. 10.]
}

// An operator of one's own on records: the best match and where it stands.
func ExampleOperator() {
	match := mdh.Record{Name: "Match", Fields: []mdh.Field{{Name: "weight", Type: "float32"}, {Name: "entry", Type: "int64"}}}
	best := &mdh.Operator{Name: "best", Function: func(l, r []mdh.Expr) []mdh.Expr {
		more := l[0].Field("weight").Gt(r[0].Field("weight"))
		first := l[0].Field("weight").Eq(r[0].Field("weight")).And(l[0].Field("entry").Le(r[0].Field("entry")))
		return []mdh.Expr{mdh.If(more.Or(first), l[0], r[0])}
	}}
	nearest := mdh.Computation{
		Name: "nearest", Sizes: []string{"I", "J"},
		Out: []mdh.Buffer{{Name: "M", Type: "Match", Index: mdh.At(0)}},
		Hom: mdh.Hom{
			Over: mdh.Sizes("I", "J"),
			F: func(in, i []mdh.Expr) []mdh.Expr {
				return []mdh.Expr{mdh.Let("d", in[0].Sub(in[1]), func(d mdh.Expr) mdh.Expr { return match.Make(d.Mul(d).Neg(), i[1]) })}
			},
			Combine: []mdh.Combine{mdh.CC, mdh.PW(best)},
		},
		Inp: []mdh.Buffer{{Name: "x", Type: "float32", Index: mdh.At(0)}, {Name: "y", Type: "float32", Index: mdh.At(1)}},
	}
	p := mdh.Program{Name: "nearest", Records: []mdh.Record{match}, Computations: []mdh.Computation{nearest}}
	fmt.Print(p.Text())
	// Output:
	// record Match { weight: float32, entry: int64 }
	//
	// op best(l, r) = if l.weight > r.weight || l.weight == r.weight && l.entry <= r.entry then l else r
	//
	// nearest<I, J> :=
	//   out_view<Match>(M: (i1, i2) -> (i1)) ∘
	//   md_hom<I, J>((x, y | i1, i2) -> let d = x - y; Match(-(d * d), i2), (++, pw(best))) ∘
	//   inp_view<float32, float32>(x: (i1, i2) -> (i1), y: (i1, i2) -> (i2))
}

// The programs of Figure 16 from Go give the same functions as the files.
func TestSameAsFiles(t *testing.T) {
	moved := func(by ...int64) mdh.IndexFunction {
		return func(i []mdh.Expr) []mdh.Expr {
			list := make([]mdh.Expr, len(by))
			for n, b := range by {
				list[n] = i[n].Add(mdh.Int(b))
			}
			return list
		}
	}
	scalar := func(f func(x mdh.Expr) mdh.Expr) mdh.ScalarFunction {
		return func(in, _ []mdh.Expr) []mdh.Expr { return []mdh.Expr{f(in[0])} }
	}
	add := mdh.PW(mdh.Add)
	cases := []struct {
		file, indices string
		c             mdh.Computation
	}{
		{"linear_algebra", "i k", matvec()},
		{"linear_algebra", "k", mdh.Computation{
			Name: "strided_dot", Types: generic, Sizes: []string{"K"},
			Out: []mdh.Buffer{{Name: "C", Type: "T", Index: mdh.At()}},
			Hom: mdh.Hom{Over: mdh.Sizes("K"), F: mdh.Product, Combine: []mdh.Combine{add}},
			Inp: []mdh.Buffer{{Name: "A", Type: "T", Index: []mdh.IndexFunction{even}}, {Name: "B", Type: "T", Index: []mdh.IndexFunction{even}}},
		}},
		{"convolution", "p q r s", mdh.Computation{
			Name: "conv2d", Types: generic, Sizes: []string{"P", "Q", "R", "S"},
			Out: []mdh.Buffer{{Name: "O", Type: "T", Index: mdh.At(0, 1)}},
			Hom: mdh.Hom{Over: mdh.Sizes("P", "Q", "R", "S"), F: mdh.Product, Combine: []mdh.Combine{mdh.CC, mdh.CC, add, add}},
			Inp: []mdh.Buffer{
				{Name: "I", Type: "T", Index: []mdh.IndexFunction{func(i []mdh.Expr) []mdh.Expr { return []mdh.Expr{i[0].Add(i[2]), i[1].Add(i[3])} }}},
				{Name: "F", Type: "T", Index: mdh.At(2, 3)}},
		}},
		{"stencil", "i", mdh.Computation{
			Name: "jacobi1d", Types: generic, Sizes: []string{"N"},
			Out: []mdh.Buffer{{Name: "O", Type: "T", Index: mdh.At(0)}},
			Hom: mdh.Hom{Over: mdh.Sizes("N"), Combine: []mdh.Combine{mdh.CC}, F: scalar(func(x mdh.Expr) mdh.Expr {
				return mdh.Float(0.3333333).Mul(x.Access(1).Add(x.Access(2)).Add(x.Access(3)))
			})},
			Inp: []mdh.Buffer{{Name: "I", Type: "T", Index: []mdh.IndexFunction{moved(0), moved(1), moved(2)}}},
		}},
		{"scan", "i j", mdh.Computation{
			Name: "mbbs", Types: generic, Sizes: []string{"I", "J"},
			Out: []mdh.Buffer{{Name: "Out", Type: "T", Index: mdh.At(0)}},
			Hom: mdh.Hom{Over: mdh.Sizes("I", "J"), F: mdh.Identity, Combine: []mdh.Combine{mdh.PS(mdh.Add), add}},
			Inp: []mdh.Buffer{{Name: "A", Type: "T", Index: mdh.At(0, 1)}},
		}},
		{"map_reduce", "i", mdh.Computation{
			Name: "double_reduce", Types: generic, Sizes: []string{"N"},
			Out: []mdh.Buffer{{Name: "O1", Type: "T", Index: mdh.At()}, {Name: "O2", Type: "T", Index: mdh.At()}},
			Hom: mdh.Hom{Over: mdh.Sizes("N"), F: func(in, _ []mdh.Expr) []mdh.Expr { return []mdh.Expr{in[0], in[0]} },
				Combine: []mdh.Combine{mdh.PW(mdh.Each(mdh.Add, mdh.Max))}},
			Inp: []mdh.Buffer{{Name: "I", Type: "T", Index: mdh.At(0)}},
		}},
		{"map_reduce", "i", mdh.Computation{
			Name: "spread", Sizes: []string{"N"},
			Out: []mdh.Buffer{{Name: "O", Type: "float32", Index: []mdh.IndexFunction{even}, Fill: mdh.Int(0)}},
			Hom: mdh.Hom{Over: mdh.Sizes("N"), F: mdh.Identity, Combine: []mdh.Combine{mdh.CC}},
			Inp: []mdh.Buffer{{Name: "I", Type: "float32", Index: mdh.At(0)}},
		}},
		{"mandelbrot", "i j", mandelbrot()},
	}
	for _, c := range cases {
		t.Run(c.c.Name, func(t *testing.T) {
			c.c.Hom.Indices = strings.Fields(c.indices)
			program, err := mdh.Program{Name: "built", Computations: []mdh.Computation{c.c}}.Compile()
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile("../examples/mdh/" + c.file + ".mdh")
			if err != nil {
				t.Fatal(err)
			}
			written, err := ricci.Parse(c.file+".mdh", string(text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(einOf(t, written, c.c.Name), einOf(t, program, c.c.Name)); diff != "" {
				t.Errorf("(-file +built)\n%s", diff)
			}
		})
	}
}

func even(i []mdh.Expr) []mdh.Expr { return []mdh.Expr{mdh.Int(2).Mul(i[0])} }

func mandelbrot() mdh.Computation {
	t := mdh.Type("T")
	axis := func(from, length float64, i, n mdh.Expr) mdh.Expr {
		return t.Convert(mdh.Float(from)).Add(mdh.Float(length).Mul(t.Convert(i).Add(mdh.Float(0.5))).Div(t.Convert(n)))
	}
	escape := func(re, im mdh.Expr) mdh.Expr {
		state := []mdh.State{{Name: "x", Type: "T", From: mdh.Int(0)}, {Name: "y", Type: "T", From: mdh.Int(0)}, {Name: "n", Type: "int32", From: mdh.Int(0)}}
		return mdh.Iterate(32, state,
			func(s []mdh.Expr) mdh.Expr { return s[0].Mul(s[0]).Add(s[1].Mul(s[1])).Le(mdh.Int(4)) },
			func(s []mdh.Expr) []mdh.Expr {
				return []mdh.Expr{s[0].Mul(s[0]).Sub(s[1].Mul(s[1])).Add(re), mdh.Int(2).Mul(s[0]).Mul(s[1]).Add(im), s[2].Add(mdh.Int(1))}
			},
			func(s []mdh.Expr) mdh.Expr { return s[2] })
	}
	return mdh.Computation{
		Name: "mandelbrot", Types: generic, Sizes: []string{"H", "W"},
		Out: []mdh.Buffer{{Name: "O", Type: "int32", Index: mdh.At(0, 1)}},
		Hom: mdh.Hom{Over: mdh.Sizes("H", "W"), Combine: []mdh.Combine{mdh.CC, mdh.CC}, F: func(_, i []mdh.Expr) []mdh.Expr {
			return []mdh.Expr{mdh.Let("re", axis(-2.25, 3, i[1], mdh.Size("W")), func(re mdh.Expr) mdh.Expr {
				return mdh.Let("im", axis(-1.25, 2.5, i[0], mdh.Size("H")), func(im mdh.Expr) mdh.Expr { return escape(re, im) })
			})}
		}},
	}
}

// einOf returns the function of ein.
func einOf(t *testing.T, program *ricci.Program, name string) string {
	t.Helper()
	def, err := program.Def(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := def.Stage(context.Background(), ricci.StageEin, nil, ricci.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Infinities and NaN have names in the text.
func TestFloatsWithoutDigits(t *testing.T) {
	c := matvec()
	c.Hom.F = func(in, _ []mdh.Expr) []mdh.Expr {
		return []mdh.Expr{in[0].Mul(in[1]).Add(mdh.Float(math.Inf(-1))).Add(mdh.Float(math.Inf(1))).Sub(mdh.Float(math.NaN()))}
	}
	program, err := mdh.Program{Name: "limits", Computations: []mdh.Computation{c}}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if text := einOf(t, program, c.Name); !strings.Contains(text, "-inf_f32 + inf_f32 - nan_f32") {
		t.Error(text)
	}
}

// What an operator states about its laws comes into the text, all of it at once.
func TestStatedLaws(t *testing.T) {
	sum := func(l, r []mdh.Expr) []mdh.Expr { return []mdh.Expr{mdh.Call("fmin", l[0].Add(r[0]), mdh.Float(5))} }
	c := matvec()
	c.Hom.Combine[1] = mdh.PW(&mdh.Operator{
		Name: "saturated", Function: sum, Identity: []mdh.Expr{mdh.Float(0)}, AssumeAssociative: true, AssumeCommutative: true, AssumeNeutral: true,
	})
	p := mdh.Program{Name: "stated", Computations: []mdh.Computation{c}}
	if !strings.Contains(p.Text(), "assume associative, commutative, neutral") {
		t.Error(p.Text())
	}
	if _, err := p.Compile(); err != nil {
		t.Error(err)
	}
}

// Mistakes are the diagnostics of the text, also where Go values are missing.
func TestErrors(t *testing.T) {
	change := func(f func(c *mdh.Computation)) mdh.Computation {
		c := matvec()
		f(&c)
		return c
	}
	cases := []struct {
		c    mdh.Computation
		code string
	}{
		{mdh.Computation{}, "E1001"},
		{change(func(c *mdh.Computation) { c.Hom.F = nil }), "E1001"},
		{change(func(c *mdh.Computation) { c.Hom.Combine[1] = mdh.PW(nil) }), "E1001"},
		{change(func(c *mdh.Computation) { c.Hom.Combine[1] = mdh.CC }), "E1009"},
		{change(func(c *mdh.Computation) { c.Hom.Combine = c.Hom.Combine[1:] }), "E1005"},
		{change(func(c *mdh.Computation) { c.Name = "for each" }), "E1001"},
		{change(func(c *mdh.Computation) { c.Inp[1].Index = mdh.At(7) }), "E1002"},
		{change(func(c *mdh.Computation) { c.Inp[0].Extents = mdh.Sizes("I") }), "E1005"},
		{change(func(c *mdh.Computation) {
			c.Hom.Combine[1] = mdh.PW(&mdh.Operator{Name: "minus", Function: func(l, r []mdh.Expr) []mdh.Expr { return []mdh.Expr{l[0].Sub(r[0])} }})
		}), "E1011"},
	}
	for n, c := range cases {
		_, err := mdh.Program{Name: "wrong", Computations: []mdh.Computation{c.c}}.Compile()
		var d *ricci.Diagnostic
		if !errors.As(err, &d) || string(d.Code) != c.code {
			t.Errorf("case %d: got %v, expected %s", n, err, c.code)
		}
	}
}

// TestNumbers: a step takes numbers for inputs without dimensions.
func TestNumbers(t *testing.T) {
	scaled := mdh.Computation{
		Name: "scaled", Sizes: []string{"N"},
		Out: []mdh.Buffer{{Name: "y", Type: "float64", Index: mdh.At(0)}},
		Hom: mdh.Hom{Over: mdh.Sizes("N"), F: mdh.Product, Combine: []mdh.Combine{mdh.CC}},
		Inp: []mdh.Buffer{{Name: "a", Type: "float64", Index: mdh.At()}, {Name: "x", Type: "float64", Index: mdh.At(0)}},
	}
	both := mdh.Composition{
		Name: "both", Sizes: []string{"N"}, Inputs: []mdh.Buffer{{Name: "x", Type: "float64", Extents: mdh.Sizes("N")}}, Outputs: []string{"z"},
		Steps: []mdh.Step{{Results: []string{"y"}, Apply: "scaled", Buffers: []string{"-0.5", "x"}}, {Results: []string{"z"}, Apply: "scaled", Buffers: []string{"float64(2 * N)", "y"}}},
	}
	program, err := mdh.Program{Name: "numbers", Computations: []mdh.Computation{scaled}, Compositions: []mdh.Composition{both}}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	def, err := program.Def("both")
	if err != nil {
		t.Fatal(err)
	}
	x, err := tensor.FromSlice([]float64{1, 2, 3}, 3)
	if err != nil {
		t.Fatal(err)
	}
	results, err := def.Run(context.Background(), map[string]*tensor.Tensor{"x": x})
	if err != nil || fmt.Sprint(results["z"]) != "[-3. -6. -9.]" {
		t.Errorf("%v: %v", err, results["z"])
	}
}
