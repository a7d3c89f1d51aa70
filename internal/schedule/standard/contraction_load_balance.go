package standard

import (
	"maps"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
)

// How threads share a contraction whose columns are blocks: load balance
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
	best, shortest := k.block, 0.95*k.makespan(packAsLie, k.tileOf(k.vector))
	for _, tasks := range []int64{tasks, int64(k.mk.m.Cores)} {
		k.block = maps.Clone(uncut)
		k.cutColumnsAndRows(room, tasks, true)
		if longest := k.makespan(packAsLie, k.tileOf(k.vector)); longest < shortest {
			best, shortest = k.block, longest
		}
	}
	k.block = best
}

// compareBlocks cuts rows and columns in other ways, in as many tasks or one for each core, and
// takes the one by which threads end first, where each task packs columns that lie across the vectors.
// Two threads take 0.85 of the time for 257 x 129 x 511 floats that are both transposed, in two tasks
// instead of five, 0.8 for 128 x 256 x 32 doubles with transposed columns.
func (k *contraction) compareBlocks(uncut map[*ein.Index]int64, room, tasks int64) {
	pack, copied := packAcross*float64(k.lanes), k.copiesRows()
	best, shortest := k.block, 0.88*k.makespan(pack, k.lanes)
	for _, columnsFirst := range []bool{false, true} {
		for _, tasks := range []int64{tasks, int64(k.mk.m.Cores)} {
			k.block = maps.Clone(uncut)
			k.cutRowsAndColumns(room, tasks, columnsFirst && k.mostResults(1) == math.MaxInt64)
			if longest := k.makespan(pack, k.lanes); longest < shortest && (k.copiesRows() || !copied) {
				best, shortest = k.block, longest
			}
		}
	}
	k.block = best
}

// copiesRows reports whether tasks pack operands of the rows.
func (k *contraction) copiesRows() bool {
	return slices.ContainsFunc(k.operands, func(a *ein.Access) bool { return !k.onColumns(a) && k.packable(a) && k.packsRows(a) })
}

// packsAcross reports whether tasks pack columns whose neighbours lie across the vectors.
func (k *contraction) packsAcross() bool {
	return k.rowTiles() > 1 && slices.ContainsFunc(k.operands, func(a *ein.Access) bool {
		return k.onColumns(a) && k.packable(a) && k.packsColumns(a) && k.mk.along(k.c, a.Tensor, a.Subscripts, k.vector) != unit
	})
}

// Rows that are computed in the time in which columns are packed: as they lie, and for each lane where
// they lie across the vectors.
const packAsLie, packAcross = 12.0, 3.0

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
		if k.spans(k.columns[:n])*extentOf(k.columns[n:])*k.stepsInBlock()*k.operandBytes() > machine.StackBytes*7/8 {
			// Those before have more points than there was room for, since a register tile has.
			most = max(1, most/k.spans(k.columns[:n]))
		}
		have *= k.cut(i, k.cutSymbolic(i, most, true), parts, have)
	}
	room = k.mostResults(k.spans(k.columns))
	for n, i := range k.rows {
		have *= k.cut(i, k.cutSymbolic(i, max(1, min(estimate(i.Extent), room/k.spans(k.rows[:n])/extentOf(k.rows[n+1:]))), false), pieces(), have)
	}
}

// makespan is the time of the thread that ends last, where that which is free takes the next
// task, over what it would be if all ended together and packed nothing. To pack the columns takes a
// task as long as to compute so many rows; columns that are not cut fill so many lanes.
func (k *contraction) makespan(pack float64, lanes int64) float64 {
	const most = 256 // tasks, with more of them threads end together
	sizes, useful := []float64{1}, 1.0
	for _, i := range slices.Concat(k.batch, k.rows, k.columns) {
		n, span := estimate(i.Extent), k.span(i)
		if slices.Contains(k.batch, i) {
			span = 1
		}
		unit := k.tileOf(i)
		if i == k.vector && span >= n {
			unit = lanes
		}
		useful *= float64(n)
		if int64(len(sizes))*((n+span-1)/span) > most {
			return 1
		}
		var finer []float64
		for _, size := range sizes {
			for first := int64(0); first < n; first += span {
				finer = append(finer, size*float64(roundUp(min(span, n-first), unit)))
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
