package check

import (
	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/internal/strand"
)

// all checks the parts of a program in their order.
func (c *checker) all(p *syntax.Program) {
	for _, g := range p.Globals {
		switch g := g.(type) {
		case *syntax.Variable:
			c.global(g)
		case *syntax.ClosedForm:
			c.closedForm(g)
		case *syntax.Function:
			c.functionOf(g)
		}
	}
	c.unknownConstants()
	if p.Initialize != nil {
		c.flow = c.in(inInitialize, c.flow, func() { c.program.Initialize = c.block(p.Initialize) })
	}
	for _, v := range c.program.Variables {
		if !c.hasValue(v) {
			c.unset(v, v.Pos, "never gets a value")
		}
	}
	c.flow.ended = false
	if p.Strand != nil {
		c.strandOf(p.Strand)
	}
	if p.Start != nil {
		c.in(inGlobalStart, c.flow, func() { c.program.Start = c.block(p.Start) })
	}
	if p.Update != nil {
		c.in(inGlobalUpdate, c.flow, func() { c.program.Update = c.block(p.Update) })
	}
	if p.Create != nil {
		c.in(inCreate, c.flow, func() { c.creation(p.Create) })
	}
	if p.Strand != nil {
		c.warnEndless(p.Strand)
		c.warnFlags()
	}
}

var roles = map[string]typed.Role{syntax.Const: typed.Const, syntax.Input: typed.Input, "": typed.Global}

func (c *checker) global(g *syntax.Variable) {
	t := c.typeOf(g.Type)
	v := &typed.Variable{Pos: g.Name.Pos, Name: g.Name.Name, Role: roles[g.Kind], Type: t}
	if g.Help != nil {
		v.Doc = g.Help.Value()
	}
	switch v.Role {
	case typed.Const:
		c.constOf(v, g)
	case typed.Input:
		c.input(v, g)
	default:
		c.initialise(v, g.Value)
	}
	c.program.Variables = append(c.program.Variables, v)
	c.declare(v)
}

// input checks an input: its default is constant, or a file.
func (c *checker) input(v *typed.Variable, g *syntax.Variable) {
	t := v.Type
	if !t.IsValue() && t.Kind != typed.Image && t.Kind != typed.Nothing {
		c.errorf(source.CodeDiderotValue, g.Pos, "the input %s is of type %v, and neither a value nor an image", v.Name, t).WithHelp("%s", inputHelp(t))
		v.Type = &typed.Type{}
	}
	if g.Value == nil {
		return
	}
	x := c.value(g.Value, v.Type, "the default of "+v.Name)
	if _, file := x.(*typed.Load); file || x.Type().Kind == typed.Nothing || v.Type.Kind == typed.Nothing {
		v.Value = x
		return
	}
	if t.Kind == typed.Image {
		c.errorf(source.CodeDiderotConstant, g.Value.Span(), "the default of an image is a file").WithHelp("write load_image(\"…\"), and a border where the field is made")
		return
	}
	if v.Constant = c.constant(x, "the default of an input"); v.Constant != nil {
		v.Value = x
	}
}

func inputHelp(t *typed.Type) string {
	if t.Kind == typed.Field {
		return "take the image as an input, and make the field of it"
	}
	return "inputs are values and images"
}

// warnFlags warns of inputs that the original's command line cannot set, where they are flags, too.
func (c *checker) warnFlags() {
	standard := map[string]string{"o": "the output"}
	for _, f := range strand.StandardFlags() {
		if !f.Sometimes {
			standard[f.Short] = f.What
		}
	}
	outputs := 0
	for _, v := range c.program.Strand.State {
		if v.Output {
			outputs++
		}
	}
	for _, v := range c.program.Variables {
		if what, ok := standard[v.Name]; ok && v.Role == typed.Input && (v.Name != "o" || outputs == 1) {
			c.diagnostics.Warnf(source.CodeDiderotFlag, v.Pos, "the input %s cannot be given as -%s: that flag is %s", v.Name, v.Name, what).
				WithHelp("rename it, or give it as -i %s=…", v.Name)
		}
	}
}

func (c *checker) functionOf(g *syntax.Function) {
	f := &typed.Function{Pos: g.Name.Pos, Name: g.Name.Name, Result: c.typeOf(g.Result)}
	for _, p := range g.Params {
		f.Params = append(f.Params, &typed.Variable{Pos: p.Name.Pos, Name: p.Name.Name, Role: typed.Argument, Type: c.typeOf(p.Type)})
	}
	c.function = f
	end := c.in(inFunction, newFlow(), func() {
		for _, p := range f.Params {
			c.declare(p)
		}
		if g.Body == nil {
			r := &typed.Return{Pos: g.Value.Span(), Value: c.value(g.Value, f.Result, "what "+f.Name+" returns")}
			f.Body = &typed.Block{Pos: g.Value.Span(), Stmts: []typed.Stmt{r}}
			c.flow.ended = true
			return
		}
		c.body = c.scope
		f.Body = c.block(g.Body)
	})
	c.function = nil
	if !end.ended {
		c.errorf(source.CodeDiderotReturn, f.Pos, "the function %s does not return on every path", f.Name).WithHelp("end it with return, behind all ifs")
	}
	if first := c.findHere(f.Name); first.IsValid() {
		c.twice(f.Pos, f.Name, first)
	}
	c.scope.functions = append([]*typed.Function{f}, c.scope.functions...)
	c.program.Functions = append(c.program.Functions, f)
}

// findHere looks for a name in the innermost scope.
func (c *checker) findHere(name string) source.Span {
	for _, v := range c.scope.variables {
		if v.Name == name {
			return v.Pos
		}
	}
	for _, f := range c.scope.functions {
		if f.Name == name {
			return f.Pos
		}
	}
	return source.Span{}
}
