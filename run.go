package ricci

import (
	"context"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// Run computes the outputs for named inputs (and old values of in-outs, which are
// not modified). The kernel for the shapes and strides at hand is compiled at the
// first call and remembered; the program keeps the last 64 in memory. A def that is
// called with ever new shapes gets one with dynamic sizes, see Options.OwnKernels.
func (d *Def) Run(ctx context.Context, args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	return d.RunWith(ctx, args, nil, Options{})
}

// RunWith is Run with values for sizes that no input determines, and options.
func (d *Def) RunWith(ctx context.Context, args map[string]*tensor.Tensor, sizes map[string]int64, options Options) (map[string]*tensor.Tensor, error) {
	var buffer [bufferedArguments]*tensor.Tensor
	list, known := d.inOrder(buffer[:0], args)
	r := d.find(list, known, &call{made: true, sizes: sizes, options: &options})
	if r == nil {
		var err error
		if r, err = d.routeByName(ctx, args, sizes, options); err != nil {
			return nil, err
		}
	}
	defer r.entry.kernel.release()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make(map[string]*tensor.Tensor, len(r.outputs))
	for _, i := range r.outputs {
		t, err := newOutput(d.arguments[i].tensor, r.forms[i].shape, list[i])
		if err != nil {
			return nil, err
		}
		list[i], out[d.arguments[i].name] = t, t
	}
	if err := d.runOn(ctx, r, list); err != nil {
		return nil, err
	}
	return out, nil
}

// RunInto computes as Kernel.Run does, with the kernel for the arguments at hand, which it
// finds as Run does: the arguments are the inputs in the order of Inputs, then the outputs,
// preallocated, in the order of Outputs. It allocates nothing once the kernel is there.
func (d *Def) RunInto(ctx context.Context, args ...*tensor.Tensor) error {
	return d.RunIntoWith(ctx, nil, Options{}, args...)
}

// RunIntoWith is RunInto with values for sizes that no argument determines, and options.
func (d *Def) RunIntoWith(ctx context.Context, sizes map[string]int64, options Options, args ...*tensor.Tensor) error {
	r := d.find(args, len(args) == len(d.arguments), &call{sizes: sizes, options: &options})
	if r == nil {
		var err error
		if r, err = d.routeInto(ctx, args, sizes, options); err != nil {
			return err
		}
	}
	defer r.entry.kernel.release()
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.runOn(ctx, r, args)
}

// CheckRun judges what RunWith has computed, by Kernel.Check.
func (d *Def) CheckRun(ctx context.Context, args, outputs map[string]*tensor.Tensor, sizes map[string]int64, options Options, o CheckOptions) (*CheckReport, error) {
	list, known := d.inOrder(nil, args)
	r := d.find(list, known, &call{made: true, sizes: sizes, options: &options})
	if r == nil {
		var err error
		if r, err = d.routeByName(ctx, args, sizes, options); err != nil {
			return nil, err
		}
	}
	defer r.entry.kernel.release()
	return r.entry.kernel.Check(ctx, args, outputs, o)
}

// Evaluate computes the outputs with the reference evaluator: slow, and right by
// definition. Sizes gives those that no input determines; it may be nil.
func (d *Def) Evaluate(ctx context.Context, args map[string]*tensor.Tensor, sizes map[string]int64) (map[string]*tensor.Tensor, error) {
	bound, err := d.bindArguments(args, sizes)
	if err != nil {
		return nil, err
	}
	return ein.Evaluate(d.info.Func, args, ein.EvalOptions{Sizes: bound, Context: ctx})
}

func (d *Def) bindArguments(args map[string]*tensor.Tensor, sizes map[string]int64) (map[string]int64, error) {
	signature, err := d.signatureWith(args, sizes)
	if err != nil {
		return nil, err
	}
	return d.bind(signature)
}

// signatureWith is SignatureOf with values of sizes.
func (d *Def) signatureWith(args map[string]*tensor.Tensor, sizes map[string]int64) (Signature, error) {
	signature, err := d.SignatureOf(args)
	for name, value := range sizes {
		signature.Sizes[name] = value
	}
	return signature, err
}
