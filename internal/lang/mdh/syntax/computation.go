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
	if p.Accept("(") {
		p.List(")", "after the functions", func() { c.Functions = append(c.Functions, p.functionName()) })
	}
	if !p.Is(":=") {
		p.Fail(computationForm, "':=' after the name and the parameters of the computation")
	}
	p.Take()
	if p.Is("(") {
		c.Composition = p.composition()
	} else {
		p.chain(c)
	}
	c.Pos = p.From(start)
	p.out.Computations = append(p.out.Computations, c)
}

// functionName reads the name of a parameter that is a function or an operator.
func (p *parser) functionName() Name {
	if t := p.Peek(); operatorNames[t.Text] {
		p.Take()
		return Name{Pos: p.SpanOf(t), Name: t.Text}
	}
	return p.Name("the name of a function or operator")
}

// operatorNames are the signs that stand for operators without a meaning of their own.
var operatorNames = map[string]bool{"⊕": true, "⊗": true, "⊙": true}

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

// computationParameters reads <T in {float32, float64} | I, K in ℕ>; without the bar
// what is in no set of types is a size.
func (p *parser) computationParameters(c *Computation) {
	p.open("<", "")
	var waiting []Name // of which the set comes with a later one
	for !p.Is(">") && !p.Is("|") {
		waiting = append(waiting, p.Name("a type parameter or a size"))
		switch {
		case !p.Accept("in"):
		case p.Accept(naturals):
			c.Sizes, waiting = append(c.Sizes, waiting...), nil
		default:
			c.Types, waiting = append(c.Types, p.typeParams(waiting)...), nil
		}
		if !p.Accept(",") {
			break
		}
	}
	c.Sizes = append(c.Sizes, waiting...)
	if p.Is("|") {
		if len(c.Sizes) > 0 {
			p.Fail("write the types that it can be: T in {float32, float64}", "'in' after the type parameter %s", c.Sizes[0].Name)
		}
		p.Take()
		for !p.Is(">") {
			c.Sizes = append(c.Sizes, p.Name("a size"))
			if p.Accept("in") {
				p.Expect(naturals, "behind sizes")
			}
			if !p.Accept(",") {
				break
			}
		}
	}
	p.Closing(">", "after the parameters of the computation").Role = angle
}

// naturals is the set of which sizes are in the paper.
const naturals = "ℕ"

// anyTypes are the types for which a computation over TYPE is compiled by itself.
var anyTypes = []string{"float32", "float64"}

// typeParams reads what the parameters are in: {float32, float64}, or TYPE.
func (p *parser) typeParams(names []Name) []*TypeParam {
	var choices []Name
	isAny := p.Is("TYPE")
	if isAny {
		pos := p.SpanOf(p.Take())
		for _, name := range anyTypes {
			choices = append(choices, Name{Pos: pos, Name: name})
		}
	} else {
		last := names[len(names)-1].Name
		p.Expect("{", "before the types that "+last+" can be").Role = tight
		p.Commas(func() { choices = append(choices, p.Name("a type")) })
		p.Expect("}", "after the types that "+last+" can be").Role = tight
	}
	list := make([]*TypeParam, len(names))
	for n, name := range names {
		list[n] = &TypeParam{Name: name, Choices: choices, Any: isAny}
	}
	return list
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
		case p.Is("fill") && b.Fill == nil && b.Bottom == nil:
			p.Take()
			if t := p.Peek(); t.Is(bottom) {
				b.Bottom = &Name{Pos: p.SpanOf(p.Take()), Name: bottom}
			} else {
				b.Fill = p.Binary(additive)
			}
		case p.Is("injective") && b.Injective == nil:
			b.Injective = &Name{Pos: p.SpanOf(p.Take()), Name: "injective"}
		default:
			b.Pos = p.From(b.Name.Pos.Start)
			return b
		}
	}
}

// bottom is the value of cells that have none.
const bottom = "⊥"

func (p *parser) indexFunction() *IndexFunction {
	f := &IndexFunction{}
	if !p.Is("(") {
		p.Fail("an index function maps the indices of md_hom to those of the buffer: (i, k) -> (i, 2 * k)", "an index function")
	}
	start := p.Take().Start
	p.List(")", "after the indices", func() { f.Params = append(f.Params, p.indexName()) })
	p.Expect("->", "between the indices and the subscripts (also written ↦)")
	p.Expect("(", "before the subscripts of the buffer")
	p.List(")", "after the subscripts of the buffer", func() { f.Results = append(f.Results, p.Binary(additive)) })
	f.Pos = p.From(start)
	return f
}

// indexName reads the name of an index, or 0 for one that is 0 in an output.
func (p *parser) indexName() Name {
	if t := p.Peek(); t.Kind == token.Number && t.Text == "0" {
		p.Take()
		return Name{Pos: p.SpanOf(t), Name: t.Text}
	}
	return p.Name("the name of an index")
}

