package teiltest

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
)

// gather draws a gather whose result has the shape: of places that are remainders, or of any
// numbers, where a select chooses what is read only for those that are places.
func (g *generator) gather(s []int, depth, n int) syntax.Expr {
	at := g.IntN(len(s) + 1)
	place := 1 + g.IntN(len(s)-at+1)
	from := with(s[at:], place, n)
	if !fits(from) {
		return nil
	}
	places, operand := s[:at:at], g.expr(from, depth)
	if g.options.Element != "int64" || g.IntN(3) > 0 {
		return syntax.Operate("gather", []int{place}, g.places(places, n, depth), operand)
	}
	any := g.typed(places, depth-1)
	inside := func(comparison string, least int) syntax.Expr {
		return syntax.Operate(comparison, nil, any, filled(places, syntax.Operate("size", []int{least})))
	}
	within := syntax.Expr(syntax.Operate("and", nil, inside("ge", 0), inside("lt", n)))
	for k := at; k < len(s); k++ {
		within = syntax.Operate("expa", []int{k + 1, s[k]}, within)
	}
	return syntax.Operate("select", nil, within, syntax.Operate("gather", []int{place}, any, operand), g.expr(s, depth-1))
}

// places draws an expression of int64 whose elements are less than n, and not negative.
func (g *generator) places(s []int, n, depth int) syntax.Expr {
	var e syntax.Expr
	switch {
	case g.options.Element == "int64":
		e = g.typed(s, depth)
	case len(s) == 0:
		e = syntax.Operate("size", []int{g.IntN(9)})
	default:
		k := g.IntN(len(s))
		e = syntax.Operate("iota", []int{s[k]})
		for i, size := range s {
			if i != k {
				e = syntax.Operate("expa", []int{i + 1, size}, e)
			}
		}
	}
	return syntax.Operate("mod", nil, e, filled(s, syntax.Operate("size", []int{n})))
}

// filled repeats a scalar along all dimensions of a shape.
func filled(s []int, e syntax.Expr) syntax.Expr {
	for k, n := range slices.All(s) {
		e = syntax.Operate("expa", []int{k + 1, n}, e)
	}
	return e
}
