package guard

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// A target is where a statement writes. TeIL assigns whole tensors; a statement that writes a part of
// one assigns the tensor with this part replaced.
type target struct {
	pos    source.Span
	places []place // one for each dimension
}

// A place is what is written in a dimension: every step-th place from low on, one for each value of the index, or
// one alone where there is none.
type place struct {
	index     *ein.Index
	backward  bool // the last one is written first
	low, step affine.Expr
	part      bool // some places are not written
}

func (p place) extent() affine.Expr {
	if p.index == nil {
		return affine.Const(1)
	}
	return p.index.Extent
}

func (p place) span() affine.Expr { return p.extent().AddConst(-1).Mul(p.step).AddConst(1) }

// target returns the places that a write writes. Where it writes all of a dimension, that it does is an obligation.
func (s *statement) target(w *ein.Write) (*target, error) {
	to := &target{pos: w.Pos}
	for d, subscript := range w.Subscripts {
		dim := w.Tensor.Dims[d]
		x, ok := s.affine(subscript)
		if !ok {
			return nil, missing(scatteredWrite, w.Pos)
		}
		terms, low, err := s.split(s.decided(x), w.Pos)
		if err != nil {
			return nil, err
		}
		p := place{low: low.Sub(dim.Min), step: affine.Const(1)}
		if len(terms) == 1 {
			p.index, p.backward, p.step = terms[0].index, terms[0].backward, terms[0].factor
		}
		if len(terms) > 1 || len(terms) == 1 && terms[0].mayBeZero || len(terms) == 1 && (p.index == nil || slices.ContainsFunc(to.places, func(q place) bool { return q.index == p.index })) {
			return nil, missing(scatteredWrite, w.Pos)
		}
		behind := dim.Extent.Sub(p.low).Sub(p.span())
		p.part = !s.equal(p.step, affine.Const(1)) ||
			!(s.equal(p.low, affine.Expr{}) && s.equal(behind, affine.Expr{})) && s.sizes.Proves(p.low) && s.sizes.Proves(behind) && !s.contradicts(p.low, behind)
		if !p.part {
			s.obligations = append(s.obligations,
				obligation{w.Pos, fmt.Sprintf("dimension %d of %s is written from place", d+1, w.Tensor.Name), p.low, affine.Expr{}},
				obligation{w.Pos, fmt.Sprintf("dimension %d of %s is written up to place", d+1, w.Tensor.Name), p.low.Add(p.span()), dim.Extent})
		}
		to.places = append(to.places, p)
	}
	return to, nil
}

// contradicts reports whether nothing is left out of the dimension after all.
func (s *statement) contradicts(low, behind affine.Expr) bool {
	return s.sizes.Proves(low.Scale(-1)) && s.sizes.Proves(behind.Scale(-1))
}

// extents are those of what is written.
func (t *target) extents() []affine.Expr {
	list := make([]affine.Expr, len(t.places))
	for d, p := range t.places {
		list[d] = p.extent()
	}
	return list
}

// arrange brings the dimensions of a value into the order of what is written.
func (t *target) arrange(v value) value {
	writes := func(i *ein.Index) bool {
		return slices.ContainsFunc(t.places, func(p place) bool { return p.index == i })
	}
	for p := 0; p < len(v.labels); { // an index that places nothing has one value
		if writes(v.labels[p]) {
			p++
			continue
		}
		v = value{
			operation(t.pos, "proj", []int{p + 1}, []affine.Expr{affine.Const(1)}, v.expr),
			slices.Delete(slices.Clone(v.labels), p, p+1),
		}
	}
	var order []*ein.Index
	for _, p := range t.places {
		if p.index != nil {
			order = append(order, p.index)
		}
	}
	v = v.arrange(t.pos, order)
	for d, p := range t.places {
		if p.index == nil {
			v = value{operation(t.pos, "expa", []int{d + 1}, []affine.Expr{affine.Const(1)}, v.expr), slices.Insert(slices.Clone(v.labels), d, p.index)}
		}
		if p.backward {
			v.expr = operation(t.pos, "flip", []int{d + 1}, nil, v.expr)
		}
	}
	return v
}

// slice takes what is written in the first dimensions, so many.
func (t *target) slice(e syntax.Expr, dimensions int) syntax.Expr {
	for d, p := range t.places[:dimensions] {
		if !p.part {
			continue
		}
		e = operation(t.pos, "shift", []int{d + 1}, []affine.Expr{p.low, p.span()}, e)
		if !p.step.Equal(affine.Const(1)) {
			e = operation(t.pos, "stride", []int{d + 1}, []affine.Expr{p.step}, e)
		}
	}
	return e
}

// replaced is the old tensor with a new part: in the first dimension that is written in part it is the old one with
// the new part of what is written there, and so on.
func (t *target) replaced(old, e syntax.Expr) syntax.Expr {
	for d := len(t.places) - 1; d >= 0; d-- {
		if p := t.places[d]; p.part {
			e = operation(t.pos, "replace", []int{d + 1}, []affine.Expr{p.low, p.step}, t.slice(old, d), e)
		}
	}
	return e
}
