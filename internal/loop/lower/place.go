package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// place gives a tensor storage for the current block: what the block reads lies densely
// there, and what it computes is copied where others need it (schedule.Placement).
func (l *lowerer) place(n *schedule.Place, sc *scope) []loop.Stmt {
	t, p := l.f.Tensor(n.Tensor), l.placements[n]
	switch {
	case len(p.Uses) == 0:
		return l.node(n.Child, sc)
	case n.Region == schedule.Local && !l.isOnlyRead(t, sc):
		return l.computedLocally(n, t, sc)
	case n.Region == schedule.Local:
		return l.placedLocally(n, sc)
	case sc.launch != nil && !sc.inItem && n.IsHeld():
		return l.placeInItems(n, t, p, sc)
	case p.In && sc.launch != nil && sc.launch.writes[t] && !l.isOneBlock(t, sc): // others write meanwhile what the points do not read
		return l.node(n.Child, sc)
	case p.Before:
		return l.packed(n, t, sc)
	}
	if list := l.directCopy(n, t, sc); list != nil {
		return list
	}
	elem := schedule.PlacedType(l.tree.Root, l.f, t, sc.statements)
	r := l.footprintOf(n, t, p, sc)
	st := r.storage()
	order, lanes := l.layout(n, t, sc)
	length := l.arrange(n, t, st, r, order, lanes, sc)
	st.ahead = l.fetchDistance(n, t, elem, st, order, r.sizes, sc)
	if len(order) > 0 && n.NextStrip {
		st.next = l.stripOf(t, order[0], r.sizes[order[0]], sc)
	}
	if len(order) > 0 && n.NextPanel {
		st.following = l.nextPanelOf(n, t, order[0], r.most[order[0]], sc)
	}
	l.blockBuffer(n, p, st, loop.Scalar(elem), length+st.ahead)
	var body []loop.Stmt
	var fill *fusedPacking
	if n.Fill > 0 && p.In && !p.Out && p.Halos == nil {
		fill = l.fusedPackingOf(n, t, st, r, order, sc)
	}
	if p.In && p.Halos != nil {
		body = l.copyHaloIn(t, p, st, order, lanes, sc)
	} else if p.In && fill == nil {
		body = l.copyIn(t, st, r, order, lanes, sc)
	}
	if p.In && p.Halos == nil {
		st.copied = r.limits
	}
	if p.Out && !p.Exact {
		st.through = sc.storage[t]
	}
	inner := sc.withStorage(t, st)
	if fill != nil {
		inner.filling = fill
	}
	body = append(body, l.node(n.Child, inner)...)
	if p.Out && p.Exact && !sc.totals {
		body = append(body, l.unlessEmpty(p, sc, l.copyOut(t, p, st, n.Child, sc))...)
	}
	if st.buffer.Region == loop.Workspace {
		return body
	}
	return []loop.Stmt{&loop.Alloc{Buffer: st.buffer, Body: body}}
}

// A footprint is what a block has room for: sizes elements from base on along each dimension.
// The first points of them are there, as far as they are within the limits.
type footprint struct {
	base, points []affine.Expr
	limits       []bounds
	sizes        []int64
	most         []int64 // of the points: those of a block that is whole
	steps        []int64
	ragged       []bool
	pieces       []bool // of whole blocks
	filled       []int  // dimensions along which there is something also at points that do not exist
}

// footprintOf returns the room of the block of a tensor.
func (l *lowerer) footprintOf(n *schedule.Place, t *ein.Tensor, p schedule.Placement, sc *scope) footprint {
	dims := len(t.Dims)
	r := footprint{
		base: make([]affine.Expr, dims), points: make([]affine.Expr, dims), limits: make([]bounds, dims),
		sizes: make([]int64, dims), most: make([]int64, dims), steps: make([]int64, dims), ragged: make([]bool, dims), pieces: make([]bool, dims),
	}
	for d := range t.Dims {
		r.steps[d] = 1
		if l.isPlain(t, p, d, sc) && l.plainly(n, t, d, &r, sc) {
			r.most[d] = r.sizes[d]
			continue
		}
		low, size, ok := l.frames.Box(l.f, t, p.Uses, d, sc.of)
		if !ok {
			l.fail(t.Pos, "%s is placed in %s but its size along dimension %d is not known", t.Name, n.Region, d+1)
		}
		r.base[d], r.sizes[d], r.most[d], r.points[d] = low, size, size, affine.Const(size)
		if p.In {
			r.limits[d] = there(t, d, sc.storage[t])
			r.limits[d].set = !low.Equal(r.limits[d].low) || !low.AddConst(size).Equal(r.limits[d].high)
		}
	}
	return r
}

