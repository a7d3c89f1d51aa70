package search

import (
	"math"

	"github.com/ricci-lang/ricci/internal/space"
)

// bandit shares the proposals out to other strategies by the merit that they had
// lately: OpenTuner's multi-armed bandit with sliding window, area-under-the-curve
// credit assignment (Ansel et al. 2014). All of them are told everything.
type bandit struct {
	config
	arms    []Strategy
	window  []use
	pending map[string][]int // the arms that wait for a point, in order
	best    float64
}

// use is one proposal of an arm, and whether it gave a new best point.
type use struct {
	arm    int
	better bool
}

const (
	windowSize  = 500
	exploration = 0.05 // OpenTuner's weight of trying what was seldom tried
)

func newBandit(c config) Strategy {
	b := &bandit{config: c, pending: map[string][]int{}, best: math.Inf(1)}
	for name, make := range []func(config) Strategy{
		newPattern, newEvolution, newAnnealing, newRandom,
		func(c config) Strategy { return newPopulation(c, 30, 4) },
	} {
		arm := config{space: c.space, rng: newRand(c.rng.Uint64(), string(rune('a'+name)))}
		b.arms = append(b.arms, make(arm))
	}
	return b
}

func (b *bandit) Next() (space.Point, bool) {
	idle := make([]bool, len(b.arms))
	for range b.arms {
		arm := b.choose(idle)
		p, ok := b.arms[arm].Next()
		if ok {
			key := b.space.Key(p)
			b.pending[key] = append(b.pending[key], arm)
			return p, true
		}
		idle[arm] = true
	}
	return nil, false
}

// choose returns the arm with the best score.
func (b *bandit) choose(idle []bool) int {
	uses, area := make([]int, len(b.arms)), make([]float64, len(b.arms))
	for _, u := range b.window {
		uses[u.arm]++
		if u.better {
			area[u.arm] += float64(uses[u.arm])
		}
	}
	for _, arms := range b.pending { // what is outstanding counts as tried
		for _, arm := range arms {
			uses[arm]++
		}
	}
	total := 1
	for _, n := range uses {
		total += n
	}
	found, best := -1, math.Inf(-1)
	for arm := range b.arms {
		score := math.Inf(1)
		if n := float64(uses[arm]); n > 0 {
			score = area[arm]*2/(n*(n+1)) + exploration*math.Sqrt(2*math.Log2(float64(total))/n)
		}
		if !idle[arm] && score > best {
			found, best = arm, score
		}
	}
	return found
}

func (b *bandit) Report(p space.Point, seconds float64, failed bool) {
	c, key := cost(seconds, failed), b.space.Key(p)
	better := c < b.best
	b.best = min(b.best, c)
	if waiting := b.pending[key]; len(waiting) > 0 {
		b.window = append(b.window, use{waiting[0], better})
		if len(b.window) > windowSize {
			b.window = b.window[1:]
		}
		if b.pending[key] = waiting[1:]; len(waiting) == 1 {
			delete(b.pending, key)
		}
	}
	for _, arm := range b.arms {
		arm.Report(p, seconds, failed)
	}
}
