package ein

import (
	"slices"

	"github.com/ricci-lang/ricci/tensor"
)

// How matrix units of devices hold matrices
//
// The 32 items of a sub-group multiply 16 rows of X, of some terms each, by 8 columns of Y. Each of them, a lane, holds a part of both, and of
// the results Z: fragments. Which elements these are is a table of Layouts, from the description of mma.sync in NVIDIA's PTX ISA. What
// loads fragments, what multiplies them and what checks both reads it.

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

// Rounds reports whether operands are rounded before they are multiplied (tf32), which the laws of a sum have to allow: others are
// multiplied as they are.
func (s *FragmentShape) Rounds() bool { return s.Types[0] == tensor.Float32 }

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

// FragmentsOf recognises a sum of products, added in any order, whose operands matrix units of devices take by fragments, and returns
// them with the deepest shape; nil: it is none.
func FragmentsOf(c *Comprehension) (x, y *Access, shape *FragmentShape) {
	if x, y, shape = fragmentsOf(c); shape == nil || shape.Rounds() && !isShortened(c) {
		return nil, nil, nil
	}
	return x, y, shape
}

// RoundsFragments reports whether a comprehension is such a sum but for its laws, which do not allow that operands are rounded.
func RoundsFragments(c *Comprehension) bool {
	_, _, shape := fragmentsOf(c)
	return shape != nil && shape.Rounds() && !isShortened(c)
}

func fragmentsOf(c *Comprehension) (x, y *Access, shape *FragmentShape) {
	if len(c.Values) != 1 || !isSumOfAll(c) || len(Reduced(c)) == 0 {
		return nil, nil, nil
	}
	product, ok := computed(c.Values[0]).(*Binary)
	if !ok || product.Op != Mul {
		return nil, nil, nil
	}
	read := func(e Expr) *Access {
		e = computed(e)
		if cast, ok := e.(*Cast); ok {
			e = cast.X
		}
		a, _ := e.(*Access)
		return a
	}
	if x, y = read(product.X), read(product.Y); x == nil || y == nil || x.Checked || y.Checked {
		return nil, nil, nil
	}
	if shape = FragmentShapeOf(x.Tensor.Type, y.Tensor.Type, 0); shape == nil || shape.Sum != product.Type().Compute() {
		return nil, nil, nil
	}
	return x, y, shape
}
