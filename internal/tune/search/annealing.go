package search

import (
	"math"

	"github.com/ricci-lang/ricci/internal/space"
)

// annealing walks from neighbour to neighbour. A worse one is accepted with the
// probability exp(−ln(new/old)/temperature): what counts is the ratio of costs, since
// their scale is not known. A cold walk is reheated at the best point.
type annealing struct {
	config
	current     space.Point
	cost        float64
	best        space.Point
	bestCost    float64
	temperature float64
	proposed    map[string]bool
}

// The temperatures: at the hottest a point that is 1.5 times as slow is accepted in
// four cases of ten, at the coldest one that is 2 % slower in one of ten.
const (
	hot     = 0.45
	cold    = 0.009
	cooling = 0.975 // per report
)

func newAnnealing(c config) Strategy {
	return &annealing{config: c, cost: math.Inf(1), bestCost: math.Inf(1), temperature: hot, proposed: map[string]bool{}}
}

func (a *annealing) Next() (space.Point, bool) {
	p := a.space.Random(a.rng)
	if a.current != nil {
		p = a.space.Neighbour(a.current, a.rng)
	}
	a.proposed[a.space.Key(p)] = true
	return p, true
}

func (a *annealing) Report(p space.Point, seconds float64, failed bool) {
	c, key := cost(seconds, failed), a.space.Key(p)
	if c < a.bestCost {
		a.best, a.bestCost, a.current, a.cost = p, c, p, c
	}
	if !a.proposed[key] {
		return
	}
	delete(a.proposed, key)
	if c < a.cost || !math.IsInf(c, 1) && a.rng.Float64() < math.Exp(-math.Log(c/a.cost)/a.temperature) {
		a.current, a.cost = p, c
	}
	if a.temperature *= cooling; a.temperature < cold {
		a.temperature, a.current, a.cost = hot, a.best, a.bestCost
	}
}
