package standard

import (
	"testing"

	"pgregory.net/rapid"
)

// TestDistinctSums compares with all sums.
func TestDistinctSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var terms []progression
		sums := map[int64]bool{0: true}
		for range rapid.IntRange(0, 3).Draw(t, "terms") {
			step := rapid.Int64Range(1, 12).Draw(t, "step") * rapid.SampledFrom([]int64{1, -1}).Draw(t, "sign")
			p := progression{step, rapid.Int64Range(1, 16).Draw(t, "count")}
			terms = append(terms, p)
			next := map[int64]bool{}
			for sum := range sums {
				for n := range p.count {
					next[sum+n*p.step] = true
				}
			}
			sums = next
		}
		if got := distinctSums(terms); got != int64(len(sums)) {
			t.Fatalf("%v: %d sums, found %d", terms, len(sums), got)
		}
	})
}
