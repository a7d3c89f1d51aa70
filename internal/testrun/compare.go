package testrun

import (
	"fmt"
	"math"
	"strconv"

	"github.com/ricci-lang/ricci/internal/testblock"
	"github.com/ricci-lang/ricci/tensor"
)

// defaultTolerance is the relative difference that a written result may have:
// some units in the last place, because people write rounded numbers.
func defaultTolerance(d tensor.DType) float64 {
	switch d {
	case tensor.Float64:
		return 1e-9
	case tensor.Float32:
		return 1e-5
	case tensor.Float16:
		return 4e-3
	case tensor.BFloat16:
		return 3e-2
	}
	return 0
}

// compare checks an output against what the block says.
func (r *runner) compare(b *testblock.Block, out testblock.Tensor, got *tensor.Tensor) error {
	if got == nil {
		return fmt.Errorf("there is no output named %s", out.Name)
	}
	if out.Type != nil && out.Type.DType != got.DType() {
		return fmt.Errorf("%s is of type %s, expected %s", out.Name, got.DType(), out.Type.DType)
	}
	want, spec, err := r.value(out.Value, got.DType())
	if err != nil {
		return fmt.Errorf("output %s: %w", out.Name, err)
	}
	if want == nil { // const(V)
		if want, err = tensor.New(got.DType(), got.Shape()...); err != nil {
			return err
		}
		if err := spec.Fill(want); err != nil {
			return fmt.Errorf("output %s: %w", out.Name, err)
		}
	}
	limit := defaultTolerance(got.DType())
	if b.Tolerance != nil {
		limit = *b.Tolerance
	}
	if want.DType() != got.DType() || fmt.Sprint(want.Shape()) != fmt.Sprint(got.Shape()) {
		return fmt.Errorf("%s is %s%v, expected %s%v:\n%s", out.Name, got.DType(), got.Shape(), want.DType(), want.Shape(), got)
	}
	if ok, where := tensor.AllClose(got, want, limit, limit*max(scale(want), b.Scale)); !ok {
		return fmt.Errorf("%s is wrong at %v: got %s, expected %s (tolerance %g)\ngot:\n%s\nexpected:\n%s",
			out.Name, where, number(got, where), number(want, where), limit, got, want)
	}
	return nil
}

// number writes an element with the digits that its type needs.
func number(t *tensor.Tensor, where []int) string {
	switch {
	case t.DType().Kind() == tensor.KindUint:
		return strconv.FormatUint(t.Uint(where...), 10)
	case !t.DType().IsFloat():
		return strconv.FormatInt(t.Int(where...), 10)
	case t.DType() == tensor.Float64:
		return strconv.FormatFloat(t.Float(where...), 'g', -1, 64)
	}
	return strconv.FormatFloat(t.Float(where...), 'g', -1, 32)
}

// scale is the largest magnitude of the expected values: a result near zero that
// comes from terms of that size cannot be more exact.
func scale(t *tensor.Tensor) float64 {
	largest := 0.0
	for offset := range t.Offsets() {
		if v := math.Abs(t.FloatAt(offset)); !math.IsInf(v, 0) && v > largest {
			largest = v
		}
	}
	return largest
}
