// Package syntax reads and writes the text of TeML meta-programs: scanner, parser
// with recovery, tree and formatter. It knows nothing about names or values.
package syntax

import (
	"io"

	"github.com/ricci-lang/ricci/internal/lang/dump"
	"github.com/ricci-lang/ricci/internal/lang/expression"
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// Package token scans the text by the table of the language, in which Unicode
// spellings become ASCII ones (→ is ->, ‖ is ++). The parser is recursive descent;
// package expression reads expressions, and is told what they have here beyond those of
// other notations. A statement begins on a line of its own or behind a semicolon; an error
// ends the statement in which it stands, and the parser goes on at the next line at the
// margin. Format lays out the tokens of the text and keeps its lines and comments.
//
// The grammar is that of Figure 1 of the TeML paper, made regular: the built-in
// expressions are calls, iterator lists are lists, of which an entry may be missing
// (the paper's ε), and "I0 -> I1" is an argument. Beyond the paper are expressions as
// arguments, numbers, conditions, functions and options.

// A File is a parsed meta-program.
type File struct {
	Source     *source.File
	Imports    []token.Imported
	Statements []Statement
	Comments   []token.Comment

	tokens []token.Token
}

// A Name is a word of the program.
type Name = token.Name

// Statement is a statement of a program or of a function's body.
type Statement interface{ Span() source.Span }

// The kinds of statements.
type (
	// An Assign is "id = expression" or "id = @real: expression", and of a call with several results
	// "id, id = call".
	Assign struct {
		Pos    source.Span
		Target Name
		More   []Name // the further targets
		Real   *Name  // nil without @
		Value  Expr
	}
	// A Do is a call that stands alone, such as "init(t, 0)" or "tile(l, 32)".
	Do struct {
		Pos  source.Span
		Call *Call
	}
	// A Codegen is "codegen name(l1, …) -> t1, … unchecked"; everything but the loops
	// may be missing.
	Codegen struct {
		Pos       source.Span
		Name      *Name
		Loops     []Expr
		Outputs   []Name
		Unchecked *Name // the word, where it stands
	}
	// A Fun is "fun f(x, y) = result" or "fun f(x, y) { statements return result }". Rest
	// is a last parameter "z...", the list of all further arguments.
	Fun struct {
		Pos    source.Span
		Name   Name
		Params []Name
		Rest   *Name
		Body   []Statement
		Result Expr
	}
	// An Option is "option name" or "option name value".
	Option struct {
		Pos   source.Span
		Name  Name
		Value *Name
	}
)

// The expressions that the meta-language shares with other notations.
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
	// A List is [x, y]; an entry that is missing is an Empty.
	List struct {
		Pos   source.Span
		Items []Expr
	}
	// An Empty is the paper's ε: a missing entry of a list, or of an arrow.
	Empty struct{ Pos source.Span }
	// An Arrow is "x -> y", the last argument of a call.
	Arrow struct {
		Pos      source.Span
		From, To Expr
	}
	// A Select is x[n], counted from 1.
	Select struct {
		Pos    source.Span
		X      Expr
		Number Expr
	}
)

// Span returns the text of the node.
func (s *Assign) Span() source.Span  { return s.Pos }
func (s *Do) Span() source.Span      { return s.Pos }
func (s *Codegen) Span() source.Span { return s.Pos }
func (s *Fun) Span() source.Span     { return s.Pos }
func (s *Option) Span() source.Span  { return s.Pos }
func (e *List) Span() source.Span    { return e.Pos }
func (e *Empty) Span() source.Span   { return e.Pos }
func (e *Arrow) Span() source.Span   { return e.Pos }
func (e *Select) Span() source.Span  { return e.Pos }

// Dump writes the tree of a meta-program.
func Dump(w io.Writer, file *source.File) error {
	parsed, _ := Parse(file)
	return dump.Write(w, parsed.Statements)
}
