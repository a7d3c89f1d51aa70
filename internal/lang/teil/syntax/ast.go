// Package syntax reads and writes the text of TeIL programs: the table of
// operations, scanner, parser with recovery, tree, printer and formatter. It knows
// nothing about shapes.
package syntax

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// All operations of the language are rows of one table (operations.go), which says
// how many positions, sizes and operands each takes; there is one kind of node for
// all of them. Because these numbers are fixed, prefix notation needs no
// parentheses. On top of it stand the infix signs and the application of the
// operator language (Section 5 of the paper), which the package teil elaborates:
// Infix, Apply and Identity never reach its rules.
//
// Package token scans the text by the table of the language. The parser is
// recursive descent, and an error ends the line in which it stands. Format lays out the
// tokens of the text and keeps its lines and comments; Print makes text from a
// tree that has none.

// A File is a parsed file: sizes for all programs, and the programs.
type File struct {
	Source   *source.File
	Imports  []token.Imported
	Params   []*Param
	Programs []*Program
	Comments []token.Comment

	tokens []token.Token
}

// A Name is a word of the program.
type Name = token.Name

// A Param is "param n = 8", a name for a size.
type Param struct {
	Pos   source.Span
	Name  Name
	Value Size
}

// A Program is the paper's program, "alloc* stmt*": a section of the file that
// "def name" begins. A file without def is one program that is called like the file.
type Program struct {
	Pos        source.Span
	Name       Name
	Params     []*Param
	Allocs     []*Alloc
	Folds      []*Fold
	Statements []*Statement
	// Direct is the word "direct" behind the name: the program is computed as it is
	// written, without rewriting.
	Direct *Name
}

// Alloc returns the allocation of a name, or nil.
func (p *Program) Alloc(name string) *Alloc {
	for _, a := range p.Allocs {
		if a.Name.Name == name {
			return a
		}
	}
	return nil
}

// A Mark says who sees an allocation.
type Mark uint8

// The marks. Unmarked is a local, unless no allocation of the program has a mark.
const (
	Unmarked Mark = iota
	In
	Out
	InOut
)

// String returns the word of the mark; it is empty for Unmarked.
func (m Mark) String() string { return [...]string{"", "in", "out", "inout"}[m] }

// An Alloc is "alloc A : float [m, n] in"; Type is nil when there is none.
type Alloc struct {
	Pos     source.Span
	Name    Name
	Type    *Name
	Dims    []Size
	Mark    Mark
	MarkPos source.Span
}

// A Size is a natural number or an expression over the names of sizes.
type Size struct {
	Pos   source.Span
	Value affine.Expr
}

// A Statement is "x = e", or "(x, y) = f(A, B)" for a program f with two outputs.
type Statement struct {
	Pos     source.Span
	Targets []Name
	Value   Expr
}

// Expr is an expression: *Var, *Number, *Operation; or of the operator language:
// *Infix, *Apply, *Identity.
type Expr interface{ Span() source.Span }

// The kinds of expressions.
type (
	// A Var is the name of an allocation.
	Var struct {
		Pos  source.Span
		Name string
	}
	// A Number is a scalar literal; Text is as written, perhaps with a minus.
	Number struct {
		Pos  source.Span
		Text string
	}
	// An Operation applies a row of the table. Args are its positions and sizes,
	// Operands the expressions, both as many as the row says.
	Operation struct {
		Pos      source.Span
		Op       *Op
		Args     []Size
		Operands []Expr
	}
	// An Infix is x + y, x - y, x * y or the composition x . y.
	Infix struct {
		Pos  source.Span
		Op   string
		X, Y Expr
	}
	// An Apply is the application of an operator to a tensor, "(A * B)(u)", or the
	// call of a program, "f(A, B)".
	Apply struct {
		Pos  source.Span
		Head Expr
		Args []Expr
	}
	// A Callee is the head of a call that stays one: of a def in another notation.
	Callee struct {
		Pos  source.Span
		Name string
	}
	// An Identity is "id n", the operator that changes nothing.
	Identity struct {
		Pos  source.Span
		Size Size
	}
)

// Span returns the text of the expression.
func (e *Var) Span() source.Span       { return e.Pos }
func (e *Number) Span() source.Span    { return e.Pos }
func (e *Operation) Span() source.Span { return e.Pos }
func (e *Infix) Span() source.Span     { return e.Pos }
func (e *Apply) Span() source.Span     { return e.Pos }
func (e *Callee) Span() source.Span    { return e.Pos }
func (e *Identity) Span() source.Span  { return e.Pos }

// Position returns argument k, counted from 0, which the table says to be a
// position: a literal.
func (e *Operation) Position(k int) int {
	n, _ := e.Args[k].Value.IsConst()
	return int(n)
}

// Literal returns a size that is a number.
func Literal(n int) Size { return Size{Value: affine.Const(int64(n))} }

// Operate returns the operation of a name on operands, with literal arguments; the
// name is one of the table, and the numbers are those of its row.
func Operate(name string, args []int, operands ...Expr) *Operation {
	op, _ := Lookup(name)
	e := &Operation{Op: op, Operands: operands}
	for _, n := range args {
		e.Args = append(e.Args, Literal(n))
	}
	return e
}

// Children returns the expressions directly below e.
func Children(e Expr) []Expr {
	switch e := e.(type) {
	case *Operation:
		return e.Operands
	case *Infix:
		return []Expr{e.X, e.Y}
	case *Apply:
		return append([]Expr{e.Head}, e.Args...)
	}
	return nil
}

// WithOperands returns a copy of an operation with other operands.
func (e *Operation) WithOperands(operands ...Expr) *Operation {
	c := *e
	c.Operands = operands
	return &c
}

// Walk calls visit for e and everything below it, parents first.
func Walk(e Expr, visit func(Expr)) {
	visit(e)
	for _, c := range Children(e) {
		Walk(c, visit)
	}
}

// Reads lists the names that e reads, each once, in the order of the text.
func Reads(e Expr) []string {
	var names []string
	Walk(e, func(e Expr) {
		if v, ok := e.(*Var); ok && !slices.Contains(names, v.Name) {
			names = append(names, v.Name)
		}
	})
	return names
}

// Map rebuilds an expression from below: change gets each node with its children
// already changed, and may return it.
func Map(e Expr, change func(Expr) Expr) Expr {
	all := func(list []Expr) []Expr {
		mapped := make([]Expr, len(list))
		for n, c := range list {
			mapped[n] = Map(c, change)
		}
		return mapped
	}
	switch x := e.(type) {
	case *Operation:
		e = x.WithOperands(all(x.Operands)...)
	case *Infix:
		c := *x
		c.X, c.Y = Map(x.X, change), Map(x.Y, change)
		e = &c
	case *Apply:
		c := *x
		c.Head, c.Args = Map(x.Head, change), all(x.Args)
		e = &c
	}
	return change(e)
}

// Substitute replaces names of sizes in the positions and sizes of an expression.
func Substitute(e Expr, env map[string]affine.Expr) Expr {
	return Map(e, func(e Expr) Expr {
		switch e := e.(type) {
		case *Operation:
			c := *e
			c.Args = make([]Size, len(e.Args))
			for k, a := range e.Args {
				c.Args[k] = Size{Pos: a.Pos, Value: a.Value.Subst(env)}
			}
			return &c
		case *Identity:
			return &Identity{Pos: e.Pos, Size: Size{Pos: e.Size.Pos, Value: e.Size.Value.Subst(env)}}
		}
		return e
	})
}
