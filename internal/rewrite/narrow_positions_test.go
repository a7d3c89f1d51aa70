package rewrite_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/tensor"
)

// TestNarrowPositions compares positions in 32 bits with those in 64, of rows with ties and NaNs; some have nothing else.
func TestNarrowPositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, err := ein.ParseFunc("positions", fmt.Sprintf(`func positions {
  in x: float32[4, 20]
  out v: float32[4]
  out p: int64[4]
  for i in 0:4, j in %[1]d:20 reduce %[2]s { v[i] = x[i, j] p[i] = %[3]s }
}`, rapid.IntRange(0, 4).Draw(t, "first"), rapid.SampledFrom([]string{"argmin", "argmax"}).Draw(t, "operator"),
			rapid.SampledFrom([]string{"j", "2147483600i64 - j", "j * 100000000i64", "j < 10i64 ? j : 7i64"}).Draw(t, "position")))
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float32, 80)
		least := rapid.IntRange(-1, 2).Draw(t, "least")
		for k := range x {
			if x[k] = float32(rapid.IntRange(-1, 2).Draw(t, "x")); int(x[k]) <= least {
				x[k] = float32(math.NaN())
			}
		}
		values, err := tensor.FromSlice(x, 4, 20)
		if err != nil {
			t.Fatal(err)
		}
		args := map[string]*tensor.Tensor{"x": values}
		g, err := rewrite.Optimise(f, numerics.Default)
		if err != nil {
			t.Fatal(err)
		}
		if text := ein.Print(g); strings.Contains(text, "int32(") != strings.Contains(text, "p_narrow") {
			t.Fatalf("positions that are computed in 32 bits are kept in 64:\n%s", text)
		}
		sameResults(t, f, g, args, nil)
	})
}
