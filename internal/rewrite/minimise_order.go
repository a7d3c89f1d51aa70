package rewrite

import (
	"math"
	"math/bits"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How the order is found
//
// What a set of factors comes to depends on neither the rest nor the order inside of it: a
// tensor over those of its indices that other factors or the result have. So the best order for
// a set is the best way to part it in two, of which each has its best order already (the
// dynamic programming over sets of Lam, Sadayappan and Wenger, "On optimizing a class of
// multi-dimensional loops with reductions", 1997).
//
// A sum costs its points, and each element of a temporary as many more as it takes to write and
// read it. A product over which nothing is summed is no statement, and costs nothing until it is
// summed over with another factor.

// elementPoints is how many multiplications and additions take as long as writing and reading
// an element of a temporary.
const elementPoints = 8

// A factorSet is a set of factors by their numbers.
type factorSet uint

func (s factorSet) only() int { return bits.TrailingZeros(uint(s)) }

// An order says for every set of factors how to compute it.
type order struct {
	m    *minimiser
	sets []computed // by factorSet
}

// computed is the best way to compute a set.
type computed struct {
	cost  float64
	first factorSet // one of the two parts; 0 for a single factor
	union []*ein.Index
}

func newOrder(m *minimiser) *order {
	o := &order{m: m, sets: make([]computed, 1<<len(m.factors))}
	for s := factorSet(1); int(s) < len(o.sets); s++ {
		o.sets[s] = o.compute(s)
	}
	return o
}

func (o *order) all() factorSet { return factorSet(len(o.sets) - 1) }

func (o *order) best() float64 { return o.sets[o.all()].cost }

func (o *order) split(s factorSet) factorSet { return o.sets[s].first }

// compute finds the best way to part a set whose subsets are known.
func (o *order) compute(s factorSet) computed {
	if s&(s-1) == 0 {
		c := computed{union: o.m.factors[s.only()].indices}
		o.sets[s] = c
		c.cost = o.sum(s, c.union)
		return c
	}
	best := computed{cost: math.Inf(1)}
	lowest := s & -s
	for first := (s - 1) & s; first > 0; first = (first - 1) & s {
		if first&lowest == 0 {
			continue // the other part is tried
		}
		second := s &^ first
		union := joined(o.kept(first), o.kept(second))
		o.sets[s].union = union
		if cost := o.sets[first].cost + o.sets[second].cost + o.sum(s, union); cost < best.cost {
			best = computed{cost: cost, first: first, union: union}
		}
	}
	return best
}

// sum returns the cost of summing a product over the indices into a temporary, or into the
// result.
func (o *order) sum(s factorSet, indices []*ein.Index) float64 {
	kept := o.keptOf(s, indices)
	switch {
	case s == o.all():
		return points(indices)
	case len(kept) == len(indices):
		return 0
	}
	return points(indices) + elementPoints*points(kept)
}

// kept returns the indices of what a set comes to.
func (o *order) kept(s factorSet) []*ein.Index { return o.keptOf(s, o.sets[s].union) }

// keptOf returns those of the indices that the result has, or a factor outside of the set.
func (o *order) keptOf(s factorSet, indices []*ein.Index) (list []*ein.Index) {
	for _, i := range indices {
		if i.Combine.Kind == ein.Concat || o.isOutside(s, i) {
			list = append(list, i)
		}
	}
	return list
}

func (o *order) isOutside(s factorSet, i *ein.Index) bool {
	for n, f := range o.m.factors {
		if s&(1<<n) == 0 && slices.Contains(f.indices, i) {
			return true
		}
	}
	return false
}
