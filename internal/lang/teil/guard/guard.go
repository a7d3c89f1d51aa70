// Package guard lowers functions of any notation from ein to TeIL and lets the typing
// rules of TeIL judge them: a second, independent answer to whether a program stays
// in bounds.
package guard

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How it works
//
// A front end proves that accesses are in bounds from the ranges that it infers. If
// the inference is wrong, so is the proof. The guard (Figure 1 of the TeIL
// paper) goes another way from the same program: it rewrites every statement with
// collective operations, which have no subscripts, and asks whether the result has a type.
// The type rules are those for which proofs/ shows that a typed program never leaves
// its arrays.
//
// What the guard believes is little: the declared dimensions of tensors, the ranges
// of the indices, and that a call tests the conditions in Func.Requires. It does
// not look at Access.Checked except to explain a failure, and uses nothing that a front end
// has proved.
//
// Lowering follows the recipe for index notation. An expression becomes a value:
// a TeIL expression with the index that runs along each of its dimensions. A read of
// T(2*i + k) is a shift (the part of the dimension that is reached), a window (two
// indices in one dimension) and a stride (the factor); quotients, remainders, minima and
// maxima are maps of a dimension (terms.go, maps.go); a product is prod and a diag
// for each index that both sides have; other operations expand and transpose
// their operands to one shape; a reduced index is a red of its dimension.
//
// A statement that writes a part of a tensor assigns the tensor with this part replaced
// (target.go).
//
// One thing gets lost on the way: red takes the extent from the tensor, while
// the program states that of its index. So a subscript that is a plain index leaves
// an obligation, that index and dimension have the same extent. Typing comes
// first, then the obligations: a kernel whose dimensions are swapped is refused by
// T-Diag, and one that passes because two wrong sizes are equal by the rule
// "extent".
//
// A branch of a select is only evaluated where its condition holds, while TeIL
// operations are total. An access that leaves its tensor elsewhere gets a padded
// one, after the guard has proved from the condition that it stays inside.

// A Verdict is what the guard finds.
type Verdict uint8

// The verdicts.
const (
	Safe           Verdict = iota // lowered, typed, and all extents agree
	Refused                       // a rule is broken
	NotExpressible                // TeIL has no operation for a construct
)

// String names the verdict.
func (v Verdict) String() string { return [...]string{"safe", "refused", "not expressible"}[v] }

// A Report is the verdict on a function with its reasons.
type Report struct {
	Name    string
	Verdict Verdict
	Program *syntax.Program // nil when not expressible
	// Conditions on sizes are what typing needed beyond sizes of at least 1; a call
	// tests them.
	Conditions []*ein.Condition
	// MayBeZero names the sizes in the program for which the verdict also holds if they
	// are 0, while sizes in a file of TeIL are at least 1.
	MayBeZero []string
	Refusal   *Refusal  // when refused
	Obstacle  *Obstacle // when not expressible
}

// A Refusal is a broken rule, at a place in the user's program.
type Refusal struct {
	Rule    string // "T-Diag", or "extent"
	Pos     source.Span
	Message string
	Help    string
	Sizes   []affine.Expr
}

// An Obstacle is a construct that TeIL cannot say.
type Obstacle struct {
	Construct string
	Detail    string // which one
	Needs     string // what TeIL would need
	Pos       source.Span
}