// of is what is left of the coordinate over an index.
func (sc *scope) of(statement int, i *ein.Index) (base, size affine.Expr) {
	b := sc.blocks[point{statement, i.Name}]
	return b.first(), b.size
}

// isPlain reports whether the block along a dimension may be that of one index: it is of
// what is only read, by reads that are proved to be in bounds, or what is written.
func (l *lowerer) isPlain(t *ein.Tensor, p schedule.Placement, d int, sc *scope) bool {
	for _, u := range p.Uses {
		c := l.f.Body[u.Statement]
		if p.Out && (!p.Exact || !u.Writes) || !l.isOnlyRead(t, sc) && p.In || !p.Out && p.In && !ein.InBounds(c, &ein.Access{Tensor: t, Subscripts: u.Subscripts}, d) {
			return false
		}
	}
	return true
}

// plainly sets the room along a dimension where that is the block of one index, or of
// windows.
func (l *lowerer) plainly(n *schedule.Place, t *ein.Tensor, d int, r *footprint, sc *scope) bool {
	var size affine.Expr
	b, shift, ok := l.commonBlock(t, d, sc)
	if from := sc.storage[t]; ok && from != nil && from.filled != nil && from.filled[d] && b.ragged && b.whole && !b.beyond { // there is something to copy at every point
		r.base[d], size, r.points[d] = b.unclamped().Add(shift), b.size, b.size
		r.filled = append(r.filled, d)
	} else if ok {
		r.base[d], size, r.points[d], r.ragged[d], r.pieces[d] = b.first().Add(shift), b.size, b.points(), b.ragged, b.piece
		if l.grids && b.ragged && b.whole { // items without a point read that of the last one
			r.points[d] = affine.MaxOf(r.points[d], affine.Const(1))
		}
	} else if w := l.windows(t, d, sc); w != nil && (w.step < 2 || !placesAgain(n)) {
		r.base[d], size, r.points[d], r.steps[d] = w.base, w.size, w.points, max(w.step, 1)
	} else {
		return false
	}
	var known bool
	r.sizes[d], known = size.IsConst()
	return known
}

// there is which positions a tensor has along a dimension, or, where its storage is a block
// itself, that, as far as it was copied.
func there(t *ein.Tensor, d int, outer *storage) bounds {
	if outer.room == nil {
		return bounds{true, t.Dims[d].Min, t.Dims[d].Min.Add(t.Dims[d].Extent)}
	}
	b := bounds{true, outer.base[d], outer.base[d].AddConst(outer.room[d])}
	if outer.copied != nil && outer.copied[d].set {
		b.low, b.high = affine.MaxOf(b.low, outer.copied[d].low), affine.MinOf(b.high, outer.copied[d].high)
	}
	return b
}

// storage is that of a block with the room, without strides.
func (r *footprint) storage() *storage {
	st := &storage{base: r.base, strides: make([]affine.Expr, len(r.base)), room: slices.Clone(r.sizes)}
	for d, step := range r.steps {
		st.skip(d, step)
	}
	for _, d := range r.filled {
		if st.filled == nil {
			st.filled = make([]bool, len(r.base))
		}
		st.filled[d] = true
	}
	return st
}

