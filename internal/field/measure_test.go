package field

import "math/big"

// Every rewriting makes its term smaller in a measure, and with it every term of which it is a part, so normalisation
// ends. A measure is a list of positive integers of which the first that differ are compared. Each is made for a term of
// those of its parts, by an operation that grows strictly with each of them: what a rule does to a part it does to the whole.
//
//	        leaf        −e      f(e)    a + b       a*b     a/b         Σ_i e   ∂[i] ⋄ e   e @ x
//	E       1, ε 3      e       e       a + b       a*b     a*b         e       e          e         of ε-δ phases only
//	D       1, δ 2      e       e       a + b       a*b     a*b         e       e          e         of ε-δ phases only
//	I       inversions  e       e       a + b       a + b   a + b       e       e          e         of ε-δ phases only
//	S       3, number 2 e       e + 1   a + b + 1   a+b+1   a + b + 2   3*e     e³         e²
//	N       2           2*e     e + 1   a + b + 1   a*b     2*a*b       2*e     e³         e²
//	M       2           e + 1   e + 1   a + b + 1   a*b     2*a + 2*b   2*e     e³         e²
//
// S makes derivatives and probes go down: a cube exceeds what the product, quotient and chain rules make of the parts, a
// square what probes do. N makes signs go into sums, M makes signs and quotients go out of products. R29 doubles what
// stands beside two ε, so E comes first, in which they are a factor 9 that becomes 2; then D, and I for the order of the
// indices of an ε. (A measure in print has S·5^S for ∂, which no machine can compute for a third derivative.)
type measurement struct {
	names [6]string
	of    [6]func(t *Term, parts []*big.Int) *big.Int
	known [6]map[*Term]*big.Int
}

func newMeasurement() *measurement {
	m := &measurement{
		names: [6]string{"E", "D", "I", "S", "N", "M"},
		of: [6]func(*Term, []*big.Int) *big.Int{
			countFactors(Epsilon, 3), countFactors(Delta, 2), countInversions, measureS, measureN, measureM,
		},
	}
	for i := range m.known {
		m.known[i] = map[*Term]*big.Int{}
	}
	return m
}

// compare is −1 if a is smaller than b in what counts in a phase.
func (m *measurement) compare(p phase, a, b *Term) int {
	first := 3
	if p&(prepare|reduce) != 0 {
		first = 0
	}
	for i := first; i < len(m.of); i++ {
		if order := m.value(i, a).Cmp(m.value(i, b)); order != 0 {
			return order
		}
	}
	return 0
}

func (m *measurement) value(i int, t *Term) *big.Int {
	if v, ok := m.known[i][t]; ok {
		return v
	}
	parts := make([]*big.Int, len(t.Args))
	for n, a := range t.Args {
		parts[n] = m.value(i, a)
	}
	v := m.of[i](t, parts)
	m.known[i][t] = v
	return v
}

func total(parts []*big.Int) *big.Int {
	sum := new(big.Int)
	for _, p := range parts {
		sum.Add(sum, p)
	}
	return sum
}

func product(parts []*big.Int) *big.Int {
	v := big.NewInt(1)
	for _, p := range parts {
		v.Mul(v, p)
	}
	return v
}

func plus(v *big.Int, n int) *big.Int { return v.Add(v, big.NewInt(int64(n))) }

func countFactors(op Op, weight int64) func(*Term, []*big.Int) *big.Int {
	return func(t *Term, parts []*big.Int) *big.Int {
		switch {
		case t.Op == op:
			return big.NewInt(weight)
		case t.Op == Add:
			return total(parts)
		}
		return product(parts)
	}
}

func countInversions(t *Term, parts []*big.Int) *big.Int {
	v := plus(total(parts), 1)
	if t.Op == Epsilon {
		plus(v, inversions(t.Indices))
	}
	return v
}

func power(v *big.Int, n int) *big.Int { return new(big.Int).Exp(v, big.NewInt(int64(n)), nil) }

// derived is what measures of ∂ and @ have in common.
func derived(t *Term, part *big.Int) *big.Int {
	if t.Op == Probe {
		return power(part, 2)
	}
	for range t.Indices {
		part = power(part, 3)
	}
	return part
}

func measureS(t *Term, parts []*big.Int) *big.Int {
	switch t.Op {
	case Rational:
		return big.NewInt(2)
	case Neg:
		return parts[0]
	case Add, Mul:
		return plus(total(parts), len(parts)-1)
	case Div:
		return plus(total(parts), 2)
	case Sum:
		return new(big.Int).Mul(parts[0], power(big.NewInt(3), len(t.Indices)))
	case Partial, Probe:
		return derived(t, parts[0])
	}
	return leafOrFunction(parts, 3)
}

func leafOrFunction(parts []*big.Int, leaf int64) *big.Int {
	if len(parts) == 0 {
		return big.NewInt(leaf)
	}
	return plus(total(parts), 1)
}

func measureN(t *Term, parts []*big.Int) *big.Int {
	two := big.NewInt(2)
	switch t.Op {
	case Neg:
		return two.Mul(two, parts[0])
	case Add:
		return plus(total(parts), len(parts)-1)
	case Mul:
		return product(parts)
	case Div:
		return two.Mul(two, product(parts))
	case Sum:
		return new(big.Int).Mul(parts[0], power(two, len(t.Indices)))
	case Partial, Probe:
		return derived(t, parts[0])
	}
	return leafOrFunction(parts, 2)
}

func measureM(t *Term, parts []*big.Int) *big.Int {
	two := big.NewInt(2)
	switch t.Op {
	case Neg:
		return plus(total(parts), 1)
	case Div:
		return two.Mul(two, total(parts))
	}
	return measureN(t, parts)
}
