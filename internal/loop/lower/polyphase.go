package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How windows are copied: in polyphase order where they have steps
//
// The block of an input that is read in windows, X[2·h + r], reaches from the first
// point of the first window to the last point of the last one. Where vectors run along
// windows that are q points apart, neighbours in a vector are q elements apart. The copy
// then has q phases: first the points 0, q, 2q, … of the block, then 1, q+1, … A vector
// for a point r of the window lies in phase r mod q, side by side. What sorts the points
// is done once in the copy; every output channel of a convolution reads it.
//
// Where the points of a window are one, or some distance apart as well, the block has
// room only for the elements between which nothing is read, and only they are copied.

// A window is the block of a dimension that is read in windows.
type window struct {
	base, size affine.Expr
	points     affine.Expr // of size that exist
	step       int64       // only every so many-th element is read, and counts in size and points
}

// windows returns the block along a dimension of an input with a single read, all of
// whose windows exist; otherwise nil.
func (l *lowerer) windows(t *ein.Tensor, d int, sc *scope) *window {
	s, terms, shift := l.windowTerms(t, d, sc)
	if terms == nil {
		return nil
	}
	w := &window{base: affine.Const(shift), size: affine.Const(1), points: affine.Const(1), step: schedule.CommonStep(terms)}
	for _, term := range terms {
		b := sc.blocks[point{s, term.Index.Name}]
		if b.ragged || b.lanes > 0 || l.frames.Of(s, term.Index).Guarded {
			return nil
		}
		w.base = w.base.Add(b.base.Scale(term.Step))
		n := term.Step / w.step // 0 where the index has one value
		w.size = w.size.Add(b.size.AddConst(-1).Scale(n))
		w.points = w.points.Add(b.points().AddConst(-1).Scale(n))
	}
	return w
}

// windowTerms splits the subscript of the only read of an input; nil for others.
func (l *lowerer) windowTerms(t *ein.Tensor, d int, sc *scope) (statement int, terms []schedule.Stride, shift int64) {
	reads := 0
	l.uses(t, sc, func(s int, c *ein.Comprehension, subscripts []ein.Expr) {
		if statement = s; l.isOnlyRead(t, sc) {
			terms, shift, _ = schedule.Window(c, subscripts[d])
		}
		reads++
	})
	if reads != 1 {
		return 0, nil, 0
	}
	return statement, terms, shift
}

// windowWidth returns the lanes of vectors that run along windows of a dimension.
func (l *lowerer) windowWidth(t *ein.Tensor, d int, below schedule.Node, sc *scope) int {
	lanes := 1
	s, terms, _ := l.windowTerms(t, d, sc)
	for _, term := range terms {
		lanes = max(lanes, width(point{s, term.Index.Name}, nil, below))
	}
	return lanes
}

// stepOfVectors returns how far the elements of a vector are apart in a dimension that
// is read in windows, or 1.
func (l *lowerer) stepOfVectors(t *ein.Tensor, d int, below schedule.Node, sc *scope) int64 {
	s, terms, _ := l.windowTerms(t, d, sc)
	for _, term := range terms {
		if width(point{s, term.Index.Name}, nil, below) > 1 {
			return term.Step
		}
	}
	return 1
}

// inPhases lets a block lie in so many phases along a dimension, each of which begins at
// a multiple of run, and returns the room of them all.
func (st *storage) inPhases(d int, phases, size, run int64) int64 {
	if phases < 2 {
		return size
	}
	st.phased, st.phases, st.phase = d, phases, roundUp((size+phases-1)/phases, run)
	return phases * st.phase
}

// position returns where an element is along a dimension, in elements of the buffer.
func (st *storage) position(d int, x affine.Expr) affine.Expr {
	x = x.Sub(st.base[d])
	if st.step(d) > 1 {
		x = affine.Div(x, affine.Const(st.step(d)))
	}
	if st.group > 0 && d == st.grouped {
		group := affine.Const(int64(st.group))
		return affine.Rem(x, group).Add(affine.Div(x, group).Mul(st.strides[d]))
	}
	if st.phases > 1 && d == st.phased {
		phases := affine.Const(st.phases)
		x = affine.Rem(x, phases).Scale(st.phase).Add(affine.Div(x, phases))
	}
	return x.Mul(st.strides[d])
}

// step says that only every so many-th element along a dimension has room.
func (st *storage) step(d int) int64 {
	if st.steps == nil {
		return 1
	}
	return st.steps[d]
}

// skip lets only every so many-th element along a dimension have room.
func (st *storage) skip(d int, step int64) {
	if step < 2 {
		return
	}
	if st.steps == nil {
		st.steps = slices.Repeat([]int64{1}, len(st.base))
	}
	st.steps[d] = step
}

// thinned is the part of a storage that a block is copied from, without what the block
// has no room for.
func (st *storage) thinned(block *storage) *storage {
	c := *st
	c.base, c.strides, c.steps = block.base, slices.Clone(st.strides), nil
	for d, base := range block.base {
		c.offset = c.offset.Add(st.position(d, base))
		c.strides[d] = st.strides[d].Scale(block.step(d) / st.step(d))
	}
	return &c
}

// inPhases copies a block phase after phase.
func (c *blockCopy) inPhases() []loop.Stmt {
	d, q := c.to.phased, c.to.phases
	var list []loop.Stmt
	for p := range q {
		from, to, points := *c.from, *c.to, slices.Clone(c.points)
		from.offset = from.offset.Add(from.strides[d].Scale(p))
		for k, base := range to.base {
			from.offset = from.offset.Add(base.Sub(from.base[k]).Mul(from.strides[k]))
		}
		from.base, from.strides = to.base, slices.Clone(from.strides)
		from.strides[d] = from.strides[d].Scale(q)
		to.offset = to.offset.Add(to.strides[d].Scale(p * to.phase))
		points[d] = affine.Div(points[d].AddConst(q-1-p), affine.Const(q))
		part := &blockCopy{l: c.l, from: &from, to: &to, points: points, fast: c.fast, lanes: c.lanes, limits: c.limitsOfPhase(p)}
		list = append(list, part.statements()...)
	}
	return list
}

// limitsOfPhase are the limits of a block whose points are those of a phase: point k of
// it is point p + k·q of the block.
func (c *blockCopy) limitsOfPhase(p int64) []bounds {
	d, q := c.to.phased, c.to.phases
	if !c.limit(d).set {
		return c.limits
	}
	base := c.to.base[d]
	pointsBelow := func(end affine.Expr) affine.Expr {
		return base.Add(affine.Div(end.Sub(base).AddConst(q-1-p), affine.Const(q)))
	}
	limits := slices.Clone(c.limits)
	limits[d].low, limits[d].high = pointsBelow(limits[d].low), pointsBelow(limits[d].high)
	return limits
}
