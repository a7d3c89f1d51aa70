package field

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/ricci-lang/ricci/internal/sweep"
)

// Every rewriting makes its term smaller in a measure, and with it every term of which it is a part, so each pass ends. A
// measure is a list of positive integers of which the first that differ are compared. Each is made for a term of those of
// its parts, by an operation that grows strictly with each of them: what a rule does to a part it does to the whole.
//
//	    leaf                 −e      f(e)    a + b       a*b         a/b         Σ_i e   ∂[i] ⋄ e   e @ x
//	Q   1, δ 3, ε 100 + …    e       e       a + b       a*b         a*b         e       e          e
//	N   2                    2*e     e + 1   a + b + 1   a*b         2*a*b       2*e     e³         e²
//	S   3, number 2          e       e + 1   a + b + 1   a + b + 1   a + b + 2   3*e     e³         e²
//	M   2                    e + 1   e + 1   a + b + 1   a*b         2*a + 2*b   e²      e³         e²
//
// A field that is composed, e ∘ [g, h], is e*(g + h + 1), and one at a place that is computed, e @ [p, q], is e²*(p + q), in N,
// S and M; in Q both are products of their parts. A cube of the first exceeds the cubes that the chain rule makes, and its
// square, probed, the square of e by the sum of the squares of g and h.
//
// Where derivatives and probes go down it is S, N, M: a cube exceeds what the product, quotient and chain rules make of the
// parts, a square what probes do; numbers count as nothing in the S of a product. Elsewhere it is Q, N, S, M; Q is for ε-δ
// rules, where two ε become less than their product and an ε that is not in order counts more (…), N for products that are
// distributed over sums, S for sums over less, M for signs and quotients that go out of products. (A measure in print has
// S·5^S for ∂, which no machine can compute for a third derivative.)
type measure struct {
	name  string
	of    func(t *Term, parts []*big.Int) *big.Int
	known map[*Term]*big.Int
}

func measures(p phase) []*measure {
	q, n, s, m := &measure{name: "Q", of: measureQ}, &measure{name: "N", of: measureN}, &measure{name: "S", of: measureS}, &measure{name: "M", of: measureM}
	list := []*measure{q, n, s, m}
	if p == differentiate {
		list = []*measure{s, n, m}
	}
	for _, m := range list {
		m.known = map[*Term]*big.Int{}
	}
	return list
}

func (m *measure) value(t *Term) *big.Int {
	if v, ok := m.known[t]; ok {
		return v
	}
	parts := make([]*big.Int, len(t.Args))
	for n, a := range t.Args {
		parts[n] = m.value(a)
	}
	v := m.of(t, parts)
	m.known[t] = v
	return v
}

func total(parts []*big.Int, plus int) *big.Int {
	sum := big.NewInt(int64(plus))
	for _, p := range parts {
		sum.Add(sum, p)
	}
	return sum
}

func product(first int64, parts []*big.Int) *big.Int {
	v := big.NewInt(first)
	for _, p := range parts {
		v.Mul(v, p)
	}
	return v
}

func power(v *big.Int, n int) *big.Int { return new(big.Int).Exp(v, big.NewInt(int64(n)), nil) }

// growth is what measures have in common: what ∂, @ and functions do.
func growth(t *Term, parts []*big.Int, leaf int64) *big.Int {
	switch {
	case t.Op == Compose:
		return new(big.Int).Mul(parts[0], total(parts[1:], 1))
	case t.Op == Probe && t.Param == nil:
		return new(big.Int).Mul(power(parts[0], 2), total(parts[1:], 0))
	case t.Op == Probe:
		return power(parts[0], 2)
	case t.Op == Partial:
		v := parts[0]
		for range t.Indices {
			v = power(v, 3)
		}
		return v
	case len(parts) == 0:
		return big.NewInt(leaf)
	}
	return total(parts, 1)
}

func measureQ(t *Term, parts []*big.Int) *big.Int {
	switch t.Op {
	case Delta:
		return big.NewInt(3)
	case Epsilon:
		return big.NewInt(int64(100 + inversions(t.Indices)))
	case Add:
		return total(parts, 0)
	}
	return product(1, parts)
}

