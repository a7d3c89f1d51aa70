package field

import "math/big"

// derivativeRules push ∂ down to the leaves. Those of functions that are not linear take one axis of β at a time, the
// others what is left: ∂[μ,β] ⋄ e is ∂[β] ⋄ ∂[μ] ⋄ e.
//
// R16 and R18 are written so that what they make is found again by the next derivative: with q = a/b it is
// ∂[j] ⋄ ∂[i] ⋄ q = (a[ij] − q[i]*b[j] − q[j]*b[i] − q*b[ij])/b, where q[i] and q[j] are terms that exist. That is how the
// coefficients of Taylor series are divided; it has one quotient for each derivative, and it is as symmetric as they are.
var derivativeRules = []Rule{
	{"R8", "∂[μ] ⋄ (V[α] ⊛ H^{β}) ⇒ V[α] ⊛ H^{βμ}, β sorted", Partial, prepare | differentiate, false, func(n *normaliser, t *Term) *Term {
		e := t.Args[0]
		if e.Op != Conv {
			return nil
		}
		return n.Conv(e.Param, e.Kernel, e.Indices, append(append([]Index(nil), e.Orders...), t.Indices...))
	}},
	{"R9", "∂[] ⋄ e ⇒ e", Partial, 0, false, nil},
	{"R10", "∂[μ] ⋄ ∂[β] ⋄ e ⇒ ∂[μβ] ⋄ e, sorted", Partial, 0, false, nil},
	{"R14", "∂[μ] ⋄ e ⇒ 0, e without a field: a number, δ, ε, lift(…)", Partial, prepare | differentiate, false, func(n *normaliser, t *Term) *Term {
		if t.Args[0].has(fields) {
			return nil
		}
		return n.Int(0)
	}},
	{"R11", "∂[μ] ⋄ Σ e ⇒ Σ ∂[μ] ⋄ e", Partial, prepare | differentiate, false, func(n *normaliser, t *Term) *Term {
		if t.Args[0].Op != Sum {
			return nil
		}
		variables, body := n.open(t.Args[0], t)
		return n.close(variables, n.Partial(t.Indices, body))
	}},
	{"R12", "∂[μ] ⋄ (e1 + e2) ⇒ ∂[μ] ⋄ e1 + ∂[μ] ⋄ e2", Partial, prepare | differentiate, false, partialEach(Add)},
	{"R13", "∂[μ] ⋄ (−e) ⇒ −∂[μ] ⋄ e", Partial, prepare | differentiate, false, partialEach(Neg)},
	{"R15", "∂[μ] ⋄ (c*e) ⇒ c*∂[μ] ⋄ e, c without a field", Partial, prepare | differentiate, false, constantFactors},
	{"R15", "∂[μ] ⋄ (e1*e2) ⇒ e2*∂[μ] ⋄ e1 + e1*∂[μ] ⋄ e2", Partial, differentiate, false, derivative(Mul, func(n *normaliser, e *Term, d partial) *Term {
		var summands []*Term
		for i, f := range e.Args {
			factors := []*Term{d(f)}
			factors = append(append(factors, e.Args[:i]...), e.Args[i+1:]...)
			summands = append(summands, n.Mul(factors...))
		}
		return n.Add(summands...)
	})},
	{"R16", "∂[μ] ⋄ (e1/e2) ⇒ (∂[μ] ⋄ e1 − (e1/e2)*∂[μ] ⋄ e2)/e2", Partial, differentiate, false, derivative(Div, func(n *normaliser, q *Term, d partial) *Term {
		return n.Binary(Div, n.Sub(d(q.Args[0]), n.Mul(q, d(q.Args[1]))), q.Args[1])
	})},
	{"R17", "∂[μ] ⋄ exp(e) ⇒ exp(e)*∂[μ] ⋄ e", Partial, differentiate, false, chain(Exp, func(n *normaliser, f, e, d *Term) *Term { return n.Mul(f, d) })},
	{"R18", "∂[μ] ⋄ √e ⇒ (½*∂[μ] ⋄ e)/√e", Partial, differentiate, false, chain(Sqrt, func(n *normaliser, f, e, d *Term) *Term {
		return n.Binary(Div, n.Mul(n.Rational(big.NewRat(1, 2)), d), f)
	})},
	{"R19", "∂[μ] ⋄ sin(e) ⇒ cos(e)*∂[μ] ⋄ e", Partial, differentiate, false, chain(Sin, func(n *normaliser, f, e, d *Term) *Term {
		return n.Mul(n.Unary(Cos, e), d)
	})},
	{"R20", "∂[μ] ⋄ cos(e) ⇒ −sin(e)*∂[μ] ⋄ e", Partial, differentiate, false, chain(Cos, func(n *normaliser, f, e, d *Term) *Term {
		return n.Unary(Neg, n.Mul(n.Unary(Sin, e), d))
	})},
	{"R21", "∂[μ] ⋄ tan(e) ⇒ (1 + tan(e)*tan(e))*∂[μ] ⋄ e", Partial, differentiate, false, chain(Tan, func(n *normaliser, f, e, d *Term) *Term {
		return n.Mul(n.Add(n.Int(1), n.Mul(f, f)), d)
	})},
	{"R22", "∂[μ] ⋄ asin(e) ⇒ (∂[μ] ⋄ e)/√(1 − e*e)", Partial, differentiate, false, chain(Asin, func(n *normaliser, f, e, d *Term) *Term {
		return n.Binary(Div, d, n.Unary(Sqrt, n.Sub(n.Int(1), n.Mul(e, e))))
	})},
	{"R23", "∂[μ] ⋄ acos(e) ⇒ −(∂[μ] ⋄ e)/√(1 − e*e)", Partial, differentiate, false, chain(Acos, func(n *normaliser, f, e, d *Term) *Term {
		return n.Unary(Neg, n.Binary(Div, d, n.Unary(Sqrt, n.Sub(n.Int(1), n.Mul(e, e)))))
	})},
	{"R24", "∂[μ] ⋄ atan(e) ⇒ (∂[μ] ⋄ e)/(1 + e*e)", Partial, differentiate, false, chain(Atan, func(n *normaliser, f, e, d *Term) *Term {
		return n.Binary(Div, d, n.Add(n.Int(1), n.Mul(e, e)))
	})},
	{"R25", "∂[μ] ⋄ e^n ⇒ n*e^(n−1)*∂[μ] ⋄ e", Partial, differentiate, false, chain(Power, func(n *normaliser, f, e, d *Term) *Term {
		if f.Power == 0 {
			return n.Int(0)
		}
		return n.Mul(n.Int(int64(f.Power)), n.PowerOf(e, f.Power-1), d)
	})},
	{"R26", "∂[μ] ⋄ |e| ⇒ sgn(e)*∂[μ] ⋄ e", Partial, differentiate, false, chain(Abs, func(n *normaliser, f, e, d *Term) *Term {
		return n.Mul(n.Unary(Sgn, e), d)
	})},
	{"R26", "∂[μ] ⋄ sgn(e) ⇒ 0", Partial, differentiate, false, chain(Sgn, func(n *normaliser, _, _, _ *Term) *Term { return n.Int(0) })},
	{"R27", "∂[μ] ⋄ pos[i] ⇒ δ[i,μ]", Partial, differentiate, false, derivative(Position, nil)},
	{"R60", "∂[μ] ⋄ (e ∘ [g, …]) ⇒ (∂[0] ⋄ e ∘ [g, …])*∂[μ] ⋄ g + …, for each coordinate", Partial, differentiate, false, derivative(Compose, func(n *normaliser, f *Term, d partial) *Term {
		e, place := f.Args[0], f.Args[1:]
		summands := make([]*Term, len(place))
		for k, g := range place {
			summands[k] = n.Mul(n.Compose(n.Partial([]Index{At(k)}, e), place...), d(g))
		}
		return n.Add(summands...)
	})},
}

