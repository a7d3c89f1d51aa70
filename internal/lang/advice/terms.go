package advice

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
)

// How the terms of a sum are looked at
//
// A reduction combines all of its value: a term that does not depend on a reduced index, beside one that
// does, is added once for each value of it; and integers that are divided are rounded before they are
// added. Both are seldom meant. Parentheses around the value say so, where the notation has them.

// grouping are the operators that only group what a reduction combines, by its operator.
var grouping = map[ein.OperatorKind][]ein.BinaryOp{ein.SumOp: {ein.Add, ein.Sub}, ein.ProductOp: {ein.Mul, ein.Div}, ein.BitXorOp: {ein.BitXor}}

var repeated = map[ein.OperatorKind]string{ein.SumOp: "added", ein.ProductOp: "multiplied in", ein.BitXorOp: "combined"}

// terms looks at what a reduction combines.
func (l *look) terms(k int) {
	if l.Meant == "" {
		return
	}
	value := l.comprehension.Values[k]
	for _, i := range l.comprehension.Indices {
		op := i.Combine.Op
		if op == nil || len(op.Body) != 1 || l.meant(value) {
			continue
		}
		list := l.termsOf(value, grouping[op.Kind], nil)
		if op.Kind == ein.SumOp {
			for _, t := range list {
				l.rounds(t)
			}
		}
		if repeated[op.Kind] != "" && l.repeats(k, list, i) {
			return
		}
	}
}

// meant reports whether a value stands in parentheses.
func (l *look) meant(e ein.Expr) bool {
	switch l.plain(e).(type) {
	case *ein.Access, *ein.Const, *ein.IndexRef:
		return false
	}
	return l.Parentheses && enclosed(l.plain(e).Span())
}

// termsOf lists the operands of some operators; what stands in parentheses is one.
func (l *look) termsOf(e ein.Expr, operators []ein.BinaryOp, list []ein.Expr) []ein.Expr {
	e = l.plain(e)
	b, ok := e.(*ein.Binary)
	if !ok || !slices.Contains(operators, b.Op) || len(list) > 0 && l.meant(e) {
		return append(list, e)
	}
	return l.termsOf(b.Y, operators, l.termsOf(b.X, operators, list))
}

// rounds warns of a term that is a quotient of integers.
func (l *look) rounds(e ein.Expr) {
	q, ok := e.(*ein.Binary)
	if !ok || q.Op != ein.Div || !q.Type().IsInteger() || l.meant(q) || !ein.Contains(q.X, func(e ein.Expr) bool { _, ok := e.(*ein.Access); return ok }) {
		return
	}
	l.warn(source.CodeRoundedTerm, l.place(q), "%s divides integers: each term of the sum is rounded down", l.text(q)).WithHelp("%s; %s", l.Whole, l.Meant)
}

// repeats warns of a term that is the same for all values of an index, where another is not.
func (l *look) repeats(k int, list []ein.Expr, i *ein.Index) bool {
	depends := func(t ein.Expr) bool { return l.uses(t, i) }
	if !slices.ContainsFunc(list, depends) {
		return false
	}
	for _, t := range list {
		if !depends(t) {
			at := l.place(t)
			if _, access := t.(*ein.Access); access {
				at = l.place(l.plain(l.comprehension.Values[k]))
			}
			l.warn(source.CodeRepeated, at, "%s does not depend on %s: it is %s once for each value of %s", l.text(t), l.name(i), repeated[i.Combine.Op.Kind], l.name(i)).
				WithHelp("%s; %s", l.Once, l.Meant)
			return true
		}
	}
	return false
}
