package guard

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// A term is one index of an affine subscript with its factor.
type term struct {
	index    *ein.Index
	factor   affine.Expr // positive
	backward bool        // the factor was negative
}

// access lowers T(s₁, …): each subscript turns a dimension of T into one per index
// that stands in it, and none where there is none; one that no such operations express is
// gathered (gather.go). What an index that stands in two of them joins is a diagonal.
func (s *statement) access(a *ein.Access) (value, error) {
	v := value{expr: s.variable(a.Pos, a.Tensor)}
	for d := range a.Subscripts {
		var err error
		if v, err = s.subscripted(v, a, d); err != nil {
			return value{}, err
		}
	}
	return v.diag(a.Pos), nil
}

// dimension applies a subscript to the dimension behind those that v has labels
// for. The box of the indices decides which elements the subscript reaches:
// those from low on, span many. They are cut out by a shift; every further index is
// a window; factors are strides.
func (s *statement) dimension(v value, a *ein.Access, d int, x affine.Expr) (value, error) {
	pos, dim, at := a.Subscripts[d].Span(), a.Tensor.Dims[d], len(v.labels)+1
	if !pos.IsValid() {
		pos = a.Pos
	}
	x, held := s.heldIn(dim, x)
	terms, low, err := s.split(x, pos)
	if err != nil {
		return value{}, err
	}
	low = low.Sub(dim.Min)
	if len(terms) == 0 && !held && !s.path.Known() {
		v.expr = operation(pos, "proj", []int{at}, []affine.Expr{low.AddConst(1)}, v.expr)
		return v, nil
	}
	span := affine.Const(1)
	for _, t := range terms {
		span = span.Add(t.index.Extent.AddConst(-1).Mul(t.factor))
	}
	grow := ""
	switch {
	case held:
		grow = "clamp"
	case s.sizes.Proves(low) && s.sizes.Proves(dim.Extent.Sub(low).Sub(span)):
	case s.keptInside(x.Sub(dim.Min), dim.Extent):
		grow = "pad"
	case s.isSpokenOf(x) || len(terms) == 0 && s.path.Known():
		return v, missing(guardedSubscript, pos)
	case a.Checked:
		return v, missing(openSubscript, pos)
	}
	if grow != "" {
		v.expr = s.grown(v.expr, grow, at, pos, low, span, dim.Extent)
	} else {
		v.expr = s.cut(v.expr, at, pos, a, d, low, span, len(terms) == 1 && terms[0].factor.Equal(affine.Const(1)) && !terms[0].backward)
	}
	if len(terms) == 0 {
		v.expr = operation(pos, "proj", []int{at}, []affine.Expr{affine.Const(1)}, v.expr)
	}
	for n := len(terms) - 1; n >= 0; n-- {
		v.expr = splitOff(v.expr, at, pos, terms[:n+1])
		v.labels = slices.Insert(slices.Clone(v.labels), at-1, terms[n].index)
	}
	return v, nil
}

// heldIn removes the minimum and maximum that hold a subscript in its dimension. Where only one
// of them is there, the other side must be in range by itself.
func (s *statement) heldIn(dim ein.Dim, x affine.Expr) (affine.Expr, bool) {
	first, last := dim.Min, dim.Min.Add(dim.Extent).AddConst(-1)
	inner, low, high := x, false, false
	for {
		terms := inner.Terms()
		if len(terms) != 1 || terms[0].Coefficient != 1 || len(terms[0].Atoms) != 1 {
			break
		}
		a := terms[0].Atoms[0]
		end, seen := first, &low
		if a.Op == affine.Min {
			end, seen = last, &high
		} else if a.Op != affine.Max {
			break
		}
		switch {
		case s.equal(a.X, end):
			inner = a.Y
		case s.equal(a.Y, end):
			inner = a.X
		default:
			return x, false
		}
		*seen = true
	}
	inside := s.inside()
	if !low && !high || !low && !inside.Proves(inner.Sub(first)) || !high && !inside.Proves(last.Sub(inner)) {
		return x, false
	}
	return inner, true
}

