package field

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// A Binding says what the parameters of operators are in scalar arithmetic.
type Binding struct {
	Real tensor.DType // in which everything is computed
	// Tensors has the components of tensor parameters, row by row; those of positions, too. A literal is taken as the exact
	// number that it is, and an expression that is no local is computed once.
	Tensors map[*Param][]ein.Expr
	Grids   map[*Param]*Grid
	Kernels map[*Param]*Kernel
	// Local makes a local of the type Real; nil numbers them from 1 on in each Expand.
	Local func(name string) *ein.Local
	// Places, if there are any, are used and added to; otherwise each Expand begins with none.
	Places *Places
}

// A Grid is an image as it is probed, with a border: images that differ in their borders are several grids.
type Grid struct {
	// Image is the same for grids that differ in their borders only. It is compared, nothing else; nil is another image each time.
	Image any
	// The place of p in the grid is x = Matrix·p + Shift; Matrix is stored row by row. Both are of the type Real. Sizes, of a
	// type of integers, are how many samples the axes have, in the order of x; only Inside needs them.
	Matrix, Shift, Sizes []ein.Expr
}

// image is what grids of one image have in common.
func (g *Grid) image() any {
	if g.Image == nil {
		return g
	}
	return g.Image
}

// Places are positions in the index spaces of images that were computed before and are still valid where the next Expand
// stands: give it to every Expand of a block, and a Clone to blocks inside of it.
type Places struct{ known map[string][]*ein.Local }

// NewPlaces returns no places.
func NewPlaces() *Places { return &Places{known: map[string][]*ein.Local{}} }

// Clone returns places to which others can be added.
func (p *Places) Clone() *Places {
	q := NewPlaces()
	for k, v := range p.known {
		q.known[k] = v
	}
	return q
}

// An Expansion is what operators become: Stages, then Definitions are computed, in their orders, each from what stands before
// it and from what the operators are bound to.
type Expansion struct {
	Stages      []Stage
	Definitions []Definition
	// Results has the components of each operator, row by row: literals and locals.
	Results [][]ein.Expr
	Operations
}

// Samples are those of all stages.
func (x *Expansion) Samples() (list []*Sample) {
	for _, s := range x.Stages {
		list = append(list, s.Samples...)
	}
	return list
}

// A Stage samples images at Places, which are computed before. There is one, unless a field is composed with what is sampled:
// then the second has places that depend on samples of the first.
type Stage struct {
	Places  []Definition
	Samples []*Sample
}

// Operations counts what is computed by Definitions, and by Places that are computed by more than the map of an image: all calls and all arithmetic, after what is equal was computed once, and
// before: each component of each operator on its own, as a tree.
type Operations struct {
	Shared int
	Trees  float64
}

// A Definition gives a new local its value.
type Definition struct {
	To    *ein.Local
	Value ein.Expr
}

// A Sample reconstructs a function from an image at a place in its index space: components of the voxels, and derivatives of
// them along the axes of the image.
type Sample struct {
	Grid   *Grid
	Kernel *Kernel
	At     []*ein.Local
	Wanted []Wanted // each once
}

// A Wanted is one number of a Sample: a component of the voxel, differentiated along axis a Orders[a] times.
type Wanted struct {
	To     *ein.Local
	Voxel  int
	Orders []int
}
