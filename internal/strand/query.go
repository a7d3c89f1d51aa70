package strand

import (
	"math"
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
		r.sequences[s.To] = r.w.near(positions, around, radius().Float, r.self)
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
func (w *World) near(positions []int, around []float64, radius float64, self *strand) []ein.Number {
	found := []ein.Number{}
	if !(radius > 0) {
		return found
	}
	round := func(x float64) float64 { return x }
	if w.program.Real == tensor.Float32 {
		round = func(x float64) float64 { return float64(float32(x)) }
	}
	limit := round(radius * radius)
	for _, k := range w.candidates(positions, around, radius) {
		s, square := w.strands[k], 0.0
		for axis, at := range positions {
			apart := round(around[axis] - s.seen.scalars[at].Float)
			square = round(square + round(apart*apart))
		}
		if s != self && square < limit {
			found = append(found, ein.Number{Int: int64(k)})
		}
	}
	return found
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
		w.lookup = newCells(w.strands, positions)
	}
	// The square of a distance is rounded, and that of a tiny one may be 0.
	found := w.lookup.within(around, radius*(1+1e-5)+1e-18)
	if len(w.moved) > 0 { // cells have the positions at the start
		found = append(found, w.moved...)
		slices.Sort(found)
		found = slices.Compact(found)
	}
	return found
}

// Uniform cells over the box around all positions, about as many as strands: the strands of cell
// c are list[first[c]:first[c+1]], in their order. Positions that are no numbers are near to none.
type cells struct {
	low, size []float64
	count     []int
	first     []int
	list      []int
}

func newCells(strands []*strand, positions []int) *cells {
	dim := len(positions)
	c := &cells{low: make([]float64, dim), size: make([]float64, dim), count: make([]int, dim)}
	side := int(math.Ceil(math.Pow(float64(len(strands)+1), 1/float64(dim))))
	total := 1
	for axis, at := range positions {
		low, high := math.Inf(1), math.Inf(-1)
		for _, s := range strands {
			if x := s.in.scalars[at].Float; finite(x) {
				low, high = min(low, x), max(high, x)
			}
		}
		c.low[axis], c.count[axis] = low, side
		if c.size[axis] = (high/2 - low/2) / float64(side) * 2; !(c.size[axis] > 0) || !finite(c.size[axis]) {
			c.low[axis], c.size[axis], c.count[axis] = 0, 1, 1 // all are in one cell
		}
		total *= c.count[axis]
	}
	of := make([]int, len(strands))
	c.first = make([]int, total+1)
	for k, s := range strands {
		of[k] = c.cell(s, positions)
		if of[k] >= 0 {
			c.first[of[k]+1]++
		}
	}
	for k := range total {
		c.first[k+1] += c.first[k]
	}
	c.list = make([]int, c.first[total])
	next := slices.Clone(c.first)
	for k := range strands {
		if of[k] >= 0 {
			c.list[next[of[k]]] = k
			next[of[k]]++
		}
	}
	return c
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// cell is the number of the cell of a strand, -1 for none.
func (c *cells) cell(s *strand, positions []int) int {
	number := 0
	for axis, at := range positions {
		x := s.in.scalars[at].Float
		if !finite(x) {
			return -1
		}
		number = number*c.count[axis] + c.along(axis, x)
	}
	return number
}

// along is the place of a coordinate among the cells of an axis; it never falls where x grows.
func (c *cells) along(axis int, x float64) int {
	place := (x - c.low[axis]) / c.size[axis]
	return int(max(0, min(place, float64(c.count[axis]-1))))
}

// within lists the strands of all cells that a box around a position meets, in their order.
func (c *cells) within(around []float64, reach float64) []int {
	numbers := []int{0}
	for axis, x := range around {
		if !finite(x) { // near to none
			return nil
		}
		var next []int
		for _, n := range numbers {
			for k := c.along(axis, x-reach); k <= c.along(axis, x+reach); k++ {
				next = append(next, n*c.count[axis]+k)
			}
		}
		numbers = next
	}
	var found []int
	for _, n := range numbers {
		found = append(found, c.list[c.first[n]:c.first[n+1]]...)
	}
	slices.Sort(found)
	return found
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
