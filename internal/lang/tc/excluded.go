package tc

import (
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
)

// How differences of unsigned numbers are told that cannot go below zero
//
// x(i) > y(i) ? x(i) - y(i) : 0 wraps nowhere, nor does max(x, y) - min(x, y), x - x/2, or hi - x(i) where hi max=! x(i): what
// is taken away is at most the rest. That follows from the conditions around, from how the two are written, and from what
// they are the smallest and largest of.

// An order says that one number is at most another, or less.
type order struct {
	small, large syntax.Expr
	strict       bool
}

// assume does something with what follows from a condition or from its contrary.
func (s *statement) assume(cond syntax.Expr, holds bool, do func()) {
	before := len(s.orders)
	s.learn(cond, holds)
	do()
	s.orders = s.orders[:before]
}

func (s *statement) learn(cond syntax.Expr, holds bool) {
	switch c := withoutParens(cond).(type) {
	case *syntax.Unary:
		if c.Op == "!" {
			s.learn(c.X, !holds)
		}
	case *syntax.Binary:
		switch c.Op {
		case "&&", "||":
			if holds == (c.Op == "&&") {
				s.learn(c.X, holds)
				s.learn(c.Y, holds)
			}
		case "<", ">=":
			s.compared(c.X, c.Y, holds == (c.Op == "<"))
		case ">", "<=":
			s.compared(c.Y, c.X, holds == (c.Op == ">"))
		}
	}
}

// compared notes x < y, or y ≤ x where that does not hold.
func (s *statement) compared(x, y syntax.Expr, holds bool) {
	if !holds {
		x, y = y, x
	}
	s.orders = append(s.orders, order{x, y, holds})
}

// lastOrder is what was learnt last, as the sign of what holds at a place.
func (s *statement) lastOrder() order {
	if len(s.orders) == 0 {
		return order{}
	}
	return s.orders[len(s.orders)-1]
}

// inWords is the text of an expression without blanks.
func inWords(e syntax.Expr) string { return strings.Join(strings.Fields(e.Span().Text()), "") }

// sameText reports whether two expressions of one statement are written alike.
func sameText(x, y syntax.Expr) bool {
	return x != nil && y != nil && inWords(withoutParens(x)) == inWords(withoutParens(y))
}

// atMost reports whether x ≤ y is known of unsigned numbers.
func (s *statement) atMost(x, y syntax.Expr) bool {
	x, y = withoutParens(x), withoutParens(y)
	return sameText(x, y) || s.atMostByForm(x, y) || s.atMostByCondition(x, y) || s.atMostByReduction(x, y)
}

func (s *statement) atMostByCondition(x, y syntax.Expr) bool {
	for _, o := range s.orders {
		if !sameText(o.large, y) {
			continue
		}
		least := s.types[o.small]
		if o.strict {
			least.float++
		}
		if sameText(o.small, x) || least.constant && least.weak == weakInt && s.most(x) <= least.float {
			return true
		}
	}
	return false
}

// atMostByForm knows max(x, …), min(y, …), and what takes bits of y away.
func (s *statement) atMostByForm(x, y syntax.Expr) bool {
	greater, less := s.argumentsOf("max", y), s.argumentsOf("min", x)
	for _, g := range greater {
		if sameText(g, x) || slices.ContainsFunc(less, func(l syntax.Expr) bool { return sameText(l, g) }) {
			return true
		}
	}
	if slices.ContainsFunc(less, func(l syntax.Expr) bool { return sameText(l, y) }) {
		return true
	}
	b, ok := x.(*syntax.Binary)
	return ok && slices.Contains([]string{"/", ">>", "&", "%"}, b.Op) && sameText(b.X, y) && isUnsigned(s.types[b])
}

// argumentsOf are those of a call of the given function.
func (s *statement) argumentsOf(function string, e syntax.Expr) []syntax.Expr {
	if a, ok := e.(*syntax.Apply); ok && a.Func.Name == function && s.def.symbols[function] == nil {
		return a.Args
	}
	return nil
}

// atMostByReduction knows what is the largest of x, and of what y is one, or both.
func (s *statement) atMostByReduction(x, y syntax.Expr) bool {
	low, high := s.extremeOf("min", x), s.extremeOf("max", y)
	return high != nil && high.covers(x) || low != nil && low.covers(y) || low != nil && high != nil && low.sameAs(high)
}

// An extreme is an element that is the smallest or largest of elements of a tensor.
type extreme struct {
	of   *syntax.Apply
	kept map[string]string // the subscripts for the indices that are not reduced
}

// extremeOf returns what an element is an extreme of: one statement, without a where clause, makes it of whole rows.
func (s *statement) extremeOf(op string, e syntax.Expr) *extreme {
	t, subscripts := s.elementOf(e)
	if t == nil || t.writers != 1 || t.first == nil || t.first == s {
		return nil
	}
	made := t.first
	of, ok := withoutParens(made.syntax.Value).(*syntax.Apply)
	if !ok || s.def.symbols[of.Func.Name] == nil || made.syntax.Assign.Op != op || !made.syntax.Assign.Initialise || made.kind != comprehension || len(made.syntax.Where) > 0 {
		return nil
	}
	x := &extreme{of: of, kept: map[string]string{}}
	for k, i := range made.syntax.Targets[0].Indices {
		if k >= len(subscripts) {
			return nil
		}
		x.kept[i.Name] = inWords(subscripts[k])
	}
	seen := map[string]bool{}
	for _, subscript := range of.Args {
		name, bare := nameOf(subscript)
		if !bare || seen[name] || made.byName[name] == nil {
			return nil
		}
		seen[name] = true
	}
	return x
}

// elementOf returns the tensor and the subscripts of an access.
func (s *statement) elementOf(e syntax.Expr) (*symbol, []syntax.Expr) {
	switch e := e.(type) {
	case *syntax.Name:
		if s.lets[e.Name] == nil {
			return s.def.symbols[e.Name], nil
		}
	case *syntax.Apply:
		return s.def.symbols[e.Func.Name], e.Args
	}
	return nil, nil
}

// covers reports whether an expression is one of the elements.
func (x *extreme) covers(e syntax.Expr) bool {
	a, ok := e.(*syntax.Apply)
	if !ok || a.Func.Name != x.of.Func.Name || len(a.Args) != len(x.of.Args) || a.Old {
		return false
	}
	for k, subscript := range x.of.Args {
		name, _ := nameOf(subscript)
		if kept, isKept := x.kept[name]; isKept && kept != inWords(a.Args[k]) {
			return false
		}
	}
	return true
}

// sameAs reports whether two extremes are those of the same elements.
func (x *extreme) sameAs(y *extreme) bool {
	if x.of.Func.Name != y.of.Func.Name || len(x.of.Args) != len(y.of.Args) {
		return false
	}
	for k := range x.of.Args {
		mine, _ := nameOf(x.of.Args[k])
		theirs, _ := nameOf(y.of.Args[k])
		if x.kept[mine] != y.kept[theirs] {
			return false
		}
	}
	return true
}
