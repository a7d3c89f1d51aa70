package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// How tiles of rows that begin within lines are written past the caches
//
// The vectors of a tile lie where the tile does, and share what they read with those of other
// rows of the tile. They cannot begin at lines of what they write where these lie differently
// in every row. So each row of the tiles keeps its last vector, and stores the line that the
// next one ends (loop.Row): an image of 4096² floats and a filter of 5 x 5 take 0.75 of the time
// that way. A tile at the ends of the rows may be smaller, and have a last vector of some lanes
// only. Where the rows of a tile lie end to end, as they do where they are all of the tensor, the
// line between two of them is stored once, too. A line that is written in part is read before: its
// store takes as long as memory does, and all stores behind it wait. One thread of a Granite Rapids
// takes 0.92 to 0.95 of the time for that image, and for eight of 1500² and a filter of 3 x 3 0.92.

// rows are those of the tiles along which a loop goes.
type rows struct {
	statement int
	storage   *storage     // of what is written
	rest      *loop.Buffer // the last vector of each
	behind    *loop.Buffer // how many elements behind lines it is
	heads     *loop.Buffer // the first vectors of rows that begin where others of the tile end; nil for none
	start     affine.Expr  // of the rows
	vector    string       // the index along them
	lanes     int
	tail      int         // how many lanes the last vector of a row has; 0 for all
	length    affine.Expr // of the rows of a tile
	count     int64       // of the rows of a tile
	dims      []rowDim
	collapsed *collapsedRows // of rows that lie end to end; nil for single rows
	carried   *carried       // from tiles to tiles; nil where all end with them
}

// A rowDim is an index of the rows of a tile.
type rowDim struct {
	index        string
	base         affine.Expr
	size, stride int64
}

// alongRows lowers the loops over the first segments of a member, which body makes, and lets the
// tiles below store their rows by lines where their vectors stream, and do not begin at lines: the
// loop along rows, or one from row to row. It returns how many segments those are.
func (l *lowerer) alongRows(m *schedule.Member, segs []segment, rest []*schedule.Member, below schedule.Node, sc *scope, body func(segment, *scope) []loop.Stmt) ([]loop.Stmt, int) {
	seg := segs[0]
	r := l.rowsOf(m, seg, rest, below, sc)
	if r == nil {
		if list, ok := l.betweenBands(m, seg, rest, below, sc, body); ok {
			return list, 1
		}
		return body(seg, sc), 1
	}
	begins, aligned := l.rowsAt(r, r.start, affine.Expr{}, sc)
	if begins == nil || aligned && r.collapsed == nil {
		return body(seg, sc), 1
	}
	segs = r.along(segs)
	end, behind := r.start.Add(r.length), affine.Expr{}
	if r.collapsed != nil {
		end, behind = r.start, seg.count
	}
	ends, _ := l.rowsAt(r, end, behind, sc)
	r.rest = l.fresh.Buffer("rest", loop.Type{Elem: r.storage.buffer.Type.Elem, Lanes: r.lanes}, int64(len(ends)), loop.Register)
	r.behind = l.fresh.Buffer("behind", loop.Scalar(tensor.Int64), int64(len(ends)), loop.Register)
	if l.joinsRows(r, sc) {
		r.heads = l.fresh.Buffer("heads", r.rest.Type, int64(len(ends))-1, loop.Register)
	}
	if l.goesOn(r, m, sc) {
		r.carried = sc.carried
		r.carried.rows = r
	}
	inner := *sc
	inner.rows = r
	list, last := l.beginRows(r, begins), l.endRows(r, ends)
	for _, seg := range segs {
		list = append(list, body(seg, &inner)...)
	}
	list = append(list, when(l.compare(seg.count, ein.Gt, affine.Const(0)), last, nil)...)
	buffers := []*loop.Buffer{r.heads, r.behind, r.rest}
	if r.carried != nil {
		buffers = buffers[:1]
	}
	for _, b := range buffers {
		if b != nil {
			list = []loop.Stmt{&loop.Alloc{Buffer: b, Body: list}}
		}
	}
	return list, len(segs)
}

// beginRows says how far behind lines rows begin, and that nothing of them waits, but for what is
// carried on to the first one.
func (l *lowerer) beginRows(r *rows, begins []loop.Expr) (list []loop.Stmt) {
	lanes := int64Const(int64(r.lanes))
	for slot, at := range begins {
		n := int64Const(int64(slot))
		lead := &loop.Lead{Buffer: r.storage.buffer, Index: at, Lanes: r.lanes}
		behind := &loop.Binary{Op: ein.Mod, X: &loop.Binary{Op: ein.Sub, X: lanes, Y: lead}, Y: lanes}
		rest := r.empty(n)
		if r.carried != nil && slot == 0 {
			rest.Value = &loop.Load{Buffer: r.rest, Index: int64Const(r.count - 1), Lanes: r.lanes}
		}
		list = append(list, &loop.Store{Buffer: r.behind, Index: n, Value: behind}, rest)
	}
	return list
}

