package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// How results are fetched ahead
//
// A register tile touches its results only when its sums are complete, and waits for
// them then: they lie in rows far apart, which no hardware prefetcher follows. So their
// lines are asked for when the tile begins, and come while it computes. A short sum ends before:
// where the next tiles go on along the same rows, and these begin within lines, of which the hardware
// then fetches two for each vector, it asks for those of later tiles. 777 x 4095 x 10 doubles take 0.65 of
// the time, 2000 x 333 x 2 floats take 0.65; rows of whole lines would take up to 1.2.
//
// A panel of an operand that is too large for the nearest cache streams through it for
// every register tile. Its lines are asked for some steps of the reduction ahead, so
// that the sums never wait for the next cache; the product of matrices of 2048² floats
// takes 0.94 of the time. The block has room behind it for what the last steps ask for.
// A block that is one panel and stays in the nearest cache is not asked for: 16 products of 64 x 64 x 128 with a
// transposed operand take 0.94 of the time, 1000 x 64 x 128 0.96, three small layers 0.99.
//
// The rows of an operand that is not packed lie in different pages: every step of the
// reduction begins a new one. A tile whose rows share them asks for those of a few steps
// later, once in a step; 16 products of 10 x 500 x 64 take 0.95 of the time in floats and
// 0.9 in doubles. With few rows it would lose (10 to 30 % of 32 x 20000 x 32): the
// hardware follows each of them, and what is asked for behind the last one is in vain.
// In a short block of the reduction most of them would be the first rows of another one.
// So what the next tile along the vectors reads of the same rows is asked for there, and
// the tiles that share an operand divide its lines among them: 16 x 1000 x 2048 doubles
// take 0.57 of the time, 24 x 6000 x 1000 floats take 0.75.
//
// Columns that are not packed may also stream from the second cache, for one row of tiles after
// the other. That happens to be as fast as the sums where the pages of the operand share its sets
// evenly, and they never do: 512³ floats reach 140 to 168 GFLOP/s without prefetching, 165 to 169 with six rows
// ahead.

const (
	lineBytes     = 64
	prefetchSteps = 24       // of the reduction at least, in which the lines may come
	mostPrefetch  = 64       // lines of a tile
	shortSum      = 12       // steps, in which no line comes
	resultsAhead  = 1024     // bytes of a row of results that short sums ask for ahead
	leastAheads   = 8        // of a part of a row; other threads write the next one
	nearResults   = 64 << 10 // bytes of a result that is near anyway
	nearPanel     = 16 << 10 // bytes of a panel that stays in the nearest cache
	nearShare     = 2        // of nearParts of that cache, in which a block stays that is a single panel
	nearParts     = 3
	fetchBytes    = 1536      // of a panel that are asked for ahead
	mostFetched   = 8         // lines of a step
	nearOperand   = 1 << 20   // bytes of an operand that stays in the second cache
	farRow        = 512       // bytes between rows that hardware prefetchers still follow
	mostFollowed  = 256       // rows that are few enough for them, or end before it pays to ask for more
	rowsAhead     = 4         // that are asked for ahead
	streamedAhead = 6         // rows of what streams from the second cache
	leastStreamed = 96        // steps of a block of the reduction that streams
	nearStreamed  = 500 << 10 // bytes of an operand that comes in time by itself
	fewestStreams = 8         // register tiles that share it
	leastTiles    = 3         // of a strip, the last of which asks for what nobody reads
	shortBlock    = 32        // steps of a block of the reduction that is done before rows ahead would come
	sameSets      = 16 << 10  // bytes between rows that compete for few places of the second cache
)

