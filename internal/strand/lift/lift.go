// Package lift turns what strands compute without noticing each other into functions of ein over a list of points, so that it
// is scheduled, tuned, checked and built like any other def.
package lift

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A block of strand.Stmt that has no loops and no effects is executed with symbols (nodes.go): each assignment is a node, an
// expression over other nodes, and behind an If variables are selections of what its blocks left. Of the nodes, those are
// stored in tensors over the points that several others need, the positions of samples and what is sampled (store.go); all
// other nodes stand inside the expressions of these.
//
// An image V is a tensor V[Z,Y,X,σ], V_directions[d,d], the step in the world along each axis, that of the fastest axis first,
// and V_origin[d]. Their inverse map is computed in float64 and rounded once (image.go). A sample becomes weights, w[a,m,n] of
// sample m on axis a, and sums along one axis after the other, which all numbers of the sample share as far as they are equal
// (sample.go). Outside of an image without a border the weights are NaN, and what is read is inside of it.

// Points says what is computed for each point of a list.
type Points struct {
	Pos       source.Span
	Name      string
	Real, Int tensor.DType
	Given     []*strand.Variable // which have a value for each point
	Common    []*strand.Variable // which have one value for all points
	Images    []*strand.Image
	// Samples are the types of images that are not of the type Real.
	Samples map[*strand.Image]tensor.DType
	Body    strand.Block
	Results []*strand.Variable
}

// A NotPure says why there is no such function.
type NotPure struct {
	Pos  source.Span
	What string
}

func (e *NotPure) Error() string {
	return e.What + " is nothing that a def over a list of points can compute"
}

// Func is the function whose inputs are the images, each with directions and origin, what is common and what is given to each
// point, and whose outputs are the results of each point.
func Func(p *Points) (*ein.Func, error) {
	l := newLifter(p)
	for _, i := range p.Images {
		l.image(i)
	}
	for _, v := range p.Common {
		if err := l.input(v, false); err != nil {
			return nil, err
		}
	}
	l.number = l.size("N", nil, 0)
	for _, v := range p.Given {
		if err := l.input(v, true); err != nil {
			return nil, err
		}
	}
	outputs := make([]*ein.Tensor, len(p.Results))
	for n, v := range p.Results {
		t, err := l.variable(v, ein.Output, true)
		if err != nil {
			return nil, err
		}
		outputs[n] = t
	}
	if err := l.run(p.Body); err != nil {
		return nil, err
	}
	if err := l.write(outputs); err != nil {
		return nil, err
	}
	return l.f, ein.Verify(l.f)
}

func newLifter(p *Points) *lifter {
	return &lifter{p: p, f: &ein.Func{Pos: p.Pos, Name: p.Name}, names: map[string]bool{}, now: map[*ein.Local]*node{}, of: map[*ein.Local]*node{},
		placed: map[string]*ein.Tensor{}}
}

type lifter struct {
	p      *Points
	f      *ein.Func
	names  map[string]bool
	number affine.Expr // of points
	sized  bool        // a tensor has it as its first dimension
	now    map[*ein.Local]*node
	nodes  []*node
	of     map[*ein.Local]*node // nodes by their own locals
	images []*grid
	placed map[string]*ein.Tensor // what is computed of places
}

// unique is a name that no tensor, size or index has.
func (l *lifter) unique(name string) string {
	result := name
	for n := 1; l.names[result]; n++ {
		result = fmt.Sprint(name, "_", n)
	}
	l.names[result] = true
	return result
}

// size declares a size; its tensor may follow.
func (l *lifter) size(name string, t *ein.Tensor, dim int) affine.Expr {
	name = l.unique(name)
	l.f.Sizes = append(l.f.Sizes, &ein.Size{Pos: l.p.Pos, Name: name, Tensor: t, Dim: dim})
	return affine.Symbol(name)
}

func constants(shape []int) []affine.Expr {
	list := make([]affine.Expr, len(shape))
	for n, d := range shape {
		list[n] = affine.Const(int64(d))
	}
	return list
}

// declare adds a tensor.
func (l *lifter) declare(name string, t tensor.DType, role ein.Role, extents ...affine.Expr) *ein.Tensor {
	made := &ein.Tensor{Pos: l.p.Pos, Name: l.unique(name), Type: t, Role: role}
	for _, e := range extents {
		made.Dims = append(made.Dims, ein.Dim{Min: affine.Const(0), Extent: e})
	}
	l.f.Tensors = append(l.f.Tensors, made)
	return made
}

// perPoint declares a tensor with values for each point. Of temporaries points are the last dimension: vectors of points are whole.
func (l *lifter) perPoint(name string, t tensor.DType, role ein.Role, shape ...int) *ein.Tensor {
	extents := append([]affine.Expr{l.number}, constants(shape)...)
	if role == ein.Temp {
		extents = append(extents[1:], l.number)
	}
	made := l.declare(name, t, role, extents...)
	if s := l.f.Sizes; !l.sized && role != ein.Temp {
		for _, z := range s {
			if z.Tensor == nil {
				z.Tensor, l.sized = made, true
			}
		}
	}
	return made
}

// ofPoint are the subscripts of an element that a tensor has for a point.
func ofPoint(t *ein.Tensor, point ein.Expr, element ...ein.Expr) []ein.Expr {
	if t.Role == ein.Temp {
		return append(slices.Clone(element), point)
	}
	return append([]ein.Expr{point}, element...)
}

// shapeOf are the axes of a variable: of sequences the outermost first, then of tensors.
func shapeOf(t strand.Type) []int {
	var shape []int
	for n := len(t.Fixed) - 1; n >= 0; n-- {
		shape = append(shape, t.Fixed[n])
	}
	return append(shape, t.Shape...)
}

// variable declares the tensor of a variable.
func (l *lifter) variable(v *strand.Variable, role ein.Role, perPoint bool) (*ein.Tensor, error) {
	if v.Type.Dynamic || v.Type.Elem > strand.Real {
		return nil, &NotPure{v.Pos, fmt.Sprintf("%s of type %s", v.Name, v.Type)}
	}
	t := [...]tensor.DType{tensor.Bool, l.p.Int, l.p.Real}[v.Type.Elem]
	if perPoint {
		return l.perPoint(v.Name, t, role, shapeOf(v.Type)...), nil
	}
	return l.declare(v.Name, t, role, constants(shapeOf(v.Type))...), nil
}

// input declares a variable that has values from outside.
func (l *lifter) input(v *strand.Variable, perPoint bool) error {
	t, err := l.variable(v, ein.Input, perPoint)
	if err != nil {
		return err
	}
	shape := shapeOf(v.Type)
	for n, part := range v.Parts {
		l.now[part] = l.stored(part.DType, t, perPoint, componentOf(n, shape)...)
	}
	return nil
}

// componentOf are the indices of a part.
func componentOf(n int, shape []int) []int {
	index := make([]int, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		index[axis], n = n%shape[axis], n/shape[axis]
	}
	return index
}
