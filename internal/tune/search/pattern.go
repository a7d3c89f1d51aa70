package search

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/space"
)

// pattern is a pattern search (Hooke and Jeeves): from the best point it tries steps
// up and down along each parameter; a success moves there, a round without one halves
// the step, and when single steps fail it starts again at a random point.
type pattern struct {
	config
	centre   space.Point
	cost     float64
	step     float64 // of the unit cube
	queue    []space.Point
	proposed map[string]bool
	waiting  int
	restart  bool // a random centre is being tried
}

func newPattern(c config) Strategy {
	return &pattern{config: c, cost: math.Inf(1), step: firstStep, proposed: map[string]bool{}}
}

const (
	firstStep = 0.25
	lastStep  = 1e-3
)

func (s *pattern) Next() (space.Point, bool) {
	if s.centre == nil {
		return s.propose(s.space.Random(s.rng)), true
	}
	if len(s.queue) == 0 {
		if s.waiting > 0 {
			return nil, false
		}
		s.round()
	}
	p := s.queue[0]
	s.queue = s.queue[1:]
	return s.propose(p), true
}

func (s *pattern) propose(p space.Point) space.Point {
	if key := s.space.Key(p); !s.proposed[key] {
		s.proposed[key] = true
		s.waiting++
	}
	return p
}

// round fills the queue around the centre; where there is nothing left to try, with
// a random centre.
func (s *pattern) round() {
	at := s.space.Coordinates(s.centre)
	for ; s.step > lastStep && len(s.queue) == 0; s.step /= 2 {
		for _, parameter := range s.rng.Perm(len(at)) {
			choices := s.space.Choices(s.centre, parameter)
			here := slices.Index(choices, s.centre[parameter])
			stride := int(math.Round(s.step * float64(len(choices)-1)))
			if stride == 0 && s.step > 2*lastStep { // wait for the finest step
				continue
			}
			for _, to := range []int{here - max(1, stride), here + max(1, stride)} {
				if to < 0 || to >= len(choices) || to == here {
					continue
				}
				q := slices.Clone(s.centre)
				q[parameter] = choices[to]
				s.queue = append(s.queue, s.space.Repair(q))
			}
		}
	}
	if len(s.queue) == 0 {
		s.queue = []space.Point{s.space.Random(s.rng)}
		s.restart, s.cost = true, math.Inf(1)
	}
}

func (s *pattern) Report(p space.Point, seconds float64, failed bool) {
	c, key := cost(seconds, failed), s.space.Key(p)
	if s.proposed[key] {
		delete(s.proposed, key)
		s.waiting--
	}
	if c < s.cost {
		if s.restart {
			s.restart, s.step = false, firstStep
		}
		s.centre, s.cost = p, c
		s.queue = nil
		s.step = min(firstStep, 2*s.step)
	}
}
