package ricci

import (
	"context"

	"github.com/ricci-lang/ricci/internal/call"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/judge"
	"github.com/ricci-lang/ricci/tensor"
)

// A Comparison says how far an output is from the reference.
type Comparison = ein.Comparison

// A Difference is one element that is not equal to the reference.
type Difference = ein.Difference

// Tolerance says in words which differences Check accepts.
const Tolerance = ein.Tolerance

// Check compares outputs with those of the reference evaluator for the same
// inputs and old values of in-outs. A difference beyond the tolerance is an error
// that names the output and its worst element; the comparisons are returned in
// any case. Sizes gives the sizes that no input determines; it may be nil. Every element is
// evaluated, which is slow, and a long sum hides small faults within its roundings: Kernel.Check
// does better.
func (d *Def) Check(ctx context.Context, args, outputs map[string]*tensor.Tensor, sizes map[string]int64) (map[string]Comparison, error) {
	return d.calls.Check(ctx, args, outputs, sizes)
}

// A Finding is what Kernel.Check found out about an output: a Comparison of all its elements or
// of a drawn sample.
type Finding = judge.Finding

// CheckOptions say how thorough Kernel.Check is. The zero value takes about a second.
type CheckOptions struct {
	All    bool   // every element, however long it takes
	Points int64  // how many points of the index spaces are evaluated at most for each run; 0 for a default
	Seed   uint64 // of the sample and of the whole numbers
}

// A CheckReport is what Kernel.Check found out.
type CheckReport struct {
	// Values has the findings on the caller's numbers by output, Exact those on whole numbers that are
	// chosen so that results have to be equal; nil where there were none.
	Values, Exact map[string]Finding
	// Sizes are smaller ones at which the program was compiled and judged, on random numbers, since
	// elements cannot be evaluated at its own; nil otherwise.
	Sizes map[string]int64
	// Rounding are the functions whose results are not exact for any numbers.
	Rounding []string
	// Remarks say what was not judged, and why.
	Remarks []string
}

// Check judges outputs of the kernel for arguments: these by the reference evaluator, within
// bounds of rounding errors, and the kernel by another run, on whole numbers, with which it has to
// give the very results. Large programs are judged by a sample of their elements, and those
// of which elements cannot be evaluated on their own at smaller sizes. A difference is an error, as
// is a program of which nothing could be compared; the report is returned in any case.
func (k *Kernel) Check(ctx context.Context, args, outputs map[string]*tensor.Tensor, o CheckOptions) (*CheckReport, error) {
	report, err := k.kernel.Check(ctx, args, outputs, call.CheckOptions(o))
	return (*CheckReport)(report), err
}

// CheckRun judges what RunWith has computed, by Kernel.Check.
func (d *Def) CheckRun(ctx context.Context, args, outputs map[string]*tensor.Tensor, sizes map[string]int64, options Options, o CheckOptions) (*CheckReport, error) {
	report, err := d.calls.CheckRun(ctx, args, outputs, sizes, options.forCalls(), call.CheckOptions(o))
	return (*CheckReport)(report), err
}
