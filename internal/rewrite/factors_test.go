package rewrite_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
)

// TestOperations: operators of high-order methods and MTTKRP keep their few operations in default mode, with
// a guard or a remark, and are computed as they are written in strict mode.
func TestOperations(t *testing.T) {
	cases := []struct {
		name, text        string
		byDefault, strict float64 // terms that are computed in these modes
		says              string  // of the function in default mode
	}{
		{"operator of 8^3", "in A: float64[8, 8] in u: float64[10000, 8, 8, 8] out v: float64[10000, 8, 8, 8] for e in 0:10000, i in 0:8, j in 0:8, k in 0:8, a in 0:8 reduce +, b in 0:8 reduce +, c in 0:8 reduce + { v[e, i, j, k] = A[i, a] * A[j, b] * A[k, c] * u[e, a, b, c] }",
			3 * 1e4 * 4096, 1e4 * 8 * 8 * 8 * 8 * 8 * 8, "regrouped without a guard"},
		{"matrix chain", "in A: float32[300, 400] in B: float32[400, 300] in x: float32[300] out y: float32[300] for i in 0:300, k in 0:300 reduce +, j in 0:400 reduce + { y[i] = A[i, j] * B[j, k] * x[k] }",
			2 * 300 * 400, 300 * 300 * 400, "y_overflow"},
		{"MTTKRP", "in X: float32[256, 256, 256] in C: float32[256, 32] in D: float32[256, 32] out A: float32[256, 32] for i in 0:256, r in 0:32, k in 0:256 reduce +, l in 0:256 reduce + { A[i, r] = X[i, k, l] * D[l, r] * C[k, r] }",
			256 * 32 * 256 * 256, 256 * 32 * 256 * 256, "distributive"},
	}
	for _, c := range cases {
		f, err := ein.ParseFunc(c.name, "func f { "+c.text+" }")
		if err != nil {
			t.Fatal(err)
		}
		for mode, want := range map[numerics.Mode]float64{numerics.Default: c.byDefault, numerics.Strict: c.strict} {
			g, err := rewrite.Optimise(f, mode)
			if err != nil {
				t.Fatal(err)
			}
			text := ein.Print(g) + strings.Join(g.Remarks, "\n")
			if terms := termsOf(g); terms != want {
				t.Errorf("%s, %v: %g terms, want %g\n%s", c.name, mode, terms, want, text)
			}
			if mode == numerics.Default && !strings.Contains(text, c.says) {
				t.Errorf("%s does not say %q\n%s", c.name, c.says, text)
			}
			if mode == numerics.Strict && (len(g.Body) != 1 || strings.Contains(text, "distributive") || !strings.Contains(text, "reduce + ordered")) {
				t.Errorf("%s is not as it is written in strict mode:\n%s", c.name, text)
			}
		}
	}
}

// termsOf counts the terms of sums of floats that are computed where no guard trips.
func termsOf(f *ein.Func) (terms float64) {
	for _, c := range f.Body {
		_, tested := c.Values[0].(*ein.Select)
		if tested || len(c.ByKind(ein.Reduce)) == 0 {
			continue
		}
		n := 1.0
		for _, i := range c.Indices {
			extent, _ := i.Extent.IsConst()
			n *= float64(extent)
		}
		terms += n
	}
	return terms
}

// TestKeepsRange: which constants leave a sum without a guard.
func TestKeepsRange(t *testing.T) {
	for factor, leaves := range map[string]bool{"2f32": true, "-0.25f32": true, "0.24f32": false, "0f32": false, "nan_f32": false, "0.5f32 * 0.25f32": false, "s[]": false, "x[i]": false} {
		f, err := ein.ParseFunc("f", "func f { in s: float32[] in x: float32[30] in A: float32[30, 40] out y: float32[30] for i in 0:30, k in 0:40 reduce + { y[i] = "+factor+" * A[i, k] } }")
		if err != nil {
			t.Fatalf("%s: %v", factor, err)
		}
		g := rewrite.Factors(f, numerics.Default)
		got := slices.ContainsFunc(g.Body[0].ByKind(ein.Reduce), func(i *ein.Index) bool { return i.Combine.Op.Distributive })
		if got != leaves {
			t.Errorf("%s leaves the sum: %t, want %t", factor, got, leaves)
		}
	}
}
