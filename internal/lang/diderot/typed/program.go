package typed

import "github.com/ricci-lang/ricci/internal/source"

// A Program is a checked program. Variables are the globals in their order, and the order in which they get their
// values; blocks that the program does not have are nil.
type Program struct {
	Pos        source.Span
	Version    string // "1.0" or "2.0"
	Variables  []*Variable
	Functions  []*Function
	Initialize *Block
	Strand     *Strand
	Start      *Block
	Update     *Block
	Create     *Create
	Uses       Uses
}

// Uses says what the strands of a program do to each other.
type Uses struct {
	Queries, New, Die bool
	Counts            bool // numActive, numStable or numStrands in a strand
	Reductions        bool // over sets of strands
}

// A Role says where a variable lives.
type Role uint8

// The roles. Consts, inputs and globals are those of the program; Parameter and State are those of the strand; Argument is
// a parameter of a function; Position is the x of a closed-form field P(x); Iterator is bound by foreach, a comprehension,
// a reduction or the creation of strands.
const (
	Const Role = iota
	Input
	Global
	Parameter
	State
	Argument
	Position
	Local
	Iterator
)

var roleNames = [...]string{"const", "input", "global", "parameter", "state variable", "parameter", "position", "local", "iteration variable"}

// String returns the word of diagnostics.
func (r Role) String() string { return roleNames[r] }

// A Variable is a named value, field, image or kernel.
type Variable struct {
	Pos  source.Span // of its name
	Name string
	Role Role
	Type *Type
	// Value is what it begins with, of its Type, or nil: a global or state of a value type may get its value in a block,
	// an input without a value has to be given.
	Value Expr
	// Constant is the value of a Const, and the default of an Input that is no image and no Load: numbers and texts.
	Constant *Value
	Output   bool   // of a state
	Doc      string // of an input
	// Assigned says that some statement assigns it, besides its declaration. Fields, images and kernels never are.
	Assigned bool
	// Seen says that other strands may read it: x in t.x, and pos if there are queries.
	Seen bool
}

// A Function is a function of the program. No function calls itself, also not through others: each calls only those
// that stand before it. The last statement on every path of the body is a Return.
type Function struct {
	Pos    source.Span
	Name   string
	Params []*Variable
	Result *Type
	Body   *Block
}

// A Strand is what all strands of a program are instances of.
type Strand struct {
	Pos        source.Span
	Name       string
	Params     []*Variable
	State      []*Variable
	Initialize *Block
	Start      *Block
	Update     *Block
	Stabilize  *Block
	// Place is the state pos that queries compare, or nil if there are none.
	Place *Variable
}

// A Create makes the first strands, one for each combination of elements; the first iterator is the slowest. Args have the
// types of the strand's parameters.
type Create struct {
	Pos        source.Span
	Collection bool
	Args       []Expr
	Iterators  []*Each
}

// An Each is "x in s". In is a sequence, a Range, or a SetOf.
type Each struct {
	Pos      source.Span
	Variable *Variable
	In       Expr
}
