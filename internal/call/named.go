package call

import (
	"context"
	"slices"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// evaluate runs the reference evaluator, which copies what it reads first.
func (k *Kernel) evaluate(ctx context.Context, args []*tensor.Tensor, sizes map[string]int64) error {
	named := map[string]*tensor.Tensor{}
	for i, a := range k.arguments {
		named[a.name] = args[i]
	}
	results, err := ein.Evaluate(k.def.Func, named, ein.EvalOptions{Sizes: sizes, Context: ctx})
	if err != nil {
		return err
	}
	for i, a := range k.arguments {
		if a.output {
			if err := args[i].CopyFrom(results[a.name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// RunNamed computes with new, dense outputs and returns them. The map holds the
// inputs and the old values of in-outs, none of which is modified. What does not
// lie in memory as the kernel was compiled for is copied.
func (k *Kernel) RunNamed(ctx context.Context, in map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	if !k.acquire() {
		return nil, ErrClosed
	}
	defer k.release()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sizes, err := k.sizesFor(in)
	if err != nil {
		return nil, err
	}
	shapes, err := k.def.Func.Shapes(sizes)
	if err != nil {
		return nil, err
	}
	args := make([]*tensor.Tensor, len(k.arguments))
	marks := make([]bool, len(k.arguments))
	out := map[string]*tensor.Tensor{}
	for i := range k.arguments {
		a := &k.arguments[i]
		args[i] = in[a.name]
		if a.output {
			if args[i], err = newOutput(a.tensor, compile.Ints(shapes[a.name]), in[a.name]); err != nil {
				return nil, err
			}
			out[a.name] = args[i]
		}
		marks[i] = !a.accepts(args[i])
	}
	switch {
	case k.native == nil:
		err = k.evaluate(ctx, args, sizes)
	case slices.Contains(marks, true):
		err = k.runOnCopies(ctx, args, marks, sizes)
	default:
		err = k.runNative(ctx, args, sizes)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// sizesFor binds the sizes to named arguments, so that all problems of a call are
// reported together, and compares them with those that are compiled in.
func (k *Kernel) sizesFor(in map[string]*tensor.Tensor) (map[string]int64, error) {
	for name := range in {
		if t := k.def.Func.Tensor(name); t != nil && t.Role == ein.Output {
			return nil, unusable(k.def, name, "is an output: RunNamed makes it, Run takes it")
		}
	}
	signature, err := k.def.SignatureOf(in)
	if err != nil {
		return nil, err
	}
	for _, s := range k.def.Func.Sizes {
		if s.Tensor == nil || s.Tensor.Role == ein.Output {
			if value, known := k.sizes[s.Name]; known {
				signature.Sizes[s.Name] = value
			}
		}
	}
	sizes, err := k.def.Bind(signature)
	if err != nil {
		return nil, err
	}
	for name, compiled := range k.sizes {
		if sizes[name] != compiled {
			return nil, k.otherSize(name, sizes[name], compiled)
		}
	}
	return sizes, nil
}

// newOutput allocates an output, filled with the old value of an in-out.
func newOutput(declared *ein.Tensor, shape []int, old *tensor.Tensor) (*tensor.Tensor, error) {
	t, err := tensor.New(declared.Type, shape...)
	if err == nil && declared.Role == ein.InOut {
		err = t.CopyFrom(old)
	}
	return t, err
}
