package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// node lowers a subtree.
func (l *lowerer) node(n schedule.Node, sc *scope) []loop.Stmt {
	if l.isOpen(sc) {
		return l.points(sc, func(sc *scope) []loop.Stmt { return l.node(n, sc) })
	}
	if l.grids && !sc.inItem {
		return l.aroundItems(n, sc)
	}
	return l.within(n, sc)
}

// within lowers what a node says.
func (l *lowerer) within(n schedule.Node, sc *scope) []loop.Stmt {
	switch n := n.(type) {
	case *schedule.Sequence:
		var list []loop.Stmt
		for _, child := range n.Children {
			list = append(list, l.node(child, sc)...)
		}
		return list
	case *schedule.Filter:
		return l.node(n.Child, l.filtered(sc, n))
	case *schedule.Band:
		n = l.partedAtSteps(n, sc)
		list := l.members(n.Members, n.Child, sc, func(inner *scope) []loop.Stmt {
			asked := l.prefetchPanels(n, sc, inner)
			filled, inner := l.fillStep(n, sc, inner)
			return slices.Concat(asked, filled, l.node(n.Child, inner))
		})
		if l.holds(n, sc) {
			markHeld(list)
		}
		return list
	case *schedule.Accumulate:
		return l.accumulate(n, sc)
	case *schedule.Place:
		return l.place(n, sc)
	}
	var list []loop.Stmt
	for _, s := range sc.statements {
		list = append(list, l.instance(s, sc)...)
	}
	return list
}

// filtered is a scope for some statements. It has their blocks only: scopes are copied for
// every loop.
func (l *lowerer) filtered(sc *scope, n *schedule.Filter) *scope {
	c := *sc
	c.statements, c.blocks = nil, map[point]block{}
	for _, s := range sc.statements {
		if !slices.Contains(n.Statements, s) {
			continue
		}
		c.statements = append(c.statements, s)
		for _, i := range l.f.Body[s].Indices {
			if b, known := sc.blocks[point{s, i.Name}]; known {
				c.blocks[point{s, i.Name}] = b
			}
		}
	}
	return &c
}

// members lowers a nest of loops around what body makes; below is the subtree
// that body lowers, or nil.
func (l *lowerer) members(list []*schedule.Member, below schedule.Node, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	active := list[:0:0]
	for _, m := range list {
		if slices.ContainsFunc(m.Loops, func(lp schedule.Loop) bool { return slices.Contains(sc.statements, lp.Statement) }) {
			active = append(active, m)
		}
	}
	return l.nest(active, below, sc, body)
}

func (l *lowerer) nest(list []*schedule.Member, below schedule.Node, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	if len(list) == 0 {
		return body(sc)
	}
	if list[0].IsConcurrent() {
		return l.concurrent(list, below, sc, body)
	}
	if list[0].Determined {
		return l.determined(list[0], sc, func(sc *scope) []loop.Stmt { return l.nest(list[1:], below, sc, body) })
	}
	if list[0].Guarded && sc.entered != list[0] {
		return l.guarded(list[0], sc, func(sc *scope) []loop.Stmt { return l.nest(list, below, sc, body) })
	}
	if l.defersStores(list, below, sc) {
		return l.withDeferredStores(list, below, sc, body)
	}
	m := list[0]
	if stages, ok := l.pipelined(m, below, sc); ok {
		return stages
	}
	if l.isAhead(m, below, sc) {
		return l.withAhead(m, below, sc, body)
	}
	if l.levels.Counted(m) {
		return l.counted(m, sc, func(sc *scope) []loop.Stmt { return l.nest(list[1:], below, sc, body) })
	}
	var stmts []loop.Stmt
	segs, ok := l.peelToLines(m, sc, &stmts)
	if !ok {
		segs = l.cut(m, list[1:], below, sc)
	}
	if m.Reverse {
		slices.Reverse(segs)
	}
	if sc.filling.shares(m) && len(segs) > 0 {
		segs = firstAlone(segs)
	}
	for len(segs) > 0 {
		part, n := l.alongRows(m, segs, list[1:], below, sc, func(seg segment, sc *scope) []loop.Stmt {
			return l.segmentLoop(m, seg, sc, func(sc *scope) []loop.Stmt { return l.nest(list[1:], below, sc, body) })
		})
		stmts, segs = append(stmts, part...), segs[n:]
		if sc.filling.shares(m) {
			sc = sc.withoutPacking()
		}
	}
	return stmts
}

