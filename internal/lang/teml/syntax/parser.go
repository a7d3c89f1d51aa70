package syntax

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/expression"
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// keywords cannot be names.
var keywords = map[string]bool{
	"fun": true, "return": true, "codegen": true, "unchecked": true, "option": true,
	"if": true, "then": true, "else": true, "and": true, "or": true, "not": true, "true": true, "false": true,
}

// IsKeyword reports whether a word cannot be a name.
func IsKeyword(word string) bool { return keywords[word] }

var language = token.Language{
	Code:     source.CodeTeMLSyntax,
	Comments: []string{"#"},
	Signs: append([]token.Spelling{
		{Written: "→", ASCII: "->"}, {Written: "↦", ASCII: "->"}, {Written: "‖", ASCII: "++"}, {Written: "||", ASCII: "++"},
		{Written: "≤", ASCII: "<="}, {Written: "≥", ASCII: ">="}, {Written: "≠", ASCII: "!="}, {Written: "·", ASCII: "*"},
		{Written: "−", ASCII: "-"}, {Written: "…", ASCII: "..."},
	}, token.Spellings("ε", "...", "->", "++", "<=", ">=", "==", "!=", "(", ")", "[", "]", "{", "}", ",", ":", ";", "@",
		"=", "<", ">", "+", "-", "*", "/", "%")...),
	Reserved: IsKeyword,
	Given:    "$",
	Imports:  true,
	Foreign: []token.Foreign{
		{Characters: "\"'", Help: "there are no strings in a meta-program; tensors and loops are named by plain words"},
		{Characters: ".", Help: "a loop is the first argument of what transforms it: tile(l, 8)"},
		{Characters: "!&|", Help: "conditions are joined by the words and, or, not"},
	},
	MaxDepth:  200,
	MaxHeight: 10000,
	TooDeep:   "give parts of it a name",
}

// Parse reads a meta-program. The file is never nil; it holds the statements that
// could be read.
func Parse(file *source.File) (*File, *source.Diagnostics) {
	p := &parser{out: &File{Source: file}}
	p.out.Comments = p.Begin(&language, file, p.grammar())
	p.out.Imports = p.Imported()
	p.Declarations(p.topLevel, p.atMargin)
	p.out.tokens = p.Tokens
	return p.out, p.Diagnostics
}

type parser struct {
	expression.Parser
	out *File
}

// topLevel reads one statement of the program.
func (p *parser) topLevel() {
	p.out.Statements = append(p.out.Statements, p.statement(true))
	p.endOfStatement()
}

// atMargin reports whether the next token may begin a statement of the program.
func (p *parser) atMargin() bool {
	t := p.Peek()
	return t.Newline && p.File.Position(t.Start).Column == 1 && !strings.Contains(")]}", t.Text)
}

// endOfStatement takes a semicolon or sees the end of the line.
func (p *parser) endOfStatement() {
	for p.Accept(";") {
	}
	t := p.Peek()
	if !t.Newline && t.Kind != token.End && t.Text != "}" && p.Tokens[p.At-1].Text != ";" {
		if t.Is(")") || t.Is("]") {
			p.Fail("nothing is open that this "+t.Text+" could close", "the end of the statement")
		}
		p.Fail("statements stand on lines of their own, or are separated by ;", "the end of the statement")
	}
}

// statement reads a statement; functions, options and codegen stand at the top.
func (p *parser) statement(top bool) Statement {
	p.Peek().Role = token.Beginning
	word := p.Peek().Text
	if !top && (word == "fun" || word == "option" || word == "codegen") {
		p.Fail("in a function there are assignments and calls; "+word+" stands outside", "a statement or return")
	}
	if keywords[word] && p.Ahead(1).Is("=") {
		p.Name("the name of what is assigned")
	}
	switch word {
	case "fun":
		return p.function()
	case "option":
		return p.option()
	case "codegen":
		return p.codegen()
	}
	start := p.Peek().Start
	if p.Peek().Kind == token.Word && (p.Ahead(1).Is("=") || p.assignsSeveral()) {
		return p.assign()
	}
	if next := p.Ahead(1); p.Peek().Kind != token.Word || keywords[word] || next.Text != "(" {
		help := statementHelp(word, next.Text)
		if help == "" {
			help = "a statement is an assignment id = expression, or a call such as init(t, 0)"
		} else if next.Kind == token.Sign && p.Peek().Kind == token.Word && !keywords[word] {
			p.Take()
			p.Fail(help, "'=' behind the name")
		}
		p.Fail(help, "a statement")
	}
	call, _ := p.Named().(*Call) // a word and a parenthesis are one
	return &Do{Pos: p.From(start), Call: call}
}

