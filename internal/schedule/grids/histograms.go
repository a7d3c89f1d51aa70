package grids

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How reductions through index arrays are shared out
//
// A point that is reduced meets one result of a histogram, which it determines. So results are no groups, each of which would look at all
// points: items have all results for themselves, as many items as have room for these in local memory, and each visits its points once. The
// items combine what they have, each some of the results, and so do groups, by a second launch. The order is fixed, so that floats
// have the same bits in every run.

// histogramOf makes launches of a reduction that determines an index of its results, the one that is wanted first; none for others.
func histogramOf(c *ein.Comprehension, s int, results []*ein.Index, g machine.Grid) (list []schedule.Node) {
	k := slices.IndexFunc(results, func(i *ein.Index) bool { return schedule.DeterminationOf(c, i) != nil })
	reduced := ein.Reduced(c)
	if k < 0 || len(reduced) == 0 {
		return nil
	}
	bin := results[k]
	bins, known := bin.Extent.IsConst()
	if !known {
		return nil
	}
	room := g.Items
	if g.Local > 0 {
		room = min(room, g.Local/(bins*schedule.ComponentBytes(reduced[0].Combine.Op)))
	}
	if room < 2 {
		return nil
	}
	p := shared{s: s, c: c, g: g, beside: 1, tile: 1, launches: 1, bin: bin}
	p.results = slices.Delete(slices.Clone(results), k, k+1)
	p.spread(reduced, 1, floorPower(room))
	if p.team < 2 || !p.fits() {
		return nil
	}
	number := int64(1)
	for _, i := range p.results {
		number = min(number*min(extentOf(i), g.Items), 1<<31)
	}
	parts, index := p.parts(number, reduced)
	if parts = min(parts, pointsOf(reduced)/(p.team*max(bins, 1))); parts > 1 { // or results would take longer than points
		list = append(list, p.inTwoPasses(parts, index))
	}
	return append(list, p.launch(nil))
}