// arrange decides where the elements of a block lie, and returns how many it has room for.
func (l *lowerer) arrange(n *schedule.Place, t *ein.Tensor, st *storage, r footprint, order []int, lanes int, sc *scope) int64 {
	run := int64(lanes)
	again := placesAgain(n)
	if len(order) > 0 && !again {
		if st.panels = l.panelsOf(n, t, order[0], r.sizes[order[0]], r.ragged[order[0]], sc); st.panels != nil {
			run = st.panels.tile
		}
	}
	grouped, group := 0, 0
	if l.isOnlyRead(t, sc) {
		if grouped, group = l.groupsIn(t, n.Child, sc); group > 0 {
			r.sizes[grouped] = (r.sizes[grouped] + int64(group) - 1) / int64(group)
		}
		fast := order[0]
		if reach := l.reach(t, fast, r.sizes[fast], lanes, n.Child, sc); reach > 0 && !r.limits[fast].set && !r.pieces[fast] {
			reach = roundUp(reach, run)
			st.padded = r.ragged[fast] || r.sizes[fast] != reach
			r.sizes[fast] = reach
		}
		if !again {
			r.sizes[fast] = st.inPhases(fast, l.stepOfVectors(t, fast, n.Child, sc)/st.step(fast), r.sizes[fast], run)
		}
	}
	stride := int64(1)
	for _, d := range order {
		st.strides[d] = affine.Const(stride)
		if st.panels != nil && stride == 1 {
			stride = st.panels.tile
			continue
		}
		stride *= r.sizes[d]
	}
	if st.panels != nil {
		st.panels.stride = stride / st.panels.tile
		stride = st.panels.stride * roundUp(r.sizes[order[0]], run)
	}
	if group > 0 {
		stride = st.inGroups(grouped, group, stride)
	}
	return stride
}

// placesAgain reports whether a place further in copies from the block of a place. The block
// lies in rows then, of which every element has room: copies know no other source.
func placesAgain(n *schedule.Place) bool {
	var within func(below schedule.Node) bool
	within = func(below schedule.Node) bool {
		p, ok := below.(*schedule.Place)
		return ok && p.Tensor == n.Tensor || slices.ContainsFunc(schedule.Children(below), within)
	}
	return within(n.Child)
}

// blockBuffer makes the buffer of a block, which threads share if it is in the workspace and not their own.
func (l *lowerer) blockBuffer(n *schedule.Place, p schedule.Placement, st *storage, elem loop.Type, length int64) {
	name := n.Tensor + "_block"
	switch {
	case p.Own:
		st.buffer = l.fresh.Buffer(name, elem, length, loop.Thread)
		st.buffer.Offset = max(l.out.Own, loop.OwnHead)
		l.out.Own = roundUp(st.buffer.Offset+st.buffer.Bytes(), workspaceAlignment)
	case p.Region == schedule.Workspace:
		st.buffer = l.array(name, elem.Elem, affine.Const(length))
	case p.Region == schedule.Register:
		st.buffer = l.fresh.Buffer(name, elem, length, loop.Register)
	default:
		st.buffer = l.fresh.Buffer(name, elem, length, loop.Private)
	}
}

// copyIn copies what there is of a block. A whole one, whose sizes are constants, is copied
// without tests at the end of every row: 65 x 4097 x 129 floats take 0.96 of the time.
func (l *lowerer) copyIn(t *ein.Tensor, st *storage, r footprint, order []int, lanes int, sc *scope) []loop.Stmt {
	whole, isWhole := r.whole(l)
	part := l.copyPoints(t, st, &r, order, lanes, sc)
	if isWhole == nil {
		return part
	}
	return when(isWhole, l.copyPoints(t, st, &whole, order, lanes, sc), part)
}

// whole is the room of a block all of whose points are there, and the condition that they are;
// nil where that is known, or nothing is gained.
func (r *footprint) whole(l *lowerer) (w footprint, isWhole loop.Expr) {
	w = *r
	w.points = slices.Clone(r.points)
	for d, points := range r.points {
		if _, known := points.IsConst(); !known {
			isWhole = both(isWhole, l.compare(points, ein.Ge, affine.Const(r.most[d])))
			w.points[d] = affine.Const(r.most[d])
		}
	}
	return w, isWhole
}

// copyPoints copies the points of a block.
func (l *lowerer) copyPoints(t *ein.Tensor, st *storage, r *footprint, order []int, lanes int, sc *scope) []loop.Stmt {
	from := sc.storage[t]
	if st.steps != nil {
		from = from.thinned(st)
	}
	c := &blockCopy{l: l, from: from, to: st, points: slices.Clone(r.points), limits: r.limits, fast: order[0], lanes: lanes}
	var body []loop.Stmt
	switch {
	case st.panels != nil:
		body = st.panels.copies(c)
	case st.phases > 1:
		body = c.inPhases()
	default:
		body = c.statements()
	}
	if st.padded && st.group == 0 {
		body = append(l.padding(st, r, order), body...)
	}
	return body
}

// from is the part of a storage from some elements on.
func (st *storage) from(first []affine.Expr) *storage {
	c := *st
	c.base = first
	for d := range st.base {
		c.offset = c.offset.Add(first[d].Sub(st.base[d]).Mul(st.strides[d]))
	}
	return &c
}

