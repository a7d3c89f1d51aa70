package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// Loops over coordinates that are skewed, or fused with another range, enumerate values
// that are no points (see package schedule). tighten leaves out most of them, which is
// all of them in the innermost of the loops of a statement that shares it with no other;
// tests before the statement do the rest. Vectors start where they would without: those of
// which all lanes are points run as they are, in the others the lanes are masked.

// isOpen reports whether the coordinates of the one active statement are known here, but
// have not been tested yet.
func (l *lowerer) isOpen(sc *scope) bool {
	if len(sc.statements) != 1 || sc.guarded {
		return false
	}
	s := sc.statements[0]
	c := l.f.Body[s]
	return !slices.ContainsFunc(c.Indices, func(i *ein.Index) bool {
		return (l.frames.Involved(s, c, i) || l.levels.Mutual(s)) && !sc.blocks[point{s, i.Name}].isPoint()
	})
}

// points runs what body makes where the coordinates of the one active statement are those
// of a point, or for the lanes of a vector of which that is true.
func (l *lowerer) points(sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	s := sc.statements[0]
	limits := l.limits(s, l.f.Body[s].Indices, sc)
	c := *sc
	c.guarded = true
	lanes := sc.lanes(s, l.f.Body[s])
	list, isPart := body(&c), slices.ContainsFunc(limits, func(m limit) bool { return m.excludesSome(lanes) })
	if slices.ContainsFunc(limits, func(m limit) bool { return m.step != 0 }) {
		all, some := l.ofVector(limits, lanes)
		list = when(some, list, nil)
		for _, i := range l.f.Body[s].Indices {
			b := sc.blocks[point{s, i.Name}]
			isPart = isPart || b.lanes > 1 && (b.partial || b.ragged)
		}
		if !isPart {
			full := c
			full.full = true
			list = when(all, body(&full), list)
		}
	}
	return when(l.isPoint(limits), list, nil)
}

// A limit says that the value of an index has to be from low to below high, in the lane if
// step is not 0: it is at + step·lane.
type limit struct {
	at        affine.Expr
	step      int64
	low, high affine.Expr
}

// excludesSome reports whether some of so many lanes are outside, wherever the vector is.
func (m limit) excludesSome(lanes int) bool {
	n, known := m.high.Sub(m.low).IsConst()
	return known && m.step != 0 && n <= max(m.step, -m.step)*int64(lanes-1)
}

// limits lists what makes the coordinates over some indices of a statement those of
// points. An index by which another one is skewed has no other values; but where sizes are
// not known, it is cut into blocks or vectors, or several others are skewed, or blocks by one
// another, that takes quotients by the factors to see, and so it is tested too.
func (l *lowerer) limits(s int, indices []*ein.Index, sc *scope) []limit {
	var list []limit
	skewed := 0
	for _, i := range l.f.Body[s].Indices {
		if len(l.frames.Of(s, i).By) > 0 {
			skewed++
		}
	}
	quotients := skewed > 1 && l.isSteep(s)
	for _, i := range indices {
		_, known := i.Extent.IsConst()
		if !l.frames.Of(s, i).Guarded && !l.levels.Mutual(s) && (known && !quotients && !l.levels.IsCut(s, i.Name) || !l.frames.Involved(s, l.f.Body[s], i)) {
			continue
		}
		step, at, ok := sc.value(s, i.Name).Linear(laneSymbol)
		if !ok {
			l.fail(l.f.Body[s].Pos, "the value of %s is not linear in the lane", i.Name)
		}
		list = append(list, limit{at, step, i.Min, i.Min.Add(i.Extent)})
	}
	return list
}

// isPoint tests the limits that are the same in all lanes.
func (l *lowerer) isPoint(limits []limit) (test loop.Expr) {
	for _, m := range limits {
		if m.step == 0 {
			test = both(test, l.between(m.at, m.at, m))
		}
	}
	return test
}

// between tests that one value is not below a limit, and another one not above it.
func (l *lowerer) between(above, below affine.Expr, m limit) loop.Expr {
	return both(l.compare(above, ein.Ge, m.low), l.compare(below, ein.Lt, m.high))
}

// ofVector tests that all lanes of a vector are points, and that each limit alone leaves
// some; nil where they differ in none.
func (l *lowerer) ofVector(limits []limit, lanes int) (all, some loop.Expr) {
	for _, m := range limits {
		if m.step == 0 {
			continue
		}
		least, greatest := m.at, m.at.AddConst(m.step*int64(lanes-1))
		if m.step < 0 {
			least, greatest = greatest, least
		}
		all = both(all, l.between(least, greatest, m))
		some = both(some, l.between(greatest, least, m))
	}
	return all, some
}

// lanesOf is the mask of the lanes of a vector that are points, as far as they are known; nil
// for all.
func (l *lowerer) lanesOf(s int, sc *scope) (mask loop.Expr) {
	lanes := sc.lanes(s, l.f.Body[s])
	if lanes == 1 || sc.full {
		return nil
	}
	known := slices.DeleteFunc(slices.Clone(l.f.Body[s].Indices), func(i *ein.Index) bool { return !sc.isKnown(s, i.Name) })
	first := func(n affine.Expr) loop.Expr {
		if known, ok := n.IsConst(); ok && known >= int64(lanes) {
			return nil
		}
		return l.tailMask(n, lanes)
	}
	notFirst := func(n affine.Expr) loop.Expr {
		if known, ok := n.IsConst(); ok && known <= 0 {
			return nil
		}
		return &loop.Unary{Op: ein.Not, X: l.tailMask(n, lanes)}
	}
	for _, m := range l.limits(s, known, sc) {
		switch ramp := (&loop.Ramp{Base: l.toLoop(m.at, 1), Stride: m.step, Lanes: lanes}); m.step {
		case 0:
		case 1:
			mask = both(mask, notFirst(m.low.Sub(m.at)))
			mask = both(mask, first(m.high.Sub(m.at)))
		case -1:
			mask = both(mask, notFirst(m.at.Sub(m.high).AddConst(1)))
			mask = both(mask, first(m.at.Sub(m.low).AddConst(1)))
		default:
			mask = both(mask, &loop.Binary{Op: ein.Ge, X: ramp, Y: broadcast(l.toLoop(m.low, 1), lanes)})
			mask = both(mask, &loop.Binary{Op: ein.Lt, X: ramp, Y: broadcast(l.toLoop(m.high, 1), lanes)})
		}
	}
	return mask
}

