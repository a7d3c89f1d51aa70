package ein

import (
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// AbsoluteName is the function that notations have for all numbers; fabs is that of floats.
const AbsoluteName = "abs"

// Absolute is |x|, of the type of x. Of the least signed integer it is that itself, as of
// its negative: -(-128) of an int8 is -128.
func Absolute(x Expr, pos source.Span) Expr {
	switch t := x.Type(); {
	case t.IsFloat():
		fabs, _ := LookupBuiltin("fabs")
		return &Call{Pos: pos, Func: fabs, Args: []Expr{x}}
	case t.Kind() != tensor.KindInt:
		return x
	}
	local := &Local{Name: AbsoluteName, DType: x.Type()}
	use := func() Expr { return &LocalRef{Pos: pos, Local: local} }
	return &Let{Pos: pos, Var: local, Value: x, Body: &Binary{Pos: pos, Op: Max, X: use(), Y: &Unary{Pos: pos, Op: Neg, X: use()}}}
}
