package estimate

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// perSpill is what an accumulator costs, in cycles, for which there is no register: each
// term waits for the store of the one before, and compilers move others around for it.
const perSpill = 1.3

// perVisit is what an accumulator costs, in cycles, that is found by a number which data determine:
// the processor guesses that the store before was to another one.
const perVisit = 1.3

// isScattered reports whether the accumulators of a body are found by data.
func (w *walker) isScattered(b *body) bool {
	for _, e := range slices.Concat(b.outer, b.inner) {
		if i, ok := w.indexIn(e.member, b.statement); ok && e.member.Determined && !w.statements[b.statement].reduced[i] {
			return true
		}
	}
	return false
}

// accumulation returns how many accumulators a body loads and stores because they are an
// array, and because there are more of them than registers, and the cycles of the chain of
// dependent accumulations.
func (w *walker) accumulation(b *body, operands float64) (moved, spilled, chain float64) {
	st := &w.statements[b.statement]
	own := func(m *schedule.Member, i int) bool { return !st.reduced[i] || m.Partial != 0 } // accumulators for each iteration
	shared := func(m *schedule.Member, i int) bool { return !own(m, i) }
	kept := w.timesOf(b.inner, b.statement, own)
	units := 1.0
	if w.isScattered(b) {
		return kept * b.registers, 0, perVisit
	}
	if b.vector >= 0 && st.reduced[b.vector] {
		units = w.times(b.inner, b.statement, func(i int) bool { return i == b.vector })
	}
	chain = st.ops.latency * w.timesOf(b.inner, b.statement, shared) / units
	if k := len(b.outer) - 1; k >= 0 && b.outer[k].member.Partial != 0 { // the next term is of another accumulator
		if _, ok := w.indexIn(b.outer[k].member, b.statement); ok {
			chain /= b.outer[k].trips
		}
	}
	accumulators := kept * units * b.registers
	if w.timesOf(b.outer, b.statement, own) > 1 { // an array with variable subscripts
		moved = accumulators
		for k := len(b.outer) - 1; k >= 0; k-- { // unless the loop around keeps them
			i, ok := w.indexIn(b.outer[k].member, b.statement)
			if !ok || own(b.outer[k].member, i) {
				break
			}
			moved /= b.outer[k].trips
		}
		return moved, 0, chain
	}
	if math.IsInf(operands, 1) {
		operands = 0
	}
	if excess := accumulators + min(operands, 8) + 1 - float64(w.speeds.registers); excess > 0 { // with every term
		spilled = min(excess, accumulators) * w.timesOf(b.inner, b.statement, shared) / units
	}
	return 0, spilled, chain
}

// The costs of accumulators, in cycles.
const (
	perFold = 6.0 // of the lanes of one accumulator
)

// accumulate adds the life of the accumulators to its subtree.
func (w *walker) accumulate(n *schedule.Accumulate) usage {
	s := n.Statement
	w.loops = append(w.loops, enclosing{boundary: true, gathers: n})
	u, inParts := w.parts(n)
	kept := 1.0
	if !inParts {
		u, kept = w.keeping(n)
	}
	w.loops = w.loops[:len(w.loops)-1]
	if s < 0 || s >= len(w.statements) || w.written[s] {
		return u
	}
	w.written[s] = true
	st := &w.statements[s]
	points, lanes, folds, vector := 1.0, 1.0, 0.0, -1
	for i, index := range st.c.Indices {
		if v := schedule.VectorBelow(s, index.Name, n); v > 0 {
			if lanes, vector = float64(v), i; st.reduced[i] {
				folds, lanes, vector = perFold, 1, -1
			}
		}
		if !st.reduced[i] {
			points *= w.blocks[s][i]
		}
	}
	vectors := points / lanes
	if lanes > 1 {
		vectors = math.Ceil(vectors)
	}
	moves := 1.5 // setting to the neutral element, and storing
	updates := w.updates(n, st.c)
	if updates {
		moves += 1
	}
	for k := range st.writes {
		if a := &st.writes[k]; vector >= 0 && w.step(a, vector) != 1 {
			moves += lanes * (1 + w.speeds.Value(machine.LaneOut)/w.speeds.Value(machine.Units))
			if updates {
				moves += lanes * (1 + w.speeds.Value(machine.LaneIn)) / w.speeds.Value(machine.Units)
			}
		}
	}
	u.work.accumulators += vectors*(moves+folds+(kept-1)*w.perKept(n)) + w.speeds.Value(machine.Drain)
	for k := range st.writes {
		a := &st.writes[k]
		u.references = append(u.references[:len(u.references):len(u.references)], reference{s, a, 2, 1})
		for l := range w.speeds.layers {
			u.misses[l*len(w.tensors)+a.tensor] += 2 * a.lines(w.blocks[s], w.speeds.line, w.placed[a.tensor] > 0)
		}
		r := &u.references[len(u.references)-1]
		if r.slow = w.slowness(r, w.blocks[s], 0); vector >= 0 && !updates && schedule.StreamsBelow(s, st.c.Indices[vector].Name, n) {
			r.slow, w.streamed[a.tensor] = 1, true
		}
	}
	if _, _, scan := ein.ScanOperator(st.c); scan && n.Region == schedule.Register { // each step writes
		w.crowd(&u, w.blocks[s], s)
	}
	if n.Region == schedule.Private || points/lanes > 64 {
		u.buffers += points * 4 * kept
	}
	w.found.accumulators = max(w.found.accumulators, vectors*kept)
	return u
}

// keeping walks what is below accumulators, and returns how many copies of them its loops keep.
func (w *walker) keeping(n *schedule.Accumulate) (u usage, kept float64) {
	before := w.kept
	w.kept = 1
	u = w.node(n.Child)
	kept, w.kept = w.kept, before
	return u, kept
}

// perKept is what one accumulator more for a result costs, in cycles: it begins as the neutral element, and
// is combined with the first one in the end.
func (w *walker) perKept(n *schedule.Accumulate) float64 {
	if n.Region == schedule.Register {
		return 2 / w.speeds.Value(machine.Units)
	}
	return 2/w.speeds.Value(machine.Stores) + 2/w.speeds.Value(machine.Loads) + 1/w.speeds.Value(machine.Units)
}

// updates reports whether accumulators are added to what stands in the output.
func (w *walker) updates(n *schedule.Accumulate, c *ein.Comprehension) bool {
	if c.Accumulate != nil {
		return true
	}
	for _, e := range w.loops {
		if e.gathers != nil && e.gathers.Statement == n.Statement {
			return true
		}
	}
	return false
}
