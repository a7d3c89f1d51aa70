package search

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/space"
)

// evolution is differential evolution (Storn and Price) in the unit cube, whose
// places stand for points: a member is challenged by a mixture of itself and of
// best + F·(a − b), and gives way if it is slower.
type evolution struct {
	config
	members  []member
	size     int
	target   int              // the next member to be challenged
	proposed map[string][]int // the members that a point challenges
}

// member is a point with its cost.
type member struct {
	point space.Point
	cost  float64
}

const mixing = 0.7 // the part of the parameters that a challenger changes

func newEvolution(c config) Strategy {
	return &evolution{config: c, size: max(10, min(30, 3*len(c.space.Names()))), proposed: map[string][]int{}}
}

func (e *evolution) Next() (space.Point, bool) {
	if len(e.members) < e.size {
		p := e.space.Random(e.rng)
		return p, true
	}
	target := e.target
	e.target = (e.target + 1) % len(e.members)
	p := e.challenger(target)
	key := e.space.Key(p)
	e.proposed[key] = append(e.proposed[key], target)
	return p, true
}

// challenger mixes a member with the best or a random one and a difference.
func (e *evolution) challenger(target int) space.Point {
	base := e.members[e.rng.IntN(len(e.members))]
	if e.rng.IntN(2) == 0 {
		base = e.members[e.fittest()]
	}
	a := e.space.Coordinates(e.members[e.rng.IntN(len(e.members))].point)
	b := e.space.Coordinates(e.members[e.rng.IntN(len(e.members))].point)
	unit, place := e.space.Coordinates(e.members[target].point), e.space.Coordinates(base.point)
	factor, sure := 0.4+0.6*e.rng.Float64(), e.rng.IntN(max(1, len(unit)))
	for i := range unit {
		if i == sure || e.rng.Float64() < mixing {
			unit[i] = bounce(place[i] + factor*(a[i]-b[i]))
		}
	}
	p := e.space.FromCoordinates(unit)
	if slices.Equal(p, e.members[target].point) { // rounded away
		return e.space.Neighbour(p, e.rng)
	}
	return p
}

// bounce mirrors a coordinate at the surface of the cube.
func bounce(u float64) float64 {
	if u < 0 {
		return min(1, -u)
	}
	if u > 1 {
		return max(0, 2-u)
	}
	return u
}

func (e *evolution) fittest() int {
	best := 0
	for i, m := range e.members {
		if m.cost < e.members[best].cost {
			best = i
		}
	}
	return best
}

func (e *evolution) Report(p space.Point, seconds float64, failed bool) {
	m, key := member{p, cost(seconds, failed)}, e.space.Key(p)
	targets := e.proposed[key]
	delete(e.proposed, key)
	if slices.ContainsFunc(e.members, func(o member) bool { return slices.Equal(o.point, p) }) {
		return
	}
	if len(e.members) < e.size {
		e.members = append(e.members, m)
		return
	}
	if targets == nil { // a stranger takes the place of the worst
		worst := 0
		for i, o := range e.members {
			if o.cost > e.members[worst].cost {
				worst = i
			}
		}
		targets = []int{worst}
	}
	for _, t := range targets {
		if m.cost < e.members[t].cost || math.IsInf(e.members[t].cost, 1) {
			e.members[t] = m
			return
		}
	}
}
