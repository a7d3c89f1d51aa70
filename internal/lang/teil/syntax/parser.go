package syntax

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// maxDepth is how deep expressions may be nested.
const maxDepth = 200

// keywords cannot be names, and neither can operations.
var keywords = [...]string{"alloc", "def", "param", "direct", "in", "out", "inout", "id"}

// IsReserved reports whether a word cannot be the name of a tensor or program.
func IsReserved(word string) bool {
	_, operation := Lookup(word)
	return operation || slices.Contains(keywords[:], word)
}

// Parse reads a file, which is never nil; it holds what could be read.
func Parse(file *source.File) (*File, *source.Diagnostics) {
	p := &parser{file: file, diagnostics: &source.Diagnostics{}, out: &File{Source: file}}
	p.tokens, p.out.Comments = scan(file, p.diagnostics)
	for p.peek().kind != tokenEnd {
		p.line()
	}
	p.out.tokens = p.tokens
	return p.out, p.diagnostics
}

type parser struct {
	file        *source.File
	diagnostics *source.Diagnostics
	out         *File
	program     *Program // the current one
	tokens      []token
	at          int
	depth       int
}

// bailout ends a line after an error.
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

func (p *parser) is(text string) bool { return p.peek().text == text }

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

// fail reports what stands at the next token and ends the line.
func (p *parser) fail(help, format string, args ...any) {
	pos, what := p.spanOf(p.peek()), found(p.peek())
	if p.at > 0 && p.begins() && p.peek().role == plain {
		pos.Start, what = p.tokens[p.at-1].end, "the end of the line"
		pos.End = pos.Start
	}
	p.report(pos, help, "found %s, expected %s", what, fmt.Sprintf(format, args...))
	panic(bailout{})
}

func (p *parser) report(pos source.Span, help, format string, args ...any) {
	if len(p.diagnostics.List) >= maxErrors {
		return
	}
	d := p.diagnostics.Errorf(source.CodeTeILSyntax, pos, format, args...)
	if help != "" {
		d.WithHelp("%s", help)
	}
}

func (p *parser) expect(text, where string) {
	if !p.accept(text) {
		p.fail("", "'%s' %s", text, where)
	}
}

// name reads a word that is not reserved.
func (p *parser) name(what string) Name {
	t := p.peek()
	if t.kind != tokenWord || IsReserved(t.text) {
		help := ""
		if t.kind == tokenWord {
			help = t.text + " is a word of the language and cannot be a name"
		}
		p.fail(help, "%s", what)
	}
	p.take()
	return Name{Pos: p.spanOf(t), Name: t.text}
}

// sizeName reads a word; operations may be names of sizes.
func (p *parser) sizeName() Name {
	t := p.peek()
	if t.kind != tokenWord || slices.Contains(keywords[:], t.text) || strings.HasPrefix(t.text, "red+") || strings.HasPrefix(t.text, "red*") {
		p.fail("", "the name of a size")
	}
	p.take()
	return Name{Pos: p.spanOf(t), Name: t.text}
}

// line reads a declaration or statement; after an error it goes on at the next line
// that begins one.
func (p *parser) line() {
	start := p.at
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bailout); !ok {
				panic(r)
			}
			p.depth = 0
			p.at = max(p.at, start+1)
			for p.peek().kind != tokenEnd && !p.begins() {
				p.at++
			}
		}
	}()
	t := p.peek()
	t.role = beginning
	switch t.text {
	case "def":
		t.role = heading
		p.def()
	case "param":
		p.param()
	case "alloc":
		p.alloc()
	default:
		p.statement()
	}
}

// begins reports whether the next token stands at the start of a line that looks
// like a declaration or statement.
func (p *parser) begins() bool {
	t := p.peek()
	if !t.newline {
		return false
	}
	switch t.text {
	case "def", "param", "alloc":
		return true
	case "(":
		for n := 1; ; n += 2 {
			if p.ahead(n).kind != tokenWord {
				return false
			}
			if p.ahead(n+1).text != "," {
				return p.ahead(n+1).text == ")" && p.ahead(n+2).text == "="
			}
		}
	}
	return t.kind == tokenWord && p.ahead(1).text == "="
}

