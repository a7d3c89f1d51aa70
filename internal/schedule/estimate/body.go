package estimate

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// Instructions per cycle of the ports.
const (
	perAddress = 3 // instructions for the address of a scalar
)

// body is the unrolled part of a nest around a leaf.
type body struct {
	statement int
	inner     []enclosing // unrolled members
	outer     []enclosing // loops around them up to the accumulators or the filter
	vector    int         // the index along which vectors are, or -1
	lanes     float64
	group     int     // of how many products its points are dot products; 0: they are none
	matrix    bool    // they are computed by a matrix unit
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
			if _, grouped := w.indexIn(e.member, s); grouped {
				b.group, b.matrix = e.member.Group, e.member.Matrix
			} else {
				b.group, b.matrix = 0, false
			}
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

// times multiplies the iterations of the loops of a list that are over some indices of a
// statement.
func (w *walker) times(list []enclosing, s int, counts func(index int) bool) float64 {
	return w.timesOf(list, s, func(_ *schedule.Member, i int) bool { return counts(i) })
}

// timesOf multiplies the iterations of some loops of a list.
func (w *walker) timesOf(list []enclosing, s int, counts func(m *schedule.Member, index int) bool) float64 {
	n := 1.0
	for _, e := range list {
		if i, ok := w.indexIn(e.member, s); ok && counts(e.member, i) {
			n *= e.trips
		}
	}
	return n
}

// A tally counts the instructions of a body.
type tally struct {
	slots, loads, stores float64 // of arithmetic, and with what moves lanes; and of memory
	fused                float64 // of the loads, those that are operands of arithmetic
	operands             float64 // registers of the operand that takes the fewest; +Inf without one
}

// leaf returns the usage of one execution of the innermost body, divided by its
// unrolled iterations, which the walk multiplies by.
func (w *walker) leaf() usage {
	u := w.nothing()
	if len(w.active) != 1 {
		return u
	}
	s := w.active[0]
	b := w.body(s)
	w.written[s] = false
	outside := w.outside(b)
	t := &tally{slots: w.computes(b, len(outside)), operands: math.Inf(1)}
	w.reads(&u, b, outside, t)
	one, reduces := work{}, slices.Contains(w.statements[s].reduced, true)
	if b.matrix {
		u.work.add(w.inTiles(b), 1/b.all)
		w.touch(&u, b)
		return u
	}
	if reduces {
		moved, spilled, chain := w.accumulation(b, t.operands)
		t.loads, t.stores = t.loads+moved+spilled, moved+spilled
		one.chain, one.spills = chain, perSpill*spilled
	} else {
		w.writes(&u, b, t)
	}
	one.arithmetic, one.load, one.store = t.slots/w.speeds.Value(machine.Units), t.loads/w.speeds.Value(machine.Loads), t.stores/w.speeds.Value(machine.Stores)
	one.front, one.operations, one.loads = (t.slots+t.loads-t.fused+t.stores+2)/w.speeds.Value(machine.Decode), t.slots, t.loads
	if b.vector < 0 && !reduces { // reductions step from address to address
		one.front += perAddress * (t.loads + t.stores) / w.speeds.Value(machine.Decode)
	}
	if t.slots+t.loads+t.stores > w.speeds.Value(machine.Decoded) {
		one.front *= 2
	}
	one.bodies = max(one.arithmetic, one.load, one.store, one.front, one.chain)
	u.work.add(&one, 1/b.all)
	w.touch(&u, b)
	return u
}

// inTiles is the usage of a body whose points, vectors of groups, a matrix unit computes. A block of 2 x 2 tiles takes four
// products for two tiles of each operand, whose rows are loaded one by one.
func (w *walker) inTiles(b *body) *work {
	tile := schedule.TileOf(w.machine)
	tiles, loads := b.all*b.lanes/float64(tile.Products()), float64(tile.Rows+tile.Groups)/2
	one := &work{arithmetic: tiles * w.machine.Value(machine.TileCycles), load: tiles * loads / w.speeds.Value(machine.Loads), operations: tiles, loads: tiles * loads}
	one.bodies = max(one.arithmetic, one.load)
	return one
}

// computes counts the arithmetic of a body, so many factors of which are taken out of the sum.
func (w *walker) computes(b *body, outside int) float64 {
	ops := &w.statements[b.statement].ops
	slots := max(1, ops.arithmetic-float64(outside)) * b.all * b.registers
	if b.group > 0 {
		slots = b.all * b.registers * w.machine.GroupInstructions(b.group)
	}
	if b.vector < 0 {
		slots += ops.scalar * b.all
	}
	return slots
}

// reads counts what a body loads.
func (w *walker) reads(u *usage, b *body, outside []*access, t *tally) {
	reads := w.statements[b.statement].reads
	for k := range reads {
		a := &reads[k]
		u.references = append(u.references, reference{b.statement, a, 1, 1})
		if slices.Contains(outside, a) {
			continue
		}
		n := w.times(b.inner, b.statement, a.depends) * a.count
		each, shuffles := w.cost(b, a, w.speeds.Value(machine.LaneIn))
		live := n * b.registers
		if h := w.hoisted(b, a); live <= float64(w.speeds.registers)/4 {
			n /= h
		} else { // to memory
			each, shuffles = min(each, 1+each/h), shuffles/h
		}
		t.loads += n * each
		t.slots += n * shuffles
		if b.vector >= 0 && a.along(b.vector) == 0 {
			t.fused += n
		} else {
			t.operands = min(t.operands, live)
		}
	}
}

// writes counts what a body stores that reduces nothing.
func (w *walker) writes(u *usage, b *body, t *tally) {
	writes := w.statements[b.statement].writes
	for k := range writes {
		a := &writes[k]
		each, shuffles := w.cost(b, a, w.speeds.Value(machine.LaneOut))
		n := w.times(b.inner, b.statement, a.depends)
		t.stores += n * each
		t.slots += n * shuffles
		u.references = append(u.references, reference{b.statement, a, 2, 1})
	}
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
