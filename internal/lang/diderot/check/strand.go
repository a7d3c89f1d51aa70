package check

import (
	"github.com/ricci-lang/ricci/internal/lang/diderot/syntax"
	"github.com/ricci-lang/ricci/internal/lang/diderot/typed"
	"github.com/ricci-lang/ricci/internal/source"
)

// strandOf checks the strand. Its scope stays, and is known to the global blocks only by the strand's name.
func (c *checker) strandOf(g *syntax.Strand) {
	s := &typed.Strand{Pos: g.Name.Pos, Name: g.Name.Name}
	c.program.Strand = s
	c.inScope(func() {
		for _, p := range g.Params {
			t := c.typeOf(p.Type)
			if !t.IsValue() && t.Kind != typed.Nothing {
				c.errorf(source.CodeDiderotValue, p.Pos, "the parameter %s of the strand is of type %v, and no value", p.Name.Name, t).WithHelp("strands are made of values; fields and images are globals")
				t = &typed.Type{}
			}
			v := &typed.Variable{Pos: p.Name.Pos, Name: p.Name.Name, Role: typed.Parameter, Type: t}
			s.Params = append(s.Params, v)
			c.declare(v)
		}
		c.inScope(func() { c.insideStrand(g, s) })
	})
	c.scope.strand = s
}

func (c *checker) insideStrand(g *syntax.Strand, s *typed.Strand) {
	region := c.region
	c.region = &regions[inState]
	for _, v := range g.State {
		c.state(v, s)
	}
	c.region = region
	c.scope.strand = s
	outputs := 0
	for _, v := range s.State {
		if v.Output {
			outputs++
		}
	}
	if outputs == 0 {
		c.errorf(source.CodeDiderotStrand, s.Pos, "the strand %s has no output", s.Name).WithHelp("write output before the variables that are the result: output real x = 0.0;")
	}
	if g.Initialize != nil {
		c.flow = c.in(inStrandInitialize, c.flow, func() { s.Initialize = c.block(g.Initialize) })
	}
	for _, v := range s.State {
		if v.Output && !c.hasValue(v) {
			c.unset(v, v.Pos, "is an output, and has no value from the beginning")
		}
	}
	c.methods(g, s)
}

func (c *checker) state(g *syntax.Variable, s *typed.Strand) {
	t := c.typeOf(g.Type)
	output := g.Kind == syntax.Output
	named, isStrand := g.Type.(*syntax.Named)
	switch {
	case t.Kind == typed.Nothing:
		if isStrand && named.Name == s.Name {
			last := c.diagnostics.List[len(c.diagnostics.List)-1]
			last.Message = "a state variable cannot be a strand"
			last.Help = "strands are found anew in each step: sphere(r)"
			last.Code = source.CodeDiderotValue
		}
	case !t.IsValue():
		c.errorf(source.CodeDiderotValue, g.Pos, "the state variable %s is of type %v, and no value", g.Name.Name, t).WithHelp("%s", stateHelp(t))
		t = &typed.Type{}
	case output && isText(t):
		c.errorf(source.CodeDiderotStrand, g.Pos, "the output %s is of type %v, which no file holds", g.Name.Name, t).WithHelp("outputs are numbers, truth values, tensors and sequences of them; print writes texts")
	}
	v := &typed.Variable{Pos: g.Name.Pos, Name: g.Name.Name, Role: typed.State, Type: t, Output: output}
	c.initialise(v, g.Value)
	s.State = append(s.State, v)
	c.declare(v)
	if output {
		c.used[v] = true
	}
}

func stateHelp(t *typed.Type) string {
	if t.Kind == typed.Field {
		return "make the field a global, or a variable of a method"
	}
	return "make it a global"
}

// isText reports whether values are strings, or sequences of them.
func isText(t *typed.Type) bool {
	return t.Kind == typed.String || t.Kind == typed.Sequence && isText(t.Element)
}

var methodRegions = map[string]regionNumber{"start": inStrandStart, "update": inUpdate, "stabilize": inStabilize}

// methods checks start first, which is run first, then the others.
func (c *checker) methods(g *syntax.Strand, s *typed.Strand) {
	blocks := map[string]**typed.Block{"start": &s.Start, "update": &s.Update, "stabilize": &s.Stabilize}
	first := map[string]*syntax.Method{}
	for _, m := range g.Methods {
		if o := first[m.Name.Name]; o != nil {
			c.errorf(source.CodeDiderotTwice, m.Name.Pos, "the strand has two methods %s", m.Name.Name).WithNote(o.Name.Pos, "the first one").WithHelp("put both into one")
			continue
		}
		first[m.Name.Name] = m
	}
	for _, name := range []string{"start", "update", "stabilize"} {
		m := first[name]
		if m == nil {
			continue
		}
		c.continued = nil
		end := c.in(methodRegions[name], c.flow, func() { *blocks[name] = c.block(m.Body) })
		if name == "start" {
			for _, f := range c.continued {
				end = end.meet(f)
			}
		}
		if !end.ended {
			c.flow = end
		}
	}
	if s.Update == nil {
		c.errorf(source.CodeDiderotStrand, s.Pos, "the strand %s has no update", s.Name).WithHelp("write what it does in each step: update { … stabilize; }")
	}
}

// creation checks how the first strands are made: one for each combination of elements.
func (c *checker) creation(g *syntax.Create) {
	t := &typed.Create{Pos: g.Pos, Collection: g.Kind == syntax.Collection}
	c.program.Create = t
	// All iterators are checked before any is known: the domain is rectangular.
	for _, i := range g.Iterators {
		each := c.each(i, false)
		t.Iterators = append(t.Iterators, each)
	}
	c.push()
	defer c.pop()
	for _, each := range t.Iterators {
		c.declare(each.Variable)
		c.used[each.Variable] = true
	}
	apply, ok := g.Strand.(*syntax.Apply)
	var name *syntax.Ref
	if ok {
		name, ok = apply.Fun.(*syntax.Ref)
	}
	s := c.program.Strand
	switch {
	case s == nil:
	case !ok || name.Name != s.Name:
		c.errorf(source.CodeDiderotStrand, g.Strand.Span(), "what is created is no strand").WithHelp("write %s(…) with its arguments", s.Name)
	default:
		t.Args, _ = c.passed(apply.Args, s.Params, apply.Pos, "the strand "+s.Name, s.Pos)
	}
}
