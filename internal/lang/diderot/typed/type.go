// Package typed is the tree of a checked Diderot program: what the checker makes and the lowering reads. It has the
// types, the table of operators and builtins, and no rules of its own.
package typed

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/field"
)

// How it works
//
// The tree says one language: what versions 1.0 and 2.0 write differently is the same node here. Every expression has a
// type, every name is a pointer to what it names, every coercion is a node, and what the language wants constant
// (dimensions, indices of tensors, exponents of fields, paths, defaults of inputs) is a number or a Value. x += e is
// x = x + e, sum(s) is sum{ x | x in s }, a function of one expression returns it, and if has both branches.
//
// Each use of an operator or builtin points to its Row of the one table (table_*.go): what it takes, what it gives, and
// what it means: a generic operator of internal/field, a scalar operation of internal/ein, or something of its own.

// A Kind is that of a type.
type Kind uint8

// The kinds. Set is S.active, which is only iterated over; Nothing is the type of what was not understood, and no
// program without errors has it.
const (
	Nothing Kind = iota
	Bool
	Int
	String
	Tensor
	Sequence
	Reference
	Image
	Field
	Kernel
	Set
)

// Smooth is the continuity of a field all of whose derivatives exist.
const Smooth = field.Smooth

// Dynamic is the length of a sequence of any length.
const Dynamic = -1

// A Type is a type of the language. Types are values: those that are Equal are the same.
type Type struct {
	Kind Kind
	// Shape is that of a tensor, of a voxel, or of what a field gives; [] is that of a real number. All sizes are at
	// least 2.
	Shape []int
	// Dim is that of the space of an image or field, 1 to 3.
	Dim int
	// Continuity of a field or kernel says how many derivatives are continuous, or is Smooth.
	Continuity int
	// Element and Length are those of a sequence. The sequence {} has the length 0 and elements of Nothing.
	Element *Type
	Length  int
	// Strand is what a Reference or Set is one of.
	Strand *Strand
}

// Real is the type of numbers.
func Real() *Type { return &Type{Kind: Tensor} }

// TensorOf is the type of tensors of a shape.
func TensorOf(shape ...int) *Type { return &Type{Kind: Tensor, Shape: shape} }

// SequenceOf is the type of sequences of a length, which may be Dynamic.
func SequenceOf(element *Type, length int) *Type {
	return &Type{Kind: Sequence, Element: element, Length: length}
}

// FieldOf is the type of fields.
func FieldOf(continuity, dim int, shape ...int) *Type {
	return &Type{Kind: Field, Continuity: continuity, Dim: dim, Shape: shape}
}

// IsReal reports whether values are real numbers.
func (t *Type) IsReal() bool { return t.Kind == Tensor && len(t.Shape) == 0 }

// IsDynamic reports whether values are sequences of any length.
func (t *Type) IsDynamic() bool { return t.Kind == Sequence && t.Length == Dynamic }

// IsValue reports whether values can be kept in the state of a strand: they are made of bool, int, string and tensors.
func (t *Type) IsValue() bool {
	switch t.Kind {
	case Bool, Int, String, Tensor:
		return true
	case Sequence:
		return t.Element.IsValue()
	}
	return false
}

// Equal reports whether two types are the same.
func (t *Type) Equal(o *Type) bool {
	if t == nil || o == nil {
		return t == o
	}
	return t.Kind == o.Kind && slices.Equal(t.Shape, o.Shape) && t.Dim == o.Dim && t.Continuity == o.Continuity &&
		t.Length == o.Length && t.Strand == o.Strand && t.Element.Equal(o.Element)
}

// String returns the type as version 2.0 writes it.
func (t *Type) String() string {
	switch t.Kind {
	case Bool:
		return "bool"
	case Int:
		return "int"
	case String:
		return "string"
	case Tensor:
		return tensorName(t.Shape)
	case Sequence:
		if t.Length == Dynamic {
			return t.Element.String() + "[]"
		}
		if t.Element.Kind == Nothing {
			return "{}"
		}
		return fmt.Sprintf("%v[%d]", t.Element, t.Length)
	case Reference:
		return t.Strand.Name
	case Image:
		return fmt.Sprintf("image(%d)%s", t.Dim, shapeName(t.Shape))
	case Field:
		if t.Continuity == Smooth {
			return fmt.Sprintf("field(%d)%s", t.Dim, shapeName(t.Shape))
		}
		return fmt.Sprintf("field#%d(%d)%s", t.Continuity, t.Dim, shapeName(t.Shape))
	case Kernel:
		return fmt.Sprintf("kernel#%d", t.Continuity)
	case Set:
		return "set of " + t.Strand.Name
	}
	return "nothing"
}

func shapeName(shape []int) string {
	words := make([]string, len(shape))
	for n, d := range shape {
		words[n] = strconv.Itoa(d)
	}
	return "[" + strings.Join(words, ",") + "]"
}

func tensorName(shape []int) string {
	switch {
	case len(shape) == 0:
		return "real"
	case len(shape) == 1 && shape[0] <= 4:
		return fmt.Sprintf("vec%d", shape[0])
	case len(shape) == 2 && shape[0] == shape[1] && shape[0] <= 4:
		return fmt.Sprintf("mat%d", shape[0])
	}
	return "tensor" + shapeName(shape)
}

// Components is how many numbers a tensor has, or a sample of an image, or a value of a field.
func (t *Type) Components() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}
