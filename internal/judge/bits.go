package judge

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// Bits compares the outputs of a call in strict numerics with the evaluator's, bit by bit. The function
// must have no approximations (ein.Func.Approximations). The error names the first output that differs
// and its first element; it is a *BitsError.
func Bits(ctx context.Context, c Case) error {
	want, err := ein.Evaluate(c.Func, c.Args, ein.EvalOptions{Sizes: c.Sizes, Context: ctx})
	if err != nil {
		return err
	}
	for _, t := range c.Func.Outputs() {
		if err := SameBits(c.Outputs[t.Name], want[t.Name]); err != nil {
			return &BitsError{t, err}
		}
	}
	return nil
}

// A BitsError is an output that has not the bits of the evaluator.
type BitsError struct {
	Output *ein.Tensor
	Err    error
}

func (e *BitsError) Error() string { return fmt.Sprintf("%s: %v", e.Output.Name, e.Err) }

// Unwrap returns what differs.
func (e *BitsError) Unwrap() error { return e.Err }

// SameBits reports the first element in which two tensors of one shape and type differ; a NaN is as good
// as another.
func SameBits(got, want *tensor.Tensor) error {
	offsets := slices.Collect(want.Offsets())
	n := 0
	for o := range got.Offsets() {
		at := offsets[n]
		if got.DType().IsFloat() {
			x, y := got.FloatAt(o), want.FloatAt(at)
			if math.Float64bits(x) != math.Float64bits(y) && !(math.IsNaN(x) && math.IsNaN(y)) {
				return fmt.Errorf("element %d of %d is %v, the evaluator says %v (difference %g)", n, len(offsets), x, y, x-y)
			}
		} else if got.BitsAt(o) != want.BitsAt(at) {
			return fmt.Errorf("element %d of %d is %d, the evaluator says %d", n, len(offsets), got.IntAt(o), want.IntAt(at))
		}
		n++
	}
	return nil
}