func (p *parser) hom() *Hom {
	h := &Hom{}
	p.part("md_hom")
	start := p.Expect("md_hom", "").Start
	p.open("<", "and the sizes of the index space after md_hom")
	p.List(">", "after the sizes of md_hom", func() { h.Sizes = append(h.Sizes, p.indexSet()) }).Role = angle
	p.Expect("(", "before the scalar function of md_hom")
	if p.Is("(") && !p.afterParentheses().Is("->") {
		h.Down = p.combineList()
		p.Expect(",", "between the combine operators of the inputs and the scalar function")
	}
	p.scalarFunction(h)
	p.Expect(",", "between the scalar function and the combine operators")
	h.Combine = p.combineList()
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

// combineList reads (++, pw(+)).
func (p *parser) combineList() []*Combine {
	list := []*Combine{}
	p.Expect("(", "before the combine operators")
	p.List(")", "after the combine operators", func() { list = append(list, p.combine()) })
	return list
}

// indexSet reads a size, or an index set {0, 1, 4}.
func (p *parser) indexSet() Expr {
	if !p.Is("{") {
		return p.Binary(additive)
	}
	start := p.Peek().Start
	p.Take().Role = tight
	t := &Table{IsSet: true}
	p.List("}", "after the index set", func() { t.Items = append(t.Items, p.Binary(additive)) }).Role = tight
	t.Pos = p.From(start)
	return t
}

// scalarFunction reads the name of a function, an operator sign or a function in
// place: (x, y | i) -> x * y.
func (p *parser) scalarFunction(h *Hom) {
	if p.Is("(") {
		h.Function = p.functionInPlace()
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

// functionInPlace reads (x, y | i) -> x * y.
func (p *parser) functionInPlace() *Function {
	start := p.Take().Start
	f := &Function{}
	p.parameters(f)
	p.Expect("->", "between the parameters and the value of the scalar function")
	f.Body = p.Expr()
	f.Pos = p.From(start)
	return f
}

// signOperators are the signs that name a function of two values.
var signOperators = map[string]bool{"+": true, "-": true, "*": true, "/": true, "&&": true, "||": true, "&": true, "|": true, "^": true}

// combine reads ++, pw(op), ps(op) or op alone, which is pw(op).
func (p *parser) combine() *Combine {
	t := p.Peek()
	c := &Combine{Kind: "pw"}
	switch {
	case t.Text == "++" && p.prefixSum() > 0:
		for range p.prefixSum() {
			if p.Take(); p.Is("-") {
				p.Peek().Role = joined
			}
		}
		c.Kind = "ps"
		p.operatorOf(c)
	case t.Text == "++":
		p.Take()
		c.Kind = "++"
		p.image(c)
	case t.Text == "pw" || t.Text == "ps":
		c.Kind = t.Text
		p.operatorOf(c)
	case t.Text == "(" || t.Kind == token.Word || t.Kind == token.Sign && (signOperators[t.Text] || operatorNames[t.Text]):
		c.Op, c.Bare = p.operatorRef(), true
	default:
		p.Fail("results side by side are ++, a sum over an index is pw(+), its prefix sums are ps(+)", "a combine operator: ++, pw(…) or ps(…)")
	}
	c.Pos = p.From(t.Start)
	return c
}

// image reads the index set function of an operator: <(i) -> (i / 2)>.
func (p *parser) image(c *Combine) {
	if p.Is("<") {
		p.open("<", "")
		c.Image = p.indexFunction()
		p.Closing(">", "after the index set function").Role = angle
	}
}

// prefixSum counts the tokens before the last word of ++prefix_sum or ++prefix-sum, the
// prefix sum of the paper.
func (p *parser) prefixSum() int {
	switch t := p.Ahead(1); {
	case isPrefixSum(t):
		return 1
	case isPrefix(t) && p.Ahead(2).Is("-") && p.Ahead(3).Is("sum") && p.Ahead(4).Is("("):
		return 3
	}
	return 0
}

func isPrefixSum(t *token.Token) bool { return t.Is("prefix_sum") || t.Is("_prefix_sum") }
func isPrefix(t *token.Token) bool    { return t.Is("prefix") || t.Is("_prefix") }

// operatorOf reads the operator in parentheses behind a word.
func (p *parser) operatorOf(c *Combine) {
	word := p.Take().Text
	p.image(c)
	p.Expect("(", "and an operator after "+word)
	c.Op = p.operatorRef()
	if p.Is(",") { // pw(+, max) is pw((+, max))
		c.Op = &OperatorRef{Parts: []*OperatorRef{c.Op}}
		for p.Accept(",") {
			c.Op.Parts = append(c.Op.Parts, p.operatorRef())
		}
		c.Op.Pos = c.Op.Parts[0].Pos
	}
	p.Expect(")", "after the operator")
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
	case t.Kind == token.Sign && (signOperators[t.Text] || operatorNames[t.Text]):
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
