// Package syntax reads and writes the text of Tensor Comprehensions: scanner,
// parser, syntax tree and formatter. It knows nothing about names or types.
package syntax

import (
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// A File is a parsed file.
type File struct {
	Source   *source.File
	Imports  []*Import
	Defs     []*Def
	Comments []token.Comment // all comments in the order of the text
}

// An Import makes the defs of another file known: import "mlp.tc".
type Import struct {
	Pos  source.Span
	Path string
}

// An Ident is a name with its place.
type Ident = token.Name

// A Def is a function: def name(inputs) -> (outputs) { body }.
type Def struct {
	Pos     source.Span
	Name    Ident
	Inputs  []*Param
	Outputs []*Param
	Body    []*Stmt
}

// A Param declares an input or an output; Type is nil when it is to be inferred
// (outputs only).
type Param struct {
	Pos  source.Span
	Type *TypeExpr
	Name Ident
}

// A TypeExpr is a scalar type with dimensions: float(M, N). Scalar is the word
// as written ("float", "int32", …).
type TypeExpr struct {
	Pos    source.Span
	Scalar string
	Dims   []Expr // Number or Name as parsed; nil for a scalar
}

// A Stmt assigns: targets assign value where clauses. One of three forms:
//
//	C(i,j) +=! A(i,k) * B(k,j)          one target with or without indices
//	(V(i), P(i)) argmin=! D(i,k)        several targets of an arg reduction
//	(C1, C2) = f(A, B)                  a call of a def, or C = concat(A, B)
//
// The parser cannot tell a call from a scalar assignment; the checker does.
type Stmt struct {
	Pos     source.Span
	Type    *TypeExpr // of a typed temporary: float t(i) = …; usually nil
	Targets []*Target
	Scan    []Ident // S(b,i) scan(i) +=! A(b,i)
	Assign  Assign
	// AssignPos is the place of the operator.
	AssignPos source.Span
	Value     Expr
	// Equivalent is the hint "<=> name(args)", nil when absent. It is accepted
	// for compatibility and has no effect.
	Equivalent *Apply
	Where      []Clause
}

// A Target is the left side of an assignment; Indices is nil without a list,
// and Listed tells O() from O. In B(0, j) the first subscript is a point: Points,
// nil where there is none, has its expression, and its index has no name. In B(i-2)
// the subscript is shifted: Points has i-2, and Indices i.
type Target struct {
	Pos     source.Span
	Name    Ident
	Listed  bool
	Indices []Ident
	Points  []Expr // parallel to Indices, nil for plain indices and beyond its end
}

// Shifted reports whether subscript number k is an index and something added to it.
func (t *Target) Shifted(k int) bool { return t.Point(k) != nil && t.Indices[k].Name != "" }

// Point returns the expression of subscript number k, nil for an index.
func (t *Target) Point(k int) Expr {
	if k >= len(t.Points) {
		return nil
	}
	return t.Points[k]
}

// Assign is an assignment operator. Op is "", "+", "*", "min", "max", "argmin"
// or "argmax"; Initialise is the "!" suffix, true for plain "=" as well.
type Assign struct {
	Op         string
	Initialise bool
}

// String returns the operator as written.
func (a Assign) String() string {
	if a.Op == "" {
		return "="
	}
	if a.Initialise {
		return a.Op + "=!"
	}
	return a.Op + "="
}

// Clause is a part of a where: *RangeClause, *LetClause, *ExistsClause or
// *EmptyClause.
type Clause interface {
	Span() source.Span
	clause()
}

// A RangeClause is "i in lo:hi" (half open), with "or empty" when the range may
// be empty.
type RangeClause struct {
	Pos     source.Span
	Index   Ident
	Lo, Hi  Expr
	OrEmpty bool
}

// A LetClause is "x = exp".
type LetClause struct {
	Pos   source.Span
	Name  Ident
	Value Expr
}

// An ExistsClause is "exists exp": its accesses constrain ranges and are not
// computed.
type ExistsClause struct {
	Pos   source.Span
	Value Expr
}

// An EmptyClause is "i or empty": the inferred range of i may be empty.
type EmptyClause struct {
	Pos   source.Span
	Index Ident
}

func (*RangeClause) clause()  {}
func (*LetClause) clause()    {}
func (*ExistsClause) clause() {}
func (*EmptyClause) clause()  {}

// Span returns the text of the clause.
func (c *RangeClause) Span() source.Span  { return c.Pos }
func (c *LetClause) Span() source.Span    { return c.Pos }
func (c *ExistsClause) Span() source.Span { return c.Pos }
func (c *EmptyClause) Span() source.Span  { return c.Pos }

// Expr is an expression; the implementers are listed here.
type Expr interface {
	Span() source.Span
	expr()
}

func (*Number) expr()      {}
func (*Name) expr()        {}
func (*Apply) expr()       {}
func (*SizeAccess) expr()  {}
func (*Unary) expr()       {}
func (*Binary) expr()      {}
func (*Conditional) expr() {}
func (*CastExpr) expr()    {}
func (*Paren) expr()       {}

// A Number is a literal as written: 3, 0x1F, 1.5, 3e-5, 1.0f.
type Number struct {
	Pos  source.Span
	Text string
}

// A Name is a scalar, a size, an index, a let or a tensor without indices.
type Name struct {
	Pos  source.Span
	Name string
}

// An Apply is f(args): an access, a builtin, a boundary function or a call. Old
// marks old(y)(args), an access to what y held before the statement.
type Apply struct {
	Pos  source.Span
	Func Ident
	Args []Expr
	Old  bool
}

// OldName is the word of old(y)(i-1). It is reserved nowhere else.
const OldName = "old"

// A SizeAccess is A.0, the extent of a dimension.
type SizeAccess struct {
	Pos    source.Span
	Tensor Ident
	Dim    int
}

// A Unary is -x or !x.
type Unary struct {
	Pos source.Span
	Op  string
	X   Expr
}

// A Binary is x op y with op one of || && < > <= >= == != + - * / %.
type Binary struct {
	Pos   source.Span
	Op    string
	OpPos source.Span
	X, Y  Expr
}

// A Conditional is cond ? then : else.
type Conditional struct {
	Pos              source.Span
	Cond, Then, Else Expr
}

// A CastExpr is float(x), int32(x), …; To is the word as written. The words true and false are bool(1) and
// bool(0), and Word is the one that stands there.
type CastExpr struct {
	Pos  source.Span
	To   string
	X    Expr
	Word string // true, false or nothing
}

// A Paren is (x); kept so that the formatter does not lose it.
type Paren struct {
	Pos source.Span
	X   Expr
}

// Span returns the text of the expression.
func (e *Number) Span() source.Span      { return e.Pos }
func (e *Name) Span() source.Span        { return e.Pos }
func (e *Apply) Span() source.Span       { return e.Pos }
func (e *SizeAccess) Span() source.Span  { return e.Pos }
func (e *Unary) Span() source.Span       { return e.Pos }
func (e *Binary) Span() source.Span      { return e.Pos }
func (e *Conditional) Span() source.Span { return e.Pos }
func (e *CastExpr) Span() source.Span    { return e.Pos }
func (e *Paren) Span() source.Span       { return e.Pos }
