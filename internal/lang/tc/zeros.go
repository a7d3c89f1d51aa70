package tc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How a 0 is noticed that is compared and was meant to be nothing
//
// m(k) max=! g(i) == k ? x(i) : 0 is the greatest x of a group, and 0 where all of them are negative: the 0 of those that are not
// in the group is compared, too. In a sum it would add nothing. A minimum is 0 even of positive numbers. The condition must be
// one on data that the reduction goes over; one that compares x itself, as x(i) > t ? x(i) : 0, bounds what is compared, and
// the 0 may be meant. A pad by 0 is the same at a border. Where no value is beyond it anyway there is nothing to tell.

// warnZeros warns of a literal 0 that a minimum or maximum compares in place of what a condition leaves out.
func (s *statement) warnZeros() {
	op := s.syntax.Assign.Op
	isMax := strings.HasSuffix(op, "max")
	if !isMax && !strings.HasSuffix(op, "min") || !s.syntax.Assign.Initialise {
		return
	}
	for _, part := range s.comparedIn(s.syntax.Value, nil) {
		switch part := part.(type) {
		case *syntax.Conditional:
			zero, other, holds := part.Else, part.Then, true
			if s.isZero(part.Then) {
				zero, other, holds = other, zero, false
			}
			if s.choosesAmong(part.Cond) && !s.boundsItself(part.Cond, other, isMax == holds) {
				s.warnZero(zero, other, "the condition leaves out", part.Cond)
			}
		case *syntax.Apply: // the border of a minimum is 0 where what lies outside is to count as nothing
			if isMax {
				s.warnZero(part.Args[1], part.Args[0], "pad replaces", part)
			}
		}
	}
}

// warnZero warns of a 0 in the place of other values, unless these are not beyond it.
func (s *statement) warnZero(zero, other syntax.Expr, happens string, at syntax.Expr) {
	op := s.syntax.Assign.Op
	isMax := strings.HasSuffix(op, "max")
	if !s.isZero(zero) || s.types[other].constant || s.types[other].dtype == tensor.Bool || isMax && s.notNegative(other) || !isMax && s.notPositive(other) {
		return
	}
	text, function := inLine(withoutParens(other).Span().Text()), strings.TrimPrefix(op, "arg")
	s.def.warnOnce(s, source.CodeComparedZero, zero.Span(), "%s compares this 0, too: the %s value is never %s than 0 when %s any", s.syntax.Assign,
		map[bool]string{true: "largest", false: "smallest"}[isMax], map[bool]string{true: "less", false: "greater"}[isMax], happens).
		WithNote(at.Span(), "that happens here").
		WithHelp("write %s for the 0, which %s never takes; where 0 is meant, %s(%s, 0) for %s says so", identityText(s.types[other], isMax), s.syntax.Assign, function, text, text)
}

// comparedIn lists the choices and pads that a value is, through parentheses, lets and choices.
func (s *statement) comparedIn(e syntax.Expr, list []syntax.Expr) []syntax.Expr {
	switch e := withoutParens(e).(type) {
	case *syntax.Name:
		if found := s.lets[e.Name]; found != nil && len(list) < mostSummands {
			return s.comparedIn(found.clause.Value, list)
		}
	case *syntax.Conditional:
		return s.comparedIn(e.Else, s.comparedIn(e.Then, append(list, e)))
	case *syntax.Apply:
		if e.Func.Name == padded.name() && s.def.symbols[e.Func.Name] == nil {
			return append(list, e)
		}
	}
	return list
}

func (s *statement) isZero(e syntax.Expr) bool {
	v := s.types[e]
	return v.constant && v.weak != strong && v.float == 0
}

// choosesAmong reports whether a condition reads data at an index that the statement goes over.
func (s *statement) choosesAmong(cond syntax.Expr) bool {
	names := s.namesIn(cond)
	data := slices.ContainsFunc(s.def.order, func(t *symbol) bool { return names[t.Name] && t.rank > 0 })
	return data && slices.ContainsFunc(s.indices, func(i *index) bool { return names[i.Name] && (!i.target || i.scan) })
}

// boundsItself reports whether a condition says that an expression is greater than something, or less.
func (s *statement) boundsItself(cond, e syntax.Expr, greater bool) bool {
	b, ok := withoutParens(cond).(*syntax.Binary)
	if !ok {
		return false
	}
	same := func(x syntax.Expr) bool {
		return withoutParens(x).Span().Text() == withoutParens(e).Span().Text()
	}
	beyond := func(limit syntax.Expr) bool { // x > -999 says nothing
		v := s.types[limit]
		return v.constant && (v.float < 0) == greater && v.float != 0
	}
	switch b.Op {
	case "&&", "||":
		return s.boundsItself(b.X, e, greater) || s.boundsItself(b.Y, e, greater)
	case ">", ">=":
		return same(b.X) && greater && !beyond(b.Y) || same(b.Y) && !greater && !beyond(b.X)
	case "<", "<=":
		return same(b.X) && !greater && !beyond(b.Y) || same(b.Y) && greater && !beyond(b.X)
	}
	return false
}

// notPositive reports whether a value says by its form that it is not above 0.
func (s *statement) notPositive(e syntax.Expr) bool {
	e = withoutParens(e)
	if v := s.types[e]; v.constant {
		return v.float <= 0
	}
	switch e := e.(type) {
	case *syntax.Unary:
		return e.Op == "-" && s.notNegative(e.X)
	case *syntax.Apply:
		return e.Func.Name == "min" && s.def.symbols["min"] == nil && slices.ContainsFunc(e.Args, s.notPositive)
	case *syntax.Name:
		return s.lets[e.Name] != nil && s.notPositive(s.lets[e.Name].clause.Value)
	}
	return false
}

// identityText writes what a minimum or maximum of a type begins with.
func identityText(v valueType, isMax bool) string {
	t := v.settled()
	bits := uint(8 * t.Size())
	switch {
	case !t.IsInteger() && isMax:
		return "-1.0/0"
	case !t.IsInteger():
		return "1.0/0"
	case isMax:
		return fmt.Sprint(int64(-1) << (bits - 1))
	case t.Kind() == tensor.KindUint:
		return fmt.Sprint(^uint64(0) >> (64 - bits))
	}
	return fmt.Sprint(^uint64(0) >> (65 - bits))
}
