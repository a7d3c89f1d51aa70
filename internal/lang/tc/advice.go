package tc

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// Integer arithmetic is exact to the letter of the language and surprises people
// who think of numbers: these warnings name the three surprises.

// zeroDivision warns of / and % by the literal 0, which gives 0 for integers.
// What is made of literals alone, as 1.0/0, is meant.
func (t *typer) zeroDivision(e *syntax.Binary, x, y valueType) {
	if e.Op != "/" && e.Op != "%" || !t.report || !y.constant || y.weak == strong || y.float != 0 || x.weak == weakFloat {
		return
	}
	result := "is 0 for every dividend"
	if x.dtype.IsFloat() || y.weak == weakFloat {
		result = "is infinite or not a number"
	}
	t.statement.def.diags.Warnf(source.CodeZeroDivision, e.Pos, "%s divides by 0 and %s", oneLine(e.Pos.Text()), result).
		WithHelp("change the divisor")
}

// chained refuses a < b < c, which compares the truth of a < b with c.
func (t *typer) chained(e *syntax.Binary) {
	x, ok := e.X.(*syntax.Binary)
	if !ok || !binaryOperators[x.Op].IsComparison() {
		return
	}
	left, middle, right := oneLine(x.X.Span().Text()), oneLine(x.Y.Span().Text()), oneLine(e.Y.Span().Text())
	diag := t.errorf(source.CodeChain, e.Pos, "%s compares the truth of %s with %s: comparisons do not chain", oneLine(e.Pos.Text()), oneLine(x.Pos.Text()), right)
	if m, ok := x.Y.(*syntax.Binary); ok && m.Op == "&" { // C's grouping of a < b & c < d
		diag.WithHelp("& binds more tightly than %s: write %s %s %s && %s %s %s", x.Op, left, x.Op, oneLine(m.X.Span().Text()), oneLine(m.Y.Span().Text()), e.Op, right)
		return
	}
	diag.WithHelp("write %s %s %s && %s %s %s, or parentheses where the truth is meant", left, x.Op, middle, middle, e.Op, right)
}

// smallSum warns of sums and products in an integer type of 8 or 16 bits that
// nobody asked for.
func (s *statement) smallSum() {
	t, value := s.targets[0], s.syntax.Value
	op := s.syntax.Assign.Op
	combines := len(s.reduced()) > 0 || len(s.syntax.Scan) > 0
	if op != "+" && op != "*" || !combines || t.typed || !t.Type.IsInteger() || t.Type.Size() > 2 {
		return
	}
	s.def.diags.Warnf(source.CodeSmallSum, value.Span(), "%s has the type of what it combines, %s, and wraps beyond its largest value", t.Name, t.Type).
		WithHelp("write %s%s %s %s, or declare the type of %s when wrapping is meant", s.targetText(0), s.scanText(), s.syntax.Assign, widened(value), t.Name)
}

// scanText is the scan clause of a statement for messages, with a blank in front.
func (s *statement) scanText() string {
	if len(s.syntax.Scan) == 0 {
		return ""
	}
	var names []string
	for _, i := range s.syntax.Scan {
		names = append(names, i.Name)
	}
	return " scan(" + strings.Join(names, ",") + ")"
}

// roundedQuotients warns where a quotient of integers becomes a float after its
// remainder is gone: in the value of a float target, and as an operand of a float.
func (s *statement) roundedQuotients() {
	s.roundedIn(s.syntax.Value, s.targets[0].Type)
	if !s.targets[0].typed {
		s.vanishingQuotient(s.syntax.Value)
	}
	for _, clause := range s.syntax.Where {
		if c, ok := clause.(*syntax.LetClause); ok {
			s.vanishingQuotient(c.Value)
			s.roundedIn(c.Value, tensor.Invalid)
		}
	}
}

// vanishingQuotient warns of a name for a number over an integer, such as s = 1/N: an integer, and mostly 0.
func (s *statement) vanishingQuotient(e syntax.Expr) {
	q, ok := withoutParens(e).(*syntax.Binary)
	if !ok || q.Op != "/" || !isLiteral(withoutParens(q.X)) || !s.dropsRemainder(q, s.types[q]) {
		return
	}
	left, right := oneLine(q.X.Span().Text()), oneLine(q.Y.Span().Text())
	s.def.diags.Warnf(source.CodeRoundedQuotient, q.Pos, "%s divides integers, so that it is 0 where %s is greater than %s", oneLine(q.Pos.Text()), right, left).
		WithHelp("write %s.0/%s for the quotient", left, right)
}

// roundedIn looks at an expression whose value becomes one of type want.
func (s *statement) roundedIn(e syntax.Expr, want tensor.DType) {
	own := s.types[e]
	switch e := e.(type) {
	case *syntax.Apply:
		if s.def.symbols[e.Func.Name] != nil {
			return // subscripts are integers
		}
	case *syntax.CastExpr:
		s.roundedIn(e.X, tensor.Invalid)
		return
	case *syntax.Conditional:
		s.roundedIn(e.Cond, tensor.Invalid)
		s.roundedIn(e.Then, want)
		s.roundedIn(e.Else, want)
		return
	case *syntax.Binary:
		switch {
		case e.Op == "/" && want.IsFloat() && s.dropsRemainder(e, own):
			quotient, left, right := oneLine(e.Pos.Text()), oneLine(e.X.Span().Text()), oneLine(e.Y.Span().Text())
			if _, isParen := e.X.(*syntax.Paren); isParen {
				left = left[1 : len(left)-1]
			}
			s.def.diags.Warnf(source.CodeRoundedQuotient, e.Pos, "%s divides integers, so that its remainder is lost before it becomes a %s", quotient, want).
				WithHelp("write %s(%s)/%s for the quotient, or %s(%s) when the whole number is meant", want, left, right, want, quotient)
			return
		case e.Op != "+" && e.Op != "-" && e.Op != "*" && e.Op != "/":
			want = tensor.Invalid
		}
	}
	switch {
	case own.weak == strong && own.dtype.IsFloat():
		want = own.dtype
	case own.weak == weakFloat:
		want = s.floatOf(want)
	}
	for _, x := range operands(e) {
		s.roundedIn(x, want)
	}
}

// dropsRemainder reports whether a quotient is one of integers and not exact.
func (s *statement) dropsRemainder(e *syntax.Binary, quotient valueType) bool {
	x, y := s.types[e.X], s.types[e.Y]
	if !x.known() || !y.known() || !x.isInteger() || !y.isInteger() {
		return false
	}
	if x.constant && y.constant {
		return y.integer != 0 && x.integer%y.integer != 0
	}
	return quotient.isInteger()
}
