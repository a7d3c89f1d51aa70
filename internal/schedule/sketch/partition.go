package sketch

import (
	"math"
	"slices"

	"github.com/ricci-lang/ricci/internal/schedule"
	"github.com/ricci-lang/ricci/internal/schedule/grids"
)

// choose takes the cheapest legal way through the statements.
func (s *sketcher) choose() (*Choice, error) {
	for s.checked < s.mostChecked() {
		launches := s.cheapest()
		if launches == nil {
			break
		}
		t := s.tree(launches)
		if s.isLegal(t) {
			return &Choice{Tree: t, Launches: launches, Judged: s.judged, Checked: s.checked, supposed: assumption(s.whole), others: s.compared(launches)}, nil
		}
		if !s.refuse(launches) { // each is legal alone
			break
		}
	}
	t, err := grids.Default(s.whole, *s.p.Grid)
	return &Choice{Tree: t, Judged: s.judged, Checked: s.checked}, err
}

// isLegal reports whether a tree may be the schedule.
func (s *sketcher) isLegal(t *schedule.Tree) bool {
	s.checked++
	return schedule.Check(s.whole, t) == nil && (s.accept == nil || s.accept(t))
}

func (s *sketcher) mostChecked() int {
	if s.accept != nil {
		return mostOpen
	}
	return mostRefused
}

// best is the first candidate of a subject that is not refused; nil: there is none.
func best(list []*Candidate) *Candidate {
	if k := slices.IndexFunc(list, func(c *Candidate) bool { return !c.refused }); k >= 0 {
		return list[k]
	}
	return nil
}

// cheapest cuts the statements into launches so that the sum of their times is least.
func (s *sketcher) cheapest() []*Candidate {
	n := len(s.f.Body)
	least, from := make([]float64, n+1), make([]*Candidate, n+1)
	for k := range least[1:] {
		least[k+1] = math.Inf(1)
	}
	for first, windows := range s.windows {
		for more, list := range windows {
			c := best(list)
			if end := first + more + 1; c != nil && least[first]+c.Seconds < least[end] {
				least[end], from[end] = least[first]+c.Seconds, c
			}
		}
	}
	var launches []*Candidate
	for at := n; at > 0; at = from[at].First {
		if from[at] == nil {
			return nil
		}
		launches = append(launches, from[at])
	}
	slices.Reverse(launches)
	return launches
}

// refuse checks launches alone, and reports whether some of them are no candidates any more.
func (s *sketcher) refuse(launches []*Candidate) (some bool) {
	for _, c := range launches {
		if c.accepted || c.Rule == oneItem {
			continue
		}
		if s.legalAlone(c) {
			c.accepted = true
			continue
		}
		c.refused, some = true, true
		s.refuseAlike(c)
	}
	return some
}

// refuseAlike gives up on a rule for the statements of a launch where sizes are open and some of its candidates were refused: what is
// not proved of these is seldom proved of the others, and proofs that fail take time.
func (s *sketcher) refuseAlike(c *Candidate) {
	if s.accept == nil {
		return
	}
	var alike []*Candidate
	refused := 0
	for _, other := range s.windows[c.First][c.Last-c.First] {
		if other.Rule == c.Rule {
			alike = append(alike, other)
			if other.refused {
				refused++
			}
		}
	}
	if refused < mostAlike {
		return
	}
	for _, other := range alike {
		other.refused = other.refused || !other.accepted
	}
}

// alone puts a launch among the plain loops of other statements.
func (s *sketcher) alone(c *Candidate) (all []*Candidate) {
	for n := range s.f.Body {
		switch {
		case n == c.First:
			all = append(all, c)
		case n < c.First || n > c.Last:
			all = append(all, &Candidate{Rule: oneItem, First: n, Last: n, Node: s.plain[n]})
		}
	}
	return all
}

// legalAlone reports whether the dependences allow a launch, among the plain loops of other statements.
func (s *sketcher) legalAlone(c *Candidate) bool {
	return s.isLegal(s.tree(s.alone(c)))
}