// unitDimension is the dimension whose neighbours lie side by side, or the last one.
func (st *storage) unitDimension() int {
	unit := len(st.strides) - 1
	for d := range st.strides {
		if n, known := st.strides[d].IsConst(); known && n == 1 {
			unit = d
		}
	}
	return unit
}

// reach returns how far the vectors go that are read along a dimension of a block of
// size points, where all are whole ones from multiples of their width on, so that
// zeros behind the last points serve for a mask; otherwise 0.
func (l *lowerer) reach(t *ein.Tensor, d int, size int64, lanes int, below schedule.Node, sc *scope) int64 {
	if _, _, ok := l.commonBlock(t, d, sc); !ok || lanes < 2 || l.vectorWidth(t, d, below, sc) != lanes {
		return 0
	}
	farthest, whole := int64(0), true
	l.uses(t, sc, func(s int, c *ein.Comprehension, subscripts []ein.Expr) {
		i, _, _ := schedule.IndexPlusConstant(c, subscripts[d])
		members := schedule.MembersOver(s, i.Name, below)
		if open := sc.count.OpenOver(s, i.Name); open != nil { // whose blocks are known below only
			members = append([]*schedule.Member{open}, members...)
		}
		n := l.tilesReach(size, int64(lanes), members)
		farthest, whole = max(farthest, n), whole && n > 0 && width(point{s, i.Name}, nil, below) == lanes
	})
	if !whole {
		return 0
	}
	return farthest
}

// tilesReach returns how far the tiles of a block of size points go, if all are
// multiples of lanes, and padded ones inside of others fill those; otherwise 0. Tiles on diagonals
// are as large as padded ones.
func (l *lowerer) tilesReach(size, lanes int64, members []*schedule.Member) int64 {
	reach, around := roundUp(size, lanes), int64(0)
	for _, m := range members {
		full := m.Pad || l.levels.Counted(m)
		switch {
		case m.Vector > 0:
		case m.Tile%lanes != 0 || full && around%m.Tile != 0:
			return 0
		case full:
			reach, around = roundUp(reach, m.Tile), m.Tile
		default:
			around = lanes // of which the rest may consist
		}
	}
	return reach
}

// padding fills a place, or the last of its panels, with zeros where not all of it is
// copied: of panels as many rows as there are.
func (l *lowerer) padding(st *storage, r *footprint, order []int) []loop.Stmt {
	points, size := r.points[order[0]], r.sizes[order[0]]
	if n, known := points.IsConst(); known && n == size {
		return nil
	}
	var zeros []loop.Stmt
	zero := literal(st.buffer.Type.Elem.Compute(), 0)
	if p := st.panels; p != nil {
		v := l.newVar("n")
		slow := order[len(order)-1]
		first := affine.Div(points, affine.Const(p.tile)).Scale(p.tile * p.stride)
		end := first.Add(r.points[slow].Mul(st.strides[slow]))
		zeros = []loop.Stmt{&loop.For{Var: v, Lo: l.toLoop(first, 1), Hi: l.toLoop(end, 1), Step: 1, Kind: loop.Serial,
			Body: []loop.Stmt{&loop.Store{Buffer: st.buffer, Index: &loop.VarRef{Var: v}, Value: zero}}}}
	} else {
		zeros = l.fill(st.buffer, zero)
	}
	return when(l.compare(points, ein.Lt, affine.Const(size)), zeros, nil)
}

// layout orders the dimensions of a placed tensor, the fastest first, and returns
// the lanes by which the fastest is copied. Unless the tree gives it, vectors run
// along the fastest; where no vector does, a reduction. Then come the other dimensions
// of the reduction.
func (l *lowerer) layout(n *schedule.Place, t *ein.Tensor, sc *scope) (order []int, lanes int) {
	below := n.Child
	if len(t.Dims) == 0 {
		return nil, 1
	}
	if n.Layout != nil {
		for _, d := range slices.Backward(n.Layout) {
			order = append(order, d-1)
		}
		return order, l.widest(below, sc)
	}
	fast, lanes := -1, 1
	var reduced []int
	for d := range t.Dims {
		if w := max(l.vectorWidth(t, d, below, sc), l.windowWidth(t, d, below, sc)); w > 1 {
			fast, lanes = d, w
		}
		if l.along(t, d, sc, func(i *ein.Index) bool { return i.Combine.Kind != ein.Concat }) {
			reduced = append(reduced, d)
		}
	}
	if fast < 0 {
		fast = len(t.Dims) - 1
		if l.isOnlyRead(t, sc) {
			fast = l.nearest(t, reduced, sc)
			lanes = l.widest(below, sc)
		}
	}
	order = append(order, fast)
	for d := len(t.Dims) - 1; d >= 0; d-- {
		if d != fast && slices.Contains(reduced, d) {
			order = append(order, d)
		}
	}
	for d := len(t.Dims) - 1; d >= 0; d-- {
		if d != fast && !slices.Contains(reduced, d) {
			order = append(order, d)
		}
	}
	return order, lanes
}

