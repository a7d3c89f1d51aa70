// Package loop is the imperative intermediate representation: loops over
// buffers with explicit vectors, regions and parallelism, low enough that a
// target makes no decision of its own.
package loop

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A Func is one kernel. Its compiled form is a C function
//
//	int32_t name(const int64_t *args)
//
// whose argument block is a fixed header (see HeaderWords) and one 64-bit word
// per Param. Buffers are flat arrays of elements; a subscript is one linear int64
// expression in elements, and strides and minima are already folded into it. A
// value has a Type: an element type and a number of lanes; every vector, tail
// and reduction over lanes is written out.
//
// Arithmetic means what package ein says about the same operator, lane by lane.

// The header of the argument block: the words before the Params.
const (
	WordParallel  = 0 // void (*)(void (*body)(void *context, int64_t begin, int64_t end), void *context, int64_t count, int64_t threads)
	WordThreads   = 1 // the greatest number of threads to use, at least 1
	WordWorkspace = 2 // Func.WorkspaceBytes, 64-byte aligned; contents undefined
	WordFault     = 3 // int64_t[2]: site+1 and value of a failed Check
	HeaderWords   = 4
)

// A Func is a kernel. Its C function returns 0, or 1 when a Check failed.
type Func struct {
	Name      string
	Params    []*Param
	Buffers   []*Buffer // every buffer that Body uses
	Workspace int64     // bytes of the Workspace region
	// DynamicWorkspace replaces Workspace when temporaries have unspecialised
	// sizes: the bytes as an expression over those sizes; nil otherwise.
	DynamicWorkspace *affine.Expr
	// Own is how many bytes each thread has for itself, for buffers of Region Thread. These parts lie
	// behind the rest of the workspace, as many as WordThreads says, 64-byte aligned; in the first OwnHead
	// bytes of each is whether it is taken. OwnStart says where the first begins if that depends on sizes.
	Own      int64
	OwnStart Expr
	Sites    []Site
	Notices  []Notice
	// Requires are int64 values over the Params that are not negative: what the
	// caller has tested, and proofs of bounds rest on.
	Requires []Expr
	Body     []Stmt
}

// A Param is a word of the argument block: the address of an argument buffer,
// or the value of a variable (a size or a stride that is not specialised).
type Param struct {
	Buffer *Buffer // nil for a variable
	Var    *Var    // nil for a buffer
	// Origin says what a variable is: "size N" or "stride A 1".
	Origin string
	// NonNegative says that a variable is the extent of a dimension, which proofs
	// of bounds rest on.
	NonNegative bool
}

// A Site is a place that a Check guards: who reads what out of bounds.
type Site struct {
	Pos    source.Span
	Tensor string
	Dim    int
	Lo, Hi int64 // the valid range [Lo, Hi) of the subscript; informative
	Text   string
}

// A Notice is a number in the workspace that the caller looks at after a call: more than 0 means that
// the guarded sum at Pos was computed as it is written.
type Notice struct {
	Buffer *Buffer // in the Workspace at an Offset that is known, one int32
	Pos    source.Span
}

// Region says where a buffer lives.
type Region uint8

// The regions.
const (
	Argument  Region = iota // passed by the caller
	Workspace               // in the workspace, at Offset bytes
	Private                 // on the stack of the thread that runs the enclosing Alloc
	Register                // like Private, but small: subscripts become constant when Unrolled loops are unrolled
	Thread                  // like Private, but large: at Offset bytes of what the thread has of the workspace for itself
	Local                   // shared by the items of a group of a Grid, as long as the group runs
)

// A Buffer is a flat array of Length elements of Type (Lanes > 1 makes a buffer
// of vectors, as register tiles are). For an Argument with unspecialised sizes
// LengthExpr gives the length instead.
type Buffer struct {
	Name       string
	Type       Type
	Region     Region
	Length     int64
	LengthExpr Expr  // nil when Length is known
	Offset     int64 // Workspace, Thread: in bytes, a multiple of 64
	OffsetExpr Expr  // Workspace behind buffers of unknown length: replaces Offset; nil otherwise
	Kept       bool  // Workspace: what one call leaves is read by the next one
	// Low is the least index, at most 0: an argument with a negative stride has
	// elements before its base pointer. Indices run over [Low, Low+Length).
	Low      int64
	ReadOnly bool
}

