package estimate

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/internal/schedule"
)

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
		n := r.weight * r.access.lines(block, w.speeds.line, w.placed[r.access.tensor] > 0) / b.all
		for l := range w.speeds.layers {
			u.misses[l*len(w.tensors)+r.access.tensor] += n
		}
		switch r.slow = w.slowness(r, block, len(b.inner)); {
		case r.weight > 1 && w.streams(b):
			r.slow, w.streamed[r.access.tensor] = 1, true
		case b.vector >= 0 && r.access.along(b.vector) == 1:
			r.slow = w.asking(b, r)
		}
	}
	w.crowd(u, block, b.statement)
}

// crowd makes the lines of a statement slow where what a block of it touches together has more of them in one set of the
// nearest cache than that holds, and that is known to cost: those that are brought in advance are pushed out before they are
// used.
func (w *walker) crowd(u *usage, block block, statement int) {
	slow, lines := w.speeds.Ratios().SharedSets, 0.0
	if slow <= 1 {
		return
	}
	for k := range u.references {
		if r := &u.references[k]; r.statement == statement && w.placed[r.access.tensor] == 0 {
			lines += r.access.linesOfSet(block, w.speeds.Processor)
		}
	}
	if lines <= w.speeds.Value(machine.Ways) {
		return
	}
	for k := range u.references {
		if r := &u.references[k]; r.statement == statement {
			r.slow = max(r.slow, slow)
		}
	}
}

// streams reports whether what a body writes goes past the caches.
func (w *walker) streams(b *body) bool {
	return w.around(b, func(m *schedule.Member) bool { return m.Stream })
}

// asking is by how much a line of what vectors run along takes longer than in a stream, whether they ask for it in advance
// or not: rows far apart that are not asked for are slow, and where the machine is known to lose by asking, or to gain, that
// counts (machine.Ratios).
func (w *walker) asking(b *body, r *reference) float64 {
	ratios := w.speeds.Ratios()
	reduces := slices.Contains(w.statements[b.statement].reduced, true)
	switch {
	case w.around(b, func(m *schedule.Member) bool { return m.Prefetch != "" }) && !reduces:
		return max(1, ratios.AskedRows*r.slow)
	case w.around(b, func(m *schedule.Member) bool { return m.Ahead > 0 || m.Prefetch != "" }):
		if reduces && r.weight <= 1 {
			return max(1, w.askedSums(ratios))
		}
		return 1
	case reduces && r.weight <= 1 && w.askedSums(ratios) > 0:
		return max(r.slow, 1/w.askedSums(ratios))
	}
	return r.slow
}

// askedSums is the ratio of sums of what a function goes through.
func (w *walker) askedSums(ratios machine.Ratios) float64 {
	bytes := 0.0
	for _, n := range w.most {
		bytes += n
	}
	if bytes > float64(w.speeds.Shared()) {
		return ratios.AskedSums
	}
	return ratios.AskedNearSums
}

// around reports whether some loop over a body has a mark.
func (w *walker) around(b *body, marked func(m *schedule.Member) bool) bool {
	return slices.ContainsFunc(w.loops, func(e enclosing) bool {
		if e.member == nil || !marked(e.member) {
			return false
		}
		_, ok := w.indexIn(e.member, b.statement)
		return ok
	})
}

// slowness is by how much a line from a distant layer takes longer than in a stream.
// What is read in turn from a few rows counts as so many streams.
func (w *walker) slowness(r *reference, b block, skip int) float64 {
	a := r.access
	last := len(a.dims) - 1
	if last < 0 || a.dims[last].stride != 1 {
		return 1
	}
	run, streams := a.dims[last].span(b)*a.bytes, 1.0
	longRun, mostStreams := w.speeds.Value(machine.Run), w.speeds.Value(machine.Streams)
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
	return 1 + w.speeds.Value(machine.ShortRuns)*max(0, 1-run/longRun)
}

// cost returns the instructions that move one vector: loads or stores, and shuffles.
func (w *walker) cost(b *body, a *access, shuffle float64) (moves, shuffles float64) {
	if b.vector < 0 {
		return 1, 0
	}
	step := w.step(a, b.vector)
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
	return b.registers * (1 + a.unaligned(b.vector, b.lanes, w.placed[a.tensor] > 0)*bytes/w.speeds.line), 0
}

// far is any step between lanes that is not 1.
const far = 2

// step returns by how many elements the lanes of a vector along an index are apart.
func (w *walker) step(a *access, vector int) float64 {
	step := a.along(vector)
	fast := w.placed[a.tensor] - 1
	if fast < 0 || step == 0 {
		return step
	}
	if step = a.dims[fast].coefficients[vector]; step == 0 {
		return far
	}
	return min(step, 1) // windows are copied in phases, in which their points are neighbours
}

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
