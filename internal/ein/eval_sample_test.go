package ein_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
)

// Elements that are asked for one by one are those of the whole evaluation, with their bounds.
func TestSampledElementsAreThoseOfTheWhole(t *testing.T) {
	sliced, functions := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		f, sizes := eintest.FuncWith(t, eintest.Options{}), eintest.Sizes(t)
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, sizes)
		if err != nil {
			t.Fatal(err)
		}
		options := ein.EvalOptions{Sizes: sizes}
		want, bounds, err := ein.EvaluateWithBounds(f, args, options)
		if err != nil {
			t.Fatalf("%v\n%s", err, f)
		}
		elements := map[string]ein.Elements{}
		for name, t := range args {
			elements[name] = ein.ElementsOf(t)
		}
		sampler, err := ein.NewSampler(f, elements, options)
		if err != nil {
			t.Fatalf("%v\n%s", err, f)
		}
		functions++
		if sampler.Sliceable() != nil {
			return
		}
		sliced++
		for _, x := range f.Outputs() {
			all := make([]int64, want[x.Name].Len())
			for k := range all {
				all[k] = int64(k)
			}
			got, near, done, err := sampler.Elements(x, all, math.MaxInt64)
			if err != nil || done != len(all) {
				t.Fatalf("%s: %d of %d elements: %v\n%s", x.Name, done, len(all), err, f)
			}
			flat, err := want[x.Name].Reshape(len(all))
			if err != nil {
				t.Fatal(err)
			}
			if c, err := ein.Compare(got, flat, nil); err != nil || !c.OK() {
				t.Fatalf("%s: %v %v\n%s", x.Name, err, c.Worst, f)
			}
			for k := range all {
				if a, b := near.FloatAt(k), bounds[x.Name].FloatAt(k); a != b && math.Abs(a-b) > 1e-9*b {
					t.Fatalf("%s: element %d has the bound %v, of the whole it is %v\n%s", x.Name, k, a, b, f)
				}
			}
		}
	})
	if sliced*2 < functions {
		t.Errorf("only %d of %d functions can be sliced", sliced, functions)
	}
}