// empty leaves nothing in the slot of a row: no lane is stored, but compilers ask for them.
func (r *rows) empty(slot loop.Expr) *loop.Store {
	return &loop.Store{Buffer: r.rest, Index: slot, Value: broadcast(literal(r.rest.Type.Elem, 0), r.lanes)}
}

// endRows stores what is left of rows, but for one that is carried on.
func (l *lowerer) endRows(r *rows, ends []loop.Expr) (list []loop.Stmt) {
	for slot, at := range ends {
		row := &loop.EndRow{Buffer: r.storage.buffer, Index: at, Rest: r.rest, Behind: r.behind, Slot: int64Const(int64(slot))}
		if slot < len(ends)-1 {
			row.Heads = r.heads
		} else if r.carried != nil {
			continue
		}
		list = append(list, row)
	}
	return list
}

// along returns the segments that the rows go along: the first one, and a smaller tile at their
// ends, of which the last vector may have some lanes only.
func (r *rows) along(segs []segment) []segment {
	seg := segs[0]
	if r.collapsed != nil {
		return segs[:1]
	}
	r.length = seg.count.Scale(seg.tile)
	whole, known := r.length.IsConst()
	if !known || len(segs) != 2 {
		return segs[:1]
	}
	end := segs[1]
	n, one := end.count.IsConst()
	if !one || n != 1 || end.partial || end.ragged || end.lanes > 0 || end.group > 0 || !end.start.Equal(seg.start.AddConst(whole)) {
		return segs[:1]
	}
	r.length, r.tail = affine.Const(whole+end.tile), int((whole+end.tile)%int64(r.lanes))
	return segs
}

// joinsRows reports whether the rows of tiles begin where the ones before end.
func (l *lowerer) joinsRows(r *rows, sc *scope) bool {
	n, known := r.length.IsConst()
	if r.collapsed != nil || !known || r.count < 2 {
		return false
	}
	w := l.f.Body[r.statement].Writes[0]
	inner := sc.clone()
	inner.blocks[point{r.statement, r.vector}] = block{base: r.start, size: affine.Const(1)}
	for _, i := range ein.Reduced(l.f.Body[r.statement]) {
		inner.blocks[point{r.statement, i.Name}] = block{base: i.Min, size: affine.Const(1)}
	}
	var before affine.Expr
	for slot := range r.count {
		r.enter(slot, inner)
		at, others := l.context(r.statement, inner).position(w.Tensor, w.Subscripts)
		if len(others) > 0 || slot > 0 && !at.Equal(before.AddConst(n)) {
			return false
		}
		before = at
	}
	return true
}

// enter gives a scope the row of a slot.
func (r *rows) enter(slot int64, sc *scope) {
	for _, d := range r.dims {
		sc.blocks[point{r.statement, d.index}] = block{base: d.base.AddConst(slot / d.stride % d.size), size: affine.Const(1)}
	}
}

// rowsOf returns the rows of the tiles of a segment; nil where they are not written by lines.
func (l *lowerer) rowsOf(m *schedule.Member, seg segment, rest []*schedule.Member, below schedule.Node, sc *scope) *rows {
	if sc.rows != nil || below == nil || len(sc.statements) != 1 || m.Vector > 0 || m.Reverse || m.Flip || m.Pad || m.Group > 0 || m.Parallel ||
		seg.partial || seg.ragged || seg.lanes > 0 || seg.group > 0 || l.levels.Any() || sc.deferred != nil {
		return nil
	}
	lp := first(m, sc)
	p := point{lp.Statement, lp.Index}
	s, c := p.statement, l.f.Body[p.statement]
	inside := &schedule.Band{Members: rest, Child: below}
	lanes := width(p, nil, inside)
	if lanes == 0 {
		return l.collapsedRowsOf(p, seg, inside, sc)
	}
	if n, known := seg.count.IsConst(); known && n < 2 || lanes < 2 || seg.tile%int64(lanes) != 0 || !l.writesRows(s, c, sc) || !inOrder(p, int64(lanes), inside) || !isFinished(s, c, inside) {
		return nil
	}
	r := &rows{statement: s, lanes: lanes, storage: sc.storage[c.Writes[0].Tensor], start: sc.blocks[p].base.Add(seg.start), vector: p.index}
	if !l.countRows(r, c, sc) || r.count == 1 && len(ein.Reduced(c)) == 0 && seg.tile >= int64(schedule.CutFromBelow(s, p.index, inside)*lanes) {
		return nil // single rows are cut at lines
	}
	return r
}

// countRows numbers the rows of a tile; ok is false where they are too many.
func (l *lowerer) countRows(r *rows, c *ein.Comprehension, sc *scope) (ok bool) {
	r.count = 1
	for _, i := range c.ByKind(ein.Concat) {
		b := sc.blocks[point{r.statement, i.Name}]
		size, known := b.size.IsConst()
		switch {
		case i.Name == r.vector || r.collapsed != nil && i.Name == r.collapsed.index:
			continue
		case !known || size > loop.MostRows:
			return false
		}
		r.dims = append(r.dims, rowDim{i.Name, b.base, size, r.count})
		r.count *= size
	}
	return r.count <= loop.MostRows
}

