package advice

import (
	"math"
	"strings"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How arithmetic of few bits is warned of
//
// (a + b) / 2 of bytes wraps at 256 before it is halved. Where such a sum is stored as it is, in a type that
// somebody wrote, wrapping may be meant. It is not where it is divided, shifted down, compared, passed on, or
// becomes a wider number. The same holds of what goes below zero in unsigned types of all sizes, and of products of
// 32 bits that become 64 bits or floats. What masks, casts and conditions keep small stays silent (interval.go). A conversion
// of wider arithmetic back to few bits says that wrapping is meant, and is no arithmetic of few bits.

// narrow looks for it inside of an expression.
func (l *look) narrow(e ein.Expr) {
	switch e := e.(type) {
	case *ein.Access:
		return // subscripts are wide
	case *ein.Cast:
		if widens(e.X.Type(), e.To) {
			l.wraps(e.X, "becomes "+e.To.String(), e.To)
		}
	case *ein.Binary:
		l.narrowOperands(e)
	case *ein.Select:
		l.narrow(e.Cond)
		l.under(e.Cond, true, func() { l.narrow(e.Then) })
		l.under(e.Cond, false, func() { l.narrow(e.Else) })
		return
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
	l.wraps(e.X, what, e.X.Type())
	if e.Op != ein.Shr {
		l.wraps(e.Y, what, e.Y.Type())
	}
}

// wraps warns where an expression that is used as a number of type to is arithmetic that may wrap.
func (l *look) wraps(e ein.Expr, what string, to tensor.DType) {
	e = l.plain(e)
	if l.looked[e] {
		return
	}
	l.looked[e] = true
	if s, ok := e.(*ein.Select); ok {
		l.under(s.Cond, true, func() { l.wraps(s.Then, what, to) })
		l.under(s.Cond, false, func() { l.wraps(s.Else, what, to) })
		return
	}
	if own := e.Type(); l.mayWrap(e, to) && !l.exact(e).within(of(own)) {
		l.warn(source.CodeSmallArithmetic, l.place(e), "%s is computed in %s, and wraps, before it %s", l.text(e), own, what).
			WithHelp("%s", l.wideHelp(own, to, l.exact(e)))
		return
	}
	if sum, ok := e.(*ein.Binary); ok && e.Type().Size() == 4 && widens(e.Type(), to) && (sum.Op == ein.Add || sum.Op == ein.Sub || sum.Op == ein.BitOr) {
		l.wraps(sum.X, what, to)
		l.wraps(sum.Y, what, to)
	}
}

// wideHelp says what to write where arithmetic of a type is too narrow for values that become one of type to.
func (l *look) wideHelp(own, to tensor.DType, values interval) string {
	wide := tensor.Int32
	if own.Size() > 2 || to.IsInteger() && to.Size() > wide.Size() || !values.within(of(wide)) {
		wide = tensor.Int64
	}
	return strings.ReplaceAll(l.Wide, "TYPE", wide.String()) + "; " + strings.ReplaceAll(strings.ReplaceAll(l.Wraps, "WIDE", wide.String()), "TYPE", own.String())
}

// mayWrap reports whether an operation may leave the range of its operands, and that is hardly meant. The
// negative of a signed number leaves it for one value only.
func (l *look) mayWrap(e ein.Expr, to tensor.DType) bool {
	own := e.Type()
	isUnsigned := own.Kind() == tensor.KindUint
	switch e := e.(type) {
	case *ein.Unary:
		return e.Op == ein.Neg && isUnsigned
	case *ein.Binary:
		switch e.Op {
		case ein.Sub:
			return isSmall(own) || isUnsigned
		case ein.Add:
			return isSmall(own)
		case ein.Mul, ein.Shl:
			return isSmall(own) || own.IsInteger() && own.Size() == 4 && own != to && l.needsRoom(e)
		}
	}
	return false
}

// needsRoom reports whether a product or a shift of 32 bits is hardly meant to stay within them: one of data, or one by
// a literal that takes numbers up to 2²⁴, as float32 has them, beyond.
func (l *look) needsRoom(e *ein.Binary) bool {
	const likely = 1 << 24
	x, y := l.interval(e.X), l.interval(e.Y)
	if isLiteral := x.lo == x.hi || y.lo == y.hi; !isLiteral {
		return true
	}
	least := func(x interval) float64 { return min(max(x.hi, -x.lo), likely) }
	if e.Op == ein.Shl {
		return y.lo != y.hi || y.hi < 32 && math.Ldexp(least(x), int(y.hi)) >= math.Ldexp(1, 31)
	}
	if x.lo == x.hi {
		x, y = y, x
	}
	return least(x)*math.Abs(y.lo) >= math.Ldexp(1, 31)
}

// isSmall reports whether a type is one of integers of 8 or 16 bits.
func isSmall(t tensor.DType) bool {
	return t.IsInteger() && t != tensor.Bool && t.Size() <= 2
}

// widens reports whether an integer becomes a number of another kind or of more bits.
func widens(from, to tensor.DType) bool {
	return from.IsInteger() && from != tensor.Bool && (to.IsFloat() || to.IsInteger() && to.Size() > from.Size())
}

// smallFold warns of sums and products that are folded in 8 or 16 bits, unless a conversion to these is folded.
func (l *look) smallFold(k int) {
	value := l.plain(l.comprehension.Values[k])
	_, converted := value.(*ein.Cast)
	for _, i := range l.comprehension.Indices {
		op := i.Combine.Op
		if op != nil && k == 0 && (op.Kind == ein.MinOp || op.Kind == ein.MaxOp || op.Kind == ein.ArgMinOp || op.Kind == ein.ArgMaxOp) {
			l.wraps(value, "is compared by "+op.Name, value.Type())
		}
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
			WithHelp("%s", l.wideHelp(op.Types()[0], op.Types()[0], interval{}))
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
