package tc

import (
	"fmt"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How rounded quotients are followed
//
// c(i)/N of integers is an integer. Who goes on with it as a float has mostly meant the quotient, and
// gets zeros. The warning is given where a quotient becomes a float after its remainder is gone: in the
// same expression, by way of a let, or by way of a tensor that has its type from the quotient alone, as m in
// m(i) = c(i)/N, y(i) = 100.0*m(i). A cast, or a declared type of the tensor, says that the integer is meant.

// A rounded is a quotient whose remainder is lost, in what a tensor holds.
type rounded struct {
	quotient *syntax.Binary
	in       *statement
}

// roundedQuotients warns where a quotient of integers becomes a float, and notes what the target holds.
func (s *statement) roundedQuotients() {
	seen, target := map[*let]bool{}, s.targets[0]
	var lets []syntax.Expr
	for _, clause := range s.syntax.Where {
		if c, ok := clause.(*syntax.LetClause); ok {
			lets = append(lets, c.Value)
			s.vanishingQuotient(c.Value)
		}
	}
	s.roundedIn(s.syntax.Value, target.Type, seen)
	for _, value := range lets {
		s.roundedIn(value, tensor.Invalid, seen)
	}
	if target.typed {
		return
	}
	s.vanishingQuotient(s.syntax.Value)
	if target.rounded == nil && target.Type.IsInteger() && s.holdsValue() {
		target.rounded = s.roundedHere(s.syntax.Value)
	}
}

// holdsValue reports whether the first target stores the value, and not a position.
func (s *statement) holdsValue() bool { return s.kind != argReduction || s.hasValueTarget() }

// vanishingQuotient warns of a name for a number over an integer, such as s = 1/N: an integer, and mostly 0.
func (s *statement) vanishingQuotient(e syntax.Expr) {
	q, ok := withoutParens(e).(*syntax.Binary)
	if !ok || q.Op != "/" || !isLiteral(withoutParens(q.X)) || !s.dropsRemainder(q) {
		return
	}
	left, right := oneLine(q.X.Span().Text()), oneLine(q.Y.Span().Text())
	s.def.warnOnce(s, source.CodeRoundedQuotient, q.Pos, "%s divides integers, so that it is 0 where %s is greater than %s", oneLine(q.Pos.Text()), right, left).
		WithHelp("write %s.0/%s for the quotient", left, right)
}

// roundedIn looks at an expression whose value becomes one of type want; seen are the lets that became a float.
func (s *statement) roundedIn(e syntax.Expr, want tensor.DType, seen map[*let]bool) {
	own := s.types[e]
	switch {
	case own.weak == strong && own.dtype.IsFloat():
		want = own.dtype
	case own.weak == weakFloat:
		want = s.floatOf(want)
	}
	switch e := e.(type) {
	case *syntax.Name:
		s.roundedName(e, want, seen)
		return
	case *syntax.Apply:
		if s.readsRounded(e.Func.Name, e.Pos, want); s.def.symbols[e.Func.Name] != nil {
			return // subscripts are integers
		}
		if e.Func.Name == "floor" || isBitFunction(e.Func.Name) {
			want = tensor.Invalid
		}
	case *syntax.CastExpr:
		if q, ok := withoutParens(e.X).(*syntax.Binary); ok && q.Op == "/" { // int32(7/2) says what it is
			return
		}
		want = tensor.Invalid
	case *syntax.Conditional:
		s.roundedIn(e.Cond, tensor.Invalid, seen)
		s.roundedIn(e.Then, want, seen)
		s.roundedIn(e.Else, want, seen)
		return
	case *syntax.Binary:
		if e.Op == "/" && want.IsFloat() && s.dropsRemainder(e) {
			s.warnRounded(rounded{e, s}, source.Span{}, want)
			return
		}
		if e.Op == "/" && s.types[e.X].constant && s.dropsRemainder(e) {
			s.warnOfLiterals(e)
		}
		if e.Op == "*" && !want.IsFloat() {
			s.scaledQuotient(e)
		}
		want = s.operandsBecome(e, want)
	}
	for _, x := range operands(e) {
		s.roundedIn(x, want, seen)
	}
}

// warnOfLiterals warns of a quotient of integer literals that is not exact, as in 1/2*c(i) of an integer c: it is a
// literal itself, which nobody writes so.
func (s *statement) warnOfLiterals(e *syntax.Binary) {
	if v := s.types[e]; v.constant && s.types[e.Y].constant {
		left, right := oneLine(e.X.Span().Text()), oneLine(e.Y.Span().Text())
		s.def.warnOnce(s, source.CodeRoundedQuotient, e.Pos, "%s divides integers and is %d", oneLine(e.Pos.Text()), v.integer).
			WithHelp("write %s.0/%s for the quotient, a product before the division, or %d if that is meant", left, right, v.integer)
	}
}

// operandsBecome is the type that the operands of e have in the end, when its value becomes one of type want.
func (s *statement) operandsBecome(e *syntax.Binary, want tensor.DType) tensor.DType {
	switch op := binaryOperators[e.Op]; {
	case op.IsComparison():
		if common, ok := meet(arithmetic(s.types[e.X]), arithmetic(s.types[e.Y])); ok && s.def.settled(common).IsFloat() {
			return s.def.settled(common)
		}
		return tensor.Invalid
	case s.types[e].weak == strong && s.types[e].dtype.IsFloat(), carriesOn(e.Op), e.Op == "/":
		return want
	}
	return tensor.Invalid
}

// carriesOn reports whether an operator hands on what its operands lack.
func carriesOn(op string) bool { return op == "+" || op == "-" || op == "*" }

func (s *statement) roundedName(e *syntax.Name, want tensor.DType, seen map[*let]bool) {
	found, isLet := s.lets[e.Name]
	if !isLet {
		s.readsRounded(e.Name, e.Pos, want)
		return
	}
	if want.IsFloat() && !seen[found] {
		seen[found] = true
		s.roundedIn(found.clause.Value, want, seen)
	}
}

// readsRounded warns where a tensor that holds a rounded quotient becomes a float.
func (s *statement) readsRounded(name string, at source.Span, want tensor.DType) {
	if t := s.def.symbols[name]; t != nil && t.rounded != nil && want.IsFloat() && t.Type.IsInteger() {
		s.warnRounded(*t.rounded, at, want)
	}
}

// warnRounded warns of a quotient that becomes a float, at another place if at is valid.
func (s *statement) warnRounded(r rounded, at source.Span, want tensor.DType) {
	e := r.quotient
	diag := s.def.warnOnce(s, source.CodeRoundedQuotient, e.Pos, "%s divides integers, so that its remainder is lost before it becomes a %s", oneLine(e.Pos.Text()), want)
	left, quotient := r.in.wideDividend(e)
	meant := fmt.Sprintf("%s(%s)", want, quotient)
	if at.IsValid() {
		diag.WithNote(at, "it becomes a %s here, by way of %s", want, r.in.targets[0].Name)
		meant = r.in.declaredTarget()
	}
	diag.WithHelp("write %s(%s)/%s for the quotient, or %s when the whole number is meant", want, left, inLine(e.Y.Span().Text()), meant)
}

// wideDividend writes the dividend of a quotient, and the quotient, with room for arithmetic that wraps.
func (s *statement) wideDividend(q *syntax.Binary) (dividend, quotient string) {
	x := withoutParens(q.X)
	if own := s.types[x]; (isSmall(own) || isUnsigned(own)) && s.mayNeedRoom(x) {
		room := s.roomFor(x, own.dtype, tensor.Invalid)
		return s.widen(x, x, room), s.widen(q, x, room)
	}
	return inLine(x.Span().Text()), inLine(q.Pos.Text())
}

// declaredTarget is how a statement, or the def, says that its target is an integer.
func (s *statement) declaredTarget() string {
	t := s.targets[0]
	if t.Role != ein.Temp {
		return fmt.Sprintf("declare %s %s among the outputs", t.Type, t.Name)
	}
	return fmt.Sprintf("%s %s %s …", t.Type, s.targetText(0), s.syntax.Assign)
}

func isBitFunction(name string) bool {
	_, ok := ein.BitFunctions()[name]
	return ok
}

// roundedHere returns a quotient that an integer expression hands on without its remainder, or nil.
func (s *statement) roundedHere(e syntax.Expr) *rounded {
	if !s.types[e].isInteger() {
		return nil
	}
	var from []syntax.Expr
	switch e := e.(type) {
	case *syntax.Name:
		if found := s.lets[e.Name]; found != nil {
			return once(&found.rounded, func() *rounded { return s.roundedHere(found.clause.Value) })
		}
		return s.roundedTensor(e.Name)
	case *syntax.Apply:
		if s.def.symbols[e.Func.Name] != nil {
			return s.roundedTensor(e.Func.Name)
		}
		if isBitFunction(e.Func.Name) {
			return nil
		}
		from = e.Args
	case *syntax.Conditional:
		from = []syntax.Expr{e.Then, e.Else}
	case *syntax.Binary:
		if e.Op == "/" && s.dropsRemainder(e) {
			return &rounded{e, s}
		}
		if carriesOn(e.Op) {
			from = operands(e)
		}
	case *syntax.Unary, *syntax.Paren:
		from = operands(e)
	}
	for _, x := range from {
		if found := s.roundedHere(x); found != nil {
			return found
		}
	}
	return nil
}

func (s *statement) roundedTensor(name string) *rounded {
	if t := s.def.symbols[name]; t != nil && t.Type.IsInteger() {
		return t.rounded
	}
	return nil
}

// dropsRemainder reports whether a quotient is one of integers and not exact.
func (s *statement) dropsRemainder(e *syntax.Binary) bool {
	x, y := arithmetic(s.types[e.X]), arithmetic(s.types[e.Y]) // conditions count
	if !x.known() || !y.known() || !x.isInteger() || !y.isInteger() {
		return false
	}
	if x.constant && y.constant {
		return y.integer != 0 && x.integer%y.integer != 0
	}
	return s.types[e].isInteger()
}
