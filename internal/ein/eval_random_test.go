package ein_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
)

// On whole random functions the evaluation in the program's types is within the
// bounds around the reference, also after specialisation.
func TestRandomFunctionsStayInTheBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		exact := rapid.Bool().Draw(t, "exact")
		f, sizes := eintest.FuncWith(t, eintest.Options{Exact: exact}), eintest.Sizes(t)
		args, err := eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, sizes)
		if err != nil {
			t.Fatal(err)
		}
		options := ein.EvalOptions{Sizes: sizes}
		got, err := ein.Evaluate(f, args, options)
		if err != nil {
			t.Fatalf("%v\n%s", err, f)
		}
		want, bounds, err := ein.EvaluateWithBounds(f, args, options)
		if err != nil {
			t.Fatalf("%v\n%s", err, f)
		}
		special, err := f.Specialise(sizes, nil)
		if err != nil {
			t.Fatal(err)
		}
		same, err := ein.Evaluate(special, args, ein.EvalOptions{})
		if err != nil {
			t.Fatalf("%v\n%s", err, special)
		}
		for name := range got {
			bound := bounds[name]
			if exact {
				bound = nil // small integers in floats have the bound 0
			}
			if c, err := ein.Compare(got[name], want[name], bound); err != nil || !c.OK() {
				t.Fatalf("%s: %v %v\n%s", name, err, c.Worst, f)
			}
			for offset := range bounds[name].Offsets() {
				e := bounds[name].FloatAt(offset)
				eitherZero := got[name].FloatAt(offset) == 0 && e == 0x1p-1074 // of 0 and -0 either may be the maximum
				if exact && e != 0 && !eitherZero {
					t.Fatalf("%s has the bound %v\n%s", name, e, f)
				}
			}
			if c, err := ein.Compare(same[name], got[name], nil); err != nil || !c.OK() {
				t.Fatalf("%s changes when specialised: %v %v\n%s", name, err, c.Worst, f)
			}
		}
	})
}