// concurrent lowers a nest that begins with loops over threads, groups or items.
func (l *lowerer) concurrent(list []*schedule.Member, below schedule.Node, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	n := 1
	for n < len(list) && list[n].Parallel == list[0].Parallel && list[n].Groups == list[0].Groups && (list[n].Items > 0) == (list[0].Items > 0) {
		n++
	}
	switch {
	case list[0].Groups:
		return l.groups(list[:n], list[n:], below, sc, body)
	case list[0].Items > 0:
		return l.items(list[:n], list[n:], below, sc, body)
	}
	return l.parallel(list[:n], list[n:], below, sc, body)
}

// first returns the first active loop of a member.
func first(m *schedule.Member, sc *scope) schedule.Loop {
	for _, lp := range m.Loops {
		if slices.Contains(sc.statements, lp.Statement) {
			return lp
		}
	}
	return m.Loops[0]
}

func (l *lowerer) cut(m *schedule.Member, rest []*schedule.Member, below schedule.Node, sc *scope) []segment {
	lp := first(m, sc)
	p := point{lp.Statement, lp.Index}
	vector := 0
	for _, other := range m.Loops {
		if below != nil && slices.Contains(sc.statements, other.Statement) {
			vector = max(vector, width(point{other.Statement, other.Index}, rest, below))
		}
	}
	return l.tighten(m, p, sc, segments(sc.blocks[p], m, vector, l.isNarrow(p, m.Vector), func(piece int64) bool { return !l.hasTurns(m, below) && l.inPieces(m, piece) }))
}

// index returns the index of a point.
func (l *lowerer) index(p point) *ein.Index {
	indices := l.f.Body[p.statement].Indices
	return indices[slices.IndexFunc(indices, func(i *ein.Index) bool { return i.Name == p.index })]
}

// enter returns the scope of a piece that starts at offset from the block.
func (sc *scope) enter(m *schedule.Member, seg segment, offset, unit affine.Expr) *scope {
	c := sc.clone()
	for _, lp := range m.Loops {
		p := point{lp.Statement, lp.Index}
		if old, ok := c.blocks[p]; ok {
			piece := block{base: old.base.Add(offset), size: affine.Const(seg.tile), lanes: seg.lanes, group: seg.group, flip: m.Flip, partial: seg.partial, valid: seg.valid, unit: unit, stream: m.Stream && !seg.cached, fetch: m.Prefetch, fetchTile: m.PrefetchTile, ahead: m.Ahead, value: old.value, own: old.own}
			if seg.cached {
				piece.ahead = 0 // the lines around are asked for, or stored past the caches
			}
			if seg.ragged {
				piece.ragged, piece.exists, piece.whole, piece.piece = true, seg.points.Sub(offset), seg.whole, seg.whole
				piece.beyond = old.beyond || seg.beyond
			}
			c.blocks[p] = piece
		}
	}
	if !c.count.Counts(m) {
		c.count, _ = c.count.Enter(m)
	}
	if m.Partial != 0 || m.Groups {
		c = c.inIteration(m, divided(offset, m.Tile))
	}
	return c.enterPanels(m)
}

