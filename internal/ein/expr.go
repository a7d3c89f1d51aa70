package ein

import (
	"math"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// Expr is a scalar expression. The implementers are listed here; a new kind of
// node adds a line, its cases in children.go, print.go, eval.go and the loop
// lowering, and nothing else.
type Expr interface {
	Span() source.Span
	Type() tensor.DType
	expr()
}

func (*Const) expr()    {}
func (*IndexRef) expr() {}
func (*SizeRef) expr()  {}
func (*LocalRef) expr() {}
func (*Access) expr()   {}
func (*Unary) expr()    {}
func (*Binary) expr()   {}
func (*Call) expr()     {}
func (*Select) expr()   {}
func (*Cast) expr()     {}
func (*Let) expr()      {}

// A Const is a typed literal. Bits holds the two's complement value of bool and
// integers, extended to 64 bits, and the float64 bits of a float that is exactly
// representable in DType.
type Const struct {
	Pos   source.Span
	DType tensor.DType
	Bits  uint64
}

// IntConst returns an integer (or bool) literal.
func IntConst(t tensor.DType, v int64) *Const { return &Const{DType: t, Bits: uint64(v)} }

// FloatConst returns a float literal, rounded to the type.
func FloatConst(t tensor.DType, v float64) *Const {
	if t == tensor.Float32 {
		v = float64(float32(v))
	}
	return &Const{DType: t, Bits: math.Float64bits(v)}
}

// Float returns the value of a float literal.
func (c *Const) Float() float64 { return math.Float64frombits(c.Bits) }

// Int returns the value of an integer literal; a uint64 above the range of int64
// wraps.
func (c *Const) Int() int64 { return int64(c.Bits) }

// An IndexRef is the value of an index, an int64.
type IndexRef struct {
	Pos   source.Span
	Index *Index
}

// A SizeRef is the value of a size expression, an int64.
type SizeRef struct {
	Pos  source.Span
	Size affine.Expr
}

// A Local is a name bound by a Let or a parameter of an Operator.
type Local struct {
	Name  string
	DType tensor.DType
}

// A LocalRef is the value of a Local.
type LocalRef struct {
	Pos   source.Span
	Local *Local
}

// An Access reads an element. Subscripts are int64 in the coordinates of the
// tensor's Dims. Without Checked the front end has proved that the access is in
// bounds wherever it is evaluated (Select evaluates only the chosen branch); with
// Checked an index out of bounds ends the call with an error that names Pos.
type Access struct {
	Pos        source.Span
	Tensor     *Tensor
	Subscripts []Expr
	Checked    bool
}

// UnaryOp is a prefix operator.
type UnaryOp uint8

// The prefix operators. Not is logical and takes a bool. Popcount is how many bits of an
// integer are 1, Clz how many are 0 above the highest that is 1: all of them for 0. They are
// written as functions.
const (
	Neg UnaryOp = iota
	Not
	Popcount
	Clz
)

// A Unary applies a prefix operator; its type is that of X.
type Unary struct {
	Pos source.Span
	Op  UnaryOp
	X   Expr
}

// BinaryOp is an infix operator.
type BinaryOp uint8

// The infix operators. Both operands have the same type. Integer arithmetic
// wraps; Div and Mod on integers round toward minus infinity, and x/0 = x%0 = 0;
// Mod on floats is FloorMod, which does, too. Min(a, b) is "b < a ? b : a" and Max(a, b)
// "b > a ? b : a": a NaN on the right is ignored, one on the left stays. -0 is less than 0; only strict
// numerics promise it (minima and maxima of machines do not know).
// Comparisons give bool. And and Or take bools and may evaluate both sides. BitAnd, BitOr, BitXor, Shl
// and Shr take integers, in two's complement. Shl and Shr shift by Y places, all of them where Y is negative
// or not less than the number of bits: Shl then gives 0, and Shr 0 or, of a negative number, -1.
const (
	Add BinaryOp = iota
	Sub
	Mul
	Div
	Mod
	Min
	Max
	Lt
	Le
	Gt
	Ge
	Eq
	Ne
	And
	Or
	BitAnd
	BitOr
	BitXor
	Shl
	Shr
)

// IsComparison reports whether the operator gives a bool from two numbers.
func (op BinaryOp) IsComparison() bool { return op >= Lt && op <= Ne }

// IsBitwise reports whether the operator is one on the bits of integers.
func (op BinaryOp) IsBitwise() bool { return op >= BitAnd && op <= Shr }

// A Binary applies an infix operator.
type Binary struct {
	Pos  source.Span
	Op   BinaryOp
	X, Y Expr
}

// A Call applies a builtin function to arguments of one float type and gives
// that type.
type Call struct {
	Pos  source.Span
	Func *Builtin
	Args []Expr
}

// A Select is Cond ? Then : Else; only the chosen branch counts as evaluated.
type Select struct {
	Pos              source.Span
	Cond, Then, Else Expr
}

// A Cast converts a value. To bool: x != 0. Float to integer truncates and
// saturates, NaN gives 0. Integer to narrower integer wraps.
type Cast struct {
	Pos source.Span
	To  tensor.DType
	X   Expr
}

// A Let binds Var to Value in Body.
type Let struct {
	Pos   source.Span
	Var   *Local
	Value Expr
	Body  Expr
}

// Span returns the text of the program that the node came from.
func (e *Const) Span() source.Span    { return e.Pos }
func (e *IndexRef) Span() source.Span { return e.Pos }
func (e *SizeRef) Span() source.Span  { return e.Pos }
func (e *LocalRef) Span() source.Span { return e.Pos }
func (e *Access) Span() source.Span   { return e.Pos }
func (e *Unary) Span() source.Span    { return e.Pos }
func (e *Binary) Span() source.Span   { return e.Pos }
func (e *Call) Span() source.Span     { return e.Pos }
func (e *Select) Span() source.Span   { return e.Pos }
func (e *Cast) Span() source.Span     { return e.Pos }
func (e *Let) Span() source.Span      { return e.Pos }

// Type returns the element type of the value.
func (e *Const) Type() tensor.DType    { return e.DType }
func (e *IndexRef) Type() tensor.DType { return tensor.Int64 }
func (e *SizeRef) Type() tensor.DType  { return tensor.Int64 }
func (e *LocalRef) Type() tensor.DType { return e.Local.DType }
func (e *Access) Type() tensor.DType   { return e.Tensor.Type }
func (e *Unary) Type() tensor.DType    { return e.X.Type() }
func (e *Call) Type() tensor.DType     { return e.Args[0].Type() }
func (e *Select) Type() tensor.DType   { return e.Then.Type() }
func (e *Cast) Type() tensor.DType     { return e.To }
func (e *Let) Type() tensor.DType      { return e.Body.Type() }

// Type returns bool for comparisons, the type of the operands otherwise.
func (e *Binary) Type() tensor.DType {
	if e.Op.IsComparison() {
		return tensor.Bool
	}
	return e.X.Type()
}