// prefetchResults asks for the lines of the results of a register tile.
func (l *lowerer) prefetchResults(a *accumulator, sc *scope) []loop.Stmt {
	c := l.f.Body[a.statement]
	w := c.Writes[0]
	row := l.fetchedRow(a, sc)
	if row == nil || a.spread != nil {
		return nil
	}
	steps := int64(1)
	for _, i := range ein.Reduced(c) {
		if n, known := sc.blocks[point{a.statement, i.Name}].size.IsConst(); known {
			steps *= n
		}
	}
	perLine, lines := int64(lineBytes/w.Tensor.Type.Size()), int64(1)
	first := sc.clone()
	first.statements = []int{a.statement}
	var members []*schedule.Member
	for _, d := range a.dims {
		p := point{a.statement, d.index}
		m := &schedule.Member{Loops: []schedule.Loop{{Statement: p.statement, Index: p.index}}, Tile: 1, Unroll: true}
		b := sc.blocks[p]
		size, known := b.size.IsConst() // of the last block fewer than accumulators, which are whole vectors
		if b.isPoint() && b.lanes == 0 {
			continue
		} else if b.lanes > 0 || b.partial || !known {
			return nil
		}
		first.blocks[p] = block{base: b.base, size: b.size, ragged: b.ragged, exists: b.exists, whole: b.ragged}
		points := size
		if d.index == row.index {
			m.Tile, size = perLine, (size+perLine-1)/perLine
		}
		if m.Tile < points {
			members = append(members, m)
		}
		lines *= size
	}
	ahead := int64(0)
	if steps < prefetchSteps {
		ahead = resultsAhead / lineBytes * perLine
		if steps > shortSum || !l.levels.GoesOnAlong(a.statement, row.index, leastAheads*ahead) || l.hasWholeLines(w, row.index, sc) {
			return nil
		}
	}
	if lines > mostPrefetch {
		return nil
	}
	return l.nest(members, nil, first, func(inner *scope) []loop.Stmt {
		for _, d := range a.dims { // the first element of a line
			p := point{a.statement, d.index}
			b := inner.blocks[p]
			b.size = affine.Const(1)
			inner.blocks[p] = b
		}
		x := l.context(a.statement, inner)
		at, _ := x.linear(w.Tensor, w.Subscripts)
		return l.delivered(a.statement, inner, append(x.before, &loop.Prefetch{Buffer: sc.storage[w.Tensor].buffer, Index: at, Ahead: ahead, Write: true}))
	})
}

// hasWholeLines reports whether the rows along an index begin at lines of the cache when the tensor does.
func (l *lowerer) hasWholeLines(w *ein.Write, along string, sc *scope) bool {
	for d, sub := range w.Subscripts {
		if e, isAffine := ein.AffineOf(sub); isAffine {
			if coefficient, _, linear := e.Linear(along); linear && coefficient != 0 {
				continue
			}
		}
		if row, known := sc.storage[w.Tensor].strides[d].IsConst(); !known || row*int64(w.Tensor.Type.Size())%lineBytes != 0 {
			return false
		}
	}
	return true
}

// fetchedRow returns the dimension along which the results of a register tile lie side by side; nil
// where they are not to be asked for.
func (l *lowerer) fetchedRow(a *accumulator, sc *scope) *accumulatorDim {
	c := l.f.Body[a.statement]
	w := c.Writes[0]
	if a.streams || len(c.Writes) > 1 || a.along != "" || a.buffers[0].Region != loop.Register || !isFar(w.Tensor) || !isOutside(sc.storage[w.Tensor].buffer) {
		return nil
	}
	return l.rowOf(a, w, sc)
}

// isFar reports whether a tensor is larger than what stays in the nearest caches.
func isFar(t *ein.Tensor) bool { return isLarger(t, nearResults) }

// isLarger reports whether a tensor has more bytes than that, or an unknown size.
func isLarger(t *ein.Tensor, than int64) bool {
	bytes := int64(t.Type.Size())
	for _, d := range t.Dims {
		n, known := d.Extent.IsConst()
		if !known {
			return true
		}
		bytes *= n
	}
	return bytes > than
}

