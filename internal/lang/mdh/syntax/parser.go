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
	"record": true, "const": true, "fun": true, "op": true, "let": true, "if": true, "then": true, "else": true,
	"iterate": true, "with": true, "while": true, "do": true, "identity": true, "assume": true, "ordered": true,
	"out_view": true, "md_hom": true, "inp_view": true, "true": true, "false": true, "and": true, "or": true, "not": true,
}

// IsKeyword reports whether a word cannot be a name.
func IsKeyword(word string) bool { return keywords[word] }

// Parse reads a program. The file is never nil; it holds the declarations that
// could be read.
func Parse(file *source.File) (*File, *source.Diagnostics) {
	p := &parser{file: file, diagnostics: &source.Diagnostics{}, out: &File{Source: file}}
	p.tokens, p.out.Comments = scan(file, p.diagnostics)
	for p.peek().kind != tokenEnd {
		p.declaration()
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

// bailout ends a declaration after an error.
type bailout struct{}

func (p *parser) peek() *token { return &p.tokens[p.at] }

func (p *parser) ahead(n int) *token { return &p.tokens[min(p.at+n, len(p.tokens)-1)] }

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

// fail reports what stands at the next token and ends the declaration.
func (p *parser) fail(help, format string, args ...any) {
	t := p.peek()
	if len(p.diagnostics.List) < maxErrors {
		d := p.diagnostics.Errorf(source.CodeMDHSyntax, p.spanOf(t), "found %s, expected %s", found(t), fmt.Sprintf(format, args...))
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

func (p *parser) open(text, where string) {
	p.expect(text, where).role = angle
}

// list reads items that are separated by commas up to the closing sign; a comma
// may stand before it.
func (p *parser) list(closing, where string, item func()) {
	for !p.is(closing) {
		item()
		if !p.accept(",") {
			break
		}
	}
	p.expect(closing, where).role = p.closingRole(closing)
}

func (p *parser) closingRole(closing string) role {
	if closing == ">" {
		return angle
	}
	return plain
}

// declaration reads one declaration; after an error it skips to the next line
// that begins one.
func (p *parser) declaration() {
	start := p.at
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bailout); !ok {
				panic(r)
			}
			p.depth = 0
			p.at = max(p.at, start+1)
			for p.peek().kind != tokenEnd && !p.beginsDeclaration() {
				p.at++
			}
		}
	}()
	p.peek().starts = true
	switch p.peek().text {
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
	t := p.peek()
	if !t.newline || t.kind != tokenWord {
		return false
	}
	switch t.text {
	case "record", "const", "fun", "op":
		return true
	case "o", "out_view", "md_hom", "inp_view":
		return false
	}
	atMargin := p.file.Position(t.start).Column == 1
	return p.ahead(1).text == ":=" || atMargin && p.ahead(1).text == "<"
}

func (p *parser) record() {
	start := p.take().start
	r := &Record{Name: p.name("the name of a record")}
	p.expect("{", "before the fields of the record")
	p.list("}", "after the fields of the record", func() {
		field := &Field{Name: p.name("the name of a field")}
		p.expect(":", "and a type after the field")
		field.Type = p.name("the type of the field")
		r.Fields = append(r.Fields, field)
	})
	r.Pos = p.from(start)
	p.out.Records = append(p.out.Records, r)
}

func (p *parser) constant() {
	start := p.take().start
	c := &Constant{Name: p.name("the name of a constant")}
	c.Type = p.optionalType()
	p.expect("=", "and a value after the constant")
	c.Value = p.expr()
	c.Pos = p.from(start)
	p.out.Constants = append(p.out.Constants, c)
}

func (p *parser) optionalType() *Name {
	if !p.accept(":") {
		return nil
	}
	t := p.name("a type")
	return &t
}

func (p *parser) function() *Function {
	start := p.take().start
	f := &Function{Name: p.name("the name of a function"), Types: p.typeNames()}
	p.expect("(", "before the parameters")
	p.parameters(f)
	p.expect("=", "and the value of the function")
	f.Body = p.expr()
	f.Pos = p.from(start)
	return f
}

// typeNames reads <T, U>.
func (p *parser) typeNames() (list []Name) {
	if !p.is("<") {
		return nil
	}
	p.open("<", "")
	p.list(">", "after the type parameters", func() { list = append(list, p.name("a type parameter")) })
	return list
}

// parameters reads x: T, y | i, j) after the opening parenthesis.
func (p *parser) parameters(f *Function) {
	for !p.is(")") && !p.is("|") {
		f.Params = append(f.Params, p.param())
		if !p.accept(",") {
			break
		}
	}
	if p.accept("|") {
		for {
			f.Indices = append(f.Indices, p.name("the name of an index"))
			if !p.accept(",") {
				break
			}
		}
	}
	p.expect(")", "after the parameters")
}

func (p *parser) param() *Param {
	return &Param{Pattern: p.pattern(), Type: p.optionalType()}
}

func (p *parser) pattern() *Pattern {
	start := p.peek().start
	if !p.accept("(") {
		n := p.name("a name")
		return &Pattern{Pos: n.Pos, Name: n.Name}
	}
	p.enter()
	defer p.leave()
	pattern := &Pattern{Parts: []*Pattern{}}
	p.list(")", "after the names", func() { pattern.Parts = append(pattern.Parts, p.pattern()) })
	pattern.Pos = p.from(start)
	return pattern
}

func (p *parser) operator() {
	start := p.take().start
	o := &Operator{Name: p.name("the name of an operator"), Types: p.typeNames()}
	p.expect("(", "before the two operands")
	o.Left = p.param()
	p.expect(",", "between the two operands")
	o.Right = p.param()
	p.expect(")", "after the two operands")
	p.expect("=", "and the value of the operator")
	o.Body = p.expr()
	if p.accept("identity") {
		o.Identity = p.expr()
	}
	o.Assumed, o.Ordered = p.laws()
	o.Pos = p.from(start)
	p.out.Operators = append(p.out.Operators, o)
}

// laws reads "assume associative, commutative" and "ordered".
func (p *parser) laws() (assumed []Name, ordered *Name) {
	if p.accept("assume") {
		for {
			assumed = append(assumed, p.name("a law: associative, commutative or exchange"))
			if !p.is(",") || !isLaw(p.ahead(1).text) {
				break
			}
			p.take()
		}
	}
	if p.is("ordered") {
		ordered = &Name{Pos: p.spanOf(p.take()), Name: "ordered"}
	}
	return assumed, ordered
}

func isLaw(word string) bool {
	return word == "associative" || word == "commutative" || word == "exchange"
}
