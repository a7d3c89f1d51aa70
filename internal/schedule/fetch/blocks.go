package fetch

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How blocks that are copied are asked for
//
// A panel of an operand that is too large for the nearest cache streams through it for
// every register tile. Its lines are asked for some steps of the reduction ahead, so
// that the sums never wait for the next cache; the product of matrices of 2048² floats
// takes 0.94 of the time. A block that is one panel and stays in the nearest cache is not asked for: 16 products of
// 64 x 64 x 128 with a transposed operand take 0.94 of the time, 1000 x 64 x 128 0.96, three small layers 0.99.
//
// The copy of a block waits for what it reads: the processor has nothing else to do. Where few register tiles share the
// block, that counts. So the first of them copies it, and the next strip is asked for beside arithmetic: 64 x 256 x 3136
// floats take 0.84 of the time, 128 x 512 x 784 0.95, 96 x 512 x 4096 0.94 on one thread and 0.92 on two. For fewer tiles
// operands are seldom copied. Rows that would push each other out of the second cache, as those a power of two apart do,
// are left alone: 512 x 512 x 512 would take 1.2 of the time. 256³ floats, whose blocks are near, took 1.08.
//
// The filter of a layer of many channels is copied panel by panel, transposed: the copy waits for every line, since squares
// of a transposition take a line of each row in turn, and comes so far behind the last panel that no prefetcher knows of
// it. So the register tiles ask for the rows of the next panel while they compute with this one. 3 x 3 layers of 512
// channels at 7 x 7 take 0.93 of the time on one thread and 0.9 on two, with steps of 2 and 256 channels 0.91, larger
// ones 0.95 to 1.

const (
	mostSharing  = 64 // register tiles beside which a copy counts
	leastFilling = 8
)

// A placed is a tensor with a block of its own.
type placed struct {
	node    *schedule.Place
	outer   state   // at the place
	order   []int   // of the dimensions, the fastest first
	sizes   []int64 // of the block; nil if they are not known
	strides []int64 // nil if they are of no interest
}

// room is how many elements a block has.
func (p *placed) room() int64 {
	n := int64(1)
	for _, size := range p.sizes {
		n = schedule.MultiplySizes(n, size)
	}
	return n
}

// place marks a place.
func (m *marker) place(n *schedule.Place, st state) *placed {
	n.Fetch, n.FetchFrom, n.Fill, n.NextStrip, n.NextPanel = 0, 0, 0, false, false
	p, t := &placed{node: n, outer: st}, m.f.Tensor(n.Tensor)
	if n.Region != schedule.Private || !schedule.OnlyRead(m.f, t, st.statements) || len(t.Dims) == 0 {
		return p
	}
	if p.sizes = m.sizesOf(t, st); p.sizes == nil {
		return p
	}
	p.order = m.layout(n, t, st)
	m.asksAhead(p, t, st)
	if isLarger(t, m.facts.farBlocks) && m.fills(p, t, st) {
		n.Fill = m.facts.fillAhead
	}
	return p
}

// reads calls visit with the subscripts by which statements read a tensor.
func (m *marker) reads(t *ein.Tensor, st state, visit func(s int, c *ein.Comprehension, subscripts []ein.Expr)) {
	for _, s := range st.statements {
		for _, a := range m.f.Body[s].Accesses() {
			if a.Tensor == t {
				visit(s, m.f.Body[s], a.Subscripts)
			}
		}
	}
}

// sizesOf returns the sizes of the block that statements read of a tensor; nil if they are not known.
func (m *marker) sizesOf(t *ein.Tensor, st state) []int64 {
	sizes, known := make([]int64, len(t.Dims)), true
	m.reads(t, st, func(s int, c *ein.Comprehension, subscripts []ein.Expr) {
		for d, sub := range subscripts {
			terms, _, linear := schedule.Window(c, sub)
			if i, _, plain := schedule.IndexPlusConstant(c, sub); plain {
				terms, linear = []schedule.Stride{{Index: i, Step: 1}}, true
			}
			if e, isAffine := ein.AffineOf(sub); isAffine && !linear {
				_, linear = e.IsConst()
			}
			size := int64(1)
			for _, term := range terms {
				n := st.of(s, term.Index).size
				known = known && n > 0
				size += max(term.Step, -term.Step) * (n - 1)
			}
			known, sizes[d] = known && linear, max(sizes[d], size)
		}
	})
	if !known || slices.Contains(sizes, 0) {
		return nil
	}
	return sizes
}

