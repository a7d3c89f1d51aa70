package syntax

import (
	"fmt"
	"sort"

	"github.com/ricci-lang/ricci/internal/source"
)

// How the parser works
//
// It is a recursive descent over the token slice; expressions are parsed by
// precedence (expression.go). Each function carries its rule of the grammar.
//
// Newlines separate nothing, so a statement ends where the next token cannot
// continue it. One place needs more: in
//
//	C = A
//	(V, P) = f(B)
//
// A could be applied to (V, P). A parenthesis that is the first token of its line
// and whose partner is followed by an assignment operator begins a statement;
// partners are computed beforehand.
//
// Mistakes come in two kinds. Where the meaning is clear (a trailing comma,
// square brackets, a misspelt where) the parser reports and goes on. Otherwise
// it reports and leaves the statement with a bailout, which guard catches, and
// recover finds the next line that looks like a statement, or the end of the
// body. An error at a token that the scanner has already complained about is not
// reported again.
type parser struct {
	file        *source.File
	diagnostics *source.Diagnostics
	tokens      []token
	position    int
	partner     []int // of a '(' or '[': the place of its closing bracket, or -1
	depth       int   // of nested expressions
	brackets    int   // open brackets around the current expression
	braces      int   // braces in a body that belong to no def, passed in recovery
	reserved    map[string]bool
	scatter     *scatter // in the targets of the current statement, or nil
	errors      int
}

// The limits keep recursive algorithms on the tree within the stack, and a file
// that is no program at all from producing a message for each of its bytes.
const (
	maxDepth     = 1000
	maxOperators = 10000
	maxErrors    = 100
)

type bailout struct{}

// Parse reads a file. The tree is never nil; where there are errors, it has the
// statements and defs that could be read.
func Parse(f *source.File) (*File, *source.Diagnostics) {
	diagnostics := &source.Diagnostics{}
	p, comments := newParser(f, 0, len(f.Text), diagnostics)
	file := &File{Source: f, Comments: comments}
	p.parseFile(file)
	sort.SliceStable(diagnostics.List, func(i, j int) bool {
		return diagnostics.List[i].Span.Start < diagnostics.List[j].Span.Start
	})
	return file, diagnostics
}

// ParseExpr reads an expression that is a part of a file which is not otherwise a
// program: bytes start to end. It is nil if there are errors.
func ParseExpr(f *source.File, start, end int) (Expr, *source.Diagnostics) {
	diagnostics := &source.Diagnostics{}
	p, _ := newParser(f, start, end, diagnostics)
	var e Expr
	p.guard(func() {
		e = p.expr()
		switch t := p.token(); {
		case t.is("="):
			p.errorf(source.CodeEquals, t, "found '=' after an expression").WithHelp("equality is ==")
		case t.kind != tokenEnd:
			p.errorf(source.CodeExpected, t, "found %s after a complete expression", t.describe()).WithHelp("expected an operator or the end")
		}
	}, func(int) {})
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	return e, diagnostics
}

func newParser(f *source.File, start, end int, diagnostics *source.Diagnostics) (*parser, []Comment) {
	tokens, comments := scan(f, start, end, diagnostics)
	return &parser{file: f, diagnostics: diagnostics, tokens: tokens, partner: partners(tokens), reserved: map[string]bool{}}, comments
}

// partners finds the closing bracket of each opening one within a def.
func partners(tokens []token) []int {
	partner := make([]int, len(tokens))
	var open []int
	for i, t := range tokens {
		partner[i] = -1
		switch {
		case t.is("(") || t.is("["):
			open = append(open, i)
		case (t.is(")") || t.is("]")) && len(open) > 0:
			partner[open[len(open)-1]] = i
			open = open[:len(open)-1]
		case t.is("{") || t.is("}") || t.is("def"):
			open = open[:0]
		}
	}
	return partner
}

