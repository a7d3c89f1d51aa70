package token

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// A Parser is a place in the tokens of a text.
type Parser struct {
	Language    *Language
	File        *source.File
	Diagnostics *source.Diagnostics
	Tokens      []Token
	At          int
	Depth       int         // of nested expressions
	height      int         // of the expression that was read last, in operators
	errors      int         // reported by the parser
	start       int         // the first token of what is guarded
	begins      func() bool // whether the next token begins another declaration
}

// NewParser scans a file, and returns a parser at its first token and the comments.
func (l *Language) NewParser(file *source.File) (Parser, []Comment) {
	p := Parser{Language: l, File: file, Diagnostics: &source.Diagnostics{}}
	tokens, comments := l.Scan(file, 0, len(file.Text), p.Diagnostics)
	p.Tokens = tokens
	return p, comments
}

// Peek returns the next token.
func (p *Parser) Peek() *Token { return &p.Tokens[p.At] }

// Ahead returns the token that is n places behind the next one, or the last one.
func (p *Parser) Ahead(n int) *Token { return &p.Tokens[min(p.At+n, len(p.Tokens)-1)] }

// Take returns the next token and passes it, but never the end.
func (p *Parser) Take() *Token {
	t := p.Peek()
	if t.Kind != End {
		p.At++
	}
	return t
}

// SpanOf returns the place of a token.
func (p *Parser) SpanOf(t *Token) source.Span {
	return source.Span{File: p.File, Start: t.Start, End: t.End}
}

// From returns the text from an offset to the end of the last token passed.
func (p *Parser) From(start int) source.Span {
	end := start
	if p.At > 0 {
		end = max(start, p.Tokens[p.At-1].End)
	}
	return source.Span{File: p.File, Start: start, End: end}
}

// Is reports whether the next token is a sign or word.
func (p *Parser) Is(text string) bool { return p.Peek().Is(text) }

// Accept passes a sign or word if it is next.
func (p *Parser) Accept(text string) bool {
	if p.Is(text) {
		p.Take()
		return true
	}
	return false
}

// Expect passes a sign or word, without which it fails; where says what it stands before
// or behind.
func (p *Parser) Expect(text, where string) *Token {
	if !p.Is(text) {
		p.Fail("", "%s", strings.TrimSpace("'"+text+"' "+where))
	}
	return p.Take()
}

// Commas reads items that are separated by commas, at least one.
func (p *Parser) Commas(item func()) {
	for again := true; again; again = p.Accept(",") {
		item()
	}
}

// List reads items that are separated by commas up to the closing sign, which it
// returns; a comma may stand before it.
func (p *Parser) List(closing, where string, item func()) *Token {
	for !p.Is(closing) {
		item()
		if !p.Accept(",") {
			break
		}
	}
	return p.Closing(closing, where)
}

// Closing passes the sign that closes a list. Where another item stands instead, a comma may be missing.
func (p *Parser) Closing(closing, where string) *Token {
	if t := p.Peek(); (t.Kind == Word || t.Kind == Number) && !t.Newline && (closing == ">" || p.closes()) {
		p.Fail("", "%s", strings.TrimSpace("',' or '"+closing+"' "+where))
	}
	return p.Expect(closing, where)
}

// Name reads a word that is not reserved.
func (p *Parser) Name(what string) Name {
	t := p.Peek()
	if t.Kind != Word || p.Language.Reserved(t.Text) {
		help := ""
		if t.Kind == Word {
			help = t.Text + " is a word of the language and cannot be a name"
		}
		p.Fail(help, "%s", what)
	}
	p.Take()
	return Name{Pos: p.SpanOf(t), Name: t.Text}
}

// NewName takes a name that the program defines.
func (p *Parser) NewName(what string) Name {
	if t := p.Peek(); t.Kind == Word && strings.ContainsAny(t.Text, p.Language.Given) {
		p.Fail(t.Text+" is the name of something that Ricci makes; new names have letters, digits and _", "%s", what)
	}
	return p.Name(what)
}

// Enter counts the depth of an expression; Leave goes with it.
func (p *Parser) Enter() {
	if p.Depth++; p.Depth > p.Language.MaxDepth {
		p.tooDeep(p.Peek(), "the expression is nested more than %d deep", p.Language.MaxDepth)
	}
}

// tooDeep reports at a token what is too deep for the stack, and bails out.
func (p *Parser) tooDeep(t *Token, format string, most int) {
	if !t.Damaged {
		p.Errorf(cmp.Or(p.Language.CodeTooDeep, p.Language.Code), p.SpanOf(t), format, most).WithHelp("%s", p.Language.TooDeep)
	}
	p.Bail()
}

// Leave ends what Enter began.
func (p *Parser) Leave() { p.Depth-- }

// bailout leaves what cannot be understood.
type bailout struct{}

// Bail leaves what is being read, up to the Guard around it. The mistake is reported.
func (p *Parser) Bail() { panic(bailout{}) }

// Fail reports that what is expected does not stand here, and bails out. What the scanner has
// reported is not reported again.
func (p *Parser) Fail(help, format string, args ...any) {
	if p.Peek().Damaged {
		p.Bail()
	}
	pos, found := p.found()
	d := p.Report(pos, cmp.Or(help, p.foreign(found)), "found %s, expected %s", found, fmt.Sprintf(format, args...))
	if open := p.unclosed(); open != nil {
		d.WithNote(p.SpanOf(open), "this %s is not closed", open.Text)
	}
	p.Bail()
}