// Type is the type of a value: Lanes copies of an element. Bool vectors are
// masks. Values never have a 16-bit float type; Load and Store convert.
type Type struct {
	Elem  tensor.DType
	Lanes int
}

// Scalar returns the one-lane type.
func Scalar(d tensor.DType) Type { return Type{Elem: d, Lanes: 1} }

// A Var is a scalar or vector variable that is assigned once: by a loop, a Let
// or a Param.
type Var struct {
	Name string
	Type Type
}

// Stmt is a statement; the implementers are listed here.
type Stmt interface{ stmt() }

func (*For) stmt()      {}
func (*While) stmt()    {}
func (*If) stmt()       {}
func (*Let) stmt()      {}
func (*Alloc) stmt()    {}
func (*Store) stmt()    {}
func (*Prefetch) stmt() {}
func (*Check) stmt()    {}
func (*Comment) stmt()  {}
func (*Turn) stmt()     {}

// LoopKind says how the iterations of a For run.
type LoopKind uint8

// The kinds of loops.
const (
	Serial   LoopKind = iota
	Parallel          // iterations are independent and spread over threads; Step is 1
	Unrolled          // constant bounds; the target writes the iterations out
)

// A For runs Body for Var = Lo, Lo+Step, … below Hi. Var is an int64.
type For struct {
	Var    *Var
	Lo, Hi Expr
	Step   int64
	Kind   LoopKind
	Body   []Stmt
	// Next, of a Parallel loop with a Turn, is a variable of its body: the iteration that
	// the same thread runs next, or the last one of all. It is for prefetches, since it
	// depends on the threads. It may be nil.
	Next *Var
	// Hold, of an Unrolled loop from 0 on, asks the pass hold to load what several of its points read once, before
	// it, into registers that compilers leave alone. It changes no result, and targets do nothing about it.
	Hold bool
}

// A Turn stands among the statements of a Parallel loop, once and not inside of others.
// The iterations run its Body one after the other, in their order, so that it may read what
// those before have written in theirs; what is before and behind it is independent.
type Turn struct{ Body []Stmt }

// TurnOf returns the Turn of a Parallel loop, or nil.
func TurnOf(s *For) *Turn {
	for _, inner := range s.Body {
		if t, ok := inner.(*Turn); ok {
			return t
		}
	}
	return nil
}

// A While runs Body again and again as long as Cond, a scalar bool, holds. What changes from one
// turn to the next is memory: mostly Register buffers of length 1. What Cond says of variables
// holds in Body; what it says of memory does as far as values of it have names.
type While struct {
	Cond Expr
	Body []Stmt
}

// An If runs one of its branches; Cond is a scalar bool.
type If struct {
	Cond       Expr
	Then, Else []Stmt
}

// A Let names a value for the rest of its block.
type Let struct {
	Var   *Var
	Value Expr
}

// An Alloc makes a Private, Register or Thread buffer for the statements of Body; its
// contents start undefined.
type Alloc struct {
	Buffer *Buffer
	Body   []Stmt
}

// A Store writes Value at Index. A value of n lanes and a scalar Index write n
// consecutive elements (one vector element of a buffer of vectors); a vector
// Index scatters. With Mask only the lanes that are true are written. A float32
// value is rounded when the buffer holds 16-bit floats.
type Store struct {
	Buffer *Buffer
	Index  Expr
	Value  Expr
	Mask   Expr // nil: all lanes
	// Stream says that nobody reads the elements soon: a target writes them past the
	// caches where it can. Only for lanes that lie side by side, in memory that threads
	// share.
	Stream bool
	// Kept, of a store to a Register buffer, says that the value is computed here, once: a target
	// keeps compilers from computing it again where it is used.
	Kept bool
	// Row, of a store that streams, says that it is one of a row of vectors that may begin
	// anywhere; nil: of none.
	Row *Row
}

// A Prefetch says that the element Ahead and Beyond places behind Index, and what lies around it, is
// soon read, or written. It changes nothing but time. The element at Index exists; what is
// ahead of it may lie outside of the buffer, where a target asks for nothing or in vain.
type Prefetch struct {
	Buffer *Buffer
	Index  Expr
	Ahead  int64
	Beyond Expr // of int64; nil: 0
	Write  bool
	// Second says that the second cache is near enough: for what is read in order, and
	// comes into the first one by itself.
	Second bool
	// Step is by how many elements the place moves on from vector to vector; not 0 says that
	// memory is read in order page by page, and that the beginning of the next page is asked for
	// where one begins.
	Step int64
}

