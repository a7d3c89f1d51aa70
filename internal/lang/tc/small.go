package tc

import (
	"math"
	"math/bits"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How arithmetic of 8 and 16 bits is warned of
//
// (A(i) + B(i))/2 of bytes wraps at 256 before it is halved, as the letter of the language says and
// nobody means. Where sums, differences, products and shifts to the left of such types are stored as they are,
// wrapping may be meant. It is not where the result is divided, shifted down, compared, passed to a
// function, or becomes a wider type, nor where the target has its type from such a value alone.

// smallArithmetic warns of it in the value of a statement and in its lets.
func (s *statement) smallArithmetic() {
	value, t := s.syntax.Value, s.targets[0]
	top, isBinary := withoutParens(value).(*syntax.Binary)
	switch own := s.types[value]; {
	case widens(own, t.Type) && storable(own, t.Type):
		s.wrapsBefore(value, "becomes "+t.Type.String())
	case isBinary && top.Op == "<<": // CodeShiftedOut tells of what leaves nothing
	case !t.typed && len(s.reduced()) == 0 && len(s.syntax.Scan) == 0:
		s.wrapsBefore(value, "is stored in "+t.Name+", which has its type from it")
	}
	s.smallIn(value)
	for _, clause := range s.syntax.Where {
		if c, ok := clause.(*syntax.LetClause); ok {
			s.smallIn(c.Value)
		}
	}
}

// smallIn looks for small arithmetic inside of an expression.
func (s *statement) smallIn(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.Apply:
		name := e.Func.Name
		if s.def.symbols[name] != nil {
			return // subscripts are wide
		}
		if _, moves := boundaryFunctions[name]; !moves {
			for _, x := range e.Args {
				s.wrapsBefore(x, "is passed to "+name)
			}
		}
	case *syntax.CastExpr:
		if widens(s.types[e.X], s.types[e].dtype) {
			s.wrapsBefore(e.X, "becomes "+s.types[e].dtype.String())
		}
	case *syntax.Binary:
		s.smallOperands(e)
	}
	for _, x := range operands(e) {
		s.smallIn(x)
	}
}

// smallOperands looks at the operands of an operator.
func (s *statement) smallOperands(e *syntax.Binary) {
	op := binaryOperators[e.Op]
	for _, x := range []syntax.Expr{e.X, e.Y} {
		inner, isBinary := withoutParens(x).(*syntax.Binary)
		switch {
		case op.IsComparison():
			s.wrapsBefore(x, "is compared")
		case e.Op == "/" || e.Op == "%":
			s.wrapsBefore(x, "is divided")
		case e.Op == ">>" && x == e.X && !(isBinary && inner.Op == "<<"): // (x << 4) >> 4 takes the sign from a bit
			s.wrapsBefore(x, "is shifted down")
		case widens(s.types[x], s.types[e].dtype):
			s.wrapsBefore(x, "becomes "+s.types[e].dtype.String())
		}
	}
}

// wrapsBefore warns where an expression is small arithmetic that may wrap.
func (s *statement) wrapsBefore(e syntax.Expr, what string) {
	switch e := withoutParens(e).(type) {
	case *syntax.Conditional:
		s.wrapsBefore(e.Then, what)
		s.wrapsBefore(e.Else, what)
	case *syntax.Binary:
		own := s.types[e]
		if e.Op != "+" && e.Op != "-" && e.Op != "*" && e.Op != "<<" || !isSmall(own) || s.fitsSmall(e, own.dtype) {
			return
		}
		s.def.diags.Warnf(source.CodeSmallArithmetic, e.Pos, "%s is computed in %s, and wraps, before it %s", oneLine(e.Pos.Text()), own.dtype, what).
			WithHelp("write %s for arithmetic of 32 bits, or declare the type where wrapping is meant", widened(e))
	}
}

// isSmall reports whether a type is one of integers of 8 or 16 bits.
func isSmall(t valueType) bool {
	return t.weak == strong && t.dtype.IsInteger() && t.dtype != tensor.Bool && t.dtype.Size() <= 2
}

// widens reports whether a small value becomes a number of another kind or of more bits.
func widens(from valueType, to tensor.DType) bool {
	return isSmall(from) && to != tensor.Invalid && (to.IsFloat() || to.IsInteger() && to.Size() > from.dtype.Size())
}

// widened is the text of an expression in which the first operand is an int32, so that what meets it is.
func widened(e syntax.Expr) string {
	first := e
	for {
		b, ok := withoutParens(first).(*syntax.Binary)
		if !ok {
			break
		}
		first = b.X
		if isLiteral(withoutParens(first)) {
			first = b.Y
		}
	}
	whole, part := e.Span(), first.Span()
	text := whole.Text()
	at := part.Start - whole.Start
	return oneLine(text[:at] + "int32(" + part.Text() + ")" + text[at+part.End-part.Start:])
}

func isLiteral(e syntax.Expr) bool {
	_, ok := e.(*syntax.Number)
	return ok
}

// fitsSmall reports whether an expression of masks, remainders and literals stays within its type.
func (s *statement) fitsSmall(e syntax.Expr, t tensor.DType) bool {
	places := t.Size() * 8
	if t.Kind() == tensor.KindInt {
		places--
	}
	largest := math.Ldexp(1, places) - 1
	if b, ok := withoutParens(e).(*syntax.Binary); ok && b.Op == "-" && t.Kind() == tensor.KindInt {
		return s.most(b.X) <= largest && s.most(b.Y) <= largest+1
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
		case "%":
			return min(all, max(y-1, 0))
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
