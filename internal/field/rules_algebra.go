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