// A Check ends the kernel (or this thread's part of it) when Cond is false,
// after recording the site and Value.
type Check struct {
	Cond  Expr
	Site  int // index in Func.Sites
	Value Expr
	// Notes, in a grid, says that the item goes on, as others wait for it: what follows does not know Cond.
	Notes bool
}

// A Comment is kept for the readers of printed code.
type Comment struct{ Text string }

// Expr is a value; the implementers are listed here.
type Expr interface {
	Type() Type
	expr()
}

func (*Const) expr()     {}
func (*VarRef) expr()    {}
func (*Load) expr()      {}
func (*Unary) expr()     {}
func (*Binary) expr()    {}
func (*MulAdd) expr()    {}
func (*Call) expr()      {}
func (*Select) expr()    {}
func (*Cast) expr()      {}
func (*Broadcast) expr() {}
func (*Ramp) expr()      {}
func (*Fold) expr()      {}

// A Const is a scalar literal, with the bits of ein.Const.
type Const struct {
	Elem tensor.DType
	Bits uint64
}

// A VarRef is the value of a variable.
type VarRef struct{ Var *Var }

// A Load reads Lanes elements: consecutive ones for a scalar Index (for a buffer
// of vectors, one element), or one per lane of a vector Index. 16-bit floats
// become float32.
type Load struct {
	Buffer *Buffer
	Index  Expr
	Lanes  int
	Mask   Expr // nil: all lanes; lanes that are false give 0 and touch no memory
}

// A Unary is ein.Unary on lanes.
type Unary struct {
	Op ein.UnaryOp
	X  Expr
}

// A Binary is ein.Binary on lanes; both operands have the same type.
type Binary struct {
	Op   ein.BinaryOp
	X, Y Expr
}

// A MulAdd is X·Y + Z; on floats it is rounded once or twice, as the target likes.
type MulAdd struct{ X, Y, Z Expr }

// A Call applies a builtin function lane by lane.
type Call struct {
	Func *ein.Builtin
	Args []Expr
}

// A Select is Cond ? Then : Else. A scalar Cond evaluates only the chosen
// branch; a vector Cond evaluates both, so masked loads must guard memory.
type Select struct{ Cond, Then, Else Expr }

// A Cast is ein.Cast on lanes. By, where it is not Invalid, is an integer type by way of which a target makes
// vectors of narrower integers: the values are the same.
type Cast struct {
	To tensor.DType
	X  Expr
	By tensor.DType
}

// A Broadcast repeats a scalar.
type Broadcast struct {
	X     Expr
	Lanes int
}

// A Ramp is the int64 vector Base, Base+Stride, ….
type Ramp struct {
	Base   Expr
	Stride int64
	Lanes  int
}

// A Fold combines the lanes of X by Op (Add, Mul, Min, Max, And, Or) to a scalar.
type Fold struct {
	Op ein.BinaryOp
	X  Expr
}

// Type returns the type of the value.
func (e *Const) Type() Type     { return Scalar(e.Elem) }
func (e *VarRef) Type() Type    { return e.Var.Type }
func (e *Load) Type() Type      { return Type{Elem: e.Buffer.Type.Elem.Compute(), Lanes: e.Lanes} }
func (e *Unary) Type() Type     { return e.X.Type() }
func (e *MulAdd) Type() Type    { return e.X.Type() }
func (e *Call) Type() Type      { return e.Args[0].Type() }
func (e *Select) Type() Type    { return e.Then.Type() }
func (e *Cast) Type() Type      { return Type{Elem: e.To, Lanes: e.X.Type().Lanes} }
func (e *Broadcast) Type() Type { return Type{Elem: e.X.Type().Elem, Lanes: e.Lanes} }
func (e *Ramp) Type() Type      { return Type{Elem: tensor.Int64, Lanes: e.Lanes} }
func (e *Fold) Type() Type      { return Scalar(e.X.Type().Elem) }

// Type returns a bool type for comparisons, that of the operands otherwise.
func (e *Binary) Type() Type {
	t := e.X.Type()
	if e.Op.IsComparison() {
		t.Elem = tensor.Bool
	}
	return t
}
