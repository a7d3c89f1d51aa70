package typed

import (
	"math/big"

	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/source"
)

// An Expr is an expression with its type. The implementers are listed here.
type Expr interface {
	Span() source.Span
	Type() *Type
}

// A Node is what all expressions have.
type Node struct {
	Pos source.Span
	T   *Type
}

// Span returns the text of the node.
func (n *Node) Span() source.Span { return n.Pos }

// Type returns the type of the expression.
func (n *Node) Type() *Type { return n.T }

// A Value is a constant: a bool, an int, a string, a real, or the elements of a tensor (row by row: those of a matrix are
// its rows) or sequence.
type Value struct {
	Bool bool
	Int  int64
	Text string
	Real float64
	// Exact is a real as it is written, where that is a number and not too long to keep; Real is Exact, rounded.
	Exact    *big.Rat
	Elements []*Value
}

// The expressions.
type (
	// A Literal is a constant of type bool, int, string or real. ∞, π and nan have no Exact value.
	Literal struct {
		Node
		Value *Value
	}
	// A Ref is the value of a variable.
	Ref struct {
		Node
		Variable *Variable
	}
	// A KernelRef is a kernel; its type may promise less continuity than it has, or, as tent#1, more.
	KernelRef struct {
		Node
		Kernel *field.Kernel
	}
	// A Coerce makes X a value of another type.
	Coerce struct {
		Node
		How Coercion
		X   Expr
	}
	// An Apply is an operator or builtin. Numbers are what the operator has besides operands: the exponent of ^ of a
	// field, the size of identity, the shape of zeros.
	Apply struct {
		Node
		Row     *Row
		Args    []Expr
		Numbers []int
	}
	// A Call is a call of a function of the program. Args have the types of its parameters.
	Call struct {
		Node
		Function *Function
		Args     []Expr
	}
	// A Probe is F(x); x is a tensor[d], over a line a real.
	Probe struct {
		Node
		Field, At Expr
	}
	// A ClosedForm is the field of "field(2)[] P(x) = e;". The body is a tensor, made of x (a tensor[2], over a line a
	// real), of fields probed anywhere, constants, globals, and operators that fields have.
	ClosedForm struct {
		Node
		Position *Variable
		Body     Expr
	}
	// A Construct is [a, b], a tensor or field of components of one type.
	Construct struct {
		Node
		Elements []Expr
	}
	// A Slice is t[i, :, j] of a tensor or field: a component for each axis, or -1 where the axis stays.
	Slice struct {
		Node
		X  Expr
		At []int
	}
	// A Subscript is an element of a sequence.
	Subscript struct {
		Node
		X, At Expr
	}
	// A Sequenced is {a, b}; all elements have the type of the sequence's elements.
	Sequenced struct {
		Node
		Elements []Expr
	}
	// A Range is low..high, a sequence of int; empty if high < low.
	Range struct {
		Node
		Low, High Expr
	}
	// A Comprehension is { e | x in s }.
	Comprehension struct {
		Node
		Body Expr
		Each *Each
	}
	// A Reduce is sum{ e | x in s }; the name of its Row says which.
	Reduce struct {
		Node
		Row  *Row
		Body Expr
		Each *Each
	}
	// A Conditional is "then if cond else otherwise"; one branch is evaluated.
	Conditional struct {
		Node
		Cond, Then, Else Expr
	}
	// A StateOf is t.x, a state of another strand.
	StateOf struct {
		Node
		Strand Expr
		State  *Variable
	}
	// A SetOf is S.active, S.stable or S.all.
	SetOf struct {
		Node
		Set StrandSet
	}
	// A Load reads an image, or a sequence, from a file.
	Load struct {
		Node
		Path string
	}
	// A Made is an image that a def in another notation computes before anything else. Args are those of the def's inputs: images,
	// Refs to variables or Loads, and constants.
	Made struct {
		Node
		Def  *lang.Def
		Args []MadeArg
		// Steps say for each axis, the fastest first, how many samples of the first image lie between those of this one.
		Steps []int64
	}
	// A NaN is nan[2,3]: all components are not a number.
	NaN struct{ Node }
)

// A MadeArg is an image, or else a number.
type MadeArg struct {
	Image  Expr
	Number *Value
}

// A StrandSet is a set of strands.
type StrandSet uint8

// The sets.
const (
	Active StrandSet = iota
	Stable
	All
)

var setNames = [...]string{"active", "stable", "all"}

// String returns the word of the language.
func (s StrandSet) String() string { return setNames[s] }

// A Coercion is how a value of one type is one of another.
type Coercion uint8

// The coercions. EachElement coerces the elements of a sequence of fixed length; where ToDynamic is needed, too, it stands
// around EachElement. Where foreach (real x in s) runs over integers, its body begins with the declaration of x. ToSmoothness is a field or kernel of
// which less continuity is asked; it changes nothing but the type.
const (
	ToReal       Coercion = iota // int to real, also real(i)
	ToDynamic                    // T[n] to T[], {} to T[]
	EachElement                  // T[n] to U[n]
	ToSmoothness                 // field#k to field#l
)

var coercionNames = [...]string{"real", "dynamic", "each", "smoothness"}

// String returns the word of dumps.
func (c Coercion) String() string { return coercionNames[c] }
