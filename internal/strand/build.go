package strand

import (
	"fmt"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// NewProgram returns a program without blocks.
func NewProgram(name string, real, integer tensor.DType) *Program {
	return &Program{Name: name, Real: real, Int: integer}
}

// Declare adds a variable and gives it its parts.
func (p *Program) Declare(pos source.Span, role Role, name string, t Type) *Variable {
	v := &Variable{Pos: pos, Name: name, Role: role, Type: t}
	switch {
	case t.Dynamic:
	case t.IsScalar():
		v.Parts = []*ein.Local{{Name: name, DType: p.DType(t.Elem)}}
	default:
		v.Parts = p.locals(name, t.Elem, t.Width())
	}
	p.Variables = append(p.Variables, v)
	return v
}

// locals makes the locals name.0, name.1, ….
func (p *Program) locals(name string, elem Elem, n int) []*ein.Local {
	list := make([]*ein.Local, n)
	for k := range list {
		list[k] = &ein.Local{Name: fmt.Sprintf("%s.%d", name, k), DType: p.DType(elem)}
	}
	return list
}

// DeclareImage adds an image and gives it its numbers.
func (p *Program) DeclareImage(pos source.Span, name string, dim int, shape []int) *Image {
	i := &Image{Pos: pos, Name: name, Dim: dim, Shape: shape,
		Sizes: p.locals(name+".size", Int, dim), Matrix: p.locals(name+".matrix", Real, dim*dim), Shift: p.locals(name+".shift", Real, dim)}
	p.Images = append(p.Images, i)
	return i
}

// StringConst is a string as a value.
func (p *Program) StringConst(text string) *ein.Const {
	k := slices.Index(p.Strings, text)
	if k < 0 {
		k = len(p.Strings)
		p.Strings = append(p.Strings, text)
	}
	return ein.IntConst(p.DType(String), int64(k))
}

// Quotient is x / y rounded toward zero, as in C; 0 where y is 0.
func Quotient(x, y ein.Expr) ein.Expr {
	return truncated(x, y, func(a, b ein.Expr) (kept, moved ein.Expr) {
		q := &ein.Binary{Op: ein.Div, X: a, Y: b}
		return q, &ein.Binary{Op: ein.Add, X: q, Y: ein.IntConst(x.Type(), 1)}
	})
}

// Remainder is what Quotient leaves: it has the sign of x, and is 0 where y is 0.
func Remainder(x, y ein.Expr) ein.Expr {
	return truncated(x, y, func(a, b ein.Expr) (kept, moved ein.Expr) {
		r := &ein.Binary{Op: ein.Mod, X: a, Y: b}
		return r, &ein.Binary{Op: ein.Sub, X: r, Y: b}
	})
}

// truncated chooses what holds where a division that leaves something has operands of one sign
// (kept) and of two (moved): ein rounds toward minus infinity.
func truncated(x, y ein.Expr, of func(a, b ein.Expr) (kept, moved ein.Expr)) ein.Expr {
	t := x.Type()
	a, b := &ein.Local{Name: "numerator'", DType: t}, &ein.Local{Name: "denominator'", DType: t}
	p, q := &ein.LocalRef{Local: a}, &ein.LocalRef{Local: b}
	zero := ein.IntConst(t, 0)
	isNegative := func(e ein.Expr) ein.Expr { return &ein.Binary{Op: ein.Lt, X: e, Y: zero} }
	kept, moved := of(p, q)
	cond := &ein.Binary{Op: ein.And,
		X: &ein.Binary{Op: ein.Ne, X: &ein.Binary{Op: ein.Mod, X: p, Y: q}, Y: zero},
		Y: &ein.Binary{Op: ein.Ne, X: isNegative(p), Y: isNegative(q)}}
	return &ein.Let{Var: a, Value: x, Body: &ein.Let{Var: b, Value: y, Body: &ein.Select{Cond: cond, Then: moved, Else: kept}}}
}
