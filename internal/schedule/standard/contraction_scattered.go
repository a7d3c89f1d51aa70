package standard

import (
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How a contraction with few rows is scheduled whose vectors lie across the result
//
// Vectors go along the columns of a transposed matrix where its rows are multiplied by few others:
// these would leave lanes empty. Each element of a result then lies in another line, and would
// be read and written for every block of the reduction. So a task has a block of columns, whose
// results wait as the vectors want them, and are transposed when they are complete. That makes blocks
// of the reduction cheap, and they are as long as a copy of the columns of a register tile stays in
// the nearest cache.

const (
	scatteredRows  = 64        // at most
	scatteredBytes = 128 << 10 // of a task's block of the result
	fewestStored   = 192       // elements of results for each vector of the columns that is copied for them
	fewestNear     = 512       // of columns that came from the second-level cache without a copy
	fewestFar      = 256       // of columns that are copied from far away in short runs
	farColumns     = 8         // times the second-level cache
)

// isScattered reports whether results across the vectors would be written several times, and there are
// so many that a copy of the columns costs less. Of doubles with a transposed operand, 1000 x 33 x 1000 take
// 0.75 of the time and 300 x 33 x 1000 0.65, of floats 1000 x 24 x 1000 take 0.52; 1000 x 10 x 300 doubles
// would take 1.13, 3000 x 17 x 3000 1.29, 1000 x 24 x 3000 1.1 on one thread, and 300 x 17 x 1000 floats 1.32.
func (k *contraction) isScattered() bool {
	if k.group != nil || len(k.open) > 0 || len(k.inner) != 1 || len(k.columns) != 1 || len(k.batch) > 0 || k.depth == 0 || k.uncopied || k.columnBlocks {
		return false
	}
	rows := extentOf(k.rows)
	if !k.liesAcross(k.vector) || k.partialSums() != schedule.Output || k.rowTiles() < 2 || rows > scatteredRows {
		return false
	}
	bytes, packed := int64(0), true
	for _, a := range k.operands {
		if k.converts(a) {
			return false
		}
		if !k.onColumns(a) {
			continue
		}
		if !k.packable(a) || k.mk.along(k.c, a.Tensor, a.Subscripts, k.vector) != unit {
			return false
		}
		bytes, packed = bytes+pointsOf(k.c, a)*int64(a.Tensor.Type.Size()), packed && k.packsColumns(a)
	}
	stored := rows * k.lanes
	switch {
	case bytes > farColumns*k.mk.m.L2:
		return stored >= fewestFar && k.streamsColumns()
	case k.streamsColumns():
		return stored >= fewestStored
	}
	return packed || stored >= fewestNear
}

// placedTiles makes the schedule.
func (k *contraction) placedTiles() schedule.Node {
	k.scattered, k.depth = true, 0
	size := k.operandBytes()
	if most := k.mk.m.L1 / (k.columnsOfTile() * size); k.steps() > most {
		k.cutDepth(most)
	}
	pieces := int64(1)
	if k.parallel {
		pieces = int64(k.mk.m.Cores)
	}
	room := min(scatteredBytes, k.mk.m.L2/4) / size / extentOf(k.rows) / k.tileOf(k.vector) * k.tileOf(k.vector)
	k.cut(k.vector, max(k.tileOf(k.vector), room), pieces, 1)
	n := k.blocked()
	if k.depth > 0 {
		n = &schedule.Accumulate{Statement: k.s, Region: schedule.Output, Child: &schedule.Band{Members: []*schedule.Member{k.padded(k.inner[0], k.depth)}, Child: n}}
	}
	return wrap(k.tasks(), &schedule.Place{Tensor: k.c.Writes[0].Tensor.Name, Region: schedule.Private, Child: n})
}
