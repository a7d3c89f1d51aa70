package syntax

import (
	"github.com/ricci-lang/ricci/internal/lang/expression"
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// keywords cannot be names.
var keywords = map[string]bool{
	"record": true, "const": true, "fun": true, "op": true, "let": true, "if": true, "then": true, "else": true,
	"iterate": true, "with": true, "while": true, "do": true, "identity": true, "assume": true, "ordered": true,
	"out_view": true, "md_hom": true, "inp_view": true, "true": true, "false": true, "and": true, "or": true, "not": true,
}

// IsKeyword reports whether a word cannot be a name.
func IsKeyword(word string) bool { return keywords[word] }

// The roles of tokens beyond those of all notations.
const (
	angle  = token.OwnRole + iota // < and > around parameters
	tight                         // braces without blanks inside
	joined                        // a sign within a name
	deeper                        // the word behind which steps are indented
)

var language = token.Language{
	Code:     source.CodeMDHSyntax,
	Comments: []string{"#"},
	Signs: append([]token.Spelling{
		{Written: "∘", ASCII: "o"}, {Written: "↦", ASCII: "->"}, {Written: "→", ASCII: "->"}, {Written: "⧺", ASCII: "++"},
		{Written: "≤", ASCII: "<="}, {Written: "≥", ASCII: ">="}, {Written: "≠", ASCII: "!="}, {Written: "∧", ASCII: "&&"},
		{Written: "∨", ASCII: "||"}, {Written: "¬", ASCII: "!"}, {Written: "∈", ASCII: "in"}, {Written: "×", ASCII: "*"},
		{Written: "·", ASCII: "*"}, {Written: "−", ASCII: "-"}, {Written: "≔", ASCII: ":="}, {Written: naturals, ASCII: naturals}, {Written: bottom, ASCII: bottom}, {Written: "⊕", ASCII: "⊕"}, {Written: "⊗", ASCII: "⊗"}, {Written: "⊙", ASCII: "⊙"},
	}, token.Spellings(":=", "->", "++", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "(", ")", "[", "]", "{", "}", "<", ">", ",", ":", ";", "=",
		"+", "-", "*", "/", "%", "!", ".", "|", "&", "^", "~")...),
	Reserved: IsKeyword,
	Imports:  true,
	Foreign: []token.Foreign{
		{Characters: "°◦○⚬。•∙", Help: "functions are composed by ∘, or by the letter o"},
		{Characters: "\"'", Help: "there are no strings in a program"},
	},
	MaxDepth:  200,
	MaxHeight: 10000,
	TooDeep:   "give parts of it a name with let",
}

// Parse reads a program. The file is never nil; it holds the declarations that
// could be read.
func Parse(file *source.File) (*File, *source.Diagnostics) {
	p := &parser{out: &File{Source: file}}
	p.out.Comments = p.Begin(&language, file, p.grammar())
	p.out.Imports = p.Imported()
	p.Declarations(p.declaration, p.beginsDeclaration)
	p.out.tokens = p.Tokens
	return p.out, p.Diagnostics
}

type parser struct {
	expression.Parser
	out *File
}

func (p *parser) open(text, where string) {
	p.Expect(text, where).Role = angle
}

func (p *parser) declaration() {
	p.Peek().Role = token.Beginning
	switch p.Peek().Text {
	case "record":
		p.record()
	case "const":
		p.constant()
	case "fun":
		p.out.Functions = append(p.out.Functions, p.function())
	case "op":
		p.operator()
	default:
		p.computation()
	}
}

// beginsDeclaration reports whether the next token stands at the start of a line
// that looks like a declaration.
func (p *parser) beginsDeclaration() bool {
	t := p.Peek()
	if !t.Newline || t.Kind != token.Word {
		return false
	}
	switch t.Text {
	case "record", "const", "fun", "op":
		return true
	case "o", "out_view", "md_hom", "inp_view":
		return false
	}
	return p.File.Position(t.Start).Column == 1 && (p.Ahead(1).Text == ":=" || p.Ahead(1).Text == "<" || p.Ahead(1).Text == "(")
}

func (p *parser) record() {
	start := p.Take().Start
	r := &Record{Name: p.Name("the name of a record")}
	p.Expect("{", "before the fields of the record")
	p.List("}", "after the fields of the record", func() {
		field := &Field{Name: p.Name("the name of a field")}
		p.Expect(":", "and a type after the field")
		field.Type = p.Name("the type of the field")
		r.Fields = append(r.Fields, field)
	})
	r.Pos = p.From(start)
	p.out.Records = append(p.out.Records, r)
}

func (p *parser) constant() {
	start := p.Take().Start
	c := &Constant{Name: p.Name("the name of a constant")}
	c.Type = p.optionalType()
	p.Expect("=", "and a value after the constant")
	c.Value = p.tableOr(p.Expr)
	c.Pos = p.From(start)
	p.out.Constants = append(p.out.Constants, c)
}

// tableOr reads [1, 2], or something else.
func (p *parser) tableOr(other func() Expr) Expr {
	if !p.Is("[") {
		return other()
	}
	p.Enter()
	defer p.Leave()
	start := p.Take().Start
	t := &Table{}
	p.List("]", "after the numbers of the table", func() { t.Items = append(t.Items, p.tableOr(p.Expr)) })
	t.Pos = p.From(start)
	return t
}

func (p *parser) optionalType() *Name {
	if !p.Accept(":") {
		return nil
	}
	t := p.Name("a type")
	return &t
}

func (p *parser) function() *Function {
	start := p.Take().Start
	f := &Function{Name: p.Name("the name of a function"), Types: p.typeNames()}
	p.Expect("(", "before the parameters")
	p.parameters(f)
	p.Expect("=", "and the value of the function")
	f.Body = p.Expr()
	f.Pos = p.From(start)
	return f
}

// typeNames reads <T, U>.
func (p *parser) typeNames() (list []Name) {
	if !p.Is("<") {
		return nil
	}
	p.open("<", "")
	p.List(">", "after the type parameters", func() { list = append(list, p.Name("a type parameter")) }).Role = angle
	return list
}

// parameters reads x: T, y | i, j) after the opening parenthesis.
func (p *parser) parameters(f *Function) {
	for !p.Is(")") && !p.Is("|") {
		f.Params = append(f.Params, p.param())
		if !p.Accept(",") {
			break
		}
	}
	if p.Accept("|") {
		p.Commas(func() { f.Indices = append(f.Indices, p.Name("the name of an index")) })
	}
	p.Expect(")", "after the parameters")
}

func (p *parser) param() *Param {
	return &Param{Pattern: p.pattern(), Type: p.optionalType()}
}

func (p *parser) pattern() *Pattern {
	start := p.Peek().Start
	if !p.Accept("(") {
		n := p.Name("a name")
		return &Pattern{Pos: n.Pos, Name: n.Name}
	}
	p.Enter()
	defer p.Leave()
	pattern := &Pattern{Parts: []*Pattern{}}
	p.List(")", "after the names", func() { pattern.Parts = append(pattern.Parts, p.pattern()) })
	pattern.Pos = p.From(start)
	return pattern
}

func (p *parser) operator() {
	start := p.Take().Start
	o := &Operator{Name: p.Name("the name of an operator"), Types: p.typeNames()}
	p.Expect("(", "before the two operands")
	o.Left = p.param()
	p.Expect(",", "between the two operands")
	o.Right = p.param()
	p.Expect(")", "after the two operands")
	p.Expect("=", "and the value of the operator")
	o.Body = p.Expr()
	if p.Accept("identity") {
		o.Identity = p.Expr()
	}
	o.Assumed, o.Ordered = p.laws()
	o.Pos = p.From(start)
	p.out.Operators = append(p.out.Operators, o)
}

// laws reads "assume associative, commutative" and "ordered".
func (p *parser) laws() (assumed []Name, ordered *Name) {
	if p.Accept("assume") {
		for {
			assumed = append(assumed, p.Name("a law: associative, commutative, neutral or exchange"))
			if !p.Is(",") || p.Ahead(1).Kind != token.Word {
				break
			}
			p.Take()
		}
	}
	if p.Is("ordered") {
		ordered = &Name{Pos: p.SpanOf(p.Take()), Name: "ordered"}
	}
	return assumed, ordered
}
