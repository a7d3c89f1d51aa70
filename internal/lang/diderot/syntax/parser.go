package syntax

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// Parse reads a program. The file is never nil; it holds what could be read.
func Parse(file *source.File) (*File, *source.Diagnostics) {
	p := &parser{out: &File{Source: file, Program: &Program{}, levels: map[int]int{}}}
	p.Parser, p.out.Comments = languageOf(V2).NewParser(file)
	p.grammar = &grammarV2
	if p.version() == V1 {
		p.grammar, p.Language = &grammarV1, languageOf(V1)
	}
	p.infix = token.Infix[Expr]{Levels: infix, Operand: p.prefix, Join: func(start int, t *token.Token, x, y Expr) Expr {
		return &Binary{Pos: p.From(start), Op: p.sign(t), X: x, Y: y}
	}}
	p.Declarations(p.item, p.begins)
	p.complete()
	p.out.Program.Pos = source.Span{File: file, Start: p.Tokens[0].Start, End: p.From(p.Tokens[0].Start).End}
	p.out.tokens = p.Tokens
	return p.out, p.Diagnostics
}

type parser struct {
	token.Parser
	out     *File
	grammar *grammar
	infix   token.Infix[Expr]
	last    *part // of the program that was begun last; nil before the first
	inside  int   // how many statements and members of the strand are open
	level   int   // of indentation
	ranges  bool  // the next expression of version 1.0 is the end of a range
}

// A grammar is what one version has that the other has not, where both have the same place for it.
type grammar struct {
	version   string
	parts     []part
	others    map[string]string // words that begin a part in the other version, and what is written instead
	sequence  [2]string         // the brackets of sequence types
	dimension func(*parser) Expr
	param     func(*parser) Type
	global    func(*parser, *Variable) Global // reads what stands behind the name
	input     func(*parser) Expr              // the default of an input
	suffix    func(*parser) Expr
	path      func(*parser) Expr // of a file
	foreach   func(*parser) Stmt // the body
}

// version reads the version line, and returns the version of the program. Without one it is 1.0, unless the program
// has words of 2.0.
func (p *parser) version() string {
	for n := range p.Tokens {
		if t := &p.Tokens[n]; t.Kind == versionToken {
			p.out.Program.Version = p.versionOf(t)
			return p.out.Program.Version
		}
	}
	start := source.Span{File: p.File}
	for n := range p.Tokens {
		if t := &p.Tokens[n]; t.Kind == token.Word && onlyV2[t.Text] {
			p.Errorf(source.CodeDiderotVersion, start, "the program has no version line, and has %s of version 2.0", t.Text).
				WithHelp("a program without one is of version 1.0: write #version 2.0 as the first line").
				WithNote(p.SpanOf(t), "this is of version 2.0")
			p.out.Program.Version = V2
			return V2
		}
	}
	p.Diagnostics.Warnf(source.CodeDiderotNoVersion, start, "the program has no version line: it is read as version 1.0").
		WithHelp("write #version 1.0, or #version 2.0, as the first line")
	p.out.Program.Version = V1
	return V1
}

// versionOf reads a version line.
func (p *parser) versionOf(t *token.Token) string {
	t.Role = token.Beginning
	switch t.Text {
	case "1", V1:
		return V1
	case "2", V2:
		return V2
	}
	what := "#version " + t.Text
	if t.Text == "" {
		what = "#version without a number"
	}
	if !t.Damaged {
		p.Errorf(source.CodeDiderotVersion, p.SpanOf(t), "%s is not a version of the language", what).
			WithHelp("the versions are 1.0 and 2.0; nothing else stands in the line")
	}
	if strings.HasPrefix(t.Text, "1") {
		return V1
	}
	return V2
}

// sign returns a token as a name.
func (p *parser) sign(t *token.Token) Name { return Name{Pos: p.SpanOf(t), Name: t.Text} }

// expect passes a sign or word; where it does not stand, the help says what is often meant by what does.
func (p *parser) expect(text, where string) *token.Token {
	if !p.Is(text) {
		p.Fail(p.meant(), "%s", strings.TrimSpace("'"+text+"' "+where))
	}
	return p.Take()
}

// closing passes the bracket at the end of a list.
func (p *parser) closing(text, where string) *token.Token {
	if p.Is(";") || p.Is("=") || p.Is("||") {
		help := p.meant()
		if p.Is(";") {
			help = "the statement ends here, and the bracket is open"
		}
		p.Fail(help, "'%s' %s", text, where)
	}
	return p.Closing(text, where)
}

const bars = "two bars side by side are the operator or: a blank stands between those of two norms, | |x| - 1.0 |"