// found returns the place of what stands next and what it is, for a message about what is
// missing before it. Where the text ends there, or another declaration begins, the place is
// behind the last token.
func (p *Parser) found() (source.Span, string) {
	switch t := p.Peek(); {
	case t.Kind == End:
		return p.Place(t), "the end of the file"
	case p.At > p.start && t.Newline && p.begins != nil && p.begins():
		return p.behind(), "the end of the line"
	case t.Is("=") && p.Ahead(1).Is(">") && p.Ahead(1).Start == t.End:
		return source.Span{File: p.File, Start: t.Start, End: t.End + 1}, "'=>'"
	default:
		return p.SpanOf(t), "'" + p.File.Text[t.Start:t.End] + "'"
	}
}

// foreign explains a sign of other languages; empty for others.
func (p *Parser) foreign(found string) string {
	isArrow := func(s Spelling) bool { return s.ASCII == "->" }
	switch {
	case found == "'=>'" && slices.ContainsFunc(p.Language.Signs, isArrow):
		return "an arrow is written ->"
	case found == "';'" && p.open() != nil:
		return "what stands in brackets is separated by commas"
	}
	return ""
}

// Place returns the place of a token, and for the end of the text the one behind the last
// token, which is on the line that lacks something.
func (p *Parser) Place(t *Token) source.Span {
	if t.Kind == End && p.At > 0 {
		return p.behind()
	}
	return p.SpanOf(t)
}

// behind is the place behind the last token that was passed.
func (p *Parser) behind() source.Span {
	end := p.Tokens[p.At-1].End
	return source.Span{File: p.File, Start: end, End: end}
}

// brackets has the opening bracket of each closing one.
var brackets = map[string]string{")": "(", "]": "[", "}": "{"}

// unclosed returns the bracket that is open where what stands next does not belong into it: at
// the end, on another line, where another bracket is closed, or on a line that does not close it.
// Nil if there is none.
func (p *Parser) unclosed() *Token {
	next, t := p.Peek(), p.open()
	if t != nil && brackets[next.Text] != t.Text && (next.Kind == End || brackets[next.Text] != "" ||
		strings.Contains(p.File.Text[t.Start:next.Start], "\n") || !p.closes()) {
		return t
	}
	return nil
}

// open returns the innermost bracket around the next token, nil if there is none.
func (p *Parser) open() *Token {
	inner := 0
	for k := p.At - 1; k >= p.start; k-- {
		switch t := &p.Tokens[k]; {
		case t.Kind == Number:
		case brackets[t.Text] != "":
			inner++
		case isOpening(t) && inner == 0:
			return t
		case isOpening(t):
			inner--
		}
	}
	return nil
}

func isOpening(t *Token) bool { return t.Is("(") || t.Is("[") || t.Is("{") }

// closes reports whether the rest of the line closes a bracket that is open.
func (p *Parser) closes() bool {
	inner := 0
	for k := p.At; p.Tokens[k].Kind != End && (k == p.At || !p.Tokens[k].Newline); k++ {
		switch t := &p.Tokens[k]; {
		case isOpening(t):
			inner++
		case brackets[t.Text] != "" && inner == 0:
			return true
		case brackets[t.Text] != "":
			inner--
		}
	}
	return false
}

// Report adds an error of the syntax and returns it.
func (p *Parser) Report(pos source.Span, help, format string, args ...any) *source.Diagnostic {
	d := p.Errorf(p.Language.Code, pos, format, args...)
	if help != "" {
		d.WithHelp("%s", help)
	}
	return d
}

// Errorf adds an error, unless there are too many, and returns it.
func (p *Parser) Errorf(code source.Code, pos source.Span, format string, args ...any) *source.Diagnostic {
	if p.errors++; p.errors > maxErrors {
		return &source.Diagnostic{}
	}
	return p.Diagnostics.Errorf(code, pos, format, args...)
}

// Guard runs a parse function and, when it bails out, the recovery. At least one token
// is passed then.
func (p *Parser) Guard(parse, recovery func()) {
	start, depth, outer := p.At, p.Depth, p.start
	p.start = start
	defer func() {
		p.start = outer
		if r := recover(); r != nil {
			if _, ok := r.(bailout); !ok {
				panic(r)
			}
			p.Depth = depth
			if p.At == start {
				p.Take()
			}
			recovery()
		}
	}()
	parse()
}

// Imported reads the imports, which stand before all declarations; Declarations reports those behind.
func (p *Parser) Imported() (list []Imported) {
	for ; p.Peek().Kind == Import; p.Take() {
		t := p.Peek()
		if t.Role = Beginning; !t.Damaged {
			list = append(list, Imported{Pos: p.SpanOf(t), Path: t.Text})
		}
		if next := p.Ahead(1); next.Kind != End && !next.Newline {
			p.Report(p.SpanOf(next), "an import has a line of its own", "found '%s' behind an import", p.File.Text[next.Start:next.End])
		}
	}
	return list
}

// late reports an import behind a declaration.
func (p *Parser) late() {
	t := p.Take()
	if !t.Damaged {
		p.Errorf(source.CodeImport, p.SpanOf(t), "an import stands before everything else").WithHelp("move it to the beginning of the file")
	}
}

// Declarations reads a text, one declaration after the other; after a mistake it goes on at the
// next token at which one begins.
func (p *Parser) Declarations(read func(), begins func() bool) {
	p.begins = func() bool { return p.Peek().Kind == Import || begins() }
	for p.Peek().Kind != End {
		if p.Peek().Kind == Import {
			p.late()
			continue
		}
		p.Guard(read, func() {
			for p.Peek().Kind != End && !p.begins() {
				p.At++
			}
		})
	}
}
