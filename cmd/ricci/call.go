package main

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/argument"
	"github.com/ricci-lang/ricci/tensor"
)

// A call is one run with everything that is reported about it.
type call struct {
	def     *ricci.Def
	kernel  *ricci.Kernel
	args    *argument.Arguments
	results map[string]*tensor.Tensor
}

func newCall(ctx context.Context, def *ricci.Def, a *argument.Arguments, options ricci.Options) (*call, error) {
	signature, err := def.SignatureOf(a.Args)
	if err != nil {
		return nil, err
	}
	for name, n := range a.Sizes {
		signature.Sizes[name] = n
	}
	kernel, err := def.Compile(ctx, signature, options)
	if err != nil {
		return nil, err
	}
	results, err := kernel.RunNamed(ctx, a.Args)
	if err != nil {
		kernel.Close()
		return nil, err
	}
	return &call{def: def, kernel: kernel, args: a, results: results}, nil
}

// finish writes, checks, times and prints, as the flags ask.
func (c *call) finish(ctx context.Context, t *terminal, flags *runFlags, paths map[string]string) error {
	report := runReport{Def: c.def.Name(), Target: string(c.kernel.Target()), Schedule: c.kernel.Schedule(), Random: c.args.Invented, Seed: flags.seed}
	if err := save(ctx, t, paths, c.results); err != nil {
		return err
	}
	var failure error
	if flags.check != "" {
		stop := t.working("checking with the reference evaluator")
		report.Check, failure = c.check(ctx, flags)
		stop()
		if report.Check == nil {
			return failure
		}
	}
	if flags.timed() {
		stop := t.working("timing")
		timing, err := c.time(ctx, flags.runs, flags.time)
		stop()
		if err != nil {
			return err
		}
		report.Time = timing
	}
	if t.json {
		report.Warnings = diagnosticReports(t.warned)
		report.addOutputs(c, paths)
		if err := t.writeResult(failure == nil, report); err != nil {
			return err
		}
	} else if err := c.print(t, &report, paths, flags.timed() || flags.check != ""); err != nil {
		return err
	}
	return failure
}

// briefElements is how many elements of an output are shown beside a check or a
// timing.
const briefElements = 64

// print shows the outputs that went to no file, then check and time. With a
// check or a timing large outputs are only summarised by their shape.
func (c *call) print(t *terminal, report *runReport, paths map[string]string, brief bool) error {
	for _, p := range c.def.Outputs() {
		result := c.results[p.Name]
		if path, written := paths[p.Name]; written {
			fmt.Fprintf(t.out, "%s: %s written to %s\n", p.Name, typeText(result), path)
			continue
		}
		if brief && result.Len() > briefElements {
			fmt.Fprintf(t.out, "%s: %s\n", p.Name, typeText(result))
			continue
		}
		if len(c.def.Outputs()) > 1 {
			fmt.Fprintf(t.out, "%s =\n", p.Name)
		}
		fmt.Fprintln(t.out, result)
	}
	if report.Check != nil {
		report.Check.print(t)
	}
	if report.Time != nil {
		report.Time.print(t)
	}
	return nil
}

// typeText writes type and shape as a declaration does: float32(2, 3).
func typeText(t *tensor.Tensor) string {
	if t.Rank() == 0 {
		return t.DType().String()
	}
	return t.DType().String() + "(" + strings.Trim(strings.ReplaceAll(fmt.Sprint(t.Shape()), " ", ", "), "[]") + ")"
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
