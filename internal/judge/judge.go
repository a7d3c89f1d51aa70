// Package judge says whether results are right: those of kernels, of candidates of the tuner, and
// of drawn programs.
package judge

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// A kernel is judged twice. On the caller's numbers (Values) its results may be off by the
// roundings that the evaluator bounds; of a sum of many numbers that is a bound within which small
// faults hide. So the kernel runs once more, on numbers that the judge has drawn (Exact): small
// whole numbers, powers of two where there is a division, squares under a root, so small that no
// operation of the program rounds, in any order and however its products are grouped. There
// results must be equal, and a term that is missing or one too many, a sign, a neighbour in the
// place of another shows whatever the length of the sum. The evaluator proves for each element
// that nothing rounds; where a program has no such numbers, its bound takes over, and the report
// says so.
//
// What is small is judged in full. Of larger programs a drawn sample of elements is evaluated on
// demand (ein.Sampler): the corners, places beside them, where tails of loops are, and
// others anywhere. The sample hangs on the program and its sizes alone.

// DefaultPoints is how many points of a program the judge evaluates at most, for each run.
const DefaultPoints = 4 << 20

// leastElements is how many elements of every output a sample has at least.
const leastElements = 8

// A Case is what one call has computed.
type Case struct {
	Func    *ein.Func
	Sizes   map[string]int64
	Args    map[string]*tensor.Tensor // the inputs, and the old values of in-outs
	Outputs map[string]*tensor.Tensor
}

// Options say how thorough to be.
type Options struct {
	All    bool  // every element, however long it takes
	Points int64 // DefaultPoints when 0
	Seed   uint64
}

func (o Options) points() int64 {
	if o.Points > 0 {
		return o.Points
	}
	return DefaultPoints
}

// A Finding is the verdict on an output.
type Finding struct {
	ein.Comparison
	Of int // how many elements the output has
	// Unlikely is how many of a few elements are farther off than roundings that are independent of
	// each other leave them, and Likely what sharpness these bounds have. They are no part of the
	// verdict: roundings of equal terms are not independent.
	Unlikely int
	Likely   float64
}

// Compared is how many elements were compared with a number.
func (f Finding) Compared() int { return f.Elements - f.Ambiguous }

// Findings are the verdicts on the outputs, by their names.
type Findings map[string]Finding

// OK reports whether no output has an element that is farther off than it may be.
func (f Findings) OK() bool {
	for _, finding := range f {
		if !finding.OK() {
			return false
		}
	}
	return true
}

// A TooLargeError says why a program cannot be judged at its size.
type TooLargeError struct {
	Output string
	Reason string
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("elements of %s cannot be evaluated on their own: %s", e.Output, e.Reason)
}

// Values compares the outputs of a call with the evaluator. It returns a TooLargeError for a
// program of which neither all nor some elements can be evaluated.
func Values(ctx context.Context, c Case, o Options) (Findings, error) {
	if err := c.shapes(); err != nil {
		return nil, err
	}
	options := ein.EvalOptions{Sizes: c.Sizes, Context: ctx}
	if o.All || c.Func.Points(c.Sizes) <= o.points() {
		return c.inFull(options)
	}
	return c.sampled(options, o)
}

// shapes compares types and shapes of the outputs with what the function declares.
func (c Case) shapes() error {
	shapes, err := c.Func.Shapes(c.Sizes)
	if err != nil {
		return err
	}
	for _, t := range c.Func.Outputs() {
		var want []int
		for _, n := range shapes[t.Name] {
			want = append(want, int(n))
		}
		got := c.Outputs[t.Name]
		if got == nil || got.DType() != t.Type || !slices.Equal(got.Shape(), want) {
			return source.Internalf("judge", t.Pos, "%s is not an output of type %s and shape %v", t.Name, t.Type, want)
		}
	}
	return nil
}

func (c Case) inFull(options ein.EvalOptions) (Findings, error) {
	want, bounds, err := ein.EvaluateWithBounds(c.Func, c.Args, options)
	if err != nil {
		return nil, err
	}
	findings := Findings{}
	for name := range want {
		f := Finding{Of: want[name].Len()}
		if f.Comparison, err = ein.Compare(c.Outputs[name], want[name], bounds[name]); err != nil {
			return nil, err
		}
		findings[name] = f
	}
	return findings, nil
}

// sampled compares drawn elements.
func (c Case) sampled(options ein.EvalOptions, o Options) (Findings, error) {
	sampler, err := ein.NewSampler(c.Func, readers(c.Args), options)
	if err != nil {
		return nil, err
	}
	findings := Findings{}
	outputs := c.Func.Outputs()
	for _, t := range outputs {
		got := c.Outputs[t.Name]
		if sampler.Sliceable() != nil {
			return nil, &TooLargeError{t.Name, sampler.Sliceable().Error()}
		}
		positions := sample(got.Shape(), o.Seed)
		want, bounds, done, err := sampler.Elements(t, positions, o.points()/int64(len(outputs)))
		if err != nil {
			return nil, err
		}
		if done < min(leastElements, len(positions)) {
			return nil, &TooLargeError{t.Name, fmt.Sprintf("%d of them take more than %d points", done+1, o.points()/int64(len(outputs)))}
		}
		findings[t.Name], err = compareAt(got, positions[:done], want, bounds)
		if err != nil {
			return nil, err
		}
	}
	return findings, nil
}

// compareAt compares the elements at some positions of an output.
func compareAt(got *tensor.Tensor, positions []int64, want, bounds *tensor.Tensor) (Finding, error) {
	picked, err := tensor.New(got.DType(), len(positions))
	if err != nil {
		return Finding{}, err
	}
	for k, at := range positions {
		picked.SetBitsAt(k, got.BitsAt(got.Offset(indexOf(at, got.Shape())...)))
	}
	f := Finding{Of: got.Len()}
	if f.Comparison, err = ein.Compare(picked, want, bounds); err == nil && f.Worst != nil {
		f.Worst.Index = indexOf(positions[f.Worst.Index[0]], got.Shape())
	}
	return f, err
}

// readers gives the sampler the elements of tensors.
func readers(args map[string]*tensor.Tensor) map[string]ein.Elements {
	elements := map[string]ein.Elements{}
	for name, t := range args {
		elements[name] = ein.ElementsOf(t)
	}
	return elements
}

// likely fills in what chance would leave, of a few elements.
func (c Case) likely(ctx context.Context, findings Findings, o Options) error {
	sampler, err := ein.NewSampler(c.Func, readers(c.Args), ein.EvalOptions{Sizes: c.Sizes, Context: ctx, Likely: true})
	if err != nil || sampler.Sliceable() != nil {
		return err
	}
	for _, t := range c.Func.Outputs() {
		f := findings[t.Name]
		got := c.Outputs[t.Name]
		if f.Compared() == 0 || f.Sharpness == 0 {
			continue
		}
		positions := sample(got.Shape(), o.Seed)
		positions = positions[:min(len(positions), likelyElements)]
		want, bounds, done, err := sampler.Elements(t, positions, o.points()/8/int64(len(findings)))
		if err != nil {
			return err
		}
		few, err := compareAt(got, positions[:done], want, bounds)
		if err != nil {
			return err
		}
		f.Unlikely, f.Likely = few.Mismatches, few.Sharpness
		if math.IsInf(f.Likely, 0) {
			f.Likely = 0
		}
		findings[t.Name] = f
	}
	return nil
}

// likelyElements is how many elements are also compared with the bounds of chance.
const likelyElements = 256