// A partial is the derivative of a term along one axis.
type partial func(*Term) *Term

// derivative is a rule for the derivative of terms of a kind along one axis; nil is that of a position.
func derivative(op Op, rule func(n *normaliser, e *Term, d partial) *Term) func(*normaliser, *Term) *Term {
	return func(n *normaliser, t *Term) *Term {
		e, axis := t.Args[0], t.Indices[:1]
		if e.Op != op {
			return nil
		}
		if rule == nil {
			return n.Partial(t.Indices[1:], n.Delta(e.Indices[0], axis[0]))
		}
		return n.Partial(t.Indices[1:], rule(n, e, func(e *Term) *Term { return n.Partial(axis, e) }))
	}
}

// chain is a chain rule: of a function f = op(e) and the derivative of e.
func chain(op Op, rule func(n *normaliser, f, e, d *Term) *Term) func(*normaliser, *Term) *Term {
	return derivative(op, func(n *normaliser, f *Term, d partial) *Term { return rule(n, f, f.Args[0], d(f.Args[0])) })
}

// partialEach differentiates the parts of a term of a linear kind instead of it.
func partialEach(op Op) func(*normaliser, *Term) *Term {
	return func(n *normaliser, t *Term) *Term {
		e := t.Args[0]
		if e.Op != op {
			return nil
		}
		parts := make([]*Term, len(e.Args))
		for i, a := range e.Args {
			parts[i] = n.Partial(t.Indices, a)
		}
		return n.with(e, parts...)
	}
}

func constantFactors(n *normaliser, t *Term) *Term {
	e := t.Args[0]
	if e.Op != Mul {
		return nil
	}
	var constant, varying []*Term
	for _, f := range e.Args {
		if f.has(fields) {
			varying = append(varying, f)
		} else {
			constant = append(constant, f)
		}
	}
	if len(constant) == 0 {
		return nil
	}
	return n.Mul(append(constant, n.Partial(t.Indices, n.Mul(varying...)))...)
}
