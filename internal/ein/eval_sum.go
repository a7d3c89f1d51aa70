package ein

import (
	"math"

	"github.com/ricci-lang/ricci/internal/affine"
)

// How sums are bounded
//
// A sum of n terms rounds n-1 partial sums, each by at most u of its magnitude, whatever the
// order. No partial sum is larger than the positive terms together, or the negative ones: that
// bounds every order, but grows until nothing is noticed, since the partial sums of numbers of
// both signs are about √n of them in the orders of real programs. What schedules make are lanes,
// accumulators, chunks and tiles: partial sums over intervals of the terms that are congruent to
// each other along an index, with the indices in any order. The terms are kept, and the largest of
// those sums counts (reach). Where there are too many terms to keep, or the order is not known,
// the first bound stays. Prefixes of a scan are sums of neighbours in every order, of which the
// least and the greatest prefix know the largest.
//
// The partial sums of any order are multiples of the lowest bit of all terms: when all of those
// up to Σ|x| are numbers of the type, nothing is ever rounded.

// A cell is a partial result. Where errors are bounded a sum stays open, because
// the error of a sum in any order follows from the magnitudes of all its terms. A
// product does, because its partial products may leave the range of the type.
type cell struct {
	value
	sum       *summing  // nil for a plain value
	factors   *factors  // of an open product
	list      []float64 // the terms of a sum; nil where they are not kept
	low, high float64   // the least and the greatest sum of first terms
	rest      float64   // what the additions of the reference rounded off
	terms     float64   // how many numbers were added or combined
	magnitude float64   // Σ|x|, of a user-defined operator its majorant
	lowest    float64   // a power of two that divides every term; 0 where a term has an error
	infinite  bool      // some term is
	unsigned  bool      // some term is a zero of either sign
	grid      int64     // of a user-defined operator: the exponent of a power of two that divides every product
}

// A summing is how the terms of a sum are added.
type summing struct {
	*precision
	keeps   bool    // the terms
	scans   bool    // only neighbours are added
	likely  bool    // that of EvalOptions
	extents []int64 // of the indices that the terms run over, outermost first
}

// maxTerms is how many terms the sums of a comprehension keep at a time.
const maxTerms = 1 << 23

// summings tells the sums of a comprehension what they run over.
func (n *nest) summings() {
	points, scans, reduces := n.inner[n.leading], false, false
	var extents []int64
	for _, r := range n.ranges[n.leading:] {
		switch {
		case r.of.Combine.Kind == Reduce:
			points = affine.MultiplySaturating(points, r.extent)
			reduces = true
			if r.combine.sums != nil {
				extents = append(extents, r.extent)
			}
		case r.of.Combine.Kind == Scan:
			scans = true
		}
	}
	for _, r := range n.ranges[n.leading:] {
		if r.combine != nil && r.combine.sums != nil {
			r.combine.sums.keeps = !scans && points <= maxTerms
			r.combine.sums.scans = scans && !reduces
			r.combine.sums.extents = extents
		}
	}
	if a := n.accumulate; a != nil && a.sums != nil {
		a.sums.keeps, a.sums.scans, a.sums.extents = !scans && points <= maxTerms, scans && !reduces, extents
	}
}

// join adds two partial sums.
func (s *summing) join(a, b cell) cell {
	a.open(s)
	b.open(s)
	a.list = s.listed(&a, &b)
	a.low, a.high = min(a.low, a.f+b.low), max(a.high, a.f+b.high)
	sum, rest := a.f+b.f, 0.0
	if finite(sum) {
		_, rest = twoSum(a.f, b.f)
	}
	a.f, a.rest = sum, a.rest+b.rest+rest
	a.e += b.e
	a.terms += b.terms
	a.magnitude += b.magnitude
	a.lowest = min(a.lowest, b.lowest)
	a.infinite = a.infinite || b.infinite
	a.unsigned = a.unsigned || b.unsigned
	return a
}

// listed returns the terms of two sums, nil where those of one are not known.
func (s *summing) listed(a, b *cell) []float64 {
	list := a.list
	switch {
	case !s.keeps:
		return nil
	case a.terms == 1:
		list = append(make([]float64, 0, 4), a.f)
	case list == nil:
		return nil
	}
	switch {
	case b.terms == 1:
		return append(list, b.f)
	case b.list == nil:
		return nil
	}
	return append(list, b.list...)
}

func (c *cell) open(s *summing) {
	if c.sum != nil {
		return
	}
	c.sum, c.terms, c.magnitude, c.infinite = s, 1, math.Abs(c.f), math.IsInf(c.f, 0)
	c.low, c.high = min(0, c.f), max(0, c.f)
	if c.isEitherZero() {
		c.unsigned, c.e = true, 0
	}
	if c.e == 0 {
		c.lowest = lowestBit(c.f)
	}
}

// closed returns the value.
func (c *cell) closed() value {
	s := c.sum
	switch {
	case c.factors != nil:
		return c.factors.closed(c.value)
	case c.unsigned && c.f == 0 && c.e == 0 && c.magnitude == 0:
		return value{e: eitherZero}
	case s == nil || c.terms < 2:
		return c.value
	}
	if !finite(c.f) {
		// Not a number because of infinite terms: ∞·x + ∞·y may be ∞·(x + y).
		return value{f: c.f, e: certain(c.e < unbounded && !(c.infinite && c.f != c.f))}
	}
	if c.e == 0 && c.magnitude <= c.lowest/s.unit {
		return c.value
	}
	if c.magnitude > s.largest {
		return value{f: c.f, e: unbounded} // overflows in some order
	}
	return s.settle(c.f+c.rest, c.e+s.unit*(c.partials()+(c.terms-1)*c.e))
}

// likely is what takes the place of partials where n roundings are independent of each other and
// as often up as down: then their sum is beyond λ·√Σs² with a probability of 2·exp(-λ²/2), by the
// inequality of Azuma and Hoeffding (Higham and Mary, A New Approach to Probabilistic Rounding
// Error Analysis, 2019); once in 10⁹ sums.
func (c *cell) likely() float64 {
	squares, prefix := 0.0, 0.0
	for _, x := range c.list {
		prefix += x
		squares += prefix * prefix
	}
	if c.list == nil {
		most := min(c.high-c.low, (c.magnitude+math.Abs(c.f))/2)
		squares = c.terms * most * most
	}
	return math.Sqrt(2 * math.Log(2e9) * squares)
}

// partials bounds the sum of the magnitudes of all partial sums, in every order.
func (c *cell) partials() float64 {
	if c.sum.likely {
		return c.likely()
	}
	most := (c.terms - 1) * (c.magnitude + math.Abs(c.f)) / 2 // of one sign
	switch {
	case c.sum.scans:
		most = min(most, (c.terms-1)*(c.high-c.low))
	case c.list != nil:
		within, merged := c.sum.reach(c.list)
		most = min(most, (c.terms-1)*within+merged)
	}
	return most
}

// lowestBit is the value of the last bit of x that is set, +∞ for 0.
func lowestBit(x float64) float64 {
	if x == 0 {
		return unbounded
	}
	bits := math.Float64bits(x)
	if bits<<12 == 0 || !finite(x) {
		return math.Abs(x)
	}
	return math.Abs(x - math.Float64frombits(bits&(bits-1)))
}
