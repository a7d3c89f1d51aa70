package syntax

import "github.com/ricci-lang/ricci/internal/source"

// A Stmt is a statement.
type Stmt interface{ Span() source.Span }

// The statements.
type (
	// A Block is { … }.
	Block struct {
		Pos   source.Span
		Stmts []Stmt
	}
	// A Declare is the declaration of a local variable.
	Declare struct {
		Pos      source.Span
		Variable *Variable
	}
	// An Assign is "x = e;"; Op is =, +=, -=, *=, /= or %=.
	Assign struct {
		Pos    source.Span
		Target Name
		Op     Name
		Value  Expr
	}
	// An If is "if (c) s else t"; Else is nil if there is none.
	If struct {
		Pos  source.Span
		Cond Expr
		Then Stmt
		Else Stmt
	}
	// A Foreach is "foreach (int x in s) { … }"; in 1.0 the body may be any statement.
	Foreach struct {
		Pos      source.Span
		Type     Type
		Iterator *Iterator
		Body     Stmt
	}
	// A Print is "print(a, b);".
	Print struct {
		Pos  source.Span
		Args []Expr
	}
	// A New is "new s(a, b);".
	New struct {
		Pos    source.Span
		Strand Name
		Args   []Expr
	}
	// A Leave is "stabilize;", "die;" or "continue;".
	Leave struct {
		Pos  source.Span
		Word string
	}
	// A Return is "return e;".
	Return struct {
		Pos   source.Span
		Value Expr
	}
)

// An Expr is an expression. Parentheses leave no trace in the tree.
type Expr interface{ Span() source.Span }

// The expressions.
type (
	// A Ref is a name.
	Ref struct {
		Pos  source.Span
		Name string
	}
	// A KernelAt is bspln3#1: a kernel that is taken to be less smooth than it is.
	KernelAt struct {
		Pos        source.Span
		Name       Name
		Continuity *Number
	}
	// A Number is a whole number or, with a point, a real one, as it is written.
	Number struct {
		Pos  source.Span
		Text string
	}
	// A String is a string as it is written, with its quotes; Value has its text.
	String struct {
		Pos     source.Span
		Written string
	}
	// A Constant is true, false, inf or π; ∞ is inf.
	Constant struct {
		Pos  source.Span
		Name string
	}
	// A Unary is -x, !x, ∇x, ∇⊗x, ∇•x or ∇×x.
	Unary struct {
		Pos source.Span
		Op  Name
		X   Expr
	}
	// A Binary is "x + y"; "a..b" is one.
	Binary struct {
		Pos  source.Span
		Op   Name
		X, Y Expr
	}
	// A Conditional is "x if c else y".
	Conditional struct {
		Pos              source.Span
		Then, Cond, Else Expr
	}
	// An Apply is the call of a function or the probe of a field: f(x, y).
	Apply struct {
		Pos  source.Span
		Fun  Expr
		Args []Expr
	}
	// An Index is x[i, :], with an All for a colon. In 1.0 the subscript of a sequence is x{i}; Brackets says which.
	Index struct {
		Pos      source.Span
		X        Expr
		Brackets string // "[]" or "{}"
		Indices  []Expr
	}
	// An All is the colon that keeps an axis of a tensor.
	All struct{ Pos source.Span }
	// A Select is x.pos.
	Select struct {
		Pos   source.Span
		X     Expr
		Field Name
	}
	// A Reduce is sum{ e | x in s }.
	Reduce struct {
		Pos      source.Span
		Op       Name
		Body     Expr
		Iterator *Iterator
	}
	// A Sequence is {a, b}.
	Sequence struct {
		Pos      source.Span
		Elements []Expr
	}
	// A Comprehension is { e | x in s }.
	Comprehension struct {
		Pos      source.Span
		Body     Expr
		Iterator *Iterator
	}
	// A Tensor is [a, b]: a tensor or field of components.
	Tensor struct {
		Pos      source.Span
		Elements []Expr
	}
	// A Norm is |x|.
	Norm struct {
		Pos source.Span
		X   Expr
	}
	// A ToReal is real(i).
	ToReal struct {
		Pos source.Span
		X   Expr
	}
	// A Load is load_image("f") or load_sequence("f"), in 1.0 image("f") and load("f").
	Load struct {
		Pos  source.Span
		Kind string // "image" or "sequence"
		Path Expr
	}
	// An Identity is identity[3].
	Identity struct {
		Pos  source.Span
		Size Expr
	}
	// A Zeros is zeros[2,3].
	Zeros struct {
		Pos   source.Span
		Shape *Shape
	}
	// A NaN is nan or nan[2,3]; Shape is nil for the former.
	NaN struct {
		Pos   source.Span
		Shape *Shape
	}
)

// Span returns the text of the node.
func (n *Block) Span() source.Span         { return n.Pos }
func (n *Declare) Span() source.Span       { return n.Pos }
func (n *Assign) Span() source.Span        { return n.Pos }
func (n *If) Span() source.Span            { return n.Pos }
func (n *Foreach) Span() source.Span       { return n.Pos }
func (n *Print) Span() source.Span         { return n.Pos }
func (n *New) Span() source.Span           { return n.Pos }
func (n *Leave) Span() source.Span         { return n.Pos }
func (n *Return) Span() source.Span        { return n.Pos }
func (n *Ref) Span() source.Span           { return n.Pos }
func (n *KernelAt) Span() source.Span      { return n.Pos }
func (n *Number) Span() source.Span        { return n.Pos }
func (n *String) Span() source.Span        { return n.Pos }
func (n *Constant) Span() source.Span      { return n.Pos }
func (n *Unary) Span() source.Span         { return n.Pos }
func (n *Binary) Span() source.Span        { return n.Pos }
func (n *Conditional) Span() source.Span   { return n.Pos }
func (n *Apply) Span() source.Span         { return n.Pos }
func (n *Index) Span() source.Span         { return n.Pos }
func (n *All) Span() source.Span           { return n.Pos }
func (n *Select) Span() source.Span        { return n.Pos }
func (n *Reduce) Span() source.Span        { return n.Pos }
func (n *Sequence) Span() source.Span      { return n.Pos }
func (n *Comprehension) Span() source.Span { return n.Pos }
func (n *Tensor) Span() source.Span        { return n.Pos }
func (n *Norm) Span() source.Span          { return n.Pos }
func (n *ToReal) Span() source.Span        { return n.Pos }
func (n *Load) Span() source.Span          { return n.Pos }
func (n *Identity) Span() source.Span      { return n.Pos }
func (n *Zeros) Span() source.Span         { return n.Pos }
func (n *NaN) Span() source.Span           { return n.Pos }
