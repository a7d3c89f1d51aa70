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
	index  *ein.Index
	factor int64
}

// access lowers T(s₁, …): each subscript turns a dimension of T into one per index
// that stands in it, and none where there is none. What an index that stands in
// two of them joins is a diagonal.
func (s *statement) access(a *ein.Access) (value, error) {
	v := value{expr: s.variable(a.Pos, a.Tensor)}
	for d, subscript := range a.Subscripts {
		x, ok := ein.AffineOf(subscript)
		if !ok {
			if ein.DependsOnData(subscript) {
				return value{}, missing(dataSubscript, subscript.Span())
			}
			return value{}, missing(curvedSubscript, subscript.Span())
		}
		var err error
		if v, err = s.dimension(v, a, d, s.decided(x)); err != nil {
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
	terms, low, err := s.split(x, pos)
	if err != nil {
		return value{}, err
	}
	low = low.Sub(dim.Min)
	if len(terms) == 0 {
		v.expr = operation(pos, "proj", []int{at}, []affine.Expr{low.AddConst(1)}, v.expr)
		return v, nil
	}
	span := affine.Const(1)
	for _, t := range terms {
		span = span.Add(t.index.Extent.AddConst(-1).Scale(max(t.factor, -t.factor)))
	}
	v.expr, low = s.padded(v.expr, at, a, d, x, low, span)
	v.expr = s.cut(v.expr, at, pos, a, d, low, span, len(terms) == 1 && terms[0].factor == 1)
	for n := len(terms) - 1; n >= 0; n-- {
		v.expr = splitOff(v.expr, at, pos, terms[:n+1])
		v.labels = slices.Insert(slices.Clone(v.labels), at-1, terms[n].index)
	}
	return v, nil
}

// splitOff makes the last of the terms a dimension of its own behind the dimension
// at, in which the others remain.
func splitOff(e syntax.Expr, at int, pos source.Span, terms []term) syntax.Expr {
	last := terms[len(terms)-1]
	factor := max(last.factor, -last.factor)
	if len(terms) > 1 {
		reach := last.index.Extent.AddConst(-1).Scale(factor).AddConst(1)
		e = operation(pos, "window", []int{at}, []affine.Expr{reach}, e)
		at++
	}
	if factor > 1 {
		e = operation(pos, "stride", []int{at}, []affine.Expr{affine.Const(factor)}, e)
	}
	if last.factor < 0 {
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
	if padding, ok := e.(*syntax.Operation); ok && padding.Op.Name == "pad" {
		return operation(pos, "shift", []int{at}, []affine.Expr{low, span}, e)
	}
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

// padded inserts elements before and behind a dimension that the subscript leaves.
// That is right only where a condition around the access keeps such elements
// from being read, which is proved here from the condition alone.
func (s *statement) padded(e syntax.Expr, at int, a *ein.Access, d int, x, low, span affine.Expr) (syntax.Expr, affine.Expr) {
	size := a.Tensor.Dims[d].Extent
	before, behind := s.sizes.Proves(low), s.sizes.Proves(size.Sub(low).Sub(span))
	if len(s.path) == 0 || before && behind {
		return e, low
	}
	offset := x.Sub(a.Tensor.Dims[d].Min)
	inside := s.inside()
	if !inside.Proves(offset) || !inside.Proves(size.AddConst(-1).Sub(offset)) {
		return e, low // the shift is going to be refused
	}
	first, last := affine.Expr{}, affine.Expr{}
	if !before {
		first = affine.MaxOf(affine.Expr{}, low.Scale(-1))
	}
	if !behind {
		last = affine.MaxOf(affine.Expr{}, low.Add(span).Sub(size))
	}
	return operation(a.Pos, "pad", []int{at}, []affine.Expr{first, last}, e), low.Add(first)
}

// split writes a subscript as Σ factor·index + rest and returns its least value over
// the box.
func (s *statement) split(x affine.Expr, pos source.Span) (terms []term, low affine.Expr, err error) {
	low = x
	for _, i := range s.c.Indices {
		if !x.Uses(i.Name) {
			continue
		}
		factor, rest, ok := low.Linear(i.Name)
		if !ok {
			return nil, low, missing(s.obstacle(x, i), pos)
		}
		end := i.Min
		if factor < 0 {
			end = i.Min.Add(i.Extent).AddConst(-1)
		}
		terms, low = append(terms, term{i, factor}), rest.Add(end.Scale(factor))
	}
	return terms, low, nil
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
	return runtimeStride
}
