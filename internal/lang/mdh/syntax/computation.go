package syntax

const computationForm = "a computation is NAME<T in {float32} | SIZES> := out_view<…>(…) o md_hom<…>(…) o inp_view<…>(…)"

func (p *parser) computation() {
	start := p.peek().start
	if p.peek().kind != tokenWord || keywords[p.peek().text] {
		p.fail(computationForm, "a declaration: record, const, fun, op or the name of a computation")
	}
	c := &Computation{Name: p.name("the name of a computation")}
	if p.is("<") {
		p.computationParameters(c)
	}
	if !p.is(":=") {
		p.fail(computationForm, "':=' after the name and the parameters of the computation")
	}
	p.take()
	c.Out = p.view("out_view")
	p.compose("out_view", "md_hom")
	c.Hom = p.hom()
	p.compose("md_hom", "inp_view")
	c.Inp = p.view("inp_view")
	c.Pos = p.from(start)
	p.out.Computations = append(p.out.Computations, c)
}

func (p *parser) compose(before, after string) {
	if !p.accept("o") {
		p.fail("the three parts are composed: out_view … o md_hom … o inp_view; the sign o may be written ∘", "'o' between %s and %s", before, after)
	}
}

// computationParameters reads <T in {float32, float64} | I, K>; without the bar
// all names are sizes.
func (p *parser) computationParameters(c *Computation) {
	p.open("<", "")
	for !p.is(">") && !p.is("|") {
		name := p.name("a type parameter or a size")
		if p.accept("in") {
			c.Types = append(c.Types, p.typeParam(name))
		} else {
			c.Sizes = append(c.Sizes, name)
		}
		if !p.accept(",") {
			break
		}
	}
	if p.is("|") {
		if len(c.Sizes) > 0 {
			p.fail("write the types that it can be: T in {float32, float64}", "'in' after the type parameter %s", c.Sizes[0].Name)
		}
		p.take()
		for !p.is(">") {
			c.Sizes = append(c.Sizes, p.name("a size"))
			if !p.accept(",") {
				break
			}
		}
	}
	p.expect(">", "after the parameters of the computation").role = angle
}

func (p *parser) typeParam(name Name) *TypeParam {
	t := &TypeParam{Name: name}
	p.expect("{", "before the types that "+name.Name+" can be").role = tight
	for {
		t.Choices = append(t.Choices, p.name("a scalar type"))
		if !p.accept(",") {
			break
		}
	}
	p.expect("}", "after the types that "+name.Name+" can be").role = tight
	return t
}

func (p *parser) view(word string) *View {
	v := &View{}
	start := p.expect(word, "").start
	p.open("<", "and the types of the buffers after "+word)
	p.list(">", "after the types of the buffers", func() { v.Types = append(v.Types, p.bufferType()) })
	p.expect("(", "before the buffers of "+word)
	p.list(")", "after the buffers of "+word, func() { v.Buffers = append(v.Buffers, p.buffer()) })
	v.Pos = p.from(start)
	return v
}

func (p *parser) bufferType() *BufferType {
	t := &BufferType{Name: p.name("the type of a buffer")}
	if p.accept("[") {
		t.HasExtents = true
		p.list("]", "after the extents", func() { t.Extents = append(t.Extents, p.binary(additive)) })
	}
	t.Pos = p.from(t.Name.Pos.Start)
	return t
}

// buffer reads a name and its index functions. After a comma a parenthesis begins
// another index function, a name another buffer.
func (p *parser) buffer() *Buffer {
	b := &Buffer{Name: p.name("the name of a buffer")}
	p.expect(":", "and an index function after the buffer "+b.Name.Name)
	b.Accesses = append(b.Accesses, p.indexFunction())
	for p.is(",") && p.ahead(1).text == "(" {
		p.take()
		b.Accesses = append(b.Accesses, p.indexFunction())
	}
	for {
		switch {
		case p.is("fill") && b.Fill == nil:
			p.take()
			b.Fill = p.binary(additive)
		case p.is("injective") && b.Injective == nil:
			b.Injective = &Name{Pos: p.spanOf(p.take()), Name: "injective"}
		default:
			b.Pos = p.from(b.Name.Pos.Start)
			return b
		}
	}
}