// fetchDistance returns how many elements ahead register tiles fetch what they read of a
// placed input; 0 where it stays near, or they do not read it in order.
func (l *lowerer) fetchDistance(n *schedule.Place, t *ein.Tensor, elem tensor.DType, st *storage, order []int, sizes []int64, sc *scope) int64 {
	if !l.isOnlyRead(t, sc) || n.Region != schedule.Private || len(order) < 2 || l.vectorWidth(t, order[0], n.Child, sc) < 2 {
		return 0
	}
	if !l.along(t, order[1], sc, func(i *ein.Index) bool { return i.Combine.Kind != ein.Concat }) {
		return 0
	}
	row, known := st.strides[order[1]].IsConst()
	panel := row * int64(elem.Size())
	for _, d := range order[1:] {
		if l.along(t, d, sc, func(i *ein.Index) bool { return i.Combine.Kind != ein.Concat }) {
			panel *= sizes[d]
		}
	}
	if !known || panel <= nearPanel {
		return 0
	}
	block := int64(elem.Size())
	for _, size := range sizes {
		block *= size
	}
	if block <= l.options.L1*nearShare/nearParts {
		return 0
	}
	return roundUp(fetchBytes/int64(elem.Size()), row)
}

// prefetchPanels asks, in a step of the reduction of a register tile, for what a later
// one reads of the inputs; outer is the scope outside of the loop over the steps.
func (l *lowerer) prefetchPanels(b *schedule.Band, outer, sc *scope) []loop.Stmt {
	if len(sc.statements) != 1 {
		return nil
	}
	s := sc.statements[0]
	c, a := l.f.Body[s], sc.accumulator(s)
	if a == nil || len(a.buffers) == 0 || a.buffers[0].Region != loop.Register || a.along != "" {
		return nil
	}
	list := l.prefetchFollowing(b, s, sc)
	step, ok := l.reducedBy(b, s, outer)
	if !ok {
		return list
	}
	vector, lanes := l.vectorIndex(s, b.Child, sc)
	list = append(list, l.prefetchRuns(a, b, outer, sc)...)
	for _, read := range c.Accesses() {
		st := sc.storage[read.Tensor]
		if st.panels != nil || sc.filling != nil && sc.filling.tensor == read.Tensor {
			continue
		}
		row, ahead := int64(0), int64(rowsAhead)
		if st.ahead == 0 {
			if row = l.streamedRows(s, read, step, point{s, vector}, outer, sc); row > 0 {
				ahead = streamedAhead
			} else {
				row = l.farRows(s, read, step, point{s, vector}, sc)
			}
		}
		switch {
		case row > 0 && isShort(outer.blocks[step], row*int64(read.Tensor.Type.Size())) && l.inWideStrip(s, vector, sc):
			list = append(list, l.prefetchTile(s, read, point{s, vector}, sc)...)
		case st.ahead > 0 || row > 0:
			list = append(list, l.prefetchStep(s, read, point{s, vector}, lanes, row*ahead, sc)...)
		}
		list = append(list, l.prefetchStrip(s, read, step, point{s, vector}, sc)...)
		list = append(list, l.prefetchNextRows(s, read, step, point{s, vector}, outer, sc)...)
	}
	return list
}

// partedAtSteps parts a band behind its last loop over a reduced index, where what a later step reads
// is asked for. A band is a nest of loops, so that it means nothing where one ends: parameters
// of MDH make longer ones than the default schedule has. Loops that are written out are part of
// a step: those over the columns of a filter stand below others that are, where each would
// ask again (3x3 layers took 1.28 of the time).
func (l *lowerer) partedAtSteps(b *schedule.Band, sc *scope) *schedule.Band {
	if len(sc.statements) != 1 {
		return b
	}
	s := sc.statements[0]
	for k := len(b.Members) - 1; k >= 0; k-- {
		if lp, ok := b.Members[k].IndexOf(s); ok && !b.Members[k].Unroll && l.index(point{s, lp.Index}).Combine.Kind != ein.Concat {
			if k == len(b.Members)-1 {
				return b
			}
			return &schedule.Band{Members: b.Members[:k+1], Child: &schedule.Band{Members: b.Members[k+1:], Child: b.Child}}
		}
	}
	return b
}