func measureN(t *Term, parts []*big.Int) *big.Int {
	switch t.Op {
	case Neg, Div:
		return product(2, parts)
	case Add:
		return total(parts, len(parts)-1)
	case Mul:
		return product(1, parts)
	case Sum:
		return product(1<<len(t.Indices), parts)
	}
	return growth(t, parts, 2)
}

func measureS(t *Term, parts []*big.Int) *big.Int {
	switch t.Op {
	case Rational:
		return big.NewInt(2)
	case Neg:
		return parts[0]
	case Mul:
		var others []*big.Int
		for n, a := range t.Args {
			if a.Op != Rational {
				others = append(others, parts[n])
			}
		}
		return total(others, max(2-2*len(others), len(others)-1))
	case Add:
		return total(parts, len(parts)-1)
	case Div:
		return total(parts, 2)
	case Sum:
		return new(big.Int).Mul(parts[0], power(big.NewInt(3), len(t.Indices)))
	}
	return growth(t, parts, 3)
}

func measureM(t *Term, parts []*big.Int) *big.Int {
	switch t.Op {
	case Neg:
		return total(parts, 1)
	case Div:
		return product(2, []*big.Int{total(parts, 0)})
	case Sum:
		return power(parts[0], 1<<len(t.Indices))
	}
	return measureN(t, parts)
}

// TestEveryStep draws fields, with all functions, and looks at every rewriting: the measure of the pass falls, and the sort
// of the term stays: it is a field that can be differentiated as often, or a number.
func TestEveryStep(t *testing.T) {
	used := map[*Rule]int{}
	check := func(s *Store, o *Operator) {
		lists := map[phase][]*measure{}
		observe := func(p phase, r *Rule, before, after *Term) error {
			if lists[p] == nil {
				lists[p] = measures(p)
			}
			used[r]++
			if err := falls(lists[p], before, after); err != nil {
				return fmt.Errorf("%s, %s: %w", r.Number, r.Law, err)
			}
			return sortStays(s, r, before, after)
		}
		if _, _, err := s.Normalise(o, NormaliseOptions{observe: observe}); err != nil {
			t.Errorf("%s\n%v", o, err)
		}
	}
	for seed := range sweep.Draws(t, 200, 3000) {
		d := newDrawer(uint64(seed), seed%2 == 0)
		check(d.Store, d.probed(3+seed%3))
	}
	for _, line := range linesOfRules(t) {
		s := NewStore()
		o, err := s.ParseOperator(line)
		if err != nil {
			t.Fatal(err)
		}
		check(s, o)
	}
	for _, study := range studies {
		b := newBuilder(t)
		check(b.Store, b.probe(b.nth(min(2, study.orders(b)), study.field(b))))
	}
	for _, r := range ruleTable {
		if r.apply != nil && used[r] == 0 {
			t.Errorf("%s, %s, was not used", r.Number, r.Law)
		}
	}
}

func falls(list []*measure, before, after *Term) error {
	for _, m := range list {
		switch m.value(after).Cmp(m.value(before)) {
		case -1:
			return nil
		case 1:
			return fmt.Errorf("%s grows from %v to %v: %s ⇒ %s", m.name, m.value(before), m.value(after), before, after)
		}
	}
	return fmt.Errorf("all measures stay: %s ⇒ %s", before, after)
}

func sortStays(s *Store, r *Rule, before, after *Term) error {
	v := verifier{known: map[*Term]Sort{}, params: s.Operator(nil, before).Params}
	was, err := v.sort(before)
	if err != nil {
		return err
	}
	is, err := v.sort(after)
	if err != nil || !is.Constant && (is.Field != was.Field && !was.Constant || is.K < was.K || was.Dim*is.Dim != 0 && was.Dim != is.Dim) {
		return fmt.Errorf("%s: %s ⇒ %s is of sort %v, not %v: %v", r.Number, before, after, is, was, err)
	}
	return nil
}
