package fetch

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How operands are asked for that are read as they lie
//
// The rows of an operand that is not packed lie in different pages: every step of the
// reduction begins a new one. A tile whose rows share them asks for those of a few steps
// later, once in a step; 16 products of 10 x 500 x 64 take 0.95 of the time in floats and
// 0.9 in doubles. With few rows it would lose (10 to 30 % of 32 x 20000 x 32): the
// hardware follows each of them, and what is asked for behind the last one is in vain.
// In a short block of the reduction most of them would be the first rows of another one.
// So what the next tile along the vectors reads of the same rows is asked for there, and
// the tiles that share an operand divide its lines among them: 16 x 1000 x 2048 doubles
// take 0.57 of the time, 24 x 6000 x 1000 floats take 0.75. In strips of two tiles 20 x 200 x 2000 doubles would
// take 1.24 of it.
//
// Columns that are not packed may also stream from the second cache, for one row of tiles after
// the other. That happens to be as fast as the sums where the pages of the operand share its sets
// evenly, and they never do: 512³ floats reach 140 to 168 GFLOP/s without prefetching, 165 to 169 with six rows
// ahead.
//
// Where a block of the columns stays in the second cache, the rows of a matrix pass by as they lie. The first tile of
// new rows would wait for the memory, since every block of the reduction begins a short run in each row. So the tiles
// before it ask for the rows that come next: of 2048³ doubles one thread takes 0.97 of the time. What the third
// cache holds comes in time: 1600³ would take 1.03 on two.
//
// What the next tile reads, if that is one run of memory as its results are, is asked for by the steps of this one: behind
// the end of a run the hardware prefetchers of the nearest cache are late.

const (
	leastStreamed = 96 // steps of a block of the reduction that streams
	fewestStreams = 8  // register tiles that share it
	shortBlock    = 32 // steps of a block of the reduction that is done before rows ahead would come
)

// steps are the iterations of a reduction: the loops of a band, with what is known outside and inside of them.
type steps struct {
	band         *schedule.Band
	outer, inner state
}

// operands marks the last loop of a band over steps, and the places of the blocks that these read.
func (m *marker) operands(at *steps) {
	s := at.inner.statements[0]
	a := at.inner.sums[s]
	if a == nil || !a.registers {
		return
	}
	loop := at.band.Members[len(at.band.Members)-1]
	m.nextPanels(at, loop)
	step, ok := m.reducedBy(at, s)
	if !ok {
		return
	}
	index, _ := m.vector(s, at.band.Child, at.inner)
	vector := point{s, index}
	asked := map[string]bool{}
	for _, read := range m.f.Body[s].Accesses() {
		if asked[read.Tensor.Name] {
			continue
		}
		asked[read.Tensor.Name] = true
		if a.node.Spread && m.readsRun(read, step, at) {
			loop.Fetches = append(loop.Fetches, schedule.Fetch{Kind: schedule.FetchRun, Tensor: read.Tensor.Name})
		}
		if index == "" {
			continue
		}
		loop.Fetches = append(loop.Fetches, m.rows(read, step, vector, at)...)
		if p := at.inner.places[read.Tensor.Name]; p != nil {
			p.node.NextStrip = p.node.NextStrip || m.isStrip(p, read, step, vector, at)
		}
		if m.readsNextRows(read, step, vector, at) {
			loop.Fetches = append(loop.Fetches, schedule.Fetch{Kind: schedule.FetchRows, Tensor: read.Tensor.Name})
		}
	}
}

// reducedBy returns the reduced index of a statement whose values are the steps: below them no reduced index has a loop,
// and inside of it those of a filter of one point have one of a single iteration.
func (m *marker) reducedBy(at *steps, s int) (point, bool) {
	for _, i := range ein.Reduced(m.f.Body[s]) {
		if len(schedule.MembersOver(s, i.Name, at.band.Child)) > 0 {
			return point{}, false
		}
	}
	last := point{}
	for _, member := range slices.Backward(at.band.Members) {
		lp, ok := member.IndexOf(s)
		if !ok || !m.isReduced(lp) {
			break
		}
		p := point{s, lp.Index}
		if last.index == "" {
			last = p
		}
		if n := at.outer.blocks[p].size; n != 1 {
			return p, true
		}
	}
	return last, last.index != ""
}

// rows returns what steps ask for of rows of an operand that vectors run along.
func (m *marker) rows(read *ein.Access, step, vector point, at *steps) (list []schedule.Fetch) {
	row, size := m.rowsApart(read, step, vector, at.inner), int64(read.Tensor.Type.Size())
	if p := at.inner.places[read.Tensor.Name]; row == 0 || !m.facts.paysRows || p != nil && p.node.Fetch > 0 {
		return nil
	}
	ahead := m.facts.streamAhead
	if !m.streams(read, step, vector, at) {
		if ahead = m.facts.rowsAhead; !isLarger(read.Tensor, max(m.facts.nearOperand, m.facts.followedRows*row*size)) {
			return nil
		}
	}
	block := at.outer.blocks[step]
	const setsOfWay = 4 // places of the second cache, for which rows as far apart as this part of a way compete
	short := block.size > 0 && block.least() <= shortBlock && row*size%(m.facts.way/setsOfWay) != 0 && m.levels.HasTilesBeside(vector.statement, m.index(vector), at.inner.blocks[vector].size)
	if ahead > 0 {
		list = append(list, schedule.Fetch{Kind: schedule.FetchSteps, Tensor: read.Tensor.Name, N: ahead})
	}
	if short && ahead > 0 {
		list = append(list, schedule.Fetch{Kind: schedule.FetchTile, Tensor: read.Tensor.Name, N: shortBlock})
	}
	return list
}

