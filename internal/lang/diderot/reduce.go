package diderot

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/tensor"
)

// A folding is how a reduction combines elements one after the other.
type folding struct {
	fold strand.Fold // over sets of strands
	op   ein.BinaryOp
	none func(l *lowering, t tensor.DType) ein.Expr
}

// foldings are the reductions; a mean is a sum first.
var foldings = map[string]folding{
	"sum":      {strand.FoldSum, ein.Add, nothing},
	"mean":     {strand.FoldMean, ein.Add, nothing},
	"product":  {strand.FoldProduct, ein.Mul, func(l *lowering, t tensor.DType) ein.Expr { return number(t, 1) }},
	"min":      {strand.FoldMin, ein.Min, func(l *lowering, t tensor.DType) ein.Expr { return extreme(t, 1) }},
	"max":      {strand.FoldMax, ein.Max, func(l *lowering, t tensor.DType) ein.Expr { return extreme(t, -1) }},
	"all":      {strand.FoldAll, ein.And, func(*lowering, tensor.DType) ein.Expr { return ein.IntConst(tensor.Bool, 1) }},
	"variance": {fold: strand.FoldVariance},
	"exists":   {strand.FoldExists, ein.Or, func(*lowering, tensor.DType) ein.Expr { return ein.IntConst(tensor.Bool, 0) }},
}

func nothing(_ *lowering, t tensor.DType) ein.Expr { return number(t, 0) }

// number is a literal of a type.
func number(t tensor.DType, n int64) ein.Expr {
	if t.IsFloat() {
		return ein.FloatConst(t, float64(n))
	}
	return ein.IntConst(t, n)
}

// extreme is what no element at all gives for a minimum (sign 1) or a maximum.
func extreme(t tensor.DType, sign int) ein.Expr {
	switch {
	case t.IsFloat():
		return ein.FloatConst(t, math.Inf(sign))
	case sign > 0:
		return ein.Largest(t)
	}
	return ein.Smallest(t)
}

// reduce folds the elements of a list.
func (l *lowering) reduce(pos source.Span, name string, elem strand.Elem, s *list) value {
	f := foldings[name]
	if set := s.root().set; set != nil {
		return l.reduceSet(pos, name, elem, s)
	}
	if name == "variance" {
		return l.variance(pos, s)
	}
	t := strand.Type{Elem: elem}
	total := l.temp(pos, name, t)
	result := total.Parts[0]
	l.assign(pos, result, f.none(l, l.p.DType(elem)))
	var count *ein.Local
	if name == "mean" {
		count = l.temp(pos, "count", strand.Type{Elem: strand.Int}).Parts[0]
		l.assign(pos, count, l.integer(0))
	}
	l.each(pos, "element", s, func(element value) {
		l.assign(pos, result, binary(pos, f.op, &ein.LocalRef{Local: result}, element.parts[0]))
		if count != nil {
			l.assign(pos, count, binary(pos, ein.Add, &ein.LocalRef{Local: count}, l.integer(1)))
		}
	})
	if count != nil {
		n := &ein.Cast{Pos: pos, To: l.p.Real, X: &ein.LocalRef{Local: count}}
		return scalar(elem, binary(pos, ein.Div, &ein.LocalRef{Local: result}, n))
	}
	return of(total)
}

// variance is the mean of the squares of the distances from the mean.
func (l *lowering) variance(pos source.Span, s *list) value {
	all := *s
	if s.low != nil || s.domain != nil {
		all = list{element: s.element, items: []strand.Item{{Sequence: l.sequence(pos, "element", s)}}}
	}
	mean := l.bind(pos, "mean", l.reduce(pos, "mean", strand.Real, &all))
	return l.reduce(pos, "mean", strand.Real, &list{element: s.element, domain: &all, name: "element", body: func(element value) value {
		apart := l.bind(pos, "apart", l.componentwise(pos, "-", element, mean))
		return l.componentwise(pos, "*", apart, apart)
	}})
}

// root is the list from whose elements those of a list are made.
func (s *list) root() *list {
	for s.domain != nil {
		s = s.domain
	}
	return s
}

// reduceSet folds a value over strands.
func (l *lowering) reduceSet(pos source.Span, name string, elem strand.Elem, s *list) value {
	total := l.temp(pos, name, strand.Type{Elem: elem})
	who := l.temp(pos, "who", strand.Type{Elem: strand.Ref})
	r := &strand.Reduce{Pos: pos, To: total.Parts[0], Fold: foldings[name].fold, Set: *s.root().set, Strand: who}
	r.Body = l.into(func() {
		element := of(who)
		var apply func(s *list)
		apply = func(s *list) {
			if s.domain != nil {
				apply(s.domain)
				element = s.body(element)
			}
		}
		apply(s)
		r.Value = element.parts[0]
	})
	l.emit(r)
	return of(total)
}