// writesRows reports whether a statement is complete when it writes its only result, which lies
// outside, and all of its points exist.
func (l *lowerer) writesRows(s int, c *ein.Comprehension, sc *scope) bool {
	if len(c.Writes) != 1 || c.Accumulate != nil || sc.accumulator(s) != nil || l.levels.Mutual(s) {
		return false
	}
	if _, _, scan := ein.ScanOperator(c); scan {
		return false
	}
	for _, i := range c.Indices {
		if b := sc.blocks[point{s, i.Name}]; b.value != nil || b.ragged || b.partial || l.frames.Involved(s, c, i) {
			return false
		}
	}
	st := sc.storage[c.Writes[0].Tensor]
	if st == nil || st.through != nil || !isOutside(st.buffer) {
		return false
	}
	elem := st.buffer.Type.Elem
	return st.buffer.Type.Lanes == 1 && elem.Size() >= 4 && elem == elem.Compute()
}

// inOrder reports whether the vectors along an index stream, and come one after the other below
// a loop over it: nothing there is parallel, runs backwards or
// copies blocks, and these are whole vectors.
func inOrder(p point, lanes int64, n schedule.Node) bool {
	if _, copies := n.(*schedule.Place); copies {
		return false
	}
	if b, ok := n.(*schedule.Band); ok {
		for _, m := range b.Members {
			lp, ok := m.IndexOf(p.statement)
			if m.Parallel || m.Reverse || m.Flip || m.Pad || m.Guarded || m.Determined || len(m.Loops) != 1 {
				return false
			}
			if ok && lp.Index == p.index && (m.Vector > 0 && !m.Stream || m.Vector == 0 && m.Tile%lanes != 0) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(schedule.Children(n), func(child schedule.Node) bool { return !inOrder(p, lanes, child) })
}

// isFinished reports whether a subtree computes the results of a statement at once: nothing is
// reduced, or in registers.
func isFinished(s int, c *ein.Comprehension, n schedule.Node) bool {
	a := accumulateBelow(s, n)
	if a == nil {
		return len(ein.Reduced(c)) == 0
	}
	_, free := ein.ReductionOperator(c)
	return free && a.Region == schedule.Register
}

// rowsAt returns the places of vectors that begin so far along the rows, and so many rows behind
// the first ones of a chain; nil where they do not lie side by side. All are aligned if they lie
// at lines where the tensor does.
func (l *lowerer) rowsAt(r *rows, along, behind affine.Expr, sc *scope) (list []loop.Expr, aligned bool) {
	c := l.f.Body[r.statement]
	w := c.Writes[0]
	inner := sc.clone()
	aligned = true
	inner.blocks[point{r.statement, r.vector}] = block{base: along, size: affine.Const(int64(r.lanes)), lanes: r.lanes}
	if r.collapsed != nil {
		inner.blocks[point{r.statement, r.collapsed.index}] = block{base: r.collapsed.start.Add(behind), size: affine.Const(1)}
	}
	for _, i := range ein.Reduced(c) {
		inner.blocks[point{r.statement, i.Name}] = block{base: i.Min, size: affine.Const(1)}
	}
	for slot := range r.count {
		r.enter(slot, inner)
		x := l.context(r.statement, inner)
		at, form := x.linear(w.Tensor, w.Subscripts)
		if form != consecutive || len(x.before) > 0 {
			return nil, false
		}
		sum, others := x.position(w.Tensor, w.Subscripts)
		aligned = aligned && len(others) == 0 && atLines(sum, int64(r.lanes))
		list = append(list, at)
	}
	return list, aligned
}

// atLines reports whether the first lane of a vector is surely a multiple of so many elements
// from the beginning.
func atLines(at affine.Expr, lanes int64) bool {
	_, first, linear := at.Linear(laneSymbol)
	return linear && !slices.ContainsFunc(first.Terms(), func(t affine.Term) bool { return t.Coefficient%lanes != 0 })
}

// row is how a store of a vector belongs to rows; nil where it does not.
func (r *rows) row(x *context, st *storage) *loop.Row {
	if r == nil || r.storage != st || x.l.f.Body[r.statement] != x.c {
		return nil
	}
	var slot affine.Expr
	for _, d := range r.dims {
		slot = slot.Add(x.sc.blocks[point{r.statement, d.index}].base.Sub(d.base).Scale(d.stride))
	}
	first := x.l.compare(x.sc.blocks[point{r.statement, r.vector}].base.Sub(r.start), ein.Eq, affine.Const(0))
	tail := 0
	if r.collapsed != nil {
		first = both(first, x.l.compare(x.sc.blocks[point{r.statement, r.collapsed.index}].base.Sub(r.collapsed.start), ein.Eq, affine.Const(0)))
	}
	if r.carried != nil {
		first = both(first, r.carried.begins(slot, x))
	}
	if x.tail != nil {
		first, tail = literal(tensor.Bool, 0), r.tail
	}
	if first == nil {
		first = literal(tensor.Bool, 1)
	}
	return &loop.Row{Rest: r.rest, Behind: r.behind, Heads: r.heads, Slot: x.l.toLoop(slot, 1), First: first, Tail: tail}
}
