// Package search holds the strategies that decide which point of a space is tried
// next.
package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/space"
)

// How it works
//
// A strategy is asked for points and told what they cost. Several points may be
// asked for before the first answer comes, since candidates are compiled in
// parallel; answers come in the order of the questions. A strategy may also be told
// of points that it never asked for: those that were measured earlier, or that
// another strategy wanted (the bandit tells all of them everything).
//
// Strategies are functions of the seed and of what they are told: with the same
// seed and the same costs the sequence of points is the same. They may propose a
// point twice; the caller remembers costs and answers at once.
//
// Every strategy begins with the seeds that it is given: the default schedule, the
// best of the cost model, what was best for similar shapes.

// A Strategy proposes points.
type Strategy interface {
	// Next returns a point to try. With false it has nothing to propose until more
	// is reported; if nothing is outstanding, it is done.
	Next() (space.Point, bool)
	// Report tells the cost of a point in seconds, or that it failed.
	Report(p space.Point, seconds float64, failed bool)
}

// config is what every strategy starts from.
type config struct {
	space *space.Space
	rng   *rand.Rand
}

// A description is a row of the table of strategies.
type description struct {
	name, about string
	make        func(config) Strategy
}

// DefaultName is the strategy that is used when none is named.
const DefaultName = "bandit"

// strategies is the table; the order is that of the documentation.
func strategies() []description {
	return []description{
		{"bandit", "shares the trials out to the others by their success (OpenTuner's AUC bandit)", newBandit},
		{"exhaustive", "every point in the order of their numbers", newExhaustive},
		{"random", "points at random, none twice", newRandom},
		{"annealing", "simulated annealing: from neighbour to neighbour, sometimes to worse ones", newAnnealing},
		{"evolution", "differential evolution: differences of good points are tried on others", newEvolution},
		{"pattern", "pattern search: steps along each parameter, which get shorter", newPattern},
		{"genetic", "generations with three-parent crossover, as in Tensor Comprehensions", newGenetic},
	}
}

// Names lists the strategies.
func Names() []string {
	var list []string
	for _, d := range strategies() {
		list = append(list, d.name)
	}
	return list
}

// Describe returns a line for each strategy: its name and what it does.
func Describe() []string {
	var list []string
	for _, d := range strategies() {
		list = append(list, fmt.Sprintf("%-12s %s", d.name, d.about))
	}
	return list
}

// Named returns a strategy. Seeds that are no points of the space are repaired.
func Named(name string, s *space.Space, seed uint64, seeds []space.Point) (Strategy, error) {
	if name == "" {
		name = DefaultName
	}
	for _, d := range strategies() {
		if d.name == name {
			inner := d.make(config{space: s, rng: newRand(seed, name)})
			return &seeded{inner, slices.Clone(seeds), s}, nil
		}
	}
	return nil, fmt.Errorf("there is no search strategy %q; the strategies are %s", name, strings.Join(Names(), ", "))
}

// newRand returns a source of random numbers that depends on the seed and a name.
func newRand(seed uint64, name string) *rand.Rand {
	h := uint64(14695981039346656037) // FNV-1a
	for _, b := range []byte(name) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, h))
}

// cost maps a report to a number to minimise; failures are infinitely bad.
func cost(seconds float64, failed bool) float64 {
	if failed || math.IsNaN(seconds) {
		return math.Inf(1)
	}
	return seconds
}

// seeded proposes given points before those of its strategy.
type seeded struct {
	Strategy
	seeds []space.Point
	space *space.Space
}

func (s *seeded) Next() (space.Point, bool) {
	if len(s.seeds) == 0 {
		return s.Strategy.Next()
	}
	p := s.seeds[0]
	s.seeds = s.seeds[1:]
	return s.space.Repair(p), true
}
