package ein

import (
	"math"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// operator checks a combine operator on its own. It may use sizes, but neither
// tensors nor indices.
func (v *verifier) operator(o *Operator, span source.Span) {
	n := len(o.Left)
	if !v.check(n > 0 && len(o.Right) == n && len(o.Body) == n && (o.Identity == nil || len(o.Identity) == n), span,
		"the operator %s has %d left and %d right parameters, %d results and %d identities", o.Name, n, len(o.Right), len(o.Body), len(o.Identity)) {
		return
	}
	v.check(o.Kind != UserDefined || validName(o.Name), span, "%q is no name of an operator", o.Name)
	indices, locals := v.indices, v.locals
	defer func() { v.indices, v.locals = indices, locals }()
	v.indices, v.locals = nil, map[*Local]bool{}
	for k, e := range o.Identity {
		v.component(o, e, o.Left[k].DType, "identity", span)
	}
	for k, l := range o.Left {
		r := o.Right[k]
		v.check(l.DType == r.DType && computable(l.DType), span, "the parameters of %s are a %s and a %s", o.Name, l.DType, r.DType)
		for _, p := range []*Local{l, r} {
			v.check(validName(p.Name) && !v.locals[p], span, "the operator %s has the parameter %q twice", o.Name, p.Name)
			v.locals[p] = true
		}
	}
	for k, e := range o.Body {
		v.component(o, e, o.Left[k].DType, "result", span)
	}
	if o.Kind != UserDefined {
		v.check(o.Kind <= ArgMaxOp && sameMeaning(o, builtinOn(o.Kind, o.Types())), span, "the operator %s is not the built-in %s", o.Name, o.Kind)
	}
}

func (v *verifier) component(o *Operator, e Expr, t tensor.DType, what string, span source.Span) {
	if !v.expr(e) {
		return
	}
	v.check(e.Type() == t, span, "the %s of the operator %s is a %s, expected %s", what, o.Name, e.Type(), t)
	Walk(e, func(e Expr) bool {
		_, reads := e.(*Access)
		return v.check(!reads, span, "the operator %s reads a tensor", o.Name)
	})
}

// sameMeaning compares operators by their text, whatever laws they have.
func sameMeaning(a, b *Operator) bool {
	text := func(o *Operator) string {
		copied := *o
		copied.Associative, copied.Commutative = false, false
		copied.Kind, copied.Name = UserDefined, "same"
		p := &printer{f: &Func{}, operators: map[*Operator]string{}, taken: map[string]int{}}
		p.operator(newCanonicalNames().operator(&copied))
		return p.out.String()
	}
	return text(a) == text(b)
}

// computable reports whether values can have the type: the 16-bit floats are
// only stored.
func computable(t tensor.DType) bool {
	return t > tensor.Invalid && t <= tensor.Float64 && !t.IsHalf()
}

// expr checks an expression; where it is false, types of e must not be asked.
func (v *verifier) expr(e Expr) bool {
	if !v.node(e) {
		return false
	}
	return v.check(computable(e.Type()), e.Span(), "computes with a %s", e.Type())
}

func (v *verifier) exprs(list ...Expr) bool {
	for _, e := range list {
		if !v.expr(e) {
			return false
		}
	}
	return true
}

func (v *verifier) node(e Expr) bool {
	switch e := e.(type) {
	case *Const:
		return v.check(representable(e), e.Pos, "the literal %016x is no %s", e.Bits, e.DType)
	case *IndexRef:
		return v.check(e.Index != nil && v.indices[e.Index], e.Pos, "uses an index of another comprehension")
	case *SizeRef:
		v.extent(e.Size, e.Pos, "a value")
		return true
	case *LocalRef:
		return v.check(e.Local != nil && v.locals[e.Local], e.Pos, "uses a local outside its scope")
	case *Access:
		return v.check(e.Tensor != nil && v.tensors[e.Tensor], e.Pos, "reads an undeclared tensor") && v.subscripts(e.Tensor, e.Subscripts, e.Pos)
	case *Unary:
		return v.expr(e.X) && v.unary(e)
	case *Binary:
		return v.exprs(e.X, e.Y) && v.binary(e)
	case *Call:
		return v.call(e)
	case *Select:
		return v.exprs(e.Cond, e.Then, e.Else) &&
			v.check(e.Cond.Type() == tensor.Bool, e.Pos, "chooses by a %s", e.Cond.Type()) &&
			v.check(e.Then.Type() == e.Else.Type(), e.Pos, "chooses between a %s and a %s", e.Then.Type(), e.Else.Type())
	case *Cast:
		return v.cast(e)
	case *Let:
		return v.let(e)
	}
	return v.check(false, source.Span{}, "an expression is a %T", e)
}

func (v *verifier) unary(e *Unary) bool {
	t := e.X.Type()
	switch e.Op {
	case Neg:
		return v.check(t != tensor.Bool, e.Pos, "negates a bool")
	case Not:
		return v.check(t == tensor.Bool, e.Pos, "applies ! to a %s", t)
	case Popcount, Clz:
		return v.check(t.IsInteger(), e.Pos, "applies %s to a %s", e.Op, t)
	}
	return v.check(false, e.Pos, "unknown prefix operator %d", e.Op)
}

func (v *verifier) binary(e *Binary) bool {
	x, y := e.X.Type(), e.Y.Type()
	if !v.check(e.Op <= Shr, e.Pos, "unknown infix operator %d", e.Op) || !v.check(x == y, e.Pos, "%s is applied to a %s and a %s", e.Op, x, y) {
		return false
	}
	isBool := x == tensor.Bool
	switch e.Op {
	case And, Or:
		return v.check(isBool, e.Pos, "%s is applied to %ss", e.Op, x)
	case Eq, Ne:
		return true
	}
	if e.Op.IsBitwise() {
		return v.check(x.IsInteger(), e.Pos, "%s is applied to %ss", e.Op, x)
	}
	return v.check(!isBool, e.Pos, "%s is applied to bools", e.Op)
}

func (v *verifier) call(e *Call) bool {
	if !v.check(e.Func != nil && len(e.Args) == e.Func.Arity && len(e.Args) > 0, e.Pos, "a builtin function has %d arguments", len(e.Args)) || !v.exprs(e.Args...) {
		return false
	}
	for _, a := range e.Args {
		if !v.check(a.Type() == e.Args[0].Type() && a.Type().IsFloat(), a.Span(), "%s takes a %s", e.Func.Name, a.Type()) {
			return false
		}
	}
	return true
}

// cast is the only place where a 16-bit float may be read.
func (v *verifier) cast(e *Cast) bool {
	if a, ok := e.X.(*Access); ok {
		return v.node(a)
	}
	return v.expr(e.X)
}

func (v *verifier) let(e *Let) bool {
	if !v.expr(e.Value) || !v.check(e.Var != nil, e.Pos, "a let binds nothing") {
		return false
	}
	v.check(validName(e.Var.Name), e.Pos, "%q is no name of a local", e.Var.Name)
	v.check(e.Var.DType == e.Value.Type(), e.Pos, "the local %s is a %s, its value a %s", e.Var.Name, e.Var.DType, e.Value.Type())
	if !v.check(!v.locals[e.Var], e.Pos, "the local %s is bound inside itself", e.Var.Name) {
		return false
	}
	v.locals[e.Var] = true
	defer delete(v.locals, e.Var)
	return v.expr(e.Body)
}

// representable reports whether a literal is a value of its type, written as
// the documentation of Const says.
func representable(c *Const) bool {
	if !computable(c.DType) {
		return false
	}
	bits := uint(c.DType.Size() * 8)
	switch c.DType.Kind() {
	case tensor.KindBool:
		return c.Bits <= 1
	case tensor.KindUint:
		return bits == 64 || c.Bits>>bits == 0
	case tensor.KindInt:
		return c.Int()<<(64-bits)>>(64-bits) == c.Int()
	}
	v := c.Float()
	return c.DType == tensor.Float64 || math.IsNaN(v) || float64(float32(v)) == v
}
