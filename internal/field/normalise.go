package field

import (
	"errors"
	"fmt"
)

// NormaliseOptions say what Normalise leaves out; nothing by default.
type NormaliseOptions struct {
	Without Technique // what is left out, to measure what it is worth
	Fuel    int       // how many rewritings there may be; 0 is the default

	observe func(phase, *Rule, *Term, *Term) error // is told of every rewriting, for tests
}

// A Technique keeps terms small. The values can be combined.
type Technique uint8

// The techniques of the paper's sections 5.4 and 5.7. What splitting is worth says a Size.
const (
	Sharing    Technique = 1 << iota // a term is rewritten once, however often it occurs
	Epsilons                         // ε-δ rules
	SumBinding                       // sums are of as few factors as can be
)

// defaultFuel is far more than the largest programs take, a million; it stops what a mistake would let run for ever.
const defaultFuel = 1 << 24

// ErrFuel says that rewriting was stopped. The rules terminate (measure_test.go), so it is a mistake of a rule, or Sharing is
// left out of a large term.
var ErrFuel = errors.New("internal: a field was rewritten too often")

// Normalise rewrites an operator until derivatives and probes stand at its leaves: (V[α] ⊛ H^{β}) @ x, or at parameters
// that are fields (see Normal). Where the operator has a value the result has the same; it may have one at more points,
// since √s·√s is s and 0·e is 0.
//
// There are four passes, each of which ends by its measure (measure_test.go): the laws of ε, δ and linear operators on the
// field as it was written; derivatives and probes; ε and δ again; and the binding of sums.
func (s *Store) Normalise(o *Operator, options NormaliseOptions) (*Operator, Counters, error) {
	counters := Counters{Points: []Size{SizeOf("fused", o)}}
	if o.Body == nil {
		return o, counters, nil
	}
	body := o.Body
	for _, pass := range passes {
		if options.Without&pass.needs == 0 {
			n := newNormaliser(s, ruleTable, pass.phase, options)
			n.steps = counters.Steps
			body = n.term(body)
			counters.Steps = n.steps
			if n.err != nil {
				return nil, counters, fmt.Errorf("%w, in the pass that makes it %s, after %d rewritings", n.err, pass.name, n.steps)
			}
		}
		counters.Points = append(counters.Points, SizeOf(pass.name, &Operator{Params: o.Params, Shape: o.Shape, Body: body}))
	}
	normal := s.Operator(o.Shape, body)
	normal.Alike = s.alike(o)
	_, err := Verify(normal)
	return normal, counters, err
}

// passes are what Normalise does, one after the other.
var passes = []struct {
	name  string
	phase phase
	needs Technique // what has to be wanted
}{
	{"simplified", prepare, 0},
	{"normal", differentiate, 0},
	{"reduced", reduce, Epsilons},
	{"bound", bind, SumBinding},
}

// Normal reports whether derivatives and probes stand at leaves only.
func Normal(o *Operator) bool {
	seen := map[*Term]bool{}
	var normal func(t *Term) bool
	normal = func(t *Term) bool {
		if seen[t] {
			return true
		}
		seen[t] = true
		switch t.Op {
		case Partial:
			return t.Args[0].Op == Field
		case Compose:
			return false
		case Probe:
			leaf := t.Args[0].Op
			if leaf != Conv && leaf != Field && leaf != Partial {
				return false
			}
		}
		for _, a := range t.Args {
			if !normal(a) {
				return false
			}
		}
		return true
	}
	return o.Body == nil || normal(o.Body)
}

// A normaliser rewrites terms by the rules of a phase, the parts of a term first. What a term became is kept, so ∂ and @ of
// a term that occurs often are pushed down once.
type normaliser struct {
	*Store
	phase   phase
	table   []*Rule
	rules   [Sum + 1][]*Rule // those of the phase, by the kind of term that they rewrite
	options NormaliseOptions
	done    map[*Term]*Term
	reducer *normaliser // these two make what is compared for its cost
	binder  *normaliser
	steps   int
	err     error
}

func newNormaliser(s *Store, table []*Rule, p phase, options NormaliseOptions) *normaliser {
	if options.Fuel == 0 {
		options.Fuel = defaultFuel
	}
	n := &normaliser{Store: s, phase: p, table: table, options: options, done: map[*Term]*Term{}}
	for _, r := range table {
		if r.phases&p != 0 && !(r.epsilon && options.Without&Epsilons != 0) {
			n.rules[r.on] = append(n.rules[r.on], r)
		}
	}
	return n
}

// term is the normal form of a term.
func (n *normaliser) term(t *Term) *Term {
	if n.err != nil {
		return t
	}
	if r, ok := n.done[t]; ok {
		return r
	}
	r := n.parts(t)
	if next := n.step(r); next != nil {
		r = n.term(next)
	}
	if n.options.Without&Sharing == 0 {
		n.done[t], n.done[r] = r, r
	}
	return r
}

// step is what a rule makes of a term whose parts are normal, nil if none applies.
func (n *normaliser) step(t *Term) *Term {
	if n.err != nil {
		return nil
	}
	for _, rule := range n.rules[t.Op] {
		to := rule.apply(n, t)
		if to == nil {
			continue
		}
		if n.steps++; n.steps > n.options.Fuel {
			n.err = ErrFuel
		}
		if n.options.observe != nil && n.err == nil {
			n.err = n.options.observe(n.phase, rule, t, to)
		}
		return to
	}
	return nil
}

// parts makes the parts of a term normal.
func (n *normaliser) parts(t *Term) *Term {
	if len(t.Args) == 0 {
		return t
	}
	if t.Op == Sum {
		variables, body := n.open(t, t)
		return n.close(variables, n.term(body))
	}
	args := make([]*Term, len(t.Args))
	for i, a := range t.Args {
		args[i] = n.term(a)
	}
	return n.with(t, args...)
}
