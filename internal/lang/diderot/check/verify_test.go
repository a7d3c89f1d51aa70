package check

import (
	"testing"

	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
)

// A verifier checks that a typed tree keeps what the package of the tree promises: types of operands are those of the
// row or parameter, coercions are what they say, and generic operators take their operands.
type verifier struct {
	t     testing.TB
	store *field.Store
}

func verify(t testing.TB, p *typed.Program) {
	t.Helper()
	v := &verifier{t, field.NewStore()}
	for _, x := range p.Variables {
		v.variable(x)
	}
	for _, f := range p.Functions {
		v.block(f.Body, f.Result)
	}
	for _, b := range []*typed.Block{p.Initialize, p.Start, p.Update, p.Strand.Initialize, p.Strand.Start, p.Strand.Update, p.Strand.Stabilize} {
		v.block(b, nil)
	}
	for _, x := range p.Strand.State {
		v.variable(x)
	}
	for _, e := range p.Create.Iterators {
		v.each(e)
	}
	v.passed(p.Create.Args, p.Strand.Params)
}

func (v *verifier) same(what string, e typed.Expr, t *typed.Type) {
	v.t.Helper()
	if !e.Type().Equal(t) {
		v.t.Errorf("%s %s is of type %v, not %v", what, typed.Text(e), e.Type(), t)
	}
}

func (v *verifier) variable(x *typed.Variable) {
	if x.Type.Kind == typed.Nothing {
		v.t.Errorf("%s has no type", x.Name)
	}
	if x.Value != nil {
		v.expr(x.Value)
		v.same("the value of "+x.Name, x.Value, x.Type)
	}
	if x.Role == typed.Const && x.Constant == nil {
		v.t.Errorf("%s has no constant value", x.Name)
	}
}

func (v *verifier) each(e *typed.Each) {
	v.expr(e.In)
	switch t := e.In.Type(); t.Kind {
	case typed.Sequence:
		if !t.Element.Equal(e.Variable.Type) {
			v.t.Errorf("%s is no element of %v", e.Variable.Name, t)
		}
	case typed.Set:
	default:
		v.t.Errorf("%v is iterated over", t)
	}
}

func (v *verifier) passed(args []typed.Expr, params []*typed.Variable) {
	for n, a := range args {
		v.expr(a)
		v.same("the argument", a, params[n].Type)
	}
}

func (v *verifier) block(b *typed.Block, result *typed.Type) {
	if b == nil {
		return
	}
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *typed.Block:
			v.block(s, result)
		case *typed.Declare:
			v.variable(s.Variable)
		case *typed.Assign:
			v.expr(s.Value)
			v.same("what is assigned", s.Value, s.To.Type)
			if !s.To.Assigned {
				v.t.Errorf("%s is assigned", s.To.Name)
			}
		case *typed.If:
			v.expr(s.Cond)
			v.same("the condition", s.Cond, &typed.Type{Kind: typed.Bool})
			v.block(s.Then, result)
			v.block(s.Else, result)
		case *typed.Foreach:
			v.each(s.Each)
			v.block(s.Body, result)
		case *typed.Print:
			for _, a := range s.Args {
				v.expr(a)
			}
		case *typed.New:
			for _, a := range s.Args {
				v.expr(a)
			}
		case *typed.Return:
			v.expr(s.Value)
			v.same("the result", s.Value, result)
		}
	}
}

// expr verifies an expression and those in it.
func (v *verifier) expr(e typed.Expr) {
	for _, x := range typed.Operands(e) {
		v.expr(x)
	}
	t := e.Type()
	if t.Kind == typed.Nothing {
		v.t.Errorf("%s was not understood", typed.Text(e))
	}
	switch e := e.(type) {
	case *typed.Ref:
		v.same("the variable", e, e.Variable.Type)
	case *typed.Coerce:
		if !coercible(e.X.Type(), t) && e.How != typed.ToSmoothness || e.X.Type().Equal(t) {
			v.t.Errorf("%v is coerced to %v", e.X.Type(), t)
		}
	case *typed.Apply:
		v.generic(e)
	case *typed.Call:
		v.passed(e.Args, e.Function.Params)
		v.same("the call", e, e.Function.Result)
	case *typed.Probe:
		v.same("the position", e.At, placeIn(e.Field.Type().Dim))
		v.same("the probe", e, typed.TensorOf(e.Field.Type().Shape...))
	case *typed.Conditional:
		v.same("a branch", e.Then, t)
		v.same("a branch", e.Else, t)
	case *typed.Construct:
		for _, x := range e.Elements {
			if x.Type().Kind != t.Kind || len(x.Type().Shape)+1 != len(t.Shape) {
				v.t.Errorf("%v has a component %v", t, x.Type())
			}
		}
	case *typed.Sequenced:
		for _, x := range e.Elements {
			v.same("the element", x, t.Element)
		}
	case *typed.Comprehension:
		v.each(e.Each)
		v.same("the element", e.Body, t.Element)
	case *typed.Reduce:
		v.each(e.Each)
	}
}

// generic asks internal/field whether it has such an operator, and what that gives.
func (v *verifier) generic(e *typed.Apply) {
	if e.Row.Means != typed.Generic {
		return
	}
	var types []field.Type
	line := false
	for _, a := range e.Args {
		t := a.Type()
		if t.Kind == typed.Field {
			types = append(types, field.FieldOf(t.Continuity, t.Dim, t.Shape...))
			line = t.Dim == 1
		} else {
			types = append(types, field.TensorOf(t.Shape...))
		}
	}
	if e.Row.Swap {
		types[0], types[1] = types[1], types[0]
	}
	o, err := v.store.Generic(e.Row.With, types, e.Numbers...)
	if err != nil {
		v.t.Errorf("%s: %v", typed.Text(e), err)
		return
	}
	shape := o.Shape
	if line && e.Row.With == "∇⊗" {
		shape = shape[:len(shape)-1]
	}
	if !sameShape(e.T, typed.TensorOf(shape...)) {
		v.t.Errorf("%s is of type %v, but the operator gives %v", typed.Text(e), e.T, shape)
	}
}
