package loop

import (
	"slices"

	"github.com/ricci-lang/ricci/tensor"
)

// How matrix units of devices multiply
//
// The lanes of a sub-group of 32 items multiply two matrices together: 16 rows of X, of some terms each, by 8 columns of Y. Each lane holds a
// part of both, and of the results Z, in private memory or registers: a fragment. Which elements these are is a table, a FragmentShape
// with three Layouts, from the description of mma.sync in NVIDIA's PTX ISA: the program loads fragments by it as it loads anything
// else, element by element, with subscripts in which the lane occurs. So bounds are proved, and races and undefined memory seen, as
// everywhere, and a fragment that was loaded by another layout makes other results.
//
//	Z[r, c] += Σ X[r, k] · Y[k, c]    over k < Depth
//
// Integers wrap. A float is added term by term here, in the order of k, each product exact and each sum rounded; a device may add them in
// any order, and cut off what is far below the largest term. Elements of float32 are rounded to 11 digits first (tf32).

// The size of what the lanes of a sub-group multiply at once.
const (
	FragmentLanes   = 32
	FragmentRows    = 16
	FragmentColumns = 8
)

// A Layout says which elements of a matrix a lane holds: element e of lane n is that of line n/4 + Lines[e], at n%4 · Step + Along[e]. Lines are the
// rows of X and Z, and the columns of Y.
type Layout struct {
	Lines, Along []int64
	Step         int64
}

// Of returns the line of an element of a lane, and where it is along it.
func (l Layout) Of(lane int64, element int) (line, along int64) {
	return lane/4 + l.Lines[element], lane%4*l.Step + l.Along[element]
}

// A FragmentShape is a product that matrix units know.
type FragmentShape struct {
	Types   []tensor.DType // of the elements of X, and of Y
	Sum     tensor.DType   // of Z
	Depth   int64
	Since   int // the first architecture that has it: 80 is sm_80
	X, Y, Z Layout
}

// FragmentShapes lists them, for each type the deepest first.
func FragmentShapes() []*FragmentShape {
	z := Layout{[]int64{0, 0, 8, 8}, []int64{0, 1, 0, 1}, 2}
	one, of2, of4 := operandLayout(1, 2), operandLayout(2, 2), operandLayout(4, 2)
	return []*FragmentShape{
		{[]tensor.DType{tensor.Float16}, tensor.Float32, 16, 80, of2.rows(), of2, z},
		{[]tensor.DType{tensor.Float16}, tensor.Float32, 8, 75, operandLayout(2, 1).rows(), operandLayout(2, 1), z},
		{[]tensor.DType{tensor.BFloat16}, tensor.Float32, 16, 80, of2.rows(), of2, z},
		{[]tensor.DType{tensor.BFloat16}, tensor.Float32, 8, 80, operandLayout(2, 1).rows(), operandLayout(2, 1), z},
		{[]tensor.DType{tensor.Float32}, tensor.Float32, 8, 80, one.rows(), one, z},
		{[]tensor.DType{tensor.Float32}, tensor.Float32, 4, 80, operandLayout(1, 1).rows(), operandLayout(1, 1), z},
		{[]tensor.DType{tensor.Int8, tensor.Uint8}, tensor.Int32, 32, 80, of4.rows(), of4, z},
		{[]tensor.DType{tensor.Int8, tensor.Uint8}, tensor.Int32, 16, 80, operandLayout(4, 1).rows(), operandLayout(4, 1), z},
	}
}

// operandLayout is that of Y: words of 32 bits of so many neighbours each, one word for each 4 · neighbours terms.
func operandLayout(neighbours, words int64) (l Layout) {
	l.Step = neighbours
	for w := range words {
		for n := range neighbours {
			l.Lines, l.Along = append(l.Lines, 0), append(l.Along, 4*neighbours*w+n)
		}
	}
	return l
}

// rows is the layout of X, where that of Y is given: for each word there is a second one, 8 rows further.
func (l Layout) rows() (x Layout) {
	x.Step = l.Step
	for at := range slices.Chunk(l.Along, int(l.Step)) {
		for _, line := range []int64{0, 8} {
			for _, along := range at {
				x.Lines, x.Along = append(x.Lines, line), append(x.Along, along)
			}
		}
	}
	return x
}

// FragmentShapeOf is the shape of a product of elements of two types, over so many terms; 0: the most of any shape. Nil: there is none.
func FragmentShapeOf(x, y tensor.DType, depth int64) *FragmentShape {
	for _, s := range FragmentShapes() {
		if slices.Contains(s.Types, x) && slices.Contains(s.Types, y) && (depth == 0 || depth == s.Depth) {
			return s
		}
	}
	return nil
}

// A MultiplyFragments multiplies fragments of the lanes of a sub-group, all of which meet it. The part of a lane is Z[At], Z[At+1], Z[At+Stride] and
// Z[At+Stride+1], and so many elements of X from XAt and of Y from YAt as the layouts say.
type MultiplyFragments struct {
	Z, X, Y      *Buffer
	At, XAt, YAt Expr
	Stride       int64
	Depth        int64
}

func (*MultiplyFragments) stmt() {}

// Shape is its row of the table; nil: there is none.
func (s *MultiplyFragments) Shape() *FragmentShape {
	return FragmentShapeOf(s.X.Type.Elem, s.Y.Type.Elem, s.Depth)
}

// multiplyFragments checks a MultiplyFragments; who meets it is checked before.
func (v *verifier) multiplyFragments(s *MultiplyFragments) {
	shape := s.Shape()
	v.require(shape != nil, "no matrix unit multiplies fragments of %s and %s over %d terms", s.X.Type, s.Y.Type, s.Depth)
	v.require(s.Z.Type == Scalar(shape.Sum) && s.X.Type.Lanes == 1 && s.Y.Type.Lanes == 1, "fragments of %s and %s are multiplied to %s", s.X.Type, s.Y.Type, s.Z.Type)
	v.require(v.inGrid.Width == FragmentLanes, "fragments of sub-groups of %d items, of which a matrix unit wants %d", v.inGrid.Width, FragmentLanes)
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
