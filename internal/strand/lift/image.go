package lift

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// A grid is an image and its tensor.
type grid struct {
	*strand.Image
	tensor *ein.Tensor
	sizes  []affine.Expr // of the axes, the fastest first
}

var axisNames = [...]string{"X", "Y", "Z"}

// image declares an image with its place, and computes the map to its index space.
func (l *lifter) image(i *strand.Image) {
	t, ok := l.p.Samples[i]
	if !ok {
		t = l.p.Real
	}
	g := &grid{Image: i}
	extents := make([]affine.Expr, i.Dim)
	first := len(l.f.Sizes)
	for a := range i.Dim {
		g.sizes = append(g.sizes, l.size(i.Name+"_"+axisNames[a], nil, i.Dim-1-a))
		extents[i.Dim-1-a] = g.sizes[a]
	}
	g.tensor = l.declare(i.Name, t, ein.Input, append(extents, constants(i.Shape)...)...)
	for _, z := range l.f.Sizes[first:] {
		z.Tensor = g.tensor
	}
	dim := affine.Const(int64(i.Dim))
	directions := l.declare(i.Name+"_directions", l.p.Real, ein.Input, dim, dim)
	origin := l.declare(i.Name+"_origin", l.p.Real, ein.Input, dim)
	l.images = append(l.images, g)
	matrix, shift := l.inverse(g, directions, origin)
	for a := range i.Dim {
		for b := range i.Dim {
			l.now[i.Matrix[a*i.Dim+b]] = l.stored(l.p.Real, matrix, false, a, b)
		}
		l.now[i.Shift[a]] = l.stored(l.p.Real, shift, false, a)
		size := &ein.Cast{Pos: l.p.Pos, To: l.p.Int, X: &ein.SizeRef{Pos: l.p.Pos, Size: g.sizes[a]}}
		l.now[i.Sizes[a]] = l.add(&node{size: size}, l.p.Int)
	}
}

// inverse computes the map from the world to the index space of an image: x = matrix·p + shift. Directions has the columns of
// the matrix that is inverted as its rows; cofactors of two and three dimensions are those of rows and columns that follow,
// in turns. It is done in float64, and rounded once.
func (l *lifter) inverse(g *grid, directions, origin *ein.Tensor) (matrix, shift *ein.Tensor) {
	d := g.Dim
	dim := affine.Const(int64(d))
	wide := l.declare(g.Name+"_inverse", tensor.Float64, ein.Temp, dim, dim)
	a, b := l.index("a", dim), l.index("b", dim)
	at := func(row, column ein.Expr) ein.Expr { return l.double(directions, row, column) }
	turn := func(i *ein.Index, by int) ein.Expr { // i + by, from the beginning behind the end
		next := binary(ein.Add, ref(i), whole(by))
		return &ein.Select{Cond: binary(ein.Ge, next, whole(d)), Then: binary(ein.Sub, next, whole(d)), Else: next}
	}
	cross := func(row, column func(by int) ein.Expr) ein.Expr {
		return binary(ein.Sub, binary(ein.Mul, at(row(1), column(1)), at(row(2), column(2))), binary(ein.Mul, at(row(1), column(2)), at(row(2), column(1))))
	}
	var value ein.Expr
	switch d {
	case 1:
		value = binary(ein.Div, ein.FloatConst(tensor.Float64, 1), at(whole(0), whole(0)))
	case 2:
		minor := at(binary(ein.Sub, whole(1), ref(a)), binary(ein.Sub, whole(1), ref(b)))
		sign := &ein.Select{Cond: binary(ein.Eq, ref(a), ref(b)), Then: minor, Else: &ein.Unary{Op: ein.Neg, X: minor}}
		value = binary(ein.Div, sign, binary(ein.Sub, binary(ein.Mul, at(whole(0), whole(0)), at(whole(1), whole(1))),
			binary(ein.Mul, at(whole(0), whole(1)), at(whole(1), whole(0)))))
	default:
		var det ein.Expr
		for column := range 3 {
			term := binary(ein.Mul, at(whole(0), whole(column)), cross(func(by int) ein.Expr { return whole(by) },
				func(by int) ein.Expr { return whole((column + by) % 3) }))
			if det == nil {
				det = term
			} else {
				det = binary(ein.Add, det, term)
			}
		}
		value = binary(ein.Div, cross(func(by int) ein.Expr { return turn(a, by) }, func(by int) ein.Expr { return turn(b, by) }), det)
	}
	l.statement([]*ein.Index{a, b}, wide, value, ref(a), ref(b))

	wideShift := l.declare(g.Name+"_start", tensor.Float64, ein.Temp, dim)
	c := l.summed("b", d, tensor.Float64)
	product := binary(ein.Mul, &ein.Access{Tensor: wide, Subscripts: []ein.Expr{ref(a), ref(c)}}, l.double(origin, ref(c)))
	l.statement([]*ein.Index{a, c}, wideShift, &ein.Unary{Op: ein.Neg, X: product}, ref(a))
	if l.p.Real == tensor.Float64 {
		return wide, wideShift
	}
	matrix = l.declare(g.Name+"_matrix", l.p.Real, ein.Temp, dim, dim)
	shift = l.declare(g.Name+"_shift", l.p.Real, ein.Temp, dim)
	l.statement([]*ein.Index{a, b}, matrix, &ein.Cast{To: l.p.Real, X: &ein.Access{Tensor: wide, Subscripts: []ein.Expr{ref(a), ref(b)}}}, ref(a), ref(b))
	l.statement([]*ein.Index{a}, shift, &ein.Cast{To: l.p.Real, X: &ein.Access{Tensor: wideShift, Subscripts: []ein.Expr{ref(a)}}}, ref(a))
	return matrix, shift
}

// double is an element as a float64.
func (l *lifter) double(t *ein.Tensor, at ...ein.Expr) ein.Expr {
	return cast(tensor.Float64, &ein.Access{Pos: l.p.Pos, Tensor: t, Subscripts: at})
}

func cast(t tensor.DType, e ein.Expr) ein.Expr {
	if e.Type() == t {
		return e
	}
	return &ein.Cast{To: t, X: e}
}

func binary(op ein.BinaryOp, x, y ein.Expr) ein.Expr { return &ein.Binary{Op: op, X: x, Y: y} }

// find is the grid of an image.
func (l *lifter) find(i *strand.Image) *grid {
	for _, g := range l.images {
		if g.Image == i {
			return g
		}
	}
	return nil
}
