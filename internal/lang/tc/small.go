package tc

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How arithmetic of 8 and 16 bits is warned of
//
// (A(i) + B(i))/2 of bytes wraps at 256 before it is halved, as the letter of the language says and
// nobody means. Where sums, differences, products and shifts to the left of such types are stored as they are,
// wrapping may be meant. It is not where the result is divided, shifted down, compared (also by min=! or argmax=!), passed to a
// function, or becomes a wider type, nor where the target has its type from such a value alone. The same holds of
// what goes below zero in unsigned types of all sizes, -a(i) and a(i) - b(i), and of products and shifts of 32 bits that become
// 64 bits or floats, for which somebody wanted room. Products of sizes and scalars have that room (exact.go).

// smallArithmetic warns of it in the value of a statement and in its lets.
func (s *statement) smallArithmetic() {
	value, t := s.syntax.Value, s.targets[0]
	top, isBinary := withoutParens(value).(*syntax.Binary)
	switch own := s.types[value]; {
	case strings.HasSuffix(s.syntax.Assign.Op, "max") || strings.HasSuffix(s.syntax.Assign.Op, "min"):
		s.wrapsBefore(value, "is compared by "+s.syntax.Assign.String(), tensor.Invalid)
	case widens(own, t.Type) && storable(own, t.Type):
		s.wrapsBefore(value, "becomes "+t.Type.String(), t.Type)
	case isBinary && top.Op == "<<": // CodeShiftedOut tells of what leaves nothing
	case !t.typed && !s.sums(): // CodeSmallSum tells of sums
		s.wrapsBefore(value, "is stored in "+t.Name+", which has its type from it", tensor.Invalid)
	}
	s.smallIn(value)
	for _, clause := range s.syntax.Where {
		if c, ok := clause.(*syntax.LetClause); ok {
			s.smallIn(c.Value)
		}
	}
}

// scalarStored warns of a product of integer scalars that gives a scalar its type, as n = A*B: 1.0/(A*B) has room.
// It is asked when it is known which scalars are made of sizes.
func (s *statement) scalarStored() {
	t, value := s.targets[0], s.syntax.Value
	if !t.typed && t.rank == 0 && len(s.reduced()) == 0 && s.scalarProduct(value) && !s.ofSizes(value) {
		s.productWraps(value, "is stored in "+t.Name+", which has its type from it", tensor.Invalid, s.ofSizes)
	}
}

// sums reports whether a statement adds or multiplies what it combines.
func (s *statement) sums() bool {
	op := s.syntax.Assign.Op
	return (op == "+" || op == "*") && (len(s.reduced()) > 0 || len(s.syntax.Scan) > 0)
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
				s.wrapsBefore(x, "is passed to "+name, s.becomes(e))
			}
		}
	case *syntax.CastExpr:
		if widens(s.types[e.X], s.becomes(e)) {
			s.wrapsBefore(e.X, "becomes "+s.becomes(e).String(), s.becomes(e))
		}
	case *syntax.Conditional:
		s.smallIn(e.Cond)
		for k, x := range []syntax.Expr{e.Then, e.Else} {
			s.assume(e.Cond, k == 0, func() {
				s.smallIn(x)
				if to := s.becomes(e); widens(s.types[x], to) {
					s.wrapsBefore(x, "becomes "+to.String(), to)
				}
			})
		}
		return
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
			s.wrapsBefore(x, "is compared", tensor.Invalid)
		case e.Op == "/" || e.Op == "%":
			s.wrapsBefore(x, "is divided", s.becomes(e))
		case e.Op == ">>" && x == e.X && !(isBinary && inner.Op == "<<"): // (x << 4) >> 4 takes the sign from a bit
			s.wrapsBefore(x, "is shifted down", tensor.Invalid)
		case widens(s.types[x], s.becomes(e)):
			s.wrapsBefore(x, "becomes "+s.becomes(e).String(), s.becomes(e))
		}
	}
}

// becomes is the type of an expression: for a float of literals and integers the one that it has alone.
func (s *statement) becomes(e syntax.Expr) tensor.DType {
	if v := s.types[e]; v.weak != weakFloat {
		return v.dtype
	}
	return s.floatOf(tensor.Invalid)
}

