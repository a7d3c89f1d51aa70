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
// guard tests for the rest.

// guard is the test that the coordinates of the one active statement are those of a point,
// as soon as all of them are known; nil where there is none to make.
func (l *lowerer) guard(sc *scope) (test loop.Expr) {
	if len(sc.statements) != 1 || sc.guarded {
		return nil
	}
	s := sc.statements[0]
	c := l.f.Body[s]
	for _, i := range c.Indices {
		if l.frames.Involved(s, c, i) && !sc.blocks[point{s, i.Name}].isPoint() {
			return nil
		}
	}
	return l.isPoint(s, c.Indices, sc)
}

// isPoint tests that the coordinates over some indices of a statement are those of points.
// An index by which another one is skewed has no other values; but where sizes are not
// known, or it is cut into blocks, that takes quotients by the factor to see, and so it is
// tested too.
func (l *lowerer) isPoint(s int, indices []*ein.Index, sc *scope) (test loop.Expr) {
	env := sc.env(s, l.f.Body[s])
	for _, i := range indices {
		_, known := i.Extent.IsConst()
		if !l.frames.Of(s, i).Guarded && (known && !l.levels.IsCut(s, i.Name) || !l.frames.Involved(s, l.f.Body[s], i)) {
			continue
		}
		at := l.toLoop(env[i.Name], 1)
		test = both(test, &loop.Binary{Op: ein.Ge, X: at, Y: l.toLoop(i.Min, 1)})
		test = both(test, &loop.Binary{Op: ein.Lt, X: at, Y: l.toLoop(i.Min.Add(i.Extent), 1)})
	}
	return test
}

// delivered guards what accumulators of a statement do at their ends, where its
// coordinates have not been tested further up: other statements are active too, or a
// reduced one comes later.
func (l *lowerer) delivered(s int, sc *scope, list []loop.Stmt) []loop.Stmt {
	if sc.guarded {
		return list
	}
	if test := l.isPoint(s, l.f.Body[s].ByKind(ein.Concat), sc); test != nil && len(list) > 0 {
		return []loop.Stmt{&loop.If{Cond: test, Then: list}}
	}
	return list
}

// tighten leaves out pieces without points, for a loop that one statement has alone.
func (l *lowerer) tighten(m *schedule.Member, p point, sc *scope, segs []segment) []segment {
	alone := 0
	for _, lp := range m.Loops {
		if slices.Contains(sc.statements, lp.Statement) {
			alone++
		}
	}
	c := l.f.Body[p.statement]
	if alone != 1 || m.Unroll || !l.frames.Involved(p.statement, c, l.index(p)) || m.Tile > 1 && l.isSteep(p.statement) {
		return segs
	}
	low, high := l.values(p, sc)
	base := sc.blocks[p].base
	for k, seg := range segs {
		if n, known := seg.count.IsConst(); known && n == 1 {
			continue
		}
		start := base.Add(seg.start)
		first := affine.MaxOf(affine.Div(low.Sub(start), affine.Const(seg.tile)), affine.Const(0))
		end := affine.MinOf(affine.Div(high.Sub(start), affine.Const(seg.tile)).AddConst(1), seg.count)
		segs[k].start = seg.start.Add(first.Scale(seg.tile))
		if segs[k].count = end.Sub(first); m.Parallel { // else it may be negative for none, as the end of a loop may be
			segs[k].count = affine.MaxOf(segs[k].count, affine.Const(0))
		}
	}
	return segs
}

// isSteep reports whether some skew of a statement has another factor than 1 or -1: where
// tiles begin and end is then a quotient of a quotient, of which nothing could be proved.
func (l *lowerer) isSteep(s int) bool {
	return slices.ContainsFunc(l.f.Body[s].Indices, func(i *ein.Index) bool {
		return slices.ContainsFunc(l.frames.Of(s, i).By, func(p schedule.Part) bool { return p.Factor != 1 && p.Factor != -1 })
	})
}

// values is the range, both ends included, that the coordinate over an index has for the
// points of the current blocks of the other indices of the statement.
func (l *lowerer) values(p point, sc *scope) (low, high affine.Expr) {
	i := l.index(p)
	least, greatest := ends(i.Min, i.Extent)
	for _, o := range l.f.Body[p.statement].Indices {
		b := sc.blocks[point{p.statement, o.Name}]
		factor := int64(0)
		// w, in its block, is o + factor·i + the others, so that factor·i is from down to up.
		down, up := ends(b.base, b.size)
		first, last := ends(o.Min, o.Extent)
		down, up = plusTimes(down, up, first, last, -1)
		for _, part := range b.by {
			if part.Index == i {
				factor = part.Factor
				continue
			}
			x, y := l.valuesOf(p.statement, part.Index, sc)
			down, up = plusTimes(down, up, x, y, -part.Factor)
		}
		switch {
		case factor == 0:
			continue
		case factor < 0:
			factor, down, up = -factor, up.Scale(-1), down.Scale(-1)
		}
		least = affine.MaxOf(least, affine.Div(down.AddConst(factor-1), affine.Const(factor)))
		greatest = affine.MinOf(greatest, affine.Div(up, affine.Const(factor)))
	}
	for _, part := range sc.blocks[p].by {
		x, y := l.valuesOf(p.statement, part.Index, sc)
		least, greatest = plusTimes(least, greatest, x, y, part.Factor)
	}
	return least, greatest
}

// valuesOf is a range that has all values of an index in the current blocks.
func (l *lowerer) valuesOf(s int, i *ein.Index, sc *scope) (low, high affine.Expr) {
	b := sc.blocks[point{s, i.Name}]
	low, high = ends(b.base, b.size)
	if len(b.by) == 0 {
		return low, high
	}
	for _, part := range b.by {
		x, y := l.valuesOf(s, part.Index, sc)
		low, high = plusTimes(low, high, x, y, -part.Factor)
	}
	first, last := ends(i.Min, i.Extent)
	return affine.MaxOf(low, first), affine.MinOf(high, last)
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
