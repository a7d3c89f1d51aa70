package c

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// An orderCase is fmax or fmin of a variable and a constant, on either side.
type orderCase struct {
	builtin  *ein.Builtin
	constant float64
	kernel   *loop.Func
}

// TestOrderOfConstants compares fmax and fmin of a variable and a constant with package ein, up to the signs
// of zeros. Only where a NaN or the sign of a zero asks for it they are called.
func TestOrderOfConstants(t *testing.T) {
	var cases []orderCase
	var list []*loop.Func
	for name, zero := range map[string]float64{"fmax": math.Copysign(0, -1), "fmin": 0} {
		for n, constant := range []float64{0, math.Copysign(0, -1), 1.5, -2, math.Inf(1), math.Inf(-1), math.NaN()} {
			for k := range 6 {
				c := newOrderCase(name, constant, []int{1, 8, 16}[k/2], k%2, fmt.Sprintf("%s_%d_%d", name, n, k))
				cases, list = append(cases, c), append(list, c.kernel)
				call := c.kernel.Body[0].(*loop.For).Body[0].(*loop.Store).Value.(*loop.Call)
				if _, ok := orderedBy(call, k%2); ok == (math.IsNaN(constant) || math.Float64bits(constant) == math.Float64bits(zero)) {
					t.Errorf("%s of %v is an operator: %v", name, constant, ok)
				}
			}
		}
	}
	text, err := PrintUnit(list, Options{VectorBytes: 64})
	if err != nil {
		t.Fatal(err)
	}
	in, out := mathInputs(tensor.Float64, 1)[0], make([]float64, mathSamples)
	data, result := uint64(uintptr(unsafe.Pointer(&in[0]))), uint64(uintptr(unsafe.Pointer(&out[0])))
	for _, compiler := range compilers(t) {
		lib := build(t, compiler, text)
		for _, c := range cases {
			lib.call(t, Symbol(c.kernel.Name), append(make([]uint64, loop.HeaderWords), data, data, result))
			for i, x := range in {
				if want := c.builtin.Eval(tensor.Float64, []float64{x, c.constant}); out[i] != want && !(math.IsNaN(want) && math.IsNaN(out[i])) {
					t.Fatalf("%s: %s of %v and %v: %v", compiler, c.kernel.Name, x, c.constant, out[i])
				}
			}
		}
	}
}

func newOrderCase(name string, constant float64, lanes, side int, kernel string) orderCase {
	b, _ := ein.LookupBuiltin(name)
	f := mathKernel(b, tensor.Float64, lanes)
	f.Name = kernel
	var value loop.Expr = &loop.Const{Elem: tensor.Float64, Bits: math.Float64bits(constant)}
	if lanes > 1 {
		value = &loop.Broadcast{X: value, Lanes: lanes}
	}
	f.Body[0].(*loop.For).Body[0].(*loop.Store).Value.(*loop.Call).Args[side] = value
	return orderCase{b, constant, f}
}
