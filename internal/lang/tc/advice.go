package tc

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// Integer arithmetic is exact to the letter of the language and surprises people
// who think of numbers: these warnings name two of the surprises; quotient.go and small.go have others.

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
		diag.WithHelp("& binds more tightly than %s: write %s %s %s && %s %s %s", x.Op, left, x.Op, inLine(m.X.Span().Text()), inLine(m.Y.Span().Text()), e.Op, right)
		return
	}
	diag.WithHelp("write %s %s %s && %s %s %s, or parentheses where the truth is meant", left, x.Op, middle, middle, e.Op, right)
}

// negatedOperand warns of !x == y, which compares the truth of !x.
func (t *typer) negatedOperand(e *syntax.Binary, x valueType) {
	not, ok := e.X.(*syntax.Unary)
	if !ok || not.Op != "!" || !t.report || t.statement.types[not.X].dtype == tensor.Bool {
		return
	}
	negated, right := oneLine(not.X.Span().Text()), oneLine(e.Y.Span().Text())
	t.statement.def.warnOnce(t.statement, source.CodeBitGrouping, e.Pos, "%s compares the truth of !%s with %s: ! binds more tightly than %s", oneLine(e.Pos.Text()), negated, right, e.Op).
		WithHelp("write !(%s %s %s), or (!%s) %s %s if that is meant", negated, e.Op, right, negated, e.Op, right)
}

// smallSum warns of sums and products in an integer type of 8 or 16 bits that
// nobody asked for.
func (s *statement) smallSum() {
	t, value := s.targets[0], s.syntax.Value
	if !s.sums() || t.typed || !t.Type.IsInteger() || t.Type.Size() > 2 {
		return
	}
	s.def.diags.Warnf(source.CodeSmallSum, value.Span(), "%s has the type of what it combines, %s, and wraps beyond its largest value", t.Name, t.Type).
		WithHelp("%s, or declare the type of %s when wrapping is meant", s.widenHelp(s.targetText(0)+s.scanText()+" "+s.syntax.Assign.String()+" ", value, tensor.Int32), t.Name)
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
