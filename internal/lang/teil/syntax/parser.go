package syntax

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// keywords cannot be names, and neither can operations.
var keywords = [...]string{"alloc", "def", "param", "direct", "in", "out", "inout", "id", "fold"}

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
	Imports:   true,
	Foreign: []token.Foreign{
		{Characters: ";", Help: "sizes and arguments are separated by commas, and a statement ends with its line"},
		{Characters: "@", Help: "a product of matrices is red+ 2 (diag 2 3 (prod A B))"},
		{Characters: "{}", Help: "TeIL has no blocks; a def ends where the next begins"},
		{Characters: "<>!&|", Help: "comparisons and logic are operations: lt le gt ge eq ne and or not"},
	},
}

// Parse reads a file, which is never nil; it holds what could be read.
func Parse(file *source.File) (*File, *source.Diagnostics) {
	p := &parser{out: &File{Source: file}}
	p.Parser, p.out.Comments = language.NewParser(file)
	p.infix = p.operators()
	p.out.Imports = p.Imported()
	p.Declarations(p.line, p.begins)
	p.out.tokens = p.Tokens
	return p.out, p.Diagnostics
}

type parser struct {
	token.Parser
	infix   token.Infix[Expr]
	out     *File
	program *Program // the current one

	declared   map[string]*Op // operations that a program has declared
	declaredIn *Program
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
	case "fold":
		p.fold()
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
	case "def", "param", "alloc", "fold":
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
	if !p.Is("=") {
		p.Fail(fmt.Sprintf("a parameter is a number, param %[1]s = 64; a size that calls decide is only named, alloc A : [%[1]s] in", d.Name.Name), "'=' and the value of the size")
	}
	p.Take()
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
	if !p.Is(":") {
		p.Fail("each tensor has an allocation of its own: alloc "+a.Name.Name+" : [m, n]", "':' and the shape of %s", a.Name.Name)
	}
	p.Take()
	if t := p.Peek(); t.Kind == token.Word {
		p.Take()
		a.Type = &Name{Pos: p.SpanOf(t), Name: t.Text}
	}
	p.Expect("[", "and the sizes of the dimensions, such as [4, n], or [] for a scalar")
	p.List("]", "after the sizes", func() { a.Dims = append(a.Dims, p.size(true)) })
	a.Mark, a.MarkPos = p.mark()
	a.Pos = p.From(start)
	if len(program.Statements) > 0 {
		p.Report(a.Pos, "move it up", "the allocation of %s stands behind a statement, expected all allocations before the statements", a.Name.Name)
	}
	program.Allocs = append(program.Allocs, a)
}

// mark reads what may stand behind an allocation.
func (p *parser) mark() (Mark, source.Span) {
	t := p.Peek()
	var words []string
	for _, m := range []Mark{In, Out, InOut} {
		if t.Text == m.String() {
			p.Take()
			return m, p.SpanOf(t)
		}
		words = append(words, m.String())
	}
	if near := source.Suggest(t.Text, words); near != "" && t.Kind == token.Word && !t.Newline && !p.sameLineBegins() {
		p.Fail("did you mean "+near+"?", "in, out, inout or the end of the allocation")
	}
	return 0, source.Span{}
}

func (p *parser) statement() {
	program := p.current()
	start := p.Peek().Start
	s := &Statement{}
	if p.Accept("(") {
		p.Commas(func() { s.Targets = append(s.Targets, p.Name("the name of a tensor")) })
		p.Expect(")", "after the names that are assigned")
	} else {
		p.foreignStatement()
		s.Targets = []Name{p.Name(anyLine)}
	}
	const value = "'=' and the expression that is assigned"
	switch {
	case p.Is("("), p.Is("["):
		p.Fail("TeIL has no subscripts, a statement assigns a whole tensor: C = red+ 2 (diag 2 3 (prod A B))", value)
	case p.Is("+"), p.Is("-"), p.Is("*"):
		p.Fail(fmt.Sprintf("a statement assigns with = alone: what is accumulated is an operand, as in %[1]s = add %[1]s A, and a sum over a dimension is red+", s.Targets[0].Name), value)
	case p.Is(":"):
		p.Fail("a statement is written with = alone; the shape of a tensor stands in its allocation, alloc x : [n]", value)
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

// anyLine is what may stand at the beginning of a line.
const anyLine = "alloc, def, param, fold, or a statement such as x = e"

// foreignStatement refuses a line that begins with a comment of other languages, or with
// a word that is nearly one of TeIL.
func (p *parser) foreignStatement() {
	t, next := p.Peek(), p.Ahead(1)
	if t.Is("/") && (next.Is("/") || next.Is("*")) {
		p.Fail("comments start with -- or #", anyLine)
	}
	if near := source.Suggest(t.Text, []string{"alloc", "def", "param", "fold"}); near != "" && next.Kind == token.Word && !next.Newline {
		p.Fail("did you mean "+near+"?", anyLine)
	}
}

// surplus says what may have led to more text than an expression.
func (p *parser) surplus() string {
	first := p.beginning()
	for k := first; k+1 < p.At; k++ {
		if sign := p.Tokens[k+1]; p.Tokens[k].Is("red") && (sign.Is("+") || sign.Is("*")) {
			return "the operation is written red" + sign.Text + ", without a blank"
		}
	}
	switch p.Peek().Text {
	case "[":
		return "TeIL has no subscripts: proj i m e is slice m of dimension i, counted from 1"
	case "/":
		return "a quotient is div e0 e1"
	case "%":
		return "a remainder is mod e0 e1"
	case ",":
		return "operands stand behind an operation without commas: add A B"
	}
	if op, ok := Lookup(p.Tokens[first].Text); ok && !p.Is("(") {
		return "it is written " + op.Usage()
	}
	if p.Is("(") {
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

// beginning returns the place of the token with which the expression before the next token
// begins, in its parentheses.
func (p *parser) beginning() int {
	inner, k := 0, p.At-1
	for ; k > 0 && (inner > 0 || !p.Tokens[k-1].Is("=") && !p.Tokens[k-1].Is("(")); k-- {
		switch {
		case p.Tokens[k-1].Is(")"):
			inner++
		case p.Tokens[k-1].Is("("):
			inner--
		}
	}
	return k
}
