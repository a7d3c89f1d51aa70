package teil

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang"
	"github.com/ricci-lang/ricci/internal/lang/callee"
	"github.com/ricci-lang/ricci/internal/lang/teil/syntax"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// How defs of other notations are called
//
// A def of another notation has no collective operations that could be written out, so
// its call stays a statement, (x, y) = f(A, B), whose head is a syntax.Callee. The rules say
// nothing about what it computes: its front end has proved it, and the guard judges the
// whole function that comes out. To equations and lifting it is opaque. Arguments
// that are expressions are assigned to locals before; so are results whose targets are
// arguments as well. Lowering copies the function (package callee).

// isForeign reports whether a call is that of a def in another notation.
func (p *program) isForeign(a *syntax.Apply) bool {
	name := a.Head.(*syntax.Var).Name
	return p.programs[name] == nil && p.table.Lookup(name) != nil
}

// callForeign checks the call of a def in another notation, and adds it.
func (p *program) callForeign(s *syntax.Statement, a *syntax.Apply, group *callee.Group) {
	args := make([]syntax.Expr, len(a.Args))
	types := make([]tensor.DType, len(a.Args))
	for n, arg := range a.Args {
		e, ok := p.elaborate(arg)
		if !ok {
			return
		}
		if _, refusal := p.typing.Context.Type(e); refusal != nil {
			p.refused(refusal)
			return
		}
		args[n], types[n] = e, p.typing.elementOf(e)
	}
	def := group.Pick(types, a.Pos, p.errorf)
	if def == nil {
		return
	}
	p.addForeign(s, a.Pos, def, args)
}

// addForeign adds a call with elaborated arguments.
func (p *program) addForeign(s *syntax.Statement, at source.Span, def *lang.Def, args []syntax.Expr) {
	if len(p.out.Statements)+len(def.Func.Body) > maxStatements {
		p.errorf(source.CodeCallsTooMany, at, "with this call %s has more than %d statements", p.name, maxStatements).
			WithHelp("calls are written out; call %s from the host as often as it is needed", def.Name)
		return
	}
	p.calls++
	c := callee.New(def, at, p.calls)
	c.Report, c.Prover = p.errorf, callee.Conditional(p.typing.Context.require)
	passed, ok := p.passed(c, args)
	if !ok {
		return
	}
	targets := p.newResults(s.Targets, passed)
	var wholes [2][]callee.Whole
	for k, list := range [][]callArgument{passed, targets} {
		for _, x := range list {
			wholes[k] = append(wholes[k], callee.Whole{Tensor: p.tensorOf(x.name), At: x.name.Pos, Size: x.size})
		}
	}
	if !c.Whole(wholes[0], wholes[1]) {
		return
	}
	for _, w := range callee.Warnings(def, at) {
		if !w.IsAmong(p.typing.warnings) {
			p.typing.warnings = append(p.typing.warnings, w)
		}
	}
	head := &syntax.Callee{Pos: at, Name: def.Name}
	call := &syntax.Apply{Pos: at, Head: head}
	for _, x := range passed {
		call.Args = append(call.Args, &syntax.Var{Pos: x.name.Pos, Name: x.name.Name})
	}
	made := &syntax.Statement{Pos: s.Pos, Value: call}
	for _, x := range targets {
		made.Targets = append(made.Targets, x.name)
	}
	p.typing.calls[head] = c
	p.out.Statements = append(p.out.Statements, made)
	for n, x := range targets {
		if x.name.Name != s.Targets[n].Name {
			p.assign(s.Targets[n], &syntax.Var{Pos: x.name.Pos, Name: x.name.Name}, s.Pos)
		}
	}
}

// A callArgument is a tensor in a call, and its value where that can be a size.
type callArgument struct {
	name syntax.Name
	size *affine.Expr
}

// passed gives arguments that are no names locals of their own.
func (p *program) passed(c *callee.Call, args []syntax.Expr) (list []callArgument, ok bool) {
	parameters := c.Parameters()
	for n, e := range args {
		x := callArgument{size: p.sizeOf(e)}
		if v, isVar := e.(*syntax.Var); isVar {
			x.name = syntax.Name{Pos: v.Pos, Name: v.Name}
		} else {
			shape, refusal := p.typing.Context.Type(e)
			if refusal != nil {
				p.refused(refusal)
				return nil, false
			}
			element, name := p.typing.elementOf(e), "argument"
			if n < len(parameters) {
				name = parameters[n].Name
				if element == tensor.Invalid {
					element = parameters[n].Type
				}
			}
			x.name = p.typing.newLocal(c.Prefix+"_"+name, shape, element, e.Span())
			before := p.errors
			if p.assign(x.name, e, e.Span()); p.errors > before {
				return nil, false
			}
		}
		list = append(list, x)
	}
	return list, true
}

