package lower_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestGridPairs draws functions and trees with groups and items: what Check accepts is lowered, proved to stay in bounds, has no
// races and no divergent barriers, and computes what the reference evaluator does, in two orders. A sweep goes on where it was
// ended: -run 'TestGridPairs/from5000'.
func TestGridPairs(t *testing.T) {
	const block = 100
	accepted, refused, unproved, seen := 0, 0, 0, map[string]int{}
	for from := 0; from < sweep.Draws(t, 400, 28000); from += block {
		t.Run(fmt.Sprintf("from%d", from), func(t *testing.T) {
			for seed := from; seed < from+block; seed++ {
				p, ok := scheduletest.PairOf(seed)
				if !ok {
					refused++
					continue
				}
				accepted++
				kernel, proved, err := p.Lower()
				if err != nil {
					t.Errorf("seed %d, %s: %v\n%s", seed, p.How, err, p)
					continue
				}
				if !proved {
					unproved++
				}
				for _, feature := range p.Features(kernel) {
					seen[feature]++
				}
				for order := range uint64(2) {
					if err := p.Judge(kernel, order); err != nil {
						t.Errorf("seed %d, %s, order %d, proved to stay in bounds %t: %v\n%s", seed, p.How, order, proved, err, p)
					}
				}
			}
		})
	}
	if unproved*100 > accepted {
		t.Errorf("of %d trees %d are not proved to stay in bounds", accepted, unproved)
	}
	for _, feature := range always {
		if seen[feature] == 0 {
			t.Errorf("no pair has %q", feature)
		}
	}
	t.Logf("%d trees accepted, %d not proved to stay in bounds, no legal one %d times", accepted, unproved, refused)
	for _, feature := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%6d %s", seen[feature], feature)
	}
}

// always are features that must be among those of the quick run: what is not drawn is not tested.
var always = []string{
	"groups along several axes", "groups in strips", "padded groups", "items along several axes", "blocks of items", "vectors", "place local", "place swizzled", "accumulate local", "accumulate private", "accumulate above items", "accumulate workspace",
	"accumulate workspace shuffle", "accumulate local shuffle", "accumulate output", "kernel with several grids", "kernel with barriers", "kernel with faults", "tree free", "tree one launch", "size 0", "size 1", "size 7 and more",
	"scan", "reduction by max", "reduction by *", "reduction by argmax", "reduction by pairs", "reduction by &", "program table", "program convolution", "program padded",
}

// TestWorked judges trees that are written by hand, and those that sweeps have found, in two orders.
func TestWorked(t *testing.T) {
	list, err := scheduletest.Worked()
	if err != nil {
		t.Fatal(err)
	}
	found, err := scheduletest.Found()
	if err != nil {
		t.Fatal(err)
	}
	fragments, err := scheduletest.Fragments()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range slices.Concat(list, found, fragments) {
		kernel, proved, err := p.Lower()
		if err != nil || !proved {
			t.Errorf("proved %t: %v\n%s", proved, err, p)
			continue
		}
		for order := range uint64(2) {
			if err := p.Judge(kernel, order); err != nil {
				t.Errorf("%v\n%s", err, p)
			}
		}
	}
}
