package guard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// A term is a summand of a subscript: an index, or a map of another subscript, with a factor. What
// it stands for runs over extent places from min on.
type term struct {
	index       *ein.Index
	through     *indexMap // instead of an index
	min, extent affine.Expr
	factor      affine.Expr // not negative
	mayBeZero   bool        // the factor
	backward    bool        // the factor was negative
}

// isPlain reports whether a subscript that is this term alone is an index.
func (t *term) isPlain() bool {
	return t.index != nil && !t.backward && t.factor.Equal(affine.Const(1))
}

// uses reports whether the term depends on the index.
func (t *term) uses(i *ein.Index) bool {
	if t.through == nil {
		return t.index == i
	}
	return slices.ContainsFunc(t.through.terms, func(t term) bool { return t.uses(i) })
}

// spanOf says how many places a sum of terms reaches.
func spanOf(terms []term) affine.Expr {
	span := affine.Const(1)
	for _, t := range terms {
		span = span.Add(t.extent.AddConst(-1).Mul(t.factor))
	}
	return span
}

// endsAreRead reports whether a sum of terms is known to read the first and the last place of its span: each
// term reads its own ends, and no two of them depend on one index.
func endsAreRead(terms []term) bool {
	for n, t := range terms {
		if t.through != nil && !t.through.endsAreRead {
			return false
		}
		for _, u := range terms[:n] {
			if slices.ContainsFunc(u.indices(nil), t.uses) {
				return false
			}
		}
	}
	return true
}

func (t *term) indices(list []*ein.Index) []*ein.Index {
	if t.through == nil {
		return append(list, t.index)
	}
	for _, inner := range t.through.terms {
		list = inner.indices(list)
	}
	return list
}

// split writes a subscript as Σ factor·term + rest and returns its least value over
// the box. A factor f whose sign is not known is max(0, f) forwards and max(0, −f) backwards.
func (s *statement) split(x affine.Expr, pos source.Span) (terms []term, low affine.Expr, err error) {
	names, variables, low, err := s.variables(x, pos)
	if err != nil {
		return nil, low, err
	}
	for n, t := range variables {
		if !low.Uses(names[n]) {
			continue
		}
		at := func(e affine.Expr) affine.Expr { return low.Subst(map[string]affine.Expr{names[n]: e}) }
		t.factor = at(affine.Symbol(names[n]).AddConst(1)).Sub(low)
		if slices.ContainsFunc(names, t.factor.Uses) {
			return nil, low, missing(curvedSubscript, pos)
		}
		low = at(t.min)
		for _, t := range s.directions(t) {
			if t.backward {
				low = low.Sub(t.extent.AddConst(-1).Mul(t.factor))
			}
			terms = append(terms, t)
		}
	}
	return terms, low, nil
}

// directions returns a term whose factor may be negative as one forwards, one backwards, or both.
func (s *statement) directions(t term) []term {
	back, nothing := t, affine.Expr{}
	back.factor, back.backward = t.factor.Scale(-1), true
	switch {
	case s.sizes.Proves(t.factor.AddConst(-1)):
		return []term{t}
	case s.sizes.Proves(back.factor.AddConst(-1)):
		return []term{back}
	}
	t.mayBeZero, back.mayBeZero = true, true
	switch {
	case s.sizes.Proves(t.factor):
		return []term{t}
	case s.sizes.Proves(back.factor):
		return []term{back}
	}
	t.factor, back.factor = affine.MaxOf(nothing, t.factor), affine.MaxOf(nothing, back.factor)
	return []term{t, back}
}

// variables gives each quotient, remainder, minimum and maximum with an index in it a name, besides the indices.
// What is left of the subscript is linear in the names, if TeIL can say it.
func (s *statement) variables(x affine.Expr, pos source.Span) (names []string, variables []term, left affine.Expr, err error) {
	for _, i := range s.c.Indices {
		names, variables = append(names, i.Name), append(variables, term{index: i, min: i.Min, extent: i.Extent})
	}
	for _, t := range x.Terms() {
		product := affine.Const(t.Coefficient)
		for _, a := range t.Atoms {
			factor := affine.Symbol(a.Symbol)
			if a.Op != "" {
				factor = affine.Apply(a.Op, a.X, a.Y)
			}
			if a.Op != "" && s.usesIndex(factor) {
				name := "(" + factor.String() + ")"
				if !slices.Contains(names, name) {
					v, err := s.mapOf(a, pos)
					if err != nil {
						return nil, nil, x, err
					}
					names, variables = append(names, name), append(variables, v)
				}
				factor = affine.Symbol(name)
			}
			product = product.Mul(factor)
		}
		left = left.Add(product)
	}
	return names, variables, left, nil
}

func (s *statement) usesIndex(e affine.Expr) bool {
	return slices.ContainsFunc(s.c.Indices, func(i *ein.Index) bool { return e.Uses(i.Name) })
}

// affine converts a subscript. A size that is at least 1 divides as ein says.
func (s *statement) affine(e ein.Expr) (affine.Expr, bool) {
	return ein.AffineWhere(e, func(divisor affine.Expr) bool { return s.sizes.Proves(divisor.AddConst(-1)) })
}

// spread makes the places that a sum of terms reaches, which are dimension at, a dimension for each
// index that stands in them, and returns these indices.
func (s *statement) spread(e syntax.Expr, at int, pos source.Span, terms []term) (syntax.Expr, []*ein.Index) {
	if len(terms) == 0 {
		return operation(pos, "proj", []int{at}, []affine.Expr{affine.Const(1)}, e), nil
	}
	var labels []*ein.Index
	for n := len(terms) - 1; n >= 0; n-- {
		e = splitOff(e, at, pos, terms[:n+1])
		own := []*ein.Index{terms[n].index}
		if terms[n].through != nil {
			e, own = s.mapThrough(e, at+min(n, 1), pos, terms[n])
		}
		labels = slices.Concat(own, labels)
	}
	return e, labels
}

// splitOff makes the last of the terms a dimension of its own behind the dimension
// at, in which the others remain.
func splitOff(e syntax.Expr, at int, pos source.Span, terms []term) syntax.Expr {
	last := terms[len(terms)-1]
	if len(terms) > 1 {
		reach := last.extent.AddConst(-1).Mul(last.factor).AddConst(1)
		e = operation(pos, "window", []int{at}, []affine.Expr{reach}, e)
		at++
	}
	if last.mayBeZero {
		e = operation(pos, "step", []int{at}, []affine.Expr{last.factor, last.extent}, e)
	} else if !last.factor.Equal(affine.Const(1)) {
		e = operation(pos, "stride", []int{at}, []affine.Expr{last.factor}, e)
	}
	if last.backward {
		e = operation(pos, "flip", []int{at}, nil, e)
	}
	return e
}
