package lower

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
)

// How the next rows are fetched
//
// Where a block of the columns stays in the second cache, the rows of a matrix pass by as they lie: a
// register tile of some rows meets all columns of the block, then the next one does. The first
// tile of new rows would wait for the memory, since every block of the reduction begins a short run
// in each row that no prefetcher has followed. So the tiles before it, one for each row, ask
// for the rows that come next, the element of the step each time: most lines are asked for
// several times, but an address that counts with the steps costs a single instruction, and a loop around
// the steps of a line gains no more. Of 2048³ doubles one thread takes 0.97 of the time. What the
// third cache holds comes in time: 1600³ would take 1.03 on two.

// prefetchNextRows asks, in a step of the reduction, for what the next tile of rows reads of an
// operand that lies along the steps and is not packed.
func (l *lowerer) prefetchNextRows(s int, read *ein.Access, step, vector point, sc *scope) []loop.Stmt {
	st := sc.storage[read.Tensor]
	if st.buffer.Region != loop.Argument || vector.index == "" || ein.DependsOn(read, l.index(vector)) {
		return nil
	}
	if along, linear := l.stepOf(read.Tensor, read.Subscripts, step.index, sc); !linear || along != 1 {
		return nil
	}
	rows, n := l.rowsOfTile(s, read, sc)
	if n < 2 || !l.context(s, sc).alwaysInBounds(read) {
		return nil
	}
	apart, linear := l.stepOf(read.Tensor, read.Subscripts, rows.index, sc)
	turn, ok := l.turnOf(s, read, n, sc)
	if !linear || !ok {
		return nil
	}
	inner := sc.clone()
	b := sc.blocks[rows]
	first := b.base.Add(turn)
	if b.ragged {
		first = affine.MinOf(first, b.last())
	}
	inner.blocks[rows] = block{base: first, size: affine.Const(1)}
	x := l.context(s, inner)
	at, form := x.linear(read.Tensor, read.Subscripts)
	if form != uniform {
		return nil
	}
	return append(x.before, &loop.Prefetch{Buffer: st.buffer, Index: at, Ahead: n * apart, Second: true})
}

// rowsOfTile returns the one index along which a register tile reads several elements of an operand,
// and how many; 0 where there are several such indices.
func (l *lowerer) rowsOfTile(s int, read *ein.Access, sc *scope) (rows point, points int64) {
	for _, i := range l.f.Body[s].ByKind(ein.Concat) {
		p := point{s, i.Name}
		b := sc.blocks[p]
		n, known := b.size.IsConst()
		switch {
		case !ein.DependsOn(read, i) || known && n == 1:
		case !known || b.partial || b.lanes > 0 || b.value != nil || points > 0:
			return point{}, 0
		default:
			rows, points = p, n
		}
	}
	return rows, points
}
