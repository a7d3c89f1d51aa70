package guard

import (
	"errors"
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// gathered applies subscript d, of any form, to the dimension behind those that v has labels for:
// what it is at every point is an expression like others, and its elements choose places.
// TeIL tests each of them. The program has to test them, too, or they are proved to be places.
func (s *statement) gathered(v value, a *ein.Access, d int) (value, error) {
	subscript, pos := a.Subscripts[d], a.Pos
	place, err := s.scalar(subscript)
	if err != nil {
		return value{}, err
	}
	place = anchored(tensor.Int64, place)
	if first := a.Tensor.Dims[d].Min; !s.equal(first, affine.Expr{}) {
		place = s.elementwise(pos, "sub", place, value{expr: sizeValue(pos, first)})
	}
	return value{
		operation(pos, "gather", []int{len(v.labels) + 1}, nil, place.expr, v.expr),
		slices.Concat(place.labels, v.labels),
	}, nil
}

// subscripted applies subscript d: by operations that move elements where the subscript is a sum of
// indices that is proved to stay inside, otherwise by a gather, if it is tested while running or
// is a place of the dimension by its form.
func (s *statement) subscripted(v value, a *ein.Access, d int) (value, error) {
	subscript := a.Subscripts[d]
	x, ok := s.affine(subscript)
	switch {
	case ok:
		moved, err := s.dimension(v, a, d, s.decided(x))
		if unable := (*inexpressible)(nil); !errors.As(err, &unable) || !a.Checked && !s.isHeld(subscript, a.Tensor.Dims[d]) {
			return moved, err
		}
	case a.Checked || s.isHeld(subscript, a.Tensor.Dims[d]):
	case ein.DependsOnData(subscript):
		return value{}, missing(dataSubscript, subscript.Span())
	default:
		return value{}, missing(curvedSubscript, subscript.Span())
	}
	return s.gathered(v, a, d)
}
