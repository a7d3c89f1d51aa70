package rewrite

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// A rule rewrites one node whose children are simplified already; it returns nil
// where it does not apply.
type rule struct {
	name  string
	apply func(e ein.Expr) ein.Expr
}

// rules are exact in the arithmetic of the program: x·0 = 0 and x + 0 = x are
// wrong for floats (NaN, infinities, −0) and are only used on integers.
var rules = []rule{
	{"fold constants", foldBinary},
	{"fold a cast of a constant", foldCast},
	{"cast to the same type", func(e ein.Expr) ein.Expr {
		if c, ok := e.(*ein.Cast); ok && c.X.Type() == c.To {
			return c.X
		}
		return nil
	}},
	{"double negation", func(e ein.Expr) ein.Expr {
		if u, ok := e.(*ein.Unary); ok && (u.Op == ein.Neg || u.Op == ein.Not) {
			if v, ok := u.X.(*ein.Unary); ok && v.Op == u.Op {
				return v.X
			}
		}
		return nil
	}},
	{"neutral element", neutral},
	{"integer times zero", func(e ein.Expr) ein.Expr {
		b, ok := e.(*ein.Binary)
		if !ok || b.Op != ein.Mul || !b.Type().IsInteger() {
			return nil
		}
		switch {
		case isInt(b.X, 0) && pure(b.Y):
			return b.X
		case isInt(b.Y, 0) && pure(b.X):
			return b.Y
		}
		return nil
	}},
	{"known condition", func(e ein.Expr) ein.Expr {
		s, ok := e.(*ein.Select)
		if !ok {
			return nil
		}
		c, ok := s.Cond.(*ein.Const)
		switch {
		case !ok:
			return nil
		case c.Bits != 0:
			return s.Then
		}
		return s.Else
	}},
	{"negated condition", func(e ein.Expr) ein.Expr {
		if s, ok := e.(*ein.Select); ok {
			if n, ok := s.Cond.(*ein.Unary); ok && n.Op == ein.Not {
				return &ein.Select{Pos: s.Pos, Cond: n.X, Then: s.Else, Else: s.Then}
			}
		}
		return nil
	}},
	{"and, or with a constant", logical},
	{"square", square},
}

// Simplify applies the rules everywhere, bottom-up.
func Simplify(f *ein.Func) *ein.Func {
	f = f.Clone()
	for _, c := range f.Body {
		for k, v := range c.Values {
			c.Values[k] = ein.Map(v, simplifyNode)
		}
	}
	return f
}

func simplifyNode(e ein.Expr) ein.Expr {
	for again := true; again; {
		again = false
		for _, r := range rules {
			if better := r.apply(e); better != nil {
				e, again = better, true
			}
		}
	}
	return e
}

// pure reports whether not evaluating e goes unnoticed: it has no tested access.
func pure(e ein.Expr) bool {
	ok := true
	ein.Walk(e, func(e ein.Expr) bool {
		ok = ok && !isChecked(e)
		return ok
	})
	return ok
}

func isInt(e ein.Expr, n int64) bool {
	c, ok := e.(*ein.Const)
	return ok && c.DType.IsInteger() && c.Int() == n
}

func isFloat(e ein.Expr, v float64) bool {
	c, ok := e.(*ein.Const)
	return ok && c.DType.IsFloat() && c.Bits == math.Float64bits(v)
}

func isNumber(e ein.Expr, n int64) bool { return isInt(e, n) || isFloat(e, float64(n)) }

// neutral drops operands that change nothing: x + 0 on integers, x − 0, x·1, x/1,
// x + (−0) on floats, and 0 and all ones beside operators on bits.
func neutral(e ein.Expr) ein.Expr {
	b, ok := e.(*ein.Binary)
	if !ok {
		return nil
	}
	switch b.Op {
	case ein.BitOr, ein.BitXor:
		if isInt(b.X, 0) {
			return b.Y
		}
		fallthrough
	case ein.Shl, ein.Shr:
		if isInt(b.Y, 0) {
			return b.X
		}
	case ein.BitAnd:
		ones := wrapped(b.Type(), -1).Int()
		if isInt(b.Y, ones) {
			return b.X
		}
		if isInt(b.X, ones) {
			return b.Y
		}
	case ein.Add:
		if isInt(b.Y, 0) || isFloat(b.Y, math.Copysign(0, -1)) {
			return b.X
		}
		if isInt(b.X, 0) || isFloat(b.X, math.Copysign(0, -1)) {
			return b.Y
		}
	case ein.Sub:
		if isNumber(b.Y, 0) {
			return b.X
		}
	case ein.Mul:
		if isNumber(b.Y, 1) {
			return b.X
		}
		if isNumber(b.X, 1) {
			return b.Y
		}
	case ein.Div:
		if isNumber(b.Y, 1) {
			return b.X
		}
	}
	return nil
}

func logical(e ein.Expr) ein.Expr {
	b, ok := e.(*ein.Binary)
	if !ok || b.Op != ein.And && b.Op != ein.Or {
		return nil
	}
	for _, side := range []struct{ known, other ein.Expr }{{b.X, b.Y}, {b.Y, b.X}} {
		c, ok := side.known.(*ein.Const)
		if !ok {
			continue
		}
		if (c.Bits != 0) == (b.Op == ein.And) {
			return side.other
		}
		if pure(side.other) {
			return c
		}
	}
	return nil
}