// lanesAlong returns the lanes of the vectors that run along a dimension of a tensor.
func (m *marker) lanesAlong(t *ein.Tensor, d int, below schedule.Node, st state) (lanes int, plain bool) {
	m.reads(t, st, func(s int, c *ein.Comprehension, subscripts []ein.Expr) {
		if i, _, ok := schedule.IndexPlusConstant(c, subscripts[d]); ok {
			if n := max(st.of(s, i).lanes, schedule.VectorBelow(s, i.Name, below)); n > lanes {
				lanes, plain = n, true
			}
		} else if terms, _, ok := schedule.Window(c, subscripts[d]); ok {
			for _, term := range terms {
				lanes = max(lanes, schedule.VectorBelow(s, term.Index.Name, below))
			}
		}
	})
	return lanes, plain
}

// isReducedAlong reports whether all reads subscript a dimension with a reduced index.
func (m *marker) isReducedAlong(t *ein.Tensor, d int, st state) bool {
	all := true
	m.reads(t, st, func(_ int, c *ein.Comprehension, subscripts []ein.Expr) {
		i, _, ok := schedule.IndexPlusConstant(c, subscripts[d])
		all = all && ok && i.Combine.Kind != ein.Concat
	})
	return all
}

// layout orders the dimensions of a block, the fastest first, as the lowering does: where no vectors run along one of them,
// none is of interest.
func (m *marker) layout(n *schedule.Place, t *ein.Tensor, st state) (order []int) {
	if n.Layout != nil {
		for _, d := range slices.Backward(n.Layout) {
			order = append(order, d-1)
		}
		return order
	}
	fast := -1
	for d := range t.Dims {
		if lanes, _ := m.lanesAlong(t, d, n.Child, st); lanes > 1 {
			fast = d
		}
	}
	if fast < 0 {
		return nil
	}
	order = []int{fast}
	for _, reduced := range []bool{true, false} {
		for d := len(t.Dims) - 1; d >= 0; d-- {
			if d != fast && m.isReducedAlong(t, d, st) == reduced {
				order = append(order, d)
			}
		}
	}
	return order
}

// asksAhead lets steps ask for what they read of a block of panels, in which vectors run, if it is larger than what stays
// in the nearest cache.
func (m *marker) asksAhead(p *placed, t *ein.Tensor, st state) {
	if len(p.order) < 2 || !m.isReducedAlong(t, p.order[1], st) {
		return
	}
	lanes, plain := m.lanesAlong(t, p.order[0], p.node.Child, st)
	if lanes < 2 || !plain {
		return
	}
	row, elem := m.rowOfPanel(p, t, lanes, st), int64(schedule.PlacedType(m.tree.Root, m.f, t, st.statements).Size())
	panel := row * elem
	for _, d := range p.order[1:] {
		if m.isReducedAlong(t, d, st) {
			panel = schedule.MultiplySizes(panel, p.sizes[d])
		}
	}
	sizes := slices.Clone(p.sizes)
	sizes[p.order[0]] = roundUp(sizes[p.order[0]], int64(lanes))
	block := (&placed{sizes: sizes}).room() * elem
	from := m.facts.nearPanel
	if panel == block { // it is one panel, which stays until the next tile reads it
		from = max(from, m.nearBlock())
	}
	if panel > from && block > m.nearBlock() {
		p.node.Fetch, p.node.FetchFrom = m.facts.panelAhead, from
	}
}

// rowOfPanel is how many elements of the fast dimension lie side by side in a block: those of a register tile, or all.
func (m *marker) rowOfPanel(p *placed, t *ein.Tensor, lanes int, st state) int64 {
	row := roundUp(p.sizes[p.order[0]], int64(lanes))
	users, tile := 0, int64(0)
	m.reads(t, st, func(s int, c *ein.Comprehension, subscripts []ein.Expr) {
		users++
		if i, _, plain := schedule.IndexPlusConstant(c, subscripts[p.order[0]]); plain {
			if member := schedule.TileOfPanels(s, i.Name, p.node.Child); member != nil && (member.Tile < p.sizes[p.order[0]] || member.Pad) {
				tile = member.Tile
			}
		}
	})
	if users == 1 && tile > 0 && p.node.Layout == nil {
		row = tile
	}
	return row
}

