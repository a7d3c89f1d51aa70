package syntax

import "github.com/ricci-lang/ricci/internal/lang/token"

const computationForm = "a computation is NAME<T in {float32} | SIZES> := out_view<…>(…) o md_hom<…>(…) o inp_view<…>(…)"

func (p *parser) computation() {
	start := p.Peek().Start
	if p.Peek().Kind != token.Word || keywords[p.Peek().Text] {
		p.Fail(computationForm, "a declaration: record, const, fun, op or the name of a computation")
	}
	c := &Computation{Name: p.Name("the name of a computation")}
	if p.Is("<") {
		p.computationParameters(c)
	}
	if !p.Is(":=") {
		p.Fail(computationForm, "':=' after the name and the parameters of the computation")
	}
	p.Take()
	if p.Is("(") {
		c.Composition = p.composition()
	} else {
		p.views(c)
	}
	c.Pos = p.From(start)
	p.out.Computations = append(p.out.Computations, c)
}

// views reads the three functions of a computation.
func (p *parser) views(c *Computation) {
	c.Out = p.view("out_view")
	p.compose("out_view", "md_hom")
	c.Hom = p.hom()
	p.compose("md_hom", "inp_view")
	c.Inp = p.view("inp_view")
}

func (p *parser) compose(before, after string) {
	if !p.Accept("o") {
		p.Fail("the three parts are composed: out_view … o md_hom … o inp_view; the sign o may be written ∘", "'o' between %s and %s", before, after)
	}
}

// computationParameters reads <T in {float32, float64} | I, K>; without the bar
// all names are sizes.
func (p *parser) computationParameters(c *Computation) {
	p.open("<", "")
	for !p.Is(">") && !p.Is("|") {
		name := p.Name("a type parameter or a size")
		if p.Accept("in") {
			c.Types = append(c.Types, p.typeParam(name))
		} else {
			c.Sizes = append(c.Sizes, name)
		}
		if !p.Accept(",") {
			break
		}
	}
	if p.Is("|") {
		if len(c.Sizes) > 0 {
			p.Fail("write the types that it can be: T in {float32, float64}", "'in' after the type parameter %s", c.Sizes[0].Name)
		}
		p.Take()
		for !p.Is(">") {
			c.Sizes = append(c.Sizes, p.Name("a size"))
			if !p.Accept(",") {
				break
			}
		}
	}
	p.Closing(">", "after the parameters of the computation").Role = angle
}

func (p *parser) typeParam(name Name) *TypeParam {
	t := &TypeParam{Name: name}
	p.Expect("{", "before the types that "+name.Name+" can be").Role = tight
	p.Commas(func() { t.Choices = append(t.Choices, p.Name("a scalar type")) })
	p.Expect("}", "after the types that "+name.Name+" can be").Role = tight
	return t
}

func (p *parser) view(word string) *View {
	v := &View{}
	p.part(word)
	start := p.Expect(word, "").Start
	p.open("<", "and the types of the buffers after "+word)
	p.List(">", "after the types of the buffers", func() { v.Types = append(v.Types, p.bufferType()) }).Role = angle
	p.Expect("(", "before the buffers of "+word)
	p.List(")", "after the buffers of "+word, func() { v.Buffers = append(v.Buffers, p.buffer()) })
	v.Pos = p.From(start)
	return v
}

// part expects the word with which the next of the three functions of a computation begins.
func (p *parser) part(word string) {
	if !p.Is(word) {
		p.Fail("a computation is three functions in this order: out_view<…>(…) o md_hom<…>(…) o inp_view<…>(…)", "'%s'", word)
	}
}

func (p *parser) bufferType() *BufferType {
	t := &BufferType{Name: p.Name("the type of a buffer")}
	if p.Accept("[") {
		t.HasExtents = true
		p.List("]", "after the extents", func() { t.Extents = append(t.Extents, p.Binary(additive)) })
	}
	t.Pos = p.From(t.Name.Pos.Start)
	return t
}

// buffer reads a name and its index functions. After a comma a parenthesis begins
// another index function, a name another buffer.
func (p *parser) buffer() *Buffer {
	b := &Buffer{Name: p.Name("the name of a buffer")}
	p.Expect(":", "and an index function after the buffer "+b.Name.Name)
	b.Accesses = append(b.Accesses, p.indexFunction())
	for p.Is(",") && p.Ahead(1).Text == "(" {
		p.Take()
		b.Accesses = append(b.Accesses, p.indexFunction())
	}
	for {
		switch {
		case p.Is("fill") && b.Fill == nil:
			p.Take()
			b.Fill = p.Binary(additive)
		case p.Is("injective") && b.Injective == nil:
			b.Injective = &Name{Pos: p.SpanOf(p.Take()), Name: "injective"}
		default:
			b.Pos = p.From(b.Name.Pos.Start)
			return b
		}
	}
}

