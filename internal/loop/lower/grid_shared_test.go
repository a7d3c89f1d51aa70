package lower_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestHeldPairs draws functions, and trees in which items hold what statements leave for each other, or a group has it in local memory: they compute what the reference evaluator
// does, in two orders, in which nobody meets who should not.
func TestHeldPairs(t *testing.T) {
	const block = 50
	held, unproved, seen := 0, 0, map[string]int{}
	for from := 0; from < sweep.Draws(t, 300, 20000); from += block {
		t.Run(fmt.Sprintf("from%d", from), func(t *testing.T) {
			for seed := from; seed < from+block; seed++ {
				p, ok := scheduletest.HeldOf(seed)
				if !ok {
					continue
				}
				kernel, proved, err := p.Lower()
				if err != nil {
					t.Errorf("seed %d: %v\n%s", seed, err, p)
					continue
				}
				features := p.Features(kernel)
				if !slices.Contains(features, "place above items") && !slices.Contains(features, "place local") {
					continue
				}
				if held++; !proved {
					unproved++
				}
				for _, feature := range features {
					seen[feature]++
				}
				for order := range uint64(2) {
					if err := p.Judge(kernel, order); err != nil {
						t.Errorf("seed %d, order %d, proved to stay in bounds %t: %v\n%s", seed, order, proved, err, p)
					}
				}
			}
		})
	}
	for _, feature := range []string{"blocks of items", "padded groups", "accumulate above items", "place register", "place private", "place local"} {
		if seen[feature] == 0 {
			t.Errorf("no pair has %q", feature)
		}
	}
	t.Logf("%d trees hold something, %d of them not proved to stay in bounds; %v", held, unproved, seen)
}
