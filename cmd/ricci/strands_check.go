package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/native"
	"github.com/ricci-lang/ricci/internal/strand/session"
)

// How --check works for strands
//
// A kernel with strict numerics is compared with the strand evaluator, bit by bit but for functions, of many
// strands of an array some. Then the results of the run are compared with those of that kernel, if its
// numerics are others, and how far they are apart is told.

// checkedStrands is how many strands are compared of more of them, unless all are asked for.
const checkedStrands = 1024

// A strandCheck is the outcome of --check.
type strandCheck struct {
	OK     bool   `json:"ok"`
	Remark string `json:"remark,omitempty"` // why nothing was compared, or not all
	// Strict compares a kernel with strict numerics with the evaluator, Run the results of the run with that.
	Strict map[string]strandCompare `json:"strict,omitempty"`
	Run    map[string]strandCompare `json:"run,omitempty"`

	strict, run []session.Comparison
}

// strandCompare is the --json form of a comparison.
type strandCompare struct {
	Of         int     `json:"of"`       // elements that the output has
	Elements   int     `json:"elements"` // that were looked at
	Equal      int     `json:"equal"`    // bit by bit
	Mismatches int     `json:"mismatches"`
	Worst      string  `json:"worst,omitempty"`
	Error      float64 `json:"error"`
	Allowed    float64 `json:"allowed"`
}

func compareReports(list []session.Comparison) map[string]strandCompare {
	reports := map[string]strandCompare{}
	for _, c := range list {
		reports[c.Name] = strandCompare{Of: c.Of, Elements: c.Elements, Equal: c.Equal, Mismatches: c.Mismatches, Worst: c.Worst, Error: c.Error, Allowed: c.Allowed}
	}
	return reports
}

// checked compares outputs with those of the evaluator, where that is asked for.
func (r *strandRun) checked(ctx context.Context, outputs []*strand.Output, report *strandReport) error {
	if r.check == "" {
		return nil
	}
	c := &strandCheck{OK: true}
	report.Check = c
	if r.by == native.Evaluator {
		c.Remark = "the strand evaluator has run the program, there is nothing to compare"
		return nil
	}
	stop := r.t.working("checking with the strand evaluator")
	err := r.compare(ctx, outputs, c)
	stop()
	if err != nil {
		return err
	}
	c.Strict, c.Run = compareReports(c.strict), compareReports(c.run)
	for _, o := range c.strict {
		c.OK = c.OK && o.Mismatches == 0
	}
	if !c.OK {
		return errSilent
	}
	return nil
}

func (r *strandRun) compare(ctx context.Context, outputs []*strand.Output, c *strandCheck) error {
	strict := outputs
	if r.kernel.Numerics != numerics.Strict.String() {
		var err error
		if strict, err = r.strict(ctx); err != nil {
			return err
		}
		if c.run, err = session.Compare(outputs, strict, nil); err != nil {
			return err
		}
	}
	options := strand.Options{}
	if r.count > checkedStrands && r.check != checkAll && !r.program.Create.Collection && !r.keepsSequences() {
		for k := range checkedStrands { // in equal distances, from the first to the last
			options.Only = append(options.Only, k*(r.count-1)/(checkedStrands-1))
		}
		c.Remark = fmt.Sprintf("%s of %s strands were compared with the evaluator", grouped(checkedStrands), grouped(r.count))
	}
	reference, err := r.evaluate(ctx, options)
	if err != nil {
		return err
	}
	c.strict, err = session.Compare(strict, reference, options.Only)
	return err
}

// strict runs a kernel with strict numerics.
func (r *strandRun) strict(ctx context.Context) ([]*strand.Output, error) {
	kernel := r.kernel
	kernel.Numerics = numerics.Strict.String()
	return r.again(ctx, strand.Options{}, kernel)
}

// evaluate runs the program strand after strand.
func (r *strandRun) evaluate(ctx context.Context, options strand.Options) ([]*strand.Output, error) {
	kernel := r.kernel
	kernel.Target = ricci.Eval
	return r.again(ctx, options, kernel)
}

func (r *strandRun) again(ctx context.Context, options strand.Options, kernel ricci.Options) ([]*strand.Output, error) {
	given, err := r.given(r.strands)
	if err != nil {
		return nil, err
	}
	world, err := r.strands.Start(ctx, given, options, kernel)
	if err != nil {
		return nil, err
	}
	_, err = world.Run(ctx, r.limit)
	var outputs []*strand.Output
	if err == nil {
		outputs, err = world.Outputs()
	}
	if errors.Is(err, strand.ErrNoneStable) { // of a part of the strands
		outputs, err = world.Snapshot()
	}
	return outputs, errors.Join(err, world.Close())
}

// keepsSequences reports whether an output is a dynamic sequence, which has rows of its own.
func (r *strandRun) keepsSequences() bool {
	for _, v := range r.program.Outputs() {
		if v.Type.Dynamic {
			return true
		}
	}
	return false
}

// print writes the outcome for people.
func (c *strandCheck) print(t *terminal) {
	if c == nil {
		return
	}
	for _, o := range c.strict {
		fmt.Fprintf(t.out, "check: %s: strict numerics give %s of %s elements of the evaluator bit by bit%s\n", o.Name, grouped(o.Equal), grouped(o.Elements), difference(o))
	}
	for _, o := range c.run {
		fmt.Fprintf(t.out, "check: %s: the run has %s of %s elements of strict numerics%s\n", o.Name, grouped(o.Equal), grouped(o.Elements), difference(o))
	}
	if c.Remark != "" {
		fmt.Fprintln(t.out, "check:", c.Remark)
	}
}

func difference(c session.Comparison) string {
	switch {
	case c.Mismatches > 0:
		return fmt.Sprintf("; %s differ by more than %.2g, by %.2g at most: %s", grouped(c.Mismatches), c.Allowed, c.Error, c.Worst)
	case c.Worst != "":
		return fmt.Sprintf("; the largest difference is %.2g, allowed are %.2g", c.Error, c.Allowed)
	}
	return ""
}
