package tc

import (
	"math"
	"math/bits"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/tensor"
)

// How far integers reach, as far as masks, literals and the types of what is read tell.

// fitsSmall reports whether an expression of masks, remainders and literals stays within its type.
func (s *statement) fitsSmall(e syntax.Expr, t tensor.DType) bool {
	places := t.Size() * 8
	if t.Kind() == tensor.KindInt {
		places--
	}
	largest := math.Ldexp(1, places) - 1
	if b, ok := withoutParens(e).(*syntax.Binary); ok && b.Op == "-" && t.Kind() == tensor.KindInt {
		return s.most(b.X) <= largest && s.most(b.Y) <= largest+1
	} else if ok && b.Op == "-" {
		x := s.types[b.X]
		return x.constant && x.weak == weakInt && float64(x.integer) >= s.most(b.Y) || s.atMost(b.Y, b.X)
	}
	return s.most(e) <= largest
}

// most is the greatest value of an expression that is known not to be negative; +Inf for others.
func (s *statement) most(e syntax.Expr) float64 {
	e = withoutParens(e)
	own := s.types[e]
	if own.constant && own.weak == weakInt && own.integer >= 0 {
		return float64(own.integer)
	}
	all := math.Inf(1)
	if own.weak == strong && own.dtype.IsInteger() && own.dtype.Kind() != tensor.KindInt {
		all = math.Ldexp(1, own.dtype.Size()*8) - 1
	}
	switch e := e.(type) {
	case *syntax.Conditional:
		return max(s.most(e.Then), s.most(e.Else))
	case *syntax.Apply:
		if _, counts := ein.BitFunctions()[e.Func.Name]; counts && s.def.symbols[e.Func.Name] == nil && len(e.Args) == 1 && own.weak == strong {
			return min(all, float64(own.dtype.Size()*8)) // popcount and clz
		}
		if name := e.Func.Name; (name == "min" || name == "max") && s.def.symbols[name] == nil && len(e.Args) == 2 {
			x, y := s.most(e.Args[0]), s.most(e.Args[1])
			return map[string]float64{"min": min(x, y), "max": max(x, y)}[name]
		}
	case *syntax.CastExpr:
		if x := s.most(e.X); s.fitsSmall(e.X, own.dtype) {
			return x
		}
		return all
	case *syntax.Binary:
		x, y := s.most(e.X), s.most(e.Y)
		switch e.Op {
		case "+":
			return x + y
		case "*":
			return x * y
		case "&":
			return min(x, y)
		case "|", "^":
			if most := max(x, y); most < math.Ldexp(1, 16) {
				return math.Ldexp(1, bits.Len(uint(most))) - 1
			}
		case "-":
			if t := own.dtype; isUnsigned(own) && s.fitsSmall(e, t) {
				return x
			}
		case "/":
			if n := s.types[e.Y]; n.constant && n.weak == weakInt && n.integer > 0 {
				return math.Floor(x / float64(n.integer))
			}
		case "%":
			return min(all, max(y-1, 0))
		case "<<":
			if n := s.types[e.Y]; n.constant && n.weak == weakInt && n.integer >= 0 && n.integer < 64 {
				return math.Ldexp(x, int(n.integer))
			}
		case ">>":
			if n := s.types[e.Y]; n.constant && n.integer >= 0 && n.integer < 64 {
				return math.Floor(x / math.Ldexp(1, int(n.integer)))
			}
		}
		if binaryOperators[e.Op].IsComparison() {
			return 1
		}
		return math.Inf(1)
	}
	return all
}

// reach is the greatest distance from 0 that the value of an integer expression may have; +Inf where the text tells nothing.
func (s *statement) reach(e syntax.Expr) float64 {
	e = withoutParens(e)
	own := s.types[e]
	if own.constant && own.weak == weakInt {
		return math.Abs(float64(own.integer))
	}
	all := math.Inf(1)
	if own.dtype == tensor.Bool || isSmall(own) {
		all = math.Ldexp(1, own.dtype.Size()*8)
	}
	switch e := e.(type) {
	case *syntax.Name:
		if found := s.lets[e.Name]; found != nil {
			return once(&found.reach, func() float64 { return s.reach(found.clause.Value) })
		}
	case *syntax.Unary:
		return min(all, s.reach(e.X))
	case *syntax.Conditional:
		return max(s.reach(e.Then), s.reach(e.Else))
	case *syntax.CastExpr:
		if s.types[e.X].isInteger() || s.types[e.X].dtype == tensor.Bool {
			return min(all, s.reach(e.X))
		}
	case *syntax.Apply:
		if name := e.Func.Name; s.def.symbols[name] == nil && len(e.Args) == 2 {
			return max(s.reach(e.Args[0]), s.reach(e.Args[1]))
		} else if isBitFunction(name) {
			return math.Ldexp(1, 6)
		}
	case *syntax.Binary:
		return min(all, s.reachOf(e))
	}
	return all
}

func (s *statement) reachOf(e *syntax.Binary) float64 {
	x, y := s.reach(e.X), s.reach(e.Y)
	switch e.Op {
	case "+", "-":
		return x + y
	case "*":
		return x * y
	case "/":
		return x
	case "%":
		return y
	}
	if binaryOperators[e.Op].IsComparison() {
		return 1
	}
	return s.most(e)
}
