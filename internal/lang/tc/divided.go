package tc

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// How a quotient by a sum is written
//
// exp(x(j)) is summed as it is. Of sqrt(x(j)*x(j)) the norm is meant, so that what is below the root is summed, and of x(j)*x(j) + r
// the part that has the index. What lets name is written out, as the sum is a statement of its own.

// divisorHelp says how to divide by a sum over j, and how to sum the quotients.
func (s *statement) divisorHelp(divisors []syntax.Expr, j *index) string {
	var depend []syntax.Expr
	for _, d := range divisors {
		if s.namesIn(d)[j.Name] {
			if s.dependsOnOther(d, j) {
				return "for the quotient by a sum compute that first, in a statement of its own, and divide by it; where the sum of the quotients is meant, sum each in a statement of its own"
			}
			depend = append(depend, d)
		}
	}
	name := s.freeName("s", "t", "u")
	sum, by := s.summedDivisor(depend, j, name)
	whole := s.product(depend)
	if len(depend) > 1 || isBinary(depend[0]) {
		whole = "(" + whole + ")"
	}
	if c := j.explicit; c != nil {
		sum += " where " + inLine(c.Pos.Text())
	}
	if len(sum)+len(by)+len(whole) > 2*longestHelp {
		return "for the quotient by a sum compute that first, in a statement of its own, and divide by it"
	}
	without := ""
	if lets := s.letsIn(depend); len(lets) > 0 {
		without = ", without the let " + strings.Join(lets, " and ")
	}
	return fmt.Sprintf("for the quotient by a sum compute that first: %s +=! %s, then divide by %s%s; for the sum of the quotients write 1/%s as a sum of its own", name, sum, by, without, whole)
}

// summedDivisor is what is summed over j, and what is divided by when name is that sum.
func (s *statement) summedDivisor(divisors []syntax.Expr, j *index, name string) (sum, by string) {
	if len(divisors) > 1 {
		return s.product(divisors), name
	}
	sum, by, parts := s.sumIn(divisors[0], j, name)
	if parts > 1 {
		by = "(" + by + ")"
	}
	return sum, by
}

// sumIn finds what is summed over j in an expression, and writes that with name for the sum; parts are its terms.
func (s *statement) sumIn(e syntax.Expr, j *index, name string) (sum, by string, parts int) {
	e = s.behindLets(e)
	if root, ok := e.(*syntax.Apply); ok && root.Func.Name == "sqrt" && len(root.Args) == 1 && s.def.symbols["sqrt"] == nil {
		sum, by, _ = s.sumIn(root.Args[0], j, name)
		return sum, "sqrt(" + by + ")", 1
	}
	terms := s.summandsOf(e, false, nil)
	var summed []term
	rest := []term{{expr: &syntax.Name{Name: name}}}
	for _, t := range terms {
		if s.namesIn(t.expr)[j.Name] {
			summed = append(summed, t)
		} else {
			rest = append(rest, t)
		}
	}
	if len(summed) > 1 || len(terms) == 1 {
		return s.sumText(summed), s.sumText(rest), len(rest)
	}
	for n, t := range terms {
		if s.namesIn(t.expr)[j.Name] {
			sum, by, _ = s.sumIn(t.expr, j, name)
			terms[n].expr = &syntax.Name{Name: by}
		}
	}
	return sum, s.sumText(terms), len(terms)
}

// behindLets is an expression without parentheses, or that of the let which it names.
func (s *statement) behindLets(e syntax.Expr) syntax.Expr {
	for {
		e = withoutParens(e)
		name, ok := e.(*syntax.Name)
		if !ok || s.lets[name.Name] == nil {
			return e
		}
		e = s.lets[name.Name].clause.Value
	}
}

// summandsOf takes sums and differences apart as they are written.
func (s *statement) summandsOf(e syntax.Expr, negative bool, list []term) []term {
	if b, ok := s.behindLets(e).(*syntax.Binary); ok && (b.Op == "+" || b.Op == "-") && len(list) < mostSummands {
		list = s.summandsOf(b.X, negative, list)
		return s.summandsOf(b.Y, negative != (b.Op == "-"), list)
	}
	return append(list, term{expr: e, negative: negative})
}

// sumText writes terms as a sum.
func (s *statement) sumText(terms []term) string {
	var b strings.Builder
	for n, t := range terms {
		switch {
		case n == 0 && t.negative:
			b.WriteString("-")
		case n > 0:
			b.WriteString(map[bool]string{false: " + ", true: " - "}[t.negative])
		}
		b.WriteString(s.written(t.expr, n > 0 || t.negative))
	}
	return b.String()
}

// product writes factors as one.
func (s *statement) product(factors []syntax.Expr) string {
	var list []string
	for _, f := range factors {
		list = append(list, s.written(f, len(factors) > 1))
	}
	return strings.Join(list, "*")
}

// written is an expression with the lets in it written out, in parentheses where it is an operand and they may be needed.
func (s *statement) written(e syntax.Expr, operand bool) string {
	if name, ok := e.(*syntax.Name); ok && !name.Pos.IsValid() {
		return name.Name
	}
	if inner := s.behindLets(e); withoutParens(e) != inner {
		e = inner
	}
	span := e.Span()
	text, moved := span.Text(), 0
	eachName(e, func(name string, at source.Span, apply bool) {
		if found := s.lets[name]; found != nil && !apply && len(text) < 4*longestHelp {
			value, start := s.written(found.clause.Value, true), at.Start-span.Start+moved
			text = text[:start] + value + text[start+at.End-at.Start:]
			moved += len(value) - (at.End - at.Start)
		}
	})
	if operand && bindsLess(e) {
		return "(" + inLine(text) + ")"
	}
	return inLine(text)
}

// bindsLess reports whether an expression needs parentheses where it is a factor or a term.
func bindsLess(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Conditional, *syntax.Unary:
		return true
	case *syntax.Binary:
		return e.Op != "*"
	}
	return false
}

func isBinary(e syntax.Expr) bool {
	switch withoutParens(e).(type) {
	case *syntax.Binary, *syntax.Conditional:
		return true
	}
	return false
}

// letsIn are the lets that expressions name.
func (s *statement) letsIn(list []syntax.Expr) (names []string) {
	seen := map[string]bool{}
	for _, e := range list {
		eachName(e, func(name string, _ source.Span, apply bool) {
			if s.lets[name] != nil && !apply && !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		})
	}
	return names
}

// freeName is the first of some names that nothing in the def has.
func (s *statement) freeName(names ...string) string {
	taken := map[string]bool{}
	note := func(name string, _ source.Span, _ bool) { taken[name] = true }
	for _, name := range s.def.names() {
		taken[name] = true
	}
	for _, other := range s.def.statements {
		eachName(other.syntax.Value, note)
		for _, target := range other.syntax.Targets {
			taken[target.Name.Name] = true
			for _, i := range target.Indices {
				taken[i.Name] = true
			}
		}
		for _, clause := range other.syntax.Where {
			if c, ok := clause.(*syntax.LetClause); ok {
				taken[c.Name.Name] = true
				eachName(c.Value, note)
			}
		}
	}
	for _, name := range names {
		if !taken[name] {
			return name
		}
	}
	last := names[len(names)-1]
	for taken[last] {
		last += "_"
	}
	return last
}