// segmentLoop makes the loop over the pieces of a segment.
func (l *lowerer) segmentLoop(m *schedule.Member, seg segment, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	n, known := seg.count.IsConst()
	if known && n == 1 || seg.partial {
		unit := seg.start
		if seg.lanes > 0 {
			unit = affine.Div(seg.start, affine.Const(seg.tile))
		}
		list := body(sc.enter(m, seg, seg.start, unit))
		if !known {
			list = when(l.compare(seg.valid, ein.Gt, affine.Const(0)), list, nil)
		}
		return list
	}
	if sc.deferred != nil {
		return l.writtenOut(m, seg, n, sc, body)
	}
	v := l.indexVar(m, sc, "")
	f := &loop.For{Var: v, Step: 1, Kind: loop.Serial}
	if m.Unroll && known {
		f.Kind = loop.Unrolled
	}
	var offset, unit affine.Expr
	if m.Reverse {
		offset = l.reversed(f, seg.start, seg.count, seg.tile)
		unit = offset
	} else if seg.lanes > 0 || seg.group > 0 || f.Kind == loop.Unrolled {
		// Counting the pieces keeps the numbers of register tiles linear.
		f.Lo, f.Hi = l.toLoop(affine.Const(0), 1), l.toLoop(seg.count, 1)
		unit = affine.Symbol(v.Name).Add(affine.Div(seg.start, affine.Const(seg.tile)))
		offset = affine.Symbol(v.Name).Scale(seg.tile).Add(seg.start)
	} else {
		f.Lo, f.Hi, f.Step = l.toLoop(seg.start, 1), l.toLoop(seg.start.Add(seg.count.Scale(seg.tile)), 1), seg.tile
		offset, unit = affine.Symbol(v.Name), affine.Symbol(v.Name)
	}
	f.Body = body(sc.enter(m, seg, offset, unit))
	return []loop.Stmt{f}
}

// reversed makes a loop count so many numbers that are step apart, the first of which is least,
// from the last one on, and returns the number. Where it is not known how many there are, that
// is in the bounds only, so that numbers stay linear.
func (l *lowerer) reversed(f *loop.For, least, count affine.Expr, step int64) affine.Expr {
	last := least.Add(count.AddConst(-1).Scale(step))
	if _, known := count.IsConst(); known {
		f.Lo, f.Hi = int64Const(0), l.toLoop(count, 1)
		return last.Sub(affine.Symbol(f.Var.Name).Scale(step))
	}
	f.Lo, f.Hi, f.Step = l.toLoop(last.Scale(-1), 1), l.toLoop(least.Scale(-1).AddConst(1), 1), step
	return affine.Symbol(f.Var.Name).Scale(-1)
}

// parallel makes one loop over the pieces of all parallel members.
func (l *lowerer) parallel(list, rest []*schedule.Member, below schedule.Node, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	cuts, totals := l.cutAll(list, rest, below, sc)
	v := l.newVar("p")
	f := &loop.For{Var: v, Lo: l.toLoop(affine.Const(0), 1), Hi: l.toLoop(product(totals), 1), Step: 1, Kind: loop.Parallel}
	numbers := l.takenApart(list, totals, v, sc, &f.Body)
	f.Body = append(f.Body, l.pieces(list, cuts, numbers, sc, sc.inParallel(), func(sc *scope) []loop.Stmt {
		return l.nest(rest, below, sc, body)
	})...)
	return []loop.Stmt{f}
}

// takenApart returns the numbers of pieces of members that one variable counts.
func (l *lowerer) takenApart(list []*schedule.Member, totals []affine.Expr, v *loop.Var, sc *scope, lets *[]loop.Stmt) []affine.Expr {
	numbers := make([]affine.Expr, len(list))
	remaining := affine.Symbol(v.Name)
	for i := len(list) - 1; i >= 0; i-- {
		numbers[i] = remaining
		if i > 0 {
			numbers[i] = l.bind(lets, l.indexVar(list[i], sc, "_p"), affine.Rem(remaining, totals[i]))
			remaining = l.bind(lets, l.newVar("p"), affine.Div(remaining, totals[i]))
		}
	}
	return numbers
}

