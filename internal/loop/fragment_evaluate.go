package loop

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
)

// multiplyFragments prints a Fragments: Z[at by stride] += X[at] * Y[at] depth 16.
func (p *printer) multiplyFragments(s *Fragments) {
	at := func(b *Buffer, e Expr) string { return p.buffer(b) + "[" + p.expr(e, 0) }
	p.line("fragments %s by %d] += %s] * %s] depth %d", at(s.Z, s.At), s.Stride, at(s.X, s.XAt), at(s.Y, s.YAt), s.Depth)
}

// multiplyFragments parses what follows the word.
func (p *parser) multiplyFragments() *Fragments {
	s := &Fragments{}
	at := func(b **Buffer, e *Expr) {
		*b = p.buffer()
		p.expect("[")
		*e = p.expr()
	}
	at(&s.Z, &s.At)
	p.expect("by")
	s.Stride = p.integer()
	p.expect("]")
	p.expect("+")
	p.expect("=")
	at(&s.X, &s.XAt)
	p.expect("]")
	p.expect("*")
	at(&s.Y, &s.YAt)
	p.expect("]")
	p.expect("depth")
	s.Depth = p.integer()
	return s
}

// multiplyFragments runs a product of the lanes of a sub-group.
func (run *gridRun) multiplyFragments(s *Fragments, team []*item) {
	shape, ev := s.Shape(), run.ev
	part := func(it *item, b *Buffer, at Expr, elements int, place func(e int) int64) []uint64 {
		run.enter(it)
		ev.stmt = s
		first, list := int64(ev.expr(at)[0]), make([]uint64, elements)
		for e := range list {
			list[e] = ev.expr(&Load{Buffer: b, Index: Int(first + place(e)), Lanes: 1})[0]
		}
		return list
	}
	near := func(e int) int64 { return int64(e) }
	results := func(e int) int64 { return int64(e%2) + int64(e/2)*s.Stride }
	x, y := map[[2]int64]uint64{}, map[[2]int64]uint64{}
	sums := make([][]uint64, len(team))
	for n, it := range team {
		for e, value := range part(it, s.X, s.XAt, len(shape.X.Lines), near) {
			row, k := shape.X.Of(int64(n), e)
			x[[2]int64{row, k}] = value
		}
		for e, value := range part(it, s.Y, s.YAt, len(shape.Y.Lines), near) {
			column, k := shape.Y.Of(int64(n), e)
			y[[2]int64{column, k}] = value
		}
		sums[n] = part(it, s.Z, s.At, len(shape.Z.Lines), results)
	}
	for n, it := range team {
		run.enter(it)
		ev.stmt = s
		first := int64(ev.expr(s.At)[0])
		for e, value := range sums[n] {
			row, column := shape.Z.Of(int64(n), e)
			for k := range shape.Depth {
				value = addProduct(shape, value, x[[2]int64{row, k}], y[[2]int64{column, k}])
			}
			ev.store(&Store{Buffer: s.Z, Index: Int(first + results(e)), Value: &Const{Elem: shape.Sum, Bits: value}})
		}
	}
}

// addProduct adds a product to a sum.
func addProduct(s *ein.FragmentShape, sum, x, y uint64) uint64 {
	if !s.Sum.IsFloat() {
		return evalBinary(ein.Add, s.Sum, sum, evalBinary(ein.Mul, s.Sum, x, y))
	}
	a, b := math.Float64frombits(x), math.Float64frombits(y)
	if s.Rounds() {
		a, b = float64(ein.RoundTF32(float32(a))), float64(ein.RoundTF32(float32(b)))
	}
	return math.Float64bits(float64(float32(math.Float64frombits(sum) + a*b)))
}
