package syntax

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// keywords cannot be names, and neither can operations.
var keywords = [...]string{"alloc", "def", "param", "direct", "in", "out", "inout", "id"}

// IsReserved reports whether a word cannot be the name of a tensor or program.
func IsReserved(word string) bool {
	_, operation := Lookup(word)
	return operation || slices.Contains(keywords[:], word)
}

// The roles of tokens beyond those of all notations.
const (
	heading = token.OwnRole + iota // the first token of a program: def
	tight                          // a sign of a size without blanks around it
)

var language = token.Language{
	Code:      source.CodeTeILSyntax,
	Comments:  []string{"--", "#"},
	Signs:     token.Spellings("red+", "red*", "(", ")", "[", "]", ",", ":", "=", "+", "-", "*", "/", "%", "."),
	Point:     true,
	Reserved:  IsReserved,
	MaxDepth:  200,
	MaxHeight: 10000,
	TooDeep:   "assign parts of it to tensors of their own",
}

// Parse reads a file, which is never nil; it holds what could be read.
func Parse(file *source.File) (*File, *source.Diagnostics) {
	p := &parser{out: &File{Source: file}}
	p.Parser, p.out.Comments = language.NewParser(file)
	p.Missing = p.endOfLine
	p.infix = p.operators()
	p.Declarations(p.line, p.begins)
	p.out.tokens = p.Tokens
	return p.out, p.Diagnostics
}

type parser struct {
	token.Parser
	infix   token.Infix[Expr]
	out     *File
	program *Program // the current one
}

// endOfLine is the place of what is missing where the next line begins something else.
func (p *parser) endOfLine() (source.Span, string) {
	if p.At == 0 || !p.begins() || p.Peek().Role != token.Plain {
		return source.Span{}, ""
	}
	end := p.Tokens[p.At-1].End
	return source.Span{File: p.File, Start: end, End: end}, "the end of the line"
}

// sizeName reads a word; operations may be names of sizes.
func (p *parser) sizeName() Name {
	t := p.Peek()
	if t.Kind != token.Word || slices.Contains(keywords[:], t.Text) || strings.HasPrefix(t.Text, "red+") || strings.HasPrefix(t.Text, "red*") {
		p.Fail("", "the name of a size")
	}
	p.Take()
	return Name{Pos: p.SpanOf(t), Name: t.Text}
}

// line reads a declaration or statement.
func (p *parser) line() {
	t := p.Peek()
	t.Role = token.Beginning
	switch t.Text {
	case "def":
		t.Role = heading
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
	t := p.Peek()
	if !t.Newline {
		return false
	}
	switch t.Text {
	case "def", "param", "alloc":
		return true
	case "(":
		for n := 1; ; n += 2 {
			if p.Ahead(n).Kind != token.Word {
				return false
			}
			if p.Ahead(n+1).Text != "," {
				return p.Ahead(n+1).Text == ")" && p.Ahead(n+2).Text == "="
			}
		}
	}
	return t.Kind == token.Word && p.Ahead(1).Text == "="
}

func (p *parser) def() {
	p.closeProgram()
	start := p.Take().Start
	d := &Program{}
	p.program = d // what follows belongs to it even where its name is wrong
	d.Name = p.Name("the name of a program")
	if p.Is("direct") {
		d.Direct = &Name{Pos: p.SpanOf(p.Take()), Name: "direct"}
	}
	d.Pos = p.From(start)
	p.out.Programs = append(p.out.Programs, d)
}

// closeProgram checks that what stands before the first def are params.
func (p *parser) closeProgram() {
	if slices.ContainsFunc(p.out.Programs, func(d *Program) bool { return d == p.program && d.Name.Name == "" }) {
		p.Report(p.program.Pos, "begin the file with def NAME", "a program without a name stands before a def")
	}
}

// current returns the program to which a line belongs, which has no name where there
// was no def.
func (p *parser) current() *Program {
	if p.program == nil {
		p.program = &Program{Pos: p.SpanOf(p.Peek())}
		p.out.Programs = append(p.out.Programs, p.program)
	}
	return p.program
}

func (p *parser) param() {
	start := p.Take().Start
	d := &Param{Name: p.sizeName()}
	p.Expect("=", "and the value of the size")
	d.Value = p.size(false)
	d.Pos = p.From(start)
	if p.program == nil {
		p.out.Params = append(p.out.Params, d)
		return
	}
	p.program.Params = append(p.program.Params, d)
}

func (p *parser) alloc() {
	program := p.current()
	start := p.Take().Start
	a := &Alloc{Name: p.Name("the name of a tensor")}
	p.Expect(":", "and the shape of "+a.Name.Name)
	if t := p.Peek(); t.Kind == token.Word {
		p.Take()
		a.Type = &Name{Pos: p.SpanOf(t), Name: t.Text}
	}
	p.Expect("[", "and the sizes of the dimensions, such as [4, n], or [] for a scalar")
	p.List("]", "after the sizes", func() { a.Dims = append(a.Dims, p.size(true)) })
	for _, m := range []Mark{In, Out, InOut} {
		if t := p.Peek(); t.Text == m.String() {
			p.Take()
			a.Mark, a.MarkPos = m, p.SpanOf(t)
			break
		}
	}
	a.Pos = p.From(start)
	if len(program.Statements) > 0 {
		p.Report(a.Pos, "move it up", "the allocation of %s stands behind a statement, expected all allocations before the statements", a.Name.Name)
	}
	program.Allocs = append(program.Allocs, a)
}

func (p *parser) statement() {
	program := p.current()
	start := p.Peek().Start
	s := &Statement{}
	if p.Accept("(") {
		p.Commas(func() { s.Targets = append(s.Targets, p.Name("the name of a tensor")) })
		p.Expect(")", "after the names that are assigned")
	} else {
		s.Targets = []Name{p.Name("alloc, def, param, or a statement such as x = e")}
	}
	if p.Is("(") || p.Is("[") {
		p.Fail("TeIL has no subscripts, a statement assigns a whole tensor: C = red+ 2 (diag 2 3 (prod A B))", "'=' and the expression that is assigned")
	}
	p.Expect("=", "and the expression that is assigned")
	s.Value = p.expr()
	if t := p.Peek(); t.Kind != token.End && !p.begins() && !p.sameLineBegins() {
		p.Fail(p.surplus(), "the end of the statement")
	}
	s.Pos = p.From(start)
	program.Statements = append(program.Statements, s)
}

// sameLineBegins reports whether another statement or declaration begins in the
// middle of a line, as the paper writes several in one.
func (p *parser) sameLineBegins() bool {
	t := *p.Peek()
	newline := t.Newline
	p.Tokens[p.At].Newline = true
	ok := p.begins()
	p.Tokens[p.At].Newline = newline
	return ok
}

// surplus says what may have led to more text than an expression.
func (p *parser) surplus() string {
	switch p.Peek().Text {
	case "[":
		return "TeIL has no subscripts: proj i m e is slice m of dimension i, counted from 1"
	case "(":
		return "only a name or an operator in parentheses is applied: (A * B)(u)"
	}
	if before := p.Tokens[p.At-1]; before.Kind == token.Word && !IsReserved(before.Text) {
		if near := SuggestOperation(before.Text); near != "" {
			return fmt.Sprintf("%s is no operation; did you mean %s?", before.Text, near)
		}
		if !slices.ContainsFunc(p.current().Allocs, func(a *Alloc) bool { return a.Name.Name == before.Text }) {
			return before.Text + " is no operation; docs/teil.md has a table of them"
		}
	}
	return "operations take as many operands as the table in docs/teil.md says"
}
