package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How a contraction is scheduled whose result is transposed
//
// Where both operands lie in rows along the reduction, one of them must be transposed for
// vectors of the result: the one along the last dimension of the result, as it seems, and
// that is the weights of a layer of a network, which are far more than the rest. The
// vectors may as well lie along the other dimension. Then the smaller operand is
// transposed, the larger one is read once, in streams, and the result waits in a block of
// the task that is as the vectors want it and is transposed when it is complete. A task is
// a block of rows, which are those of the larger operand, with all columns; there are as
// many as cores if the result has room, for each copies the columns. 128 x 1024 x 1024
// floats take 0.95 of the time.

const (
	placedColumns = 512       // at most; with more the larger operand is not much larger
	placedBytes   = 256 << 10 // of a task's block of the result
)

// placesResult reports whether the result of vectors along v is to be transposed when it is
// complete: a plain result that is written once and never read, of columns that are few, and
// with operands that lie in rows along the reduction.
func (k *contraction) placesResult(v *ein.Index) bool {
	if !k.liesAcross(v) {
		return false
	}
	w := k.c.Writes[0]
	return k.liesAlongSum() && estimate(v.Extent) <= placedColumns && !slices.ContainsFunc(k.operands, func(a *ein.Access) bool { return a.Tensor == w.Tensor })
}

// liesAcross reports whether the result of vectors along v may be transposed when it is complete, and
// has to be: it is plain, and its neighbours are far apart along v.
func (k *contraction) liesAcross(v *ein.Index) bool {
	if !k.mayPlace || len(k.c.Writes) != 1 || len(k.outer) > 0 || len(k.inner) == 0 || k.c.Accumulate != nil {
		return false
	}
	w := k.c.Writes[0]
	if w.Tensor.Role != ein.Output || w.Tensor.Type != k.c.Values[0].Type() || k.mk.along(k.c, w.Tensor, w.Subscripts, v) != far {
		return false
	}
	var seen []*ein.Index
	for _, sub := range w.Subscripts {
		i, _, plain := schedule.IndexPlusConstant(k.c, sub)
		if !plain || slices.Contains(seen, i) {
			return false
		}
		seen = append(seen, i)
	}
	return true
}

// liesAlongSum reports whether all operands lie in rows along the reduction.
func (k *contraction) liesAlongSum() bool {
	return len(k.inner) > 0 && !slices.ContainsFunc(k.operands, func(a *ein.Access) bool {
		return k.mk.along(k.c, a.Tensor, a.Subscripts, k.inner[len(k.inner)-1]) != unit
	})
}

// placed makes the schedule of a contraction whose result is transposed; nil where another
// one is better.
func (k *contraction) placed() schedule.Node {
	w := k.c.Writes[0]
	size := int64(w.Tensor.Type.Size())
	columns := extentOf(k.columns)
	if !k.columnBlocks || k.group != nil || k.splitsReduction() || columns > placedColumns {
		return nil
	}
	room := min(placedBytes, k.mk.m.L2/4) / size / columns
	if room < k.rowsOfTile() {
		return nil
	}
	pieces := int64(1)
	if k.parallel {
		pieces = int64(k.mk.m.Cores)
	}
	have := extentOf(k.batch)
	for n, i := range k.rows {
		have *= k.cut(i, max(1, room/extentOf(k.rows[n+1:])), (pieces+have-1)/have, have)
	}
	if k.spans(k.rows)*columns*size > min(placedBytes, k.mk.m.L2/4)*5/4 { // the blocks of several indices of rows
		return nil
	}
	n := k.columnsFromRows()
	if k.depth > 0 {
		n = &schedule.Accumulate{Statement: k.s, Region: k.partialSums(), Child: &schedule.Band{Members: []*schedule.Member{k.padded(k.inner[0], k.depth)}, Child: n}}
	}
	return wrap(k.tasks(), &schedule.Place{Tensor: w.Tensor.Name, Region: schedule.Private, Child: n})
}

// columnsFromRows makes the loops of a task for one block of the reduction. It cuts that
// anew where all columns are copied at once.
func (k *contraction) columnsFromRows() schedule.Node {
	depth := k.depth
	if !k.copiesAllColumns() {
		k.depth = depth
		return wrap(k.loops(k.columns), k.pack(wrap(k.loops(k.rows), k.accumulate()), true))
	}
	return k.pack(wrap(append(k.loops(k.rows), k.loops(k.columns)...), k.accumulate()), true)
}

// copiesAllColumns reports whether a block of all columns is better than one tile of them
// after the other, and cuts the reduction so that the block stays in the second-level
// cache, beside the results, and the rows of a register tile in the first.
func (k *contraction) copiesAllColumns() bool {
	size, columns := k.operandBytes(), int64(1)
	for _, i := range k.columns {
		columns *= roundUp(estimate(i.Extent), k.tileOf(i))
	}
	if k.columnTiles() == 1 || k.spans(k.rows)*k.stepsInBlock()*size <= k.mk.m.L2/2 {
		return false
	}
	room := min(k.mk.m.L2, machine.StackBytes) / 2
	k.depth = 0
	if most := min(room/columns, k.mk.m.L1/2/k.rowsOfTile()) / size; k.steps() > most {
		k.cutDepth(most)
	}
	return columns*k.stepsInBlock()*size <= room
}

// rowsOfTile is the number of points of the rows in a register tile.
func (k *contraction) rowsOfTile() int64 {
	points := int64(1)
	for _, i := range k.rows {
		points *= k.tileOf(i)
	}
	return points
}
