package standard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/schedule"
)

// How results whose vectors interleave are blocked
//
// Vectors along the points of vectors, pixels of channels or small matrices write every third,
// fourth … element: a pass for each of those between two of them goes through the same lines.
// All passes are made over a short run of points before the next run, so that the lines come
// once, and so short that the processor fetches those of the next while it computes these:
// the cross products of 100003 vectors of 3 take 0.38 ms pass by pass, and in runs of 1024
// points 0.155, of 256 0.126, of 112 0.119, of 48 0.120; products of two gradients at 503 x 707
// points 0.463 in runs of 704 points, 0.404 of 240, 0.335 of 112.

const (
	longestInterleave = 16 // elements from lane to lane
	briefReduction    = 16 // points; those of longer ones hide what the lines cost
)

// interleavedPoints is how many points along the vector column a run of results has whose
// vectors interleave in the group; 0 where none do, or the points are long sums. (A product of
// 301 x 203 x 257 complex numbers as pairs is 2 to 7 % slower in runs, which cut its blocks.)
func (mk *maker) interleavedPoints(p *plan) int64 {
	bytes := int64(0)
	for k, s := range p.g.statements {
		if mk.reductionSteps(mk.f.Body[s]) > briefReduction {
			return 0
		}
		for _, w := range mk.f.Body[s].Writes {
			if w.Tensor.Role == ein.Temp && mk.keeps(p.g, w.Tensor) { // lies in the caches anyway
				continue
			}
			if step := mk.vectorStep(p, k, w); step > 1 && step <= longestInterleave {
				bytes = max(bytes, step*int64(w.Tensor.Type.Size()))
			}
		}
	}
	if bytes == 0 {
		return 0
	}
	return mk.run() / bytes
}

// reductionSteps is how many points a result of a statement is reduced from.
func (mk *maker) reductionSteps(c *ein.Comprehension) int64 {
	steps := int64(1)
	for _, i := range ein.Reduced(c) {
		steps = schedule.MultiplySizes(steps, max(1, estimate(i.Extent)))
	}
	return steps
}

// vectorStep is the distance in elements of neighbouring lanes of what statement number k of a
// group writes; 0 where it has no vectors along the vector column.
func (mk *maker) vectorStep(p *plan, k int, w *ein.Write) int64 {
	c := mk.f.Body[p.g.statements[k]]
	if p.vector < 0 || schedule.Vectorisable(c, p.g.columns[p.vector][k]) != "" {
		return 0
	}
	return mk.stepAlong(c, w, p.g.columns[p.vector][k])
}

// stepAlong is the distance in elements of what a statement writes at neighbouring points of
// an index; 0 where that is not known or the same element.
func (mk *maker) stepAlong(c *ein.Comprehension, w *ein.Write, index *ein.Index) int64 {
	for d, sub := range w.Subscripts {
		if i, _, plain := schedule.IndexPlusConstant(c, sub); plain && i == index {
			return mk.stride(w.Tensor, d)
		}
	}
	return 0
}

// isBetween reports whether what statements write along a column lies between the lanes of
// their vectors: its loop then is inside of the runs of points.
func (mk *maker) isBetween(p *plan, col int) bool {
	if col == p.vector || p.tiles[col] > 1 {
		return false
	}
	for k, s := range p.g.statements {
		c := mk.f.Body[s]
		if !slices.ContainsFunc(c.Writes, func(w *ein.Write) bool {
			step := mk.stepAlong(c, w, p.g.columns[col][k])
			return step > 0 && step < mk.vectorStep(p, k, w)
		}) {
			return false
		}
	}
	return true
}

// gathersBriefly reports whether a statement reduces a few points that all depend on an index,
// some of them gathered along it. Vectors of a register tile along it would share no loads,
// and of so few steps those of the next tile hide the latency; but the gathers of a step then
// touch more lines than the nearest cache delivers at once: 100003 products of 3 x 3 matrices
// and vectors take 0.346 ms with four vectors, 0.279 with two, 0.270 with one; forces of 6
// springs at 30011 nodes 0.378 with eight, 0.342, 0.317 and 0.290 with four, two and one.
// A greatest element with its position waits longer for each step: the best of 16 experts for
// 10007 tokens takes 1.08 of the time with one vector; so do 100003 maxima of 4, whose lanes
// are loaded with what lies between them: 1.14.
func (mk *maker) gathersBriefly(c *ein.Comprehension, index *ein.Index) bool {
	if mk.reductionSteps(c) > briefReduction || len(c.Writes) > 1 {
		return false
	}
	return sharesNothing(c, index) && slices.ContainsFunc(c.Accesses(), func(a *ein.Access) bool { return mk.isGathered(c, a, index) })
}
