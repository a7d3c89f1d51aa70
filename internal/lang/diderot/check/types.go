package check

import (
	"slices"
	"strconv"

	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// namedTypes are the types that are one word; it is read only.
var namedTypes = map[string]*typed.Type{
	"bool": {Kind: typed.Bool}, "int": {Kind: typed.Int}, "string": {Kind: typed.String}, "real": typed.Real(),
	"vec2": typed.TensorOf(2), "vec3": typed.TensorOf(3), "vec4": typed.TensorOf(4),
	"mat2": typed.TensorOf(2, 2), "mat3": typed.TensorOf(3, 3), "mat4": typed.TensorOf(4, 4),
}

// typeOf resolves a type as it is written.
func (c *checker) typeOf(t syntax.Type) *typed.Type {
	switch t := t.(type) {
	case *syntax.Named:
		return c.namedType(t)
	case *syntax.TensorType:
		return c.shaped(&typed.Type{Kind: typed.Tensor}, t.Shape)
	case *syntax.ImageType:
		return c.shaped(&typed.Type{Kind: typed.Image, Dim: c.dimension(t.Dimension)}, t.Shape)
	case *syntax.FieldType:
		k := typed.Smooth
		if t.Continuity != nil {
			k = c.continuity(t.Continuity)
		}
		return c.shaped(&typed.Type{Kind: typed.Field, Dim: c.dimension(t.Dimension), Continuity: k}, t.Shape)
	case *syntax.KernelType:
		return &typed.Type{Kind: typed.Kernel, Continuity: c.continuity(t.Continuity)}
	case *syntax.SequenceType:
		return c.sequenceType(t)
	}
	return &typed.Type{}
}

func (c *checker) namedType(t *syntax.Named) *typed.Type {
	if known := namedTypes[t.Name]; known != nil {
		return known
	}
	if s := c.strand(); s != nil && s.Name == t.Name {
		return &typed.Type{Kind: typed.Reference, Strand: s}
	}
	names := []string{"bool", "int", "string", "real", "vec2", "vec3", "vec4", "mat2", "mat3", "mat4"}
	d := c.errorf(source.CodeDiderotName, t.Pos, "there is no type %s%s", t.Name, source.DidYouMean(t.Name, names))
	if c.file.Program.Strand != nil && c.file.Program.Strand.Name.Name == t.Name {
		d.WithHelp("the strand is known behind its own declaration only; functions and globals cannot have strands")
	} else if near, ok := foreignTypes[t.Name]; ok {
		d.WithHelp("write %s", near)
	}
	return &typed.Type{}
}

// foreignTypes are the names that other languages have for these types.
var foreignTypes = map[string]string{
	"float": "real, which has 32 bits, with --double 64", "double": "real, and --double on the command line", "integer": "int", "boolean": "bool",
	"str": "string", "vector": "vec3 or tensor[3]", "matrix": "mat3 or tensor[3,3]", "void": "the type of what the function returns; every function returns a value",
	"auto": "the type: it is not inferred", "var": "the type: it is not inferred", "mat": "mat3 or tensor[3,3]", "vec": "vec3 or tensor[3]", "vec1": "real", "mat1": "real",
}

func (c *checker) sequenceType(t *syntax.SequenceType) *typed.Type {
	element := c.typeOf(t.Element)
	if element.Kind == typed.Nothing {
		return element
	}
	if !isElement(element) {
		c.errorf(source.CodeDiderotSequence, t.Pos, "a sequence cannot have elements of type %v", element).WithHelp("elements are values, and sequences of fixed length of values")
		return &typed.Type{}
	}
	if t.Length == nil {
		return typed.SequenceOf(element, typed.Dynamic)
	}
	n, ok := c.integer(t.Length, "the length of a sequence")
	switch {
	case !ok:
		return &typed.Type{}
	case n < 0 || n > longestSequence:
		c.errorf(source.CodeDiderotSequence, t.Length.Span(), "the length of a sequence cannot be %d", n).WithHelp("a length is a number from 0 to %d", longestSequence)
		return &typed.Type{}
	}
	return typed.SequenceOf(element, int(n))
}

// longestSequence is how many elements a sequence of fixed length may have: each is a variable of the program.
const longestSequence = 65536

// largestTensor is how many components a tensor may have.
const largestTensor = 65536

// shaped gives a type its shape.
func (c *checker) shaped(t *typed.Type, s *syntax.Shape) *typed.Type {
	shape, ok := c.shape(s)
	if !ok || t.Dim < 0 || t.Continuity < 0 {
		return &typed.Type{}
	}
	t.Shape = shape
	return t
}

func (c *checker) shape(s *syntax.Shape) ([]int, bool) {
	var shape []int
	ok, all := true, int64(1)
	for _, e := range s.Dimensions {
		n, known := c.integer(e, "the size of an axis")
		switch {
		case !known:
			ok = false
		case n < 2:
			ok = false
			c.errorf(source.CodeDiderotShape, e.Span(), "the size of an axis of a tensor is at least 2, not %d", n).WithHelp("%s", smallHelp(len(s.Dimensions)))
		case n > largestTensor || all*n > largestTensor:
			ok = false
			c.errorf(source.CodeDiderotShape, s.Pos, "a tensor has at most %d components", largestTensor).WithHelp("a sequence of any length, or an image, holds more")
		default:
			all *= n
			shape = append(shape, int(n))
		}
	}
	return shape, ok
}

func smallHelp(axes int) string {
	if axes == 1 {
		return "a number is a tensor without axes: real, or tensor[]"
	}
	return "leave the axis out"
}

// dimension reads the dimension of a space, or gives -1.
func (c *checker) dimension(e syntax.Expr) int {
	n, ok := c.integer(e, "the dimension of a space")
	if !ok {
		return -1
	}
	if n < 1 || n > 3 {
		c.errorf(source.CodeDiderotShape, e.Span(), "the dimension of the space of images and fields is 1, 2 or 3, not %d", n).
			WithHelp("what a field or a sample of an image consists of stands in the brackets behind: field#2(3)[4]")
		return -1
	}
	return int(n)
}

// continuity reads the number behind #, or gives -1.
func (c *checker) continuity(n *syntax.Number) int {
	k, err := strconv.Atoi(n.Text)
	if err != nil || k > mostContinuity {
		c.errorf(source.CodeDiderotContinuity, n.Pos, "no kernel has %s continuous derivatives", n.Text).
			WithHelp("a field all of whose derivatives exist is written without #: field(3)[]")
		return -1
	}
	return k
}

// mostContinuity is far above that of any kernel.
const mostContinuity = 1000

// integer evaluates what must be a constant int.
func (c *checker) integer(e syntax.Expr, what string) (int64, bool) {
	x := c.expr(e, nil)
	switch x.Type().Kind {
	case typed.Nothing:
		return 0, false
	case typed.Int:
	default:
		c.errorf(source.CodeDiderotConstant, e.Span(), "%s is a constant int, not of type %v", what, x.Type()).WithHelp("write a whole number, or a const of type int")
		return 0, false
	}
	v := c.constant(x, what)
	if v == nil {
		return 0, false
	}
	return v.Int, true
}

// place is the type of positions in a space.
func placeIn(dim int) *typed.Type {
	if dim == 1 {
		return typed.Real()
	}
	return typed.TensorOf(dim)
}

func sameShape(a, b *typed.Type) bool { return slices.Equal(a.Shape, b.Shape) }
