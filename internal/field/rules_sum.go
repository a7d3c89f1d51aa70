package field

import (
	"slices"
)

// sumRules are those of Σ, and of what keeps terms small.
var sumRules = []Rule{
	{"R43", "Σ lift(e) ⇒ lift(Σ e)", Sum, always, false, func(n *normaliser, t *Term) *Term {
		if t.Args[0].Op != Lift {
			return nil
		}
		variables, body := n.open(t, t)
		return n.Unary(Lift, n.close(variables, body.Args[0]))
	}},
	{"R51", "Σ (a + b) ⇒ Σ a + Σ b, Σ −a ⇒ −Σ a", Sum, always, false, func(n *normaliser, t *Term) *Term {
		if op := t.Args[0].Op; op != Add && op != Neg {
			return nil
		}
		variables, body := n.open(t, t)
		parts := make([]*Term, len(body.Args))
		for i, a := range body.Args {
			parts[i] = n.close(variables, a)
		}
		return n.with(body, parts...)
	}},
	{"R52", "Σ_i e ⇒ n*e, e without i", Sum, always, false, func(n *normaliser, t *Term) *Term {
		variables, body := n.open(t, t)
		count := int64(1)
		kept := slices.DeleteFunc(slices.Clone(variables), func(v Index) bool {
			if !body.Has(v) {
				count *= int64(v.Range)
			}
			return !body.Has(v)
		})
		if len(kept) == len(variables) {
			return nil
		}
		return n.Mul(n.Int(count), n.close(kept, body))
	}},
	{"R53", "Σ_i (a/b) ⇒ (Σ_i a)/b, b without i", Sum, always, false, func(n *normaliser, t *Term) *Term {
		if t.Args[0].Op != Div {
			return nil
		}
		variables, body := n.open(t, t)
		if slices.ContainsFunc(variables, body.Args[1].Has) {
			return nil
		}
		return n.Binary(Div, n.close(variables, body.Args[0]), body.Args[1])
	}},
	{"R45", "Σ_i (a*e) ⇒ a*Σ_i e, a without i", Sum, always, false, func(n *normaliser, t *Term) *Term {
		if t.Args[0].Op != Mul {
			return nil
		}
		variables, body := n.open(t, t)
		outside, inside := partition(body.Args, func(f *Term) bool { return !slices.ContainsFunc(variables, f.Has) })
		if len(outside) == 0 {
			return nil
		}
		return n.Mul(append(outside, n.close(variables, n.Mul(inside...)))...)
	}},
	{"R46", "Σ_{jk} (a[j]*b[k]) ⇒ (Σ_j a[j])*(Σ_k b[k]), Σ_{jk} (a[j]*b[j,k]) ⇒ Σ_j (a[j]*Σ_k b[j,k])", Sum, bind, false, bindSum},
	{"R47", "Split: a term that stands twice is one definition", Sum, 0, false, nil},
	{"R48", "Slice: a component of a leaf is one of the same reconstruction", Conv, 0, false, nil},
}

// partition gives the elements of a list that have a property, and the others.
func partition(list []*Term, has func(*Term) bool) (yes, no []*Term) {
	for _, t := range list {
		if has(t) {
			yes = append(yes, t)
		} else {
			no = append(no, t)
		}
	}
	return yes, no
}

// bindSum sums over one variable the factors that have it, before the others are multiplied: over the variable for which
// what remains has the fewest components. Independent sums become factors by this alone.
func bindSum(n *normaliser, t *Term) *Term {
	if t.Args[0].Op != Mul || len(t.Indices) < 2 {
		return nil
	}
	variables, body := n.open(t, t)
	best, size := -1, 0
	for i, v := range variables {
		with, without := partition(body.Args, func(f *Term) bool { return f.Has(v) })
		if len(without) == 0 {
			continue
		}
		components := 1
		for _, free := range n.Mul(with...).free {
			components *= free.Range
		}
		if best < 0 || components < size {
			best, size = i, components
		}
	}
	if best < 0 {
		return nil
	}
	v := variables[best]
	with, without := partition(body.Args, func(f *Term) bool { return f.Has(v) })
	rest := slices.Delete(variables, best, best+1)
	outside, inside := partition(append(without, n.close([]Index{v}, n.Mul(with...))), func(f *Term) bool { return !slices.ContainsFunc(rest, f.Has) })
	return n.Mul(append(outside, n.close(rest, n.Mul(inside...)))...)
}
