package strand

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// query compiles a question for strands near a position. Squares of distances are computed in the
// real type; the cells only leave out strands that are too far by more than any rounding.
func (r *runner) query(s *Query) code {
	radius, center := r.expr(s.Radius), r.exprs(s.Center)
	positions := r.positions()
	return func() flow {
		around := make([]float64, len(positions))
		for k, at := range positions {
			around[k] = r.self.in.scalars[at].Float
			if s.Center != nil {
				around[k] = center[k]().Float
			}
		}
		found, ok := r.near(s, positions, around, radius().Float)
		if !ok {
			return failed
		}
		r.sequences[s.To] = found
		return onward
	}
}

// positions are the places of the state pos in what a strand keeps.
func (r *runner) positions() []int {
	pos := r.w.program.Variable("pos")
	var places []int
	for _, slot := range r.slots(pos.Parts) {
		places = append(places, slices.Index(r.layout, slot))
	}
	return places
}

// near lists the strands nearer than a radius, in their order.
func (r *runner) near(q *Query, positions []int, around []float64, radius float64) (found []ein.Number, ok bool) {
	w := r.w
	if !(radius > 0) {
		return nil, true
	}
	round := func(x float64) float64 { return x }
	if w.program.Real == tensor.Float32 {
		round = func(x float64) float64 { return float64(float32(x)) }
	}
	limit := round(radius * radius)
	candidates := w.candidates(positions, around, radius)
	if !r.takes(int64(len(candidates))*numberCost, q.Pos, "%d strands may be near", len(candidates)) {
		return nil, false
	}
	for _, k := range candidates {
		s, square := w.strands[k], 0.0
		for axis, at := range positions {
			apart := round(around[axis] - s.seen.scalars[at].Float)
			square = round(square + round(apart*apart))
		}
		if s != r.self && square < limit {
			found = append(found, ein.Number{Int: int64(k)})
		}
	}
	return found, true
}

// candidates are the strands that may be near, in their order.
func (w *World) candidates(positions []int, around []float64, radius float64) []int {
	if w.options.BruteForce {
		all := make([]int, len(w.strands))
		for k := range all {
			all[k] = k
		}
		return all
	}
	if w.lookup == nil {
		w.lookup = NewCells(w.columns(positions))
	}
	found := w.lookup.within(around, radius*ReachFactor+ReachMore)
	if len(w.moved) > 0 { // cells have the positions at the start
		found = append(found, w.moved...)
		slices.Sort(found)
		found = slices.Compact(found)
	}
	return found
}

// columns are the positions of strands at the start of a step, for each axis.
func (w *World) columns(positions []int) [][]float64 {
	columns := make([][]float64, len(positions))
	for axis, at := range positions {
		for _, s := range w.strands {
			columns[axis] = append(columns[axis], s.in.scalars[at].Float)
		}
	}
	return columns
}

// get compiles the reading of a state of another strand.
func (r *runner) get(s *Get) code {
	set, who := r.setter(s.To), r.scalar.Slot(s.Strand.Parts[0])
	if s.State.Type.Dynamic {
		place := slices.Index(r.kept, s.State)
		return func() flow {
			set(r.w.strands[r.scalar.Get(who).Int].seen.sequences[place])
			return onward
		}
	}
	first := slices.Index(r.layout, r.scalar.Slot(s.State.Parts[0]))
	width := len(s.State.Parts)
	return func() flow {
		set(r.w.strands[r.scalar.Get(who).Int].seen.scalars[first : first+width])
		return onward
	}
}
