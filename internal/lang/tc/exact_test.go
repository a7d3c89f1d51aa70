package tc

import (
	"math"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// TestProductsOfSizes evaluates values with products beyond int32; the numbers wanted
// are written out.
func TestProductsOfSizes(t *testing.T) {
	const side = 1 << 16
	vector := func() *tensor.Tensor {
		made, err := tensor.New(tensor.Uint8, side)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	for _, test := range []struct {
		name, text string
		want       float64
	}{
		{"quotient", "s = 1.0 / (A*B)", math.Pow(2, -32)},
		{"let", "s = 1.0 / n where n = A*B", math.Pow(2, -32)},
		{"let of a let", "s = 1.0 / m where n = A*B, m = n*2", math.Pow(2, -33)},
		{"sizes of tensors", "s = 1.0 / (X.0*Y.0 + 0)", math.Pow(2, -32)},
		{"literal", "s = 65536 * A * 1.0", 1 << 32},
		{"index", "s max=! i*B + 0.5 where exists X(i)", (side - 1) * side},
		{"square of an index", "s max=! i*i * 1.0 where exists X(i)", 4294836224},
		{"comparison", "s +=! i*B < A*B - 65536 ? 1.0 : 0.0 where exists X(i)", side - 1},
		{"quotient by a product", "s = 1.0 * (A*B / 65536)", side},
		{"remainder", "s = 1.0 * (A*B % 65535)", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			unit, diags := compileText(t, "def f(uint8(A) X, uint8(B) Y) -> (float s) { "+test.text+" }")
			if diags.HasErrors() {
				t.Fatal(diags.Err())
			}
			f := unit.Program.Func("f")
			sizes, err := f.Bind(map[string][]int64{"X": {side}, "Y": {side}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ein.Evaluate(f, map[string]*tensor.Tensor{"X": vector(), "Y": vector()}, ein.EvalOptions{Sizes: sizes})
			if err != nil {
				t.Fatal(err)
			}
			if s := got["s"].FloatAt(0); s != float64(float32(test.want)) {
				t.Errorf("s is %v, want %v", s, test.want)
			}
		})
	}
}
