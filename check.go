package ricci

import (
	"context"
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// A Comparison says how far an output is from the reference.
type Comparison = ein.Comparison

// Tolerance says in words which differences Check accepts.
const Tolerance = ein.Tolerance

// Check compares outputs with those of the reference evaluator for the same
// inputs and old values of in-outs. A difference beyond the tolerance is an error
// that names the output and its worst element; the comparisons are returned in
// any case. Sizes gives the sizes that no input determines; it may be nil.
func (d *Def) Check(ctx context.Context, args, outputs map[string]*tensor.Tensor, sizes map[string]int64) (map[string]Comparison, error) {
	bound, err := d.bindArguments(args, sizes)
	if err != nil {
		return nil, err
	}
	want, errors, err := ein.EvaluateWithBounds(d.info.Func, args, ein.EvalOptions{Sizes: bound, Context: ctx})
	if err != nil {
		return nil, err
	}
	comparisons := map[string]Comparison{}
	var problems ErrorList
	for _, t := range d.info.Func.Outputs() {
		got := outputs[t.Name]
		if got == nil || got.DType() != t.Type || fmt.Sprint(got.Shape()) != fmt.Sprint(want[t.Name].Shape()) {
			return nil, unusable(d, t.Name, fmt.Sprintf("is not an output of type %s and shape %v", t.Type, want[t.Name].Shape()))
		}
		c, err := ein.Compare(got, want[t.Name], errors[t.Name])
		if err != nil {
			return nil, err
		}
		comparisons[t.Name] = c
		if !c.OK() {
			problems = append(problems, &Diagnostic{Code: source.ResultsDiffer, Span: t.Pos,
				Message: fmt.Sprintf("%d of %d elements of %s differ from the reference: %s", c.Mismatches, c.Elements, t.Name, c.Worst)})
		}
	}
	if problems != nil {
		return comparisons, problems
	}
	return comparisons, nil
}
