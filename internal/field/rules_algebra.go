package field

import (
	"math/big"
	"slices"
)

// algebraRules are the laws of a field of numbers, as far as they make terms smaller or bring them into one form.
var algebraRules = []Rule{
	{"R34", "−−e ⇒ e", Neg, always, false, func(_ *normaliser, t *Term) *Term {
		if t.Args[0].Op != Neg {
			return nil
		}
		return t.Args[0].Args[0]
	}},
	{"R35", "e + 0 ⇒ e, e − 0 ⇒ e, 0 − e ⇒ −e", Add, always, false, without(0)},
	{"R36", "0*e ⇒ 0", Mul, always, false, func(n *normaliser, t *Term) *Term {
		if !slices.ContainsFunc(t.Args, isNumber(0)) {
			return nil
		}
		return n.Int(0)
	}},
	{"R37", "1*e ⇒ e, (−1)*e ⇒ −e", Mul, always, false, func(n *normaliser, t *Term) *Term {
		if i := slices.IndexFunc(t.Args, isNumber(-1)); i >= 0 {
			return n.Unary(Neg, n.Mul(slices.Delete(slices.Clone(t.Args), i, i+1)...))
		}
		return without(1)(n, t)
	}},
	{"R38", "0/e ⇒ 0, e/c ⇒ (1/c)*e, c a number that is not 0", Div, always, false, func(n *normaliser, t *Term) *Term {
		a, b := t.Args[0], t.Args[1]
		switch {
		case isNumber(0)(a) && !isNumber(0)(b):
			return n.Int(0)
		case b.Op == Rational && b.Value.Sign() != 0:
			return n.Mul(n.Rational(new(big.Rat).Inv(b.Value)), a)
		}
		return nil
	}},
	{"R39", "(a/b)/(c/d) ⇒ (a*d)/(b*c), (a/b)/c ⇒ a/(b*c), a/(b/c) ⇒ (a*c)/b", Div, always, false, func(n *normaliser, t *Term) *Term {
		a, b := t.Args[0], t.Args[1]
		up, down := []*Term{a}, []*Term{b}
		if b.Op == Div {
			up, down = []*Term{a, b.Args[1]}, b.Args[:1]
		}
		if a.Op == Div {
			up, down = append([]*Term{a.Args[0]}, up[1:]...), append([]*Term{a.Args[1]}, down...)
		}
		if a.Op != Div && b.Op != Div {
			return nil
		}
		return n.Binary(Div, n.Mul(up...), n.Mul(down...))
	}},
	{"R40", "√e*√e ⇒ e", Mul, always, false, func(n *normaliser, t *Term) *Term {
		for i := 1; i < len(t.Args); i++ { // equal factors stand side by side
			if a := t.Args[i]; a.Op == Sqrt && a == t.Args[i-1] {
				return n.Mul(append(slices.Concat(t.Args[:i-1], t.Args[i+1:]), a.Args[0])...)
			}
		}
		return nil
	}},
	{"R41", "(a + b) + c ⇒ a + b + c, sorted", Add, 0, false, nil},
	{"R42", "(a*b)*c ⇒ a*b*c, sorted", Mul, 0, false, nil},
	{"R44", "numbers are added", Add, always, false, fold(func(z, x, y *big.Rat) *big.Rat { return z.Add(x, y) })},
	{"R44", "numbers are multiplied", Mul, always, false, fold(func(z, x, y *big.Rat) *big.Rat { return z.Mul(x, y) })},
	{"R44", "−(c*e) ⇒ (−c)*e, c a number", Neg, always, false, func(n *normaliser, t *Term) *Term {
		if c, e := n.coefficient(t.Args[0]); c.Cmp(one) != 0 && t.Args[0].Op != Neg {
			return n.times(new(big.Rat).Neg(c), e)
		} else if isNumber(1)(e) {
			return n.Int(-1)
		}
		return nil
	}},
	{"R44", "f(c) ⇒ the number, if it is known to be rational", Sqrt, always, false, ofNumber},
	{"R44", "f(c) ⇒ the number, if it is known to be rational", Exp, always, false, ofNumber},
	{"R44", "f(c) ⇒ the number, if it is known to be rational", Sin, always, false, ofNumber},
	{"R44", "f(c) ⇒ the number, if it is known to be rational", Cos, always, false, ofNumber},
	{"R44", "f(c) ⇒ the number, if it is known to be rational", Tan, always, false, ofNumber},
	{"R44", "f(c) ⇒ the number, if it is known to be rational", Asin, always, false, ofNumber},
	{"R44", "f(c) ⇒ the number, if it is known to be rational", Acos, always, false, ofNumber},
	{"R44", "f(c) ⇒ the number, if it is known to be rational", Atan, always, false, ofNumber},
	{"R44", "f(c) ⇒ the number, if it is known to be rational", Abs, always, false, ofNumber},
	{"R44", "f(c) ⇒ the number, if it is known to be rational", Sgn, always, false, ofNumber},
	{"R49", "c*e + d*e ⇒ (c+d)*e, c and d numbers", Add, always, false, likeSummands},
	{"R50", "a*(−b) ⇒ −(a*b)", Mul, always, false, func(n *normaliser, t *Term) *Term {
		i := slices.IndexFunc(t.Args, func(a *Term) bool { return a.Op == Neg })
		if i < 0 {
			return nil
		}
		args := slices.Clone(t.Args)
		args[i] = args[i].Args[0]
		return n.Unary(Neg, n.Mul(args...))
	}},
	{"R50", "(−a)/b ⇒ −(a/b), a/(−b) ⇒ −(a/b)", Div, always, false, func(n *normaliser, t *Term) *Term {
		a, b := t.Args[0], t.Args[1]
		switch {
		case a.Op == Neg:
			return n.Unary(Neg, n.Binary(Div, a.Args[0], b))
		case b.Op == Neg:
			return n.Unary(Neg, n.Binary(Div, a, b.Args[0]))
		}
		return nil
	}},
	{"R50", "−(a + b) ⇒ −a − b", Neg, always, false, func(n *normaliser, t *Term) *Term {
		if t.Args[0].Op != Add {
			return nil
		}
		var summands []*Term
		for _, a := range t.Args[0].Args {
			summands = append(summands, n.Unary(Neg, a))
		}
		return n.Add(summands...)
	}},
	{"R58", "c*(a + b) ⇒ c*a + c*b, c a number", Mul, always, false, func(n *normaliser, t *Term) *Term {
		if len(t.Args) != 2 || t.Args[0].Op != Rational || t.Args[1].Op != Add {
			return nil
		}
		return n.distribute(t.Args[:1], t.Args[1])
	}},
	{"R53", "a*(b/c) ⇒ (a*b)/c, in the field as written", Mul, prepare, false, oneQuotient},
	{"R57", "e^1 ⇒ e, e^0 ⇒ 1, c^n ⇒ the number, (√e)^(2*n) ⇒ e^n", Power, always, false, func(n *normaliser, t *Term) *Term {
		e, power := t.Args[0], t.Power
		switch {
		case power == 1:
			return e
		case power == 0:
			return n.Int(1)
		case e.Op == Rational && (e.Value.Sign() != 0 || power > 0):
			return n.Rational(ratPower(e.Value, power))
		case e.Op == Sqrt && power%2 == 0:
			return n.PowerOf(e.Args[0], power/2)
		}
		return nil
	}},
}

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
