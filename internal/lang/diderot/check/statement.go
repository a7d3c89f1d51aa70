package check

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// block checks a block in a scope of its own.
func (c *checker) block(b *syntax.Block) *typed.Block {
	t := &typed.Block{Pos: b.Pos}
	c.inScope(func() { t.Stmts = c.statements(b.Stmts) })
	return t
}

// statements leaves out what is never reached, with a warning.
func (c *checker) statements(list []syntax.Stmt) []typed.Stmt {
	var stmts []typed.Stmt
	warned := false
	for _, s := range list {
		ended := c.flow.ended
		if ended && !warned {
			c.diagnostics.Warnf(source.CodeDiderotUnreachable, s.Span(), "this is never reached").WithHelp("what stands before it ends on every path: leave this out")
			warned = true
		}
		if t := c.statement(s); !ended && t != nil {
			stmts = append(stmts, t)
		}
	}
	return stmts
}

// statement checks a statement; it gives nil where nothing is to be done.
func (c *checker) statement(s syntax.Stmt) typed.Stmt {
	switch s := s.(type) {
	case *syntax.Block:
		return c.block(s)
	case *syntax.Declare:
		return c.local(s)
	case *syntax.Assign:
		return c.assign(s)
	case *syntax.If:
		return c.choice(s)
	case *syntax.Foreach:
		return c.foreach(s)
	case *syntax.Print:
		return c.print(s)
	case *syntax.New:
		return c.create(s)
	case *syntax.Leave:
		return c.leave(s)
	case *syntax.Return:
		return c.returned(s)
	}
	return nil
}

// asBlock checks a statement that is the body of another one.
func (c *checker) asBlock(s syntax.Stmt) *typed.Block {
	if s == nil {
		return &typed.Block{}
	}
	if b, ok := s.(*syntax.Block); ok {
		return c.block(b)
	}
	return c.block(&syntax.Block{Pos: s.Span(), Stmts: []syntax.Stmt{s}})
}

func (c *checker) local(s *syntax.Declare) typed.Stmt {
	v := s.Variable
	t := c.typeOf(v.Type)
	l := &typed.Variable{Pos: v.Name.Pos, Name: v.Name.Name, Role: typed.Local, Type: t}
	c.initialise(l, v.Value)
	c.declare(l)
	return &typed.Declare{Pos: s.Pos, Variable: l}
}

// initialise gives a variable its first value. Only values may get theirs later.
func (c *checker) initialise(v *typed.Variable, e syntax.Expr) {
	if e != nil {
		before := len(c.diagnostics.List)
		x := c.expr(e, v.Type)
		v.Value = c.convert(x, v.Type, "the "+v.Role.String()+" "+v.Name)
		if list := c.diagnostics.List; v.Value != x && len(list) > before && list[len(list)-1].Help == "" {
			list[len(list)-1].Help = "declare it as " + x.Type().String()
		}
		return
	}
	if t := v.Type; t.Kind == typed.Field || t.Kind == typed.Image || t.Kind == typed.Kernel {
		c.errorf(source.CodeDiderotUnset, v.Pos, "the %s %s of type %v has no value", v.Role, v.Name, t).WithHelp("fields, images and kernels get their values where they are declared, and keep them")
		v.Value = nothing(v.Pos)
	}
}

func (c *checker) assign(s *syntax.Assign) typed.Stmt {
	v := c.find(s.Target.Name)
	if v == nil {
		c.expr(s.Value, nil)
		c.ref(&syntax.Ref{Pos: s.Target.Pos, Name: s.Target.Name})
		return nil
	}
	if !c.assignable(v, s.Target.Pos) {
		c.expr(s.Value, nil)
		c.flow.set[v] = true
		return nil
	}
	var x typed.Expr
	if op, compound := strings.CutSuffix(s.Op.Name, "="); compound && op != "" {
		used := c.used[v]
		c.reads(v, s.Target.Pos)
		c.used[v] = used
		old := &typed.Ref{Node: typed.Node{Pos: s.Target.Pos, T: v.Type}, Variable: v}
		y := c.expr(s.Value, nil)
		x = c.convert(c.apply(op, typed.Infix, s.Pos, s.Op.Pos, []typed.Expr{old, y}), v.Type, "what "+v.Name+" is set to")
	} else {
		x = c.value(s.Value, v.Type, "what "+v.Name+" is set to")
	}
	v.Assigned = true
	c.flow.set[v] = true
	return &typed.Assign{Pos: s.Pos, To: v, Value: x}
}

