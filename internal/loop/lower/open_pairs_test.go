package lower_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestOpenPairs is TestGridPairs with open sizes: a kernel is made once, and judged for several sizes. It is not always proved to stay in bounds
// for all sizes that may come; the evaluator sees that it does for these.
func TestOpenPairs(t *testing.T) {
	const block = 50
	accepted, unproved, seen := 0, 0, map[string]int{}
	for from := 0; from < sweep.Draws(t, 50, 20000); from += block {
		t.Run(fmt.Sprintf("from%d", from), func(t *testing.T) {
			for seed := from; seed < from+block; seed++ {
				list := scheduletest.OpenOf(seed)
				if len(list) == 0 {
					continue
				}
				accepted++
				kernel, proved, err := list[0].Lower()
				if err != nil {
					t.Errorf("seed %d, %s: %v\n%s", seed, list[0].How, err, list[0])
					continue
				}
				if !proved {
					unproved++
				}
				for _, feature := range list[0].Features(kernel) {
					seen[feature]++
				}
				for n, p := range list {
					for _, size := range p.Sizes {
						seen[fmt.Sprint("size of ", size)]++
					}
					if err := p.Judge(kernel, uint64(n)); err != nil {
						t.Errorf("seed %d, %s, sizes %d, proved to stay in bounds %t: %v\n%s", seed, p.How, n, proved, err, p)
					}
				}
			}
		})
	}
	if unproved*10 > accepted {
		t.Errorf("of %d trees %d are not proved to stay in bounds", accepted, unproved)
	}
	for _, feature := range []string{"place twice, in turns", "place several times, in turns", "place ahead", "size of 0", "size of 1", "size of 2", "size of 7", "size of 13", "size of 17", "kernel with barriers", "scan", "vectors"} {
		if seen[feature] == 0 {
			t.Errorf("no pair has %q", feature)
		}
	}
	t.Logf("%d trees accepted, %d not proved to stay in bounds", accepted, unproved)
	for _, feature := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%6d %s", seen[feature], feature)
	}
}

// TestStepsOfOpenLength: blocks in turns are those of whole steps, also of a last one that has fewer points; else two steps that follow each
// other have one block, and items write where others read.
func TestStepsOfOpenLength(t *testing.T) {
	f, err := ein.ParseFunc("product", `func product {
  size K = dim 1 of A or zero
  in A: int32[8, K]
  in B: int32[K, 8]
  out C: int32[8, 8]
  for i in 0:8, j in 0:8, k in 0:K reduce + or empty { C[i, j] = A[i, k] * B[k, j] }
}`)
	if err != nil {
		t.Fatal(err)
	}
	const text = `domain S0[i, j, k]
band S0.i tile 4 groups
  band S0.j tile 4
    accumulate S0 register
      band S0.k tile 4
        place A local MARKS
          place B local MARKS
            band S0.k
              band S0.i items 2 | S0.j items 2
`
	for _, marks := range []string{"double", "stages 3", "double async", "stages 3 async"} {
		tree, err := schedule.Parse(strings.ReplaceAll(text, "MARKS", marks))
		if err == nil {
			err = schedule.Check(f, tree)
		}
		if err != nil {
			t.Fatal(err)
		}
		p := scheduletest.Pair{Subject: scheduletest.Subject{F: f, G: f}, Tree: tree}
		kernel, proved, err := p.Lower()
		if err != nil || !proved {
			t.Fatal(proved, err)
		}
		for k := range int64(14) {
			p.Sizes = map[string]int64{"K": k}
			if p.Args, err = eintest.Arguments(1, f, p.Sizes); err != nil {
				t.Fatal(err)
			}
			for order := range uint64(2) {
				if err := p.Judge(kernel, order); err != nil {
					t.Errorf("%s, K = %d: %v", marks, k, err)
				}
			}
		}
	}
}
