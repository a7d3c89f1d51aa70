package tc

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How a quotient by a sum is told from a sum of quotients
//
// y(i) +=! exp(x(i)) / exp(x(j)) sums the quotients over j; who thinks of exp(x) / sum(exp(x)) means the
// quotient by the sum. Where a reduced index stands in a divisor alone, without other indices but those that do, too, and the
// dividend has others, the quotients are what nobody sums.

// A quotient is a product of factors over a product of divisors.
type quotient struct{ factors, divisors []syntax.Expr }

// warnDivisors warns of a divisor that is summed.
func (s *statement) warnDivisors() {
	if s.syntax.Assign.Op != "+" {
		return
	}
	var q quotient
	q.collect(s.syntax.Value, false)
	for _, j := range s.reduced() {
		if s.anyDepends(q.factors, j.Name) {
			continue
		}
		for _, divisor := range q.divisors {
			if !s.namesIn(divisor)[j.Name] || s.sharesOther(q, divisor, j) || !s.dividendHasOther(q, j) {
				continue
			}
			s.def.diags.Warnf(source.CodeSummedDivisor, divisor.Span(), "%s stands in the divisor %s only: the quotients are summed over %s, and not what is divided by", j.Name, oneLine(divisor.Span().Text()), j.Name).
				WithHelp("%s", s.divisorHelp(q.divisors, j))
			return
		}
	}
}

// collect takes a product and its quotients apart.
func (q *quotient) collect(e syntax.Expr, below bool) {
	switch e := e.(type) {
	case *syntax.Paren:
		q.collect(e.X, below)
		return
	case *syntax.Binary:
		if e.Op == "*" || e.Op == "/" {
			q.collect(e.X, below)
			q.collect(e.Y, below != (e.Op == "/"))
			return
		}
	}
	if below {
		q.divisors = append(q.divisors, e)
	} else {
		q.factors = append(q.factors, e)
	}
}

func (s *statement) anyDepends(list []syntax.Expr, index string) bool {
	for _, e := range list {
		if s.namesIn(e)[index] {
			return true
		}
	}
	return false
}

// dependsOnOther reports whether an expression has an index besides the given one.
func (s *statement) dependsOnOther(e syntax.Expr, j *index) bool {
	for _, i := range s.indices {
		if i != j && s.namesIn(e)[i.Name] {
			return true
		}
	}
	return false
}

// sharesOther reports whether a divisor has an index besides the given one that is a target's or a factor's, too.
func (s *statement) sharesOther(q quotient, divisor syntax.Expr, j *index) bool {
	names := s.namesIn(divisor)
	return slices.ContainsFunc(s.indices, func(i *index) bool {
		return i != j && names[i.Name] && (i.target || s.anyDepends(q.factors, i.Name))
	})
}

// dividendHasOther reports whether the dividend has an index besides the given one.
func (s *statement) dividendHasOther(q quotient, j *index) bool {
	for _, e := range q.factors {
		if s.dependsOnOther(e, j) {
			return true
		}
	}
	return false
}
