package field

import (
	"fmt"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// A study is a field of the paper, or of the micro-programs that its compiler was measured with, with its derivatives.
type study struct {
	name  string
	field func(b *builder) *Operator
}

// A builder writes fields with the operators of the language.
type builder struct {
	*Store
	fail func(error)
}

func (b *builder) of(name string, arguments ...*Operator) *Operator {
	return b.numbered(name, nil, arguments...)
}

func (b *builder) numbered(name string, numbers []int, arguments ...*Operator) *Operator {
	var types []Type
	for _, a := range arguments {
		t, err := Verify(a)
		if err != nil {
			b.fail(err)
		}
		if a.Body != nil && t.Kind == TensorParam && name != "probe" {
			t = FieldOf(Smooth, 3, t.Shape...)
		}
		types = append(types, t)
	}
	row, err := b.Generic(name, types, numbers...)
	if err != nil {
		b.fail(fmt.Errorf("%s: %w", name, err))
	}
	o, err := b.Apply(row, arguments...)
	if err != nil {
		b.fail(fmt.Errorf("%s: %w", name, err))
	}
	return o
}

func (b *builder) number(p, q int64) *Operator {
	return b.Operator(nil, b.Unary(Lift, b.Binary(Div, b.Int(p), b.Int(q))))
}

// image is an image of a shape over three dimensions, convolved with c4hexic.
func (b *builder) image(shape ...int) *Operator {
	return b.of("conv", b.Variable(b.Param("V", ImageOf(3, shape...))), b.Variable(b.Param("H", KernelOf(4))))
}

// probe asks a field at x.
func (b *builder) probe(o *Operator) *Operator {
	return b.Operator(o.Shape, b.Probe(o.Body, b.FixedParam("x", TensorOf(3))))
}

// nth is the n-th derivative of a scalar field.
func (b *builder) nth(n int, o *Operator) *Operator {
	for i := range n {
		name := "∇⊗"
		if i == 0 {
			name = "∇"
		}
		o = b.of(name, o)
	}
	return o
}

var studies = []study{
	{"F", func(b *builder) *Operator { return b.image() }},
	{"canny", func(b *builder) *Operator { // −∇|∇F| • ∇F/|∇F|
		g := b.of("∇", b.image())
		return b.of("inner", b.of("neg", b.of("∇", b.of("norm", g))), b.of("div", g, b.of("norm", g)))
	}},
	{"det", func(b *builder) *Operator { return b.of("det", b.of("∇⊗", b.of("∇", b.image()))) }},
	{"det-trig", func(b *builder) *Operator {
		h := b.of("∇⊗", b.of("∇", b.image()))
		return b.of("scale", b.of("sin", b.of("det", h)), b.of("cos", b.of("trace", h)))
	}},
	{"helicity", func(b *builder) *Operator { // (V/|V|) • (∇×V/|∇×V|)
		v := b.image(3)
		c := b.of("∇×", v)
		return b.of("inner", b.of("div", v, b.of("norm", v)), b.of("div", c, b.of("norm", c)))
	}},
	{"curvature", func(b *builder) *Operator { // the larger principal curvature of isosurfaces
		g := b.of("∇", b.image())
		n := b.of("neg", b.of("div", g, b.of("norm", g)))
		p := b.of("sub", b.numbered("identity", []int{3}), b.of("outer", n, n))
		php := b.of("inner", b.of("inner", p, b.of("∇⊗", g)), p)
		k := b.of("div", b.of("neg", php), b.of("norm", g))
		trace, norm := b.of("trace", k), b.of("norm", k)
		root := b.of("sqrt", b.of("sub", b.of("scale", b.number(2, 1), b.of("scale", norm, norm)), b.of("scale", trace, trace)))
		return b.of("scale", b.number(1, 2), b.of("add", trace, root))
	}},
	{"fa", func(b *builder) *Operator { // √(3/2) |E|/|T|
		t := b.image(3, 3)
		return b.of("scale", b.of("sqrt", b.number(3, 2)), b.of("div", b.of("norm", b.deviator(t)), b.of("norm", t)))
	}},
	{"mode", func(b *builder) *Operator { // 3√6 det(E/|E|), E of ∇⊗V
		e := b.deviator(b.of("∇⊗", b.image(3)))
		six := b.of("scale", b.number(3, 1), b.of("sqrt", b.number(6, 1)))
		return b.of("scale", six, b.of("det", b.of("div", e, b.of("norm", e))))
	}},
}

// deviator is T − trace(T) identity/3.
func (b *builder) deviator(t *Operator) *Operator {
	third := b.of("scale", b.number(1, 3), b.of("trace", t))
	return b.of("sub", t, b.of("scale", third, b.numbered("identity", []int{3})))
}

// orders is how often a study can be differentiated with c4hexic: four derivatives, less those that it has.
func (s study) orders(b *builder) int {
	t, err := Verify(s.field(b))
	if err != nil {
		b.fail(err)
	}
	return min(3, t.K)
}

// BenchmarkNormalise is how long the fields of the paper take to normalise, with their first derivatives.
func BenchmarkNormalise(b *testing.B) {
	for _, study := range studies {
		for order := range study.orders(&builder{NewStore(), func(err error) { b.Fatal(err) }}) + 1 {
			b.Run(fmt.Sprintf("%s/%d", study.name, order), func(b *testing.B) {
				for b.Loop() {
					make := &builder{NewStore(), func(err error) { b.Fatal(err) }}
					o := make.probe(make.nth(order, study.field(make)))
					normal, counters, err := make.Normalise(o, NormaliseOptions{})
					if err != nil || !Normal(normal) {
						b.Fatal(err)
					}
					last := counters.Points[len(counters.Points)-1]
					b.ReportMetric(float64(counters.Steps), "steps")
					b.ReportMetric(float64(last.Distinct), "terms")
					b.ReportMetric(last.Tree, "tree")
				}
			})
		}
	}
}

// bound gives every parameter of operators a value by its name.
func bound(real tensor.DType, operators ...*Operator) *Binding {
	b := &Binding{Real: real, Tensors: map[*Param][]ein.Expr{}, Grids: map[*Param]*Grid{}, Kernels: map[*Param]*Kernel{}}
	locals := func(name string, t tensor.DType, count int) (list []ein.Expr) {
		for n := range count {
			list = append(list, &ein.LocalRef{Local: &ein.Local{Name: fmt.Sprint(name, n), DType: t}})
		}
		return list
	}
	for _, o := range operators {
		for _, p := range o.Params {
			switch p.Kind {
			case TensorParam:
				count := 1
				for _, n := range p.Shape {
					count *= n
				}
				b.Tensors[p] = locals(p.Name, real, count)
			case ImageParam:
				b.Grids[p] = &Grid{Matrix: locals(p.Name+"_M", real, p.Dim*p.Dim), Shift: locals(p.Name+"_t", real, p.Dim), Sizes: locals(p.Name+"_n", tensor.Int32, p.Dim)}
			case KernelParam:
				b.Kernels[p] = LookupKernel("c4hexic")
			}
		}
	}
	return b
}

// BenchmarkExpand is how long the normal forms take to expand, and how many operations they come to.
func BenchmarkExpand(b *testing.B) {
	for _, study := range studies {
		for order := range study.orders(&builder{NewStore(), func(err error) { b.Fatal(err) }}) + 1 {
			make := &builder{NewStore(), func(err error) { b.Fatal(err) }}
			normal, _, err := make.Normalise(make.probe(make.nth(order, study.field(make))), NormaliseOptions{})
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%d", study.name, order), func(b *testing.B) {
				for b.Loop() {
					expansion, err := Expand([]*Operator{normal}, bound(tensor.Float32, normal))
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(expansion.Shared), "operations")
					b.ReportMetric(expansion.Trees, "unshared")
				}
			})
		}
	}
}
