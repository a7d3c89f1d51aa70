package syntax

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/tensor"
)

const compositionForm = "a composition names its buffers and its steps: (A: float32[N], B: float32) -> (y) where x := f(A); y := g(x, B)"

// composition reads (A: T[N]) -> (y) where steps.
func (p *parser) composition() *Composition {
	c := &Composition{}
	start := p.Expect("(", "").Start
	p.List(")", "after the inputs", func() { c.Inputs = append(c.Inputs, p.input()) })
	if !p.Is("->") {
		p.Fail(compositionForm, "'->' between the inputs and the outputs (also written ↦)")
	}
	p.Take()
	p.Expect("(", "before the outputs")
	p.List(")", "after the outputs", func() { c.Outputs = append(c.Outputs, p.Name("the name of an output")) })
	if !p.Is("where") {
		p.Fail(compositionForm, "'where' before the steps")
	}
	p.Take().Role = deeper
	for {
		c.Steps = append(c.Steps, p.step())
		if !p.Accept(";") || p.Peek().Kind == token.End || p.beginsDeclaration() {
			break
		}
	}
	c.Pos = p.From(start)
	return c
}

func (p *parser) input() *Input {
	i := &Input{Name: p.Name("the name of an input")}
	if !p.Is(":") {
		p.Fail(compositionForm, "':' and a type with extents after the input %s", i.Name.Name)
	}
	p.Take()
	i.Type = p.bufferType()
	i.Pos = p.From(i.Name.Pos.Start)
	return i
}

// step reads x := f(a), (x, y) := f(a), or a computation in place.
func (p *parser) step() *Step {
	start := p.Peek().Start
	s := &Step{}
	switch {
	case p.Is("out_view"):
		s.InPlace = &Computation{}
		p.views(s.InPlace)
		s.InPlace.Pos = p.From(start)
		s.Pos = s.InPlace.Pos
		return s
	case p.Accept("("):
		s.Results = []Name{}
		p.List(")", "after the results of the step", func() { s.Results = append(s.Results, p.Name("the name of a result")) })
	default:
		s.Results = append(s.Results, p.Name("a step: x := f(a), or a computation out_view<…>(x: …) o md_hom<…>(…) o inp_view<…>(a: …)"))
	}
	p.Expect(":=", "between the results of the step and what computes them")
	if p.Is("out_view") {
		p.Fail("a computation in place is a step by itself: its out_view names the results", "the name of a computation")
	}
	s.Apply = p.apply()
	s.Pos = p.From(start)
	return s
}

// chain reads out_view o md_hom o inp_view, or several computations that are composed.
func (p *parser) chain(c *Computation) {
	start := p.Peek().Start
	var terms []*Step
	for again := true; again; again = p.Accept("o") {
		terms = append(terms, p.term())
	}
	if only := terms[0].InPlace; only != nil && len(terms) == 1 {
		c.Out, c.Hom, c.Inp = only.Out, only.Hom, only.Inp
		return
	}
	slices.Reverse(terms)
	c.Composition = &Composition{Pos: p.From(start), Steps: terms, IsChain: true}
}

// term reads one of the computations of a chain.
func (p *parser) term() *Step {
	t := p.Peek()
	s := &Step{}
	if next := p.Ahead(1); t.Kind == token.Word && !keywords[t.Text] && (next.Newline || next.Is("<") || next.Is("(") || next.Is("o") || next.Kind == token.End) {
		s.Apply = p.applied()
		if p.Is("(") {
			s.Apply.Functions = p.functionArguments()
		}
		s.Apply.Pos = p.From(t.Start)
	} else {
		s.InPlace = &Computation{}
		p.views(s.InPlace)
		s.InPlace.Pos = p.From(t.Start)
	}
	s.Pos = p.From(t.Start)
	return s
}

