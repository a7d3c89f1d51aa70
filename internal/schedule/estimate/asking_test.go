package estimate_test

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
)

// TestAsking: of two trees that differ in what is asked for ahead, a machine that loses by asking takes the one without,
// and one that gains the other.
func TestAsking(t *testing.T) {
	for _, test := range []struct{ ratio, text, asks, without string }{
		{"asked-near-sums", `func sum { in X: float32[2000000] out s: float32[] for i in 0:2000000 reduce + { s[] = X[i] } }`,
			"domain S0[i]\naccumulate S0 register\n  band S0.i tile 128\n    band S0.i vector 16 unroll ahead 3072\n",
			"domain S0[i]\naccumulate S0 register\n  band S0.i tile 128\n    band S0.i vector 16 unroll\n"},
		{"asked-sums", `func sum { in X: float32[200000000] out s: float32[] for i in 0:200000000 reduce + { s[] = X[i] } }`,
			"domain S0[i]\naccumulate S0 register\n  band S0.i tile 128\n    band S0.i vector 16 unroll ahead 3072\n",
			"domain S0[i]\naccumulate S0 register\n  band S0.i tile 128\n    band S0.i vector 16 unroll\n"},
		{"asked-rows", `func transposed { in X: float32[5000, 4000] out Y: float32[4000, 5000] for j in 0:4000, i in 0:5000 { Y[j, i] = X[i, j] } }`,
			"domain S0[j, i]\nband S0.j tile 256 | S0.i tile 256\n  place X private\n    band S0.j | S0.i vector 16 prefetch j\n",
			"domain S0[j, i]\nband S0.j tile 256 | S0.i tile 256\n  place X private\n    band S0.j | S0.i vector 16\n"},
	} {
		f := function(t, test.text)
		advantage := func(ratio float64) float64 { // of asking
			m := *processor(1)
			m.Peaks = nil
			m.Given = machine.Ratios{}
			if ratio != 0 {
				m.Given.Set(test.ratio, ratio)
			}
			model, err := estimate.New(f, &m, schedule.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var seconds [2]float64
			for n, text := range []string{test.asks, test.without} {
				tree, err := schedule.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				if err := schedule.Check(f, tree); err != nil {
					t.Fatal(err)
				}
				if seconds[n], err = model.Seconds(tree); err != nil {
					t.Fatal(err)
				}
			}
			return seconds[1] / seconds[0]
		}
		if lose, gain := advantage(1.5), advantage(0.6); !(lose < 1 && gain > 1 && advantage(0) >= 1) {
			t.Errorf("%s: without asking it takes %g of the time where asking costs, %g where it helps, and %g where nobody knows", test.ratio, lose, gain, advantage(0))
		}
	}
}
