package estimate_test

import (
	"fmt"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/estimate"
)

// TestCrowded: where rows in one set of a cache cost, four of them at a time are better than eight if they lie a page apart,
// as they were measured to be, and worse if they do not, or if nobody knows.
func TestCrowded(t *testing.T) {
	for _, test := range []struct {
		columns int
		ratio   float64
		fewer   bool
	}{{2048, 0, false}, {2048, 1.9, true}, {2064, 1.9, false}} {
		f := function(t, fmt.Sprintf(`func running { in X: float32[2000, %[1]d] out Y: float32[2000, %[1]d] for i in 0:2000 scan +, j in 0:%[1]d { Y[i, j] = X[i, j] } }`, test.columns))
		m := *processor(1)
		m.Peaks, m.Given.SharedSets = nil, test.ratio
		model, err := estimate.New(f, &m, schedule.Options{})
		if err != nil {
			t.Fatal(err)
		}
		seconds := func(rows int) float64 {
			tree, err := schedule.Parse(fmt.Sprintf("domain S0[i, j]\naccumulate S0 private\n  band S0.i tile %d | S0.j vector 16\n    accumulate S0 register\n      band S0.i unroll\n", rows))
			if err != nil {
				t.Fatal(err)
			}
			if err := schedule.Check(f, tree); err != nil {
				t.Fatal(err)
			}
			s, err := model.Seconds(tree)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		if few, many := seconds(4), seconds(8); (few < many) != test.fewer {
			t.Errorf("%d columns with shared-sets %g: %g s with 4 rows, %g with 8", test.columns, test.ratio, few, many)
		}
	}
}
