// Package call binds arguments to defs and calls what was compiled for them.
package call

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A Kernel is a def that was compiled for a signature: it checks that arguments are those that it was made for (argument.go),
// writes their addresses and the sizes into a block of words, and has a device launch the code (code.go). A Bound is a kernel
// whose arguments were checked once.
//
// Calls of a Def find the kernel for the arguments at hand: run.go is the way in, routes.go the quick way to a kernel that is
// there, memory.go keeps those that were used last, shapes.go is for ever new shapes, fields.go for structs.
//
// What is on the path of every call allocates nothing and explains nothing; what it refuses is put into words by explain.go.

// A Def is what is called: a def, its arguments, and what is known about earlier calls.
type Def struct {
	*compile.Def
	arguments []parameter            // in the order of Kernel.Run
	routes    atomic.Pointer[routes] // of calls
	last      atomic.Pointer[route]  // of the last call: the first that is tried
	memory    *Memory
}

// NewDef describes a def to those who call it; its kernels are kept in a memory.
func NewDef(d *compile.Def, memory *Memory) *Def {
	made := &Def{Def: d, memory: memory}
	for _, t := range append(d.Func.Inputs(), d.Func.Outputs()...) {
		made.arguments = append(made.arguments, parameter{tensor: t, name: t.Name, role: t.Role, size: len(t.Dims) == 0 && d.Func.IsSize(t)})
	}
	return made
}

// parameter is what calls ask about an argument of a def.
type parameter struct {
	tensor *ein.Tensor
	name   string
	role   ein.Role
	size   bool // a scalar whose value is a size
}

// String describes the argument, such as "the output float32(N) Y".
func (p *parameter) String() string {
	what := map[ein.Role]string{ein.Input: "input", ein.Output: "output", ein.InOut: "in-out"}[p.role]
	text := "the " + what + " " + p.tensor.Type.String()
	if len(p.tensor.Dims) > 0 {
		var dims []string
		for _, dim := range p.tensor.Dims {
			dims = append(dims, dim.Extent.String())
		}
		text += "(" + strings.Join(dims, ", ") + ")"
	}
	return text + " " + p.name
}

// SignatureOf describes the arguments of a call: inputs, in-outs, and the outputs that are preallocated.
func (d *Def) SignatureOf(args map[string]*tensor.Tensor) (compile.Signature, error) {
	s := compile.Signature{Shapes: map[string][]int{}, Strides: map[string][]int{}, Sizes: map[string]int64{}}
	for name, t := range args {
		if t == nil || t.DType() == tensor.Invalid {
			return s, unusable(d.Def, name, "is nil or closed")
		}
		s.Shapes[name] = t.Shape()
		if !t.IsContiguous() {
			s.Strides[name] = t.Strides()
		}
		declared := d.Func.Tensor(name)
		if declared == nil || declared.Role == ein.Temp {
			continue // Bind reports the name
		}
		if declared.Type != t.DType() {
			return s, wrongType(declared, t.DType())
		}
		if t.Rank() == 0 && d.Func.IsSize(declared) {
			if t.Memory() != nil {
				return s, sizeElsewhere(d, name, t)
			}
			s.Sizes[name] = t.Int()
		}
	}
	return s, nil
}

// signatureWith is SignatureOf with values of sizes.
func (d *Def) signatureWith(args map[string]*tensor.Tensor, sizes map[string]int64) (compile.Signature, error) {
	signature, err := d.SignatureOf(args)
	for name, value := range sizes {
		signature.Sizes[name] = value
	}
	return signature, err
}

func (d *Def) bindArguments(args map[string]*tensor.Tensor, sizes map[string]int64) (map[string]int64, error) {
	signature, err := d.signatureWith(args, sizes)
	if err != nil {
		return nil, err
	}
	return d.Bind(signature)
}

// Evaluate computes the outputs with the reference evaluator.
func (d *Def) Evaluate(ctx context.Context, args map[string]*tensor.Tensor, sizes map[string]int64) (map[string]*tensor.Tensor, error) {
	bound, err := d.bindArguments(args, sizes)
	if err != nil {
		return nil, err
	}
	args, giveUp, err := onHost(args)
	if err != nil {
		return nil, err
	}
	defer giveUp()
	return ein.Evaluate(d.Func, args, ein.EvalOptions{Sizes: bound, Context: ctx})
}

// The diagnostics of arguments that are not about sizes.

func wrongType(declared *ein.Tensor, found tensor.DType) error {
	d := &source.Diagnostic{Code: source.WrongElementType, Span: declared.Pos,
		Message: declared.Name + " has elements of type " + found.String() + ", expected " + declared.Type.String()}
	return source.ErrorList{d.WithHelp("convert the array with Convert(%s), or change the declaration", declared.Type)}
}

func unusable(d *compile.Def, name, why string) error {
	e := &source.Diagnostic{Code: source.UnusableArgument, Span: d.Pos, Message: "the argument " + name + " of " + d.Name + " " + why}
	if t := d.Func.Tensor(name); t != nil {
		e.Span = t.Pos
	}
	return source.ErrorList{e}
}

// sizeElsewhere refuses a scalar that decides about sizes and is in the memory of a device.
func sizeElsewhere(d *Def, name string, t *tensor.Tensor) error {
	e := &source.Diagnostic{Code: source.UnusableArgument, Span: d.Func.Tensor(name).Pos, Message: "the argument " + name + " of " + d.Name + " is a size, and on the device " + t.Device()}
	return source.ErrorList{e.WithHelp("pass a copy made with ToHost: the kernel hangs on its value")}
}
