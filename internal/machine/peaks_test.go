package machine_test

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
)

// TestOperations: operations on integers have the better of two measured rates, those on
// 16-bit floats the better of their own and of float32.
func TestOperations(t *testing.T) {
	rate := func(t tensor.DType, unit string, speed float64) machine.Rate {
		return machine.Rate{Type: t, Unit: unit, Speed: machine.Speed{One: speed, All: 2 * speed}}
	}
	p := &machine.Peaks{Threads: 2, Rates: []machine.Rate{
		rate(tensor.Float32, "vector", 100), rate(tensor.Int32, "vector", 40), rate(tensor.Int8, "dot", 500),
		rate(tensor.Int8, machine.PlainUnit, 300), rate(tensor.Int32, machine.PlainUnit, 90), rate(tensor.Int64, machine.PlainUnit, 45),
		rate(tensor.BFloat16, machine.DotUnit, 50), rate(tensor.Float16, "vector", 200),
	}}
	for _, test := range []struct {
		dtype             tensor.DType
		flops, operations float64
	}{
		{tensor.Float32, 100, 100}, {tensor.Int32, 40, 90}, {tensor.Uint32, 0, 90}, {tensor.Int8, 500, 500}, {tensor.Uint8, 0, 300}, {tensor.Int64, 0, 45}, {tensor.Float64, 0, 0},
		{tensor.BFloat16, 100, 100}, {tensor.Float16, 200, 200},
	} {
		if got := p.Flops(test.dtype, 1); got != test.flops {
			t.Errorf("%s: %v multiplications and additions, expected %v", test.dtype, got, test.flops)
		}
		if got := p.Operations(test.dtype, 1); got != test.operations {
			t.Errorf("%s: %v operations, expected %v", test.dtype, got, test.operations)
		}
	}
}
