package loop

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How disjunctions are used
//
// Where a condition holds, its conjuncts are facts (guards). A disjunction among them, such as i ≠ 0 or
// the negation of a conjunction, is a choice: one of several lists of facts holds. Most proofs need none of
// them; one that fails is tried once more for each alternative of a choice, and of the others in turn.

// facts are forms that are not negative.
type facts []affineForm

// maxAlternatives bounds the alternatives of a choice, maxChoices how many are tried one in the other.
const (
	maxAlternatives = 6
	maxChoices      = 3
)

// collectMasks notes the conditions that hold in the lanes in which a mask does.
func (p *prover) collectMasks(mask Expr) {
	p.masks[p.text.expr(mask, 0)] = true
	switch e := mask.(type) {
	case *VarRef:
		if d, ok := p.bools[e.Var]; ok {
			p.collectMasks(d)
		}
	case *Binary:
		if e.Op == ein.And {
			p.collectMasks(e.X)
			p.collectMasks(e.Y)
		}
	case *Select:
		if cond, value, rest, ok := e.conjunction(true); ok && value {
			p.collectMasks(cond)
			p.collectMasks(rest)
		}
	}
}

// masked reports whether a mask holds in the lanes of the present access.
func (p *prover) masked(mask Expr) bool {
	if p.masks[p.text.expr(mask, 0)] {
		return true
	}
	b, ok := mask.(*Binary)
	return ok && b.Op == ein.And && p.masked(b.X) && p.masked(b.Y)
}

// disjunctionsOf returns the disjunctions that hold where a condition has a truth value.
func (p *prover) disjunctionsOf(cond Expr, truth bool) (list [][]facts) {
	switch e := cond.(type) {
	case *VarRef:
		if d, ok := p.bools[e.Var]; ok {
			return p.disjunctionsOf(d, truth)
		}
	case *Broadcast:
		return p.disjunctionsOf(e.X, truth)
	case *Fold:
		if e.Op == ein.And && truth || e.Op == ein.Or && !truth {
			return p.disjunctionsOf(e.X, truth)
		}
	case *Unary:
		if e.Op == ein.Not {
			return p.disjunctionsOf(e.X, !truth)
		}
	case *Select:
		if cond, value, rest, ok := e.conjunction(truth); ok {
			return append(p.disjunctionsOf(cond, value), p.disjunctionsOf(rest, truth)...)
		}
		if alternatives := p.alternatives(e, truth); len(alternatives) > 1 {
			return [][]facts{alternatives}
		}
	case *Binary:
		if e.Op == ein.And && truth || e.Op == ein.Or && !truth {
			return append(p.disjunctionsOf(e.X, truth), p.disjunctionsOf(e.Y, truth)...)
		}
		if alternatives := p.alternatives(e, truth); len(alternatives) > 1 {
			return [][]facts{alternatives}
		}
	}
	return nil
}

// alternatives returns lists of facts of which one holds where a condition has a truth value. An empty
// one says nothing.
func (p *prover) alternatives(cond Expr, truth bool) []facts {
	switch e := cond.(type) {
	case *VarRef:
		if d, ok := p.bools[e.Var]; ok {
			return p.alternatives(d, truth)
		}
	case *Broadcast:
		return p.alternatives(e.X, truth)
	case *Unary:
		if e.Op == ein.Not {
			return p.alternatives(e.X, !truth)
		}
	case *Select:
		if cond, value, rest, ok := e.conjunction(truth); ok {
			return allOf(p.alternatives(cond, value), p.alternatives(rest, truth))
		}
		return anyOf(allOf(p.alternatives(e.Cond, true), p.alternatives(e.Then, truth)), allOf(p.alternatives(e.Cond, false), p.alternatives(e.Else, truth)))
	case *Binary:
		switch {
		case e.Op == ein.And && truth, e.Op == ein.Or && !truth:
			return allOf(p.alternatives(e.X, truth), p.alternatives(e.Y, truth))
		case e.Op == ein.And, e.Op == ein.Or:
			return anyOf(p.alternatives(e.X, truth), p.alternatives(e.Y, truth))
		case (e.Op == ein.Ne && truth || e.Op == ein.Eq && !truth) && e.X.Type().Elem.IsInteger():
			return anyOf([]facts{p.guards(&Binary{Op: ein.Lt, X: e.X, Y: e.Y}, true)}, []facts{p.guards(&Binary{Op: ein.Gt, X: e.X, Y: e.Y}, true)})
		}
	}
	return []facts{p.guards(cond, truth)}
}

// conjunction takes c ? x : false apart where it is true, and the like: cond has a value, and rest is as the
// whole.
func (e *Select) conjunction(truth bool) (cond Expr, value bool, rest Expr, ok bool) {
	if v, known := truthOf(e.Else); known && v != truth {
		return e.Cond, true, e.Then, true
	}
	if v, known := truthOf(e.Then); known && v != truth {
		return e.Cond, false, e.Else, true
	}
	return nil, false, nil, false
}

// truthOf returns the value of a bool that is a constant, of all lanes.
func truthOf(e Expr) (value, known bool) {
	if b, ok := e.(*Broadcast); ok {
		e = b.X
	}
	c, ok := e.(*Const)
	return ok && c.Bits != 0, ok
}

// allOf combines the alternatives of two conditions that both hold.
func allOf(a, b []facts) []facts {
	if len(a)*len(b) > maxAlternatives {
		if len(a) < len(b) {
			return a
		}
		return b
	}
	var list []facts
	for _, x := range a {
		for _, y := range b {
			list = append(list, slices.Concat(x, y))
		}
	}
	return list
}

// anyOf has the alternatives of two conditions of which one holds; a single empty one where some say
// nothing.
func anyOf(a, b []facts) []facts {
	list := slices.Concat(a, b)
	if len(list) > maxAlternatives || slices.ContainsFunc(list, func(f facts) bool { return len(f) == 0 }) {
		return []facts{nil}
	}
	return list
}

// holds reports whether a proof succeeds, if not at once then for every alternative of some choices.
func (v *verifier) holds(proof func() bool) bool {
	return v.holdsIn(v.prover.choices, maxChoices, proof)
}

func (v *verifier) holdsIn(choices [][]facts, depth int, proof func() bool) bool {
	if v.dead > 0 || proof() || v.unreachable() {
		return true
	}
	for i := 0; i < len(choices) && depth > 0; i++ {
		rest := slices.Delete(slices.Clone(choices), i, i+1)
		failed := slices.ContainsFunc(choices[i], func(alternative facts) bool {
			holds := false
			v.under(alternative, nil, func() { holds = v.holdsIn(rest, depth-1, proof) })
			return !holds
		})
		if !failed {
			return true
		}
	}
	return false
}
