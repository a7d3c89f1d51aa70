package fetch

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How results are asked for
//
// A register tile touches its results only when its sums are complete, and waits for
// them then: they lie in rows far apart, which no hardware prefetcher follows. So their
// lines are asked for when the tile begins, and come while it computes. A short sum ends before:
// where the next tiles go on along the same rows, and these begin within lines, of which the hardware
// then fetches two for each vector, it asks for those of later tiles. 777 x 4095 x 10 doubles take 0.65 of
// the time, 2000 x 333 x 2 floats take 0.65; rows of whole lines would take up to 1.2.
//
// A core keeps track of a few lines that are on their way. Those of all results of a register
// tile, asked for at once where the tile begins, hold up its first steps, which counts where it
// has few of them. So where the results of a tile are one run of memory, whole rows one after the
// other, and about as many lines as the reduction has steps, each step asks for one. 500 products of
// 72 x 26 x 26 floats with a transposed operand take 0.85 of the time. Where the lines are not one run, their addresses
// would cost more than they gain: a step of 6 x 4 vectors took 1.1 of the time.

const leastAheads = 8 // distances that a part of a row has at least; other threads write the next part

// sums are the accumulators of a statement.
type sums struct {
	node      *schedule.Accumulate
	registers bool // they stay in registers, one vector or number for each result
}

// results marks an accumulate.
func (m *marker) results(n *schedule.Accumulate, st state) *sums {
	n.Fetch, n.Ahead, n.Spread = 0, 0, false
	a := &sums{node: n, registers: m.inRegisters(n, st)}
	s, c := n.Statement, m.f.Body[n.Statement]
	if !a.registers || !m.facts.paysRows || len(c.Writes) > 1 || streams(s, n.Child) {
		return a
	}
	w := c.Writes[0]
	row := m.rowOf(s, w, st)
	if row == nil || !isOutside(w.Tensor, st) || !isLarger(w.Tensor, m.facts.nearResults) {
		return a
	}
	most, least := m.stepsOf(s, st)
	few := m.linesOf(s, row, w, st) <= schedule.MostLinesOfTile
	n.Spread = most >= m.facts.fetchSteps && m.isSpread(n, row, st)
	if most >= m.facts.fetchSteps && (few || n.Spread) {
		n.Fetch = m.facts.fetchSteps
	}
	ahead := m.facts.resultsAhead / int64(w.Tensor.Type.Size())
	if few && least <= m.facts.lostSteps && (n.Fetch > 0 || most <= m.facts.lostSteps) &&
		m.levels.GoesOnAlong(s, row.Name, leastAheads*ahead) && !m.hasWholeLines(w, row.Name, st) {
		n.Ahead = m.facts.resultsAhead
	}
	return a
}

// inRegisters reports whether accumulators are registers, for each result one.
func (m *marker) inRegisters(n *schedule.Accumulate, st state) bool {
	s, c := n.Statement, m.f.Body[n.Statement]
	_, _, scan := ein.ScanOperator(c)
	op, free := ein.ReductionOperator(c)
	if index, _ := schedule.MatrixBelow(s, c, n.Child); n.Region != schedule.Register || scan || !free || op == nil || index != nil {
		return false
	}
	vector, lanes := m.vector(s, n.Child, st)
	for _, i := range ein.Reduced(c) {
		if i.Name == vector || schedule.ApartBelow(s, i.Name, n) > 0 {
			return false
		}
	}
	return vector == "" || !schedule.IsUneven(s, vector, lanes, n.Child)
}

// streams reports whether the vectors of a statement are written past the caches.
func streams(s int, n schedule.Node) bool {
	if b, ok := n.(*schedule.Band); ok {
		for _, m := range b.Members {
			if _, ok := m.IndexOf(s); ok && m.Vector > 0 {
				return m.Stream
			}
		}
	}
	return slices.ContainsFunc(schedule.Children(n), func(child schedule.Node) bool { return streams(s, child) })
}

// rowOf returns the index of results along which these are neighbours, or nil.
func (m *marker) rowOf(s int, w *ein.Write, st state) *ein.Index {
	for _, i := range m.f.Body[s].ByKind(ein.Concat) {
		if step, known := m.stepOf(w.Tensor, w.Subscripts, i.Name, st); known && step == 1 {
			return i
		}
	}
	return nil
}

