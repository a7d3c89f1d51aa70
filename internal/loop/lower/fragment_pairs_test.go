package lower_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestFragmentPairs draws trees by whose marks matrix units multiply: what Check accepts is proved to stay in bounds, has no races, and computes what the
// reference evaluator does, in two orders; and all kinds of them are drawn.
func TestFragmentPairs(t *testing.T) {
	accepted, seen := 0, map[string]int{}
	draws := sweep.Draws(t, 14, 1400)
	for seed := range draws {
		p, ok, err := scheduletest.FragmentsOf(seed)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			continue
		}
		accepted++
		kernel, proved, err := p.Lower()
		if err != nil || !proved {
			t.Errorf("seed %d, proved to stay in bounds %t: %v\n%s", seed, proved, err, p)
			continue
		}
		for _, feature := range p.Features(kernel) {
			seen[feature]++
		}
		for order := range uint64(2) {
			if err := p.Judge(kernel, order); err != nil {
				t.Errorf("seed %d, order %d: %v\n%s", seed, order, err, p)
			}
		}
	}
	if accepted*2 < draws {
		t.Errorf("of %d seeds %d have a legal tree", draws, accepted)
	}
	for _, feature := range []string{"padded groups", "place local", "place ahead", "place twice, in turns", "accumulate workspace", "kernel with several grids"} {
		if seen[feature] == 0 {
			t.Errorf("no pair has %q", feature)
		}
	}
	t.Logf("%d of %d accepted", accepted, draws)
	for _, feature := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%6d %s", seen[feature], feature)
	}
}
