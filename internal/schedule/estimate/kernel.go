package estimate

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// work is what a subtree takes of a core, in cycles. Bodies is their time; the
// fields after it are the bounds among which it is the largest, and the rest is
// added.
type work struct {
	bodies                                float64
	arithmetic, load, store, front, chain float64
	control, accumulators, packing, fork  float64
	spills                                float64 // loads and stores of accumulators, part of load and store
	operations                            float64 // vector or scalar instructions of arithmetic
	loads                                 float64
}

func (w *work) fields() [12]*float64 {
	return [12]*float64{&w.bodies, &w.arithmetic, &w.load, &w.store, &w.front, &w.chain, &w.control, &w.accumulators, &w.packing, &w.fork, &w.spills, &w.operations}
}

func (w *work) add(o *work, times float64) {
	from := o.fields()
	for i, f := range w.fields() {
		*f += times * *from[i]
	}
	w.loads += times * o.loads
}

// divide scales everything: threads share it.
func (w *work) divide(share float64) {
	for _, f := range w.fields() {
		*f *= share
	}
	w.loads *= share
}

// cycles is the time on one core.
func (w *work) cycles() float64 { return w.bodies + w.control + w.accumulators + w.packing + w.fork }

// bounds lists what the cycles are made of: the bounds of the bodies, and the rest.
func (w *work) bounds() []struct {
	name   string
	cycles float64
} {
	return []struct {
		name   string
		cycles float64
	}{
		{"arithmetic", w.arithmetic}, {"loads", w.load}, {"stores", w.store}, {"decoding", w.front}, {"waiting for sums", w.chain},
		{"loops", w.control}, {"accumulators", w.accumulators}, {"packing", w.packing}, {"threads", w.fork},
	}
}

// The costs of control, in cycles.
const (
	perIteration = 1.0
	perLoop      = 3.0
	mispredicted = 15.0 // the end of a loop that is too long to be foreseen
	foreseen     = 24   // iterations
	forkSeconds  = 3e-6
)

