package field

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How samples are put in order
//
// A place that is computed may depend on samples, whose places may do so, too. What results depend on is looked up from them:
// only that is computed. A sample belongs to the stage behind all those of its place.

// A stage is what is computed for samples, and they.
type stage struct {
	coordinates []*computed
	places      []madePlace
	samples     []*Sample
}

// A stager puts what is reached into stages.
type stager struct {
	*expander
	list    []*stage
	made    map[*ein.Local]int     // the number of the place in expander.made that computes it
	sampled map[*ein.Local]*Sample // the sample of which it is a number
	wanted  map[*ein.Local]bool    // numbers of samples that are used
	at      map[any]int            // the stage behind which it is known: of scalars, places, samples and coordinates
}

// stages are those of results and places that are asked for.
func (e *expander) stages(results [][]scaled, asked []*ein.Local) []*stage {
	s := &stager{expander: e, made: map[*ein.Local]int{}, sampled: map[*ein.Local]*Sample{}, wanted: map[*ein.Local]bool{}, at: map[any]int{}}
	for n, p := range e.made {
		for k, l := range p.at {
			if own, ok := p.values[k].isLocal(); !ok || own != l { // else it is one that is given
				s.made[l] = n
			}
		}
	}
	for _, sample := range e.samples {
		for _, w := range sample.Wanted {
			s.sampled[w.To] = sample
		}
	}
	for _, l := range asked {
		s.local(l)
	}
	for _, list := range results {
		for _, v := range list {
			s.number(v)
		}
	}
	for _, sample := range e.samples {
		sample.Wanted = slices.DeleteFunc(sample.Wanted, func(w Wanted) bool { return !s.wanted[w.To] })
	}
	s.inOrder()
	return s.list
}

// number is behind how many stages a number is known.
func (s *stager) number(v scaled) int {
	if v.of == nil {
		return 0
	}
	if n, ok := s.at[v.of]; ok {
		return n
	}
	n := 0
	for _, a := range v.of.args {
		n = max(n, s.number(a))
	}
	if r, ok := v.of.atom.(*ein.LocalRef); ok {
		n = s.local(r.Local)
	}
	s.at[v.of] = n
	return n
}

// local is behind how many stages a local is known.
func (s *stager) local(l *ein.Local) int {
	if c := s.byLocal[l]; c != nil {
		n := s.number(c.value)
		s.at[c] = n
		return n
	}
	if sample := s.sampled[l]; sample != nil {
		s.wanted[l] = true
		return s.sample(sample) + 1
	}
	if n, ok := s.made[l]; ok {
		return s.place(n)
	}
	return 0
}

// place is the stage that computes a place.
func (s *stager) place(number int) int {
	n := 0
	for _, v := range s.expander.made[number].values {
		n = max(n, s.number(v))
	}
	s.at[number] = n
	return n
}

// sample is the stage of a sample.
func (s *stager) sample(sample *Sample) int {
	n := 0
	for _, l := range sample.At {
		n = max(n, s.local(l))
	}
	s.at[sample] = n
	return n
}

// inOrder gives each stage what belongs to it, in the order in which it was made.
func (s *stager) inOrder() {
	stage := func(n int) *stage {
		for len(s.list) <= n {
			s.list = append(s.list, &stage{})
		}
		return s.list[n]
	}
	for _, c := range s.coordinates {
		if n, ok := s.at[c]; ok {
			to := stage(n)
			to.coordinates = append(to.coordinates, c)
		}
	}
	for number, p := range s.expander.made {
		if n, ok := s.at[number]; ok {
			to := stage(n)
			to.places = append(to.places, p)
		}
	}
	for _, sample := range s.samples {
		if n, ok := s.at[sample]; ok {
			to := stage(n)
			to.samples = append(to.samples, sample)
		}
	}
}
