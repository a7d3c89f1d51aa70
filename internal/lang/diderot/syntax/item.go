package syntax

import (
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// A part is what a program is made of, in the order of the table of the grammar.
type part struct {
	word  string // that it begins with; empty for globals
	order int
	what  string
	read  func(p *parser)
}

// The orders of parts that the parser asks about.
const (
	globalOrder = iota
	initializeOrder
	strandOrder
	startOrder
	updateOrder
	createOrder
)

// part reads a part of the program, and reports one that stands at a wrong place.
func (p *parser) part() {
	t := p.Peek()
	if instead, ok := p.grammar.others[t.Text]; ok && t.Kind == token.Word {
		p.otherVersion(t, "%s", instead)
	}
	found := &p.grammar.parts[0]
	for n := range p.grammar.parts {
		if one := &p.grammar.parts[n]; one.word != "" && t.Is(one.word) {
			found = one
		}
	}
	if found.word == "" && !p.beginsGlobal() {
		p.Fail(p.strange(), "a declaration, or another part of the program")
	}
	p.place(t, found)
	found.read(p)
}

// beginsGlobal reports whether the next token begins the declaration of a global.
func (p *parser) beginsGlobal() bool {
	t := p.Peek()
	return t.Kind == token.Word && (!p.Language.Reserved(t.Text) || typeWords[t.Text] || t.Is("const") || t.Is("input") || t.Is("function"))
}

// strange says what is meant by a token that begins no part.
func (p *parser) strange() string {
	switch t := p.Peek(); {
	case t.Is("output"):
		return "outputs are variables of the strand"
	case t.Is("}"):
		return "there is one } more than {"
	case t.Is(";"):
		return "no ; stands here"
	case t.Is("stabilize"):
		return "stabilize is a method of the strand, and stands in its braces"
	case t.Kind == token.Word && statementWords[t.Text]:
		return "statements stand in blocks: those of methods, of functions, and of the program's own"
	}
	return p.meant()
}

// place reports a part that stands behind one that must follow it, or the second of a kind that is there once.
func (p *parser) place(t *token.Token, found *part) {
	switch {
	case p.last == nil, found.order > p.last.order, found.order == globalOrder && p.last.order == globalOrder:
		p.last = found
		return
	case found.order == strandOrder && p.out.Program.Strand != nil:
		p.Errorf(source.CodeDiderotOrder, p.SpanOf(t), "a program has one strand, and this is another one").
			WithHelp("put what both do into one strand: a parameter can say which of them an instance is").
			WithNote(p.out.Program.Strand.Name.Pos, "this is the strand")
	case found.order == p.last.order && found.order == createOrder:
		p.Errorf(source.CodeDiderotOrder, p.SpanOf(t), "strands are created already").WithHelp("a program creates its strands once, in a grid or as a collection")
	case found.order == p.last.order:
		p.Errorf(source.CodeDiderotOrder, p.SpanOf(t), "%s is there already", found.what).WithHelp("write both into one block")
	default:
		p.Errorf(source.CodeDiderotOrder, p.SpanOf(t), "%s stands behind %s", found.what, p.last.what).WithHelp("%s", p.order())
	}
}

// order says in which order the parts of the version stand.
func (p *parser) order() string {
	if p.grammar.version == V1 {
		return "the order is: globals, strand, global, initially"
	}
	return "the order is: globals, initialize, strand, start, update, create_array or create_collection"
}

// complete reports parts that are missing; after other mistakes they may be what was not understood.
func (p *parser) complete() {
	if p.Diagnostics.HasErrors() {
		return
	}
	place := p.Place(&p.Tokens[len(p.Tokens)-1])
	missing := func(what, example string) {
		p.Errorf(source.CodeDiderotOrder, place, "the program has no %s", what).WithHelp("%s: write %s", p.order(), example)
	}
	switch {
	case p.out.Program.Strand == nil:
		missing("strand", "strand s(int i) { output real x = 0.0; update { stabilize; } }")
	case p.out.Program.Create == nil && p.grammar.version == V1:
		missing("creation of strands", "initially [ s(i) | i in 0..9 ];")
	case p.out.Program.Create == nil:
		missing("creation of strands", "create_array { s(i) | i in 0..9 }")
	}
}

// otherVersion reports a construct of the other version at a token, and bails out.
func (p *parser) otherVersion(t *token.Token, format string, args ...any) {
	other := V1
	if p.grammar.version == V1 {
		other = V2
	}
	if !t.Damaged {
		p.Errorf(source.CodeDiderotOther, p.SpanOf(t), "%s is of version %s here, and the program is of version %s", p.SpanOf(t).Text(), other, p.grammar.version).
			WithHelp(format, args...)
	}
	p.Bail()
}

// declare adds a declaration of the program; after a strand it is kept for what comes behind the parser, too.
func (p *parser) declare(g Global) { p.out.Program.Globals = append(p.out.Program.Globals, g) }

// globalDeclaration reads a variable, a field in closed form or a function.
func (p *parser) globalDeclaration() {
	start := p.Peek().Start
	if p.Is("function") {
		p.declare(p.function())
		return
	}
	v := &Variable{}
	if p.Is(Const) || p.Is(Input) {
		v.Kind = p.Take().Text
	}
	v.Type = p.typeOf("a type")
	v.Name = p.Name("the name of the variable")
	if v.Kind == Input {
		p.inputRest(v)
		p.semicolon("behind the input")
		v.Pos = p.From(start)
		p.declare(v)
		return
	}
	g := p.grammar.global(p, v)
	p.semicolon("behind the declaration")
	v.Pos = p.From(start)
	if form, ok := g.(*ClosedForm); ok {
		form.Pos = p.From(start)
	}
	p.declare(g)
}

// inputRest reads the help and the default of an input.
func (p *parser) inputRest(v *Variable) {
	if p.Accept("(") {
		if t := p.Peek(); t.Kind != stringToken {
			p.Fail("the parentheses behind an input have its description, in double quotes", "a string")
		}
		v.Help = p.stringLiteral()
		p.expect(")", "behind the description of the input")
	}
	if p.Accept("=") {
		v.Value = p.grammar.input(p)
	}
}

// function reads a function.
func (p *parser) function() *Function {
	start := p.Take().Start
	f := &Function{Result: p.param("the type of the result")}
	if p.grammar.version == V1 {
		f.Result = p.sequences(f.Result)
	}
	f.Name = p.Name("the name of the function")
	f.Params = p.params()
	switch {
	case p.Accept("="):
		f.Value = p.expr()
		p.semicolon("behind the value of the function")
	case p.Is("{"):
		f.Body = p.block("")
		p.blockEnd()
	default:
		p.Fail("a function is its value behind =, or a block with return", "'=' or '{' behind the parameters")
	}
	f.Pos = p.From(start)
	return f
}

// params reads the parameters of a function or strand.
func (p *parser) params() (list []*Param) {
	p.applying()
	p.expect("(", "before the parameters")
	if !p.Is(")") {
		p.Commas(func() {
			start := p.Peek().Start
			one := &Param{Type: p.param("a type, and the name of a parameter")}
			one.Name = p.Name("the name of the parameter")
			one.Pos = p.From(start)
			list = append(list, one)
		})
	}
	p.closing(")", "behind the parameters")
	return list
}

// param reads the type of a parameter.
func (p *parser) param(what string) Type {
	if !p.beginsType() {
		p.Fail(p.meant(), "%s", what)
	}
	return p.grammar.param(p)
}

// semicolon passes the end of a declaration or statement.
func (p *parser) semicolon(where string) { p.expect(";", where) }

// blockEnd passes the semicolon that may stand behind the blocks of version 2.0.
func (p *parser) blockEnd() {
	if p.grammar.version == V2 {
		p.Accept(";")
	}
}
