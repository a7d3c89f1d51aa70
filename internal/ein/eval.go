package ein

import (
	"context"
	"fmt"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How the reference evaluator works
//
// It is the definition of what a Func means, so it follows the definitions word
// by word. Tensors are copied to dense arrays (eval_array.go). The expressions of
// a comprehension are turned into closures, one per node (eval_compile.go), over
// an arithmetic: the exact one of the program's types (eval_exact.go), or one
// that carries error bounds (eval_bound.go). A nest walks the indices from the
// outermost, combines blocks of partial results, collects the results of the
// whole comprehension and only then writes them (eval_nest.go). Of a large program single
// elements can be asked for (eval_sample.go). Tensors are
// compared with a reference in eval_compare.go.

// EvalOptions are the parameters of Evaluate.
type EvalOptions struct {
	// Sizes are the values of the symbolic sizes, as Bind returns them.
	Sizes map[string]int64
	// Context ends a long evaluation; nil means that nothing does.
	Context context.Context
	// Likely has the bounds of sums say how far roundings that are independent of each other move
	// them, instead of how far any roundings can.
	Likely bool
	// Exact has a Sampler compute as Evaluate does, without bounds.
	Exact bool
}

// Evaluate computes the outputs of f. args holds the inputs, the in-outs (their
// old values) and the scalars by name, with the shapes that Bind has accepted;
// none of them is modified. The arithmetic is exactly that of the program: every
// operation is rounded to its type and reductions go from the first index to the
// last.
func Evaluate(f *Func, args map[string]*tensor.Tensor, options EvalOptions) (map[string]*tensor.Tensor, error) {
	ev := &evaluator{options: options, arithmetic: exact{}}
	if err := ev.run(f, args); err != nil {
		return nil, err
	}
	return ev.results(f, (*array).tensor)
}

// EvaluateWithBounds computes a reference for Compare: the outputs, with all
// floating-point arithmetic in float64, and for every output a float64 tensor of
// bounds on how far a correct implementation in the types of the program may be
// away from them (see Tolerance).
func EvaluateWithBounds(f *Func, args map[string]*tensor.Tensor, options EvalOptions) (outputs, bounds map[string]*tensor.Tensor, err error) {
	ev := &evaluator{options: options, arithmetic: bounded{}}
	if err := ev.run(f, args); err != nil {
		return nil, nil, err
	}
	if outputs, err = ev.results(f, (*array).tensor); err != nil {
		return nil, nil, err
	}
	bounds, err = ev.results(f, (*array).bounds)
	return outputs, bounds, err
}

// An evaluator holds the state of one call.
type evaluator struct {
	f          *Func
	options    EvalOptions
	arithmetic arithmetic
	arrays     map[*Tensor]*array
	left       *int64 // how many points may still be evaluated; nil for any number
}

func (ev *evaluator) run(f *Func, args map[string]*tensor.Tensor) (err error) {
	defer source.RecoverInternal("evaluator", &err)
	ev.f, ev.arrays = f, map[*Tensor]*array{}
	for _, t := range f.Tensors {
		if err := ev.allocate(t, args); err != nil {
			return err
		}
	}
	for _, c := range f.Body {
		n, err := ev.compile(c)
		if err != nil {
			return err
		}
		if err := n.run(); err != nil {
			return err
		}
	}
	return nil
}

// allocate makes the array of a tensor, filled from its argument if it has one.
func (ev *evaluator) allocate(t *Tensor, args map[string]*tensor.Tensor) error {
	a, shape, err := ev.declare(t)
	if err != nil {
		return err
	}
	ev.arrays[t] = a
	if err := a.allocate(shape, ev.arithmetic.bounds()); err != nil {
		return source.Internalf("evaluator", t.Pos, "%s: %w", t.Name, err)
	}
	argument, err := argumentOf(t, shape, args)
	if argument != nil {
		a.fill(argument)
	}
	return err
}

// declare returns an array with the ranges of a tensor, and its shape.
func (ev *evaluator) declare(t *Tensor) (*array, []int, error) {
	a := &array{dtype: t.Type}
	shape := make([]int, len(t.Dims))
	for i, d := range t.Dims {
		low, err := ev.size(d.Min, t.Pos)
		if err != nil {
			return nil, nil, err
		}
		extent, err := ev.size(d.Extent, t.Pos)
		if err != nil {
			return nil, nil, err
		}
		if extent < 0 {
			return nil, nil, source.Internalf("evaluator", t.Pos, "%s: dimension %d has the extent %d", t.Name, i, extent)
		}
		a.min, a.extent, shape[i] = append(a.min, low), append(a.extent, extent), int(extent)
	}
	return a, shape, nil
}

// argumentOf returns the argument of a tensor, nil if it has none.
func argumentOf(t *Tensor, shape []int, args map[string]*tensor.Tensor) (*tensor.Tensor, error) {
	if t.Role != Input && t.Role != InOut {
		return nil, nil
	}
	argument := args[t.Name]
	if argument == nil {
		return nil, source.Internalf("evaluator", t.Pos, "the argument %s is missing", t.Name)
	}
	if argument.DType() != t.Type || fmt.Sprint(argument.Shape()) != fmt.Sprint(shape) {
		return nil, source.Internalf("evaluator", t.Pos, "the argument %s is %s%v, expected %s%v", t.Name, argument.DType(), argument.Shape(), t.Type, shape)
	}
	return argument, nil
}

func (ev *evaluator) size(e affine.Expr, pos source.Span) (int64, error) {
	v, err := e.Eval(ev.options.Sizes)
	if err != nil {
		return 0, source.Internalf("evaluator", pos, "%w", err)
	}
	return v, nil
}

// results collects a tensor for every output.
func (ev *evaluator) results(f *Func, of func(*array) (*tensor.Tensor, error)) (map[string]*tensor.Tensor, error) {
	results := map[string]*tensor.Tensor{}
	for _, t := range f.Outputs() {
		r, err := of(ev.arrays[t])
		if err != nil {
			return nil, source.Internalf("evaluator", t.Pos, "%s: %w", t.Name, err)
		}
		results[t.Name] = r
	}
	return results, nil
}