// splitOff makes the last of the terms a dimension of its own behind the dimension
// at, in which the others remain.
func splitOff(e syntax.Expr, at int, pos source.Span, terms []term) syntax.Expr {
	last := terms[len(terms)-1]
	if len(terms) > 1 {
		reach := last.index.Extent.AddConst(-1).Mul(last.factor).AddConst(1)
		e = operation(pos, "window", []int{at}, []affine.Expr{reach}, e)
		at++
	}
	if !last.factor.Equal(affine.Const(1)) {
		e = operation(pos, "stride", []int{at}, []affine.Expr{last.factor}, e)
	}
	if last.backward {
		e = operation(pos, "flip", []int{at}, nil, e)
	}
	return e
}

// cut restricts a dimension to the elements from low on, span many. A subscript that
// is an index alone keeps the whole dimension where the range of the index does not
// provably lie inside: T-Diag and OK-Stmt then compare the declared sizes, as in the
// paper, and the obligation that the index covers the dimension stays.
func (s *statement) cut(e syntax.Expr, at int, pos source.Span, a *ein.Access, d int, low, span affine.Expr, plain bool) syntax.Expr {
	size := a.Tensor.Dims[d].Extent
	starts := s.equal(low, affine.Expr{})
	if starts && span.Equal(size) {
		return e
	}
	if plain && starts && (s.equal(span, size) || !s.sizes.Proves(size.Sub(span))) {
		s.obligations = append(s.obligations, obligation{pos, fmt.Sprintf("the index runs along dimension %d of %s with the extent", d+1, a.Tensor.Name), span, size})
		return e
	}
	return operation(pos, "shift", []int{at}, []affine.Expr{low, span}, e)
}

// keptInside reports whether a subscript leaves its dimension, but only where a condition
// around the access keeps it from being evaluated; that is proved from the condition.
func (s *statement) keptInside(offset, size affine.Expr) bool {
	return s.path.Known() && s.holdsInside(offset) && s.holdsInside(size.AddConst(-1).Sub(offset))
}

// grown puts as many elements before and behind a dimension as a subscript leaves it by,
// and cuts out what it reaches.
func (s *statement) grown(e syntax.Expr, op string, at int, pos source.Span, low, span, size affine.Expr) syntax.Expr {
	beyond := func(n affine.Expr) affine.Expr {
		if s.sizes.Proves(n.Scale(-1)) {
			return affine.Expr{}
		}
		if s.sizes.Proves(n) {
			return n
		}
		return affine.MaxOf(affine.Expr{}, n)
	}
	before, behind := beyond(low.Scale(-1)), beyond(low.Add(span).Sub(size))
	e = operation(pos, op, []int{at}, []affine.Expr{before, behind}, e)
	return operation(pos, "shift", []int{at}, []affine.Expr{low.Add(before), span}, e)
}

// split writes a subscript as Σ factor·index + rest and returns its least value over
// the box. Factors may be sizes whose sign is known.
func (s *statement) split(x affine.Expr, pos source.Span) (terms []term, low affine.Expr, err error) {
	low = x
	for _, i := range s.c.Indices {
		if !x.Uses(i.Name) {
			continue
		}
		at := func(e affine.Expr) affine.Expr { return low.Subst(map[string]affine.Expr{i.Name: e}) }
		t := term{index: i, factor: at(affine.Symbol(i.Name).AddConst(1)).Sub(low)}
		end := i.Min
		switch {
		case s.usesIndex(t.factor):
			return nil, low, missing(s.obstacle(x, i), pos)
		case s.sizes.Proves(t.factor.AddConst(-1)):
		case s.sizes.Proves(t.factor.Scale(-1).AddConst(-1)):
			t.factor, t.backward = t.factor.Scale(-1), true
			end = i.Min.Add(i.Extent).AddConst(-1)
		default:
			return nil, low, missing(runtimeStride, pos)
		}
		terms, low = append(terms, t), at(end)
	}
	return terms, low, nil
}

func (s *statement) usesIndex(e affine.Expr) bool {
	return slices.ContainsFunc(s.c.Indices, func(i *ein.Index) bool { return e.Uses(i.Name) })
}

// obstacle says why an index does not stand linearly in a subscript.
func (s *statement) obstacle(x affine.Expr, i *ein.Index) *construct {
	for _, t := range x.Terms() {
		for _, a := range t.Atoms {
			used := a.Op != "" && (a.X.Uses(i.Name) || a.Y.Uses(i.Name))
			switch {
			case used && (a.Op == affine.Min || a.Op == affine.Max):
				return clampedSubscript
			case used && a.Op == affine.FloorDiv:
				return quotientSubscript
			case used:
				return wrappedSubscript
			}
		}
	}
	return curvedSubscript
}
