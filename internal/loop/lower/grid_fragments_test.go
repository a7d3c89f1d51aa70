package lower_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule/scheduletest"
	"github.com/ricci-lang/ricci/internal/schedule/sketch"
	"github.com/ricci-lang/ricci/internal/sweep"
)

// TestFragmentSketches: candidates with matrix units, of functions with drawn sizes, are legal, proved to stay in bounds and within what the machine
// has, and compute what the reference evaluator does.
func TestFragmentSketches(t *testing.T) {
	functions, err := scheduletest.FragmentFunctions()
	if err != nil {
		t.Fatal(err)
	}
	p, err := machine.Named("a100").Scheduled()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 5))
	extents := []int64{3, 7, 8, 16, 17, 31, 33}
	for _, f := range functions {
		for range sweep.Draws(t, 1, 60) {
			pair := scheduletest.Pair{}
			pair.Program, pair.F, pair.Sizes = f.Name, f, map[string]int64{}
			for _, s := range f.Sizes {
				pair.Sizes[s.Name] = extents[r.IntN(len(extents))]
			}
			if _, ok := pair.Sizes["K"]; ok && r.IntN(3) == 0 { // long enough for parts of several groups
				for name := range pair.Sizes {
					pair.Sizes[name] = min(pair.Sizes[name], 8)
				}
				pair.Sizes["K"] = 256 + int64(r.IntN(64))
			}
			if pair.G, err = f.Specialise(pair.Sizes, nil); err != nil {
				t.Fatal(err)
			}
			if pair.Args, err = eintest.Arguments(r.Uint64(), f, pair.Sizes); err != nil {
				t.Fatal(err)
			}
			space, err := sketch.NewSpace(pair.G, p)
			if err != nil {
				t.Fatal(err)
			}
			var candidates []*sketch.Candidate
			for _, c := range space.Launches() {
				if c.Rule == "fragments" {
					candidates = append(candidates, c)
				}
			}
			if len(candidates) == 0 {
				t.Fatalf("no candidates by fragments of %s, sizes %v", f.Name, pair.Sizes)
			}
			legal := false
			if pair.Tree, legal = space.Alone(candidates[r.IntN(len(candidates))]); !legal {
				t.Fatalf("not legal: %s", pair)
			}
			kernel, proved, err := pair.Lower()
			if err != nil || !proved {
				t.Fatalf("proved %t: %v\n%s", proved, err, pair)
			}
			if err := loop.VerifyFor(kernel, roomOf(p.Grid)); err != nil {
				t.Fatalf("%v\n%s", err, pair)
			}
			if err := pair.Judge(kernel, r.Uint64()); err != nil {
				t.Fatalf("%v\n%s", err, pair)
			}
		}
	}
}
