package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
)

// How factors leave sums
//
// In a sum of products, the factors that do not depend on the reduced indices inside
// of an accumulator are multiplied with its result, once, where it is passed on:
// Σ s·a·b = s·Σ a·b. Accumulators inside of others take part one by one, so that a
// sum over k and l of b(k,l)·d(l)·c(k) with accumulators of their own for every k
// computes Σ_k c(k)·Σ_l b(k,l)·d(l). Partial products that leave the range of the type
// are nobody's promise (docs/tc.md, Reductions).

// factors splits the value that is summed by the accumulators which start here into
// the factors outside and the value inside, nil for that of the statement.
func (l *lowerer) factors(s int, op *ein.Operator, sc *scope) (outside []ein.Expr, inside ein.Expr) {
	c := l.f.Body[s]
	if !op.Distributive || c.Values[0].Type() != op.Types()[0].Compute() {
		return nil, nil
	}
	value := c.Values[0]
	if parent := sc.accumulator(s); parent != nil && parent.value != nil {
		inside, value = parent.value, parent.value
	}
	var open []*ein.Index
	for _, i := range ein.Reduced(c) {
		if n, known := i.Extent.IsConst(); !known || n < 1 { // an empty sum is 0, whatever the factor
			return nil, inside
		}
		if !sc.blocks[point{s, i.Name}].isPoint() {
			open = append(open, i)
		}
	}
	var rest []ein.Expr
	for _, f := range ein.Factors(value) {
		if ein.DependsOn(f, open...) || l.overwritten(f, s, sc) {
			rest = append(rest, f)
		} else {
			outside = append(outside, f)
		}
	}
	if len(outside) == 0 || len(rest) == 0 {
		return nil, inside
	}
	return outside, productOf(rest)
}

// overwritten reports whether what an expression reads may be written before the results
// of accumulators of s are passed on: by a statement that runs in their life, or where
// the results of other points are.
func (l *lowerer) overwritten(e ein.Expr, s int, sc *scope) (found bool) {
	one := !slices.ContainsFunc(l.f.Body[s].ByKind(ein.Concat), func(i *ein.Index) bool { return !sc.blocks[point{s, i.Name}].isPoint() })
	ein.Walk(e, func(e ein.Expr) bool {
		if a, ok := e.(*ein.Access); ok {
			for _, other := range sc.statements {
				written := slices.ContainsFunc(l.f.Body[other].Writes, func(w *ein.Write) bool { return w.Tensor == a.Tensor })
				found = found || written && !(other == s && one)
			}
		}
		return !found
	})
	return found
}

// productOf multiplies expressions of one type.
func productOf(list []ein.Expr) ein.Expr {
	p := list[0]
	for _, e := range list[1:] {
		p = &ein.Binary{Pos: p.Span(), Op: ein.Mul, X: p, Y: e}
	}
	return p
}

// scaled multiplies the result of an accumulator with the factors that left its sum.
func (a *accumulator) scaled(x *context, values []loop.Expr) []loop.Expr {
	if a.outside == nil {
		return values
	}
	w := widen(x.expr(productOf(a.outside)), values[0])
	return []loop.Expr{&loop.Binary{Op: ein.Mul, X: w[0], Y: w[1]}}
}
