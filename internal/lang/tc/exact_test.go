package tc

import (
	"math"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// TestProductsOfSizes evaluates values with products of sizes and scalars beyond int32; the
// numbers wanted are written out.
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
		{"temporary", "n = A  s = 1.0 / (n*n)", math.Pow(2, -32)},
		{"temporary of a temporary", "n = A  m = n - 1  s = 1.0 * ((m + 1)*n)", 1 << 32},
		{"declared temporary", "int32 n = A  s = 1.0 * (n*B)", 1 << 32},
		{"scalars", "s = 1.0 / (p*q)", math.Pow(2, -32)},
		{"scalars in a sum", "s = 1.0 * ((p + q)*q - 1)", 1 << 33},
		{"scalars in a let", "s = 1.0 * n where n = p*q", 1 << 32},
		{"cast of scalars", "s = float(p*q)", 1 << 32},
		{"cast of sizes", "s = float(A*B)", 1 << 32},
		{"comparison of scalars", "s = p*q > 1 ? 1.0 : 2.0", 1},
		{"scalar by a size", "s = 1.0*(p*A)", 1 << 32},
		{"scalars in 32 bits", "int32 n = p*q + 3  s = n", 3},
		{"five factors", "s = 1.0 / (A*B*A*B*A)", math.Pow(2, -80)},
		{"sum of four factors", "s = 1.0 * (A*B*A*B - 2*A + 7)", math.Pow(2, 64)},
		{"lets of five factors", "s = 1.0 / (m*m*A) where n = A*B, m = n", math.Pow(2, -80)},
		{"power of an index", "s max=! i*i*i*i*i * 1.0 where exists X(i)", math.Pow(side-1, 5)},
		{"remainder", "s = 1.0 * (A*B % 65535)", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			unit, diags := compileText(t, "def f(uint8(A) X, uint8(B) Y, int p, int q) -> (float s) { "+test.text+" }")
			if diags.HasErrors() {
				t.Fatal(diags.Err())
			}
			f := unit.Program.Func("f")
			sizes, err := f.Bind(map[string][]int64{"X": {side}, "Y": {side}, "p": {}, "q": {}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ein.Evaluate(f, map[string]*tensor.Tensor{"X": vector(), "Y": vector(), "p": tensor.Scalar(int32(side)), "q": tensor.Scalar(int32(side))}, ein.EvalOptions{Sizes: sizes})
			if err != nil {
				t.Fatal(err)
			}
			if s := got["s"].FloatAt(0); s != float64(float32(test.want)) {
				t.Errorf("s is %v, want %v", s, test.want)
			}
		})
	}
}
