package typed

import (
	"slices"
	"strings"
)

// A Row is an operator or builtin for operands of some types. Rows of one name are candidates: the first whose operands
// have exactly the types of the arguments is meant, otherwise the first to whose types they can be coerced.
type Row struct {
	Name string
	Form Form
	// Signature says what it takes and gives: "tensor[σ,d], tensor[d,τ] -> tensor[σ,τ]". A Greek letter is any list of
	// sizes, a Latin one in brackets one size, n also that of the line, of which real is the vector; T is any type that
	// sequences may have elements of, S the strand; const is an int that is known when the program is compiled, and is
	// among the Numbers of the Apply, not its Args. A size of 1 vanishes. Of continuities k∧l is the lesser one.
	Signature string
	// Lifted says that each tensor of the Signature may be a field, all of them over one space; if one is, so is the
	// result, and its continuity is the least of theirs.
	Lifted bool
	Means  Meaning
	// With is the name of what it means: of a generic operator of internal/field for Generic, of an operation for
	// Scalar, and so on.
	With string
	// Swap says that the operation takes the two operands in the other order.
	Swap bool
	Text string
}

// A Form is how a row is written.
type Form uint8

// The forms. A Fold is sum{ e | x in s }, and sum(s).
const (
	Infix Form = iota
	Prefix
	Bars
	Named
	Fold
)

// Usage shows how the row is written, for documents.
func (r *Row) Usage() string {
	switch r.Form {
	case Infix:
		return "`x " + strings.ReplaceAll(r.Name, "|", "\\|") + " y`"
	case Prefix:
		return "`" + r.Name + "x`"
	case Bars:
		return "`\\|x\\|`"
	case Fold:
		return "`" + r.Name + "{ }`"
	}
	switch r.Name {
	case "identity", "zeros":
		return "`" + r.Name + "[ ]`"
	}
	return "`" + r.Name + "( )`"
}

// A Meaning says what a row is lowered to.
type Meaning uint8

// The meanings.
const (
	// Generic: the generic operator With of internal/field, on tensors and fields. Numbers of the Apply are its numbers.
	Generic Meaning = iota
	// Scalar: an operation on bools, ints, reals or strings that fields do not have: With is an operator of the language
	// (+ - * / % on ints truncate and wrap, comparisons), or min, max, abs, a name of ein's builtins, or power (a real to
	// an int).
	Scalar
	// Short: && and ||, whose right operand is evaluated if it matters.
	Short
	// Clerp: lerp, where the place is clamped to the interval before.
	Clerp
	// Eigen: the values or vectors of a symmetric matrix.
	Eigen
	// Joined: the elements of one sequence behind another; an operand that is no sequence of the result's type is one
	// element.
	Joined
	// Length: the number of elements of a sequence.
	Length
	// Sizes: the sizes of an image, the fastest first.
	Sizes
	// Border: an image that is read beyond its border as With says: clamp, mirror, wrap or constant, which takes a value.
	Border
	// Convolve: image ⊛ kernel, in any order.
	Convolve
	// Compose: a field at the places that another one has for values.
	Compose
	// Inside: whether a field can be probed at a position.
	Inside
	// Query: the strands that are nearer than a radius, to the own position or to one that is given.
	Query
	// Count: how many strands there are in the set With.
	Count
	// Folds: a reduction.
	Folds
)

// A Table is a part of the table, as documents show it.
type Table struct {
	Title string
	Rows  []*Row
}

// Tables lists the parts of the table.
func Tables() []Table {
	return []Table{{"Operators", operatorRows}, {"Functions", functionRows}, {"Images and fields", fieldRows}, {"Sequences and reductions", sequenceRows}, {"Strands", strandRows}}
}

// Rows lists the table.
func Rows() []*Row { return slices.Clone(table) }

// Candidates lists the candidates of a name, in their order.
func Candidates(name string, form Form) []*Row { return index[key{name, form}] }

type key struct {
	name string
	form Form
}

// table is read only.
var table = slices.Concat(operatorRows, functionRows, fieldRows, sequenceRows, strandRows)

var index = func() map[key][]*Row {
	m := map[key][]*Row{}
	for _, row := range table {
		k := key{row.Name, row.Form}
		m[k] = append(m[k], row)
	}
	return m
}()
