package field

import "slices"

// probeRules push @ down to the leaves.
var probeRules = []Rule{
	{"R1", "(−e) @ x ⇒ −(e @ x)", Probe, differentiate, false, probeEach(Neg)},
	{"R2", "√e @ x ⇒ √(e @ x)", Probe, differentiate, false, probeEach(Sqrt)},
	{"R3", "(e1 ⊙ e2) @ x ⇒ (e1 @ x) ⊙ (e2 @ x), ⊙ one of + − *", Probe, differentiate, false, probeEach(Add, Mul)},
	{"R4", "(e1/e2) @ x ⇒ (e1 @ x)/(e2 @ x); f(e) @ x ⇒ f(e @ x), f one of exp sin cos tan asin acos atan abs sgn ^n",
		Probe, differentiate, false, probeEach(Div, Exp, Sin, Cos, Tan, Asin, Acos, Atan, Abs, Sgn, Power)},
	{"R5", "(Σ e) @ x ⇒ Σ (e @ x)", Probe, differentiate, false, func(n *normaliser, t *Term) *Term {
		if t.Args[0].Op != Sum {
			return nil
		}
		variables, body := n.open(t.Args[0], t)
		return n.close(variables, n.probeAs(t, body))
	}},
	{"R6", "lift(e) @ x ⇒ e", Probe, differentiate, false, func(_ *normaliser, t *Term) *Term {
		if t.Args[0].Op != Lift {
			return nil
		}
		return t.Args[0].Args[0]
	}},
	{"R7", "c @ x ⇒ c, c a number, δ or ε", Probe, differentiate, false, func(_ *normaliser, t *Term) *Term {
		if e := t.Args[0]; e.Op == Rational || e.Op == Delta || e.Op == Epsilon {
			return e
		}
		return nil
	}},
	{"R56", "pos[i] @ x ⇒ x[i], pos[0] @ [p, …] ⇒ p", Probe, differentiate, false, func(n *normaliser, t *Term) *Term {
		e := t.Args[0]
		if e.Op != Position {
			return nil
		}
		if t.Param != nil {
			return n.Component(t.Param, e.Indices[:len(t.Param.Shape)]...) // over a line x is a scalar
		}
		return n.coordinate(t.Args[1:], e.Indices[0])
	}},
	{"R61", "(e ∘ [g, …]) @ x ⇒ e @ [g @ x, …]", Probe, differentiate, false, func(n *normaliser, t *Term) *Term {
		e := t.Args[0]
		if e.Op != Compose {
			return nil
		}
		place := make([]*Term, len(e.Args)-1)
		for i, g := range e.Args[1:] {
			place[i] = n.probeAs(t, g)
		}
		return n.ProbeAt(e.Args[0], place...)
	}},
}

// probeEach probes the parts of a term of some kinds instead of it.
func probeEach(ops ...Op) func(*normaliser, *Term) *Term {
	return func(n *normaliser, t *Term) *Term {
		e := t.Args[0]
		if !slices.Contains(ops, e.Op) {
			return nil
		}
		parts := make([]*Term, len(e.Args))
		for i, a := range e.Args {
			parts[i] = n.probeAs(t, a)
		}
		return n.with(e, parts...)
	}
}

// probeAs probes a term where another is probed.
func (n *normaliser) probeAs(probe, e *Term) *Term {
	switch {
	case e.Op == Rational:
		return e
	case probe.Param != nil:
		return n.Probe(e, probe.Param)
	}
	return n.ProbeAt(e, probe.Args[1:]...)
}

// coordinate is that of a place that is computed.
func (n *normaliser) coordinate(place []*Term, i Index) *Term {
	if i.Class == Constant {
		return place[i.Number]
	}
	summands := make([]*Term, len(place))
	for k, p := range place {
		summands[k] = n.Mul(n.Delta(At(k), i), p)
	}
	return n.Add(summands...)
}
