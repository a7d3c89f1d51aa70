package tc

import (
	"math"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// warnFactorial warns of products of indices, as f(i) scan(i) *=! i+1, for which nobody has chosen a type: they
// leave all integers soon, 21! those of 64 bits.
func (l *lowering) warnFactorial(p *prover) {
	s, t, value := l.statement, l.targets[0], l.syntax.Value
	if s.syntax.Assign.Op != "*" || !s.sums() || t.typed || !t.Type.IsInteger() || t.Type == tensor.Bool || s.types[value].constant || !s.ofSizes(value) {
		return
	}
	largest := int64(math.MaxInt64) >> (64 - 8*t.Type.Size())
	if l.placesOfProduct(p) < float64(8*t.Type.Size()-1) {
		return
	}
	s.def.warnOnce(s, source.CodeSmallSum, value.Span(), "%s is a product of indices or sizes in %s, and wraps beyond %d", t.Name, t.Type, largest).
		WithHelp("write %s%s %s double(%s), or declare the type of %s when wrapping is meant", s.targetText(0), s.scanText(), s.syntax.Assign, inLine(value.Span().Text()), t.Name)
}

// placesOfProduct bounds the bits of the product where all ranges are numbers.
func (l *lowering) placesOfProduct(p *prover) float64 {
	many := math.Inf(1)
	factors := 1.0
	for _, i := range l.indices {
		n, known := i.end.Sub(i.min).IsConst()
		switch {
		case i.target && !l.scans(i):
		case !known:
			return many
		default:
			factors *= float64(n)
		}
	}
	e, ok := p.affineOf(l.subscript(l.syntax.Value))
	if !ok {
		return many
	}
	lo, hi, ok := p.inside.Extremes(e, p.box)
	if !ok {
		return many
	}
	places := 0.0
	for _, x := range []affine.Expr{lo, hi} {
		n, known := x.IsConst()
		if !known {
			return many
		}
		places = max(places, math.Log2(max(1, math.Abs(float64(n)))))
	}
	return factors * places
}

// scans reports whether an index is one of the scan clause.
func (s *statement) scans(i *index) bool {
	for _, name := range s.syntax.Scan {
		if name.Name == i.Name {
			return true
		}
	}
	return false
}
