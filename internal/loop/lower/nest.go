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
	switch n := n.(type) {
	case *schedule.Sequence:
		var list []loop.Stmt
		for _, child := range n.Children {
			list = append(list, l.node(child, sc)...)
		}
		return list
	case *schedule.Filter:
		c := *sc
		c.statements = nil
		for _, s := range sc.statements {
			if slices.Contains(n.Statements, s) {
				c.statements = append(c.statements, s)
			}
		}
		return l.node(n.Child, &c)
	case *schedule.Band:
		return l.members(n.Members, n.Child, sc, func(sc *scope) []loop.Stmt { return append(l.prefetchPanels(n, sc), l.node(n.Child, sc)...) })
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

// A segment is a run of equal pieces of a block: count pieces of size tile from
// start on. With lanes > 0 a piece is a vector. A partial segment is one piece, or
// none, of which only the first valid points exist.
type segment struct {
	start, count affine.Expr
	tile         int64
	lanes        int
	group        int // a piece is a group of points
	partial      bool
	valid        affine.Expr
	// The pieces are ragged: only points that are this far from the block's first exist.
	ragged bool
	points affine.Expr
	whole  bool // of a whole block
}

// width returns the lanes of the next vector loop over an index among the rest of a
// band's members or below them, or 0.
func width(p point, rest []*schedule.Member, below schedule.Node) int {
	for _, m := range rest {
		if loop, ok := m.IndexOf(p.statement); ok && loop.Index == p.index && m.Vector > 0 {
			return m.Vector
		}
	}
	return schedule.VectorBelow(p.statement, p.index, below)
}

// segments cuts a block for a member. vector is the width of the vector loop over
// the same index further down. A rest that fills no vector is a partial one, whose
// lanes are masked; narrow says that the whole index is a shorter vector instead.
//
// The tiles of a padded member are equal, the last one ragged. Loops over whole blocks
// visit what does not exist, too. inPieces says that a tile may be visited in pieces of
// some points.
func segments(b block, m *schedule.Member, vector int, narrow bool, inPieces func(int64) bool) []segment {
	c := cutter{member: m, lanes: int64(max(vector, m.Vector, m.Group)), most: b.size, inPieces: inPieces}
	step := max(m.Tile, int64(m.Vector), int64(m.Group))
	if m.Pad {
		return padded(b, step)
	}
	if b.ragged && b.whole {
		points := b.exists
		b.ragged = false
		list := segments(b, m, vector, narrow, inPieces)
		for i := range list {
			list[i].ragged, list[i].whole, list[i].points = true, true, points
		}
		return list
	}
	b = b.bounded()
	n, known := b.points().IsConst()
	if !known {
		c.unknown(b, step)
		return c.list
	}
	at := n / step * step
	c.add(affine.Expr{}, affine.Const(n/step), step)
	rest := n - at
	switch {
	case rest == 0:
	case m.Vector > 0 && !narrow || m.Group > 0:
		c.addPartial(affine.Const(at), affine.Const(rest))
	default: // a smaller tile, or vector
		c.add(affine.Const(at), affine.Const(1), rest)
	}
	return c.list
}

// padded cuts a block into equal tiles, of which the last may be ragged. Where tiles
// fill the block its own end tells no more of theirs than the end of what exists.
func padded(b block, tile int64) []segment {
	points := b.points()
	s := segment{count: affine.Div(points.AddConst(tile-1), affine.Const(tile)), tile: tile, ragged: true, points: points}
	if size, known := b.size.IsConst(); known && b.ragged && size%tile == 0 {
		s.points = b.exists
	}
	if n, known := points.IsConst(); known {
		s.ragged = n%tile != 0
		if n <= 0 {
			return nil
		}
	}
	return []segment{s}
}

// A cutter collects segments.
type cutter struct {
	member *schedule.Member
	lanes  int64       // of the vector loop, here or further down; at most 1 for none
	most   affine.Expr // how many points the block may have
	// inPieces reports whether a tile may be visited in pieces of some points.
	inPieces func(int64) bool
	list     []segment
}

func (c *cutter) add(start, count affine.Expr, tile int64) {
	if n, ok := count.IsConst(); ok && n <= 0 {
		return
	}
	s := segment{start: start, count: count, tile: tile, group: c.member.Group}
	if c.member.Vector > 0 && tile > 1 {
		s.lanes = int(tile)
	}
	c.list = append(c.list, s)
}

func (c *cutter) addPartial(start, valid affine.Expr) {
	count := affine.Div(valid.AddConst(c.lanes-1), affine.Const(c.lanes))
	s := segment{start: start, count: count, tile: c.lanes, group: c.member.Group, partial: true, valid: valid}
	if c.member.Vector > 0 {
		s.lanes = int(c.lanes)
	}
	c.list = append(c.list, s)
}

// unknown cuts a block of unknown size into tiles, vectors and a partial vector, so
// that the sizes of all pieces are constants. Where the last tile has to keep its order
// it is a ragged one.
func (c *cutter) unknown(b block, step int64) {
	if piece := max(c.lanes, 1); step > piece && !c.inPieces(piece) {
		points := b.points()
		tiles := affine.Div(points, affine.Const(step))
		c.add(affine.Expr{}, tiles, step)
		last := segment{start: tiles.Scale(step), tile: step, ragged: true, points: points}
		last.count = affine.Div(points.Sub(last.start).AddConst(step-1), affine.Const(step))
		c.list = append(c.list, last)
		return
	}
	steps := []int64{step}
	if step > c.lanes && c.lanes > 1 {
		steps = append(steps, c.lanes)
	}
	size, start := b.points(), affine.Expr{}
	for _, step := range steps {
		if most, known := c.most.IsConst(); known && step >= most && (b.partial || step == c.lanes) {
			continue // one vector, of which perhaps not all lanes exist
		}
		count := affine.Div(size.Sub(start), affine.Const(step))
		c.add(start, count, step)
		start = start.Add(count.Scale(step))
	}
	switch last := steps[len(steps)-1]; {
	case c.lanes > 1:
		c.addPartial(start, size.Sub(start))
	case last > 1:
		c.add(start, size.Sub(start), 1)
	}
}

// isNarrow reports whether all of an index fits in a shorter vector than one of w
// lanes. The lanes of a reduced index accumulate, for which all have one width, padded
// tiles have room for whole vectors, and smaller blocks have masked ones.
func (l *lowerer) isNarrow(p point, w int) bool {
	loops := []schedule.Loop{{Statement: p.statement, Index: p.index}}
	if m := l.levels.Of(p.statement, p.index, 1); m != nil {
		if loops = m.Loops; w > 1 && l.levels.IsCut(p.statement, p.index) && !l.levels.ConsistsOf(p.statement, p.index, int64(w)) {
			return false
		}
	}
	reduced := slices.ContainsFunc(loops, func(lp schedule.Loop) bool { return l.index(point{lp.Statement, lp.Index}).Combine.Kind != ein.Concat })
	n, known := l.frames.Of(p.statement, l.index(p)).Extent.IsConst()
	return known && !reduced && n > 0 && n < int64(w) && n&(n-1) == 0 && !l.padded[p]
}

// paddedPoints adds the indices that padded members cut.
func paddedPoints(n schedule.Node, set map[point]bool) map[point]bool {
	if b, ok := n.(*schedule.Band); ok {
		for _, m := range b.Members {
			for _, lp := range m.Loops {
				if m.Pad {
					set[point{lp.Statement, lp.Index}] = true
				}
			}
		}
	}
	for _, child := range schedule.Children(n) {
		paddedPoints(child, set)
	}
	return set
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
	if list[0].Parallel {
		n := 1
		for n < len(list) && list[n].Parallel {
			n++
		}
		return l.parallel(list[:n], list[n:], below, sc, body)
	}
	m := list[0]
	if l.levels.Counted(m) {
		return l.counted(m, sc, func(sc *scope) []loop.Stmt { return l.nest(list[1:], below, sc, body) })
	}
	var stmts []loop.Stmt
	segs := l.cut(m, list[1:], below, sc)
	if m.Reverse {
		slices.Reverse(segs)
	}
	for _, seg := range segs {
		stmts = append(stmts, l.segmentLoop(m, seg, sc, func(sc *scope) []loop.Stmt {
			return l.nest(list[1:], below, sc, body)
		})...)
	}
	return stmts
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
	return l.tighten(m, p, sc, segments(sc.blocks[p], m, vector, l.isNarrow(p, m.Vector), func(piece int64) bool { return l.inPieces(m, piece) }))
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
			piece := block{base: old.base.Add(offset), size: affine.Const(seg.tile), lanes: seg.lanes, group: seg.group, flip: m.Flip, partial: seg.partial, valid: seg.valid, unit: unit, stream: m.Stream, fetch: m.Prefetch, fetchTile: m.PrefetchTile, ahead: m.Ahead, value: old.value}
			if seg.ragged {
				piece.ragged, piece.exists, piece.whole = true, seg.points.Sub(offset), seg.whole
			}
			c.blocks[p] = piece
		}
	}
	if !c.count.Counts(m) {
		c.count, _ = c.count.Enter(m)
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
	v := l.newVar(first(m, sc).Index)
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
	cuts := make([][]segment, len(list))
	totals := make([]affine.Expr, len(list))
	for i, m := range list {
		cuts[i] = l.cutParallel(m, slices.Concat(list[i+1:], rest), below, sc)
		for _, seg := range cuts[i] {
			totals[i] = totals[i].Add(seg.count)
		}
	}
	v := l.newVar("p")
	f := &loop.For{Var: v, Lo: l.toLoop(affine.Const(0), 1), Hi: l.toLoop(product(totals), 1), Step: 1, Kind: loop.Parallel}

	numbers := make([]affine.Expr, len(list))
	remaining := affine.Symbol(v.Name)
	for i := len(list) - 1; i >= 0; i-- {
		numbers[i] = remaining
		if i > 0 {
			numbers[i] = l.bind(&f.Body, first(list[i], sc).Index+"_p", affine.Rem(remaining, totals[i]))
			remaining = l.bind(&f.Body, "p", affine.Div(remaining, totals[i]))
		}
	}
	f.Body = append(f.Body, l.pieces(list, cuts, numbers, sc, sc.inParallel(), func(sc *scope) []loop.Stmt {
		return l.nest(rest, below, sc, body)
	})...)
	return []loop.Stmt{f}
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

// bind names the value of an expression, so that it is computed once.
func (l *lowerer) bind(list *[]loop.Stmt, name string, e affine.Expr) affine.Expr {
	v := l.newVar(name)
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
		if seg.partial { // there is one
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
	summands := c.Values
	if a != nil && a.value != nil {
		summands = []ein.Expr{a.value}
	}
	values := x.all(summands)
	if a != nil && a.order != nil {
		if len(values) > 1 {
			values = x.bindAll(values)
		}
		return append(x.before, a.order.arrive(len(a.order.groups)-1, sc, values)...)
	}
	if a != nil {
		if _, _, scan := schedule.ScanOperator(c); scan && a.along == "" {
			return append(x.before, l.scanPoint(a, s, sc, values)...)
		}
		return append(x.before, l.update(a, s, sc, values)...)
	}
	return append(x.before, l.write(s, sc, values)...)
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
	if slices.ContainsFunc(x.c.Writes, func(w *ein.Write) bool { return x.sc.storage[w.Tensor].through != nil }) {
		values = x.bindAll(values)
	}
	var list []loop.Stmt
	for k, w := range x.c.Writes {
		list = append(list, x.stores(w, values[k], stream)...)
	}
	return append(x.before, list...)
}

// stores writes a value to where an element is, and to where else it goes.
func (x *context) stores(w *ein.Write, value loop.Expr, stream bool) (list []loop.Stmt) {
	value = broadcast(value, x.lanes)
	for st := x.sc.storage[w.Tensor]; st != nil; st = st.through {
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
