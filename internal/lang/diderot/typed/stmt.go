package typed

import "github.com/ricci-lang/ricci/internal/source"

// A Stmt is a statement. The implementers are listed here.
type Stmt interface {
	Span() source.Span
	stmt()
}

func (*Block) stmt()   {}
func (*Declare) stmt() {}
func (*Assign) stmt()  {}
func (*If) stmt()      {}
func (*Foreach) stmt() {}
func (*Print) stmt()   {}
func (*New) stmt()     {}
func (*Leave) stmt()   {}
func (*Return) stmt()  {}

// The statements.
type (
	// A Block is { … }. Nothing stands behind a statement that never ends normally: what is unreachable is left out.
	Block struct {
		Pos   source.Span
		Stmts []Stmt
	}
	// A Declare begins the life of a local variable; its Value may be nil. A local may be a field, image or kernel.
	Declare struct {
		Pos      source.Span
		Variable *Variable
	}
	// An Assign sets a variable to a value of its type.
	Assign struct {
		Pos   source.Span
		To    *Variable
		Value Expr
	}
	// An If has two branches; Else is an empty block where the program has none.
	If struct {
		Pos        source.Span
		Cond       Expr
		Then, Else *Block
	}
	// A Foreach runs its body for each element that the sequence has at the start.
	Foreach struct {
		Pos  source.Span
		Each *Each
		Body *Block
	}
	// A Print prints strings as they are, and values.
	Print struct {
		Pos  source.Span
		Args []Expr
	}
	// A New makes a strand. Args have the types of its parameters.
	New struct {
		Pos  source.Span
		Args []Expr
	}
	// A Leave ends a method of the strand; in the global start and update it tells All strands to stabilize or die, and
	// the block goes on.
	Leave struct {
		Pos  source.Span
		Exit Exit
		All  bool
	}
	// A Return ends a function with a value of its result type.
	Return struct {
		Pos   source.Span
		Value Expr
	}
)

// An Exit is how a method ends before its end.
type Exit uint8

// The exits.
const (
	Continue Exit = iota
	Stabilize
	Die
)

var exitNames = [...]string{"continue", "stabilize", "die"}

// String returns the word of the language.
func (e Exit) String() string { return exitNames[e] }

// Span returns the text of the node.
func (n *Block) Span() source.Span   { return n.Pos }
func (n *Declare) Span() source.Span { return n.Pos }
func (n *Assign) Span() source.Span  { return n.Pos }
func (n *If) Span() source.Span      { return n.Pos }
func (n *Foreach) Span() source.Span { return n.Pos }
func (n *Print) Span() source.Span   { return n.Pos }
func (n *New) Span() source.Span     { return n.Pos }
func (n *Leave) Span() source.Span   { return n.Pos }
func (n *Return) Span() source.Span  { return n.Pos }
