package syntax

import "github.com/ricci-lang/ricci/internal/lang/token"

// grammarV1 is what version 1.0 has of its own.
var grammarV1 = grammar{
	version: V1,
	parts: []part{
		{"", globalOrder, "a global", (*parser).globalDeclaration},
		{"strand", strandOrder, "the strand", (*parser).strand},
		{"global", updateOrder, "the block global", func(p *parser) { p.out.Program.Update = p.namedBlock() }},
		{"initially", createOrder, "the creation of strands", (*parser).createV1},
	},
	others: map[string]string{
		"const":             "a global that is not assigned is a constant: leave the word out, or make the program #version 2.0",
		"initialize":        "compute in the initial values of globals, or make the program #version 2.0",
		"start":             "the program's block is called global, and runs after each step",
		"update":            "the program's block is called global",
		"create_array":      "strands are created by initially [ s(i) | i in 0..9 ];",
		"create_collection": "strands are created by initially { s(i) | i in 0..9 };",
	},
	sequence:  [2]string{"{", "}"},
	dimension: func(p *parser) Expr { return p.integer("a whole number") },
	param:     (*parser).valueType,
	global: func(p *parser, v *Variable) Global {
		if _, ok := v.Type.(*FieldType); ok && p.Is("(") {
			p.otherVersion(p.Peek(), "fields are made of images in version 1.0, and by formulas in 2.0")
		}
		p.initial(v)
		return v
	},
	input:   (*parser).initializerV1,
	suffix:  (*parser).suffixV1,
	path:    (*parser).pathV1,
	foreach: (*parser).body,
}

// createV1 reads initially [ s(i) | i in 0..3 ];
func (p *parser) createV1() {
	word := p.Take()
	c := &Create{Kind: Array}
	open, closing := p.Peek(), "]"
	if p.Is("{") {
		c.Kind, closing = Collection, "}"
	} else {
		p.expect("[", "or '{' before the strands: initially [ s(i) | i in 0..9 ];")
		p.At--
	}
	p.Take()
	name := p.Name("the name of the strand")
	args := p.args("behind the arguments of the strand")
	c.Strand = &Apply{Pos: p.From(name.Pos.Start), Fun: &Ref{Pos: name.Pos, Name: name.Name}, Args: args}
	p.expect("|", "and an iterator behind the strand: [ s(i) | i in 0..9 ]")
	c.Iterators = p.iterators(p.iterationV1)
	open.Role = wideBrace
	p.closing(closing, "behind the iterators").Role = wideBrace
	p.semicolon("behind the creation of strands")
	c.Pos = p.From(word.Start)
	p.out.Program.Create = c
}

// iterationV1 reads i in 0..3.
func (p *parser) iterationV1() *Iterator {
	i := &Iterator{Name: p.Name("the name of the variable")}
	p.expect("in", "and a range behind the variable")
	start := p.Peek().Start
	x := p.boundV1()
	t := p.expect("..", "and the end of the range")
	i.In = p.rangeOf(start, t, x, p.boundV1())
	i.Pos = p.From(i.Name.Pos.Start)
	return i
}

// boundV1 reads an end of a range.
func (p *parser) boundV1() Expr {
	p.ranges = true
	defer func() { p.ranges = false }()
	return p.expr()
}

// initializerV1 reads the default of an input, which is a literal.
func (p *parser) initializerV1() Expr {
	p.Enter()
	defer p.Leave()
	t := p.Peek()
	list := func(closing string) (elements []Expr) {
		p.Take()
		p.Commas(func() { elements = append(elements, p.initializerV1()) })
		p.closing(closing, "behind the elements")
		return elements
	}
	switch {
	case t.Is("-") && isNumber(p.Ahead(1)):
		p.Take().Role = token.Prefix
		x := p.primary(nil)
		return &Unary{Pos: p.From(t.Start), Op: p.sign(t), X: x}
	case t.Is("["):
		elements := list("]")
		return &Tensor{Pos: p.From(t.Start), Elements: elements}
	case t.Is("{"):
		elements := list("}")
		return &Sequence{Pos: p.From(t.Start), Elements: elements}
	case isNumber(t), t.Kind == stringToken, t.Is("true"), t.Is("false"):
		return p.primary(nil)
	case !t.Is("real") && !t.Is("nan"):
		if x := p.special("image", "load"); x != nil {
			return x
		}
	}
	p.Fail("the default of an input is a literal in version 1.0, and any constant expression in 2.0", "a literal")
	return nil
}

// isNumber reports whether a token is a number; ∞ and π are real ones.
func isNumber(t *token.Token) bool {
	return t.Kind == token.Number || t.Is("inf") || t.Is("∞") || t.Is("π")
}

// pathV1 reads the name of a file.
func (p *parser) pathV1() Expr {
	if p.Peek().Kind != stringToken {
		p.Fail("", "the name of a file, in double quotes")
	}
	return p.stringLiteral()
}

// suffixV1 reads an operand with what stands behind it: s{i} is an element of a sequence.
func (p *parser) suffixV1() Expr {
	start := p.Peek().Start
	if p.Is("nan") {
		return p.special("image", "load")
	}
	x := p.differentiated(func() Expr {
		return p.primary(func() Expr {
			if p.Is("nan") {
				return nil
			}
			return p.special("image", "load")
		})
	})
	x = p.suffixes(start, x, func(x Expr) Expr {
		if !p.Is("{") {
			return nil
		}
		p.Raise(p.Peek())
		return p.reduceRest(start, x)
	})
	if t := p.Peek(); t.Is("∘") || t.Is("#") {
		help := "fields are composed in version 2.0 only"
		if t.Is("#") {
			help = "a kernel has the continuity of the field in version 1.0"
		}
		p.otherVersion(t, "%s", help)
	}
	return x
}
