package rewrite_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/goldentest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
	"github.com/ricci-lang/ricci/tensor"
)

// TestGolden rewrites the function in "in" and compares with "out".
func TestGolden(t *testing.T) {
	goldentest.Run(t, "testdata/*.txtar", "out", 1, func(t *testing.T, inputs []string) string {
		f, err := ein.ParseFunc("in", inputs[0])
		if err != nil {
			t.Fatal(err)
		}
		g, err := rewrite.Optimise(f, numerics.Default)
		if err != nil {
			t.Fatal(err)
		}
		return ein.Print(g)
	})
}

// TestMeaning compares random functions before and after the passes.
func TestMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := eintest.Func(t)
		sizes := eintest.Sizes(t)
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, sizes)
		if err != nil {
			t.Fatal(err)
		}
		g, err := rewrite.Optimise(f, numerics.Default)
		if err != nil {
			t.Fatalf("%v\n%s", err, f)
		}
		sameResults(t, f, g, args, sizes)
	})
}

// sameResults compares what two functions compute of the same arguments, and whether they report an
// access out of bounds.
func sameResults(t rapid.TB, f, g *ein.Func, args map[string]*tensor.Tensor, sizes map[string]int64) {
	t.Helper()
	want, wantErr := ein.Evaluate(f, args, ein.EvalOptions{Sizes: sizes})
	got, gotErr := ein.Evaluate(g, args, ein.EvalOptions{Sizes: sizes})
	if (wantErr != nil) != (gotErr != nil) {
		t.Fatalf("before: %v, after: %v\n%s\n%s", wantErr, gotErr, f, g)
	}
	for name := range want {
		c, err := ein.Compare(got[name], want[name], nil)
		if err != nil {
			t.Fatal(err)
		}
		if !c.OK() {
			t.Fatalf("%s: %v\n%s\n%s", name, c.Worst, f, g)
		}
	}
}

// nearResults compares what two functions compute of the same arguments, up to what may be lost by
// rounding in another order.
func nearResults(t rapid.TB, f, g *ein.Func, args map[string]*tensor.Tensor) {
	t.Helper()
	want, bounds, err := ein.EvaluateWithBounds(f, args, ein.EvalOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
	got, err := ein.Evaluate(g, args, ein.EvalOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, g)
	}
	for name := range want {
		c, err := ein.Compare(got[name], want[name], bounds[name])
		if err != nil {
			t.Fatal(err)
		}
		if !c.OK() {
			t.Fatalf("%s: %v\n%s\n%s", name, c.Worst, f, g)
		}
	}
}
