package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/ricci-lang/ricci/internal/judge"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// How results are judged
//
// As package judge does: on whole numbers, on which results must be equal, and on the arguments
// that are timed, within bounds of rounding errors; what is small in full, and of larger kernels a
// drawn sample of elements. What the sample leaves out is compared with what the first candidate
// has computed, usually the default schedule; where the two differ most, the evaluator is asked.
// So it never hangs on a guess about rounding whether a candidate is wrong.
//
// For a kernel of which single elements cannot be evaluated the reference is what two different
// schedules agree on (agree.go).

// judgedPoints is how many points of a kernel are evaluated for each of the two runs.
const judgedPoints = 2 << 20

// A Reference is what outputs are compared with.
type Reference struct {
	// Name says what it is: "the evaluator" or a schedule that was run.
	Name string
	runs []*referenceRun // the arguments that are timed come last
}

// A referenceRun is what is known about the outputs for some arguments.
type referenceRun struct {
	of       string // says in messages which arguments
	inputs   string // their file
	name     string // of the reference
	judge    *judge.Reference
	agreed   *agreement                // where judge is nil
	first    map[string]*tensor.Tensor // what the first candidate that was found right computed; for samples
	accepted [][]uint64                // digests of outputs that were compared and found right
}

// MakeReference prepares the check of every result.
func (r *Runner) MakeReference(ctx context.Context, byDefault *schedule.Tree) error {
	k, options := r.kernel, judge.Options{Points: judgedPoints, Strict: r.kernel.Numerics == numerics.Strict}
	own := &referenceRun{inputs: r.inputPath(), name: "the evaluator"}
	reference := &Reference{Name: own.name, runs: []*referenceRun{own}}
	var err error
	own.judge, err = judge.Refer(ctx, k.Func, k.Sizes, k.Args, options)
	var tooLarge *judge.TooLargeError
	switch {
	case errors.As(err, &tooLarge):
		own.judge = nil
		if own.agreed, err = r.agree(ctx, byDefault); err == nil {
			own.name = own.agreed.name
		}
	case err == nil && !own.judge.Whole():
		own.name = "a sample of the evaluator"
	}
	if err != nil {
		return err
	}
	if own.judge != nil {
		whole, err := r.wholeNumbers(ctx, options)
		if err != nil {
			return err
		}
		if whole != nil {
			reference.runs = []*referenceRun{whole, own}
		}
	}
	reference.Name = own.name
	r.reference = reference
	return nil
}

// wholeNumbers draws arguments on which results are exact; nil where there are none.
func (r *Runner) wholeNumbers(ctx context.Context, options judge.Options) (*referenceRun, error) {
	k := r.kernel
	numbers, err := judge.Draw(ctx, k.Func, k.Sizes, k.Args, options)
	if err != nil || !numbers.Drawn {
		return nil, err
	}
	if err := r.layout.share(numbers.Args); err != nil {
		return nil, err
	}
	run := &referenceRun{of: " on whole numbers", inputs: filepath.Join(r.dir, "whole"), name: "the evaluator"}
	if run.judge, err = judge.Refer(ctx, k.Func, k.Sizes, numbers.Args, options); err != nil {
		return nil, ctx.Err() // a subscript, perhaps, that is out of bounds for these numbers
	}
	return run, r.layout.writeInputs(run.inputs, numbers.Args)
}

// Reference returns what results are compared with.
func (r *Runner) Reference() *Reference { return r.reference }

// accepts reports whether outputs with these digests were found right.
func (run *referenceRun) accepts(digests []uint64) bool {
	return slices.ContainsFunc(run.accepted, func(right []uint64) bool { return slices.Equal(right, digests) })
}

// compare returns an *Error when outputs are not those of the reference.
func (run *referenceRun) compare(outputs map[string]*tensor.Tensor) error {
	if run.judge == nil {
		return run.agreed.compare(outputs)
	}
	findings, err := run.judge.Judge(outputs)
	if err != nil {
		return err
	}
	for name, f := range findings {
		if err := run.wrong(name, f); err != nil {
			return err
		}
	}
	if run.judge.Whole() {
		return nil
	}
	if run.first == nil {
		run.first = outputs
		return nil
	}
	for name, got := range outputs {
		f, err := run.judge.At(name, got, farthest(got, run.first[name]))
		if err != nil {
			return err
		}
		if err := run.wrong(name, f); err != nil {
			return err
		}
	}
	return nil
}

// wrong is the error of a finding.
func (run *referenceRun) wrong(name string, f judge.Finding) error {
	if f.OK() {
		return nil
	}
	return &Error{Wrong, fmt.Errorf("%d of %d elements of %s differ from %s%s: %s", f.Mismatches, f.Elements, name, run.name, run.of, f.Worst)}
}

// examined is how many of the elements that differ most from those of another schedule are judged.
const examined = 64

// farthest returns the row-major positions at which two outputs differ most.
func farthest(got, other *tensor.Tensor) []int64 {
	type apart struct {
		at   int64
		size float64
	}
	var list []apart
	keep := func(n int) {
		slices.SortFunc(list, func(x, y apart) int { return cmp.Or(cmp.Compare(y.size, x.size), cmp.Compare(x.at, y.at)) })
		list = list[:min(n, len(list))]
	}
	for at := range got.Len() { // outputs of a worker are dense
		if got.BitsAt(at) == other.BitsAt(at) {
			continue
		}
		size := math.Abs(got.FloatAt(at) - other.FloatAt(at))
		if size != size {
			size = math.Inf(1)
		}
		if list = append(list, apart{int64(at), size}); len(list) == 64*examined {
			keep(examined)
		}
	}
	keep(examined)
	var positions []int64
	for _, x := range list {
		positions = append(positions, x.at)
	}
	return positions
}
