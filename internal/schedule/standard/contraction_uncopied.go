package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How a contraction is scheduled whose columns are not copied
//
// What a register tile reads of the columns comes from the second-level cache anyway. So a
// matrix that has room there, and rows that are whole lines, need not be copied: the tiles of
// a row follow one another, while the rows that they share stay in the nearest cache, and ask for lines
// some steps ahead (loop/lower/prefetch.go). Somewhat larger ones are cut along the reduction. One thread
// takes 0.95 of the time for 256³ and 512³ floats and doubles, 0.77 for 77 x 288 x 1000 floats, 0.9 for 250 x 464 x 333
// doubles; two take 0.97, 0.73 and 0.92.

const (
	uncopiedSteps = 96   // of the reduction; shorter ones are swept over
	leastUnequal  = 1.05 // that a cut of other indices must gain
	mostUnequal   = 1.12 // of what equal shares take; blocks that are copied may be shared otherwise
)

// readsUncopied reports whether the columns are read as they lie from the second-level cache, and if
// so cuts the reduction for that.
func (k *contraction) readsUncopied() bool {
	if k.group != nil || len(k.outer) > 0 || len(k.open) > 0 || len(k.batch) > 0 || len(k.columns) != 1 || len(k.inner) == 0 || k.steps() < uncopiedSteps {
		return false
	}
	if !k.streamsRows() || k.rowTiles() < packedReuse || k.keepsStrip() {
		return false
	}
	bytes, row := int64(0), int64(0)
	for _, a := range k.operands {
		if k.isPanel(a) {
			return false
		}
		if !k.onColumns(a) {
			continue
		}
		if k.converts(a) || k.mk.along(k.c, a.Tensor, a.Subscripts, k.vector) != unit || !k.hasWholeLines(a) {
			return false
		}
		bytes, row = bytes+pointsOf(k.c, a)*int64(a.Tensor.Type.Size()), max(row, k.farthest(a))
	}
	if w := k.c.Writes[0]; k.mk.along(k.c, w.Tensor, w.Subscripts, k.vector) != unit || row < k.mk.farApart() || row > k.mk.page() {
		return false
	}
	if k.parallel && k.inStrips() {
		return false // which threads share more equally
	}
	if bytes > k.mk.m.L2*5/8 {
		if bytes > k.mk.m.L2 || k.steps() < 2*uncopiedSteps || k.partialSums() != schedule.Output {
			return false
		}
		k.cutDepth((k.steps() + 1) / 2)
	}
	if k.parallel && !k.cutUncopied() {
		k.block, k.depth = map[*ein.Index]int64{}, 0
		return false
	}
	return true
}

// cutUncopied cuts the rows into tasks, or the columns where these are far more or the rows would be
// shared less equally, and reports whether the threads have enough to do. Tiles of rows are tasks of their own, unless they read
// the columns block by block. Columns are cut into whole tiles; those that are not cut fill lanes, not tiles: two threads take
// 0.75 of the time for 100 x 272 x 500 floats and 150 x 208 x 1000 doubles.
func (k *contraction) cutUncopied() bool {
	cores := int64(k.mk.m.Cores)
	shares := func(cut func()) (blocks map[*ein.Index]int64, longest float64) {
		k.block = map[*ein.Index]int64{}
		cut()
		return k.block, k.makespan(0, k.lanes)
	}
	rows, longest := shares(func() {
		switch {
		case len(k.rows) > 1:
			k.cutRowsAndColumns(extentOf(k.rows), cores*tasksPerCore, false)
		case k.depth == 0:
			k.block[k.rows[0]] = k.tileOf(k.rows[0])
		default:
			k.cut(k.rows[0], estimate(k.rows[0].Extent), cores*tasksPerCore, 1)
		}
	})
	columns, longestByColumns := shares(func() {
		for _, pieces := range []int64{cores * tasksPerCore, cores} {
			if n := estimate(k.vector.Extent); n%(pieces*k.tileOf(k.vector)) == 0 {
				k.block[k.vector] = n / pieces
				return
			}
		}
	})
	allowed := longest / leastUnequal
	if k.elements(k.columns) > 2*k.elements(k.rows) {
		allowed = longest * leastUnequal
	}
	if k.block = rows; longestByColumns < allowed {
		k.block, longest = columns, longestByColumns
	}
	return longest <= mostUnequal
}

// hasWholeLines reports whether the rows of an operand begin at lines of the cache when it does.
func (k *contraction) hasWholeLines(a *ein.Access) bool {
	return !slices.ContainsFunc(k.c.Indices, func(i *ein.Index) bool {
		return i != k.vector && k.mk.step(a.Tensor, a.Subscripts, i)*int64(a.Tensor.Type.Size())%k.mk.line() != 0
	})
}
