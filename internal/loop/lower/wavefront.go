package lower

import (
	"maps"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How blocks are counted in loops that are skewed or fused: wavefronts
//
// The loop over a counted member (see package schedule) runs over numbers. As soon as the
// number of a block is known without its skews, and the block around it is there, the block
// is entered, for vectors so many of them, and a test says whether there is such a block: a loop further out may have
// had more numbers than blocks. Each loop leaves out the numbers for which an open one has
// no block, so that diagonals have no idle iterations: what is not known yet of the number
// of the open one is a sum of numbers of blocks, which are in their ranges.

// counted makes the loop over the numbers of a member.
func (l *lowerer) counted(m *schedule.Member, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	least, n := l.numbers(m, sc)
	v := l.indexVar(m, sc, "")
	f := &loop.For{Var: v, Step: 1, Kind: loop.Serial}
	number := affine.Symbol(v.Name)
	if lanes := int64(m.Vector); lanes > 0 { // on no diagonal, so that its numbers are all from 0
		f.Lo, f.Hi = int64Const(0), l.toLoop(affine.Div(n.AddConst(lanes-1), affine.Const(lanes)), 1)
		if m.Unroll {
			f.Kind = loop.Unrolled
		}
		f.Body = l.enterCounted(m, number.Scale(lanes), l.isExact(m, sc), sc, body)
		return []loop.Stmt{f}
	}
	if _, known := n.IsConst(); known && m.Unroll {
		f.Kind = loop.Unrolled
	}
	switch {
	case m.Reverse:
		number = l.reversed(f, least, n, 1)
	case f.Kind == loop.Unrolled:
		f.Lo, f.Hi, number = int64Const(0), l.toLoop(n, 1), least.Add(number)
	default:
		f.Lo, f.Hi = l.toLoop(least, 1), l.toLoop(least.Add(n), 1)
	}
	f.Body = l.enterCounted(m, number, l.isExact(m, sc), sc, body)
	return []loop.Stmt{f}
}

// numbers returns the least number of a member, and how many there are.
func (l *lowerer) numbers(m *schedule.Member, sc *scope) (least, n affine.Expr) {
	low, high := affine.Expr{}, affine.Expr{}
	for _, o := range l.levels.Sum(m) {
		if x := affine.Const(0); sc.count.Number(o.Member) {
			x = l.number(o.Member, sc)
			low, high = plusTimes(low, high, x, x, o.Factor)
		} else {
			low, high = plusTimes(low, high, x, l.blocks(o.Member, sc).AddConst(-1), o.Factor)
		}
	}
	diagonals := sc.count.Open()
	if len(m.Skews) > 0 {
		diagonals = append(diagonals, m)
	}
	least, greatest, steep := low, high, false
	for _, o := range diagonals {
		factor, down, up := l.diagonal(o, m, sc)
		if factor > 0 {
			least, greatest = affine.MaxOf(least, affine.Div(down.AddConst(factor-1), affine.Const(factor))), affine.MinOf(greatest, affine.Div(up, affine.Const(factor)))
		}
		steep = steep || factor > 1
	}
	if m.IsConcurrent() && steep && len(diagonals) > 1 { // numbers from the first one on are no sums any more
		least, greatest = low, high
	}
	return least, greatest.Sub(least).AddConst(1) // negative for none, as the end of a loop may be
}

// number is that of the block of a member, which is known.
func (l *lowerer) number(m *schedule.Member, sc *scope) (n affine.Expr) {
	for _, o := range sc.count.NumberOf(m) {
		n = n.Add(sc.numbers[o.Member].Scale(o.Factor))
	}
	return n
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

// diagonal says between what a factor of the number of a member is for which there may be a block
// of an open one, or of its own; the factor is 0 where nothing is known.
func (l *lowerer) diagonal(open, m *schedule.Member, sc *scope) (factor int64, down, up affine.Expr) {
	sums, numbers, ok := l.levels.Number(open, func(o *schedule.Member) bool { return o == m || sc.count.Entered(o) })
	if !ok {
		return 0, down, up
	}
	// 0 ≤ factor·number + rest < blocks for some rest
	down, up = ends(affine.Const(0), l.blocks(open, sc))
	for _, o := range sums {
		if o.Member == m {
			factor = o.Factor
			continue
		}
		down, up = plusTimes(down, up, sc.numbers[o.Member], sc.numbers[o.Member], -o.Factor)
	}
	for _, o := range numbers {
		down, up = plusTimes(down, up, affine.Const(0), l.blocks(o.Member, sc).AddConst(-1), -o.Factor)
	}
	if factor < 0 {
		factor, down, up = -factor, up.Scale(-1), down.Scale(-1)
	}
	return factor, down, up
}

// enterCounted goes below the loop over a member at a number, with the blocks that are
// known from there on, if they exist. Exact says that the loop has no numbers but theirs.
func (l *lowerer) enterCounted(m *schedule.Member, number affine.Expr, exact bool, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	c := sc.clone()
	c.numbers = maps.Clone(sc.numbers)
	if c.numbers == nil {
		c.numbers = map[*schedule.Member]affine.Expr{}
	}
	c.numbers[m] = number
	c = c.inIteration(m, number)
	var now []schedule.Known
	c.count, now = sc.count.Enter(m)
	var test, full loop.Expr
	for _, k := range now {
		if k.Block {
			test = both(test, l.exists(k.Member, k.Member == m && exact, c))
			if k.Member.Vector > 0 {
				full = l.fills(k.Member, c)
			}
			c = l.enterBlock(k.Member, c)
		}
	}
	list := body(c)
	if full != nil {
		list = when(full, body(c.withWholeVector()), list)
	}
	return when(test, list, nil)
}

// fills tests that all lanes of the vector with the number of a member exist; nil where they do.
func (l *lowerer) fills(m *schedule.Member, sc *scope) loop.Expr {
	room := l.room(m, sc)
	if n, known := room.IsConst(); known && n%int64(m.Vector) == 0 {
		return nil
	}
	return l.compare(room.Sub(l.number(m, sc)), ein.Ge, affine.Const(int64(m.Vector)))
}

// withWholeVector is the scope in which all lanes of partial vectors exist.
func (sc *scope) withWholeVector() *scope {
	c := sc.clone()
	for p, b := range c.blocks {
		if b.lanes > 1 {
			b.partial = false
			c.blocks[p] = b
		}
	}
	return c
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
	n := l.number(m, sc)
	if len(m.Skews) > 0 {
		test = l.compare(n, ein.Ge, affine.Const(0))
	}
	return both(test, l.compare(n.Scale(m.Tile), ein.Lt, l.room(m, sc)))
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
	offset := l.number(m, sc).Scale(m.Tile)
	if lanes := int64(m.Vector); lanes > 0 {
		seg = segment{tile: lanes, lanes: m.Vector, partial: l.fills(m, sc) != nil, valid: around.points().Sub(offset)}
		return sc.enter(m, seg, offset, divided(offset, lanes))
	}
	return sc.enter(m, seg, offset, offset)
}
