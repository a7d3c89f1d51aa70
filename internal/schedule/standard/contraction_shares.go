package standard

import (
	"maps"
	"slices"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// How threads share a contraction whose columns are blocks
//
// Blocks of columns are tasks, which no thread packs twice. Few columns that are an odd number of
// register tiles leave a thread idle at the end, seven of them a seventh of the time; there the
// threads share the rows, and each packs all of the columns for its own. Two threads take 0.84 of
// the time for 1000 x 333 x 1717 floats, 0.88 for 333³, 0.76 for 250 x 150 x 2000 doubles.

// chooseColumnBlocks cuts columns with room for so many points, and rows, into tasks. Where
// columns were cut it compares that with rows alone, in as many tasks or one for each core.
func (k *contraction) chooseColumnBlocks(room, tasks int64) {
	const few = 512 // bytes of a column of rows
	if rows := extentOf(k.rows) * k.operandBytes(); rows <= few && rows*k.stepsInBlock() <= k.mk.m.L2/4 {
		room = max(1, room/4)
	}
	uncut := maps.Clone(k.block)
	byRows := k.elements(k.rows) > 4*k.elements(k.columns) && extentOf(k.columns) <= room
	k.cutColumnsAndRows(room, tasks, byRows)
	if byRows || !k.parallel || len(k.open) > 0 || k.spans(k.columns) == extentOf(k.columns) {
		return
	}
	best, shortest := k.block, 0.95*k.longestShare()
	for _, tasks := range []int64{tasks, int64(k.mk.m.Cores)} {
		k.block = maps.Clone(uncut)
		k.cutColumnsAndRows(room, tasks, true)
		if longest := k.longestShare(); longest < shortest {
			best, shortest = k.block, longest
		}
	}
	k.block = best
}

// cutColumnsAndRows makes so many tasks of the columns, and of the rows where the columns are
// too few for them or are only cut for want of room.
func (k *contraction) cutColumnsAndRows(room, tasks int64, byRows bool) {
	have := extentOf(k.batch)
	pieces := func() int64 { return (tasks + have - 1) / have }
	for n, i := range k.columns {
		parts := pieces()
		if byRows {
			parts = 1
		}
		most := max(1, room/extentOf(k.columns[n+1:]))
		if k.spans(k.columns[:n])*extentOf(k.columns[n:])*k.stepsInBlock()*k.operandBytes() > schedule.StackBytes*7/8 {
			// Those before have more points than there was room for, since a register tile has.
			most = max(1, most/k.spans(k.columns[:n]))
		}
		have *= k.cut(i, k.cutOpen(i, most, true), parts, have)
	}
	room = k.mostResults(k.spans(k.columns))
	for n, i := range k.rows {
		have *= k.cut(i, k.cutOpen(i, max(1, min(estimate(i.Extent), room/extentOf(k.rows[n+1:]))), false), pieces(), have)
	}
}

// longestShare is the time of the thread that ends last, where that which is free takes the next
// task, over what it would be if all ended together and packed nothing.
func (k *contraction) longestShare() float64 {
	const pack, most = 12, 256 // rows that could be computed meanwhile; tasks, with more of them threads end together
	sizes, useful := []float64{1}, 1.0
	for _, i := range slices.Concat(k.batch, k.rows, k.columns) {
		n, span := estimate(i.Extent), k.span(i)
		if slices.Contains(k.batch, i) {
			span = 1
		}
		useful *= float64(n)
		if int64(len(sizes))*((n+span-1)/span) > most {
			return 1
		}
		var finer []float64
		for _, size := range sizes {
			for first := int64(0); first < n; first += span {
				finer = append(finer, size*float64(roundUp(min(span, n-first), k.tileOf(i))))
			}
		}
		sizes = finer
	}
	threads := make([]float64, k.mk.m.Cores)
	for _, size := range sizes {
		next := slices.Index(threads, slices.Min(threads))
		threads[next] += size * (1 + pack/float64(k.spans(k.rows)))
	}
	return slices.Max(threads) * float64(len(threads)) / useful
}

// balanced returns how many of an index's tiles a task gets: so many, or where that ends
// earlier on all cores somewhat fewer, or more, at most the tiles there is room for. Two
// threads share 777³ floats, 10 tiles of columns, as 5 + 5, not as 3 + 3 + 3 + 1.
func balanced(tiles, most, room, have, cores int64) int64 {
	longest := func(each int64) float64 { // of a core's shares, in tiles
		whole, rest := have*(tiles/each), tiles%each
		rounds := (whole + cores - 1) / cores * each
		if whole%cores == 0 && rest > 0 {
			rounds += (have + cores - 1) / cores * rest
		}
		return float64(rounds)
	}
	best := most
	for each := most + 1; each <= min(room, (tiles+cores-1)/cores); each++ {
		if longest(each) < 0.98*longest(best) {
			best = each
		}
	}
	for each := most - 1; 2*each > most; each-- {
		if longest(each) < 0.98*longest(best) {
			best = each
		}
	}
	return best
}