func (p *parser) indexFunction() *IndexFunction {
	f := &IndexFunction{}
	if !p.Is("(") {
		p.Fail("an index function maps the indices of md_hom to those of the buffer: (i, k) -> (i, 2 * k)", "an index function")
	}
	start := p.Take().Start
	p.List(")", "after the indices", func() { f.Params = append(f.Params, p.Name("the name of an index")) })
	p.Expect("->", "between the indices and the subscripts (also written ↦)")
	p.Expect("(", "before the subscripts of the buffer")
	p.List(")", "after the subscripts of the buffer", func() { f.Results = append(f.Results, p.Binary(additive)) })
	f.Pos = p.From(start)
	return f
}

func (p *parser) hom() *Hom {
	h := &Hom{}
	p.part("md_hom")
	start := p.Expect("md_hom", "").Start
	p.open("<", "and the sizes of the index space after md_hom")
	p.List(">", "after the sizes of md_hom", func() { h.Sizes = append(h.Sizes, p.Binary(additive)) }).Role = angle
	p.Expect("(", "before the scalar function of md_hom")
	p.scalarFunction(h)
	p.Expect(",", "between the scalar function and the combine operators")
	p.Expect("(", "before the combine operators")
	p.List(")", "after the combine operators", func() { h.Combine = append(h.Combine, p.combine()) })
	if p.Accept(",") {
		h.Assumed, h.Ordered = p.laws()
		if h.Assumed == nil && h.Ordered == nil {
			p.Fail("", "'assume exchange' or 'ordered'")
		}
	}
	p.Expect(")", "after md_hom")
	h.Pos = p.From(start)
	return h
}

// scalarFunction reads the name of a function, an operator sign or a function in
// place: (x, y | i) -> x * y.
func (p *parser) scalarFunction(h *Hom) {
	if p.Is("(") {
		start := p.Take().Start
		h.Function = &Function{}
		p.parameters(h.Function)
		p.Expect("->", "between the parameters and the value of the scalar function")
		h.Function.Body = p.Expr()
		h.Function.Pos = p.From(start)
		return
	}
	if t := p.Peek(); t.Kind == token.Sign && signOperators[t.Text] {
		h.Name = Name{Pos: p.SpanOf(p.Take()), Name: t.Text}
		return
	}
	h.Name = p.Name("the scalar function: a name, a sign such as *, or (x, y) -> x * y")
	if p.Peek().Kind == token.Word {
		p.Fail("a function without a name is its parameters in parentheses, an arrow and its value: (x) -> 2*x", "',' between the scalar function and the combine operators")
	}
	if p.Is("->") {
		p.Fail("the parameters of a function stand in parentheses: (x) -> x", "',' between the scalar function and the combine operators")
	}
}

// signOperators are the signs that name a function of two values.
var signOperators = map[string]bool{"+": true, "-": true, "*": true, "/": true, "&&": true, "||": true, "&": true, "|": true, "^": true}

func (p *parser) combine() *Combine {
	t := p.Peek()
	switch t.Text {
	case "++":
		p.Take()
		return &Combine{Pos: p.SpanOf(t), Kind: "++"}
	case "pw", "ps":
		p.Take()
		c := &Combine{Kind: t.Text}
		p.Expect("(", "and an operator after "+t.Text)
		c.Op = p.operatorRef()
		if p.Is(",") { // pw(+, max) is pw((+, max))
			c.Op = &OperatorRef{Parts: []*OperatorRef{c.Op}}
			for p.Accept(",") {
				c.Op.Parts = append(c.Op.Parts, p.operatorRef())
			}
			c.Op.Pos = c.Op.Parts[0].Pos
		}
		p.Expect(")", "after the operator")
		c.Pos = p.From(t.Start)
		return c
	}
	p.Fail("results side by side are ++, a sum over an index is pw(+), its prefix sums are ps(+)", "a combine operator: ++, pw(…) or ps(…)")
	return nil
}

func (p *parser) operatorRef() *OperatorRef {
	t := p.Peek()
	switch {
	case t.Text == "(":
		p.Enter()
		defer p.Leave()
		p.Take()
		o := &OperatorRef{}
		p.List(")", "after the operators", func() { o.Parts = append(o.Parts, p.operatorRef()) })
		if len(o.Parts) == 1 {
			return o.Parts[0]
		}
		o.Pos = p.From(t.Start)
		return o
	case t.Kind == token.Sign && signOperators[t.Text]:
		p.Take()
		return &OperatorRef{Pos: p.SpanOf(t), Name: t.Text}
	case t.Text == "and" || t.Text == "or":
		p.Take()
		return &OperatorRef{Pos: p.SpanOf(t), Name: map[string]string{"and": "&&", "or": "||"}[t.Text]}
	}
	n := p.Name("an operator: +, *, min, max, &&, ||, &, |, ^, argmin, argmax or the name of an op")
	return &OperatorRef{Pos: n.Pos, Name: n.Name}
}

// IsSign reports whether an operator is a sign and no name.
func IsSign(name string) bool { return signOperators[name] }
