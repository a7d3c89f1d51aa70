package call

import (
	"context"
	"errors"
	"fmt"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/judge"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// Check compares outputs with those of the reference evaluator, all elements: ricci.Def.Check explains it.
func (d *Def) Check(ctx context.Context, args, outputs map[string]*tensor.Tensor, sizes map[string]int64) (map[string]ein.Comparison, error) {
	bound, err := d.bindArguments(args, sizes)
	if err != nil {
		return nil, err
	}
	args, outputs, giveUp, err := caseOnHost(args, outputs)
	if err != nil {
		return nil, err
	}
	defer giveUp()
	c := judge.Case{Func: d.Func, Sizes: bound, Args: args, Outputs: outputs}
	if err := d.checkOutputs(c); err != nil {
		return nil, err
	}
	findings, err := judge.Values(ctx, c, judge.Options{All: true})
	if err != nil {
		return nil, err
	}
	comparisons := map[string]ein.Comparison{}
	for name, f := range findings {
		comparisons[name] = f.Comparison
	}
	return comparisons, d.problems(findings, "")
}

// checkOutputs reports outputs of another type or shape.
func (d *Def) checkOutputs(c judge.Case) error {
	shapes, err := c.Func.Shapes(c.Sizes)
	if err != nil {
		return err
	}
	for _, t := range c.Func.Outputs() {
		got, want := c.Outputs[t.Name], compile.Ints(shapes[t.Name])
		if got == nil || got.DType() != t.Type || fmt.Sprint(got.Shape()) != fmt.Sprint(want) {
			return unusable(d.Def, t.Name, fmt.Sprintf("is not an output of type %s and shape %v", t.Type, want))
		}
	}
	return nil
}

// problems reports the outputs that differ from the reference.
func (d *Def) problems(findings judge.Findings, where string) error {
	var problems source.ErrorList
	for _, t := range d.Func.Outputs() {
		if f := findings[t.Name]; !f.OK() {
			problems = append(problems, &source.Diagnostic{Code: source.ResultsDiffer, Span: t.Pos,
				Message: fmt.Sprintf("%d of %d elements of %s differ from the reference%s: %s", f.Mismatches, f.Elements, t.Name, where, f.Worst)})
		}
	}
	if problems == nil {
		return nil
	}
	return problems
}

// joined makes one list of problems that were joined.
func joined(err error) error {
	var all source.ErrorList
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range several.Unwrap() {
			var list source.ErrorList
			if !errors.As(one, &list) {
				return err
			}
			all = append(all, list...)
		}
	}
	return all
}