// file := { import | def }
func (p *parser) parseFile(file *File) {
	for {
		switch t := p.token(); {
		case t.kind == tokenEnd:
			return
		case t.is("import"):
			p.guard(func() { file.Imports = append(file.Imports, p.importPath(len(file.Defs) > 0)) }, p.skipToDef)
		case t.is("def"):
			file.Defs = append(file.Defs, p.def())
		default:
			p.outside(t)
			p.next()
			p.skipToDef(0)
		}
	}
}

// outside reports what is neither an import nor a def.
func (p *parser) outside(t token) {
	foreign := map[string]bool{"function": true, "func": true, "fn": true, "fun": true, "kernel": true, "void": true, "define": true}
	switch {
	case t.is("}"):
		p.errorf(source.CodeBracket, t, "this } closes nothing").WithHelp("delete it, or look for a { that is missing before it")
	case t.kind == tokenWord && (foreign[t.text] || source.Suggest(t.text, []string{"def"}) != "") && p.at(1).kind == tokenWord:
		p.errorf(source.CodeOutsideDef, t, "found %s where a def or an import is expected", t.describe()).
			WithHelp("a function is introduced by def: def %s(float(N) A) -> (B) { … }", p.at(1).text)
	default:
		p.errorf(source.CodeOutsideDef, t, "found %s outside of a def", t.describe()).
			WithHelp("statements stand in a def: def name(float(N) A) -> (B) { B(i) = A(i) }")
	}
}

// skipToDef passes everything up to the next def or import.
func (p *parser) skipToDef(int) {
	for t := p.token(); t.kind != tokenEnd && !t.is("def") && !t.is("import"); t = p.token() {
		p.next()
	}
}

// import := 'import' string
func (p *parser) importPath(late bool) *Import {
	start := p.next()
	t := p.token()
	if t.kind != tokenString {
		p.fail(p.errorf(source.CodeImport, t, "found %s where the path of the imported file is expected", t.describe()).
			WithHelp(`write the path in double quotes: import "mlp.tc"`))
	}
	p.next()
	path := t.text[1 : len(t.text)-1]
	if path == "" {
		p.errorf(source.CodeImport, t, "the path of the import is empty").WithHelp(`name a file: import "mlp.tc"`)
	}
	if late {
		p.errorf(source.CodeImport, start, "an import stands before the first def").WithHelp("move it to the beginning of the file")
	}
	p.accept(";")
	return &Import{Pos: p.from(start.start), Path: path}
}

// def := 'def' ident '(' [param {',' param}] ')' '->' '(' [param {',' param}] ')' '{' { stmt } '}'
func (p *parser) def() *Def {
	start := p.next()
	def := &Def{}
	p.guard(func() { p.header(def) }, func(int) {
		for t := p.token(); t.kind != tokenEnd && !t.is("{") && !t.is("def"); t = p.token() {
			p.next()
		}
	})
	if p.token().is("{") {
		p.body(def)
	}
	def.Pos = p.from(start.start)
	return def
}

func (p *parser) header(def *Def) {
	def.Name = p.name("the name of the def")
	if !p.token().is("(") {
		p.fail(p.errorf(source.CodeExpected, p.token(), "found %s after the name of the def, expected the inputs in parentheses", p.token().describe()).
			WithHelp("write def %s(float(N) A) -> (B) { … }, or () when there are no inputs", def.Name.Name))
	}
	p.list("the inputs", func() { def.Inputs = append(def.Inputs, p.param(true)) })
	t := p.token()
	if !p.accept("->") {
		d := p.errorf(source.CodeArrow, t, "found %s after the inputs of %s, expected -> and the outputs", t.describe(), quote(def.Name.Name)).
			WithHelp("name the tensors that the def computes: def %s(…) -> (C) { … }", def.Name.Name)
		if t.is("-") && p.at(1).is(">") {
			d.WithHelp("write the arrow without a space: ->")
			p.next()
			p.next()
		} else if !t.is("(") || !p.at(1).is(")") && p.at(1).kind != tokenWord && p.at(1).kind != tokenScalar {
			p.fail(d)
		}
	}
	p.outputs(def)
	if t := p.token(); !t.is("{") {
		p.fail(p.errorf(source.CodeExpected, t, "found %s after the outputs of %s, expected { and the statements", t.describe(), quote(def.Name.Name)).
			WithHelp("the statements of a def stand in braces"))
	}
}

