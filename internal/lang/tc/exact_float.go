package tc

import (
	"math"
	"math/bits"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How products of many sizes become floats
//
// Two sizes have a product of 64 bits, five have not: i*i*i*i*i*x(i) would wrap from i = 6209 on. What may need
// more bits than an int64 has is therefore done in float64 where it becomes a float: each part that fits is computed exactly
// and converted, and then added or multiplied. Quotients and remainders stay integers, and so does what becomes an int64.

// placesOfSize is how many bits a size or an index has in a value.
const placesOfSize = 31

// placesOf bounds the bits of integer arithmetic of sizes, indices and literals, without the sign.
func (l *lowering) placesOf(e syntax.Expr) int {
	known := map[string]int{} // lets of lets double each other
	var places func(e syntax.Expr) int
	places = func(e syntax.Expr) int {
		switch e := e.(type) {
		case *syntax.Number:
			return bits.Len64(uint64(max(l.types[e].integer, -math.MaxInt64, -l.types[e].integer)))
		case *syntax.Name:
			found := l.lets[e.Name]
			if t := l.def.symbols[e.Name]; found == nil && t != nil { // a scalar that is made of sizes
				return t.Type.Size()*8 - 1
			}
			if found == nil {
				return placesOfSize
			}
			if n, ok := known[e.Name]; ok {
				return n
			}
			known[e.Name] = placesOfSize
			known[e.Name] = places(found.clause.Value)
			return known[e.Name]
		case *syntax.Paren:
			return places(e.X)
		case *syntax.Unary:
			return places(e.X)
		case *syntax.Binary:
			x, y := places(e.X), places(e.Y)
			switch e.Op {
			case "*":
				return min(x+y, math.MaxInt16)
			case "/":
				return x
			case "%":
				return y
			}
			return min(max(x, y)+1, math.MaxInt16)
		}
		return placesOfSize
	}
	return places(e)
}

// becomesFloat computes exact arithmetic that becomes a float.
func (l *lowering) becomesFloat(e syntax.Expr) ein.Expr {
	if l.placesOf(e) > 63 && l.spend(e.Span()) {
		switch e := e.(type) {
		case *syntax.Name:
			if found := l.lets[e.Name]; found != nil {
				return l.becomesFloat(found.clause.Value)
			}
		case *syntax.Paren:
			return l.becomesFloat(e.X)
		case *syntax.Unary:
			return &ein.Unary{Pos: e.Pos, Op: ein.Neg, X: l.becomesFloat(e.X)}
		case *syntax.Binary:
			if op := binaryOperators[e.Op]; op == ein.Add || op == ein.Sub || op == ein.Mul {
				return &ein.Binary{Pos: e.Pos, Op: op, X: l.becomesFloat(e.X), Y: l.becomesFloat(e.Y)}
			}
		}
	}
	if b, ok := e.(*syntax.Binary); ok && l.placesOf(b.X) > 63 && (b.Op == "/" || b.Op == "%") {
		l.def.warnOnce(l.statement, source.CodeSmallArithmetic, b.X.Span(), "%s is computed in int64, and wraps where it needs more bits, before it is divided", oneLine(b.X.Span().Text())).
			WithHelp("begin with a float for one of floats: 1.0*%s", inLine(b.X.Span().Text()))
	}
	value := l.subscript(e)
	if k, ok := value.(*ein.Const); ok {
		return floatOf(k, e.Span())
	}
	return convert(value, tensor.Float64, e.Span())
}

// floatOf is an integer literal as a float64.
func floatOf(k *ein.Const, at source.Span) ein.Expr {
	f := ein.FloatConst(tensor.Float64, float64(k.Int()))
	f.Pos = at
	return f
}
