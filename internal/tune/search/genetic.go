package search

import (
	"cmp"
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/space"
)

// genetic is the search of Tensor Comprehensions: generations of candidates; parents
// are drawn in proportion to their speed, a child takes each parameter from one of
// three of them, and mutates; the elite survives unchanged.
type genetic struct {
	config
	size, elite int
	members     []member // the generation so far, with the elite of the last one
	seen        map[string]bool
	queue       []space.Point
	waiting     map[string]bool
}

// The rates of Tensor Comprehensions.
const (
	populationSize = 100
	eliteSize      = 10
	crossoverRate  = 0.8
	mutationRate   = 0.07
)

func newGenetic(c config) Strategy { return newPopulation(c, populationSize, eliteSize) }

// newPopulation returns a genetic search with generations of a size.
func newPopulation(c config, size, elite int) *genetic {
	return &genetic{config: c, size: size, elite: elite, seen: map[string]bool{}, waiting: map[string]bool{}}
}

func (g *genetic) Next() (space.Point, bool) {
	if len(g.queue) == 0 {
		switch room := g.size - len(g.members) - len(g.waiting); {
		case room > 0 && len(g.queue) == 0 && !g.bred():
			p := g.space.Random(g.rng)
			g.waiting[g.space.Key(p)] = true
			return p, true
		case len(g.waiting) > 0:
			return nil, false
		}
		g.breed()
	}
	p := g.queue[0]
	g.queue = g.queue[1:]
	g.waiting[g.space.Key(p)] = true
	return p, true
}

// bred reports whether the first generation is complete.
func (g *genetic) bred() bool { return len(g.members) >= g.size }

// breed makes the next generation.
func (g *genetic) breed() {
	slices.SortStableFunc(g.members, func(a, b member) int { return cmp.Compare(a.cost, b.cost) })
	g.members = g.members[:min(len(g.members), g.size)]
	sums := make([]float64, len(g.members))
	total := 0.0
	for i, m := range g.members {
		total += g.members[0].cost / m.cost // 0 for failures
		sums[i] = total
	}
	parent := func() space.Point {
		if math.IsNaN(total) || total == 0 { // nothing works yet
			return g.space.Random(g.rng)
		}
		at, _ := slices.BinarySearch(sums, g.rng.Float64()*total)
		return g.members[min(at, len(sums)-1)].point
	}
	for len(g.queue) < g.size-g.elite {
		child := parent()
		if g.rng.Float64() < crossoverRate {
			child = g.space.Crossover(g.rng, child, parent(), parent())
		}
		child = g.space.Mutate(child, mutationRate, g.rng)
		for tries := 0; g.seen[g.space.Key(child)] && tries < 8; tries++ {
			child = g.space.Neighbour(child, g.rng)
		}
		g.queue = append(g.queue, child)
	}
	g.members = g.members[:min(len(g.members), g.elite)]
}

func (g *genetic) Report(p space.Point, seconds float64, failed bool) {
	key := g.space.Key(p)
	delete(g.waiting, key)
	if !g.seen[key] {
		g.seen[key] = true
		g.members = append(g.members, member{p, cost(seconds, failed)})
	}
}
