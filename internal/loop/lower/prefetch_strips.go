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
// the tiles take turns with the lines of a row. Its copy finds them near then. The mark next-strip of a place says so.

// A strip says where the next block along a dimension comes from.
type strip struct {
	from  *storage
	width int64 // of the block
}

// stripOf returns what a placed input is a strip of, if it lies in rows; nil elsewhere.
func (l *lowerer) stripOf(t *ein.Tensor, dim int, size int64, sc *scope) *strip {
	if t.Role != ein.Input {
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
	_, linear := l.stepOf(read.Tensor, read.Subscripts, step.index, inner)
	size := int64(read.Tensor.Type.Size())
	line := l.line() / size
	if lane, _ := l.stepOf(read.Tensor, read.Subscripts, vector.index, inner); !linear || lane != 1 {
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
