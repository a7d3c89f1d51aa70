package trial

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// plainWork is what is small enough for code in the order of the program.
const plainWork = 1_000_000_000

// An agreement is what two schedules have computed.
type agreement struct {
	name            string
	outputs, bounds map[string]*tensor.Tensor
}

// agree makes the reference of a kernel that cannot be evaluated: what the order of the program and
// the given schedule agree on, for the largest the latter alone, within a bound that grows with the
// number of operations that make an element.
func (r *Runner) agree(ctx context.Context, byDefault *schedule.Tree) (*agreement, error) {
	work, _ := r.kernel.Func.Work(r.kernel.Sizes)
	if work <= plainWork {
		a := &agreement{name: "the order of the program"}
		return a, r.agreed(ctx, a, schedule.Canonical(r.kernel.Func), byDefault)
	}
	a := &agreement{name: "the default schedule"}
	return a, r.agreed(ctx, a, byDefault)
}

// agreed runs schedules; the first one's outputs are the reference.
func (r *Runner) agreed(ctx context.Context, a *agreement, trees ...*schedule.Tree) error {
	var results []map[string]*tensor.Tensor
	for _, candidate := range r.Build(ctx, trees) {
		defer r.Discard(candidate)
		if candidate.Err != nil {
			return candidate.Err
		}
		if _, err := r.call(ctx, candidate, 0, r.inputPath()); err != nil {
			return err
		}
		outputs, err := r.outputs(ctx)
		if err != nil {
			return err
		}
		results = append(results, outputs)
	}
	work, _ := r.kernel.Func.Work(r.kernel.Sizes)
	a.outputs, a.bounds = results[0], map[string]*tensor.Tensor{}
	var apart []error
	for _, t := range r.kernel.Func.Outputs() {
		bound, err := tolerance(results[0][t.Name], work)
		if err != nil {
			return err
		}
		a.bounds[t.Name] = bound
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

// compare returns an *Error when outputs are not those of the reference.
func (a *agreement) compare(outputs map[string]*tensor.Tensor) error {
	for name, want := range a.outputs {
		comparison, err := ein.Compare(outputs[name], want, a.bounds[name])
		if err != nil {
			return err
		}
		if !comparison.OK() {
			return &Error{Wrong, fmt.Errorf("%d of %d elements of %s differ from %s: %s", comparison.Mismatches, comparison.Elements, name, a.name, comparison.Worst)}
		}
	}
	return nil
}