func (p *parser) outputs(def *Def) {
	open := p.token()
	if !open.is("(") {
		d := p.errorf(source.CodeArrow, open, "found %s after ->, expected the outputs in parentheses", open.describe())
		if open.kind != tokenWord && open.kind != tokenScalar {
			p.fail(d.WithHelp("name the tensors that the def computes: -> (C)"))
		}
		d.WithHelp("write -> (%s)", open.text)
		def.Outputs = append(def.Outputs, p.param(false))
		return
	}
	p.list("the outputs", func() { def.Outputs = append(def.Outputs, p.param(false)) })
	if len(def.Outputs) == 0 {
		p.errorAt(source.CodeNoOutputs, p.from(open.start), "the def %s has no outputs", quote(def.Name.Name)).
			WithHelp("name the tensors that it computes: -> (C)")
	}
}

// body parses the braces of a def and the statements between them.
func (p *parser) body(def *Def) {
	open := p.next()
	p.braces = 0
	for {
		switch t := p.token(); {
		case t.is("}"):
			p.next()
			if p.braces--; p.braces < 0 {
				return
			}
		case t.kind == tokenEnd || t.is("def"):
			p.errorf(source.CodeBracket, t, "found %s, but the body of %s has no closing }", t.describe(), quote(def.Name.Name)).
				WithNote(p.span(open), "the body starts here").WithHelp("write } after the last statement")
			return
		case t.is(";"):
			p.next()
		default:
			p.guard(func() { def.Body = append(def.Body, p.statement()) }, p.recover)
		}
	}
}

// recover passes the rest of a statement that could not be understood, in which
// brackets are open.
func (p *parser) recover(brackets int) {
	for {
		t := p.token()
		starts := t.kind == tokenWord || t.kind == tokenScalar || t.kind == tokenNumber
		switch {
		case t.kind == tokenEnd || t.is("}") || t.is("def"):
			return
		case t.is(";"):
			p.next()
			return
		case t.is("{"):
			p.braces++
			p.next()
			return
		case t.newline && (brackets <= 0 && starts || p.looksLikeStatement(p.position)):
			return
		case t.is(")"):
			brackets--
		case t.is("(") && p.partner[p.position] >= 0:
			p.position = p.partner[p.position] // and behind it
		}
		p.next()
	}
}

// guard runs a parse function and, when it bails out, the recovery. At
// least one token is passed.
func (p *parser) guard(parse func(), recovery func(brackets int)) {
	start, depth, brackets := p.position, p.depth, p.brackets
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bailout); !ok {
				panic(r)
			}
			open := p.brackets - brackets
			p.depth, p.brackets = depth, brackets
			if p.position == start {
				p.next()
			}
			recovery(open)
		}
	}()
	parse()
}

// list parses '(' [item {',' item}] ')', where square brackets are reported and
// taken as parentheses.
func (p *parser) list(what string, item func()) {
	inSequence := p.position > 0 && p.tokens[p.position-1].is("]") // A[i][j] is reported once
	open := p.next()
	if open.is("[") && !inSequence {
		p.errorf(source.CodeSquareBracket, open, "found '['; subscripts and lists stand in parentheses").
			WithHelp("write A(i,j) instead of A[i][j] or A[i,j]")
	}
	closes := func(t token) bool { return t.is(")") || t.is("]") }
	if closes(p.token()) {
		p.next()
		return
	}
	p.brackets++ // guard restores it when an item bails out
	for {
		item()
		switch t := p.token(); {
		case closes(t):
			p.next()
			p.brackets--
			return
		case t.is(","):
			p.next()
			if closes(p.token()) {
				p.errorf(source.CodeTrailingComma, t, "a comma after the last of %s", what).WithHelp("delete the comma")
				p.next()
				p.brackets--
				return
			}
		default:
			p.unclosed(open, t, what)
			p.brackets--
			return
		}
	}
}