// meant says what is often meant by the next token, empty if nothing is known.
func (p *parser) meant() string {
	t := p.Peek()
	switch {
	case t.Is("=") && p.Ahead(1).Is(">") || t.Is("=") && p.Ahead(1).Is("<"):
		return "comparisons are written <= and >="
	case t.Is("="):
		return "a comparison is written =="
	case t.Is("||"):
		return bars
	case t.Is("#") && p.Ahead(1).Is("version"):
		return "the version line is #version 2.0, without a blank behind #"
	case t.Is("#"):
		return "comments start with // or stand between /* and */"
	case t.Is(">") && p.At > 0 && p.Tokens[p.At-1].Is("<"):
		return "unequal is written !="
	case t.Kind == token.Word && otherSigns[t.Text] != "":
		return "write " + otherSigns[t.Text]
	case t.Is("∇") && (p.Ahead(1).Is("⊗") || p.Ahead(1).Is("•") || p.Ahead(1).Is("×")):
		return "∇" + p.Ahead(1).Text + " is written without a blank"
	case t.Is("^") && p.At > 0 && p.Tokens[p.At-1].Is("^"):
		return "a power is written x^2"
	}
	return ""
}

// guarded reads a statement or a member of the strand; after a mistake it goes on behind that.
func (p *parser) guarded(read func()) {
	start, level := p.At, p.level
	p.Guard(func() {
		p.inside++
		defer func() { p.inside-- }()
		read()
	}, func() {
		p.level = level
		p.skip(start)
	})
}

// skip passes the rest of a statement of which the tokens from start on are read: up to its semicolon, or the brace
// that ends its block, or before one that ends the block around it, or another statement on a line of its own. Braces
// that were open where the mistake is belong to an expression.
func (p *parser) skip(start int) {
	open := 0 // braces of the expression
	for k := start; k < p.At; k++ {
		switch t := &p.Tokens[k]; {
		case t.Is("{"):
			open++
		case t.Is("}"):
			open = max(0, open-1)
		}
	}
	for inner := 0; p.Peek().Kind != token.End; {
		t := p.Peek()
		switch {
		case inner == 0 && (p.beginsItem() || p.beginsStatement()):
			return
		case t.Is("{"):
			inner++
		case t.Is("}") && inner == 0 && open == 0:
			return
		case t.Is("}") && inner > 0:
			if inner--; inner == 0 && open == 0 {
				p.Take()
				if next := p.Peek(); p.Accept(";") || next.Newline && !next.Is("else") {
					return
				}
				continue
			}
		case t.Is("}"):
			open--
		case t.Is(";") && inner == 0:
			p.Take()
			return
		}
		p.Take()
	}
}

// begins reports whether the next token begins a line, and what can stand where the parser is.
func (p *parser) begins() bool {
	if p.inside > 0 {
		return p.beginsStatement() || p.beginsItem()
	}
	return p.beginsItem()
}

// beginsItem reports whether the next token looks like the beginning of a part of the program: a word at the margin,
// or one that stands nowhere else.
func (p *parser) beginsItem() bool {
	t := p.Peek()
	if t.Kind == versionToken {
		return true
	}
	if t.Kind != token.Word || !t.Newline {
		return false
	}
	switch t.Text {
	case "strand", "create_array", "create_collection", "function", "input":
		return p.Language.Reserved(t.Text)
	case "initially":
		return true
	}
	return p.File.Position(t.Start).Column == 1 && !memberWords[t.Text] && t.Text != "else"
}

// beginsStatement reports whether the next token begins a line and looks like a statement.
func (p *parser) beginsStatement() bool {
	t := p.Peek()
	if t.Kind != token.Word || !t.Newline {
		return false
	}
	if p.Language.Reserved(t.Text) {
		return statementWords[t.Text] || typeWords[t.Text] && !p.Ahead(1).Is("(") && t.Text != "image"
	}
	next := p.Ahead(1)
	return assignments[next.Text] || next.Kind == token.Word && !p.Language.Reserved(next.Text)
}

// item reads a part of the program, which begins a line of its own where the text is formatted.
func (p *parser) item() {
	p.level = 0
	if p.Peek().Kind == versionToken {
		p.Take()
		return
	}
	p.beginning()
	if p.Is("import") && p.Ahead(1).Kind == stringToken {
		p.importing()
		return
	}
	p.part()
}

// importing reads an import. The word is none of the language, so it may be a name elsewhere.
func (p *parser) importing() {
	start := p.Take()
	i := &Import{Path: p.stringLiteral()}
	i.Pos = p.From(start.Start)
	p.Accept(";")
	if p.last != nil {
		p.Errorf(source.CodeDiderotOrder, i.Pos, "an import stands behind %s", p.last.what).WithHelp("imports stand behind the version line, before everything else")
	}
	p.out.Program.Imports = append(p.out.Program.Imports, i)
}

// beginning notes that the next token begins a statement, for the formatter.
func (p *parser) beginning() {
	t := p.Peek()
	t.Role = token.Beginning
	p.out.levels[t.Start] = p.level
}
