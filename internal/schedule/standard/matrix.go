package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// unitTile is what an instruction of the matrix unit takes. Register tiles are blocks of 2 x 2 of its tiles.
func (mk *maker) unitTile() schedule.Tile { return schedule.TileOf(mk.m) }

// multipliesTiles reports whether the machine has a matrix unit for types, with as many tiles as a block takes.
func (mk *maker) multipliesTiles(types ...tensor.DType) bool {
	return mk.m.Whole(machine.Tiles) >= schedule.TilesOfBlock && !slices.ContainsFunc(types, func(t tensor.DType) bool { return !mk.m.MultipliesMatrices(t) })
}

// multipliesParts reports whether the unit multiplies parts of float32, whose panels are of two tiles as high as they are
// wide (ein/parts.go).
func (mk *maker) multipliesParts() bool {
	const side = ein.PartsLines / 2
	return mk.multipliesTiles(tensor.Float32) && mk.unitTile() == schedule.Tile{Rows: side, Columns: side, Groups: side}
}

// leastMatrixRows is from how many rows on a matrix unit is faster than vectors. Of floats
// these read the columns as they lie, which the matrix unit needs a copy of: with 4 x 1000 x
// 2048 bfloat16 it takes 1.24 of the time, with 16 x 1000 x 2048 0.44; 4 x 1000 x 2048 bytes
// take 0.87. Along the reduction there must be a whole tile: 32 x 32 x 32 bytes take 1.15.
const leastMatrixRows, leastMatrixFloatRows = 4, 6

// leastAlone is from how many steps of the reduction on a sum of products is better alone in its
// loops, where groups or a matrix unit compute it, than together with what is made of its
// results: these go through memory then, at some 0.4 ns each, and a step takes some 0.01 ns
// less. 512³ bfloat16 with a result that is rounded to it take 0.14 of the time.
const leastAlone = 64

// isAlone reports whether a statement is not to be fused: it visits indices that are determined, its
// results have conditions of their own, or it is a product that groups or a matrix unit compute, with steps and points enough.
func (mk *maker) isAlone(s int) bool {
	c := mk.f.Body[s]
	if mk.newScatter(s) != nil || mk.newGuardedRow(s) != nil || mk.matrixWindows(s) != nil || mk.partsWindows(s) != nil || mk.partsContraction(s) != nil {
		return true
	}
	x, y, size := ein.DotOf(c)
	if size == 0 || !mk.contraction(c) {
		return false
	}
	matrix := mk.multipliesTiles(x.Tensor.Type, y.Tensor.Type)
	if !matrix && !mk.multipliesGroups(c) {
		return false
	}
	steps := int64(1)
	for _, i := range ein.Reduced(c) {
		steps = schedule.MultiplySizes(steps, estimate(i.Extent))
	}
	points := func(a, b *ein.Access) (most int64) {
		for _, i := range c.ByKind(ein.Concat) {
			if ein.AnyDependsOn(a.Subscripts, i) && !ein.AnyDependsOn(b.Subscripts, i) {
				most = max(most, estimate(i.Extent))
			}
		}
		return most
	}
	return steps >= leastAlone && min(points(x, y), points(y, x)) >= leastMatrixFloatRows
}

// chooseMatrix decides whether the sum is for a matrix unit, whose register tile is 2 × 2 of
// its tiles: four of results, two of rows and two of columns, all that there are.
func (k *contraction) chooseMatrix() bool {
	x, y, size := ein.DotOf(k.c)
	if !k.mk.multipliesTiles(x.Tensor.Type, y.Tensor.Type) {
		return false
	}
	group := k.matrixGroup(x, y)
	if group == nil {
		return false
	}
	along, shared, why := schedule.DotOperands(k.c, group, k.vector, size)
	if why != "" || !k.packable(along) {
		return false
	}
	var row *ein.Index
	for _, i := range k.c.ByKind(ein.Concat) {
		if ein.AnyDependsOn(shared.Subscripts, i) && !ein.AnyDependsOn(along.Subscripts, i) && (row == nil || estimate(i.Extent) >= estimate(row.Extent)) {
			row = i
		}
	}
	least := int64(leastMatrixRows)
	if x.Tensor.Type.IsFloat() {
		least = leastMatrixFloatRows
	}
	tile := k.mk.unitTile()
	if row == nil || estimate(row.Extent) < least || estimate(group.Extent) < tile.Groups*int64(size) {
		return false
	}
	vectors := min(2*tile.Columns/k.lanes, (estimate(k.vector.Extent)+k.lanes-1)/k.lanes)
	k.tile = map[*ein.Index]int64{k.vector: max(1, vectors) * k.lanes, row: min(2*tile.Rows, estimate(row.Extent))}
	k.group, k.groupSize, k.matrix = group, int64(size), true
	k.inner = append(slices.DeleteFunc(slices.Clone(k.inner), func(i *ein.Index) bool { return i == group }), group)
	return true
}

// matrixGroup returns the index along which groups are: the one by which both operands go
// on, preferably side by side in that which is read as it lies, and the longest of those.
func (k *contraction) matrixGroup(x, y *ein.Access) (best *ein.Index) {
	isNear := func(i *ein.Index) bool {
		return slices.ContainsFunc([]*ein.Access{x, y}, func(a *ein.Access) bool {
			return !k.onColumns(a) && k.mk.along(k.c, a.Tensor, a.Subscripts, i) == unit
		})
	}
	for _, i := range k.inner {
		switch {
		case !ein.AnyDependsOn(x.Subscripts, i) || !ein.AnyDependsOn(y.Subscripts, i):
		case best == nil || isNear(i) && !isNear(best), isNear(i) == isNear(best) && estimate(i.Extent) >= estimate(best.Extent):
			best = i
		}
	}
	return best
}
