package strand

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// Stmt is a statement. The implementers are listed here; a new one adds a line, its cases in
// print_stmt.go, parse_stmt.go, verify_stmt.go, walk.go and compile.go, and what packages passes, lift
// and lower say of it; the last two refuse what they do not know.
type Stmt interface{ stmt() }

func (*Assign) stmt()   {}
func (*If) stmt()       {}
func (*ForRange) stmt() {}
func (*ForEach) stmt()  {}
func (*Build) stmt()    {}
func (*Length) stmt()   {}
func (*Element) stmt()  {}
func (*Query) stmt()    {}
func (*Get) stmt()      {}
func (*Count) stmt()    {}
func (*Reduce) stmt()   {}
func (*New) stmt()      {}
func (*Exit) stmt()     {}
func (*AllExit) stmt()  {}
func (*Message) stmt()  {}
func (*Sample) stmt()   {}
func (*Eigen) stmt()    {}

// An Assign sets one scalar.
type Assign struct {
	Pos   source.Span
	To    *ein.Local
	Value ein.Expr
}

// An If runs one of two blocks.
type If struct {
	Pos        source.Span
	Cond       ein.Expr
	Then, Else Block
}

// A ForRange runs its body for the integers from Low to High, both included.
type ForRange struct {
	Pos       source.Span
	Variable  *Variable
	Low, High ein.Expr
	Body      Block
}

// A ForEach runs its body for the elements that a sequence has at the start.
type ForEach struct {
	Pos      source.Span
	Variable *Variable
	Sequence *Variable
	Body     Block
}

// A Build sets a dynamic sequence to items, one behind the other: none, those of itself and one
// more, those of two others.
type Build struct {
	Pos   source.Span
	To    *Variable
	Items []Item
}

// An Item is all elements of a sequence, or one element by its parts.
type Item struct {
	Sequence *Variable
	Parts    []ein.Expr
}

// A Length sets an integer to the number of elements of a sequence.
type Length struct {
	Pos      source.Span
	To       *ein.Local
	Sequence *Variable
}

// An Element reads an element of a sequence; a place outside of it is a fault.
type Element struct {
	Pos      source.Span
	To       *Variable
	Sequence *Variable
	At       ein.Expr
}

// A Query sets a sequence to the strands that are alive, other than the one that asks, and nearer
// than Radius at the start of the step; in their order. Center is nil for the own position.
type Query struct {
	Pos    source.Span
	To     *Variable
	Radius ein.Expr
	Center []ein.Expr
}

// A Get reads a state of another strand, as it was at the start of the step.
type Get struct {
	Pos    source.Span
	To     *Variable
	Strand *Variable
	State  *Variable
}

// A Set is one of strands.
type Set uint8

// The sets: those that are updated, those that are stable, and both.
const (
	Active Set = iota
	Stable
	All
)

var setNames = [...]string{"active", "stable", "all"}

// String returns the word of the text form.
func (s Set) String() string { return setNames[s] }

// A Count sets an integer to the number of strands of a set.
type Count struct {
	Pos source.Span
	To  *ein.Local
	Set Set
}

// A Fold is an operation of a reduction.
type Fold uint8

// The folds. Of no strand at all a sum is 0, a product 1, a minimum ∞, a maximum -∞ (of integers
// the largest and the least), a mean and a variance are NaN, all is true and exists is false.
const (
	FoldSum Fold = iota
	FoldProduct
	FoldMin
	FoldMax
	FoldMean
	FoldVariance
	FoldAll
	FoldExists
)

var foldNames = [...]string{"sum", "product", "min", "max", "mean", "variance", "all", "exists"}

// String returns the word of the text form.
func (f Fold) String() string { return foldNames[f] }

// A Reduce folds a value over a set of strands. The body computes it for Strand.
type Reduce struct {
	Pos    source.Span
	To     *ein.Local
	Fold   Fold
	Set    Set
	Strand *Variable
	Body   Block
	Value  ein.Expr
}

// A New creates a strand from the parts of its parameters.
type New struct {
	Pos       source.Span
	Arguments []ein.Expr
}

// An ExitKind is how a method ends before its end.
type ExitKind uint8

// The kinds.
const (
	Continue ExitKind = iota
	Stabilize
	Die
)

var exitNames = [...]string{"continue", "stabilize", "die"}

// String returns the word of the text form.
func (k ExitKind) String() string { return exitNames[k] }

// An Exit ends a method.
type Exit struct {
	Pos  source.Span
	Kind ExitKind
}

// An AllExit has all active strands stabilize or die.
type AllExit struct {
	Pos  source.Span
	Kind ExitKind
}

// A Message prints texts and values.
type Message struct {
	Pos   source.Span
	Parts []MessagePart
}

// A MessagePart is a value, or a text where Variable is nil.
type MessagePart struct {
	Text     string
	Variable *Variable
}

// A Border says what is read outside of an image.
type Border uint8

// The borders. Without one, a probe whose support is not inside is a fault.
const (
	NoBorder Border = iota
	Clamp
	Mirror
	Wrap
	Constant // all samples outside are one value, Outside of the Sample
)

var borderNames = [...]string{"inside", "clamp", "mirror", "wrap", "constant"}

// String returns the word of the text form.
func (b Border) String() string { return borderNames[b] }

// A Sample reconstructs components of an image at a position in its index space.
type Sample struct {
	Pos    source.Span
	Image  *Image
	Border Border
	Kernel *Kernel
	At     []*ein.Local
	Wanted []Component
	Field  string // what is probed in the words of the program, for messages; or empty
	// Outside are the components of what is read outside of the image, of the border Constant.
	Outside []*ein.Local
}

// Reads are the locals that the sample reads.
func (s *Sample) Reads() []*ein.Local { return slices.Concat(s.At, s.Outside) }

// A Component is one number of a Sample: of a component of the voxel, differentiated along the
// axes of the image as often as Orders say.
type Component struct {
	To     *ein.Local
	Voxel  int
	Orders []int
}

// An Eigen computes eigenvalues, the largest first, and unit eigenvectors of a symmetric matrix of two
// or three rows. Of has its upper triangle, row by row; Values are Dim locals and Vectors Dim·Dim, one
// vector after the other, or one of the two is empty. Vectors are a right-handed basis.
type Eigen struct {
	Pos             source.Span
	Dim             int
	Of              []ein.Expr
	Values, Vectors []*ein.Local
}
