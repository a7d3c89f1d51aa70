package lift_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/lift"
	"github.com/ricci-lang/ricci/tensor"
)

// program is a strand that computes something of its input, once. It has all that can be lifted.
func program(dim int, border string, k *field.Kernel) string {
	var pieces []string
	for _, piece := range k.Pieces {
		var words []string
		for _, c := range piece {
			words = append(words, c.RatString())
		}
		pieces = append(pieces, strings.Join(words, ", "))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "strand probe real float64 int int32 {\n  image img: %d [2]\n  kernel %s %d { %s }\n  input at: real[4]\n  input c: real\n  temp e: real\n  param k: int\n", dim, k.Name, k.Support, strings.Join(pieces, " | "))
	b.WriteString("  output v: real{2}\n  output d: real[3]\n  output big: bool\n  output width: int\n  temp x: real[3]\n  temp n: int\n  create array for n = 0i32 to 0i32 new (n)\n")
	b.WriteString("  begin {\n    v.0 = 0f64\n    v.1 = 0f64\n    d.0 = 0f64\n    d.1 = 0f64\n    d.2 = 0f64\n    big = false\n    width = 0i32\n  }\n  update {\n")
	var at, zero []string
	for a := range dim {
		at, zero = append(at, fmt.Sprint("x.", a)), append(zero, "0")
		fmt.Fprintf(&b, "    x.%d = img.shift.%d", a, a)
		for c := range dim {
			fmt.Fprintf(&b, " + img.matrix.%d * at.%d", a*dim+c, c)
		}
		b.WriteString("\n")
	}
	orders := func(axis, order int) string {
		list := append([]string{}, zero...)
		list[axis] = fmt.Sprint(order)
		return strings.Join(list, ", ")
	}
	fmt.Fprintf(&b, "    sample img %s %s at (%s) {\n      v.0 = 0 [%s]\n      v.1 = 1 [%s]\n      d.0 = 1 [%s]\n      d.1 = 0 [%s]\n    }\n", border, k.Name, strings.Join(at, ", "),
		strings.Join(zero, ", "), strings.Join(zero, ", "), orders(0, 1), orders(dim-1, 2))
	b.WriteString("    v.0 = v.0 * v.0 + at.3\n    big = v.0 > d.0 * d.0\n    if big {\n      d.2 = v.0 * v.1\n      d.0 = d.1 * v.0\n    } else {\n      d.2 = exp(v.1) - v.0\n    }\n")
	b.WriteString("    e = exp(c) + c\n    d.1 = d.1 * e\n    d.2 = d.2 + e\n    width = img.size.0\n    stabilize\n  }\n}\n")
	return b.String()
}

