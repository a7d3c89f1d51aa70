package ricci

import (
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/tensor"
)

// A Signature says for which arguments to compile: everything about the
// arguments but their elements.
type Signature struct {
	// Shapes of the inputs and of the in-outs by name. Those of the outputs
	// follow; where they are given they must agree.
	Shapes map[string][]int
	// Strides in elements, by name; absent means dense and row-major.
	Strides map[string][]int
	// Sizes that no input determines, and values of integer scalars that are
	// sizes (by the name of the scalar).
	Sizes map[string]int64
}

// SignatureOf describes the arguments of a call: inputs, in-outs, and the
// outputs that are preallocated.
func (d *Def) SignatureOf(args map[string]*tensor.Tensor) (Signature, error) {
	s, err := d.calls.SignatureOf(args)
	return Signature(s), err
}

// SignatureForSizes returns the signature of dense arguments for given sizes,
// which are all those of Def.Sizes.
func (d *Def) SignatureForSizes(sizes map[string]int64) (Signature, error) {
	s, err := d.source.SignatureForSizes(sizes)
	return Signature(s), err
}

// CheckSizes checks what the def assumes about its sizes as far as the given ones
// decide it: the errors are those of a call.
func (d *Def) CheckSizes(sizes map[string]int64) error { return d.source.CheckSizes(sizes) }

// IndexValues returns the values [low, high) that the elements of an integer
// argument may have so that every subscript X(I(i)), X(I(i) + 1) that is made of
// one of them stays in bounds, for the given sizes. ok is false when the argument
// is in no such subscript, or when no value fits all of them.
func (d *Def) IndexValues(name string, sizes map[string]int64) (low, high int64, ok bool) {
	return d.info.Func.IndexValues(name, sizes)
}

// SizesFor computes the value of every size for arguments of a signature, and tests what the def assumes of them.
func (d *Def) SizesFor(s Signature) (map[string]int64, error) { return d.bind(s) }

// bind computes the value of every size.
func (d *Def) bind(s Signature) (map[string]int64, error) { return d.source.Bind(compile.Signature(s)) }
