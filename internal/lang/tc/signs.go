package tc

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/tc/syntax"
	"github.com/ricci-lang/ricci/tensor"
)

// What is not negative by its form, its type, or by what the def stores in a tensor.

// functionsNotNegative are those whose values are never below 0, whatever their arguments are.
var functionsNotNegative = []string{
	"abs", "acos", "clz", "cosh", "erfc", "exp", "exp10", "exp2", "fabs", "fdim", "hypot", "norm3d", "norm4d", "normcdf", "popcount", "rhypot", "rsqrt", "sqrt",
}

// notNegative reports whether the text of a def says that a value is at least 0.
func (s *statement) notNegative(e syntax.Expr) bool { return s.notNegativeBut(e, nil) }

// notNegativeBut takes that of the given tensors for granted: they are defined by themselves.
func (s *statement) notNegativeBut(e syntax.Expr, granted []*symbol) bool {
	e = withoutParens(e)
	v := s.types[e]
	if v.constant && v.weak != strong {
		return v.float >= 0
	}
	if v.weak == strong && (v.dtype == tensor.Bool || v.dtype.Kind() == tensor.KindUint) {
		return true
	}
	is := func(x syntax.Expr) bool { return s.notNegativeBut(x, granted) }
	switch e := e.(type) {
	case *syntax.Name:
		if found := s.lets[e.Name]; found != nil {
			return is(found.clause.Value)
		}
		t := s.def.symbols[e.Name]
		return t == nil || s.def.holdsNoNegative(t, granted) // sizes and indices, which mostly begin at 0
	case *syntax.SizeAccess:
		return true
	case *syntax.Apply:
		return s.applyNotNegative(e, is, granted)
	case *syntax.CastExpr:
		return is(e.X)
	case *syntax.Conditional:
		return is(e.Then) && is(e.Else)
	case *syntax.Binary:
		x, y := is(e.X), is(e.Y)
		switch e.Op {
		case "*":
			return x && y || withoutParens(e.X).Span().Text() == withoutParens(e.Y).Span().Text()
		case "+", "/", "|", "^":
			return x && y
		case "%":
			return y
		case "&":
			return x || y
		case "<<", ">>":
			return x
		}
	}
	return false
}

// applyNotNegative answers for elements and functions.
func (s *statement) applyNotNegative(e *syntax.Apply, is func(syntax.Expr) bool, granted []*symbol) bool {
	name := e.Func.Name
	if t := s.def.symbols[name]; t != nil {
		return s.def.holdsNoNegative(t, granted)
	}
	_, moves := boundaryFunctions[name]
	switch {
	case name == "max" || name == "fmax":
		return slices.ContainsFunc(e.Args, is)
	case moves || name == "min" || name == "fmin":
		return !slices.ContainsFunc(e.Args, func(x syntax.Expr) bool { return !is(x) })
	}
	return slices.Contains(functionsNotNegative, name)
}

// holdsNoNegative reports whether all that the statements of a def store in a tensor is at least 0.
func (d *def) holdsNoNegative(t *symbol, granted []*symbol) bool {
	if slices.Contains(granted, t) {
		return true
	}
	const mostChained = 8
	if t.Role != ein.Output && t.Role != ein.Temp || !t.written || len(granted) > mostChained {
		return false
	}
	granted = append(slices.Clone(granted), t)
	for _, s := range d.statements {
		at := slices.Index(s.targets, t)
		if at < 0 || s.kind == argReduction && !(at == 0 && s.hasValueTarget()) { // positions are indices
			continue
		}
		if s.kind != comprehension && s.kind != argReduction || !s.notNegativeBut(s.syntax.Value, granted) {
			return false
		}
	}
	return true
}
