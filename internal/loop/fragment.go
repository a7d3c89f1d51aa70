package loop

import "github.com/ricci-lang/ricci/internal/ein"

// How matrix units of devices multiply
//
// The lanes of a sub-group of 32 items multiply two matrices together: 16 rows of X, of some terms each, by 8 columns of Y. Each lane holds a
// part of both, and of the results Z, in private memory or registers: a fragment. Which elements these are is a table,
// ein.FragmentShapes: the program loads fragments by it as it loads anything
// else, element by element, with subscripts in which the lane occurs. So bounds are proved, and races and undefined memory seen, as
// everywhere, and a fragment that was loaded by another layout makes other results.
//
//	Z[r, c] += Σ X[r, k] · Y[k, c]    over k < Depth
//
// Integers wrap. A float is added term by term here, in the order of k, each product exact and each sum rounded; a device may add them in
// any order, and cut off what is far below the largest term. Elements of float32 are rounded to 11 digits first (tf32).

// A Fragments multiplies those of the lanes of a sub-group, all of which meet it. The part of a lane is Z[At], Z[At+1], Z[At+Stride] and
// Z[At+Stride+1], and so many elements of X from XAt and of Y from YAt as the layouts say.
type Fragments struct {
	Z, X, Y      *Buffer
	At, XAt, YAt Expr
	Stride       int64
	Depth        int64
}

func (*Fragments) stmt() {}

// Shape is its row of the table; nil: there is none.
func (s *Fragments) Shape() *ein.FragmentShape {
	return ein.FragmentShapeOf(s.X.Type.Elem, s.Y.Type.Elem, s.Depth)
}

// Shortens reports whether a program rounds factors of float32 before it multiplies them.
func Shortens(f *Func) (shortens bool) {
	Walk(f.Body, Visitor{Stmt: func(s Stmt) {
		if m, ok := s.(*Fragments); ok {
			shortens = shortens || m.Shape().Rounds()
		}
	}})
	return shortens
}

// multiplyFragments checks a Fragments; who meets it is checked before.
func (v *verifier) multiplyFragments(s *Fragments) {
	shape := s.Shape()
	v.require(shape != nil, "no matrix unit multiplies fragments of %s and %s over %d terms", s.X.Type, s.Y.Type, s.Depth)
	v.require(s.Z.Type == Scalar(shape.Sum) && s.X.Type.Lanes == 1 && s.Y.Type.Lanes == 1, "fragments of %s and %s are multiplied to %s", s.X.Type, s.Y.Type, s.Z.Type)
	v.require(v.inGrid.Width == ein.FragmentLanes, "fragments of sub-groups of %d items, of which a matrix unit wants %d", v.inGrid.Width, ein.FragmentLanes)
	v.require(s.Stride >= 2, "rows of a fragment of %s are %d apart", s.Z.Name, s.Stride)
	for _, b := range []*Buffer{s.Z, s.X, s.Y} {
		v.require(b.Region == Private || b.Region == Register, "a fragment of %s, which is not an item's own", b.Name)
	}
	v.fragment(s.Z, s.At, s.Stride+2)
	v.fragment(s.X, s.XAt, int64(len(shape.X.Lines)))
	v.fragment(s.Y, s.YAt, int64(len(shape.Y.Lines)))
}

// fragment proves that so many elements from an index on are there.
func (v *verifier) fragment(b *Buffer, at Expr, n int64) {
	v.access(b, at, nil, 1, "a fragment of")
	v.access(b, sum(at, Int(n-1)), nil, 1, "a fragment of")
}
