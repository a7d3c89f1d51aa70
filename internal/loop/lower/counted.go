package lower

import (
	"maps"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How blocks are counted
//
// The loop over a counted member (see package schedule) runs over numbers. As soon as the
// number of a block is known without its skews, and the block around it is there, the block
// is entered, and a test says whether there is such a block: a loop further out may have
// had more numbers than blocks. A loop by which an open one is skewed leaves out the
// numbers for which there is none, so that diagonals have no idle iterations.

// counted makes the loop over the numbers of a member.
func (l *lowerer) counted(m *schedule.Member, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	least, n := l.numbers(m, sc)
	v := l.newVar(first(m, sc).Index)
	f := &loop.For{Var: v, Step: 1, Kind: loop.Serial}
	number := affine.Symbol(v.Name)
	if _, known := n.IsConst(); known && m.Unroll || m.Reverse {
		f.Lo, f.Hi, number = int64Const(0), l.toLoop(n, 1), least.Add(number)
		if m.Unroll && known {
			f.Kind = loop.Unrolled
		}
		if m.Reverse {
			number = least.Add(n).AddConst(-1).Sub(affine.Symbol(v.Name))
		}
	} else {
		f.Lo, f.Hi = l.toLoop(least, 1), l.toLoop(least.Add(n), 1)
	}
	f.Body = l.enterCounted(m, number, sc, body)
	return []loop.Stmt{f}
}

// numbers returns the least number of a member, and how many there are.
func (l *lowerer) numbers(m *schedule.Member, sc *scope) (least, n affine.Expr) {
	low, high := affine.Const(0), l.blocks(m, sc).AddConst(-1)
	for _, s := range m.Skews {
		by := l.levels.By(m, s)
		if sc.count.Number(by) {
			low, high = plusTimes(low, high, sc.numbers[by], sc.numbers[by], s.Factor)
		} else {
			low, high = plusTimes(low, high, affine.Const(0), l.blocks(by, sc).AddConst(-1), s.Factor)
		}
	}
	if len(m.Skews) == 0 {
		low, high = l.diagonal(m, sc, low, high)
	}
	return low, high.Sub(low).AddConst(1) // negative for none, as the end of a loop may be
}

// blocks returns how many blocks of a member the block around it has at most.
func (l *lowerer) blocks(m *schedule.Member, sc *scope) affine.Expr {
	return affine.Div(l.room(m, sc).AddConst(m.Tile-1), affine.Const(m.Tile))
}

// room is how many values the block around has in which a member counts.
func (l *lowerer) room(m *schedule.Member, sc *scope) affine.Expr {
	lp := first(m, sc)
	if sc.count.InBlock(m, lp) {
		return sc.blocks[point{lp.Statement, lp.Index}].points()
	}
	return affine.Const(l.levels.Around(m, lp).Tile)
}

// diagonal leaves out the numbers of a member for which there are no blocks of an open one
// that is skewed by it, where all else is known of that.
func (l *lowerer) diagonal(m *schedule.Member, sc *scope, low, high affine.Expr) (affine.Expr, affine.Expr) {
	for _, o := range sc.count.Open() {
		rest, factor, known := sc.numbers[o], int64(0), true
		for _, s := range o.Skews {
			switch by := l.levels.By(o, s); {
			case by == m:
				factor = s.Factor
			case sc.count.Number(by):
				rest = rest.Sub(sc.numbers[by].Scale(s.Factor))
			default:
				known = false
			}
		}
		if factor == 0 || !known {
			continue
		}
		// 0 ≤ rest - factor·number < blocks
		down, up := rest.Sub(l.blocks(o, sc)).AddConst(1), rest
		if factor < 0 {
			factor, down, up = -factor, up.Scale(-1), down.Scale(-1)
		}
		low = affine.MaxOf(low, affine.Div(down.AddConst(factor-1), affine.Const(factor)))
		high = affine.MinOf(high, affine.Div(up, affine.Const(factor)))
	}
	return low, high
}

// enterCounted goes below the loop over a member at a number, with the blocks that are
// known from there on, if they exist.
func (l *lowerer) enterCounted(m *schedule.Member, number affine.Expr, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	c := sc.clone()
	c.numbers = maps.Clone(sc.numbers)
	if c.numbers == nil {
		c.numbers = map[*schedule.Member]affine.Expr{}
	}
	c.numbers[m] = number
	var now []schedule.Known
	c.count, now = sc.count.Enter(m)
	var test loop.Expr
	for _, k := range now {
		if k.Block {
			test = both(test, l.exists(k.Member, k.Member == m && l.isExact(m, sc), c))
			c = l.enterBlock(k.Member, c)
			continue
		}
		n := c.numbers[k.Member]
		for _, s := range k.Member.Skews {
			n = n.Sub(c.numbers[l.levels.By(k.Member, s)].Scale(s.Factor))
		}
		c.numbers[k.Member] = n
	}
	list := body(c)
	if test != nil {
		list = []loop.Stmt{&loop.If{Cond: test, Then: list}}
	}
	return list
}

// isExact reports whether the loop over a member has the numbers of the blocks that exist
// and no others.
func (l *lowerer) isExact(m *schedule.Member, sc *scope) bool {
	for _, s := range m.Skews {
		if !sc.count.Number(l.levels.By(m, s)) {
			return false
		}
	}
	return sc.count.InBlock(m, first(m, sc))
}

// exists tests that there is a block with the number of a member.
func (l *lowerer) exists(m *schedule.Member, exact bool, sc *scope) (test loop.Expr) {
	if exact {
		return nil
	}
	n := sc.numbers[m]
	if len(m.Skews) > 0 {
		test = &loop.Binary{Op: ein.Ge, X: l.toLoop(n, 1), Y: int64Const(0)}
	}
	return both(test, &loop.Binary{Op: ein.Lt, X: l.toLoop(n.Scale(m.Tile), 1), Y: l.toLoop(l.room(m, sc), 1)})
}

// enterBlock enters the block with the number of a member.
func (l *lowerer) enterBlock(m *schedule.Member, sc *scope) *scope {
	lp := first(m, sc)
	around := sc.blocks[point{lp.Statement, lp.Index}]
	seg := segment{tile: m.Tile, points: around.points()}
	size, known := around.size.IsConst()
	fills := known && size%m.Tile == 0
	if seg.ragged = m.Tile > 1 && (around.ragged || !fills); around.ragged && fills {
		seg.points = around.exists
	}
	offset := sc.numbers[m].Scale(m.Tile)
	return sc.enter(m, seg, offset, offset)
}