// reducedBy returns the reduced index of a statement whose values are the points of a band:
// below it no reduced index has a loop, and inside of it those of a filter of one point have one
// of a single iteration.
func (l *lowerer) reducedBy(b *schedule.Band, s int, outer *scope) (point, bool) {
	for _, i := range ein.Reduced(l.f.Body[s]) {
		if len(membersOf(point{s, i.Name}, b.Child)) > 0 {
			return point{}, false
		}
	}
	last := point{}
	for _, m := range slices.Backward(b.Members) {
		lp, ok := m.IndexOf(s)
		p := point{s, lp.Index}
		if !ok || l.index(p).Combine.Kind == ein.Concat {
			break
		}
		if last.index == "" {
			last = p
		}
		if n, known := outer.blocks[p].size.IsConst(); !known || n > 1 {
			return p, true
		}
	}
	return last, last.index != ""
}

// prefetchStep asks for the lines of one operand: of a block that has room behind it, or the
// given distance ahead in memory that has none.
func (l *lowerer) prefetchStep(s int, read *ein.Access, vector point, lanes int, distance int64, sc *scope) []loop.Stmt {
	st := sc.storage[read.Tensor]
	size := st.buffer.Type.Elem.Size() * max(1, st.group) // of what a lane reads
	var members []*schedule.Member
	lines := int64(1)
	for _, i := range l.f.Body[s].ByKind(ein.Concat) {
		p := point{s, i.Name}
		n, known := sc.blocks[p].size.IsConst()
		if !known {
			return nil
		}
		m := &schedule.Member{Loops: []schedule.Loop{{Statement: s, Index: i.Name}}, Tile: 1, Unroll: true}
		if p == vector {
			m.Tile = int64(max(lanes, lineBytes/size))
		} else if n == 1 || !ein.DependsOn(read, i) {
			continue
		}
		lines *= (n + m.Tile - 1) / m.Tile
		members = append(members, m)
	}
	if lines > mostFetched {
		return nil
	}
	return l.nest(members, nil, sc, func(inner *scope) []loop.Stmt {
		inner = inner.clone()
		first := inner.blocks[vector].base
		if b := sc.blocks[vector]; b.ragged && distance > 0 { // padded points have no place in memory
			first = affine.MinOf(first, b.last())
		}
		inner.blocks[vector] = block{base: first, size: affine.Const(int64(lanes)), lanes: lanes}
		x := l.context(s, inner)
		if st.group > 0 {
			x = x.atFirstLane(vector.index)
		}
		at, form := x.linear(read.Tensor, read.Subscripts)
		if form != consecutive && st.group == 0 {
			return nil
		}
		return append(x.before, &loop.Prefetch{Buffer: st.buffer, Index: plus(at, int64Const(st.ahead)), Ahead: distance})
	})
}

// isShort reports whether a block of the reduction is short, and its rows, so many bytes apart,
// have room in the second cache together with those of the next tile.
func isShort(b block, bytes int64) bool {
	steps, known := b.size.IsConst()
	return known && steps <= shortBlock && bytes%sameSets != 0
}

// inWideStrip reports whether so many register tiles stand in a strip that most of them have a
// next one. In strips of two tiles 20 x 200 x 2000 doubles take 1.24 of the time.
func (l *lowerer) inWideStrip(s int, vector string, sc *scope) bool {
	p := point{s, vector}
	width, known := sc.blocks[p].size.IsConst()
	room, constant := l.index(p).Extent.IsConst()
	if !known || !constant {
		return false
	}
	tile := &schedule.Member{Tile: width}
	if around := l.levels.Around(tile, schedule.Loop{Statement: s, Index: vector}); around != nil {
		room = min(room, around.Tile)
	}
	return room >= leastTiles*width
}

