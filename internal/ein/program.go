// Package ein is the core intermediate representation that every notation is
// lowered to: a scalar expression over an index space in which each index
// carries a combine operator.
package ein

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A Func is a list of comprehensions over declared tensors. A comprehension
//
//	out₁[o₁(i)], … = ⊗₁ i₁∈N₁ … ⊗_D i_D∈N_D  ( f₁(i), … )
//
// has one value expression per output; each index says how the results along it
// are combined: placed side by side (Concat, the papers' ++), folded (Reduce,
// pw(⊕)) or folded with all prefixes kept (Scan, ps(⊕)). The meaning is that of
// MDH: operators are applied from the last index (innermost) to the first. All
// values of a comprehension are computed before any output is written, so an
// output may be read on the right-hand side.
//
// Sizes are symbolic: extents are affine.Expr over the names in Func.Sizes.
// Subscripts are ordinary integer expressions; AffineOf recovers the affine ones.
// Types: indices and sizes are int64 (front ends cast them where a notation says
// otherwise). The 16-bit floats are only loaded (through Cast) and stored.

// A Program is a set of functions, lowered from any notation.
type Program struct{ Funcs []*Func }

// Func returns the function of that name, or nil.
func (p *Program) Func(name string) *Func {
	for _, f := range p.Funcs {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// A Func is one compiled unit: what a notation calls a def, a kernel, an
// operator. Calls between functions have been inlined.
type Func struct {
	Pos    source.Span
	Name   string
	Direct bool // sums are computed as they are written: no pass may rearrange them
	// SaysOrEmpty is set where the notation has words for ranges and sizes that may be empty. Only
	// messages hang on it, which must not advise what cannot be written; texts do not keep it.
	SaysOrEmpty bool

	Sizes    []*Size
	Tensors  []*Tensor // inputs, outputs and temporaries in the order of declaration
	Requires []*Condition
	Body     []*Comprehension
	// Remarks say what was done to the function that its numbers may show, for people; texts do
	// not keep them.
	Remarks []string
}

// Relation writes a condition for people. Two conditions e ≥ 0 and −e ≥ 0 are one
// equation: both are written M == N, and repeated is set for the second.
func (f *Func) Relation(r *Condition) (text string, repeated bool) {
	for n, other := range f.Requires {
		if !other.Expr.Equal(r.Expr.Scale(-1)) {
			continue
		}
		for _, first := range f.Requires[:n] {
			if first == r {
				return affine.Equation(r.Expr), false
			}
		}
		return affine.Equation(other.Expr), true
	}
	return affine.Inequality(r.Expr), false
}

// ByRole returns the tensors with one of the roles, in the order of declaration.
func (f *Func) ByRole(roles ...Role) []*Tensor {
	var list []*Tensor
	for _, t := range f.Tensors {
		for _, r := range roles {
			if t.Role == r {
				list = append(list, t)
			}
		}
	}
	return list
}

// Inputs returns the tensors that are only read.
func (f *Func) Inputs() []*Tensor { return f.ByRole(Input) }

// Outputs returns the tensors that a call returns, including those whose old
// value is read (InOut).
func (f *Func) Outputs() []*Tensor { return f.ByRole(Output, InOut) }

// Tensor returns the tensor of that name, or nil.
func (f *Func) Tensor(name string) *Tensor {
	for _, t := range f.Tensors {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// A Size is a symbolic integer that a call fixes: the extent of a dimension of
// an argument, a number from which such an extent is made (N in 2*N - 1), or the
// value of an integer scalar argument that occurs in subscripts or ranges.
type Size struct {
	Pos    source.Span
	Name   string
	Tensor *Tensor // where the value comes from; an Output when no input has it
	Dim    int     // the dimension of Tensor, or ScalarValue
	// MayBeZero is set when the program allows the empty case; otherwise the
	// value of a dimension is at least 1. A ScalarValue may be any integer.
	MayBeZero bool
}

// IsSize reports whether the value of a scalar is a size.
func (f *Func) IsSize(t *Tensor) bool {
	return slices.ContainsFunc(f.Sizes, func(s *Size) bool { return s.Tensor == t && s.Dim == ScalarValue })
}

// ScalarValue as Size.Dim says that the size is the value of a rank-0 tensor.
const ScalarValue = -1

// Role says how a function uses a tensor.
type Role uint8

// The roles.
const (
	Input  Role = iota // read only
	Output             // written in full before it is read
	InOut              // an output whose old value is read first
	Temp               // allocated by the runtime
)

// String returns the keyword of the role in the text form.
func (r Role) String() string { return [...]string{"in", "out", "inout", "temp"}[r] }

// A Tensor is a named array; a scalar has no dimensions.
type Tensor struct {
	Pos  source.Span
	Name string
	Type tensor.DType
	Dims []Dim
	Role Role
	// Notice says of a scalar temporary that the caller looks at it after a call: more than 0 means
	// that a guarded sum, the one at Pos, was computed as it is written (package rewrite).
	Notice bool
}

// A Dim is the range [Min, Min+Extent) of a dimension. Storage starts at Min.
type Dim struct{ Min, Extent affine.Expr }

// A Condition is Expr ≥ 0 on the sizes of a call. It is tested before a kernel
// runs; Reason names who needs it, such as "X(i,i+j,j) reads dimension 1 of X".
type Condition struct {
	Pos    source.Span
	Expr   affine.Expr
	Reason string
}

// A Comprehension is one statement; see the package's essay.
type Comprehension struct {
	Pos     source.Span
	Indices []*Index // outermost first
	Writes  []*Write
	Values  []Expr // one per write, of the type in which it is accumulated
	// Accumulate is the operator that joins the result to the old value of the
	// outputs (old on the left); nil means that the outputs are initialised.
	Accumulate *Operator
}

// A Write is a place that a comprehension writes: Subscripts are over the
// Concat and Scan indices and never map two points to one element. The value is
// converted to the tensor's type only between float32 and a 16-bit float.
type Write struct {
	Pos        source.Span
	Tensor     *Tensor
	Subscripts []Expr
}

// An Index ranges over [Min, Min+Extent). Its name is unique in its
// comprehension and differs from every size.
type Index struct {
	Pos         source.Span
	Name        string
	Min, Extent affine.Expr
	Combine     Combine
	MayBeEmpty  bool // an extent ≤ 0 means no iteration instead of an error
}

// CombineKind says what happens along an index.
type CombineKind uint8

// The kinds of combination.
const (
	Concat CombineKind = iota // ++: results side by side
	Reduce                    // pw(⊕): folded
	Scan                      // ps(⊕): folded, all prefixes kept (inclusive)
)

// Combine is the combine operator of an index; Op is nil for Concat.
type Combine struct {
	Kind CombineKind
	Op   *Operator
}

// ByKind returns the indices of a comprehension with that kind of combination.
func (c *Comprehension) ByKind(kind CombineKind) []*Index {
	var list []*Index
	for _, i := range c.Indices {
		if i.Combine.Kind == kind {
			list = append(list, i)
		}
	}
	return list
}
