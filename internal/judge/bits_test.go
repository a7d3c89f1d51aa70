package judge_test

import (
	"errors"
	"math"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/judge"
	"github.com/ricci-lang/ricci/tensor"
)

// TestBits: a result that is off by its last bit, or by the sign of a zero, has not the evaluator's bits;
// NaNs are equal.
func TestBits(t *testing.T) {
	f, err := ein.ParseFunc("f", "func f { in x: float32[4] out y: float32[4] for i in 0:4 { y[i] = x[i] * 3f32 } }")
	if err != nil {
		t.Fatal(err)
	}
	x, y := values(t, 0.1, 0, math.NaN(), 7), values(t, float64(float32(0.1)*3), 0, math.NaN(), 21)
	c := judge.Case{Func: f, Sizes: map[string]int64{}, Args: map[string]*tensor.Tensor{"x": x}, Outputs: map[string]*tensor.Tensor{"y": y}}
	if err := judge.Bits(t.Context(), c); err != nil {
		t.Errorf("the very bits differ: %v", err)
	}
	for at, wrong := range map[int]uint64{0: y.BitsAt(0) + 1, 1: 1 << 31, 2: 0, 3: y.BitsAt(3) - 1} {
		right := y.BitsAt(at)
		y.SetBitsAt(at, wrong)
		var differs *judge.BitsError
		if err := judge.Bits(t.Context(), c); !errors.As(err, &differs) {
			t.Errorf("element %d with the bits %x is not noticed: %v", at, wrong, err)
		}
		y.SetBitsAt(at, right)
	}
}

func values(t *testing.T, list ...float64) *tensor.Tensor {
	t.Helper()
	a, err := tensor.New(tensor.Float32, len(list))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range list {
		a.SetFloatAt(k, v)
	}
	return a
}
