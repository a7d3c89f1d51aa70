package ricci

import (
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
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
	s := Signature{Shapes: map[string][]int{}, Strides: map[string][]int{}, Sizes: map[string]int64{}}
	for name, t := range args {
		if t == nil || t.DType() == tensor.Invalid {
			return s, unusable(d, name, "is nil or closed")
		}
		if t.Memory() != nil {
			return s, elsewhere(d, name, t)
		}
		s.Shapes[name] = t.Shape()
		if !t.IsContiguous() {
			s.Strides[name] = t.Strides()
		}
		declared := d.info.Func.Tensor(name)
		if declared == nil || declared.Role == ein.Temp {
			continue // Bind reports the name
		}
		if declared.Type != t.DType() {
			return s, wrongType(declared, t.DType())
		}
		if t.Rank() == 0 && d.isSize(declared) {
			s.Sizes[name] = t.Int()
		}
	}
	return s, nil
}

// bind computes the value of every size.
func (d *Def) bind(s Signature) (map[string]int64, error) { return d.source.Bind(compile.Signature(s)) }

// The diagnostics of arguments that are not about sizes.

func wrongType(declared *ein.Tensor, found tensor.DType) error {
	d := &Diagnostic{Code: source.WrongElementType, Span: declared.Pos,
		Message: declared.Name + " has elements of type " + found.String() + ", expected " + declared.Type.String()}
	return ErrorList{d.WithHelp("convert the array with Convert(%s), or change the declaration", declared.Type)}
}

func unusable(d *Def, name, why string) error {
	e := &Diagnostic{Code: source.UnusableArgument, Span: d.info.Pos, Message: "the argument " + name + " of " + d.Name() + " " + why}
	if t := d.info.Func.Tensor(name); t != nil {
		e.Span = t.Pos
	}
	return ErrorList{e}
}

// elsewhere refuses a tensor whose elements kernels of this machine cannot reach.
func elsewhere(d *Def, name string, t *tensor.Tensor) error {
	e := &Diagnostic{Code: source.UnusableArgument, Span: d.info.Pos, Message: "the argument " + name + " of " + d.Name() + " is on the device " + t.Device() + ", and the kernel runs on this machine"}
	if declared := d.info.Func.Tensor(name); declared != nil {
		e.Span = declared.Pos
	}
	return ErrorList{e.WithHelp("pass a copy made with ToHost, and copy results back with CopyFrom")}
}
