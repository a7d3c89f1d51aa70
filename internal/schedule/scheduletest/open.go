package scheduletest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/ein/eintest"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/rewrite"
)

// How pairs with open sizes are drawn
//
// A kernel whose sizes are open is made once, and runs for all of them: for blocks that are larger than what there is, for no points, and for
// primes. So such a pair comes with several lists of sizes. Loops over what is reduced have blocks in turns more often than elsewhere.

// mostLists is for how many lists of sizes a kernel with open sizes is judged.
const mostLists = 4

// OpenOf are the pairs of a seed with one function and one tree, whose sizes are open, each with other sizes; none where no tree of some is legal.
func OpenOf(seed int) []Pair { return openPairs.Example(seed) }

var openPairs = rapid.Custom(func(t *rapid.T) (list []Pair) {
	name, f, sizes, more := drawFunction(t)
	open := map[string]bool{}
	for _, s := range f.Sizes {
		open[s.Name] = name == "random" || rapid.IntRange(0, 3).Draw(t, "open") > 0
	}
	g, err := f.Specialise(sizes, open)
	if err == nil && rapid.Bool().Draw(t, "optimise") {
		g, err = rewrite.Optimise(g, numerics.Default)
	}
	if err != nil {
		t.Fatal(err)
	}
	tree, how, ok := gridBy(t, g, openMakers)
	if !ok {
		return nil
	}
	for range mostLists {
		if hasPoints(f, sizes) {
			p := Pair{Program: name, How: how + ", open", Tree: tree, Subject: Subject{F: f, G: g, Sizes: sizes}}
			if p.Args, err = eintest.Arguments(rapid.Uint64().Draw(t, "seed"), f, sizes); err != nil {
				t.Fatal(err)
			}
			list = append(list, p)
		}
		others := more()
		for name := range others {
			if !open[name] {
				others[name] = sizes[name]
			}
		}
		sizes = others
	}
	return list
})

// hasPoints reports whether ranges are empty only where the function allows it; with other sizes it is not called.
func hasPoints(f *ein.Func, sizes map[string]int64) bool {
	return !slices.ContainsFunc(f.Body, func(c *ein.Comprehension) bool {
		return slices.ContainsFunc(c.Indices, func(i *ein.Index) bool {
			n, err := i.Extent.Eval(sizes)
			return err != nil || n < 1 && !i.MayBeEmpty
		})
	})
}
