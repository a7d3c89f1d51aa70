package space

import (
	"math"
	"math/rand/v2"
	"slices"
)

// descend makes a point by choosing on the way down: choose gets the number of the
// parameter, the choices that lead somewhere, and returns one of them.
func (s *Space) descend(choose func(parameter int, choices []int64) int64) Point {
	p := make(Point, 0, len(s.names))
	for _, t := range s.trees {
		for d := range t.group {
			p = append(p, choose(t.first+d, t.choices(p[t.first:])))
		}
	}
	return p
}

// nearest returns the choice that is closest to a value, the first of several.
func nearest(choices []int64, want int64) int64 {
	best, distance := choices[0], math.Inf(1)
	for _, v := range choices {
		if d := math.Abs(float64(v) - float64(want)); d < distance {
			best, distance = v, d
		}
	}
	return best
}

// Repair returns the point that has the wanted values where the choices before them
// allow it, and the nearest allowed ones elsewhere; missing values count as 0.
func (s *Space) Repair(want Point) Point {
	return s.descend(func(parameter int, choices []int64) int64 {
		if parameter >= len(want) {
			return nearest(choices, 0)
		}
		return nearest(choices, want[parameter])
	})
}

// Neighbour returns a point that differs from p in one parameter, and in those after
// it only as far as they must follow. Half of the moves are to an adjacent value. The
// only point of a space is its own neighbour.
func (s *Space) Neighbour(p Point, rng *rand.Rand) Point {
	for _, parameter := range rng.Perm(len(s.names)) {
		choices := s.Choices(p, parameter)
		at := slices.Index(choices, p[parameter])
		if len(choices) < 2 || at < 0 {
			continue
		}
		to := rng.IntN(len(choices) - 1)
		if to >= at {
			to++
		}
		if rng.IntN(2) == 0 {
			to = at - 1 + 2*rng.IntN(2)
			if to < 0 || to >= len(choices) {
				to = 2*at - to
			}
		}
		q := slices.Clone(p)
		q[parameter] = choices[to]
		return s.Repair(q)
	}
	return slices.Clone(p)
}

// Choices lists what a parameter of p could be after the parameters before it.
func (s *Space) Choices(p Point, parameter int) []int64 {
	for _, t := range s.trees {
		if d := parameter - t.first; d < len(t.group) {
			return t.choices(p[t.first:parameter])
		}
	}
	return nil
}

// Mutate gives every parameter a random value with a probability, and repairs.
func (s *Space) Mutate(p Point, rate float64, rng *rand.Rand) Point {
	return s.descend(func(parameter int, choices []int64) int64 {
		if rng.Float64() < rate {
			return choices[rng.IntN(len(choices))]
		}
		return nearest(choices, p[parameter])
	})
}

// Crossover takes every parameter from a random parent, and repairs.
func (s *Space) Crossover(rng *rand.Rand, parents ...Point) Point {
	return s.descend(func(parameter int, choices []int64) int64 {
		return nearest(choices, parents[rng.IntN(len(parents))][parameter])
	})
}

// Coordinates places a point in the unit cube: each value by its position among the
// choices after those before it.
func (s *Space) Coordinates(p Point) []float64 {
	list := make([]float64, len(p))
	for parameter := range p {
		choices := s.Choices(p, parameter)
		at := slices.Index(choices, p[parameter])
		if at >= 0 && len(choices) > 1 {
			list[parameter] = float64(at) / float64(len(choices)-1)
		}
	}
	return list
}

// FromCoordinates returns the point at a place of the unit cube; coordinates outside
// of it count as on its surface.
func (s *Space) FromCoordinates(unit []float64) Point {
	return s.descend(func(parameter int, choices []int64) int64 {
		u := min(1, max(0, unit[parameter]))
		return choices[int(math.Round(u*float64(len(choices)-1)))]
	})
}
