// Package strand is the control layer around scalar expressions that programs of strands are
// lowered to: the program as a value, its text, and the sequential evaluator that says what it
// means.
package strand

import (
	"math/big"
	"strconv"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A Program describes one kind of strand: variables, blocks of structured statements, and how the
// first strands are created. All arithmetic is scalar: a value of any shape has one ein.Local for
// each of its Parts, and expressions are ein.Expr over these. What no scalar expression can say is
// a statement: sequences of any length, probes of images (Sample), states of other strands (Query,
// Get, Reduce) and effects (New, Exit, Print). Print and Parse are inverse, and Verify checks
// types, scopes, definite assignment and what a block may do.
//
// A World runs a program in super-steps. All strands that are active run against the states at the
// start of the step (in) and write their own (out); then, in the order of strand numbers, prints
// are written, new strands are added, dead ones removed and stable ones frozen, states are
// swapped, and the global update runs. Nothing depends on the order in which strands of a step
// run: that is what lets threads run them later, and tests run them in any order. Where strands
// cannot notice each other (Uses), each runs to its end at once, with the same results; prints are
// put in the order of super-steps.
//
// Strands are numbered in the order of creation: the first ones by their iterators, of which the
// last is the fastest, new ones by the number of their creator. Compaction is stable, so outputs
// of collections are in this order, too.
//
// Numbers: reals are float32 or float64 and rounded after each operation, integers wrap. Division
// of integers toward zero is an expression (Quotient, Remainder). Samples are computed in float64
// from rational coefficients and rounded once. Sums over strands are sums of blocks of
// ReduceBlock strands, added in order.

// An Elem is what a value is made of.
type Elem uint8

// The elements. A String is a number of the table of strings; a Ref is a strand.
const (
	Bool Elem = iota
	Int
	Real
	String
	Ref
)

var elemNames = [...]string{"bool", "int", "real", "string", "strand"}

// String returns the word of the text form.
func (e Elem) String() string { return elemNames[e] }

// A Type is that of a variable: a tensor, in sequences of fixed lengths (the innermost first), in
// a sequence of any length.
type Type struct {
	Elem    Elem
	Shape   []int
	Fixed   []int
	Dynamic bool
}

// Width is the number of scalars of a value, or of an element of a dynamic sequence.
func (t Type) Width() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	for _, d := range t.Fixed {
		n *= d
	}
	return n
}

// IsScalar reports whether a value is one scalar.
func (t Type) IsScalar() bool { return len(t.Shape)+len(t.Fixed) == 0 && !t.Dynamic }

// Element is the type of the elements of a sequence.
func (t Type) Element() Type {
	if t.Dynamic {
		t.Dynamic = false
		return t
	}
	t.Fixed = t.Fixed[:max(0, len(t.Fixed)-1)]
	return t
}

// IsSequence reports whether values have elements.
func (t Type) IsSequence() bool { return t.Dynamic || len(t.Fixed) > 0 }

// Role says where the values of a variable live.
type Role uint8

// The roles. Inputs, constants, globals and what is loaded belong to the world, parameters and states to each
// strand, and temporaries to a run of a block.
const (
	Const Role = iota
	Input
	Global
	Parameter
	State
	Temporary
	Loaded // of a file that the program names
)

var roleNames = [...]string{"const", "input", "global", "param", "state", "temp", "loaded"}

// String returns the word of the text form.
func (r Role) String() string { return roleNames[r] }

// A Variable is a named value.
type Variable struct {
	Pos  source.Span
	Name string
	Role Role
	Type Type
	// Parts are its scalars, row by row; a dynamic sequence has none.
	Parts  []*ein.Local
	Output bool // of a state
	// Default is the value of an input that is not given, or File is where its elements are; without
	// the two it has to be given.
	Default []*ein.Const
	File    string
	Doc     string // of an input
}

// An Image is given by the world. Its numbers are locals that all blocks may read: the sizes of
// its axes, the fastest first, and the map x = Matrix·p + Shift from world to index space.
type Image struct {
	Pos                  source.Span
	Name                 string
	Dim                  int
	Shape                []int // of a voxel
	Sizes, Matrix, Shift []*ein.Local
	// Input says that another file than File may be given, which has to be where File is empty.
	Input bool
	File  string
	Doc   string
	Made  *Made // how it is computed; nil of others
}

// A Made is how an image is computed before the first step: by a function with one output, whose inputs are images of the
// program that stand before it, the slowest axis first and the components of voxels last, and numbers. It lies where the first
// of the images does; Steps are how many samples of that lie between its own, for each axis, the fastest first.
type Made struct {
	Func  *ein.Func
	Args  []MadeArg
	Steps []int64
}

// A MadeArg is an image, or else a number.
type MadeArg struct {
	Image  *Image
	Number *ein.Const
}

// Components is the number of scalars of a voxel.
func (i *Image) Components() int { return Type{Shape: i.Shape}.Width() }

// String is the type of the image as Diderot writes it.
func (i *Image) String() string {
	return "image(" + strconv.Itoa(i.Dim) + ")" + list("[", i.Shape, "]")
}

// Locals are the numbers of an image.
func (i *Image) Locals() []*ein.Local {
	return append(append(append([]*ein.Local{}, i.Sizes...), i.Matrix...), i.Shift...)
}

// A Kernel is a piecewise polynomial from -Support to Support: one row of coefficients of 1, x,
// x², … for each unit segment, in absolute x.
type Kernel struct {
	Name    string
	Support int
	Pieces  [][]*big.Rat
}

// A Block is a sequence of statements.
type Block []Stmt

// A Program is one kind of strand and its world.
type Program struct {
	Pos       source.Span
	Name      string
	Real, Int tensor.DType
	Strings   []string
	Variables []*Variable // in the order of declaration
	Images    []*Image
	Kernels   []*Kernel

	// Initialize assigns constants and globals. Begin is the strand's initialisation, of all states;
	// the other blocks of strands run in super-steps.
	Initialize                      Block
	Create                          Create
	Begin, Start, Update, Stabilize Block
	GlobalStart, GlobalUpdate       Block
}

// Create makes the first strands: a grid of them, or a collection that may grow and shrink.
type Create struct {
	Pos        source.Span
	Collection bool
	Before     Block // computes what the ranges need
	Iterators  []Iterator
	Body       Block      // computes what the arguments need
	Arguments  []ein.Expr // the parts of the parameters
}

// An Iterator takes the integers of a range, both ends included.
type Iterator struct {
	Variable  *Variable
	Low, High ein.Expr
}

// ByRole returns the variables with a role.
func (p *Program) ByRole(role Role) []*Variable {
	var list []*Variable
	for _, v := range p.Variables {
		if v.Role == role {
			list = append(list, v)
		}
	}
	return list
}

// Outputs returns the states that are written to files.
func (p *Program) Outputs() []*Variable {
	var list []*Variable
	for _, v := range p.ByRole(State) {
		if v.Output {
			list = append(list, v)
		}
	}
	return list
}

// Variable returns the variable of that name, or nil.
func (p *Program) Variable(name string) *Variable {
	for _, v := range p.Variables {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// DType is the type in which elements are computed.
func (p *Program) DType(e Elem) tensor.DType {
	return [...]tensor.DType{tensor.Bool, p.Int, p.Real, tensor.Int32, tensor.Int64}[e]
}
