package call

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/ricci-lang/ricci/internal/compile"
	"github.com/ricci-lang/ricci/internal/device"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/judge"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// CheckOptions say how thorough Kernel.Check is: those of package ricci.
type CheckOptions struct {
	All    bool   // every element, however long it takes
	Points int64  // how many points of the index spaces are evaluated at most for each run; 0 for a default
	Seed   uint64 // of the sample and of the whole numbers
}

// A CheckReport is what Kernel.Check found out: that of package ricci.
type CheckReport struct {
	// Values has the findings on the caller's numbers by output, Exact those on whole numbers that are
	// chosen so that results have to be equal; nil where there were none.
	Values, Exact map[string]judge.Finding
	// Sizes are smaller ones at which the program was compiled and judged, on random numbers, since
	// elements cannot be evaluated at its own; nil otherwise.
	Sizes map[string]int64
	// Rounding are the functions whose results are not exact for any numbers.
	Rounding []string
	// Remarks say what was not judged, and why.
	Remarks []string
}

// Check judges outputs of the kernel for arguments: ricci.Kernel.Check explains it.
func (k *Kernel) Check(ctx context.Context, args, outputs map[string]*tensor.Tensor, o CheckOptions) (*CheckReport, error) {
	sizes, err := k.sizesFor(args)
	if err != nil {
		return nil, err
	}
	args, outputs, giveUp, err := caseOnHost(args, outputs)
	if err != nil {
		return nil, err
	}
	defer giveUp()
	c := judge.Case{Func: k.judged(), Sizes: sizes, Args: args, Outputs: outputs}
	if err := k.def.checkOutputs(c); err != nil {
		return nil, err
	}
	options := judge.Options{All: o.All, Points: o.Points, Seed: o.Seed, Strict: k.strict()}
	var broken error
	verdict, err := judge.Kernel(ctx, c, k.caller(ctx, sizes, &broken), options)
	if broken != nil {
		return nil, broken
	}
	report := &CheckReport{Rounding: c.Func.Approximations()}
	var tooLarge *judge.TooLargeError
	if errors.As(err, &tooLarge) {
		verdict, err = k.checkSmaller(ctx, c, tooLarge, options, report)
	}
	if err != nil {
		return nil, err
	}
	report.Values, report.Exact, report.Remarks = verdict.Values, verdict.Exact, append(report.Remarks, verdict.Remarks...)
	where := ""
	if report.Sizes != nil {
		where = " at smaller sizes"
	}
	if err := errors.Join(k.def.problems(verdict.Values, where), k.def.problems(verdict.Exact, where+", on whole numbers")); err != nil {
		return report, joined(err)
	}
	if name := verdict.Unjudged(c.Func); name != "" {
		return report, source.ErrorList{&source.Diagnostic{Code: source.NothingCompared, Span: c.Func.Tensor(name).Pos,
			Message: fmt.Sprintf("nothing of %s could be compared with the reference", name)}}
	}
	return report, nil
}

// judged is the function whose bounds hold for the kernel.
func (k *Kernel) judged() *ein.Func {
	if k.shortened {
		return ein.Shorten(k.def.Func)
	}
	return k.def.Func
}

// strict reports whether the kernel promises the bits of the evaluator.
func (k *Kernel) strict() bool {
	mode, err := numerics.Parse(k.options.Numerics)
	return err == nil && mode == numerics.Strict
}

// caller runs the kernel for the judge; not once more where the evaluator takes long. That a device is gone, or its driver fails, says nothing of the
// kernel, and is no remark about what was judged.
func (k *Kernel) caller(ctx context.Context, sizes map[string]int64, broken *error) judge.Call {
	if k.target == compile.Eval && k.def.Func.Points(sizes) > judge.DefaultPoints {
		return nil
	}
	return func(args map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
		out, err := k.RunNamed(ctx, args)
		var told *source.Diagnostic
		if errors.Is(err, device.ErrLost) || errors.As(err, &told) && told.Code == source.DeviceFailed {
			*broken = err
		}
		return out, err
	}
}

// checkSmaller judges the program, compiled with the same options, at smaller sizes.
func (k *Kernel) checkSmaller(ctx context.Context, c judge.Case, why error, o judge.Options, report *CheckReport) (*judge.Verdict, error) {
	shapes := func(sizes map[string]int64) map[string][]int64 {
		all, err := c.Func.Shapes(sizes)
		if err != nil {
			return nil
		}
		for _, t := range c.Func.ByRole(ein.Output, ein.Temp) {
			delete(all, t.Name)
		}
		return all
	}
	sizes, err := judge.Smaller(c.Func, c.Sizes, o, func(sizes map[string]int64) bool {
		_, err := c.Func.Bind(shapes(sizes), sizes)
		return err == nil
	})
	if err != nil {
		report.Remarks = append(report.Remarks, fmt.Sprintf("%v, and %v; --check=all evaluates everything", why, err))
		return &judge.Verdict{}, nil
	}
	args, err := judge.Random(c.Func, sizes, o.Seed, c.Func.IndexValues)
	if err != nil {
		return nil, err
	}
	signature := compile.Signature{Shapes: map[string][]int{}, Sizes: sizes}
	for name, t := range args {
		signature.Shapes[name] = t.Shape()
	}
	small, outputs, err := k.def.runNew(ctx, signature, args, k.options)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		report.Remarks = append(report.Remarks, fmt.Sprintf("%v, and with %v it does not run: %v; --check=all evaluates everything", why, sizes, err))
		return &judge.Verdict{}, nil
	}
	defer small.Close()
	report.Sizes = sizes
	report.Remarks = append(report.Remarks, why.Error())
	o.All = true
	var broken error
	verdict, err := judge.Kernel(ctx, judge.Case{Func: small.judged(), Sizes: sizes, Args: args, Outputs: outputs}, small.caller(ctx, sizes, &broken), o)
	return verdict, cmp.Or(broken, err)
}

// runNew compiles a kernel and calls it.
func (d *Def) runNew(ctx context.Context, signature compile.Signature, args map[string]*tensor.Tensor, options Options) (*Kernel, map[string]*tensor.Tensor, error) {
	k, err := d.Compile(ctx, signature, options)
	if err != nil {
		return nil, nil, err
	}
	outputs, err := k.RunNamed(ctx, args)
	if err != nil {
		return nil, nil, errors.Join(err, k.Close())
	}
	return k, outputs, nil
}