// prefetchTile asks, in a step of the reduction, for what the next tile along the vectors
// reads of the same row: for the share of a tile, where several tiles read the row.
func (l *lowerer) prefetchTile(s int, read *ein.Access, vector point, sc *scope) []loop.Stmt {
	b := sc.blocks[vector]
	width, known := b.size.IsConst()
	line := lineBytes / int64(read.Tensor.Type.Size())
	lines := (width + line - 1) / line
	turns := min(l.tilesSharing(s, read, sc), lines)
	turn, ok := affine.Expr{}, turns == 1
	if turns > 1 {
		turn, ok = l.turnOf(s, read, turns, sc)
	}
	if !known || !ok || b.partial || lines > turns*mostFetched {
		return nil
	}
	first := b.base.Add(turn.Scale(line))
	if b.ragged {
		first = affine.MinOf(first, b.last())
	}
	inner := sc.clone()
	inner.blocks[vector] = block{base: first, size: affine.Const(1)}
	x := l.context(s, inner)
	at, _ := x.linear(read.Tensor, read.Subscripts)
	list := x.before
	for n := int64(0); n < lines; n += turns {
		list = append(list, &loop.Prefetch{Buffer: sc.storage[read.Tensor].buffer, Index: at, Ahead: width + n*line})
	}
	return list
}

// tilesSharing returns how many whole register tiles read what this one reads of an operand; 0
// for a smaller one at the edge.
func (l *lowerer) tilesSharing(s int, read *ein.Access, sc *scope) int64 {
	for _, i := range l.f.Body[s].ByKind(ein.Concat) {
		b := sc.blocks[point{s, i.Name}]
		tile, known := b.size.IsConst()
		all, constant := i.Extent.IsConst()
		if ein.DependsOn(read, i) || !known || !constant {
			continue
		}
		if _, single := b.base.IsConst(); !single {
			return max(1, all/tile)
		} else if tile < all {
			return 0
		}
	}
	return 1
}

// farRows returns how many elements the rows of an operand lie apart that a register tile
// reads where they are; 0 where they are near, few, or follow each other, or one row of the
// tile reads them: that one waits for the memory whatever is asked for.
func (l *lowerer) farRows(s int, read *ein.Access, step, vector point, sc *scope) int64 {
	row := l.rowsApart(s, read, step, vector, sc)
	if !isLarger(read.Tensor, max(nearOperand, mostFollowed*row*int64(read.Tensor.Type.Size()))) {
		return 0
	}
	return row
}

// streamedRows returns how many elements the rows of an operand lie apart that many register tiles
// stream from the second cache; 0 where they stay in the nearest one.
func (l *lowerer) streamedRows(s int, read *ein.Access, step, vector point, outer, sc *scope) int64 {
	steps, known := outer.blocks[step].size.IsConst()
	width, constant := sc.blocks[vector].size.IsConst()
	panel := steps * width * int64(read.Tensor.Type.Size())
	if !known || !constant || steps < leastStreamed || panel <= l.options.L1*nearShare/nearParts || !isLarger(read.Tensor, nearStreamed) || l.tilesSharing(s, read, sc) < fewestStreams {
		return 0
	}
	return l.rowsApart(s, read, step, vector, sc)
}

// rowsApart returns how many elements the rows of an operand lie apart that several points of a register
// tile read where they are, in vectors; 0 elsewhere.
func (l *lowerer) rowsApart(s int, read *ein.Access, step, vector point, sc *scope) int64 {
	region := sc.storage[read.Tensor].buffer.Region
	if region != loop.Argument && region != loop.Workspace || vector.index == "" {
		return 0
	}
	shared := false
	for _, i := range l.f.Body[s].ByKind(ein.Concat) {
		n, known := sc.blocks[point{s, i.Name}].size.IsConst()
		shared = shared || known && n > 1 && !ein.DependsOn(read, i)
	}
	row, linear := l.stepOf(read.Tensor, read.Subscripts, step.index, sc)
	lane, _ := l.stepOf(read.Tensor, read.Subscripts, vector.index, sc)
	if !shared || !linear || lane != 1 || row*int64(read.Tensor.Type.Size()) <= farRow || !l.context(s, sc).alwaysInBounds(read) {
		return 0
	}
	return row
}