// assignable reports whether a variable can be assigned here, and says why not.
func (c *checker) assignable(v *typed.Variable, pos source.Span) bool {
	help := ""
	if t := v.Type; t.Kind == typed.Field || t.Kind == typed.Image || t.Kind == typed.Kernel {
		help = "fields, images and kernels keep the values with which they are declared"
	}
	switch v.Role {
	case typed.Const:
		help = "a const keeps its value; declare it without const"
	case typed.Parameter, typed.Argument:
		help = "copy it into a variable, and change that"
	case typed.Position:
		help = "the position is given"
	case typed.Global, typed.Input:
		if c.region.allows&assignsGlobals != 0 || help != "" {
			break
		}
		help = "globals are assigned in initialize, and in the global start and update: all strands see one value in a step"
	case typed.State:
		if c.region.allows&assignsState == 0 {
			help = "the state of a strand is assigned in its methods"
		}
	case typed.Iterator:
		// That of foreach may be assigned; those of expressions are never in reach of a statement.
	}
	if help == "" {
		return true
	}
	c.errorf(source.CodeDiderotAssign, pos, "the %s %s cannot be assigned in %s", v.Role, v.Name, c.region.name).WithNote(v.Pos, "it is declared here").WithHelp("%s", help)
	return false
}

func (c *checker) choice(s *syntax.If) typed.Stmt {
	t := &typed.If{Pos: s.Pos, Cond: c.condition(s.Cond)}
	before := c.flow.clone()
	t.Then = c.asBlock(s.Then)
	after := c.flow
	c.flow = before
	t.Else = c.asBlock(s.Else)
	ended := after.ended && c.flow.ended
	c.flow = after.meet(c.flow)
	c.flow.ended = ended
	return t
}

// foreach runs over a sequence; where its variable is a real and the elements are ints, its body begins with a declaration.
func (c *checker) foreach(s *syntax.Foreach) typed.Stmt {
	declared := c.typeOf(s.Type)
	each := c.each(s.Iterator, false)
	element := each.Variable.Type
	t := &typed.Foreach{Pos: s.Pos, Each: each}
	variable := &typed.Variable{Pos: each.Variable.Pos, Name: each.Variable.Name, Role: typed.Iterator, Type: declared}
	ok := element.Kind != typed.Nothing && declared.Kind != typed.Nothing
	if ok && !coercible(element, declared) {
		c.errorf(source.CodeDiderotType, s.Iterator.Name.Pos, "%s is of type %v, but the elements are of type %v", variable.Name, declared, element).
			WithHelp("declare it: foreach (%v %s in …)", element, variable.Name)
	}
	before := c.flow.clone()
	c.inScope(func() {
		c.declare(variable)
		c.used[variable] = true
		c.iterating++
		t.Body = c.asBlock(s.Body)
		c.iterating--
	})
	c.flow = before
	switch {
	case element.Equal(declared):
		each.Variable = variable
	case ok:
		hidden := &typed.Ref{Node: typed.Node{Pos: variable.Pos, T: element}, Variable: each.Variable}
		variable.Role = typed.Local
		variable.Value = coerce(hidden, declared)
		t.Body.Stmts = append([]typed.Stmt{&typed.Declare{Pos: variable.Pos, Variable: variable}}, t.Body.Stmts...)
	}
	return t
}

func (c *checker) print(s *syntax.Print) typed.Stmt {
	t := &typed.Print{Pos: s.Pos}
	for _, a := range s.Args {
		x := c.expr(a, nil)
		if k := x.Type(); k.Kind != typed.Nothing && !k.IsValue() {
			c.errorf(source.CodeDiderotValue, a.Span(), "%v is not printed", k).WithHelp("%s", printHelp(k))
		}
		t.Args = append(t.Args, x)
	}
	return t
}

func printHelp(t *typed.Type) string {
	switch {
	case t.Kind == typed.Field:
		return "print its value at a position: F(x)"
	case t.Kind == typed.Reference:
		return "print a state variable of the strand: t.x"
	case isEmpty(t):
		return "print a text: \"{}\""
	}
	return "values are printed"
}
