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
	named, giveUp, err := onHost(named)
	if err != nil {
		return err
	}
	defer giveUp()
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
		args[i] = in[k.arguments[i].name]
	}
	on := k.resultsOn(args)
	for i := range k.arguments {
		a := &k.arguments[i]
		if !a.output && !a.reaches(args[i]) || a.tensor.Role == ein.InOut && !a.reaches(in[a.name]) {
			return nil, k.elsewhere(a, in[a.name])
		}
		if a.output {
			if args[i], err = newOutput(on, a.tensor, compile.Ints(shapes[a.name]), in[a.name]); err != nil {
				return nil, err
			}
			out[a.name] = args[i]
		}
		marks[i] = !a.accepts(args[i])
	}
	if k.native == nil {
		err = k.evaluate(ctx, args, sizes)
	} else if marks = k.wanted(args, marks); marks != nil {
		err = k.runOnCopies(ctx, args, marks, sizes, true)
	} else {
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
			return nil, unusable(k.def.Def, name, "is an output: RunNamed makes it, Run takes it")
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

// wanted adds what a device with memory of its own wants there to the marks of arguments that lie otherwise than the kernel
// wants; nil: there is nothing to be copied.
func (k *Kernel) wanted(args []*tensor.Tensor, marks []bool) []bool {
	if k.native.allocator != nil {
		marks = joinedMarks(k.marksThere(args), marks)
	}
	if !slices.Contains(marks, true) {
		return nil
	}
	return marks
}

// resultsOn says where a call makes its results: on the device where one of its arguments is there, else on the host.
func (k *Kernel) resultsOn(args []*tensor.Tensor) tensor.Allocator {
	if k.native == nil || k.native.allocator == nil {
		return nil
	}
	for _, t := range args {
		if t != nil && t.Memory() != nil {
			return k.native.allocator
		}
	}
	return nil
}

// newOutput allocates an output, filled with the old value of an in-out.
func newOutput(on tensor.Allocator, declared *ein.Tensor, shape []int, old *tensor.Tensor) (*tensor.Tensor, error) {
	t, err := tensor.NewOn(on, declared.Type, shape...)
	if err == nil && declared.Role == ein.InOut {
		err = t.CopyFrom(old)
	}
	return t, err
}
