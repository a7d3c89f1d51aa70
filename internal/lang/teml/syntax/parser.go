package syntax

import (
	"fmt"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// maxDepth is how deep expressions may be nested.
const maxDepth = 200

// keywords cannot be names.
var keywords = map[string]bool{
	"fun": true, "return": true, "codegen": true, "unchecked": true, "option": true,
	"if": true, "then": true, "else": true, "and": true, "or": true, "not": true, "true": true, "false": true,
}

// IsKeyword reports whether a word cannot be a name.
func IsKeyword(word string) bool { return keywords[word] }

// Parse reads a meta-program. The file is never nil; it holds the statements that
// could be read.
func Parse(file *source.File) (*File, *source.Diagnostics) {
	p := &parser{file: file, diagnostics: &source.Diagnostics{}, out: &File{Source: file}}
	p.tokens, p.out.Comments = scan(file, p.diagnostics)
	for p.peek().kind != tokenEnd {
		p.topLevel()
	}
	p.out.tokens = p.tokens
	return p.out, p.diagnostics
}

type parser struct {
	file        *source.File
	diagnostics *source.Diagnostics
	out         *File
	tokens      []token
	at          int
	depth       int
}

// bailout ends a statement after an error.
type bailout struct{}

func (p *parser) peek() *token { return &p.tokens[p.at] }

func (p *parser) ahead() *token { return &p.tokens[min(p.at+1, len(p.tokens)-1)] }

func (p *parser) take() *token {
	t := p.peek()
	if t.kind != tokenEnd {
		p.at++
	}
	return t
}

func (p *parser) spanOf(t *token) source.Span {
	return source.Span{File: p.file, Start: t.start, End: t.end}
}

// from returns the text from start to the last token taken.
func (p *parser) from(start int) source.Span {
	end := start
	if p.at > 0 {
		end = max(start, p.tokens[p.at-1].end)
	}
	return source.Span{File: p.file, Start: start, End: end}
}

// is reports whether the next token is a word or sign.
func (p *parser) is(text string) bool {
	return p.peek().text == text && p.peek().kind != tokenNumber
}

func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.take()
		return true
	}
	return false
}

func found(t *token) string {
	if t.kind == tokenEnd {
		return "the end of the file"
	}
	return "'" + t.text + "'"
}

// fail reports what stands at the next token and ends the statement.
func (p *parser) fail(help, format string, args ...any) {
	t := p.peek()
	if len(p.diagnostics.List) < maxErrors {
		d := p.diagnostics.Errorf(source.CodeTeMLSyntax, p.spanOf(t), "found %s, expected %s", found(t), fmt.Sprintf(format, args...))
		if help != "" {
			d.WithHelp("%s", help)
		}
	}
	panic(bailout{})
}

func (p *parser) expect(text, where string) *token {
	if !p.is(text) {
		p.fail("", "%s", strings.TrimSpace("'"+text+"' "+where))
	}
	return p.take()
}

// name reads a word that is no keyword.
func (p *parser) name(what string) Name {
	t := p.peek()
	if t.kind != tokenWord || keywords[t.text] {
		help := ""
		if keywords[t.text] {
			help = t.text + " is a word of the language and cannot be a name"
		}
		p.fail(help, "%s", what)
	}
	p.take()
	return Name{Pos: p.spanOf(t), Name: t.text}
}

// topLevel reads one statement of the program; after an error it skips to the next
// line at the margin.
func (p *parser) topLevel() {
	start := p.at
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bailout); !ok {
				panic(r)
			}
			p.depth = 0
			p.at = max(p.at, start+1)
			for !p.atMargin() {
				p.at++
			}
		}
	}()
	p.out.Statements = append(p.out.Statements, p.statement(true))
	p.endOfStatement()
}

// atMargin reports whether the next token may begin a statement of the program.
func (p *parser) atMargin() bool {
	t := p.peek()
	return t.kind == tokenEnd || t.newline && p.file.Position(t.start).Column == 1 && !strings.Contains(")]}", t.text)
}

// endOfStatement takes a semicolon or sees the end of the line.
func (p *parser) endOfStatement() {
	for p.accept(";") {
	}
	t := p.peek()
	if !t.newline && t.kind != tokenEnd && t.text != "}" && p.tokens[p.at-1].text != ";" {
		p.fail("statements stand on lines of their own, or are separated by ;", "the end of the statement")
	}
}

// statement reads a statement; functions, options and codegen stand at the top.
func (p *parser) statement(top bool) Statement {
	p.peek().starts = true
	word := p.peek().text
	if !top && (word == "fun" || word == "option" || word == "codegen") {
		p.fail("in a function there are assignments and calls; "+word+" stands outside", "a statement or return")
	}
	switch word {
	case "fun":
		return p.function()
	case "option":
		return p.option()
	case "codegen":
		return p.codegen()
	}
	start := p.peek().start
	if p.peek().kind == tokenWord && p.ahead().text == "=" {
		return p.assign()
	}
	if p.peek().kind != tokenWord || keywords[word] || p.ahead().text != "(" {
		p.fail("a statement is an assignment id = expression, or a call such as init(t, 0)", "a statement")
	}
	call, _ := p.primary().(*Call) // a word and a parenthesis are one
	return &Do{Pos: p.from(start), Call: call}
}

func (p *parser) assign() Statement {
	a := &Assign{Target: p.name("a name")}
	p.expect("=", "")
	if p.accept("@") {
		real := p.name("the name of the tensor that is assigned")
		a.Real = &real
		p.expect(":", "and an expression after @"+real.Name)
	}
	a.Value = p.expr()
	a.Pos = p.from(a.Target.Pos.Start)
	return a
}

func (p *parser) function() Statement {
	start := p.take().start
	f := &Fun{Name: p.name("the name of a function")}
	p.expect("(", "before the parameters")
	for !p.is(")") {
		param := p.name("a parameter")
		if p.accept("...") {
			f.Rest = &param
			break
		}
		f.Params = append(f.Params, param)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", "after the parameters")
	if p.accept("{") {
		p.body(f)
	} else {
		p.expect("=", "and the value of the function, or { and statements")
		f.Result = p.expr()
	}
	f.Pos = p.from(start)
	return f
}

func (p *parser) body(f *Fun) {
	for !p.is("return") {
		if p.is("}") || p.peek().kind == tokenEnd {
			p.fail("a function ends with the value that it returns", "return and an expression")
		}
		f.Body = append(f.Body, p.statement(false))
		p.endOfStatement()
	}
	p.take().starts = true
	f.Result = p.expr()
	p.endOfStatement()
	p.expect("}", "after the value that the function returns")
}

func (p *parser) option() Statement {
	start := p.take().start
	o := &Option{Name: p.name("the name of an option")}
	if p.peek().kind == tokenWord && !p.peek().newline {
		value := p.name("the value of the option")
		o.Value = &value
	}
	o.Pos = p.from(start)
	return o
}

func (p *parser) codegen() Statement {
	start := p.take().start
	c := &Codegen{}
	if !p.is("(") {
		name := p.name("'(' and the loops, or a name for the generated function")
		c.Name = &name
	}
	p.expect("(", "before the loops")
	for !p.is(")") {
		c.Loops = append(c.Loops, p.expr())
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", "after the loops")
	if p.accept("->") {
		for {
			c.Outputs = append(c.Outputs, p.name("the name of an output"))
			if !p.accept(",") {
				break
			}
		}
	}
	if p.is("unchecked") {
		c.Unchecked = &Name{Pos: p.spanOf(p.take()), Name: "unchecked"}
	}
	c.Pos = p.from(start)
	return c
}