// stepsOf returns how many steps the sums of a block have, and those of the last one.
func (m *marker) stepsOf(s int, st state) (most, least int64) {
	most, least = 1, 1
	for _, i := range ein.Reduced(m.f.Body[s]) {
		b := st.of(s, i)
		most *= max(b.size, 1)
		least *= max(b.least(), 1)
	}
	return most, least
}

// linesOf returns how many lines the results of the smallest block have: one at an edge may have few where others have too
// many.
func (m *marker) linesOf(s int, row *ein.Index, w *ein.Write, st state) int64 {
	lines, perLine := int64(1), m.facts.line/int64(w.Tensor.Type.Size())
	for _, i := range m.f.Body[s].ByKind(ein.Concat) {
		switch b := st.of(s, i); {
		case b.isPoint() && b.lanes == 0:
		case b.lanes > 0 || b.size == 0:
			return schedule.MostLinesOfTile + 1
		case i == row:
			lines *= (b.least() + perLine - 1) / perLine
		default:
			lines = schedule.MultiplySizes(lines, b.least())
		}
	}
	return lines
}

// hasWholeLines reports whether the rows along an index begin at lines of the cache when the tensor does.
func (m *marker) hasWholeLines(w *ein.Write, along string, st state) bool {
	strides := m.stridesOf(w.Tensor, st)
	for d, sub := range w.Subscripts {
		if e, isAffine := ein.AffineOf(sub); isAffine {
			if coefficient, _, linear := e.Linear(along); linear && coefficient != 0 {
				continue
			}
		}
		if strides == nil || strides[d] == 0 || strides[d]*int64(w.Tensor.Type.Size())%m.facts.line != 0 {
			return false
		}
	}
	return true
}

// isSpread reports whether results are one run of about as many lines as there are steps.
func (m *marker) isSpread(n *schedule.Accumulate, row *ein.Index, st state) bool {
	w := m.f.Body[n.Statement].Writes[0]
	_, count, ok := m.onlySteps(n.Statement, n.Child, st)
	line := m.facts.line / int64(w.Tensor.Type.Size())
	elements := m.runOf(n.Statement, w.Tensor, w.Subscripts, point{n.Statement, row.Name}, st)
	if !ok || elements == 0 {
		return false
	}
	share := (elements + count - 1) / count
	return share <= line && 2*share >= line
}

// onlySteps returns the one reduced index of a block that has more than one value, if one loop below visits these.
func (m *marker) onlySteps(s int, below schedule.Node, st state) (step point, count int64, ok bool) {
	for _, i := range ein.Reduced(m.f.Body[s]) {
		n := st.of(s, i).size
		switch {
		case n == 0 || count > 1 && n > 1:
			return point{}, 0, false
		case n > 1 || count == 0:
			step, count = point{s, i.Name}, n
		}
	}
	members := schedule.MembersOver(step.statement, step.index, below)
	return step, count, len(members) == 1 && members[0].Tile == 1 && members[0].Vector == 0 && members[0].Group == 0
}

// runOf returns how many elements a register tile has of a tensor, if they are whole rows, along an index, that lie end to
// end; else 0.
func (m *marker) runOf(s int, t *ein.Tensor, subscripts []ein.Expr, along point, st state) int64 {
	length, known := m.index(along).Extent.IsConst()
	if step, linear := m.stepOf(t, subscripts, along.index, st); !known || !linear || step != 1 || st.blocks[along].size != length {
		return 0
	}
	rows := int64(0)
	for _, i := range m.f.Body[s].ByKind(ein.Concat) {
		b := st.of(s, i)
		if (point{s, i.Name}) == along || b.isPoint() && b.lanes == 0 || !ein.AnyDependsOn(subscripts, i) {
			continue
		}
		if step, linear := m.stepOf(t, subscripts, i.Name, st); !linear || step != length || rows > 0 || b.size == 0 || b.lanes > 0 {
			return 0
		}
		rows = b.size
	}
	return rows * length
}
