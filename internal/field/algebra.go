package field

import (
	"math/big"
	"slices"
)

// distribute multiplies each summand by factors.
func (n *normaliser) distribute(factors []*Term, sum *Term) *Term {
	summands := make([]*Term, len(sum.Args))
	for i, a := range sum.Args {
		summands[i] = n.Mul(append(slices.Clone(factors), a)...)
	}
	return n.Add(summands...)
}

var one = big.NewRat(1, 1)

func isNumber(v int64) func(*Term) bool {
	return func(t *Term) bool {
		return t.Op == Rational && t.Value.IsInt() && t.Value.Num().IsInt64() && t.Value.Num().Int64() == v
	}
}

// without drops a number from a list.
func without(v int64) func(*normaliser, *Term) *Term {
	return func(n *normaliser, t *Term) *Term {
		if !slices.ContainsFunc(t.Args, isNumber(v)) {
			return nil
		}
		return n.list(t.Op, slices.DeleteFunc(slices.Clone(t.Args), isNumber(v)))
	}
}

// fold makes one number of those of a list, which stand first.
func fold(operation func(z, x, y *big.Rat) *big.Rat) func(*normaliser, *Term) *Term {
	return func(n *normaliser, t *Term) *Term {
		count := 1
		v := t.Args[0].Value
		for ; count < len(t.Args) && t.Args[count].Op == Rational; count++ {
			v = operation(new(big.Rat), v, t.Args[count].Value)
		}
		if count == 1 {
			return nil
		}
		return n.list(t.Op, append([]*Term{n.Rational(v)}, t.Args[count:]...))
	}
}

// ofNumber applies a function to a number if the result is one.
func ofNumber(n *normaliser, t *Term) *Term {
	e := t.Args[0]
	if e.Op != Rational {
		return nil
	}
	if t.Op == Abs || t.Op == Sgn {
		sign := big.NewRat(int64(e.Value.Sign()), 1)
		if t.Op == Abs {
			sign.Mul(sign, e.Value)
		}
		return n.Rational(sign)
	}
	v, err := Exact{}.Function(t.Op, e.Value)
	if err != nil {
		return nil
	}
	return n.Rational(v)
}

func ratPower(v *big.Rat, n int) *big.Rat {
	if n < 0 {
		v, n = new(big.Rat).Inv(v), -n
	}
	r := big.NewRat(1, 1)
	for range n {
		r.Mul(r, v)
	}
	return r
}

// coefficient takes a term apart into a number and the rest.
func (n *normaliser) coefficient(t *Term) (*big.Rat, *Term) {
	switch {
	case t.Op == Rational:
		return t.Value, n.Int(1)
	case t.Op == Neg:
		c, e := n.coefficient(t.Args[0])
		return new(big.Rat).Neg(c), e
	case t.Op == Mul && t.Args[0].Op == Rational:
		return t.Args[0].Value, n.Mul(t.Args[1:]...)
	}
	return one, t
}

// times is c·e.
func (n *normaliser) times(c *big.Rat, e *Term) *Term {
	switch {
	case isNumber(1)(e):
		return n.Rational(c)
	case c.Sign() == 0:
		return n.Int(0)
	case c.Cmp(one) == 0:
		return e
	case new(big.Rat).Neg(c).Cmp(one) == 0:
		return n.Unary(Neg, e)
	}
	return n.Mul(n.Rational(c), e)
}

// likeSummands adds the coefficients of summands that differ in these only.
func likeSummands(n *normaliser, t *Term) *Term {
	var order []*Term
	total := map[*Term]*big.Rat{}
	for _, a := range t.Args {
		c, e := n.coefficient(a)
		if old, ok := total[e]; ok {
			c = new(big.Rat).Add(old, c)
		} else {
			order = append(order, e)
		}
		total[e] = c
	}
	if len(order) == len(t.Args) {
		return nil
	}
	var summands []*Term
	for _, e := range order {
		if c := total[e]; c.Sign() != 0 {
			summands = append(summands, n.times(c, e))
		}
	}
	return n.Add(summands...)
}

// oneQuotient moves the denominators of factors under all of them. Numbers stay outside, where R49 finds them.
func oneQuotient(n *normaliser, t *Term) *Term {
	var numbers, up, down []*Term
	for _, a := range t.Args {
		switch {
		case a.Op == Rational:
			numbers = append(numbers, a)
		case a.Op == Div:
			up, down = append(up, a.Args[0]), append(down, a.Args[1])
		default:
			up = append(up, a)
		}
	}
	if len(down) == 0 || len(up) == 1 {
		return nil
	}
	return n.Mul(append(numbers, n.Binary(Div, n.Mul(up...), n.Mul(down...)))...)
}
