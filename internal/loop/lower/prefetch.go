package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/tensor"
)

// How results and operands are fetched ahead
//
// Marks of the tree say what is asked for (schedule/fetch.go), and package schedule/fetch why. Here stands what they
// mean for the block at hand: which lines these are, that the last tile of a row is smaller, and that there is
// nothing to ask for where no address is known.

// prefetchResults asks for the lines of the results of a register tile, as an accumulate says.
func (l *lowerer) prefetchResults(n *schedule.Accumulate, a *accumulator, sc *scope) []loop.Stmt {
	if n.Fetch == 0 && n.Ahead == 0 {
		return nil
	}
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
	perLine, lines := l.line()/int64(w.Tensor.Type.Size()), int64(1)
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
	if n.Fetch == 0 || steps < n.Fetch {
		if ahead = n.Ahead / l.line() * perLine; ahead == 0 {
			return nil
		}
	}
	if lines > schedule.MostLinesOfTile {
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

// fetchedRow returns the dimension along which the results of a register tile lie side by side; nil
// where they are not to be asked for.
func (l *lowerer) fetchedRow(a *accumulator, sc *scope) *accumulatorDim {
	c := l.f.Body[a.statement]
	w := c.Writes[0]
	if a.streams || len(c.Writes) > 1 || a.along != "" || a.buffers[0].Region != loop.Register || !isOutside(sc.storage[w.Tensor].buffer) {
		return nil
	}
	return l.rowOf(a, w, sc)
}

// isFar reports whether a tensor is larger than what stays in the nearest caches.
func isFar(t *ein.Tensor) bool {
	bytes := int64(t.Type.Size())
	for _, d := range t.Dims {
		n, known := d.Extent.IsConst()
		if !known {
			return true
		}
		bytes *= n
	}
	return bytes > schedule.NearBytes
}

// fetchDistance returns how many elements ahead register tiles fetch what they read of a
// placed input; 0 where it stays near, or they do not read it in order.
func (l *lowerer) fetchDistance(n *schedule.Place, t *ein.Tensor, elem tensor.DType, st *storage, order []int, sizes []int64, sc *scope) int64 {
	if n.Fetch == 0 || len(order) < 2 || l.vectorWidth(t, order[0], n.Child, sc) < 2 {
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
	if !known || panel <= n.FetchFrom {
		return 0
	}
	return roundUp(n.Fetch/int64(elem.Size()), row)
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
	list := l.prefetchNextPanel(b, s, sc)
	step, ok := l.reducedBy(b, s, outer)
	if !ok {
		return list
	}
	m := b.Members[len(b.Members)-1]
	vector, lanes := l.vectorIndex(s, b.Child, sc)
	list = append(list, l.prefetchRuns(a, b, outer, sc)...)
	for _, read := range c.Accesses() {
		st := sc.storage[read.Tensor]
		if st.panels != nil || sc.filling != nil && sc.filling.tensor == read.Tensor {
			continue
		}
		later, _ := m.FetchOf(schedule.FetchSteps, read.Tensor.Name)
		next, _ := m.FetchOf(schedule.FetchTile, read.Tensor.Name)
		row := int64(0)
		if st.ahead == 0 && (later.N > 0 || next.N > 0) {
			row = l.rowsApart(s, read, step, point{s, vector}, sc)
		}
		switch {
		case row > 0 && hasAtMost(outer.blocks[step], next.N) && l.hasTilesBeside(s, vector, sc):
			list = append(list, l.prefetchTile(s, read, point{s, vector}, sc)...)
		case st.ahead > 0 || row*later.N > 0:
			list = append(list, l.prefetchStep(s, read, point{s, vector}, lanes, row*later.N, sc)...)
		}
		list = append(list, l.prefetchStrip(s, read, step, point{s, vector}, sc)...)
		if _, asked := m.FetchOf(schedule.FetchRows, read.Tensor.Name); asked {
			list = append(list, l.prefetchNextRows(s, read, step, point{s, vector}, sc)...)
		}
	}
	return list
}

// partedAtSteps parts a band behind its last loop over a reduced index, where what a later step reads
// is asked for. A band is a nest of loops, so that it means nothing where one ends: parameters
// of MDH make longer ones than the default schedule has. Loops that are written out are part of
// a step: those over the columns of a filter stand below others that are, where each would
// ask again (3x3 layers took 1.28 of the time). Grids ask for nothing, and the axes of their items stay together.
func (l *lowerer) partedAtSteps(b *schedule.Band, sc *scope) *schedule.Band {
	if len(sc.statements) != 1 || l.grids {
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
		if len(schedule.MembersOver(s, i.Name, b.Child)) > 0 {
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
			m.Tile = max(int64(lanes), l.line()/int64(size))
		} else if n == 1 || !ein.DependsOn(read, i) {
			continue
		}
		lines *= (n + m.Tile - 1) / m.Tile
		members = append(members, m)
	}
	if lines > schedule.MostLinesOfStep {
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

// hasTilesBeside reports whether so many register tiles as wide as this one stand in a strip that most of them have a
// next one.
func (l *lowerer) hasTilesBeside(s int, vector string, sc *scope) bool {
	p := point{s, vector}
	width, known := sc.blocks[p].size.IsConst()
	return known && l.levels.HasTilesBeside(s, l.index(p), width)
}

// hasAtMost reports whether a block of the reduction has so many steps or fewer.
func hasAtMost(b block, n int64) bool {
	steps, known := b.size.IsConst()
	return known && steps <= n
}

// prefetchTile asks, in a step of the reduction, for what the next tile along the vectors
// reads of the same row: for the share of a tile, where several tiles read the row.
func (l *lowerer) prefetchTile(s int, read *ein.Access, vector point, sc *scope) []loop.Stmt {
	b := sc.blocks[vector]
	width, known := b.size.IsConst()
	line := l.line() / int64(read.Tensor.Type.Size())
	lines := (width + line - 1) / line
	turns := min(l.tilesSharing(s, read, sc), lines)
	turn, ok := affine.Expr{}, turns == 1
	if turns > 1 {
		turn, ok = l.turnOf(s, read, turns, sc)
	}
	if !known || !ok || b.partial || lines > turns*schedule.MostLinesOfStep {
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
	if !shared || !linear || lane != 1 || !l.context(s, sc).alwaysInBounds(read) {
		return 0
	}
	return row
}
