package ein

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
)

// laneCounts are how many sums side by side the terms along an index are dealt out to: vectors
// times accumulators.
var laneCounts = [...]int{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 128}

// reach examines the partial sums of terms in the orders of schedules: the magnitude of the
// largest sum of an interval, and the sum of the magnitudes where the lanes come together.
func (s *summing) reach(list []float64) (within, merged float64) {
	extents, first := s.extents, 0.0
	switch n := product(extents); {
	case n == int64(len(list)-1): // the old value goes first
		first, list = math.Abs(list[0]), list[1:]
	case n != int64(len(list)):
		extents = nil
	}
	if len(extents) < 2 {
		extents = []int64{int64(len(list))}
	}
	w := &walkedTerms{list: list}
	for _, order := range orders(len(extents)) {
		w.order(extents, order)
		for _, lanes := range laneCounts {
			if lanes == 1 || int64(lanes) < w.inner {
				w.examine(lanes)
			}
		}
	}
	if len(extents) > 1 {
		w.patches(extents)
	}
	return w.within + first, w.merged + first
}

func product(extents []int64) int64 {
	n := int64(1)
	for _, e := range extents {
		n = affine.MultiplySaturating(n, e)
	}
	return n
}

// walkedTerms are terms in some order of the indices.
type walkedTerms struct {
	list           []float64 // in the order of the comprehension
	walked         []float64 // in the order that is examined
	room           []float64 // for walked
	inner          int64     // extent of the innermost index
	classes        []class
	within, merged float64
}

// A class are terms that are added on their own: the sum of those so far, and the least and the greatest that it was.
type class struct{ sum, low, high float64 }

// add adds a term, which is finite, as all sums are.
func (c *class) add(x float64) {
	v := c.sum + x
	if c.sum = v; v < c.low {
		c.low = v
	} else if v > c.high {
		c.high = v
	}
}

// order rearranges the terms.
func (w *walkedTerms) order(extents []int64, order []int) {
	w.inner = extents[order[len(order)-1]]
	if slices.IsSorted(order) {
		w.walked = w.list
		return
	}
	stride, strides := int64(1), make([]int64, len(extents))
	for d := len(extents) - 1; d >= 0; d-- {
		strides[d] = stride
		stride *= extents[d]
	}
	w.room = slices.Grow(w.room[:0], len(w.list))
	w.walked = w.room
	var walk func(level int, at int64)
	walk = func(level int, at int64) {
		if level == len(order) {
			w.walked = append(w.walked, w.list[at])
			return
		}
		d := order[level]
		for j := range extents[d] {
			walk(level+1, at+j*strides[d])
		}
	}
	walk(0, 0)
}

// examine deals the terms along the innermost index out to lanes.
func (w *walkedTerms) examine(lanes int) {
	w.clear(lanes)
	for row := w.walked; len(row) > 0; row = row[w.inner:] {
		lane := 0
		for _, x := range row[:w.inner] {
			w.classes[lane].add(x)
			if lane++; lane == lanes {
				lane = 0
			}
		}
	}
	w.close()
}

func (w *walkedTerms) clear(classes int) {
	w.classes = slices.Grow(w.classes[:0], classes)[:classes]
	clear(w.classes)
}

// close takes the classes into account. The sum of any interval of a class is the difference of two of its prefixes.
func (w *walkedTerms) close() {
	merged := 0.0
	for _, c := range w.classes {
		w.within = max(w.within, c.high-c.low)
		merged += math.Abs(c.sum)
	}
	w.merged = max(w.merged, float64(len(w.classes)-1)*merged)
}

// patches examines accumulators along several indices at a time.
func (w *walkedTerms) patches(extents []int64) {
	const side = 4
	w.order(extents, orders(len(extents))[0])
	classes := 1
	for range extents {
		classes *= side
	}
	if classes >= len(w.walked) {
		return
	}
	w.clear(classes)
	for k, x := range w.walked {
		c := 0
		for d := len(extents) - 1; d >= 0; d-- {
			c = c*side + k%int(extents[d])%side
			k /= int(extents[d])
		}
		w.classes[c].add(x)
	}
	w.close()
}

// orders lists orders of indices, that of the comprehension first: all of up to three, of more
// those that begin with the first ones and put each one innermost.
func orders(n int) [][]int {
	var all [][]int
	if n > 3 {
		for last := n - 1; last >= 0; last-- {
			var order []int
			for d := range n {
				if d != last {
					order = append(order, d)
				}
			}
			all = append(all, append(order, last))
		}
		return all
	}
	var extend func(order []int)
	extend = func(order []int) {
		if len(order) == n {
			all = append(all, slices.Clone(order))
			return
		}
		for d := range n {
			if !slices.Contains(order, d) {
				extend(append(order, d))
			}
		}
	}
	extend(nil)
	return all
}
