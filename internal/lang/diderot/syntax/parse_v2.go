package syntax

import "github.com/ricci-lang/ricci/internal/lang/token"

// onlyV2 are words that no program of version 1.0 has much use for.
var onlyV2 = set("create_array create_collection initialize load_image load_sequence")

// grammarV2 is what version 2.0 has of its own.
var grammarV2 = grammar{
	version: V2,
	parts: []part{
		{"", globalOrder, "a global", (*parser).globalDeclaration},
		{"initialize", initializeOrder, "the block initialize", func(p *parser) { p.out.Program.Initialize = p.namedBlock() }},
		{"strand", strandOrder, "the strand", (*parser).strand},
		{"start", startOrder, "the block start", func(p *parser) { p.out.Program.Start = p.namedBlock() }},
		{"update", updateOrder, "the block update", func(p *parser) { p.out.Program.Update = p.namedBlock() }},
		{"create_array", createOrder, "the creation of strands", (*parser).createV2},
		{"create_collection", createOrder, "the creation of strands", (*parser).createV2},
	},
	others: map[string]string{
		"initially": "strands are created by create_array { s(i) | i in 0..9 } or create_collection",
		"global":    "the program's block is called update",
	},
	sequence:  [2]string{"[", "]"},
	dimension: (*parser).expr,
	param:     func(p *parser) Type { return p.typeOf("a type") },
	global:    (*parser).globalV2,
	input:     (*parser).expr,
	suffix:    (*parser).suffixV2,
	path:      (*parser).expr,
	foreach:   func(p *parser) Stmt { return p.loopBlock() },
}

// namedBlock reads a block of the program behind its name.
func (p *parser) namedBlock() *Block {
	name := p.Take().Text
	b := p.block("before the statements of " + name)
	p.blockEnd()
	return b
}

// createV2 reads the creation of strands.
func (p *parser) createV2() {
	word := p.Take()
	c := &Create{Kind: Array}
	if word.Is("create_collection") {
		c.Kind = Collection
	}
	open := p.expect("{", "before the strands: create_array { s(i) | i in 0..9 }")
	c.Strand = p.expr()
	p.expect("|", "and an iterator behind the strand: { s(i) | i in 0..9 }")
	c.Iterators = p.iterators(p.iterator)
	open.Role = wideBrace
	p.closing("}", "behind the iterators").Role = wideBrace
	p.blockEnd()
	c.Pos = p.From(word.Start)
	p.out.Program.Create = c
}

// globalV2 reads the rest of a variable, or of a field in closed form.
func (p *parser) globalV2(v *Variable) Global {
	if !p.Is("(") || v.Kind != "" {
		p.initial(v)
		return v
	}
	if _, ok := v.Type.(*FieldType); !ok {
		p.Fail("a function is written: function real f(real x) = …; only a field is given by a formula without that word", "'=' or ';' behind the name")
	}
	p.applying()
	p.Take()
	f := &ClosedForm{Type: v.Type, Name: v.Name, Param: p.Name("the name of the position")}
	p.expect(")", "behind the position")
	p.expect("=", "and the formula of the field")
	f.Value = p.expr()
	return f
}

// suffixV2 reads an operand with what stands behind it. The forms that begin with a word have nothing behind them.
func (p *parser) suffixV2() Expr {
	start := p.Peek().Start
	if x := p.special("load_image", "load_sequence"); x != nil {
		if p.Is("[") || p.Is("(") || p.Is(".") || p.Is("{") {
			p.Fail("put what stands before it into parentheses", "an operator, or the end of the expression")
		}
		return x
	}
	x := p.differentiated(func() Expr { return p.primary(p.otherPrimaryV2) })
	if ref, ok := x.(*Ref); ok && p.Is("#") {
		p.Take()
		n := p.integer("a whole number: the continuity of the kernel")
		x = &KernelAt{Pos: p.From(start), Name: Name{Pos: ref.Pos, Name: ref.Name}, Continuity: n}
	}
	if p.Is("{") {
		return p.reduceRest(start, x)
	}
	return p.suffixes(start, x, nil)
}

// otherPrimaryV2 explains what version 1.0 writes otherwise.
func (p *parser) otherPrimaryV2() Expr {
	if t := p.Peek(); t.Is("image") && p.Ahead(1).Is("(") {
		p.otherVersion(t, `an image is loaded by load_image("file.nrrd")`)
	}
	return nil
}

// loopBlock reads the body of a loop, which is a block.
func (p *parser) loopBlock() *Block {
	if t := p.Peek(); !t.Is("{") && t.Kind != token.End {
		p.Fail("the body of a loop stands in braces", "'{' before the body of the loop")
	}
	return p.block("before the body of the loop")
}
