package tc

import (
	"maps"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
)

// A term is a part of a value that a sum adds on its own.
type term struct {
	expr     syntax.Expr
	negative bool
	scales   []scale // what stands around it, from the inside
}

// A scale is a factor or divisor of a sum, which each of its terms has.
type scale struct {
	by   syntax.Expr
	op   string
	left bool // it stands in front
}

// mostSummands bounds the terms of a sum: lets of lets double them again and again.
const mostSummands = 64

// termsOf takes the value of a sum apart at + and -, through parentheses, lets and factors that do not depend
// on a reduced index.
func (s *statement) termsOf(e syntax.Expr, negative bool, list []term) []term {
	if len(list) >= mostSummands {
		return list
	}
	switch e := e.(type) {
	case *syntax.Paren:
		return s.termsOf(e.X, negative, list)
	case *syntax.Name:
		if found := s.lets[e.Name]; found != nil {
			return s.termsOf(found.clause.Value, negative, list)
		}
	case *syntax.Unary:
		if e.Op == "-" {
			return s.termsOf(e.X, !negative, list)
		}
	case *syntax.Binary:
		switch {
		case e.Op == "+" || e.Op == "-":
			list = s.termsOf(e.X, negative, list)
			return s.termsOf(e.Y, negative != (e.Op == "-"), list)
		case (e.Op == "*" || e.Op == "/") && !s.usesReduced(e.Y) && s.usesReduced(e.X):
			return scaled(s.termsOf(e.X, negative, list), len(list), scale{by: e.Y, op: e.Op})
		case e.Op == "*" && !s.usesReduced(e.X) && s.usesReduced(e.Y):
			return scaled(s.termsOf(e.Y, negative, list), len(list), scale{by: e.X, op: e.Op, left: true})
		}
	}
	return append(list, term{expr: e, negative: negative})
}

// scaled adds a scale to the terms from a place on.
func scaled(list []term, from int, by scale) []term {
	for n := range list[from:] {
		list[from+n].scales = append(list[from+n].scales, by)
	}
	return list
}

// alone writes a term, without its sign, as a statement of its own has it.
func (s *statement) alone(t term) string {
	text := s.written(t.expr, t.negative || len(t.scales) > 0)
	for n, around := range t.scales {
		by := s.written(around.by, true)
		switch {
		case around.left && n > 0:
			text = by + around.op + "(" + text + ")"
		case around.left:
			text = by + around.op + text
		default:
			text += around.op + by
		}
	}
	return text
}

// usesReduced reports whether an expression depends on a reduced index.
func (s *statement) usesReduced(e syntax.Expr) bool {
	names := s.namesIn(e)
	for _, i := range s.reduced() {
		if names[i.Name] {
			return true
		}
	}
	return false
}

// namesIn are the names in an expression and in the lets that it uses.
func (s *statement) namesIn(e syntax.Expr) map[string]bool {
	names := map[string]bool{}
	for _, part := range s.partsOf(e) {
		eachName(part, func(name string, _ source.Span, apply bool) { names[name] = true })
	}
	maps.DeleteFunc(names, func(name string, _ bool) bool { return s.lets[name] != nil })
	return names
}

// partsOf are an expression and the values of the lets that it uses, each once.
func (s *statement) partsOf(e syntax.Expr) []syntax.Expr {
	parts, seen := []syntax.Expr{e}, map[string]bool{}
	for n := 0; n < len(parts); n++ {
		eachName(parts[n], func(name string, _ source.Span, apply bool) {
			if found := s.lets[name]; found != nil && !apply && !seen[name] {
				seen[name] = true
				parts = append(parts, found.clause.Value)
			}
		})
	}
	return parts
}

// contains reports whether a place is within an expression or a let that it uses.
func (s *statement) contains(e syntax.Expr, at source.Span) bool {
	for _, part := range s.partsOf(e) {
		if p := part.Span(); p.File == at.File && p.Start <= at.Start && at.End <= p.End {
			return true
		}
	}
	return false
}