// statementHelp says how a statement is written, to those who began one as in other
// languages; empty to others.
func statementHelp(word, next string) string {
	switch {
	case next == "[":
		return "whole tensors are assigned, and their iterators are in lists: C = add(A, B, [[i, j], [i, j]] -> [i, j])"
	case word == "/" && (next == "/" || next == "*"):
		return "comments start with #"
	case next == ":" || next == "==":
		return "an assignment is written with = alone: " + word + " = …"
	case next == "+" || next == "-" || next == "*" || next == "/":
		return "what is accumulated is an operand, too: C = add(C, t, [[i, j], ] -> [i, j]); entrywise_add(A, B) adds all elements"
	case next == ",":
		return "a statement assigns one name; several values are a list: x = [a, b]; only the call of an imported def assigns several: m, s = stats(X)"
	case word == "for" || word == "while":
		return "loops are made by build, l = build(C), and changed by transformations; what is to be repeated is a function that calls itself"
	case word == "def" || word == "function":
		return "functions are declared by fun: fun f(l, v) = tile(l, v)"
	}
	return ""
}

// assignsSeveral reports whether names with commas between them stand before a sign =.
func (p *parser) assignsSeveral() bool {
	n := 1
	for p.Ahead(n).Is(",") && p.Ahead(n+1).Kind == token.Word {
		n += 2
	}
	return n > 1 && p.Ahead(n).Is("=")
}

func (p *parser) assign() Statement {
	a := &Assign{Target: p.NewName("a name")}
	for p.Accept(",") {
		a.More = append(a.More, p.NewName("the name of a result"))
	}
	p.Expect("=", "")
	if p.Accept("@") {
		real := p.NewName("the name of the tensor that is assigned")
		a.Real = &real
		p.Expect(":", "and an expression after @"+real.Name)
	}
	a.Value = p.Expr()
	a.Pos = p.From(a.Target.Pos.Start)
	return a
}

func (p *parser) function() Statement {
	start := p.Take().Start
	f := &Fun{Name: p.NewName("the name of a function")}
	p.Expect("(", "before the parameters")
	for !p.Is(")") {
		param := p.NewName("a parameter")
		if p.Accept("...") {
			f.Rest = &param
			break
		}
		f.Params = append(f.Params, param)
		if !p.Accept(",") {
			break
		}
	}
	p.Expect(")", "after the parameters")
	if p.Accept("{") {
		p.body(f)
	} else {
		p.Expect("=", "and the value of the function, or { and statements")
		f.Result = p.Expr()
	}
	f.Pos = p.From(start)
	return f
}

func (p *parser) body(f *Fun) {
	for !p.Is("return") {
		if p.Is("}") || p.Peek().Kind == token.End {
			p.Fail("a function ends with the value that it returns", "return and an expression")
		}
		f.Body = append(f.Body, p.statement(false))
		p.endOfStatement()
	}
	p.Take().Role = token.Beginning
	f.Result = p.Expr()
	p.endOfStatement()
	p.Expect("}", "after the value that the function returns")
}

func (p *parser) option() Statement {
	start := p.Take().Start
	o := &Option{Name: p.Name("the name of an option")}
	if p.Peek().Kind == token.Word && !p.Peek().Newline {
		value := p.Name("the value of the option")
		o.Value = &value
	}
	o.Pos = p.From(start)
	return o
}

func (p *parser) codegen() Statement {
	start := p.Take().Start
	c := &Codegen{}
	if !p.Is("(") {
		name := p.NewName("'(' and the loops, or a name for the generated function")
		if c.Name = &name; !p.Is("(") {
			p.Report(name.Pos, "write codegen("+name.Name+"); a name in front of the parenthesis is that of the generated function", "found %s, expected the loops in parentheses", name.Name)
			p.Bail()
		}
	}
	p.Expect("(", "before the loops")
	p.List(")", "after the loops", func() { c.Loops = append(c.Loops, p.Expr()) })
	if p.Accept("->") {
		p.Commas(func() { c.Outputs = append(c.Outputs, p.NewName("the name of an output")) })
	}
	if p.Is("unchecked") {
		c.Unchecked = &Name{Pos: p.SpanOf(p.Take()), Name: "unchecked"}
	}
	c.Pos = p.From(start)
	return c
}
