package check

import (
	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// value gives a type to an expression and coerces it to the type that it must have. What it is for is told in errors.
func (c *checker) value(e syntax.Expr, want *typed.Type, what string) typed.Expr {
	return c.convert(c.expr(e, want), want, what)
}

// convert coerces an expression to a type, or reports that it has another one.
func (c *checker) convert(x typed.Expr, want *typed.Type, what string) typed.Expr {
	from := x.Type()
	if coercible(from, want) {
		return coerce(x, want)
	}
	if smoother(from, want) {
		c.tooSmooth(x, want, what)
	} else {
		c.errorf(source.CodeDiderotType, x.Span(), "%s is of type %v, but this is %v", what, want, from).Help = convertHelp(from, want)
	}
	return nothing(x.Span())
}

// convertHelp says how a value of one type becomes one of another, if there is a way.
func convertHelp(from, want *typed.Type) string {
	switch {
	case from.Kind == typed.Field && (want.Kind == typed.Tensor || want.Kind == typed.Int):
		return "a field is a function of the position: probe it, F(x)"
	case from.IsReal() && want.Kind == typed.Int, from.Kind == typed.Sequence && want.Kind == typed.Sequence && from.Element.IsReal() && want.Element.Kind == typed.Int:
		return "a real number does not become an int: keep it a real, or compute with ints from the beginning"
	case from.Kind == typed.Int && want.Kind == typed.Bool:
		return "an int is no truth value: write x != 0"
	case from.Kind == typed.Bool && (want.Kind == typed.Int || want.IsReal()):
		return "a truth value is no number: write 1 if b else 0"
	case from.Kind == typed.Tensor && want.Kind == typed.Tensor && len(from.Shape) > 0 && len(want.Shape) == 0:
		return "take a component, v[0], or the norm, |v|"
	case from.IsReal() && want.Kind == typed.Tensor:
		return "write all components: [1.0, 0.0]"
	case from.Kind == typed.Image && want.Kind == typed.Field:
		return "a field is an image convolved with a kernel: bspln3 ⊛ img"
	case from.Kind == typed.Image && want.Kind == typed.Tensor:
		return "an image is no value: make a field of it, bspln3 ⊛ img, and probe that"
	case from.Kind == typed.Tensor && want.Kind == typed.Sequence:
		return "{a, b} is a sequence, [a, b] is a tensor"
	case from.Kind == typed.Sequence && want.Kind == typed.Tensor:
		return "[a, b] is a tensor, {a, b} is a sequence"
	case from.IsDynamic() && want.Kind == typed.Sequence:
		return "how many elements the sequence has is not known when the program is compiled: declare it without a length"
	case from.Kind == typed.Field && want.Kind == typed.Field && from.Dim != want.Dim:
		return "the dimension in parentheses is that of the space of the image"
	case from.Kind == typed.Field && want.Kind == typed.Field && !sameShape(from, want):
		return "the shape in brackets is that of what the field gives: that of the samples, with one axis more for each ∇⊗"
	}
	return ""
}

// smoother reports whether types differ only in that more continuity is asked than there is.
func smoother(from, want *typed.Type) bool {
	return from.Kind == want.Kind && (from.Kind == typed.Field || from.Kind == typed.Kernel) && from.Continuity < want.Continuity &&
		withContinuity(from, want.Continuity).Equal(want)
}

func (c *checker) tooSmooth(x typed.Expr, want *typed.Type, what string) {
	d := c.errorf(source.CodeDiderotContinuity, x.Span(), "%s is of type %v, but this is %v", what, want, x.Type())
	switch {
	case want.Continuity == typed.Smooth:
		d.WithHelp("without # a field has all derivatives; declare it %v", x.Type())
	case x.Type().Kind == typed.Kernel:
		d.WithHelp("declare it %v, or take a smoother kernel", x.Type())
	default:
		d.WithHelp("declare it %v, or take a smoother kernel: ctmr has 1 continuous derivative, bspln3 2, bspln5 and c4hexic 4", x.Type())
	}
}