// wrapsBefore warns where an expression is arithmetic that may wrap before it is used as a number, of type to
// where that is another one.
func (s *statement) wrapsBefore(e syntax.Expr, what string, to tensor.DType) {
	e = withoutParens(e)
	own := s.types[e]
	switch e := e.(type) {
	case *syntax.Conditional:
		s.assume(e.Cond, true, func() { s.wrapsBefore(e.Then, what, to) })
		s.assume(e.Cond, false, func() { s.wrapsBefore(e.Else, what, to) })
	case *syntax.Name:
		if l := s.lets[e.Name]; l != nil && s.firstTime(wideLet{l, to, s.lastOrder()}) {
			s.wrapsBefore(l.clause.Value, what, to)
		}
	case *syntax.Apply: // of a boundary function, the value
		if _, moves := boundaryFunctions[e.Func.Name]; moves && s.def.symbols[e.Func.Name] == nil {
			for _, x := range e.Args {
				s.wrapsBefore(x, what, to)
			}
		}
	case *syntax.Unary:
		if e.Op == "-" && isUnsigned(own) {
			s.warnWraps(e, own.dtype, what, to)
		}
	case *syntax.Binary:
		switch {
		case isSmall(own) && (carriesOn(e.Op) || e.Op == "<<"), isUnsigned(own) && e.Op == "-":
			if !s.fitsSmall(e, own.dtype) {
				s.warnWraps(e, own.dtype, what, to)
			}
		case (carriesOn(e.Op) || joinsBits(e.Op)) && widens(own, to) && holdsMore(to):
			s.productWraps(e, what, to, s.ofScalars)
		}
	}
}

// A wideLet is a let that is used as a number of some type.
type wideLet struct {
	let   *let
	to    tensor.DType
	under order
}

// firstTime notes a use of a let: what is said of it does not depend on where it is used.
func (s *statement) firstTime(l wideLet) bool {
	if s.wide == nil {
		s.wide = map[wideLet]bool{}
	}
	seen := s.wide[l]
	s.wide[l] = true
	return !seen
}

// productWraps warns of a product or a shift of 32 bits in a sum or product, of which not much is known (room.go), except for those that have room.
func (s *statement) productWraps(e syntax.Expr, what string, to tensor.DType, exempt func(syntax.Expr) bool) {
	e = withoutParens(e)
	b, ok := e.(*syntax.Binary)
	if own := s.types[e]; !ok || !carriesOn(b.Op) && !joinsBits(b.Op) || !own.isInteger() || own.dtype.Size() != 4 {
		return
	}
	if !s.leavesRoom(b) && !exempt(b) {
		s.warnWraps(b, s.types[b].dtype, what, to)
		return
	}
	s.productWraps(b.X, what, to, exempt)
	if b.Op != "<<" {
		s.productWraps(b.Y, what, to, exempt)
	}
}

func (s *statement) warnWraps(e syntax.Expr, own tensor.DType, what string, to tensor.DType) {
	room, beyond := s.roomFor(e, own, to), ""
	if b, isBinary := e.(*syntax.Binary); isBinary && b.Op == "*" && own.Size() == 4 {
		beyond = map[tensor.DType]string{tensor.Int32: " beyond 2147483647", tensor.Uint32: " beyond 4294967295"}[own]
	}
	s.def.warnOnce(s, source.CodeSmallArithmetic, e.Span(), "%s is computed in %s, and wraps%s, before it %s", oneLine(e.Span().Text()), own, beyond, what).
		WithHelp("%s for arithmetic of %d bits, or declare the type where wrapping is meant", s.widenHelp("", e, room), room.Size()*8)
}

// isUnsigned reports whether a type has no negative numbers.
func isUnsigned(t valueType) bool { return t.weak == strong && t.dtype.Kind() == tensor.KindUint }

// isSmall reports whether a type is one of integers of 8 or 16 bits.
func isSmall(t valueType) bool {
	return t.weak == strong && t.dtype.IsInteger() && t.dtype != tensor.Bool && t.dtype.Size() <= 2
}

// widens reports whether an integer becomes a number of another kind or of more bits.
func widens(from valueType, to tensor.DType) bool {
	return from.weak == strong && from.isInteger() && from.dtype != tensor.Bool && to != tensor.Invalid &&
		(to.IsFloat() || to.IsInteger() && to.Size() > from.dtype.Size())
}

func isLiteral(e syntax.Expr) bool {
	_, ok := e.(*syntax.Number)
	return ok
}
