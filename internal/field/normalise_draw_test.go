package field

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// A drawer draws field expressions over polynomial images, closed forms and tensors by the generic operators.
type drawer struct {
	*Store
	random *rand.Rand
	dim    int
	exact  bool // values are rational: roots of squares only, and no other functions
	used   int  // derivatives

	composed int // compositions around what is drawn

	productions map[string]production
	names       []string
}

// A production makes an expression of a shape; nil where it cannot.
type production func(d *drawer, depth int, shape []int) *Operator

func newDrawer(seed uint64, exact bool) *drawer {
	random := rand.New(rand.NewPCG(seed, 30))
	names := slices.Sorted(maps.Keys(allProductions))
	names = append(names, "∇", "∇⊗", "∇•", "∇×") // twice as often
	if !exact {
		names = append(names, "function", "function", "function", "function")
	}
	return &drawer{Store: NewStore(), random: random, dim: 1 + random.IntN(3), exact: exact, productions: allProductions, names: names}
}

func (d *drawer) size() int { return 2 + d.random.IntN(2) }

// draw returns a field of a shape.
func (d *drawer) draw(depth int, shape []int) *Operator {
	if depth <= 0 || len(shape) > 3 || d.random.IntN(12) == 0 {
		return d.leaf(shape)
	}
	for {
		used := d.used
		if o := d.productions[d.names[d.random.IntN(len(d.names))]](d, depth-1, shape); o != nil {
			d.used = used
			return o
		}
		d.used = used
	}
}

// derived draws what is differentiated: at most three times.
func (d *drawer) derived(name string, depth int, shape []int) *Operator {
	if d.used >= 3 {
		return nil
	}
	d.used++
	return d.of(name, d.draw(depth, shape))
}

func (d *drawer) leaf(shape []int) *Operator {
	field := FieldOf(6, d.dim, shape...)
	switch d.random.IntN(6) {
	case 0:
		return d.Variable(d.Param(fmt.Sprintf("F%d%d", len(shape), d.random.IntN(3)), field))
	case 1:
		if len(shape) == 1 && shape[0] == d.dim || len(shape) == 0 && d.dim == 1 {
			i := append(Axes(0, shape), At(0))[0]
			return d.Operator(shape, d.Position(d.dim, i))
		}
	case 2:
		t := d.Variable(d.Param(fmt.Sprintf("T%d%d", len(shape), d.random.IntN(2)), TensorOf(shape...)))
		return d.Operator(shape, d.Unary(Lift, t.Body))
	}
	image := d.Variable(d.Param(fmt.Sprintf("V%d%d", len(shape), d.random.IntN(3)), ImageOf(d.dim, shape...)))
	return d.of("conv", image, d.Variable(d.Param("H", KernelOf(6))))
}

// coordinate draws what a field is composed with, over a space of a dimension: affine, quadratic, or anything.
func (d *drawer) coordinate(depth, dim int) *Term {
	inner := d.dim
	defer func() { d.dim = inner }()
	d.dim = dim
	position := func() *Term { return d.Position(dim, At(d.random.IntN(dim))) }
	switch d.random.IntN(3) {
	case 0:
		return d.Add(d.Mul(d.Int(d.random.Int64N(5)-2), position()), d.Unary(Lift, d.Component(d.Param("T00", TensorOf()))))
	case 1:
		return d.Sub(d.Mul(position(), position()), position())
	}
	return d.draw(depth, nil).Body
}

// pythagorean is a vector field with a rational norm: a field times a vector of integers.
func (d *drawer) pythagorean(depth, size int) *Operator {
	if !d.exact {
		return d.draw(depth, []int{size})
	}
	numbers := [][]int64{{3, 4}, {2, 3, 6}}[size-2]
	var parts []*Operator
	for _, n := range numbers {
		parts = append(parts, d.Operator(nil, d.Unary(Lift, d.Int(n))))
	}
	return d.of("scale", d.draw(depth, nil), d.of("construct", parts...))
}

func (d *drawer) of(name string, arguments ...*Operator) *Operator {
	return d.numbered(name, nil, arguments...)
}

// numbered applies a row to operators.
func (d *drawer) numbered(name string, numbers []int, arguments ...*Operator) *Operator {
	var types []Type
	for _, a := range arguments {
		t, err := Verify(a)
		if err != nil {
			panic(err)
		}
		if t.Kind == FieldParam || a.Body != nil && name != "probe" && t.Kind == TensorParam && a.Body.Op != Tensor {
			t = FieldOf(t.K, d.dim, t.Shape...) // constants are fields, too
			if t.K == 0 {
				t.K = Smooth
			}
		}
		types = append(types, t)
	}
	row, err := d.Generic(name, types, numbers...)
	if err != nil {
		panic(fmt.Sprintf("%s of %v: %v", name, types, err))
	}
	o, err := d.Apply(row, arguments...)
	if err != nil {
		panic(fmt.Sprintf("%s of %v: %v", name, arguments, err))
	}
	return o
}

// probed draws a field and asks it at a point x.
func (d *drawer) probed(depth int) *Operator {
	shapes := [][]int{nil, nil, {2}, {3}, {d.size(), d.size()}, {d.dim}}
	if d.dim == 1 {
		shapes = shapes[:5]
	}
	o := d.draw(depth, shapes[d.random.IntN(len(shapes))])
	return d.Operator(o.Shape, d.Probe(o.Body, d.at()))
}

func (d *drawer) at() *Param {
	if d.dim == 1 {
		return d.FixedParam("x", TensorOf())
	}
	return d.FixedParam("x", TensorOf(d.dim))
}