// sizeOf is the value of an integer scalar as a size, or nil.
func (p *program) sizeOf(e syntax.Expr) *affine.Expr {
	switch e := e.(type) {
	case *syntax.Number:
		if n, err := numberOf(e.Text, tensor.Int64); err == nil {
			value := affine.Const(n.Int())
			return &value
		}
	case *syntax.Var:
		if p.scalars[e.Name] && p.useSize(e.Name, e.Pos, false) {
			value := affine.Symbol(e.Name)
			return &value
		}
	}
	return nil
}

// newResults gives results whose targets are arguments locals of their own.
func (p *program) newResults(targets []syntax.Name, passed []callArgument) (list []callArgument) {
	for n, x := range targets {
		isArgument := slices.ContainsFunc(passed, func(a callArgument) bool { return a.name.Name == x.Name })
		twice := slices.ContainsFunc(targets[:n], func(y syntax.Name) bool { return y.Name == x.Name })
		if twice {
			p.errorf(source.CodeCallResults, x.Pos, "%s is assigned twice", x.Name).WithHelp("each result has a target of its own")
		}
		if isArgument {
			local := p.typing.newLocal(x.Name+"_new", p.typing.Context.Shapes[x.Name], p.typing.Elements[x.Name], x.Pos)
			x = syntax.Name{Pos: x.Pos, Name: local.Name}
		}
		list = append(list, callArgument{name: x})
	}
	return list
}

// tensorOf describes a tensor of the program to package callee.
func (p *program) tensorOf(x syntax.Name) *ein.Tensor {
	t := &ein.Tensor{Pos: p.out.Alloc(x.Name).Pos, Name: x.Name, Type: p.typing.Elements[x.Name]}
	for _, n := range p.typing.Context.Shapes[x.Name] {
		t.Dims = append(t.Dims, ein.Dim{Extent: n})
	}
	return t
}

// callAgain calls a def in another notation for a callee that calls it.
func (c *inlining) callAgain(s *syntax.Statement, call *syntax.Apply) {
	renamed := &syntax.Statement{Pos: s.Pos}
	for _, x := range s.Targets {
		renamed.Targets = append(renamed.Targets, c.renamed(x))
	}
	def := c.callee.calls[call.Head.(*syntax.Callee)].Def
	sizes := c.sizes
	args := slices.Clone(call.Args)
	for n, parameter := range def.Func.ByRole(ein.Input, ein.InOut) {
		// A scalar that is a size there is one of the callee, whose value is known here.
		source := s.Value.(*syntax.Apply).Args[n].(*syntax.Var)
		if value, isSize := sizes[source.Name]; isSize && len(parameter.Dims) == 0 {
			if number, ok := value.IsConst(); ok {
				args[n] = &syntax.Number{Pos: source.Pos, Text: affine.Const(number).String()}
			} else if name, ok := value.IsSymbol(); ok {
				args[n] = &syntax.Var{Pos: source.Pos, Name: name}
			}
		}
	}
	c.addForeign(renamed, c.call.Pos, def, args)
}

// foreign lowers a call of a def in another notation.
func (l *lowerer) foreign(s *syntax.Statement, call *syntax.Apply) []*ein.Comprehension {
	c := l.calls[call.Head.(*syntax.Callee)]
	var args, targets []*ein.Tensor
	for _, a := range call.Args {
		args = append(args, l.tensors[a.(*syntax.Var).Name])
	}
	for _, x := range s.Targets {
		targets = append(targets, l.tensors[x.Name])
	}
	l.f.Direct = l.f.Direct || c.Def.Func.Direct
	return c.WholeBody(args, targets, func(t *ein.Tensor) *ein.Tensor {
		for l.tensors[t.Name] != nil {
			t.Name += "_"
		}
		l.tensors[t.Name] = t
		l.f.Tensors = append(l.f.Tensors, t)
		return t
	}, l.isSize)
}
