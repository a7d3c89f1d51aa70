package diderot

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// binary makes an operation on scalars.
func binary(pos source.Span, op ein.BinaryOp, x, y ein.Expr) ein.Expr {
	return fold(&ein.Binary{Pos: pos, Op: op, X: x, Y: y})
}

// negative makes -x.
func negative(pos source.Span, x ein.Expr) ein.Expr {
	return fold(&ein.Unary{Pos: pos, Op: ein.Neg, X: x})
}

// call applies a function of the table of ein.
func call(pos source.Span, name string, args ...ein.Expr) ein.Expr {
	f, ok := ein.LookupBuiltin(name)
	if !ok {
		panic(source.Internalf("diderot", pos, "there is no function %s", name))
	}
	return fold(&ein.Call{Pos: pos, Func: f, Args: args})
}

// arithmetic are the operators that work on components one by one, or on a scalar and all
// components; division and remainder of integers are those of C.
var arithmetic = map[string]ein.BinaryOp{"+": ein.Add, "-": ein.Sub, "*": ein.Mul, "/": ein.Div, "%": ein.Mod,
	"<": ein.Lt, "<=": ein.Le, ">": ein.Gt, ">=": ein.Ge, "==": ein.Eq, "!=": ein.Ne, "min": ein.Min, "max": ein.Max}

// operate applies an operator to scalars of one type.
func operate(pos source.Span, op string, x, y ein.Expr) ein.Expr {
	if x.Type().IsInteger() && (op == "/" || op == "%") {
		if c, ok := y.(*ein.Const); ok && c.Int() > 0 && isNatural(x) {
			return binary(pos, arithmetic[op], x, y)
		}
		whole := strand.Quotient
		if op == "%" {
			whole = strand.Remainder
		}
		e := whole(x, y)
		_, left := x.(*ein.Const)
		_, right := y.(*ein.Const)
		if c, ok := compute(e); ok && left && right {
			return c
		}
		return e
	}
	return binary(pos, arithmetic[op], x, y)
}

// isNatural reports whether an integer cannot be negative, seen from its form.
func isNatural(e ein.Expr) bool {
	c, ok := e.(*ein.Const)
	return ok && c.Int() >= 0
}

// componentwise applies an operator to the components of two values; one of them may be a scalar.
func (l *lowering) componentwise(pos source.Span, op string, x, y value) value {
	n := max(len(x.parts), len(y.parts))
	if n > 1 && len(x.parts) == 1 {
		x = l.bind(pos, "a", x)
	}
	if n > 1 && len(y.parts) == 1 {
		y = l.bind(pos, "a", y)
	}
	result := value{typ: x.typ, parts: make([]ein.Expr, n)}
	if len(y.parts) > len(x.parts) {
		result.typ = y.typ
	}
	for k := range n {
		result.parts[k] = operate(pos, op, x.parts[k%len(x.parts)], y.parts[k%len(y.parts)])
	}
	if arithmetic[op].IsComparison() {
		result.typ = strand.Type{Elem: strand.Bool}
	}
	return result
}

// each component of a value is changed.
func (x value) each(f func(ein.Expr) ein.Expr) value {
	parts := make([]ein.Expr, len(x.parts))
	for k, e := range x.parts {
		parts[k] = f(e)
	}
	return value{typ: x.typ, parts: parts}
}

// mostFactors is the largest power that is computed by multiplications.
const mostFactors = 64

// power raises a real to a power that is a literal: by squaring, or by the function.
func (l *lowering) power(pos source.Span, x value, n int64) value {
	if n < -mostFactors || n > mostFactors {
		return scalar(strand.Real, call(pos, "pow", x.parts[0], l.real(float64(n))))
	}
	if n < 0 {
		return scalar(strand.Real, binary(pos, ein.Div, l.real(1), l.power(pos, x, -n).parts[0]))
	}
	base := l.bind(pos, "base", x).parts[0]
	var product ein.Expr
	for ; n > 0; n /= 2 {
		if n%2 == 1 && product == nil {
			product = base
		} else if n%2 == 1 {
			product = binary(pos, ein.Mul, product, base)
		}
		if n > 1 {
			base = l.name(pos, "square", strand.Type{Elem: strand.Real}, binary(pos, ein.Mul, base, base))
		}
	}
	if product == nil {
		product = l.real(1)
	}
	return scalar(strand.Real, product)
}