// square is x·x for pow(x, 2), which costs a sixteenth, where x is cheap to write twice: the evaluator says the same.
func square(e ein.Expr) ein.Expr {
	c, ok := e.(*ein.Call)
	if !ok || c.Func.Name != "pow" || !isFloat(c.Args[1], 2) || !pure(c.Args[0]) {
		return nil
	}
	const most = 8
	size, calls := 0, false
	ein.Walk(c.Args[0], func(e ein.Expr) bool {
		_, call := e.(*ein.Call)
		size, calls = size+1, calls || call
		return true
	})
	if size > most || calls {
		return nil
	}
	again := ein.Map(c.Args[0], func(e ein.Expr) ein.Expr { return e })
	return &ein.Binary{Pos: c.Pos, Op: ein.Mul, X: c.Args[0], Y: again}
}

// wrapped returns an integer constant reduced to its type.
func wrapped(t tensor.DType, v int64) *ein.Const {
	bits := uint(t.Size() * 8)
	if t.Kind() == tensor.KindInt {
		return ein.IntConst(t, v<<(64-bits)>>(64-bits))
	}
	return &ein.Const{DType: t, Bits: uint64(v) << (64 - bits) >> (64 - bits)}
}

// foldBinary computes operators on two constants.
func foldBinary(e ein.Expr) ein.Expr {
	b, ok := e.(*ein.Binary)
	if !ok {
		return nil
	}
	x, okX := b.X.(*ein.Const)
	y, okY := b.Y.(*ein.Const)
	if !okX || !okY {
		return nil
	}
	var folded *ein.Const
	switch {
	case b.Op.IsBitwise():
		folded = ein.IntConst(x.DType, ein.EvalBits(b.Op, x.DType, x.Int(), y.Int()))
	case x.DType.IsInteger() && x.DType.Kind() == tensor.KindInt:
		folded = foldIntegers(b.Op, x, y)
	case x.DType == tensor.Float32 || x.DType == tensor.Float64:
		folded = foldFloats(b.Op, x, y)
	}
	if folded == nil {
		return nil
	}
	folded.Pos = b.Pos
	return folded
}

func boolean(v bool) *ein.Const {
	if v {
		return ein.IntConst(tensor.Bool, 1)
	}
	return ein.IntConst(tensor.Bool, 0)
}

// compared folds comparisons of any ordered type.
func compared[T int64 | float64](op ein.BinaryOp, x, y T) *ein.Const {
	switch op {
	case ein.Lt:
		return boolean(x < y)
	case ein.Le:
		return boolean(x <= y)
	case ein.Gt:
		return boolean(x > y)
	case ein.Ge:
		return boolean(x >= y)
	case ein.Eq:
		return boolean(x == y)
	case ein.Ne:
		return boolean(x != y)
	}
	return nil
}

func foldIntegers(op ein.BinaryOp, x, y *ein.Const) *ein.Const {
	a, b := x.Int(), y.Int()
	switch op {
	case ein.Add:
		return wrapped(x.DType, a+b)
	case ein.Sub:
		return wrapped(x.DType, a-b)
	case ein.Mul:
		return wrapped(x.DType, a*b)
	case ein.Min:
		return wrapped(x.DType, min(a, b))
	case ein.Max:
		return wrapped(x.DType, max(a, b))
	case ein.Div, ein.Mod:
		if b == 0 {
			return wrapped(x.DType, 0)
		}
		quotient, remainder := a/b, a%b
		if remainder != 0 && (remainder < 0) != (b < 0) {
			quotient, remainder = quotient-1, remainder+b
		}
		if op == ein.Div {
			return wrapped(x.DType, quotient)
		}
		return wrapped(x.DType, remainder)
	}
	return compared(op, a, b)
}

// foldFloats computes in float64 and rounds, which is exact for float32 too.
func foldFloats(op ein.BinaryOp, x, y *ein.Const) *ein.Const {
	a, b := x.Float(), y.Float()
	var v float64
	switch op {
	case ein.Add:
		v = a + b
	case ein.Sub:
		v = a - b
	case ein.Mul:
		v = a * b
	case ein.Div:
		v = a / b
	case ein.Mod, ein.Min, ein.Max:
		return nil
	default:
		return compared(op, a, b)
	}
	if math.IsNaN(v) {
		return nil // which NaN is the business of the machine
	}
	return ein.FloatConst(x.DType, v)
}

// foldCast converts integer constants, and floats between their types.
func foldCast(e ein.Expr) ein.Expr {
	cast, ok := e.(*ein.Cast)
	if !ok {
		return nil
	}
	c, ok := cast.X.(*ein.Const)
	if !ok {
		return nil
	}
	var folded *ein.Const
	from, to := c.DType, cast.To
	switch {
	case from.IsInteger() && to.IsInteger():
		folded = wrapped(to, c.Int())
	case from == tensor.Bool && to.IsInteger():
		folded = ein.IntConst(to, c.Int())
	case from.Kind() == tensor.KindInt && to.IsFloat() && !to.IsHalf() && c.Int() == int64(int32(c.Int())):
		folded = ein.FloatConst(to, float64(c.Int()))
	case (from == tensor.Float32 || from == tensor.Float64) && (to == tensor.Float32 || to == tensor.Float64) && !math.IsNaN(c.Float()):
		folded = ein.FloatConst(to, c.Float())
	default:
		return nil
	}
	folded.Pos = cast.Pos
	return folded
}
