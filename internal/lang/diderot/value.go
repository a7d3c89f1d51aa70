package diderot

import (
	"math/big"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// A value is what an expression has become: scalars; a list, which is a sequence of any length; or
// something that exists while lowering only, a field, an image or a kernel. No expression changes a
// variable, so scalars may be computed later than where they stand in the text, within a statement.
type value struct {
	typ   strand.Type
	parts []ein.Expr
	from  *strand.Variable // the variable that this is the value of, or nil
	list  *list

	// constant is the operator of what is made of literals: factors of fields are exact until code is made of them.
	constant *field.Operator

	field  *field.Operator
	space  int // the dimension of the space that a field is over, which that of a constant does not say
	image  *image
	kernel *field.Param
}

// isSymbol reports whether a value is a field, an image or a kernel.
func (x value) isSymbol() bool { return x.field != nil || x.image != nil || x.kernel != nil }

// of is the value of a variable.
func of(v *strand.Variable) value {
	x := value{typ: v.Type, from: v}
	if v.Type.Dynamic {
		x.list = &list{element: v.Type.Element(), items: []strand.Item{{Sequence: v}}}
		return x
	}
	for _, p := range v.Parts {
		x.parts = append(x.parts, &ein.LocalRef{Local: p})
	}
	return x
}

// scalar is the value of an expression.
func scalar(elem strand.Elem, e ein.Expr) value {
	return value{typ: strand.Type{Elem: elem}, parts: []ein.Expr{e}}
}

// element is one of the elements of a fixed sequence.
func (x value) element(k int) value {
	t := x.typ.Element()
	return value{typ: t, parts: x.parts[k*t.Width() : (k+1)*t.Width()]}
}

// count is how many elements a fixed sequence has.
func (x value) count() int { return len(x.parts) / x.typ.Element().Width() }

// integer is a literal.
func (l *lowering) integer(n int64) ein.Expr { return ein.IntConst(l.p.Int, n) }

// real is a literal.
func (l *lowering) real(x float64) ein.Expr { return ein.FloatConst(l.p.Real, x) }

// number is a rational number as a literal, rounded once.
func (l *lowering) number(r *big.Rat) ein.Expr {
	if l.p.Real.Size() == 4 {
		f, _ := r.Float32()
		return l.real(float64(f))
	}
	f, _ := r.Float64()
	return l.real(f)
}

// toReal turns integers into reals; other elements stay.
func (l *lowering) toReal(pos source.Span, x value) value {
	if x.isSymbol() || x.typ.Elem != strand.Int || x.list != nil {
		return x
	}
	parts := make([]ein.Expr, len(x.parts))
	for k, e := range x.parts {
		parts[k] = fold(&ein.Cast{Pos: pos, To: l.p.Real, X: e})
		if c, ok := e.(*ein.Const); ok && len(x.parts) == 1 {
			x.constant = l.rational(new(big.Rat).SetInt64(c.Int()))
		}
	}
	x.parts, x.from, x.typ.Elem = parts, nil, strand.Real
	return x
}

// fold computes what is known.
func fold(e ein.Expr) ein.Expr {
	if s, ok := e.(*ein.Select); ok {
		if c, ok := s.Cond.(*ein.Const); ok {
			return choose(c, s.Then, s.Else)
		}
	}
	children := ein.Children(e)
	if len(children) == 0 {
		return e
	}
	for _, c := range children {
		if _, ok := c.(*ein.Const); !ok {
			return e
		}
	}
	if c, ok := compute(e); ok {
		return c
	}
	return e
}

// choose is one of two things by a bool that is known.
func choose[T any](c *ein.Const, yes, no T) T {
	if c.Int() != 0 {
		return yes
	}
	return no
}

// compute evaluates an expression of literals.
func compute(e ein.Expr) (*ein.Const, bool) {
	code, err := ein.NewScalar().Compile(e)
	if err != nil {
		return nil, false
	}
	n := code()
	if e.Type().IsFloat() {
		c := ein.FloatConst(e.Type(), n.Float)
		c.Pos = e.Span()
		return c, true
	}
	c := ein.IntConst(e.Type(), n.Int)
	c.Pos = e.Span()
	return c, true
}
