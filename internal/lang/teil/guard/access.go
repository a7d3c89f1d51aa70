package guard

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

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
// those from low on, span many. They are cut out by a shift; then every further index is
// a window, and factors are strides.
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
	if len(terms) == 0 && !s.path.Known() {
		v.expr = operation(pos, "proj", []int{at}, []affine.Expr{low.AddConst(1)}, v.expr)
		return v, nil
	}
	span, pad := spanOf(terms), false
	switch {
	case s.sizes.Proves(low) && s.sizes.Proves(dim.Extent.Sub(low).Sub(span)):
	case s.keptInside(x.Sub(dim.Min), dim.Extent):
		pad = true
	case s.isSpokenOf(x) || len(terms) == 0 && s.path.Known():
		return v, missing(guardedSubscript, pos)
	case a.Checked:
		return v, missing(openSubscript, pos)
	case !endsAreRead(terms):
		return v, missing(overestimated, pos)
	}
	if pad {
		v.expr = s.grown(v.expr, "pad", at, pos, low, span, dim.Extent)
	} else {
		v.expr = s.cut(v.expr, at, pos, a, d, low, span, len(terms) == 1 && terms[0].isPlain())
	}
	e, labels := s.spread(v.expr, at, pos, terms)
	return value{e, slices.Concat(v.labels, labels)}, nil
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
