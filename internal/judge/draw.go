package judge

import (
	"hash/fnv"
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
)

// A step is a range of numbers to try; steps go from wide to narrow.
type step struct {
	limit   int64 // the greatest magnitude, of whole numbers
	one     int   // one in so many is not 0
	scaled  int   // multiples of which power of the odd divisors
	natural bool  // no negative numbers
}

// steps are tried one after the other, until all results are exact.
var steps = [...]step{
	{limit: 8, one: 1}, {limit: 8, one: 1, natural: true}, {limit: 8, one: 1, scaled: 1}, {limit: 2, one: 1},
	{limit: 2, one: 1, scaled: 1}, {limit: 2, one: 1, scaled: 2}, {limit: 1, one: 1}, {limit: 1, one: 2},
	{limit: 1, one: 2, scaled: 1}, {limit: 1, one: 4}, {limit: 1, one: 4, scaled: 2}, {limit: 1, one: 16},
	{limit: 1, one: 64}, {limit: 1, one: 256},
}

// A generator gives the numbers of an argument.
type generator struct {
	step     step
	role     role
	multiple float64
	seed     uint64
}

func newGenerator(t *ein.Tensor, r *roles, s step, seed uint64) generator {
	h := fnv.New64a()
	h.Write([]byte(t.Name))
	return generator{step: s, role: r.of[t], multiple: math.Pow(float64(r.odd), float64(s.scaled)), seed: mix(seed ^ h.Sum64())}
}

// at is the number at a position. Divisors are powers of two, and their squares under a
// reciprocal root; under a root are squares.
func (g generator) at(position int64) float64 {
	h := mix(g.seed + uint64(position))
	sign := 1.0
	if h&1 == 1 && !g.step.natural {
		sign = -1
	}
	choice, draw := h>>1%uint64(g.step.one), int64(h>>32)
	switch {
	case g.role&reciprocal != 0:
		return math.Ldexp(1, 2*int(draw%min(g.step.limit, 3))) // 1, 4 or 16
	case g.role&(divides|rooted) == divides|rooted:
		return math.Ldexp(1, 2*int(draw%min(g.step.limit, 3)))
	case g.role&divides != 0:
		return sign * math.Ldexp(1, int(draw%min(g.step.limit, 3)))
	case choice != 0:
		return 0
	case g.role&rooted != 0:
		root := g.multiple * float64(1+draw%g.step.limit)
		return root * root
	}
	return sign * g.multiple * float64(1+draw%g.step.limit)
}