// delivered guards what accumulators of a statement do at their ends, where its
// coordinates have not been tested further up: other statements are active too, or a
// reduced one comes later.
func (l *lowerer) delivered(s int, sc *scope, list []loop.Stmt) []loop.Stmt {
	if sc.guarded {
		return list
	}
	return when(l.isPoint(l.limits(s, l.f.Body[s].ByKind(ein.Concat), sc)), list, nil)
}

// tighten leaves out pieces without points, for a loop that one statement has alone. Where
// there may be nothing to reduce, there are results without points; where loops run over indices
// that have coordinates, the equations of these do not hold.
func (l *lowerer) tighten(m *schedule.Member, p point, sc *scope, segs []segment) []segment {
	alone := 0
	for _, lp := range m.Loops {
		if slices.Contains(sc.statements, lp.Statement) {
			alone++
		}
	}
	c := l.f.Body[p.statement]
	if alone != 1 || m.Unroll || sc.unskewed || slices.ContainsFunc(ein.Reduced(c), schedule.MayBeNone) || !l.frames.Involved(p.statement, c, l.index(p)) || (m.Tile > 1 || m.Vector > 0) && l.isSteep(p.statement) {
		return segs
	}
	low, high := l.values(p, sc)
	base := sc.blocks[p].base
	for k, seg := range segs {
		if n, known := seg.count.IsConst(); known && n == 1 || seg.partial {
			continue
		}
		start := base.Add(seg.start)
		first := affine.MaxOf(affine.Div(low.Sub(start), affine.Const(seg.tile)), affine.Const(0))
		end := affine.MinOf(affine.Div(high.Sub(start), affine.Const(seg.tile)).AddConst(1), seg.count)
		segs[k].start = seg.start.Add(first.Scale(seg.tile))
		if segs[k].count = end.Sub(first); m.IsConcurrent() { // else it may be negative for none, as the end of a loop may be
			segs[k].count = affine.MaxOf(segs[k].count, affine.Const(0))
		}
	}
	return segs
}

// isSteep reports whether a step of some coordinate of a statement is one of more than 1 of an
// index: where tiles begin and end is then a quotient of a quotient, of which nothing could be proved.
func (l *lowerer) isSteep(s int) bool {
	values, _ := l.frames.Values(s, l.f.Body[s], schedule.All)
	for _, v := range values {
		if slices.ContainsFunc(v.Coordinates, func(p schedule.Part) bool { return p.Factor != 1 && p.Factor != -1 }) {
			return true
		}
	}
	return false
}

// values is the range, both ends included, that the coordinate over an index has for the
// points of the current blocks. What is cut into blocks so far, this coordinate and other
// indices say what some indices are, and these are in their ranges.
func (l *lowerer) values(p point, sc *scope) (low, high affine.Expr) {
	s, c, own := p.statement, l.f.Body[p.statement], l.index(p)
	low, high = ends(sc.blocks[p].base, sc.blocks[p].size)
	known := func(i *ein.Index) bool { return i == own || l.isCut(s, i, sc) }
	values, ok := l.frames.Values(s, c, known)
	if !ok {
		return low, high
	}
	first := true
	for _, i := range c.Indices {
		// i is factor times the coordinate and the others, so that factor times it is from down to up.
		factor := int64(0)
		down, up := ends(i.Min, i.Extent)
		for _, part := range values[i].Coordinates {
			if part.Index == own {
				factor = part.Factor
				continue
			}
			b := sc.blocks[point{s, part.Index.Name}]
			x, y := ends(b.base, b.size)
			down, up = plusTimes(down, up, x, y, -part.Factor)
		}
		for _, part := range values[i].Indices {
			x, y := ends(part.Index.Min, part.Index.Extent)
			down, up = plusTimes(down, up, x, y, -part.Factor)
		}
		switch {
		case factor == 0:
			continue
		case factor < 0:
			factor, down, up = -factor, up.Scale(-1), down.Scale(-1)
		}
		down, up = affine.Div(down.AddConst(factor-1), affine.Const(factor)), affine.Div(up, affine.Const(factor))
		if first {
			low, high, first = down, up, false
			continue
		}
		low, high = affine.MaxOf(low, down), affine.MinOf(high, up)
	}
	return low, high
}

// isCut reports whether loops further up have cut the coordinate over an index.
func (l *lowerer) isCut(s int, i *ein.Index, sc *scope) bool {
	b, frame := sc.blocks[point{s, i.Name}], l.frames.Of(s, i)
	return !b.base.Equal(frame.Min) || !b.size.Equal(frame.Extent)
}

// plusTimes adds a multiple of what is from x to y to what is from low to high.
func plusTimes(low, high, x, y affine.Expr, factor int64) (affine.Expr, affine.Expr) {
	if factor < 0 {
		x, y = y, x
	}
	return low.Add(x.Scale(factor)), high.Add(y.Scale(factor))
}

func ends(min, extent affine.Expr) (first, last affine.Expr) {
	return min, min.Add(extent).AddConst(-1)
}
