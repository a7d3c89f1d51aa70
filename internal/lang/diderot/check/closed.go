package check

import (
	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// closedForm is "field(2)[] P(x) = e;". What depends on x must be made of what fields have; the rest is a parameter.
func (c *checker) closedForm(g *syntax.ClosedForm) {
	t := c.typeOf(g.Type)
	v := &typed.Variable{Pos: g.Name.Pos, Name: g.Name.Name, Role: typed.Global, Type: t}
	switch {
	case t.Kind == typed.Nothing:
		t.Shape = nil
	case t.Kind != typed.Field:
		c.errorf(source.CodeDiderotClosed, g.Pos, "%s is of type %v, and only fields are given by a formula", v.Name, t).
			WithHelp("a function is function %v %s(vec2 %s) = …;", t, v.Name, g.Param.Name)
		t = &typed.Type{}
		v.Type = t
	}
	position := &typed.Variable{Pos: g.Param.Pos, Name: g.Param.Name, Role: typed.Position, Type: &typed.Type{}}
	want := &typed.Type{}
	if t.Kind == typed.Field {
		position.Type, want = placeIn(t.Dim), typed.TensorOf(t.Shape...)
	}
	var body typed.Expr
	c.inScope(func() {
		c.declare(position)
		body = c.value(g.Value, want, "the field "+v.Name)
	})
	if t.Kind == typed.Field && body.Type().Kind != typed.Nothing {
		w := c.formula(position)
		w.check(body)
		v.Value = &typed.ClosedForm{Node: typed.Node{Pos: g.Pos, T: t}, Position: position, Body: body}
		if w.continuity < t.Continuity {
			c.errorf(source.CodeDiderotContinuity, g.Name.Pos, "%s is declared as %v, but a field in it has continuity %d", v.Name, t, w.continuity).
				WithHelp("declare it as %v", withContinuity(t, w.continuity))
		}
	} else {
		v.Value = nothing(g.Pos)
		v.Type = &typed.Type{}
	}
	c.program.Variables = append(c.program.Variables, v)
	c.declare(v)
}

// A formula is the body of a closed form.
type formula struct {
	*checker
	position   *typed.Variable
	continuity int                 // the least of the fields that are probed
	known      map[typed.Expr]bool // what depends on the position
}

func (c *checker) formula(position *typed.Variable) *formula {
	return &formula{checker: c, position: position, continuity: typed.Smooth, known: map[typed.Expr]bool{}}
}

// check reports the first thing that depends on the position and that fields do not have.
func (w *formula) check(e typed.Expr) bool {
	if !w.depends(e) {
		return true
	}
	switch e := e.(type) {
	case *typed.Ref:
		return true
	case *typed.Probe:
		w.continuity = min(w.continuity, e.Field.Type().Continuity)
		if w.depends(e.Field) {
			return w.refuse(e.Field.Span(), "the field that is probed")
		}
		return w.check(e.At)
	case *typed.Apply:
		if e.Row.Means == typed.Generic && e.Row.With != "clamp" {
			return w.all(e.Args...)
		}
		return w.refuse(e.Pos, e.Row.Name)
	case *typed.Coerce:
		return w.check(e.X)
	case *typed.Construct:
		return w.all(e.Elements...)
	case *typed.Slice:
		return w.check(e.X)
	case *typed.Call:
		return w.call(e)
	case *typed.Conditional:
		return w.refuse(e.Pos, "a conditional")
	}
	for _, x := range typed.Operands(e) {
		if !w.check(x) {
			return false
		}
	}
	return w.refuse(e.Span(), "this")
}

func (w *formula) all(list ...typed.Expr) bool {
	for _, e := range list {
		if !w.check(e) {
			return false
		}
	}
	return true
}

func (w *formula) refuse(pos source.Span, what string) bool {
	w.errorf(source.CodeDiderotClosed, pos, "%s depends on the position, and fields have nothing like it", what).
		WithHelp("a field is made of + - * / ^, the products of tensors, norms, and sqrt, exp, sin, cos, tan, asin, acos, atan; write a function of the position for other things")
	return false
}

// call looks into a function: its body is one formula.
func (w *formula) call(e *typed.Call) bool {
	returned, ok := formulaOf(e.Function)
	if !ok {
		w.errorf(source.CodeDiderotClosed, e.Pos, "the function %s has statements, and is no formula of the position", e.Function.Name).
			WithNote(e.Function.Pos, "it is declared here").WithHelp("write it as function … = e;")
		return false
	}
	for n, p := range e.Function.Params {
		if !w.depends(e.Args[n]) {
			continue
		}
		inner := w.formula(p)
		if !w.check(e.Args[n]) || !inner.check(returned) {
			return false
		}
		w.continuity = min(w.continuity, inner.continuity)
	}
	return true
}

// formulaOf is the value of a function that is one expression.
func formulaOf(f *typed.Function) (typed.Expr, bool) {
	if f.Body == nil || len(f.Body.Stmts) != 1 {
		return nil, false
	}
	r, ok := f.Body.Stmts[0].(*typed.Return)
	if !ok {
		return nil, false
	}
	return r.Value, true
}

// depends reports whether the value of an expression depends on the position.
func (w *formula) depends(e typed.Expr) bool {
	if known, ok := w.known[e]; ok {
		return known
	}
	r, ok := e.(*typed.Ref)
	found := ok && r.Variable == w.position
	for _, x := range typed.Operands(e) {
		found = w.depends(x) || found
	}
	w.known[e] = found
	return found
}
