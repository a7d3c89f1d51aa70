package guard

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// A value is a TeIL expression whose dimension p runs along the index labels[p].
type value struct {
	expr   syntax.Expr
	labels []*ein.Index
}

// diag merges the dimensions with the same label, as many as there are.
func (v value) diag(pos source.Span) value {
	for q := 1; q < len(v.labels); {
		p := slices.Index(v.labels[:q], v.labels[q])
		if p < 0 {
			q++
			continue
		}
		v = value{operation(pos, "diag", []int{p + 1, q + 1}, nil, v.expr), slices.Delete(slices.Clone(v.labels), q, q+1)}
	}
	return v
}

// expand inserts dimensions for the indices that v lacks, each before the first
// label that follows it in the order.
func (v value) expand(pos source.Span, order []*ein.Index) value {
	for rank, i := range order {
		if slices.Contains(v.labels, i) {
			continue
		}
		at := slices.IndexFunc(v.labels, func(l *ein.Index) bool { return slices.Index(order, l) > rank })
		if at < 0 {
			at = len(v.labels)
		}
		v = value{
			operation(pos, "expa", []int{at + 1}, []affine.Expr{i.Extent}, v.expr),
			slices.Insert(slices.Clone(v.labels), at, i),
		}
	}
	return v
}

// arrange brings the dimensions into the order, which has all labels of v; the
// others are inserted.
func (v value) arrange(pos source.Span, order []*ein.Index) value {
	v = v.expand(pos, order)
	for p, want := range order {
		q := slices.Index(v.labels, want)
		if q == p {
			continue
		}
		labels := slices.Clone(v.labels)
		labels[p], labels[q] = labels[q], labels[p]
		v = value{operation(pos, "transp", []int{p + 1, q + 1}, nil, v.expr), labels}
	}
	return v
}

// reduce folds the dimension of the index, which is inserted where it is missing.
func (v value) reduce(pos source.Span, op string, i *ein.Index, order []*ein.Index) value {
	if !slices.Contains(v.labels, i) {
		v = v.expand(pos, slices.DeleteFunc(slices.Clone(order), func(o *ein.Index) bool { return o != i && !slices.Contains(v.labels, o) }))
	}
	p := slices.Index(v.labels, i)
	return value{operation(pos, op, []int{p + 1}, nil, v.expr), slices.Delete(slices.Clone(v.labels), p, p+1)}
}

// multiply is the product of index notation: a tensor product whose dimensions
// with equal labels are one.
func multiply(pos source.Span, x, y value) value {
	switch {
	case slices.Equal(x.labels, y.labels), len(x.labels) == 0:
		return value{operation(pos, "mul", nil, nil, x.expr, y.expr), y.labels}
	case len(y.labels) == 0: // the scalar stands first
		return value{operation(pos, "mul", nil, nil, y.expr, x.expr), x.labels}
	}
	product := operation(pos, "prod", nil, nil, x.expr, y.expr)
	return value{product, slices.Concat(x.labels, y.labels)}.diag(pos)
}

// elementwise applies an operation to values that are brought to one shape: that of
// the first if all have its labels, the order of the statement otherwise.
func (s *statement) elementwise(pos source.Span, op string, list ...value) value {
	labels := s.union(list)
	operands := make([]syntax.Expr, len(list))
	for n, v := range list {
		operands[n] = v.arrange(pos, labels).expr
	}
	return value{operation(pos, op, nil, nil, operands...), labels}
}

// union returns the labels that several values have together, once each.
func (s *statement) union(list []value) []*ein.Index {
	for _, v := range list {
		if !slices.Equal(v.labels, list[0].labels) {
			order := slices.DeleteFunc(slices.Clone(s.c.Indices), func(i *ein.Index) bool {
				return !slices.ContainsFunc(list, func(v value) bool { return slices.Contains(v.labels, i) })
			})
			for _, v := range list { // indices that the statement does not have come last
				for _, i := range v.labels {
					if !slices.Contains(order, i) {
						order = append(order, i)
					}
				}
			}
			return order
		}
	}
	return list[0].labels
}
