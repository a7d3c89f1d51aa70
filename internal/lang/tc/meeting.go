package tc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How types meet
//
// Two operands are computed in a type that both have values in (meet in types.go).
// Where there is none, or a literal is no value of it, the help is the expression with
// the cast that mends it; where the target would not take that, the cast back, too.

// meeting reports operands of e whose types do not meet.
func (t *typer) meeting(e syntax.Expr, what string, x, y operand) valueType {
	v, ok := meet(x.valueType, y.valueType)
	if !ok {
		t.errorf(source.CodeNoMeeting, e.Span(), "%s have the types %s and %s, which have no common type", what, x.describe(), y.describe()).
			WithHelp("convert one of them: %s", castAround(unsignedOf(x, y), tensor.Int64))
		return valueType{}
	}
	for _, o := range [][2]operand{{x, y}, {y, x}} {
		if literal := o[0]; literal.weak == weakInt && literal.constant && v.weak == strong && v.dtype.IsInteger() && !fits(literal.integer, v.dtype) {
			t.errorf(source.CodeLiteral, e.Span(), "%d is no value of type %s, the type of what it meets", literal.integer, v.dtype).
				WithHelp("%s", t.literalMeets(e, literal, o[1], v.dtype))
		}
	}
	return v
}

// An operand is an expression with its type.
type operand struct {
	expr syntax.Expr
	valueType
}

// unsignedOf is the operand that meets no signed integer.
func unsignedOf(x, y operand) syntax.Expr {
	if x.dtype == tensor.Uint64 {
		return x.expr
	}
	return y.expr
}

func castAround(e syntax.Expr, t tensor.DType) string {
	if p, ok := e.(*syntax.Paren); ok {
		e = p.X
	}
	return t.String() + "(" + inLine(e.Span().Text()) + ")"
}

// literalMeets says how a literal meets an operand that is too narrow for it. Of a division by it nothing would be left
// but the quotient.
func (t *typer) literalMeets(e syntax.Expr, literal, other operand, met tensor.DType) string {
	wide := t.wideEnough(e, other.expr, literal.integer, met)
	q, ok := e.(*syntax.Binary)
	if !ok || q.Op != "/" || t.integerWanted(e) {
		return "convert the other operand: " + wide
	}
	exact := t.floatQuotient(q)
	if q.Y == literal.expr && !t.statement.mayNeedRoom(q.X) { // 0, or -1
		return fmt.Sprintf("write %s for the quotient", exact)
	}
	return fmt.Sprintf("write %s for the quotient, or %s when the whole number is meant", exact, wide)
}

// integerWanted reports whether the value that an expression gives its type is declared to be an integer.
func (t *typer) integerWanted(e syntax.Expr) bool {
	target := t.statement.targets[0]
	return target.typed && target.Type.IsInteger() && givesType(t.statement.syntax.Value, e)
}

// floatQuotient writes a quotient of integers, of which one is a literal, as one of floats.
func (t *typer) floatQuotient(q *syntax.Binary) string {
	dividend, _ := t.statement.wideDividend(q)
	divisor := inLine(q.Y.Span().Text())
	if _, isParen := q.X.(*syntax.Paren); isParen && (isWhole(q.Y) || isWhole(q.X)) {
		dividend = "(" + dividend + ")"
	}
	switch {
	case isWhole(q.Y):
		divisor += ".0"
	case isWhole(q.X):
		dividend += ".0"
	default:
		dividend = fmt.Sprintf("%s(%s)", t.statement.floatOf(tensor.Invalid), dividend)
	}
	return dividend + "/" + divisor
}

// isWhole reports whether an expression is a literal of decimal digits.
func isWhole(e syntax.Expr) bool {
	n, ok := e.(*syntax.Number)
	return ok && strings.Trim(n.Text, "0123456789") == ""
}

// wideEnough writes e with an operand converted to a type that has a literal, too, and
// what is stored converted back where the target demands it.
func (t *typer) wideEnough(e, narrow syntax.Expr, literal int64, met tensor.DType) string {
	wide := tensor.Int32
	if !fits(literal, wide) || met.Size() >= wide.Size() {
		wide = tensor.Int64
	}
	s := t.statement
	if target := s.targets[0]; target.typed && !storable(of(wide), target.Type) && givesType(s.syntax.Value, e) {
		return fmt.Sprintf("%s %s %s(%s)", s.targetText(0), s.syntax.Assign, target.Type, s.widen(s.syntax.Value, narrow, wide))
	}
	return s.widen(e, narrow, wide)
}

// keepingFunctions have the type of their arguments.
var keepingFunctions = []string{"min", "max", ein.AbsoluteName}

// givesType reports whether the type of a part is that of the value around it.
func givesType(value, part syntax.Expr) bool {
	if value == part {
		return true
	}
	switch e := value.(type) {
	case *syntax.Paren:
		return givesType(e.X, part)
	case *syntax.Unary:
		return e.Op != "!" && givesType(e.X, part)
	case *syntax.Binary:
		return !isCondition(e.Op) && (givesType(e.X, part) || givesType(e.Y, part))
	case *syntax.Conditional:
		return givesType(e.Then, part) || givesType(e.Else, part)
	case *syntax.Apply:
		return slices.Contains(keepingFunctions, e.Func.Name) && slices.ContainsFunc(e.Args, func(x syntax.Expr) bool { return givesType(x, part) })
	}
	return false
}

// isCondition reports whether an operator gives a bool.
func isCondition(op string) bool {
	return slices.Contains([]string{"&&", "||", "<", ">", "<=", ">=", "==", "!="}, op)
}

// storedLiteral reports a literal among the values that an expression of literals may
// have, as in c ? 70000 : 3, that the target does not take.
func (s *statement) storedLiteral(e syntax.Expr, t *symbol) {
	v := s.types[e]
	if t.broken || s.failed || v.weak != weakInt || !t.Type.IsInteger() {
		return
	}
	if v.constant {
		if !fits(v.integer, t.Type) {
			s.errorf(source.CodeLiteral, e.Span(), "%d is no value of type %s", v.integer, t.Type).WithNote(t.Pos, "%s is declared here", t.Name).
				WithHelp("%s", literalHelp(t, v.integer))
		}
		return
	}
	switch x := e.(type) {
	case *syntax.Name:
		if l := s.lets[x.Name]; l != nil {
			s.storedLiteral(l.clause.Value, t)
		}
		return
	case *syntax.Binary:
		if x.Op == "<<" || x.Op == ">>" { // a count is no value
			s.storedLiteral(x.X, t)
			return
		}
	}
	for _, x := range operands(e) {
		s.storedLiteral(x, t)
	}
}

// literalHelp says which literals a tensor takes, and which type takes the literal.
func literalHelp(t *symbol, literal int64) string {
	types := []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16, tensor.Int32, tensor.Uint32, tensor.Int64}
	bits := uint(8 * t.Type.Size())
	lowest, highest := int64(0), uint64(1)<<(bits-1)<<1-1
	if t.Type.Kind() == tensor.KindInt {
		lowest, highest = -1<<(bits-1), highest>>1
	}
	wide := types[slices.IndexFunc(types, func(dtype tensor.DType) bool { return fits(literal, dtype) })]
	return fmt.Sprintf("write a number from %d to %d, or declare %s as %s", lowest, highest, t.Name, wide)
}
