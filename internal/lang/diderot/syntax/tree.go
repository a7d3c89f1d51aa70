// Package syntax reads and writes the text of Diderot programs of versions 1.0 and 2.0: scanner, parsers with
// recovery, one tree, and formatter. It knows nothing about names or types.
package syntax

import (
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// One scanner splits the text of both versions into tokens; the version line chooses the grammar. What the grammars
// share is read by the same functions (item.go, statement.go, type.go, expression.go); parse_v1.go and parse_v2.go hold
// what differs, and both make the nodes of this file, so what comes behind knows one language. A construct of the other
// version is recognised and reported as that.
//
// An error ends the statement, the member of the strand or the declaration in which it stands, and the parser goes on
// behind it. Format lays out the tokens of the text: lines and comments stay, and the version is that which was read.

// A File is a parsed program. Parts that are missing, or could not be read, are nil.
type File struct {
	Source   *source.File
	Program  *Program
	Comments []token.Comment

	tokens []token.Token
	levels map[int]int // of indentation, by the offset of a token that begins or ends a statement
}

// A Program is what a file declares. Update is the block that 1.0 calls global.
type Program struct {
	Pos        source.Span
	Version    string // "1.0" or "2.0"
	Imports    []*Import
	Globals    []Global
	Initialize *Block
	Strand     *Strand
	Start      *Block
	Update     *Block
	Create     *Create
}

// An Import makes the defs of another file known: import "filters.tc". It is Ricci's own.
type Import struct {
	Pos  source.Span
	Path *String
}

// The versions of the language.
const (
	V1 = "1.0"
	V2 = "2.0"
)

// A Name is a word of the program, as it is written: Greek letters and ' are in it.
type Name = token.Name

// A Global is a *Variable, *ClosedForm or *Function.
type Global interface{ Span() source.Span }

// The kinds of variables.
const (
	Const  = "const"
	Input  = "input"
	Output = "output"
)

// A Variable is "real x = 1.0;" of the program, a strand or a block, or "const …", "input …" and "output …". Help is
// the text in parentheses behind the name of an input; Value is nil if there is none.
type Variable struct {
	Pos   source.Span
	Kind  string // Const, Input, Output, or empty
	Type  Type
	Name  Name
	Help  *String
	Value Expr
}

// A ClosedForm is a field given by a formula: "field(2)[] P(x) = x•x;".
type ClosedForm struct {
	Pos   source.Span
	Type  Type
	Name  Name
	Param Name
	Value Expr
}

// A Function is "function real f (real x) = x*x;", or has a Body.
type Function struct {
	Pos    source.Span
	Result Type
	Name   Name
	Params []*Param
	Value  Expr
	Body   *Block
}

// A Param is a parameter of a function or strand.
type Param struct {
	Pos  source.Span
	Type Type
	Name Name
}

// A Strand is what all strands of a program are instances of.
type Strand struct {
	Pos        source.Span
	Name       Name
	Params     []*Param
	State      []*Variable
	Initialize *Block
	Methods    []*Method
}

// A Method is a block of a strand that has a name: start, update or stabilize.
type Method struct {
	Pos  source.Span
	Name Name
	Body *Block
}

// The kinds of creations.
const (
	Array      = "array"
	Collection = "collection"
)

// A Create is "create_array { s(i) | i in 0..3 }", in 1.0 "initially [ s(i) | i in 0..3 ];". The first iterator is
// the slowest. Strand is the application that makes one strand.
type Create struct {
	Pos       source.Span
	Kind      string // Array or Collection
	Strand    Expr
	Iterators []*Iterator
}

// An Iterator is "x in s".
type Iterator struct {
	Pos  source.Span
	Name Name
	In   Expr
}

// A Type is a type as it is written.
type Type interface{ Span() source.Span }

// The types.
type (
	// A Named is bool, int, real, string, vecN, matN, or the name of a strand.
	Named struct {
		Pos  source.Span
		Name string
	}
	// A TensorType is tensor[2,3].
	TensorType struct {
		Pos   source.Span
		Shape *Shape
	}
	// An ImageType is image(2)[3].
	ImageType struct {
		Pos       source.Span
		Dimension Expr
		Shape     *Shape
	}
	// A FieldType is field#2(3)[]; Continuity is nil for the field(3)[] of version 2.0, all of whose derivatives exist.
	FieldType struct {
		Pos        source.Span
		Continuity *Number
		Dimension  Expr
		Shape      *Shape
	}
	// A KernelType is kernel#2.
	KernelType struct {
		Pos        source.Span
		Continuity *Number
	}
	// A SequenceType is real[3], or real[] with a Length of nil, in 1.0 real{3} and real{}. The Element of
	// int[3][2] is int[3].
	SequenceType struct {
		Pos     source.Span
		Element Type
		Length  Expr
	}
)

// A Shape is [2,3]; [] is that of a scalar.
type Shape struct {
	Pos        source.Span
	Dimensions []Expr
}

// Span returns the text of the node.
func (n *Variable) Span() source.Span     { return n.Pos }
func (n *ClosedForm) Span() source.Span   { return n.Pos }
func (n *Function) Span() source.Span     { return n.Pos }
func (n *Named) Span() source.Span        { return n.Pos }
func (n *TensorType) Span() source.Span   { return n.Pos }
func (n *ImageType) Span() source.Span    { return n.Pos }
func (n *FieldType) Span() source.Span    { return n.Pos }
func (n *KernelType) Span() source.Span   { return n.Pos }
func (n *SequenceType) Span() source.Span { return n.Pos }