// cutParallel cuts a block for a parallel member; the numbers of a counted one are one
// segment.
func (l *lowerer) cutParallel(m *schedule.Member, rest []*schedule.Member, below schedule.Node, sc *scope) []segment {
	if l.levels.Counted(m) {
		_, n := l.numbers(m, sc)
		return []segment{{count: affine.MaxOf(n, affine.Const(0))}}
	}
	return l.cut(m, rest, below, sc)
}

// bind makes a variable the value of an expression, so that it is computed once.
func (l *lowerer) bind(list *[]loop.Stmt, v *loop.Var, e affine.Expr) affine.Expr {
	*list = append(*list, &loop.Let{Var: v, Value: l.toLoop(e, 1)})
	return affine.Symbol(v.Name)
}

// pieces chooses, member by member, the segment to which piece number belongs; the
// segments are those of a scope outside of all of them.
func (l *lowerer) pieces(list []*schedule.Member, cuts [][]segment, numbers []affine.Expr, outer, sc *scope, body func(*scope) []loop.Stmt) []loop.Stmt {
	if len(list) == 0 {
		return body(sc)
	}
	if m := list[0]; l.levels.Counted(m) {
		least, _ := l.numbers(m, outer)
		return l.enterCounted(m, least.Add(numbers[0]), l.isExact(m, outer), sc, func(sc *scope) []loop.Stmt {
			return l.pieces(list[1:], cuts[1:], numbers[1:], outer, sc, body)
		})
	}
	var choose func(segs []segment, before affine.Expr) []loop.Stmt
	choose = func(segs []segment, before affine.Expr) []loop.Stmt {
		if len(segs) == 0 {
			return nil
		}
		seg := segs[0]
		number := numbers[0].Sub(before)
		offset := seg.start.Add(number.Scale(seg.tile))
		if one, known := seg.count.IsConst(); seg.partial || l.grids && known && one == 1 { // there is one
			offset = seg.start
		}
		inner := sc.enter(list[0], seg, offset, number)
		then := l.pieces(list[1:], cuts[1:], numbers[1:], outer, inner, body)
		if len(segs) == 1 {
			return then
		}
		end := before.Add(seg.count)
		cond := &loop.Binary{Op: ein.Lt, X: l.toLoop(numbers[0], 1), Y: l.toLoop(end, 1)}
		return []loop.Stmt{&loop.If{Cond: cond, Then: then, Else: choose(segs[1:], end)}}
	}
	return choose(cuts[0], affine.Expr{})
}

// instance computes one point of a statement.
func (l *lowerer) instance(s int, sc *scope) []loop.Stmt {
	c := l.f.Body[s]
	for _, i := range c.Indices {
		if !sc.blocks[point{s, i.Name}].isPoint() {
			l.fail(c.Pos, "the schedule reaches a leaf before index %s of %s is enumerated", i.Name, l.tree.Statements[s].Name)
			return nil
		}
	}
	if _, _, grouped := sc.group(s, c); grouped {
		return l.dot(s, sc)
	}
	x := l.context(s, sc)
	x.prefetch(s)
	x.askAhead(s)
	a := sc.accumulator(s)
	if a == nil {
		values, registers := x.nearOrFar(s)
		return inRegisters(registers, append(x.before, l.write(s, sc, values)...))
	}
	summands := c.Values
	if a.value != nil {
		summands = []ein.Expr{a.value}
	}
	values := x.all(summands)
	if a.order != nil {
		if len(values) > 1 {
			values = x.bindAll(values)
		}
		return append(x.before, a.order.arrive(len(a.order.groups)-1, sc, values)...)
	}
	if _, _, scan := ein.ScanOperator(c); scan && a.along == "" {
		return append(x.before, l.scanPoint(a, s, sc, values)...)
	}
	list := append(x.before, l.update(a, s, sc, values)...)
	if a.early {
		list = append(list, l.finishLast(a, sc)...)
	}
	return list
}

