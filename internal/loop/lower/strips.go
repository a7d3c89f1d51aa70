package lower

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
)

// How the next strip is fetched
//
// A block that is as wide as a register tile is a strip of an operand. While the tiles of
// all rows pass by, the next strip is asked for, one line in each step of the reduction:
// the tiles take turns with the lines of a row. Its copy finds them near then. Of 64 x 3136
// x 256 floats one thread takes 0.93 of the time. Rows that would push each other out of
// the second cache, as those a power of two apart do, are left alone: 512 x 512 x 512 would
// take 1.2 of it.

const (
	farStrips  = 512 << 10 // bytes of an operand whose strips are worth it
	mostStrip  = 64 << 10  // bytes of a strip; larger ones come from the second cache, which has no time for more
	cacheBytes = 64 << 10  // after which lines share a set of the second cache
	setLines   = 4         // of a strip that may share one
)

// A strip says where the next block along a dimension comes from.
type strip struct {
	from  *storage
	width int64 // of the block
}

// stripOf returns what a placed input is a strip of, if it lies in rows that are far from
// the processor; nil elsewhere.
func (l *lowerer) stripOf(t *ein.Tensor, dim int, size int64, sc *scope) *strip {
	if t.Role != ein.Input || !isLarger(t, farStrips) {
		return nil
	}
	from := sc.storage[t]
	if stride, known := from.strides[dim].IsConst(); !known || stride != 1 || from.buffer.Region != loop.Argument {
		return nil
	}
	return &strip{from: from, width: size}
}

// prefetchStrip asks, in a step of the reduction, for a line of the next strip.
func (l *lowerer) prefetchStrip(s int, read *ein.Access, step, vector point, sc *scope) []loop.Stmt {
	next, b := sc.storage[read.Tensor].next, sc.blocks[vector]
	if next == nil || b.partial || b.ragged || !b.size.Equal(affine.Const(next.width)) {
		return nil
	}
	inner := sc.withStorage(read.Tensor, next.from)
	inner.blocks = sc.clone().blocks
	row, linear := l.stepOf(read.Tensor, read.Subscripts, step.index, inner)
	size := int64(read.Tensor.Type.Size())
	line, elements := lineBytes/size, int64(1)
	for _, n := range sc.storage[read.Tensor].room {
		elements *= n
	}
	if lane, _ := l.stepOf(read.Tensor, read.Subscripts, vector.index, inner); !linear || lane != 1 || elements*size > mostStrip || sharesSets(elements/next.width, row*size) {
		return nil
	}
	turn, ok := l.turnOf(s, read, (next.width+line-1)/line, sc)
	if !ok {
		return nil
	}
	inner.blocks[vector] = block{base: b.base.Add(turn.Scale(line)), size: affine.Const(1)}
	x := l.context(s, inner)
	if !x.alwaysInBounds(read) {
		return nil
	}
	at, _ := x.linear(read.Tensor, read.Subscripts)
	return append(x.before, &loop.Prefetch{Buffer: next.from.buffer, Index: at, Ahead: next.width})
}

// turnOf returns the number of the register tile among those that share an operand, modulo
// the number of turns; ok is false where there are not as many tiles.
func (l *lowerer) turnOf(s int, read *ein.Access, turns int64, sc *scope) (turn affine.Expr, ok bool) {
	for _, i := range l.f.Body[s].ByKind(ein.Concat) {
		b := sc.blocks[point{s, i.Name}]
		tile, known := b.size.IsConst()
		all, constant := i.Extent.IsConst()
		if _, single := b.base.IsConst(); single || !known || !constant || ein.DependsOn(read, i) || all < turns*tile {
			continue
		}
		number := affine.Div(b.base.Sub(i.Min), affine.Const(tile))
		return affine.Rem(number, affine.Const(turns)), true
	}
	return turn, false
}

// sharesSets reports whether so many rows, which are so many bytes apart, have too few sets of
// the second cache.
func sharesSets(rows, bytes int64) bool {
	apart, period := bytes, int64(cacheBytes)
	for period != 0 {
		apart, period = period, apart%period
	}
	return rows > setLines*(cacheBytes/max(1, apart))
}
