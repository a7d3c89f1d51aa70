package field

import (
	"math"
	"math/big"
	"testing"
)

// line is an environment with one coordinate x and one field F = x.
type line struct{ at float64 }

func (l line) Tensor(*Param, []int) (float64, error) { return l.at, nil }
func (l line) Field(*Param, *Param, []int, []int, []float64) (float64, error) {
	return 0, nil
}

// TestJets compares derivatives of functions by Taylor arithmetic with the formulas of a book.
func TestJets(t *testing.T) {
	x := 0.3
	for _, c := range []struct {
		text string
		want float64
	}{
		{"∂[0] ⋄ sqrt(pos1[0])", 0.5 / math.Sqrt(x)},
		{"∂[0,0] ⋄ sqrt(pos1[0])", -0.25 * math.Pow(x, -1.5)},
		{"∂[0,0,0] ⋄ exp(2*pos1[0])", 8 * math.Exp(2*x)},
		{"∂[0,0] ⋄ sin(pos1[0])", -math.Sin(x)},
		{"∂[0,0,0] ⋄ cos(pos1[0])", math.Sin(x)},
		{"∂[0] ⋄ tan(pos1[0])", 1 / math.Pow(math.Cos(x), 2)},
		{"∂[0] ⋄ atan(pos1[0])", 1 / (1 + x*x)},
		{"∂[0] ⋄ asin(pos1[0])", 1 / math.Sqrt(1-x*x)},
		{"∂[0,0] ⋄ acos(pos1[0])", -x * math.Pow(1-x*x, -1.5)},
		{"∂[0] ⋄ abs(-pos1[0])", 1},
		{"∂[0,0] ⋄ (1/pos1[0])", 2 / (x * x * x)},
		{"∂[0,0] ⋄ (pos1[0]^5)", 20 * x * x * x},
		{"∂[0,0] ⋄ (pos1[0]^-2)", 6 * math.Pow(x, -4)},
	} {
		o, err := NewStore().ParseOperator("λ x:tensor[]! ⟨ (" + c.text + ") @ x ⟩")
		if err != nil {
			t.Fatal(err)
		}
		got, err := Evaluate(Floats{}, line{x}, o)
		if err != nil || math.Abs(got-c.want) > 1e-12*math.Abs(c.want) {
			t.Errorf("%s is %g at %g, want %g: %v", c.text, got, x, c.want, err)
		}
	}
	if v, err := (Exact{}).Function(Sqrt, big.NewRat(9, 4)); err != nil || v.Cmp(big.NewRat(3, 2)) != 0 {
		t.Errorf("the root of 9/4 is %v: %v", v, err)
	}
	if _, err := (Exact{}).Function(Sqrt, big.NewRat(2, 1)); err == nil {
		t.Error("the root of 2 is rational")
	}
}