// unclosed reports a list that goes on with something else than a comma or a
// closing parenthesis. It returns where the parenthesis was probably forgotten.
func (p *parser) unclosed(open, t token, what string) {
	ends := t.kind == tokenEnd || t.kind == tokenAssign || t.newline
	for _, text := range []string{"{", "}", "->", ";", "where", "def", "<=>"} {
		ends = ends || t.is(text)
	}
	if !ends {
		d := p.errorf(source.CodeExpected, t, "found %s, expected ',' or ')' in %s", t.describe(), what)
		if t.kind == tokenWord || t.kind == tokenScalar || t.kind == tokenNumber {
			d.WithHelp("is a comma or an operator missing before it?")
		}
		p.fail(d)
	}
	t = p.found()
	p.errorf(source.CodeBracket, t, "found %s, but %s have no closing ')'", t.describe(), what).
		WithNote(p.span(open), "the parenthesis is opened here").WithHelp("write ) after the last of them")
}

// name parses an identifier. A reserved word is reported and taken as a name.
func (p *parser) name(what string) Ident {
	t := p.token()
	switch t.kind {
	case tokenWord:
	case tokenKey, tokenScalar:
		p.reservedName(t)
	default:
		p.fail(p.errorf(source.CodeExpected, t, "found %s, expected %s", t.describe(), what))
	}
	p.next()
	return Ident{Pos: p.span(t), Name: t.text}
}

// reservedName reports the first use of a reserved word as a name.
func (p *parser) reservedName(t token) {
	if p.reserved[t.text] {
		return
	}
	p.reserved[t.text] = true
	p.errorf(source.CodeReserved, t, "%s is a reserved word and cannot be a name", quote(t.text)).
		WithHelp("choose another name, such as %s", t.text+"_")
}

func (p *parser) token() token { return p.at(0) }

// found returns the current token for a message about what is missing before it:
// at the start of a line, that is the end of the line before.
func (p *parser) found() token {
	t := p.token()
	if !t.newline || p.position == 0 || t.kind == tokenEnd {
		return t
	}
	end := p.tokens[p.position-1].end
	return token{kind: tokenLineEnd, start: end, end: end, damaged: t.damaged}
}

// at returns the token that is n places ahead.
func (p *parser) at(n int) token { return p.tokens[min(p.position+n, len(p.tokens)-1)] }

// next returns the current token and moves on, but never past the end.
func (p *parser) next() token {
	t := p.token()
	if t.kind != tokenEnd {
		p.position++
	}
	return t
}

func (p *parser) accept(text string) bool {
	if p.token().is(text) {
		p.next()
		return true
	}
	return false
}

func (p *parser) span(t token) source.Span {
	return source.Span{File: p.file, Start: t.start, End: t.end}
}

// from returns the span from an offset to the end of the last token.
func (p *parser) from(start int) source.Span {
	end := start
	if p.position > 0 {
		end = max(start, p.tokens[p.position-1].end)
	}
	return source.Span{File: p.file, Start: start, End: end}
}

// errorf reports at a token and returns the diagnostic, which is not listed if
// the scanner has complained about this place or there are too many.
func (p *parser) errorf(code source.Code, t token, format string, args ...any) *source.Diagnostic {
	if t.damaged {
		return &source.Diagnostic{}
	}
	return p.errorAt(code, p.span(t), format, args...)
}

func (p *parser) errorAt(code source.Code, span source.Span, format string, args ...any) *source.Diagnostic {
	if p.errors++; p.errors > maxErrors {
		return &source.Diagnostic{}
	}
	return p.diagnostics.Errorf(code, span, "%s", fmt.Sprintf(format, args...))
}

// fail leaves the current statement or header after a diagnostic.
func (p *parser) fail(*source.Diagnostic) { panic(bailout{}) }
