package loop_test

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
)

// TestExtremes: of NaNs and zeros minima and maxima, and folds by them, are what package ein says, or the left one of two zeros.
func TestExtremes(t *testing.T) {
	f := parse(t, "buffer X float64[2] argument readonly\nbuffer Y float64[4] argument\nparams X, Y",
		"store Y[0] = min(X[0], X[1])\nstore Y[1] = max(X[0], X[1])\nlet v float64x2 = X[0; 2]\nstore Y[2] = fold(min, v)\nstore Y[3] = fold(max, v)")
	numbers := []float64{math.NaN(), math.Inf(-1), -1, math.Copysign(0, -1), 0, 1}
	for _, x := range numbers {
		for _, y := range numbers {
			for _, left := range []bool{false, true} {
				in, out := make([]byte, 16), make([]byte, 32)
				binary.NativeEndian.PutUint64(in, math.Float64bits(x))
				binary.NativeEndian.PutUint64(in[8:], math.Float64bits(y))
				if _, err := loop.EvaluateBy(context.Background(), f, []loop.Word{{Bytes: in}, {Bytes: out}}, loop.Evaluation{LeftZeros: left}); err != nil {
					t.Fatal(err)
				}
				for i, name := range []string{"fmin", "fmax", "fmin", "fmax"} {
					b, _ := ein.LookupBuiltin(name)
					want := b.Eval64([]float64{x, y})
					if x != x || left && x == y {
						want = x // the functions ignore a NaN on either side
					}
					if got := math.Float64frombits(binary.NativeEndian.Uint64(out[8*i:])); math.Float64bits(got) != math.Float64bits(want) && !(got != got && want != want) {
						t.Errorf("%s of %v and %v is %v, expected %v (left: %v)", name, x, y, got, want, left)
					}
				}
			}
		}
	}
}
