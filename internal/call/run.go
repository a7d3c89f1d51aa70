package call

import (
	"context"
	"github.com/ricci-lang/ricci/tensor"
)

// Run computes the outputs for named inputs, with the kernel for the arguments at hand: see ricci.Def.RunWith.
func (d *Def) Run(ctx context.Context, args map[string]*tensor.Tensor, sizes map[string]int64, options *Options) (map[string]*tensor.Tensor, error) {
	var buffer [bufferedArguments]*tensor.Tensor
	list, known := d.inOrder(buffer[:0], args)
	c := request{made: true, sizes: sizes, options: options}
	r := d.find(list, known, &c)
	if r == nil {
		c.there = true // or who knows
		var err error
		if r, err = d.routeByName(ctx, args, sizes, *options); err != nil {
			return nil, err
		}
	}
	defer r.entry.kernel.release()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make(map[string]*tensor.Tensor, len(r.outputs))
	on := r.entry.kernel.resultsOn(list)
	for _, i := range r.outputs {
		t, err := newOutput(on, d.arguments[i].tensor, r.forms[i].shape, list[i])
		if err != nil {
			return nil, err
		}
		list[i], out[d.arguments[i].name] = t, t
	}
	if err := d.runOn(ctx, r, list, c.there); err != nil {
		return nil, err
	}
	return out, nil
}

// RunInto computes as Kernel.Run does, with the kernel for the arguments at hand: see ricci.Def.RunIntoWith. It allocates
// nothing once the kernel is there.
func (d *Def) RunInto(ctx context.Context, sizes map[string]int64, options *Options, args []*tensor.Tensor) error {
	c := request{sizes: sizes, options: options}
	r := d.find(args, len(args) == len(d.arguments), &c)
	if r == nil {
		c.there = true // or who knows
		var err error
		if r, err = d.routeInto(ctx, args, sizes, *options); err != nil {
			return err
		}
	}
	defer r.entry.kernel.release()
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.runOn(ctx, r, args, c.there)
}

// CheckRun judges what Run has computed, by Kernel.Check.
func (d *Def) CheckRun(ctx context.Context, args, outputs map[string]*tensor.Tensor, sizes map[string]int64, options Options, o CheckOptions) (*CheckReport, error) {
	list, known := d.inOrder(nil, args)
	r := d.find(list, known, &request{made: true, sizes: sizes, options: &options})
	if r == nil {
		var err error
		if r, err = d.routeByName(ctx, args, sizes, options); err != nil {
			return nil, err
		}
	}
	defer r.entry.kernel.release()
	return r.entry.kernel.Check(ctx, args, outputs, o)
}