// apply reads f<T | N, M>(g, +)(a, h(b)); without functions the buffers come first.
func (p *parser) apply() *Apply {
	p.Enter()
	defer p.Leave()
	a := p.applied()
	if p.Is("(") && p.afterParentheses().Is("(") {
		a.Functions = p.functionArguments()
		p.Peek().Role = token.Applying
	}
	p.Expect("(", "and the buffers to which "+a.Name.Name+" is applied")
	a.Buffers = []*Argument{}
	p.List(")", "after the buffers", func() { a.Buffers = append(a.Buffers, p.argument()) })
	a.Pos = p.From(a.Name.Pos.Start)
	return a
}

// applied reads the name of a computation and the choices of its types and sizes.
func (p *parser) applied() *Apply {
	a := &Apply{Name: p.Name("the name of a computation")}
	if p.Is("<") {
		p.choices(a)
	}
	return a
}

// afterParentheses returns the token behind the parenthesis that closes the next one.
func (p *parser) afterParentheses() *token.Token {
	for n, depth := 0, 0; ; n++ {
		switch t := p.Ahead(n); {
		case t.Is("("):
			depth++
		case t.Is(")"):
			if depth--; depth == 0 {
				return p.Ahead(n + 1)
			}
		case t.Kind == token.End:
			return t
		}
	}
}

func (p *parser) functionArguments() (list []*FunctionArgument) {
	p.Take()
	p.List(")", "after the functions", func() {
		start := p.Peek().Start
		f := &FunctionArgument{}
		next := p.Ahead(1)
		switch {
		case p.Is("(") && p.afterParentheses().Is("->"):
			f.Function = p.functionInPlace()
		case p.Is("++") || (p.Is("pw") || p.Is("ps")) && (next.Is("(") || next.Is("<")):
			f.Combine = p.combine()
		default:
			f.Operator = p.operatorRef()
		}
		f.Pos = p.From(start)
		list = append(list, f)
	})
	return list
}

// choices reads <float32 | N, 2 * M>; without the bar, what names a type is one.
func (p *parser) choices(a *Apply) {
	p.open("<", "")
	a.HasArguments = true
	for !p.Is(">") && !p.Is("|") {
		a.Sizes = append(a.Sizes, p.size())
		if !p.Accept(",") {
			break
		}
	}
	if p.Is("|") {
		for _, e := range a.Sizes {
			if r, ok := e.(*Ref); ok {
				a.Types = append(a.Types, Name{Pos: r.Pos, Name: r.Name})
			} else {
				p.Errorf(p.Language.Code, e.Span(), "this is no type").WithHelp("types stand before the bar, sizes behind it: f<float32 | N>")
			}
		}
		a.Sizes = nil
		p.Take()
		for !p.Is(">") {
			a.Sizes = append(a.Sizes, p.size())
			if !p.Accept(",") {
				break
			}
		}
	}
	p.Closing(">", "after the types and sizes").Role = angle
}

// size reads a sum of sizes. Between angle brackets a bar is no operator.
func (p *parser) size() Expr {
	start := p.Peek().Start
	x := p.Binary(multiplicative)
	for p.Is("+") || p.Is("-") {
		t := p.Take()
		p.Raise(t)
		y := p.Binary(multiplicative)
		x = &Binary{Pos: p.From(start), Op: t.Text, X: x, Y: y}
	}
	return x
}

func (p *parser) argument() *Argument {
	t, next := p.Peek(), p.Ahead(1)
	_, err := tensor.ParseDType(t.Text)
	isFunction := err == nil || t.Is("min") || t.Is("max") // of numbers; none of these is the name of a computation
	isName := t.Kind == token.Word && !keywords[t.Text]
	switch {
	case !isFunction && (next.Is("(") || next.Is("<")) && !t.Is("("):
		return &Argument{Apply: p.apply()}
	case t.Kind == token.Number || t.Is("-") || t.Is("(") || isName && !next.Is(",") && !next.Is(")"):
		return &Argument{Number: p.size()}
	}
	return &Argument{Name: p.Name("the name of a buffer, or a number")}
}
