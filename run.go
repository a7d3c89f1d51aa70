package ricci

import (
	"context"

	"github.com/ricci-lang/ricci/internal/call"
	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/tensor"
)

// Compile makes a kernel for arguments of the signature.
func (d *Def) Compile(ctx context.Context, signature Signature, options Options) (*Kernel, error) {
	k, err := d.calls.Compile(ctx, compile.Signature(signature), options.forCalls())
	if err != nil {
		return nil, err
	}
	return &Kernel{d, k}, nil
}

// CompileFor makes a kernel for arguments such as these: the inputs, and the
// outputs that will be preallocated as views.
func (d *Def) CompileFor(ctx context.Context, args map[string]*tensor.Tensor, options Options) (*Kernel, error) {
	signature, err := d.SignatureOf(args)
	if err != nil {
		return nil, err
	}
	return d.Compile(ctx, signature, options)
}

// Run computes the outputs for named inputs (and old values of in-outs, which are
// not modified). The kernel for the shapes and strides at hand is compiled at the
// first call and remembered; the program keeps the last 64 in memory. A def that is
// called with ever new shapes gets one with dynamic sizes, see Options.OwnKernels.
func (d *Def) Run(ctx context.Context, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	return d.calls.Run(ctx, args, nil, &call.Options{})
}

// RunWith is Run with values for sizes that no input determines, and options.
func (d *Def) RunWith(ctx context.Context, args map[string]*tensor.Tensor, sizes map[string]int64, options Options) (map[string]*tensor.Tensor, error) {
	o := options.forCalls()
	return d.calls.Run(ctx, args, sizes, &o)
}

// RunInto computes as Kernel.Run does, with the kernel for the arguments at hand, which it
// finds as Run does: the arguments are the inputs in the order of Inputs, then the outputs,
// preallocated, in the order of Outputs. It allocates nothing once the kernel is there.
func (d *Def) RunInto(ctx context.Context, args ...*tensor.Tensor) error {
	return d.calls.RunInto(ctx, nil, &call.Options{}, args)
}

// RunIntoWith is RunInto with values for sizes that no argument determines, and options.
func (d *Def) RunIntoWith(ctx context.Context, sizes map[string]int64, options Options, args ...*tensor.Tensor) error {
	o := options.forCalls()
	return d.calls.RunInto(ctx, sizes, &o, args)
}

// Evaluate computes the outputs with the reference evaluator: slow, and right by
// definition. Sizes gives those that no input determines; it may be nil.
func (d *Def) Evaluate(ctx context.Context, args map[string]*tensor.Tensor, sizes map[string]int64) (map[string]*tensor.Tensor, error) {
	return d.calls.Evaluate(ctx, args, sizes)
}