// TestLift: strands and the function over their inputs compute the same, for images in any orientation, all borders and
// kernels; outside of an image that has no border the function has no number.
func TestLift(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 30))
	for n, k := range field.Kernels()[:5] {
		for m, border := range []string{"inside", "clamp", "mirror", "wrap", "constant (c, at.3)"} {
			dim := 1 + (n+m)%3
			text := program(dim, border, k)
			p, err := strand.Parse(source.NewFile("program", text))
			if err != nil {
				t.Fatal(text, err)
			}
			f, err := lift.Func(points(p))
			if err != nil {
				t.Fatal(err)
			}
			data := draw(random, dim)
			list := make([]float64, 4*40)
			for n := range list {
				list[n] = 3*random.Float64() - 1.5
			}
			args, sizes := arguments(data, list)
			outputs, err := ein.Evaluate(f, args, ein.EvalOptions{Sizes: sizes})
			if err != nil {
				t.Fatal(err)
			}
			inside := 0
			for n := range len(list) / 4 {
				given := strand.Given{Images: map[string]*strand.ImageData{"img": data}, Inputs: map[string]strand.Value{"at": reals(list[4*n : 4*n+4]), "c": reals([]float64{0.5})}}
				result, err := strand.Evaluate(context.Background(), p, given, 0, strand.Options{})
				if err != nil && border == "inside" {
					if v := outputs["v"].Float(n, 0); !math.IsNaN(v) {
						t.Errorf("%s, %s: outside it is %g", k.Name, border, v)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				inside++
				for _, o := range result.Outputs {
					compare(t, fmt.Sprint(k.Name, " ", border, " ", dim, " ", o.Name), n, outputs[o.Name], o)
				}
			}
			if inside < 5 {
				t.Errorf("%s, %s: %d points are inside", k.Name, border, inside)
			}
		}
	}
}

// points are what a program computes, for a list of inputs.
func points(p *strand.Program) *lift.Points {
	q := &lift.Points{Name: p.Name, Real: p.Real, Int: p.Int, Images: p.Images, Given: p.ByRole(strand.Input)[:1], Common: p.ByRole(strand.Input)[1:], Results: p.Outputs()}
	q.Body = p.Update[:len(p.Update)-1] // without stabilize
	return q
}

func draw(random *rand.Rand, dim int) *strand.ImageData {
	data := &strand.ImageData{Components: 2}
	total := 2
	for range dim {
		data.Sizes = append(data.Sizes, 11+random.IntN(3))
		total *= data.Sizes[len(data.Sizes)-1]
		data.Origin = append(data.Origin, -2.5-random.Float64())
	}
	for n := range dim * dim {
		d := 0.2 * (random.Float64() - 0.5)
		if n%(dim+1) == 0 {
			d += 0.5
		}
		data.Directions = append(data.Directions, d)
	}
	for range total {
		data.Samples = append(data.Samples, random.Float64())
	}
	return data
}

func reals(list []float64) strand.Value {
	var v strand.Value
	for _, x := range list {
		v.Numbers = append(v.Numbers, ein.Number{Float: x})
	}
	return v
}

func array(list []float64, shape ...int) *tensor.Tensor {
	t, err := tensor.FromSlice(list, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

// arguments are those of the function: directions are rows there, and the slowest axis is first.
func arguments(data *strand.ImageData, list []float64) (map[string]*tensor.Tensor, map[string]int64) {
	dim := len(data.Sizes)
	var rows []float64
	shape := []int{data.Components}
	sizes := map[string]int64{"N": int64(len(list) / 4)}
	for a := range dim {
		for b := range dim {
			rows = append(rows, data.Directions[b*dim+a])
		}
		shape = append([]int{data.Sizes[a]}, shape...)
		sizes["img_"+string("XYZ"[a])] = int64(data.Sizes[a])
	}
	return map[string]*tensor.Tensor{"img": array(data.Samples, shape...), "img_directions": array(rows, dim, dim), "img_origin": array(data.Origin, dim),
		"at": array(list, len(list)/4, 4), "c": array([]float64{0.5})}, sizes
}

// compare compares the values of point n with those of a strand.
func compare(t *testing.T, what string, n int, got *tensor.Tensor, want *strand.Output) {
	t.Helper()
	number := func(x *tensor.Tensor, k int) float64 {
		if x.DType().IsFloat() {
			return x.FloatAt(k)
		}
		return float64(x.IntAt(k))
	}
	width := want.Data.Len()
	for k := range width {
		g, w := number(got, n*width+k), number(want.Data, k)
		if !(math.Abs(g-w) <= 1e-12*max(1, math.Abs(w))) {
			t.Errorf("%s: number %d of point %d is %g, of its strand %g", what, k, n, g, w)
		}
	}
}

// TestNotPure: what takes a loop, or is no number, is said to be none of a list of points.
func TestNotPure(t *testing.T) {
	for _, c := range []struct{ statement, want string }{
		{"for n = 0i32 to 3i32 {\n    }\n", "a loop is nothing"},
		{"print (n)\n", "print is nothing"},
	} {
		text := strings.Replace(program(1, "inside", field.LookupKernel("tent")), "    stabilize\n", "    "+c.statement+"    stabilize\n", 1)
		p, err := strand.Parse(source.NewFile("program", text))
		if err != nil {
			t.Fatal(text, err)
		}
		var not *lift.NotPure
		if _, err := lift.Func(points(p)); !errors.As(err, &not) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.statement, err)
		}
	}
}
