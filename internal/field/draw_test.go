package field_test

import (
	"fmt"
	"math/big"

	"github.com/ricci-lang/ricci/internal/field"
)

// A drawer draws fields over a space.
type drawer struct {
	*world
	leaves []*field.Operator
}

// kernels are exact for polynomials up to a degree.
var kernels = []struct {
	name   string
	degree int
}{{"tent", 1}, {"ctmr", 2}, {"c4hexic", 3}, {"bspln3", 1}, {"bspln5", 1}}

// fields makes images, the fields that are reconstructed from them and derivatives of these.
func (w *world) fields() *drawer {
	d := &drawer{world: w}
	for n, shape := range [][]int{{}, {max(2, w.dim)}} {
		k := kernels[w.random.IntN(len(kernels))]
		v, h := w.image(fmt.Sprint("V", n), k.name, k.degree, shape...)
		for order := 0; order <= 2; order++ {
			var beta []field.Index
			all := shape
			for range order {
				if w.dim == 1 {
					beta = append(beta, field.At(0))
				} else {
					beta = append(beta, field.Axis(len(all), w.dim))
					all = append(all[:len(all):len(all)], w.dim)
				}
			}
			d.leaves = append(d.leaves, w.store.Operator(all, w.store.Conv(v, h, field.Axes(0, shape), beta)))
		}
	}
	position := w.store.Operator([]int{w.dim}, w.store.Position(w.dim, field.Axis(0, w.dim)))
	if w.dim == 1 {
		position = w.store.Operator(nil, w.store.Position(1, field.At(0)))
	}
	d.leaves = append(d.leaves, position)
	for n, shape := range [][]int{{}, {3}, {w.dim}, {2, 2}, {3, 3}} {
		p := w.store.Param(fmt.Sprint("T", n), field.TensorOf(shape...))
		var list []*big.Rat
		for range size(shape) {
			list = append(list, w.number(2))
		}
		w.tensor(p, list)
		d.leaves = append(d.leaves, w.store.Variable(p))
	}
	d.leaves = append(d.leaves, d.composed("W"), d.composed("X"))
	return d
}

// composed is the field of an image over any space at places that are affine, quadratic, or values of the first image. The
// image lies around the place where it is asked.
func (d *drawer) composed(name string) *field.Operator {
	var place []*field.Term
	var at []*big.Rat
	coordinate := func() *field.Term { return d.store.Position(d.dim, field.At(d.random.IntN(d.dim))) }
	for range 1 + d.random.IntN(3) {
		lifted := d.store.Unary(field.Lift, d.store.Component(d.store.Param("T0", field.TensorOf())))
		g := []*field.Term{
			d.store.Add(d.store.Mul(d.store.Int(d.random.Int64N(5)-2), coordinate()), lifted),
			d.store.Add(d.store.Mul(coordinate(), coordinate()), d.store.Unary(field.Neg, coordinate())),
			d.store.Add(d.leaves[0].Body, coordinate()),
		}[d.random.IntN(3)]
		v, err := field.Evaluate(field.Exact{}, d.world, d.store.Operator(nil, d.store.Probe(g, d.position)))
		if err != nil {
			d.t.Fatal(err)
		}
		place, at = append(place, g), append(at, v)
	}
	k := kernels[d.random.IntN(len(kernels))]
	shape := [][]int{nil, {2}}[d.random.IntN(2)]
	v, h := d.imageAround(at, name, k.name, k.degree, shape...)
	return d.store.Operator(shape, d.store.Compose(d.store.Conv(v, h, field.Axes(0, shape), nil), place...))
}

// draw applies operators to fields and tensors. Most do not fit what is drawn; then others are tried.
func (d *drawer) draw(depth int) *field.Operator {
	for {
		if depth == 0 {
			return d.leaves[d.random.IntN(len(d.leaves))]
		}
		row := generics[d.random.IntN(len(generics))]
		var types []field.Type
		var operands []*field.Operator
		for range row.operands {
			o := d.draw(d.random.IntN(depth))
			t, err := field.Verify(o)
			if err != nil {
				d.t.Fatal(err)
			}
			types, operands = append(types, t), append(operands, o)
		}
		var numbers []int
		if row.name == "power" {
			numbers = []int{d.random.IntN(6) - 2}
		}
		g, err := d.store.Generic(row.name, types, numbers...)
		if err != nil {
			continue
		}
		if o, err := d.store.Apply(g, operands...); err == nil && size(o.Shape) <= 81 {
			return o
		}
	}
}

var generics = []struct {
	name     string
	operands int
}{{"add", 2}, {"sub", 2}, {"neg", 1}, {"scale", 2}, {"div", 2}, {"modulate", 2}, {"power", 1}, {"lerp", 3}, {"outer", 2}, {"inner", 2}, {"colon", 2},
	{"cross", 2}, {"norm", 1}, {"normalize", 1}, {"trace", 1}, {"transpose", 1}, {"det", 1}, {"inv", 1}, {"construct", 2}, {"exp", 1}, {"sin", 1}, {"cos", 1}, {"atan", 1}, {"∇", 1}, {"∇⊗", 1},
	{"∇•", 1}, {"∇×", 1}}

// probed is the value of a field at the position, that of a tensor anywhere.
func (w *world) probed(o *field.Operator) *field.Operator {
	t, err := field.Verify(o)
	if err != nil {
		w.t.Fatal(err)
	}
	if t.Kind == field.TensorParam {
		return o
	}
	return w.store.Operator(o.Shape, w.store.Probe(o.Body, w.position))
}
