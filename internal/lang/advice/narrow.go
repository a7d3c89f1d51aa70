package advice

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How arithmetic of 8 and 16 bits is warned of
//
// (a + b) / 2 of bytes wraps at 256 before it is halved. Where such a sum is stored as it is, in a type that
// somebody wrote, wrapping may be meant. It is not where it is divided, shifted down, compared, passed on, or
// becomes a wider number. What masks, casts and conditions keep small stays silent. A conversion of wider arithmetic
// back to few bits says that wrapping is meant, and is no arithmetic of few bits.

// narrow looks for it inside of an expression.
func (l *look) narrow(e ein.Expr) {
	switch e := e.(type) {
	case *ein.Access:
		return // subscripts are wide
	case *ein.Cast:
		if l.widens(e.X.Type(), e.To) {
			l.wraps(e.X, "becomes "+e.To.String())
		}
	case *ein.Binary:
		l.narrowOperands(e)
	}
	for _, x := range ein.Children(e) {
		l.narrow(x)
	}
}

// narrowOperands looks at the operands of an operator.
func (l *look) narrowOperands(e *ein.Binary) {
	what := map[ein.BinaryOp]string{ein.Div: "is divided", ein.Mod: "is divided", ein.Min: "is compared", ein.Max: "is compared", ein.Shr: "is shifted down"}[e.Op]
	if e.Op.IsComparison() {
		what = "is compared"
	}
	if what == "" {
		return
	}
	l.wraps(e.X, what)
	if e.Op != ein.Shr {
		l.wraps(e.Y, what)
	}
}

// wraps warns where an expression is small arithmetic that may wrap.
func (l *look) wraps(e ein.Expr, what string) {
	e = l.plain(e)
	if l.looked[e] {
		return
	}
	l.looked[e] = true
	if s, ok := e.(*ein.Select); ok {
		if !l.difference(s, s.Then) {
			l.wraps(s.Then, what)
		}
		if !l.difference(s, s.Else) {
			l.wraps(s.Else, what)
		}
		return
	}
	own := e.Type()
	if !isSmall(own) || !isArithmetic(e) || l.exact(e).within(of(own)) {
		return
	}
	l.warn(source.CodeSmallArithmetic, l.place(e), "%s is computed in %s, and wraps, before it %s", l.text(e), own, what).
		WithHelp("%s; %s", l.Wide, l.Wraps)
}

// isArithmetic reports whether an operation may leave the range of its operands. The
// negative of a signed number leaves it for one value only.
func isArithmetic(e ein.Expr) bool {
	switch e := e.(type) {
	case *ein.Binary:
		return e.Op == ein.Add || e.Op == ein.Sub || e.Op == ein.Mul || e.Op == ein.Shl
	case *ein.Unary:
		return e.Op == ein.Neg && e.Type().Kind() == tensor.KindUint
	}
	return false
}

// difference reports whether a branch is the difference of what its condition compares: x > y ? x - y : y - x.
func (l *look) difference(s *ein.Select, branch ein.Expr) bool {
	cond, ok := l.plain(s.Cond).(*ein.Binary)
	d, isSub := l.plain(branch).(*ein.Binary)
	if !ok || !isSub || d.Op != ein.Sub {
		return false
	}
	same := func(x, y ein.Expr) bool { return ein.SameExpr(l.plain(x), l.plain(y)) }
	falls := cond.Op == ein.Gt || cond.Op == ein.Ge
	if !falls && cond.Op != ein.Lt && cond.Op != ein.Le {
		return false
	}
	if (branch == s.Then) == falls {
		return same(d.X, cond.X) && same(d.Y, cond.Y)
	}
	return same(d.X, cond.Y) && same(d.Y, cond.X)
}

// isSmall reports whether a type is one of integers of 8 or 16 bits.
func isSmall(t tensor.DType) bool {
	return t.IsInteger() && t != tensor.Bool && t.Size() <= 2
}

// widens reports whether a small value becomes a number of another kind or of more bits.
func (l *look) widens(from, to tensor.DType) bool {
	return isSmall(from) && (to.IsFloat() || to.IsInteger() && to.Size() > from.Size())
}

// smallFold warns of sums and products that are folded in 8 or 16 bits, unless a conversion to these is folded.
func (l *look) smallFold(k int) {
	value := l.plain(l.comprehension.Values[k])
	_, converted := value.(*ein.Cast)
	for _, i := range l.comprehension.Indices {
		op := i.Combine.Op
		if op == nil || len(op.Body) != 1 || op.Kind != ein.SumOp && op.Kind != ein.ProductOp || !isSmall(op.Types()[0]) || converted {
			continue
		}
		if l.stays(k) {
			return
		}
		tensor, at := l.comprehension.Writes[k].Tensor, l.place(value)
		if _, access := value.(*ein.Access); access {
			at = l.comprehension.Writes[k].Pos
		}
		word := map[ein.OperatorKind]string{ein.SumOp: "sum", ein.ProductOp: "product"}[op.Kind]
		l.warn(source.CodeSmallSum, at, "the %s in %s is computed in %s, and wraps beyond %d", word, tensor.Name, op.Types()[0], int64(of(op.Types()[0]).hi)).
			WithHelp("%s; %s", l.Wide, l.Wraps)
		return
	}
}

// stays reports whether a sum cannot leave its type, because there are few terms of few bits.
func (l *look) stays(k int) bool {
	sum := l.interval(l.comprehension.Values[k])
	for _, i := range l.comprehension.Indices {
		if i.Combine.Kind == ein.Concat {
			continue
		}
		n, known := i.Extent.IsConst()
		if !known || i.Combine.Op.Kind != ein.SumOp {
			return false
		}
		sum.lo, sum.hi = min(sum.lo, sum.lo*float64(n)), max(sum.hi, sum.hi*float64(n))
	}
	return sum.within(of(l.comprehension.Values[k].Type()))
}