// nearest chooses the fastest dimension of an input along which no vector runs: the
// rows of a register tile are then streams.
func (l *lowerer) nearest(t *ein.Tensor, reduced []int, sc *scope) int {
	unit := sc.storage[t].unitDimension()
	if len(reduced) == 0 || slices.Contains(reduced, unit) {
		return unit
	}
	return reduced[len(reduced)-1]
}

// along reports whether all uses of a tensor subscript a dimension with an index,
// plus a constant, of some kind.
func (l *lowerer) along(t *ein.Tensor, d int, sc *scope, kind func(i *ein.Index) bool) bool {
	seen, all := false, true
	l.uses(t, sc, func(_ int, c *ein.Comprehension, subscripts []ein.Expr) {
		i, _, ok := schedule.IndexPlusConstant(c, subscripts[d])
		seen, all = true, all && ok && kind(i)
	})
	return seen && all
}

// widest returns the lanes of the vectors of the active statements.
func (l *lowerer) widest(below schedule.Node, sc *scope) int {
	lanes := 1
	for _, s := range sc.statements {
		_, w := l.vectorIndex(s, below, sc)
		lanes = max(lanes, w)
	}
	return lanes
}

// isOnlyRead reports whether no active statement writes a tensor: it is an input, or was computed
// before, as padded images are.
func (l *lowerer) isOnlyRead(t *ein.Tensor, sc *scope) bool {
	return schedule.OnlyRead(l.f, t, sc.statements)
}

// uses calls visit with the subscripts by which the active statements determine
// the block of a tensor: the writes, or, of one that is only read, the reads.
func (l *lowerer) uses(t *ein.Tensor, sc *scope, visit func(s int, c *ein.Comprehension, subscripts []ein.Expr)) {
	onlyRead := l.isOnlyRead(t, sc)
	for _, s := range sc.statements {
		c := l.f.Body[s]
		if onlyRead {
			for _, a := range c.Accesses() {
				if a.Tensor == t {
					visit(s, c, a.Subscripts)
				}
			}
			continue
		}
		for _, w := range c.Writes {
			if w.Tensor == t {
				visit(s, c, w.Subscripts)
			}
		}
	}
}

// commonBlock returns the block of the index that runs along dimension d of t, when
// all uses have that block: every subscript is such an index plus a constant, and its block
// has points only.
func (l *lowerer) commonBlock(t *ein.Tensor, d int, sc *scope) (b block, shift affine.Expr, ok bool) {
	seen := false
	l.uses(t, sc, func(s int, c *ein.Comprehension, subscripts []ein.Expr) {
		index, n, linear := schedule.IndexPlusConstant(c, subscripts[d])
		if !linear || l.frames.Of(s, index).Guarded {
			seen, ok = true, false
			return
		}
		other, otherShift := sc.blocks[point{s, index.Name}], affine.Const(n)
		if !seen {
			b, shift, seen, ok = other, otherShift, true, true
			return
		}
		ok = ok && b.sameAs(shift, other, otherShift)
	})
	return b, shift, ok
}

// vectorWidth returns the lanes of the vectors that run along dimension d of t.
func (l *lowerer) vectorWidth(t *ein.Tensor, d int, below schedule.Node, sc *scope) int {
	lanes := 1
	l.uses(t, sc, func(s int, c *ein.Comprehension, subscripts []ein.Expr) {
		if index, _, ok := schedule.IndexPlusConstant(c, subscripts[d]); ok {
			p := point{s, index.Name}
			lanes = max(lanes, sc.blocks[p].lanes, width(p, nil, below))
		}
	})
	return lanes
}
