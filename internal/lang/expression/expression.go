// Package expression is the scalar expressions that notations have in common: the nodes
// of their trees, and the parser that reads them.
package expression

import (
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// A notation's syntax gives the nodes its own names (type Call = expression.Call) and
// adds further nodes, which only have to have a place. Its parser embeds Parser, which
// is token.Parser and the way down through an expression: Expr, then operators between
// operands, signs before them, and Named at the bottom. A Grammar says what the notation
// has there of its own: its operators as data; as functions what begins with a word
// (let), what else is an operand (a list), what follows on one (a field), and what an
// argument is. "if c then x else y", numbers, true and false, names and calls are those
// of all.
//
// MDH and TeML read their expressions by this package. Those of Tensor Comprehensions and
// TeIL are built otherwise: the former has c ? x : y, keeps parentheses and explains other
// languages' operators; the latter has operations with a fixed number of operands.

// Expr is an expression.
type Expr interface{ Span() source.Span }

// The kinds of expressions that notations share.
type (
	// A Number is a literal; Text is as written.
	Number struct {
		Pos  source.Span
		Text string
	}
	// A Ref is a name that is used; also true and false.
	Ref struct {
		Pos  source.Span
		Name string
	}
	// A Unary is -x or not x.
	Unary struct {
		Pos source.Span
		Op  string
		X   Expr
	}
	// A Binary is x op y.
	Binary struct {
		Pos  source.Span
		Op   string
		X, Y Expr
	}
	// A Call is f(x, y).
	Call struct {
		Pos  source.Span
		Name token.Name
		Args []Expr
	}
	// An If is "if c then x else y".
	If struct {
		Pos              source.Span
		Cond, Then, Else Expr
	}
)

// Parts lists the operands of an expression in the order of the text; none of a kind that a notation has
// for itself.
func Parts(e Expr) []Expr {
	switch e := e.(type) {
	case *Unary:
		return []Expr{e.X}
	case *Binary:
		return []Expr{e.X, e.Y}
	case *Call:
		return e.Args
	case *If:
		return []Expr{e.Cond, e.Then, e.Else}
	}
	return nil
}

// Span returns the text of the expression.
func (e *Number) Span() source.Span { return e.Pos }
func (e *Ref) Span() source.Span    { return e.Pos }
func (e *Unary) Span() source.Span  { return e.Pos }
func (e *Binary) Span() source.Span { return e.Pos }
func (e *Call) Span() source.Span   { return e.Pos }
func (e *If) Span() source.Span     { return e.Pos }
