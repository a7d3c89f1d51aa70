package standard

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// Which operands of a contraction are copied into panels
//
// A copy pays where what is read is used often, or would come from many places.

// packedReuse is from how many uses of a vector of the columns on a copy of them pays.
const packedReuse = 8

// packsColumns: the vectors are not consecutive, or rows of the panel lie so far
// apart that they would share the lines of the caches.
func (k *contraction) packsColumns(a *ein.Access) bool {
	if k.group != nil {
		return true
	}
	if k.uncopied {
		return false
	}
	if len(k.outer) > 0 && k.mk.along(k.c, a.Tensor, a.Subscripts, k.vector) == unit {
		return false // it would be packed again for every outer sum
	}
	if k.mk.along(k.c, a.Tensor, a.Subscripts, k.vector) == far {
		return true
	}
	if k.columnBlocks || k.scattered || k.isShallow() && k.sweeps(k.vector) {
		return true
	}
	return k.rowTiles() >= packedReuse && (k.converts(a) || (k.farthest(a) >= k.mk.farApart() || k.splitsLines(a)) && !k.keepsStrip())
}

// splitsLines reports whether vectors of an operand lie across two lines of the cache,
// since its rows, of several vectors, are no whole lines. Beside rows in streams a copy
// pays then (150 x 150 x 150 floats take 0.76 of the time), beside others it does not
// (600 x 40 x 600 with a transposed operand would take 1.08).
func (k *contraction) splitsLines(a *ein.Access) bool {
	size := int64(a.Tensor.Type.Size())
	return len(k.inner) > 0 && k.streamsRows() && slices.ContainsFunc(k.inner, func(i *ein.Index) bool {
		row := k.mk.step(a.Tensor, a.Subscripts, i) * size
		return row > k.lanes*size && row%k.mk.line() != 0
	})
}

// rowTiles is the number of register tiles that use a tile of the columns.
func (k *contraction) rowTiles() int64 {
	tiles := int64(1)
	for _, i := range k.rows {
		tiles *= (k.span(i) + k.tileOf(i) - 1) / k.tileOf(i)
	}
	return tiles
}

// keepsStrip reports whether the columns of a register tile stay in the nearest cache
// while the rows, which are neither few nor many, pass by: they are read as they lie
// then, for a copy costs more than the few misses. What comes from far away is better
// copied in long runs, and rows of many pages better visited one by one: of floats,
// 48 x 24 x 8000 take 0.84 of the time in strips and 32 x 32 x 20000 take 0.85, but
// 1000 x 48 x 1000 take 1.17, and 32 x 32 x 20000 doubles 1.11.
func (k *contraction) keepsStrip() bool {
	const few, many, near = 8, 32, 6 // register tiles; times the second-level cache
	if k.group != nil || len(k.outer) > 0 || len(k.batch) > 0 || len(k.columns) != 1 {
		return false
	}
	size := k.operandBytes()
	bytes := extentOf(k.c.ByKind(ein.Concat)) * size
	for _, a := range k.operands {
		if k.onColumns(a) && k.mk.along(k.c, a.Tensor, a.Subscripts, k.vector) != unit {
			return false
		}
		bytes += pointsOf(k.c, a) * size
	}
	strip := k.steps() * k.tileOf(k.vector) * size
	return strip <= k.mk.m.L1*3/4 && bytes <= near*k.mk.m.L2 && k.rowTiles() >= few && k.rowTiles() < many
}

// packsRows: the values that the register tile reads together, and those of
// successive steps, lie in different lines; or the block's rows lie in different
// pages and are used by many tiles.
func (k *contraction) packsRows(a *ein.Access) bool {
	page, line := k.mk.page(), k.mk.line()
	if k.group != nil && k.mk.along(k.c, a.Tensor, a.Subscripts, k.group) != unit {
		return true
	}
	size := int64(a.Tensor.Type.Size())
	steps, points := int64(math.MaxInt64), int64(math.MaxInt64)
	for _, i := range k.inner {
		if ein.AnyDependsOn(a.Subscripts, i) {
			steps = min(steps, k.mk.step(a.Tensor, a.Subscripts, i)*size)
		}
	}
	if tiles := k.columnTiles(); tiles < leastPacked && (k.converts(a) || k.stepsInBlock() < longPacked || steps < page || tiles < fewestPacked && pointsOf(k.c, a)*size <= k.mk.m.L2) {
		return false
	}
	if k.converts(a) {
		return true
	}
	for _, i := range k.rows {
		if ein.AnyDependsOn(a.Subscripts, i) && k.tileOf(i) > 1 {
			points = min(points, k.mk.step(a.Tensor, a.Subscripts, i)*size)
		}
	}
	return steps >= line && (points >= line || k.farthest(a) >= k.mk.farApart()) || points >= page && points != math.MaxInt64
}

// leastPacked is for how many tiles along the columns the row operands are copied, and
// fewestPacked where a long block has every step in another page: of 1200 x 48 x 1200
// doubles with a transposed operand two tiles take 0.65 of the time. What comes from far
// away is copied for one, too: 700 x 24 x 2000 doubles take 0.59. Rows in streams are left
// as they lie: their copy would take 1.2 of the time for 128 x 64 x 4096 doubles, and
// 1.4 for 1200 x 48 x 1200.
const leastPacked, fewestPacked, longPacked = 4, 2, 128

// columnTiles is the number of register tiles along the columns of a task.
func (k *contraction) columnTiles() int64 {
	tiles := int64(1)
	for _, i := range k.columns {
		tiles *= (k.span(i) + k.tileOf(i) - 1) / k.tileOf(i)
	}
	return tiles
}

// farthest is the greatest distance of neighbours along an index that the block of
// an operand is wide in, in bytes.
func (k *contraction) farthest(a *ein.Access) int64 {
	most := int64(0)
	for _, i := range slices.Concat(k.inner, k.rows, k.columns) {
		if ein.AnyDependsOn(a.Subscripts, i) && k.tileOf(i) > 0 && (k.tileOf(i) > 1 || i.Combine.Kind != ein.Concat) {
			most = max(most, k.mk.step(a.Tensor, a.Subscripts, i)*int64(a.Tensor.Type.Size()))
		}
	}
	return most
}
