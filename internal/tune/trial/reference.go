package trial

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// What is small enough for the evaluator, and for code in the order of the program.
const (
	evaluatedWork = 3_000_000
	plainWork     = 1_000_000_000
)

// A Reference is what outputs are compared with.
type Reference struct {
	// Name says what it is: "the evaluator" or a schedule that was run.
	Name     string
	outputs  map[string]*tensor.Tensor
	bounds   map[string]*tensor.Tensor
	accepted [][]uint64 // digests of outputs that were compared and found right
}

// MakeReference prepares the check of every result. Small kernels are computed by
// the evaluator, with its bounds on errors of rounding. For larger ones the
// reference is what two different schedules agree on, the order of the program and
// the given one (for the largest, that one alone), within a bound that grows with
// the number of operations that make an element.
func (r *Runner) MakeReference(ctx context.Context, byDefault *schedule.Tree) (err error) {
	work, _ := r.kernel.Func.Work(r.kernel.Sizes)
	reference := &Reference{}
	switch {
	case work <= evaluatedWork:
		reference.Name = "the evaluator"
		reference.outputs, reference.bounds, err = ein.EvaluateWithBounds(r.kernel.Func, r.kernel.Args, ein.EvalOptions{Sizes: r.kernel.Sizes, Context: ctx})
	case work <= plainWork:
		reference.Name = "the order of the program"
		err = r.agreed(ctx, reference, schedule.Canonical(r.kernel.Func), byDefault)
	default:
		reference.Name = "the default schedule"
		err = r.agreed(ctx, reference, byDefault)
	}
	if err == nil {
		r.reference = reference
	}
	return err
}

// Reference returns what results are compared with.
func (r *Runner) Reference() *Reference { return r.reference }

// agreed runs schedules; the first one's outputs are the reference.
func (r *Runner) agreed(ctx context.Context, reference *Reference, trees ...*schedule.Tree) error {
	var results []map[string]*tensor.Tensor
	for _, candidate := range r.Build(ctx, trees) {
		defer r.Discard(candidate)
		if candidate.Err != nil {
			return candidate.Err
		}
		if _, err := r.call(ctx, candidate, 0); err != nil {
			return err
		}
		outputs, err := r.outputs(ctx)
		if err != nil {
			return err
		}
		results = append(results, outputs)
	}
	work, _ := r.kernel.Func.Work(r.kernel.Sizes)
	reference.outputs, reference.bounds = results[0], map[string]*tensor.Tensor{}
	var apart []error
	for _, t := range r.kernel.Func.Outputs() {
		bound, err := tolerance(results[0][t.Name], work)
		if err != nil {
			return err
		}
		reference.bounds[t.Name] = bound
		for _, other := range results[1:] {
			comparison, err := ein.Compare(other[t.Name], results[0][t.Name], bound)
			if err != nil {
				return err
			}
			if !comparison.OK() {
				apart = append(apart, fmt.Errorf("%s differs between two schedules: %s", t.Name, comparison.Worst))
			}
		}
	}
	if err := errors.Join(apart...); err != nil {
		return source.Internalf("trial", r.kernel.Func.Pos, "%w", err)
	}
	return nil
}

// tolerance bounds what the order of operations may change in an output: each of
// the operations behind an element rounds, by a unit of the largest element; the
// factor is for terms that cancel. Integers must be equal.
func tolerance(output *tensor.Tensor, work int64) (*tensor.Tensor, error) {
	if !output.DType().IsFloat() || output.Len() == 0 {
		return nil, nil
	}
	largest := 0.0
	for o := range output.Offsets() {
		if v := math.Abs(output.FloatAt(o)); !math.IsInf(v, 0) && v > largest {
			largest = v
		}
	}
	const cancellation = 8
	operations := max(1, float64(work)/float64(output.Len()))
	bound, err := tensor.New(tensor.Float64, output.Shape()...)
	if err != nil {
		return nil, err
	}
	tensor.FillConst(bound, cancellation*min(operations*unit(output.DType()), 0.01)*largest)
	return bound, nil
}

// unit is the relative error of one rounding.
func unit(d tensor.DType) float64 {
	switch d {
	case tensor.Float64:
		return 0x1p-53
	case tensor.Float16:
		return 0x1p-11
	case tensor.BFloat16:
		return 0x1p-8
	}
	return 0x1p-24
}

// accepts reports whether outputs with these digests were found right.
func (ref *Reference) accepts(digests []uint64) bool {
	return slices.ContainsFunc(ref.accepted, func(right []uint64) bool { return slices.Equal(right, digests) })
}

// compare returns an *Error when outputs are not those of the reference.
func (ref *Reference) compare(outputs map[string]*tensor.Tensor) error {
	for name, want := range ref.outputs {
		comparison, err := ein.Compare(outputs[name], want, ref.bounds[name])
		if err != nil {
			return err
		}
		if !comparison.OK() {
			return &Error{Wrong, fmt.Errorf("%d of %d elements of %s differ from %s: %s", comparison.Mismatches, comparison.Elements, name, ref.Name, comparison.Worst)}
		}
	}
	return nil
}
