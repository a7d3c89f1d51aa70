package syntax

import (
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// memberWords begin a member of a strand.
var memberWords = set("output initialize start update stabilize")

// strand reads the strand.
func (p *parser) strand() {
	s := &Strand{}
	start := p.Take().Start
	s.Name = p.Name("the name of the strand")
	s.Params = p.params()
	p.openBlock("before the members of the strand")
	p.level++
	methods := false // a block has begun
	for !p.Is("}") && p.Peek().Kind != token.End && !p.beginsNext() {
		p.guarded(func() {
			p.beginning()
			methods = p.member(s, methods) || methods
		})
	}
	p.level--
	p.closeBlock("behind the members of the strand")
	p.blockEnd()
	s.Pos = p.From(start)
	if p.out.Program.Strand == nil {
		p.out.Program.Strand = s
	}
	if len(s.Methods) == 0 && !p.Diagnostics.HasErrors() && p.grammar.version == V1 {
		p.Errorf(source.CodeDiderotSyntax, s.Name.Pos, "the strand has no method").WithHelp("write update { … } behind its variables")
	}
}

// beginsNext reports whether the next token begins a part of the program that never stands in a block: a } is missing.
func (p *parser) beginsNext() bool {
	switch p.Peek().Text {
	case "strand", "create_array", "create_collection":
		return p.Peek().Kind == token.Word && p.Language.Reserved(p.Peek().Text)
	case "initially":
		return p.Peek().Kind == token.Word && p.Peek().Newline
	}
	return false
}

// member reads a member of the strand, and reports whether it is a block.
func (p *parser) member(s *Strand, methods bool) bool {
	t := p.Peek()
	isBlock := p.Ahead(1).Is("{") && t.Kind == token.Word
	switch {
	case isBlock && p.grammar.version == V1 && (t.Is("initialize") || t.Is("start")):
		p.otherVersion(t, "a strand of version 1.0 has the methods update and stabilize; compute in the initial values of its variables")
	case t.Is("initialize"):
		if methods {
			p.Errorf(source.CodeDiderotOrder, p.SpanOf(t), "the strand's initialize stands behind another block").
				WithHelp("a strand has its variables, then initialize, then start, update and stabilize")
		}
		p.Take()
		s.Initialize = p.block("before the statements of initialize")
		p.blockEnd()
		return true
	case t.Is("update"), t.Is("stabilize"), t.Is("start") && p.grammar.version == V2:
		m := &Method{Name: p.sign(p.Take())}
		m.Body = p.block("before the statements of the method")
		p.blockEnd()
		m.Pos = p.From(t.Start)
		s.Methods = append(s.Methods, m)
		return true
	case t.Is(Output), p.beginsType() && (p.Language.Reserved(t.Text) || p.declaresStrand()):
		if methods {
			p.Errorf(source.CodeDiderotOrder, p.SpanOf(t), "a variable of the strand stands behind a block").
				WithHelp("a strand has its variables, then initialize, then start, update and stabilize")
		}
		s.State = append(s.State, p.variable("behind the variable"))
	default:
		p.Fail(p.notMember(), "a variable or method of the strand")
	}
	return false
}

// notMember says what is meant by a token that begins no member of a strand.
func (p *parser) notMember() string {
	switch t := p.Peek(); {
	case t.Is(Input) || t.Is(Const) || t.Is("function"):
		return "it belongs to the program, and stands before the strand"
	case t.Is(";"):
		return "no ; stands here"
	case t.Kind == token.Word && (statementWords[t.Text] || assignments[p.Ahead(1).Text]):
		return "statements stand in the methods: update { … }"
	case t.Kind == token.Word && p.Ahead(1).Is("{"):
		if near := source.Suggest(t.Text, []string{"update", "stabilize", "start", "initialize"}); near != "" {
			return "did you mean " + near + "?"
		}
		return "the methods of a strand are update and stabilize, in version 2.0 start and initialize, too"
	}
	return p.meant()
}

// variable reads a variable of the strand or of a block.
func (p *parser) variable(where string) *Variable {
	v := &Variable{}
	start := p.Peek().Start
	if p.Accept(Output) {
		v.Kind = Output
	}
	v.Type = p.typeOf("the type of the variable")
	v.Name = p.Name("the name of the variable")
	p.initial(v)
	p.semicolon(where)
	v.Pos = p.From(start)
	return v
}

// initial reads the value of a variable, which may be missing in version 2.0.
func (p *parser) initial(v *Variable) {
	switch {
	case p.Accept("="):
		v.Value = p.expr()
	case p.grammar.version == V1:
		help := p.meant()
		if p.Is(";") {
			help = "a variable of version 1.0 has a value from the beginning"
		}
		p.Fail(help, "'=' and the value of the variable")
	}
}
