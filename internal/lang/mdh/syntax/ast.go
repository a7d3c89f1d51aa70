// Package syntax reads and writes the text of MDH programs: scanner, parser with
// recovery, tree, printer and formatter. It knows nothing about names or types.
package syntax

import (
	"github.com/ricci-lang/ricci/internal/lang/expression"
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// Package token scans the text by the table of the language, in which Unicode
// spellings become ASCII ones (∘ is o, ↦ is ->), so the parser knows one of each. The
// parser is recursive descent; package expression reads expressions, and is told what
// they have here beyond those of other notations. An error ends the declaration in which
// it stands, and the parser goes on at the next line that begins one. Format lays out the
// tokens of the text and keeps its lines and comments; Print makes text from a tree that
// has none.

// A File is a parsed program.
type File struct {
	Source       *source.File
	Imports      []token.Imported
	Records      []*Record
	Constants    []*Constant
	Functions    []*Function
	Operators    []*Operator
	Computations []*Computation
	Comments     []token.Comment

	tokens []token.Token
}

// A Name is a word of the program.
type Name = token.Name

// A Record is "record R { a: int32, b: float32 }".
type Record struct {
	Pos    source.Span
	Name   Name
	Fields []*Field
}

// A Field is a scalar of a record.
type Field struct{ Name, Type Name }

// A Constant is "const c: float32 = 0.5"; the type may be missing.
type Constant struct {
	Pos   source.Span
	Name  Name
	Type  *Name
	Value Expr
}

// A Function is "fun f<T>(x: T, y | i, j) = body": the indices behind the bar are
// those of md_hom.
type Function struct {
	Pos     source.Span
	Name    Name // empty for a function that is written where it is used
	Types   []Name
	Params  []*Param
	Indices []Name
	Body    Expr
}

// A Param is a parameter: a pattern with an optional type.
type Param struct {
	Pattern *Pattern
	Type    *Name
}

// A Pattern is a name, or a tuple of patterns.
type Pattern struct {
	Pos   source.Span
	Name  string
	Parts []*Pattern // of a tuple; nil for a name
}

// An Operator is "op add(l, r) = body identity e assume associative".
type Operator struct {
	Pos         source.Span
	Name        Name
	Types       []Name
	Left, Right *Param
	Body        Expr
	Identity    Expr // nil when there is none
	Assumed     []Name
	Ordered     *Name // the word, where it stands
}

// A Computation is one expression out_view ∘ md_hom ∘ inp_view, or a composition of
// several.
type Computation struct {
	Pos         source.Span
	Name        Name
	Types       []*TypeParam
	Sizes       []Name
	Functions   []Name // scalar functions and operators that an application gives
	Out         *View
	Hom         *Hom
	Inp         *View
	Composition *Composition // nil where the three functions stand
}

// A Composition is "(A: T[N], B: T) -> (y) where steps": what its steps leave in the
// outputs. A chain g o f has only steps, the last of which stands first in the text.
type Composition struct {
	Pos     source.Span
	Inputs  []*Input
	Outputs []Name
	Steps   []*Step
	IsChain bool
}

// An Input is a buffer that a composition is given: "A: T[I, K]".
type Input struct {
	Pos  source.Span
	Name Name
	Type *BufferType
}

// A Step is "(x, y) := f<T | N>(a, b)", or a computation in place, whose views name
// the buffers.
type Step struct {
	Pos     source.Span
	Results []Name
	Apply   *Apply
	InPlace *Computation // without a name and parameters; nil for a call
}

// An Apply is a computation with the choices of its parameters and the buffers to
// which it is applied; in a chain it has none.
type Apply struct {
	Pos          source.Span
	Name         Name
	Types        []Name
	Sizes        []Expr
	HasArguments bool // in angle brackets
	Functions    []*FunctionArgument
	Buffers      []*Argument
}

// A FunctionArgument is the name of a function or an operator, a sign or a tuple of
// operators; a function in place; or a combine operator such as ++ or ps(+).
type FunctionArgument struct {
	Pos      source.Span
	Operator *OperatorRef // nil for the others
	Function *Function
	Combine  *Combine
}

// An Argument is a buffer by its name, the only result of another application, or a number. What
// stands for a number by its name alone is a Name, too.
type Argument struct {
	Name   Name
	Apply  *Apply
	Number Expr
}

// Span returns the text of the argument.
func (a *Argument) Span() source.Span {
	switch {
	case a.Apply != nil:
		return a.Apply.Pos
	case a.Number != nil:
		return a.Number.Span()
	}
	return a.Name.Pos
}

// A TypeParam is "T in {float32, float64}", or "T in TYPE" for any.
type TypeParam struct {
	Name    Name
	Choices []Name
	Any     bool
}

// A View is an inp_view or out_view.
type View struct {
	Pos     source.Span
	Types   []*BufferType
	Buffers []*Buffer
}

// A BufferType is the type of a buffer, with extents where they are declared.
type BufferType struct {
	Pos        source.Span
	Name       Name
	Extents    []Expr
	HasExtents bool
}

// A Buffer is "x: (i) -> (i), (i) -> (i + 1)". Fill is the value of the cells that
// no point writes; with fill ⊥ these have none.
type Buffer struct {
	Pos       source.Span
	Name      Name
	Accesses  []*IndexFunction
	Fill      Expr
	Bottom    *Name // the sign ⊥, where it stands for the fill
	Injective *Name // the word, where it stands
}

// An IndexFunction is "(i, k) -> (i, 2 * k)".
type IndexFunction struct {
	Pos     source.Span
	Params  []Name
	Results []Expr
}

// A Hom is an md_hom. Down are the combine operators of its inputs where they are not all
// ++ (Definition 26), nil otherwise. The scalar function is Function, or the one called Name:
// that of a declaration, or an operator sign.
type Hom struct {
	Pos      source.Span
	Sizes    []Expr
	Down     []*Combine
	Name     Name
	Function *Function
	Combine  []*Combine
	Assumed  []Name
	Ordered  *Name
}

// A Combine is a combine operator: ++, pw(op) or ps(op), with the index set function
// of pw<(i) -> (i / 2)>(op) where it is another one than that of the kind.
type Combine struct {
	Pos   source.Span
	Kind  string
	Image *IndexFunction
	Op    *OperatorRef // nil for ++
	Bare  bool         // the operator stands alone, for pw of it or a parameter
}

// An OperatorRef names an operator on values, or is a tuple of them that works
// component by component.
type OperatorRef struct {
	Pos   source.Span
	Name  string
	Parts []*OperatorRef
}

// The scalar expressions that MDH shares with other notations; a Call is of a function, a
// builtin, a type or a record.
type (
	Expr   = expression.Expr
	Number = expression.Number
	Ref    = expression.Ref
	Unary  = expression.Unary
	Binary = expression.Binary
	Call   = expression.Call
	If     = expression.If
)

// The expressions that are its own.
type (
	// A Tuple is (x, y).
	Tuple struct {
		Pos   source.Span
		Parts []Expr
	}
	// A Select is x.field.
	Select struct {
		Pos   source.Span
		X     Expr
		Field Name
	}
	// A Numbered is x[2]: an access of a buffer, counted from 1.
	Numbered struct {
		Pos    source.Span
		X      Expr
		Number Expr
	}
	// A Table is [1, 2], the value of a constant, or {0, 2}, an index set.
	Table struct {
		Pos   source.Span
		Items []Expr
		IsSet bool
	}
	// A Let is "let p: T = x; body".
	Let struct {
		Pos     source.Span
		Pattern *Pattern
		Type    *Name
		Value   Expr
		Body    Expr
	}
	// An Iterate is "iterate n with (x: T = a) while c do next".
	Iterate struct {
		Pos   source.Span
		Count Expr
		Vars  []*Variable
		While Expr // nil when there is none
		Next  Expr
	}
)

// A Variable is the state of an Iterate.
type Variable struct {
	Name  Name
	Type  *Name
	Value Expr
}

// Span returns the text of the expression.
func (e *Tuple) Span() source.Span    { return e.Pos }
func (e *Select) Span() source.Span   { return e.Pos }
func (e *Numbered) Span() source.Span { return e.Pos }
func (e *Table) Span() source.Span    { return e.Pos }
func (e *Let) Span() source.Span      { return e.Pos }
func (e *Iterate) Span() source.Span  { return e.Pos }
