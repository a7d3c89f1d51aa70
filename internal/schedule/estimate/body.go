package estimate

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/schedule"
)

// Instructions per cycle of the ports.
const (
	loadsPerCycle = 2
	arithmeticPer = 2
	frontPerCycle = 4
	perAddress    = 3    // instructions for the address of a scalar
	tooLong       = 2000 // instructions of a body that leave the decoded cache
)

// body is the unrolled part of a nest around a leaf.
type body struct {
	statement int
	inner     []enclosing // unrolled members
	outer     []enclosing // loops around them up to the accumulators or the filter
	vector    int         // the index along which vectors are, or -1
	lanes     float64
	grouped   bool    // its points are dot products, an instruction each
	registers float64 // that one value of all lanes takes
	all       float64 // iterations of inner
}

// Compilers write out short loops by themselves.
const (
	shortLoop = 8  // iterations
	shortBody = 64 // leaves of the result
)

// unrolled reports whether a loop around so many leaves is written out.
func unrolled(e enclosing, leaves float64) bool {
	return e.member.Unroll || e.trips <= 1 || e.trips <= shortLoop && leaves*e.trips <= shortBody
}

// body finds the body around the current leaf.
func (w *walker) body(s int) *body {
	b := &body{statement: s, vector: -1, lanes: 1, registers: 1, all: 1}
	start := len(w.loops)
	for start > 0 && !w.loops[start-1].boundary {
		start--
	}
	nest := w.loops[start:]
	k := len(nest)
	for ; k > 0 && unrolled(nest[k-1], b.all); k-- {
		b.all *= nest[k-1].trips
	}
	b.inner, b.outer = nest[k:], nest[:k]
	for _, e := range w.loops {
		if e.member != nil && e.member.Group > 0 {
			_, b.grouped = w.indexIn(e.member, s)
		}
		if e.member == nil || e.member.Vector == 0 {
			continue
		}
		if i, ok := w.indexIn(e.member, s); ok {
			if b.lanes = min(float64(e.member.Vector), float64(w.statements[s].extents[i])); b.lanes == 1 {
				continue
			}
			b.vector = i
			b.registers = max(1, math.Ceil(b.lanes*w.statements[s].widest/float64(w.speeds.vector)))
		}
	}
	return b
}

// indexIn returns the index of a statement that a member enumerates.
func (w *walker) indexIn(m *schedule.Member, s int) (int, bool) {
	l, ok := m.IndexOf(s)
	if !ok {
		return 0, false
	}
	return w.indexOf(l)
}

// times multiplies the iterations of the unrolled members that an access, or with nil
// all of one kind of index, depends on.
func (w *walker) times(list []enclosing, s int, counts func(index int) bool) float64 {
	n := 1.0
	for _, e := range list {
		if i, ok := w.indexIn(e.member, s); ok && counts(i) {
			n *= e.trips
		}
	}
	return n
}

// leaf returns the usage of one execution of the innermost body, divided by its
// unrolled iterations, which the walk multiplies by.
func (w *walker) leaf() usage {
	u := w.nothing()
	if len(w.active) != 1 {
		return u
	}
	s := w.active[0]
	st := &w.statements[s]
	b := w.body(s)
	w.written[s] = false
	outside := w.outside(b)
	slots := max(1, st.ops.arithmetic-float64(len(outside))) * b.all * b.registers
	if b.grouped {
		slots = b.all * b.registers
	}
	if b.vector < 0 {
		slots += st.ops.scalar * b.all
	}
	loads, fused, stores := 0.0, 0.0, 0.0
	operands := math.Inf(1)
	for k := range st.reads {
		a := &st.reads[k]
		u.references = append(u.references, reference{s, a, 1, 1})
		if slices.Contains(outside, a) {
			continue
		}
		n := w.times(b.inner, s, a.depends) * a.count
		each, shuffles := w.cost(b, a, perGathered)
		live := n * b.registers
		if h := w.hoisted(b, a); live <= float64(w.speeds.registers)/4 {
			n /= h
		} else { // to memory
			each, shuffles = min(each, 1+each/h), shuffles/h
		}
		loads += n * each
		slots += n * shuffles
		if b.vector >= 0 && a.along(b.vector) == 0 {
			fused += n
		} else {
			operands = min(operands, live)
		}
	}
	reduces := false
	for _, r := range st.reduced {
		reduces = reduces || r
	}
	if !reduces {
		for k := range st.writes {
			a := &st.writes[k]
			each, shuffles := w.cost(b, a, perScattered)
			n := w.times(b.inner, s, a.depends)
			stores += n * each
			slots += n * shuffles
			u.references = append(u.references, reference{s, a, 2, 1})
		}
	}
	moved, spilled, chain := 0.0, 0.0, 0.0
	if reduces {
		moved, spilled, chain = w.accumulation(b, operands)
		loads, stores = loads+moved+spilled, stores+moved+spilled
	}
	one := work{
		arithmetic: slots / arithmeticPer, load: loads / loadsPerCycle, store: stores, chain: chain,
		front: (slots + loads - fused + stores + 2) / frontPerCycle, spills: perSpill * spilled, operations: slots, loads: loads,
	}
	if b.vector < 0 && !reduces { // reductions step from address to address
		one.front += perAddress * (loads + stores) / frontPerCycle
	}
	if slots+loads+stores > tooLong {
		one.front *= 2
	}
	one.bodies = max(one.arithmetic, one.load, one.store, one.front, one.chain)
	u.work.add(&one, 1/b.all)
	w.touch(&u, b)
	return u
}

// outside returns the factors of a sum that are taken out of it: they stay the same in
// all of its loops.
func (w *walker) outside(b *body) []*access {
	st := &w.statements[b.statement]
	var list []*access
	for _, a := range st.factors {
		changes := false
		for _, e := range slices.Concat(b.outer, b.inner) {
			if i, ok := w.indexIn(e.member, b.statement); ok {
				changes = changes || st.reduced[i] && a.depends(i)
			}
		}
		if !changes {
			list = append(list, a)
		}
	}
	return list[:min(len(list), max(0, len(st.factors)-1))]
}
