package field

import "slices"

// epsilonRules are those of ε and δ.
var epsilonRules = []Rule{
	{"R28", "Σ_{jk} ε[i,j,k]*∂[j,k] ⋄ e ⇒ 0, Σ_{jk} ε[i,j,k]*(V[α] ⊛ H^{jk}) ⇒ 0, also beside other factors", Sum, prepare | reduce, true,
		func(n *normaliser, t *Term) *Term {
			return n.antisymmetric(t, func(rest []*Term, a, b Index) bool {
				rest = slices.DeleteFunc(slices.Clone(rest), func(f *Term) bool { return !f.Has(a) && !f.Has(b) })
				return len(rest) == 1 && derivedAlong(rest[0], a, b)
			})
		}},
	{"R54", "Σ_{jk} ε[i,j,k]*e ⇒ 0, e the same with j and k exchanged", Sum, prepare | reduce, true,
		func(n *normaliser, t *Term) *Term {
			return n.antisymmetric(t, func(rest []*Term, a, b Index) bool {
				e := n.Mul(rest...)
				return n.Rename(e, map[Index]Index{a: b, b: a}) == e
			})
		}},
	{"R30", "Σ_j δ[i,j]*e ⇒ e[j:=i], e any factors without ∂[j], such as T[j], F[j], V[j] ⊛ H^{j}", Sum, prepare | reduce, true, contractDelta(false)},
	{"R31", "Σ_j δ[i,j]*∂[j] ⋄ e ⇒ ∂[i] ⋄ e, also beside other factors", Sum, prepare | reduce, true, contractDelta(true)},
	{"R32", "δ[c,c] ⇒ 1, δ[i,i] ⇒ 1, δ[c,d] ⇒ 0, c and d different numbers", Delta, always, false, func(n *normaliser, t *Term) *Term {
		i, j := t.Indices[0], t.Indices[1]
		if i == j || i.Class == Constant && j.Class == Constant {
			return n.Int(int64(btoi(i == j)))
		}
		return nil
	}},
	{"R33", "Σ_j δ[j,j] ⇒ n", Delta, 0, true, nil},
	{"R29", "Σ_i ε[i,j,k]*ε[i,l,m] ⇒ δ[j,l]*δ[k,m] − δ[j,m]*δ[k,l], at all places of i, also in sums that are factors, if it costs no more",
		Sum, prepare | reduce, true, epsilonPair},
	{"R59", "Σ ε[i,j,k]*(a + b) ⇒ Σ ε[i,j,k]*a + Σ ε[i,j,k]*b, if it costs less", Sum, reduce, true, func(n *normaliser, t *Term) *Term {
		if !t.has(epsilons) || t.Args[0].Op != Mul {
			return nil
		}
		variables, body := n.open(t, t)
		sums, factors := partition(body.Args, func(f *Term) bool { return f.Op == Add })
		if len(sums) != 1 || !slices.ContainsFunc(factors, func(f *Term) bool { return f.Op == Epsilon }) {
			return nil
		}
		made := n.close(variables, n.distribute(factors, sums[0]))
		if n.cheaper(made, t) < 0 {
			return made
		}
		return nil
	}},
	{"R55", "ε of numbers ⇒ 1, −1 or 0, ε[i,i,j] ⇒ 0, ε[a,i,0] ⇒ −ε[0,i,a]: numbers, then indices of the operator, then variables of sums", Epsilon, prepare | reduce, true,
		func(n *normaliser, t *Term) *Term {
			for i, a := range t.Indices {
				if slices.Contains(t.Indices[:i], a) {
					return n.Int(0)
				}
			}
			sorted := slices.Clone(t.Indices)
			slices.SortStableFunc(sorted, placeOf)
			e := n.Epsilon(sorted...)
			if sorted[len(sorted)-1].Class == Constant {
				e = n.Int(1) // 0, 1, 2 in order
			}
			switch {
			case e == t:
				return nil
			case inversions(t.Indices)%2 == 1:
				return n.Unary(Neg, e)
			}
			return e
		}},
}
