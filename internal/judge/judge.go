// Package judge says whether results are right: those of kernels, of candidates of the tuner, and
// of drawn programs.
package judge

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
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
	// Strict says that the kernel has strict numerics: its results are the evaluator's, bit for bit,
	// where the program calls no function that is a few ulps off.
	Strict bool
}

// equal reports whether all results of a program must be those of ein.Evaluate.
func (o Options) equal(f *ein.Func) bool {
	return o.Strict && !slices.ContainsFunc(f.Approximations(), func(name string) bool { return name != "sqrt" })
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

// readers gives the sampler the elements of tensors.
func readers(args map[string]*tensor.Tensor) map[string]ein.Elements {
	elements := map[string]ein.Elements{}
	for name, t := range args {
		elements[name] = ein.ElementsOf(t)
	}
	return elements
}