// streams reports whether many register tiles stream the rows of an operand from the second cache.
func (m *marker) streams(read *ein.Access, step, vector point, at *steps) bool {
	count, width := at.outer.blocks[step].size, at.inner.blocks[vector].size
	panel := count * width * int64(read.Tensor.Type.Size())
	return count >= leastStreamed && width > 0 && panel > m.nearBlock() && isLarger(read.Tensor, m.facts.nearRows) && m.tilesSharing(read, vector.statement, at.inner) >= fewestStreams
}

// nearBlock is how many bytes of a block stay in the nearest cache.
func (m *marker) nearBlock() int64 { return m.nearest * 2 / 3 }

// tilesSharing returns how many register tiles read what this one reads of an operand.
func (m *marker) tilesSharing(read *ein.Access, s int, st state) int64 {
	for _, i := range m.f.Body[s].ByKind(ein.Concat) {
		b := st.of(s, i)
		all, constant := i.Extent.IsConst()
		if ein.DependsOn(read, i) || b.size == 0 || !constant {
			continue
		}
		if b.moves {
			return max(1, all/b.size)
		} else if b.size < all {
			return 0
		}
	}
	return 1
}

// rowsApart returns how many elements the rows of an operand lie apart that several points of a register
// tile read where they are, in vectors, if that is too far for hardware prefetchers; 0 elsewhere.
func (m *marker) rowsApart(read *ein.Access, step, vector point, st state) int64 {
	c := m.f.Body[vector.statement]
	shared := slices.ContainsFunc(c.ByKind(ein.Concat), func(i *ein.Index) bool {
		return st.of(vector.statement, i).size > 1 && !ein.DependsOn(read, i)
	})
	row, known := m.stepOf(read.Tensor, read.Subscripts, step.index, st)
	lane, alsoKnown := m.stepOf(read.Tensor, read.Subscripts, vector.index, st)
	if !shared || !isOutside(read.Tensor, st) || !known || !alsoKnown || lane != 1 || row*int64(read.Tensor.Type.Size()) <= m.facts.followed || !alwaysInBounds(c, read) {
		return 0
	}
	return row
}

// alwaysInBounds reports whether a read never leaves its tensor.
func alwaysInBounds(c *ein.Comprehension, a *ein.Access) bool {
	for d := range a.Subscripts {
		if !ein.InBounds(c, a, d) {
			return false
		}
	}
	return true
}

// readsRun reports whether register tiles read one run of memory after the other, each of which is short, along the steps.
func (m *marker) readsRun(read *ein.Access, step point, at *steps) bool {
	only, _, ok := m.onlySteps(step.statement, at.band, at.outer)
	if !ok || !isOutside(read.Tensor, at.inner) || !isLarger(read.Tensor, m.facts.nearOperand) || !alwaysInBounds(m.f.Body[step.statement], read) {
		return false
	}
	pays := m.facts.paysNearRuns
	if isLarger(read.Tensor, m.facts.farOperand) {
		pays = m.facts.paysFarRuns
	}
	run := m.runOf(step.statement, read.Tensor, read.Subscripts, only, at.outer)
	return pays && run > 0 && run*int64(read.Tensor.Type.Size()) <= m.facts.page
}

// readsNextRows reports whether tiles of rows of an operand from memory pass by a block that stays near, which has a tile
// for each row.
func (m *marker) readsNextRows(read *ein.Access, step, vector point, at *steps) bool {
	c, size := m.f.Body[step.statement], int64(read.Tensor.Type.Size())
	if at.inner.places[read.Tensor.Name] != nil || !m.facts.paysRows || !isLarger(read.Tensor, m.facts.farOperand) || ein.DependsOn(read, m.index(vector)) {
		return false
	}
	count := at.outer.blocks[step].size
	if along, known := m.stepOf(read.Tensor, read.Subscripts, step.index, at.inner); !known || along != 1 || count*size < m.facts.run/2 {
		return false
	}
	rows := int64(0)
	for _, i := range c.ByKind(ein.Concat) {
		b := at.inner.of(step.statement, i)
		switch {
		case !ein.DependsOn(read, i) || b.size == 1:
		case b.size == 0 || b.lanes > 0 || rows > 0:
			return false
		default:
			rows = b.size
		}
	}
	width := at.inner.blocks[vector].size
	for _, other := range c.Accesses() {
		if p := at.inner.places[other.Tensor.Name]; p != nil && p.node.Fetch > 0 && ein.DependsOn(other, m.index(vector)) {
			return rows > 1 && width > 0 && p.room() >= rows*width*count && alwaysInBounds(c, read)
		}
	}
	return false
}