// fills reports whether some register tiles share a block, so that the first may copy it: it is read once, a row in each
// step.
func (m *marker) fills(p *placed, t *ein.Tensor, st state) bool {
	if len(st.statements) != 1 || len(p.order) == 0 {
		return false
	}
	s := st.statements[0]
	c := m.f.Body[s]
	var read *ein.Access
	for _, a := range c.Accesses() {
		if a.Tensor != t {
			continue
		}
		if read != nil {
			return false
		}
		read = a
	}
	if read == nil || st.places[t.Name] != nil || m.stridesOf(t, st)[p.order[0]] != 1 {
		return false
	}
	vector, _ := m.vector(s, p.node.Child, st)
	for d, sub := range read.Subscripts {
		if i, _, plain := schedule.IndexPlusConstant(c, sub); !plain || (i.Name == vector) != (d == p.order[0]) {
			return false
		}
	}
	uses := int64(1)
	for _, i := range c.Indices {
		n, reads := st.of(s, i).size, ein.DependsOn(read, i)
		if isResult := i.Combine.Kind == ein.Concat; n != 1 && (isResult && reads && i.Name != vector || !isResult && !reads) {
			return false // a step reads one row, and each another one
		} else if !isResult || reads {
			continue
		}
		for _, member := range schedule.MembersOver(s, i.Name, p.node.Child) {
			if member.Unroll || member.Vector > 0 || n == 0 {
				continue
			}
			uses, n = schedule.MultiplySizes(uses, (n+member.Tile-1)/member.Tile), min(n, member.Tile)
		}
	}
	return uses >= leastFilling && uses <= mostSharing
}

// isStrip reports whether the block of a place is as wide as a register tile, and what lies beside it far away, in rows for
// which the second cache has room.
func (m *marker) isStrip(p *placed, read *ein.Access, step, vector point, at *steps) bool {
	t, width, size := read.Tensor, at.inner.blocks[vector].size, int64(read.Tensor.Type.Size())
	if p.order == nil || !m.facts.paysRows || t.Role != ein.Input || p.outer.places[t.Name] != nil || !isLarger(t, m.facts.farBlocks) || width == 0 || p.sizes[p.order[0]] != width {
		return false
	}
	lane, known := m.stepOf(t, read.Subscripts, vector.index, p.outer)
	row, alsoKnown := m.stepOf(t, read.Subscripts, step.index, p.outer)
	if !known || !alsoKnown || lane != 1 || p.room()*size > m.facts.nearStrip || m.sharesSets(p.room()/width, row*size) {
		return false
	}
	return m.takesTurns(read, (width*size+m.facts.line-1)/m.facts.line, vector.statement, at.inner) && alwaysInBounds(m.f.Body[vector.statement], read)
}

// takesTurns reports whether there are as many register tiles that share an operand.
func (m *marker) takesTurns(read *ein.Access, turns int64, s int, st state) bool {
	return slices.ContainsFunc(m.f.Body[s].ByKind(ein.Concat), func(i *ein.Index) bool {
		b := st.of(s, i)
		all, constant := i.Extent.IsConst()
		return b.moves && b.size > 0 && constant && !ein.DependsOn(read, i) && all >= turns*b.size
	})
}

// sharesSets reports whether so many rows, which are so many bytes apart, have too few sets of the second cache.
func (m *marker) sharesSets(rows, bytes int64) bool {
	apart, period := bytes, m.facts.way
	for period != 0 {
		apart, period = period, apart%period
	}
	return rows > m.facts.nextWays/2*(m.facts.way/max(1, apart)) // half of a set is for the rest
}

// nextPanels marks the places of blocks that are copied across rows from far away, in a band whose last loop is over steps.
func (m *marker) nextPanels(at *steps, loop *schedule.Member) {
	s := at.inner.statements[0]
	if loop.Unroll {
		return
	}
	for _, read := range m.f.Body[s].Accesses() {
		if p := at.inner.places[read.Tensor.Name]; p != nil && p.order != nil && m.isNextPanel(p, read, s, loop.Loops[0].Index, at) {
			p.node.NextPanel = true
		}
	}
}

// isNextPanel reports whether the next block of a place is copied across far rows, of which each step passes by a part, in
// the same thread.
func (m *marker) isNextPanel(p *placed, read *ein.Access, s int, step string, at *steps) bool {
	t := read.Tensor
	if t.Role != ein.Input || !m.facts.paysRows || p.outer.places[t.Name] != nil || !isLarger(t, m.facts.nearOperand) {
		return false
	}
	fast := p.order[0]
	row, _, plain := schedule.IndexPlusConstant(m.f.Body[s], read.Subscripts[fast])
	if stride := m.stridesOf(t, p.outer)[fast]; !plain || stride < 2 {
		return false
	}
	around := m.levels.Of(s, row.Name, p.sizes[fast])
	along, known := m.stepOf(t, read.Subscripts, step, p.outer)
	if around == nil || around.Parallel || !known || along*int64(t.Type.Size()) < schedule.LeastOfRow {
		return false
	}
	all := int64(1)
	for _, i := range m.f.Body[s].Indices {
		if ein.DependsOn(read, i) && i != row {
			all = schedule.MultiplySizes(all, p.outer.of(s, i).size)
		}
	}
	return all == along*p.outer.blocks[point{s, step}].size && alwaysInBounds(m.f.Body[s], read)
}
