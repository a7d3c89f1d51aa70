package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// A blockCopy copies the points of a block from one storage to another along the
// dimension that the other one has side by side, if any: by vectors where the source has
// it side by side, too, by squares of a transposition where it has another one. Elements are converted on the way
// where the storages have different types.
type blockCopy struct {
	l        *lowerer
	from, to *storage
	points   []affine.Expr // by dimension
	fast     int
	lanes    int
	stream   bool     // the squares of a transposition go past the caches
	limits   []bounds // by dimension: which positions there are; nil: all
}

// bounds are the positions from low to below high, if they are set.
type bounds struct {
	set       bool
	low, high affine.Expr
}

// limit returns the bounds of a dimension.
func (c *blockCopy) limit(d int) bounds {
	if d >= len(c.limits) {
		return bounds{}
	}
	return c.limits[d]
}

// between is the range of the points of a dimension that there are.
func (c *blockCopy) between(d int) (first, end affine.Expr) {
	end = c.points[d]
	if b := c.limit(d); b.set {
		first = affine.MaxOf(first, b.low.Sub(c.to.base[d]))
		end = affine.MinOf(end, b.high.Sub(c.to.base[d]))
	}
	return first, end
}

func (c *blockCopy) statements() []loop.Stmt {
	if c.to.group > 0 {
		return c.groups()
	}
	c.collapseDimensions()
	source, target := c.from.offset, c.to.offset
	for d := range c.points {
		source = source.Add(c.to.base[d].Sub(c.from.base[d]).Mul(c.from.strides[d]))
	}
	across := c.across()
	vars := make([]*loop.Var, len(c.points))
	for d := range c.points {
		if d != c.fast && d != across {
			vars[d] = c.l.newVar("n")
			source = source.Add(affine.Symbol(vars[d].Name).Mul(c.from.strides[d]))
			target = target.Add(affine.Symbol(vars[d].Name).Mul(c.to.strides[d]))
		}
	}
	var body []loop.Stmt
	if across >= 0 {
		body = []loop.Stmt{c.transposed(source, target, across)}
	} else {
		body = c.rows(source, target)
	}
	for _, d := range c.slowestLast() {
		if vars[d] != nil {
			first, end := c.between(d)
			body = []loop.Stmt{&loop.For{Var: vars[d], Lo: c.l.toLoop(first, 1), Hi: c.l.toLoop(end, 1), Step: 1, Kind: c.kind(first, end), Body: body}}
		}
	}
	return body
}

// slowestLast orders the dimensions by their strides in the source, so that it is
// read as it lies.
func (c *blockCopy) slowestLast() []int {
	list := make([]int, len(c.points))
	for d := range list {
		list[d] = len(list) - 1 - d
	}
	slices.SortStableFunc(list, func(a, b int) int {
		x, okX := c.from.strides[a].IsConst()
		y, okY := c.from.strides[b].IsConst()
		if !okX || !okY {
			return 0
		}
		return int(max(-1, min(1, max(x, -x)-max(y, -y))))
	})
	return list
}

// across returns the dimension that the source has side by side where that is not
// the fast one, and the source runs in no direction backwards; or -1.
func (c *blockCopy) across() int {
	if c.l.grids || !c.isDense() || c.from.buffer.Type != c.to.buffer.Type {
		return -1
	}
	found := -1
	for d, stride := range c.from.strides {
		n, known := stride.IsConst()
		if known && n < 0 {
			return -1
		}
		if !known {
			continue
		}
		if points, known := c.points[d].IsConst(); n == 1 && !(known && points == 1) {
			found = d
		}
	}
	if found < 0 {
		return -1
	}
	if n, known := c.points[c.fast].IsConst(); found == c.fast || known && n == 1 {
		return -1
	}
	return found
}

// isDense reports whether the fast dimension is known to lie side by side where the block
// is copied to, which that of an output with gaps does not.
func (c *blockCopy) isDense() bool {
	n, known := c.to.strides[c.fast].IsConst()
	return known && n == 1
}

// transposed copies the plane of the fast dimension and the one across, as far as it is there.
func (c *blockCopy) transposed(source, target affine.Expr, across int) loop.Stmt {
	size := map[int]affine.Expr{}
	for _, d := range []int{c.fast, across} {
		first, end := c.between(d)
		source = source.Add(first.Mul(c.from.strides[d]))
		target = target.Add(first.Mul(c.to.strides[d]))
		size[d] = end.Sub(first)
	}
	return &loop.Transpose{
		Dst: c.to.buffer, At: c.l.toLoop(target, 1), Stride: c.l.toLoop(c.to.strides[across], 1),
		Src: c.from.buffer, SrcAt: c.l.toLoop(source, 1), SrcStride: c.l.toLoop(c.from.strides[c.fast], 1),
		Rows: c.l.toLoop(size[c.fast], 1), Cols: c.l.toLoop(size[across], 1), Stream: c.stream,
		Ahead: !c.stream && isOutside(c.from.buffer) && !isNear(c.from.buffer),
	}
}