// write joins values with the old ones where the statement accumulates, and
// stores them.
func (l *lowerer) write(s int, sc *scope, values []loop.Expr) []loop.Stmt {
	c := l.f.Body[s]
	x := l.context(s, sc)
	values = values[:len(c.Writes)]
	if len(values) > 1 { // all values are computed before any is stored
		values = x.bindAll(values)
	}
	if c.Accumulate != nil {
		old := make([]loop.Expr, len(values))
		for k, w := range c.Writes {
			old[k] = x.load(w.Tensor, w.Subscripts, false)
		}
		values = x.combine(c.Accumulate, old, values)
		if len(values) > 1 {
			values = x.bindAll(values)
		}
	}
	return x.writeAll(values, sc.streams(s, c))
}

// writeAll stores the values of a statement.
func (x *context) writeAll(values []loop.Expr, stream bool) []loop.Stmt {
	if slices.ContainsFunc(x.c.Writes, func(w *ein.Write) bool { return x.sc.storage[w.Tensor].through != nil }) || x.sc.deferred != nil {
		values = x.bindAll(values)
	}
	var list []loop.Stmt
	for k, w := range x.c.Writes {
		list = append(list, x.stores(w, values[k], stream)...)
	}
	if x.sc.deferred != nil {
		x.sc.deferred.stores = append(x.sc.deferred.stores, list...)
		return x.before
	}
	return when(x.l.isThere(x.statement, x.sc), append(x.before, list...), nil)
}

// stores writes a value to where an element is, and to where else it goes.
func (x *context) stores(w *ein.Write, value loop.Expr, stream bool) (list []loop.Stmt) {
	if slices.ContainsFunc(w.Tensor.Dims, func(d ein.Dim) bool { n, known := d.Extent.IsConst(); return known && n == 0 }) {
		return nil // strides are 0, and nothing is ever written
	}
	value = broadcast(value, x.lanes)
	for st := x.sc.storage[w.Tensor]; st != nil; st = st.beyond(x.statement) {
		at := *x
		at.sc = x.sc.withStorage(w.Tensor, st)
		index, form := at.linear(w.Tensor, w.Subscripts)
		x.before = at.before
		if x.lanes > 1 && form == uniform { // one lane at most is a point: an extent is 1
			if x.tail == nil {
				x.l.fail(w.Pos, "the lanes of a vector write the same element of %s", w.Tensor.Name)
			}
			index = broadcast(index, x.lanes)
		}
		store := &loop.Store{Buffer: st.buffer, Index: index, Value: value, Mask: x.tail}
		shared := isOutside(store.Buffer)
		store.Stream = stream && x.lanes > 1 && form == consecutive && x.tail == nil && shared
		if store.Row = x.sc.rows.row(x, st); store.Row != nil && !store.Stream {
			if store.Row.Tail == 0 || x.tail == nil || form != consecutive {
				x.l.fail(w.Pos, "a part of a row of %s is stored for itself", w.Tensor.Name)
			}
			store.Stream = true
		}
		if n, few := x.fewLanes(store, form); few {
			list = append(list, x.storedSingly(store, n)...)
			continue
		}
		list = append(list, store)
	}
	return list
}

// site registers the place that a check guards.
func (l *lowerer) site(pos source.Span, t *ein.Tensor, dim int) int {
	site := loop.Site{Pos: pos, Tensor: t.Name, Dim: dim, Text: pos.Text()}
	if lo, ok := t.Dims[dim].Min.IsConst(); ok {
		site.Lo = lo
	}
	if hi, ok := t.Dims[dim].Min.Add(t.Dims[dim].Extent).IsConst(); ok {
		site.Hi = hi
	}
	for i, other := range l.out.Sites {
		if other == site {
			return i
		}
	}
	l.out.Sites = append(l.out.Sites, site)
	return len(l.out.Sites) - 1
}

func int64Const(n int64) loop.Expr { return &loop.Const{Elem: tensor.Int64, Bits: uint64(n)} }