func (p *parser) def() {
	p.closeProgram()
	start := p.take().start
	d := &Program{Name: p.name("the name of a program")}
	if p.is("direct") {
		d.Direct = &Name{Pos: p.spanOf(p.take()), Name: "direct"}
	}
	d.Pos = p.from(start)
	p.program = d
	p.out.Programs = append(p.out.Programs, d)
}

// closeProgram checks that what stands before the first def are params.
func (p *parser) closeProgram() {
	if p.program != nil && p.program.Name.Name == "" {
		p.report(p.program.Pos, "begin the file with def NAME", "a program without a name stands before a def")
	}
}

// current returns the program to which a line belongs, which has no name where there
// was no def.
func (p *parser) current() *Program {
	if p.program == nil {
		p.program = &Program{Pos: p.spanOf(p.peek())}
		p.out.Programs = append(p.out.Programs, p.program)
	}
	return p.program
}

func (p *parser) param() {
	start := p.take().start
	d := &Param{Name: p.sizeName()}
	p.expect("=", "and the value of the size")
	d.Value = p.size(false)
	d.Pos = p.from(start)
	if p.program == nil {
		p.out.Params = append(p.out.Params, d)
		return
	}
	p.program.Params = append(p.program.Params, d)
}

func (p *parser) alloc() {
	program := p.current()
	start := p.take().start
	a := &Alloc{Name: p.name("the name of a tensor")}
	p.expect(":", "and the shape of "+a.Name.Name)
	if t := p.peek(); t.kind == tokenWord {
		p.take()
		a.Type = &Name{Pos: p.spanOf(t), Name: t.text}
	}
	p.expect("[", "and the sizes of the dimensions, such as [4, n], or [] for a scalar")
	for !p.is("]") {
		a.Dims = append(a.Dims, p.size(true))
		if !p.accept(",") {
			break
		}
	}
	p.expect("]", "after the sizes")
	for _, m := range []Mark{In, Out, InOut} {
		if t := p.peek(); t.text == m.String() {
			p.take()
			a.Mark, a.MarkPos = m, p.spanOf(t)
			break
		}
	}
	a.Pos = p.from(start)
	if len(program.Statements) > 0 {
		p.report(a.Pos, "move it up", "the allocation of %s stands behind a statement, expected all allocations before the statements", a.Name.Name)
	}
	program.Allocs = append(program.Allocs, a)
}

func (p *parser) statement() {
	program := p.current()
	start := p.peek().start
	s := &Statement{}
	if p.accept("(") {
		for {
			s.Targets = append(s.Targets, p.name("the name of a tensor"))
			if !p.accept(",") {
				break
			}
		}
		p.expect(")", "after the names that are assigned")
	} else {
		s.Targets = []Name{p.name("alloc, def, param, or a statement such as x = e")}
	}
	p.expect("=", "and the expression that is assigned")
	s.Value = p.expr()
	if t := p.peek(); t.kind != tokenEnd && !p.begins() && !p.sameLineBegins() {
		p.fail(p.surplus(), "the end of the statement")
	}
	s.Pos = p.from(start)
	program.Statements = append(program.Statements, s)
}

// sameLineBegins reports whether another statement or declaration begins in the
// middle of a line, as the paper writes several in one.
func (p *parser) sameLineBegins() bool {
	t := *p.peek()
	newline := t.newline
	p.tokens[p.at].newline = true
	ok := p.begins()
	p.tokens[p.at].newline = newline
	return ok
}

// surplus says what may have led to more text than an expression.
func (p *parser) surplus() string {
	if p.peek().text == "(" {
		return "only a name or an operator in parentheses is applied: (A * B)(u)"
	}
	if before := p.tokens[p.at-1]; before.kind == tokenWord && !IsReserved(before.text) {
		if near := SuggestOperation(before.text); near != "" {
			return fmt.Sprintf("%s is no operation; did you mean %s?", before.text, near)
		}
	}
	return "operations take as many operands as the table in docs/teil.md says"
}