// kind is that of a loop from a position to another one. What an item of a grid copies to registers is written out: compilers keep
// what is subscripted by numbers there.
func (c *blockCopy) kind(first, end affine.Expr) loop.LoopKind {
	_, known := first.IsConst()
	if n, ok := end.IsConst(); c.l.grids && c.to.buffer.Region == loop.Register && known && ok && n <= loop.MostWrittenOut {
		return loop.Unrolled
	}
	return loop.Serial
}

// isOutside reports whether a buffer is one of the memory, which outlives every block.
func isOutside(b *loop.Buffer) bool {
	return b.Region == loop.Argument || b.Region == loop.Workspace
}

// isNear reports whether a buffer is so small that it stays in the nearest caches.
func isNear(b *loop.Buffer) bool {
	return b.LengthExpr == nil && b.Length*int64(b.Type.Elem.Size()) <= schedule.NearBytes
}

// rows copies what lies along the fast dimension. Where perhaps not all of it is there, it
// is tested whether it is.
func (c *blockCopy) rows(source, target affine.Expr) []loop.Stmt {
	b := c.limit(c.fast)
	if !b.set {
		return c.row(source, target, b)
	}
	base := c.to.base[c.fast]
	whole := both(c.l.compare(base, ein.Ge, b.low), c.l.compare(base.Add(c.points[c.fast]), ein.Le, b.high))
	return when(whole, c.row(source, target, bounds{}), c.row(source, target, b))
}

// row copies a row: full vectors, and a partial one; where there are gaps between the
// points, these one by one.
func (c *blockCopy) row(source, target affine.Expr, b bounds) []loop.Stmt {
	l, lanes := c.l, c.lanes
	if !c.isDense() {
		lanes = 1
	}
	if n, known := c.points[c.fast].IsConst(); known && n < int64(lanes) && n&(n-1) == 0 {
		lanes = int(max(n, 1))
	}
	v := l.newVar("n")
	at := func(offset affine.Expr, mask loop.Expr) []loop.Stmt {
		first := offset
		if lanes > 1 {
			first = offset.Add(affine.Symbol(laneSymbol))
		}
		mask, test := c.inside(b, first, lanes, mask)
		index, f := l.linearIndex(source.Add(first.Mul(c.from.strides[c.fast])), lanes)
		load := &loop.Load{Buffer: c.from.buffer, Index: index, Lanes: lanes, Mask: mask}
		if f == uniform {
			load.Lanes, load.Mask = 1, nil
		}
		load.Index = c.from.swizzled(load.Index, load.Lanes)
		store := &loop.Store{Buffer: c.to.buffer, Index: l.toLoop(target.Add(offset.Mul(c.to.strides[c.fast])), 1), Value: c.converted(broadcast(load, lanes)), Mask: mask}
		return when(test, []loop.Stmt{store}, nil)
	}
	width, points := int64(lanes), c.points[c.fast]
	full := affine.Div(points, affine.Const(width))
	rest := points.Sub(full.Scale(width))
	var list []loop.Stmt
	if n, known := full.IsConst(); !known || n > 0 {
		list = append(list, &loop.For{Var: v, Lo: int64Const(0), Hi: l.toLoop(full, 1), Step: 1, Kind: c.kind(affine.Expr{}, full),
			Body: at(affine.Symbol(v.Name).Scale(width), nil)})
	}
	if n, known := rest.IsConst(); !known || n > 0 {
		list = append(list, at(full.Scale(width), l.tailMask(rest, lanes))...)
	}
	return list
}

// inside adds to the mask of the points at an offset that they are there, or tests it of one.
func (c *blockCopy) inside(b bounds, offset affine.Expr, lanes int, mask loop.Expr) (all, test loop.Expr) {
	if !b.set {
		return mask, nil
	}
	at := c.to.base[c.fast].Add(offset)
	if lanes == 1 {
		return mask, both(c.l.compare(at, ein.Ge, b.low), c.l.compare(at, ein.Lt, b.high))
	}
	limit := func(op ein.BinaryOp, to affine.Expr) loop.Expr {
		return &loop.Binary{Op: op, X: c.l.toLoop(at, lanes), Y: broadcast(c.l.toLoop(to, 1), lanes)}
	}
	return both(mask, both(limit(ein.Ge, b.low), limit(ein.Lt, b.high))), nil
}

// converted turns what is read into the type that is written.
func (c *blockCopy) converted(e loop.Expr) loop.Expr {
	if to := c.to.buffer.Type.Elem.Compute(); e.Type().Elem != to {
		return &loop.Cast{To: to, X: e}
	}
	return e
}
