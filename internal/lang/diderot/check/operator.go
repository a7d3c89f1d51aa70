package check

import (
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

func (c *checker) unary(e *syntax.Unary, want *typed.Type) typed.Expr {
	if n, ok := e.X.(*syntax.Number); ok && e.Op.Name == "-" {
		x := c.number(n, want, true)
		if x.Type().Kind == typed.Nothing {
			return nothing(e.Pos)
		}
		return c.apply("-", typed.Prefix, e.Pos, e.Op.Pos, []typed.Expr{x})
	}
	if name, ok := e.X.(*syntax.Ref); ok && strings.HasPrefix(e.Op.Name, "∇") && c.find(name.Name) == nil && (c.findFunction(name.Name) != nil || isBuiltin(name.Name)) {
		c.errorf(source.CodeDiderotOperands, e.Pos, "%s is a function, and %s binds tighter than its call", name.Name, e.Op.Name).WithHelp("write %s(%s(…))", e.Op.Name, name.Name)
		return nothing(e.Pos)
	}
	if e.Op.Name != "-" {
		want = derivedOf(e.Op.Name, want)
	}
	return c.apply(e.Op.Name, typed.Prefix, e.Pos, e.Op.Pos, []typed.Expr{c.expr(e.X, want)})
}

// derivedOf is the type of the field whose derivative has a type; its continuity helps nobody.
func derivedOf(operator string, want *typed.Type) *typed.Type {
	if want == nil || want.Kind != typed.Field {
		return nil
	}
	shape := want.Shape
	switch {
	case operator == "∇":
		shape = nil
	case operator == "∇×":
		shape = []int{want.Dim}
	case operator == "∇•":
		shape = append(slices.Clip(shape), want.Dim)
	case operator == "∇⊗" && want.Dim > 1 && len(shape) > 0:
		shape = shape[:len(shape)-1]
	}
	return typed.FieldOf(0, want.Dim, shape...)
}

func (c *checker) binary(e *syntax.Binary, want *typed.Type) typed.Expr {
	if e.Op.Name == ".." {
		return c.rangeOf(e)
	}
	x, y := c.operands(e, want)
	return c.apply(e.Op.Name, typed.Infix, e.Pos, e.Op.Pos, []typed.Expr{x, y})
}

// operands are those of an operator. Where its value is to be a field, they may be fields of images that are loaded in
// place, of which the types follow from that of the whole.
func (c *checker) operands(e *syntax.Binary, want *typed.Type) (x, y typed.Expr) {
	switch e.Op.Name {
	case "⊛":
		want = imageWanted(want)
		return c.expr(e.X, want), c.expr(e.Y, want)
	case "+", "-":
		return c.expr(e.X, want), c.expr(e.Y, want)
	}
	if want == nil || want.Kind != typed.Field {
		return c.expr(e.X, nil), c.expr(e.Y, nil)
	}
	scalar := typed.FieldOf(0, want.Dim)
	switch e.Op.Name {
	case "/":
		return c.expr(e.X, want), c.expr(e.Y, scalar)
	case "^":
		return c.expr(e.X, scalar), c.expr(e.Y, nil)
	case "*":
		// One factor is a number; what the known one is says what the other is.
		other := func(known typed.Expr) *typed.Type {
			if len(known.Type().Shape) > 0 {
				return scalar
			}
			return want
		}
		if loads(e.X) && !loads(e.Y) {
			y = c.expr(e.Y, nil)
			return c.expr(e.X, other(y)), y
		}
		x = c.expr(e.X, nil)
		return x, c.expr(e.Y, other(x))
	}
	return c.expr(e.X, nil), c.expr(e.Y, nil)
}

// loads reports whether a field is made of an image that is loaded in place.
func loads(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Load:
		return true
	case *syntax.Apply:
		return slices.ContainsFunc(e.Args, loads)
	case *syntax.Binary:
		return loads(e.X) || loads(e.Y)
	case *syntax.Unary:
		return loads(e.X)
	case *syntax.Norm:
		return loads(e.X)
	}
	return false
}

// imageWanted is the type of the image of which a field is made.
func imageWanted(want *typed.Type) *typed.Type {
	if want == nil || want.Kind == typed.Nothing {
		return want
	}
	if want.Kind != typed.Field {
		return nil
	}
	return &typed.Type{Kind: typed.Image, Dim: want.Dim, Shape: want.Shape}
}

// rangeOf is low..high, a sequence of ints.
func (c *checker) rangeOf(e *syntax.Binary) typed.Expr {
	t := &typed.Type{Kind: typed.Int}
	low, high := c.expr(e.X, nil), c.expr(e.Y, nil)
	if x, y := low.Type(), high.Type(); x.Kind != typed.Int || y.Kind != typed.Int {
		if x.Kind != typed.Nothing && y.Kind != typed.Nothing {
			c.errorf(source.CodeDiderotType, e.Pos, "the ends of a range are ints, but these are %v and %v", x, y).
				WithHelp("run over ints, and compute the number from each: { 0.1*k | k in 0 .. 10 }")
		}
		return nothing(e.Pos)
	}
	return &typed.Range{Node: typed.Node{Pos: e.Pos, T: typed.SequenceOf(t, typed.Dynamic)}, Low: low, High: high}
}

// conditional is "x if c else y"; its branches have one type, or can be coerced to that of one of them.
func (c *checker) conditional(e *syntax.Conditional, want *typed.Type) typed.Expr {
	cond := c.condition(e.Cond)
	x, y := c.expr(e.Then, want), c.expr(e.Else, want)
	if x.Type().Kind == typed.Nothing || y.Type().Kind == typed.Nothing {
		return nothing(e.Pos)
	}
	for _, branch := range []typed.Expr{x, y} {
		if !branch.Type().IsValue() && !isEmpty(branch.Type()) {
			c.errorf(source.CodeDiderotValue, branch.Span(), "a branch of a conditional is of type %v, and no value", branch.Type()).
				WithHelp("%s", conditionalHelp(branch.Type()))
			return nothing(e.Pos)
		}
	}
	t := join(x.Type(), y.Type())
	if t == nil {
		c.errorf(source.CodeDiderotType, e.Pos, "the branches of the conditional are of types %v and %v", x.Type(), y.Type()).WithHelp("both must have one type")
		return nothing(e.Pos)
	}
	return &typed.Conditional{Node: typed.Node{Pos: e.Pos, T: t}, Cond: cond, Then: coerce(x, t), Else: coerce(y, t)}
}

func conditionalHelp(t *typed.Type) string {
	if t.Kind == typed.Field {
		return "choose between values of fields: F(x) if c else G(x)"
	}
	return "choose between values"
}

// isEmpty reports whether the type is that of {}.
func isEmpty(t *typed.Type) bool {
	return t.Kind == typed.Sequence && t.Element.Kind == typed.Nothing
}

// condition is what an if asks.
func (c *checker) condition(e syntax.Expr) typed.Expr {
	return c.value(e, &typed.Type{Kind: typed.Bool}, "a condition")
}