func (p *parser) indexFunction() *IndexFunction {
	f := &IndexFunction{}
	if !p.is("(") {
		p.fail("an index function maps the indices of md_hom to those of the buffer: (i, k) -> (i, 2 * k)", "an index function")
	}
	start := p.take().start
	p.list(")", "after the indices", func() { f.Params = append(f.Params, p.name("the name of an index")) })
	p.expect("->", "between the indices and the subscripts (also written ↦)")
	p.expect("(", "before the subscripts of the buffer")
	p.list(")", "after the subscripts of the buffer", func() { f.Results = append(f.Results, p.binary(additive)) })
	f.Pos = p.from(start)
	return f
}

func (p *parser) hom() *Hom {
	h := &Hom{}
	start := p.expect("md_hom", "").start
	p.open("<", "and the sizes of the index space after md_hom")
	p.list(">", "after the sizes of md_hom", func() { h.Sizes = append(h.Sizes, p.binary(additive)) })
	p.expect("(", "before the scalar function of md_hom")
	p.scalarFunction(h)
	p.expect(",", "between the scalar function and the combine operators")
	p.expect("(", "before the combine operators")
	p.list(")", "after the combine operators", func() { h.Combine = append(h.Combine, p.combine()) })
	if p.accept(",") {
		h.Assumed, h.Ordered = p.laws()
		if h.Assumed == nil && h.Ordered == nil {
			p.fail("", "'assume exchange' or 'ordered'")
		}
	}
	p.expect(")", "after md_hom")
	h.Pos = p.from(start)
	return h
}

// scalarFunction reads the name of a function, an operator sign or a function in
// place: (x, y | i) -> x * y.
func (p *parser) scalarFunction(h *Hom) {
	if p.is("(") {
		start := p.take().start
		h.Function = &Function{}
		p.parameters(h.Function)
		p.expect("->", "between the parameters and the value of the scalar function")
		h.Function.Body = p.expr()
		h.Function.Pos = p.from(start)
		return
	}
	if t := p.peek(); t.kind == tokenSign && signOperators[t.text] {
		h.Name = Name{Pos: p.spanOf(p.take()), Name: t.text}
		return
	}
	h.Name = p.name("the scalar function: a name, a sign such as *, or (x, y) -> x * y")
}

// signOperators are the signs that name a function of two values.
var signOperators = map[string]bool{"+": true, "-": true, "*": true, "/": true, "&&": true, "||": true}

func (p *parser) combine() *Combine {
	t := p.peek()
	switch t.text {
	case "++":
		p.take()
		return &Combine{Pos: p.spanOf(t), Kind: "++"}
	case "pw", "ps":
		p.take()
		c := &Combine{Kind: t.text}
		p.expect("(", "and an operator after "+t.text)
		c.Op = p.operatorRef()
		if p.is(",") { // pw(+, max) is pw((+, max))
			c.Op = &OperatorRef{Parts: []*OperatorRef{c.Op}}
			for p.accept(",") {
				c.Op.Parts = append(c.Op.Parts, p.operatorRef())
			}
			c.Op.Pos = c.Op.Parts[0].Pos
		}
		p.expect(")", "after the operator")
		c.Pos = p.from(t.start)
		return c
	}
	p.fail("a sum over an index is pw(+), its prefix sums are ps(+)", "a combine operator: ++, pw(…) or ps(…)")
	return nil
}

func (p *parser) operatorRef() *OperatorRef {
	t := p.peek()
	switch {
	case t.text == "(":
		p.enter()
		defer p.leave()
		p.take()
		o := &OperatorRef{}
		p.list(")", "after the operators", func() { o.Parts = append(o.Parts, p.operatorRef()) })
		if len(o.Parts) == 1 {
			return o.Parts[0]
		}
		o.Pos = p.from(t.start)
		return o
	case t.kind == tokenSign && signOperators[t.text]:
		p.take()
		return &OperatorRef{Pos: p.spanOf(t), Name: t.text}
	case t.text == "and" || t.text == "or":
		p.take()
		return &OperatorRef{Pos: p.spanOf(t), Name: map[string]string{"and": "&&", "or": "||"}[t.text]}
	}
	n := p.name("an operator: +, *, min, max, &&, ||, argmin, argmax or the name of an op")
	return &OperatorRef{Pos: n.Pos, Name: n.Name}
}

// IsSign reports whether an operator is a sign and no name.
func IsSign(name string) bool { return signOperators[name] }