// loop adds the control of a loop.
func (w *work) loop(m *schedule.Member, trips float64) {
	if m.Unroll || trips <= 1 {
		return
	}
	w.control += perIteration*trips + perLoop
	if trips > foreseen {
		w.control += mispredicted
	}
}

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
	slots := st.ops.arithmetic * b.all * b.registers
	if b.vector < 0 {
		slots += st.ops.scalar * b.all
	}
	loads, fused, stores := 0.0, 0.0, 0.0
	operands := math.Inf(1)
	for k := range st.reads {
		a := &st.reads[k]
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
		u.references = append(u.references, reference{s, a, 1, 1})
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
	spills, chain := 0.0, 0.0
	if reduces {
		spills, chain = w.accumulation(b, operands)
		loads, stores = loads+spills, stores+spills
	}
	one := work{
		arithmetic: slots / arithmeticPer, load: loads / loadsPerCycle, store: stores, chain: chain,
		front: (slots + loads - fused + stores + 2) / frontPerCycle, spills: spills, operations: slots, loads: loads,
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

// touch adds the lines of a body, divided by its iterations: they run together, in
// whatever order.
func (w *walker) touch(u *usage, b *body) {
	block := slices.Clone(w.blocks[b.statement])
	for _, e := range b.inner {
		if i, ok := w.indexIn(e.member, b.statement); ok {
			block[i] *= e.trips
		}
	}
	for k := range u.references {
		r := &u.references[k]
		n := r.weight * r.access.lines(block, lineBytes, w.placed[r.access.tensor] > 0) / b.all
		for l := range w.speeds.layers {
			u.misses[l*len(w.tensors)+r.access.tensor] += n
		}
		r.slow = w.slowness(r, block, len(b.inner))
	}
}

// The instructions that take one lane out of a vector, or put it in.
const (
	perGathered  = 2.0
	perScattered = 4.0
)

// Lines that are not neighbours of lines used lately are not brought in advance.
const (
	longRun     = 2048.0 // bytes
	mostStreams = 16
	worstRun    = 1.2 // how much longer the shortest runs take
)

// slowness is by how much a line from a distant layer takes longer than in a stream.
// What is read in turn from a few rows counts as so many streams.
func (w *walker) slowness(r *reference, b block, skip int) float64 {
	a := r.access
	last := len(a.dims) - 1
	if last < 0 || a.dims[last].stride != 1 {
		return 1
	}
	run, streams := a.dims[last].span(b)*a.bytes, 1.0
	for d := range a.dims[:last] {
		streams *= a.dims[d].span(b)
	}
	seen := 0
	for k := len(w.loops) - 1; k >= 0 && streams <= mostStreams && run < longRun; k-- {
		if w.loops[k].member == nil {
			continue
		}
		if seen++; seen <= skip {
			continue
		}
		i, ok := w.indexIn(w.loops[k].member, r.statement)
		switch {
		case !ok || !a.depends(i):
		case a.dims[last].coefficients[i] == 1:
			run *= w.loops[k].trips
		default:
			streams *= w.loops[k].trips
		}
	}
	return 1 + worstRun*max(0, 1-run/longRun)
}

// cost returns the instructions that move one vector: loads or stores, and shuffles.
func (w *walker) cost(b *body, a *access, shuffle float64) (moves, shuffles float64) {
	if b.vector < 0 {
		return 1, 0
	}
	step := a.along(b.vector)
	if fast := w.placed[a.tensor] - 1; fast >= 0 && step != 0 {
		if step = a.dims[fast].coefficients[b.vector]; step == 0 {
			step = far
		} else if step > 1 { // windows are copied in phases, in which their points are neighbours
			step = 1
		}
	}
	switch {
	case a.scatters && a.depends(b.vector):
		return b.lanes, shuffle * b.lanes
	case step == 0:
		return 1, 0
	case step != 1:
		return b.lanes, shuffle * b.lanes
	}
	// A vector that straddles two lines is loaded twice.
	bytes := min(b.lanes*a.bytes, float64(w.speeds.vector))
	return b.registers * (1 + a.unaligned(b.vector, b.lanes, w.placed[a.tensor] > 0)*bytes/lineBytes), 0
}

// far is any step between lanes that is not 1.
const far = 2

// unaligned returns which part of the vectors of an access along an index does not
// begin at a multiple of their length.
func (a *access) unaligned(vector int, lanes float64, placed bool) float64 {
	multiple := func(x float64) bool { return math.Mod(x, lanes) == 0 }
	for d := range a.dims {
		dim := &a.dims[d]
		last := dim.coefficients[vector] != 0
		for i, c := range dim.coefficients {
			if i != vector && c != 0 && !multiple(c*dim.stride) && (last || !placed) {
				return 1
			}
		}
		if last && dim.high > dim.low {
			return (a.count - 1) / a.count
		}
		if last && !multiple(dim.low) {
			return 1
		}
	}
	return 0
}

// hoisted returns by how much the loads of an access become fewer since the loops
// around the body do not change its address.
func (w *walker) hoisted(b *body, a *access) float64 {
	n := 1.0
	for k := len(b.outer) - 1; k >= 0; k-- {
		i, ok := w.indexIn(b.outer[k].member, b.statement)
		if !ok || a.depends(i) {
			break
		}
		n *= b.outer[k].trips
	}
	return n
}

// accumulation returns how many accumulators a body loads and stores since they are
// not in registers, and the cycles of the chain of dependent accumulations.
func (w *walker) accumulation(b *body, operands float64) (spills, chain float64) {
	st := &w.statements[b.statement]
	reduced := func(i int) bool { return st.reduced[i] }
	concat := func(i int) bool { return !st.reduced[i] }
	kept := w.times(b.inner, b.statement, concat)
	units := 1.0
	if b.vector >= 0 && st.reduced[b.vector] {
		units = w.times(b.inner, b.statement, func(i int) bool { return i == b.vector })
	}
	chain = st.ops.latency * w.times(b.inner, b.statement, reduced) / units
	accumulators := kept * units * b.registers
	if w.times(b.outer, b.statement, concat) > 1 { // an array with variable subscripts
		spills = accumulators
		for k := len(b.outer) - 1; k >= 0; k-- { // unless the loop around keeps them
			i, ok := w.indexIn(b.outer[k].member, b.statement)
			if !ok || concat(i) {
				break
			}
			spills /= b.outer[k].trips
		}
		return spills, chain
	}
	if math.IsInf(operands, 1) {
		operands = 0
	}
	if excess := accumulators + min(operands, 8) + 1 - float64(w.speeds.registers); excess > 0 {
		spills = min(excess, accumulators)
	}
	return spills, chain
}

// The costs of accumulators, in cycles.
const (
	perStart = 15.0 // filling and draining the pipeline
	perFold  = 6.0  // of the lanes of one accumulator
)

// accumulate adds the life of the accumulators to its subtree.
func (w *walker) accumulate(n *schedule.Accumulate) usage {
	w.loops = append(w.loops, enclosing{boundary: true, gathers: n})
	u := w.node(n.Child)
	w.loops = w.loops[:len(w.loops)-1]
	s := n.Statement
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
		if a := &st.writes[k]; vector >= 0 && a.along(vector) != 1 {
			moves += lanes * (1 + perScattered/arithmeticPer)
			if updates {
				moves += lanes * (1 + perGathered) / arithmeticPer
			}
		}
	}
	u.work.accumulators += vectors*(moves+folds) + perStart
	for k := range st.writes {
		a := &st.writes[k]
		u.references = append(u.references[:len(u.references):len(u.references)], reference{s, a, 2, 1})
		for l := range w.speeds.layers {
			u.misses[l*len(w.tensors)+a.tensor] += 2 * a.lines(w.blocks[s], lineBytes, w.placed[a.tensor] > 0)
		}
		r := &u.references[len(u.references)-1]
		r.slow = w.slowness(r, w.blocks[s], 0)
	}
	if n.Region == schedule.Private || points/lanes > 64 {
		u.buffers += points * 4
	}
	w.found.accumulators = max(w.found.accumulators, vectors)
	return u
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

// The costs of copying a block, in cycles.
const (
	perVectorCopied = 2.0
	perRowCopied    = 4.0
)

// place adds the copy of an input or output, or takes away the traffic of a temporary.
func (w *walker) place(n *schedule.Place) usage {
	t := -1
	for i, tensor := range w.tensors {
		if tensor.Name == n.Tensor {
			t = i
		}
	}
	if t < 0 {
		w.err = errUnknownTensor(n.Tensor, w.f.Name)
		return w.nothing()
	}
	w.placed[t] = 1 + w.fastest(n, t)
	w.loops = append(w.loops, enclosing{boundary: true})
	u := w.node(n.Child)
	w.loops = w.loops[:len(w.loops)-1]
	w.placed[t] = 0
	var kept []reference
	bytes := 0.0
	for k := range u.references {
		r := &u.references[k]
		if r.access.tensor != t {
			kept = append(kept, *r)
			continue
		}
		bytes = max(bytes, r.access.lines(w.blocks[r.statement], 1, true))
		if w.tensors[t].Role != ein.Temp && !repeated(kept, r) {
			kept = append(kept, *r)
			w.copies(&u, r)
		}
	}
	u.references = kept
	u.buffers += bytes
	if w.tensors[t].Role == ein.Temp { // nothing of it reaches memory
		for l := range w.speeds.layers {
			if bytes < w.speeds.layers[l].bytes {
				u.misses[l*len(w.tensors)+t] = 0
			}
		}
	}
	return u
}

// fastest returns the dimension along which the elements of a placed block are
// neighbours, as the lowering chooses it: that of vectors, or one of a reduction.
func (w *walker) fastest(n *schedule.Place, t int) int {
	dims := len(w.tensors[t].Dims)
	if len(n.Layout) == dims && dims > 0 {
		return n.Layout[dims-1] - 1
	}
	reduced := -1
	for _, s := range w.active {
		st := &w.statements[s]
		for k := range st.reads {
			a := &st.reads[k]
			if a.tensor != t {
				continue
			}
			for d := range a.dims {
				for i, c := range a.dims[d].coefficients {
					if (c > 1 || a.dims[d].isIndex()) && c > 0 && schedule.VectorBelow(s, st.c.Indices[i].Name, n.Child) > 0 {
						return d
					}
				}
				i, ok := a.dims[d].coefficientOf()
				if ok && st.reduced[i] {
					reduced = d
				}
			}
		}
	}
	if reduced >= 0 && w.tensors[t].Role == ein.Input {
		return reduced
	}
	return dims - 1
}

// copies adds the copying of a block of an input.
func (w *walker) copies(u *usage, r *reference) {
	b := w.blocks[r.statement]
	elements := r.access.lines(b, r.access.bytes, true)
	row := 1.0
	if last := len(r.access.dims) - 1; last >= 0 && r.access.dims[last].stride == 1 {
		row = r.access.dims[last].span(b)
	}
	rows := elements / row
	u.work.packing += rows * (perRowCopied + perVectorCopied*math.Ceil(row*r.access.bytes/float64(w.speeds.vector)))
	for l := range w.speeds.layers {
		u.misses[l*len(w.tensors)+r.access.tensor] += r.access.lines(b, lineBytes, false)
	}
}
