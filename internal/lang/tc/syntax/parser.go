package syntax

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/lang/token"
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
	token.Parser
	partner  []int // of a '(' or '[': the place of its closing bracket, or -1
	brackets int   // open brackets around the current expression
	braces   int   // braces in a body that belong to no def, passed in recovery
	reserved map[string]bool
	sizes    map[string]bool // of the current def, and its integer scalars
	scatters []scatter       // in the targets of the current statement
	infix    token.Infix[Expr]
}

var language = token.Language{
	Own:         scan,
	MaxDepth:    1000,
	MaxHeight:   10000,
	TooDeep:     "assign a part of it to a temporary first",
	CodeTooDeep: source.CodeTooDeep,
}

// Parse reads a file. The tree is never nil; where there are errors, it has the
// statements and defs that could be read.
func Parse(f *source.File) (*File, *source.Diagnostics) {
	diagnostics := &source.Diagnostics{}
	p, comments := newParser(f, 0, len(f.Text), diagnostics)
	file := &File{Source: f, Comments: comments}
	p.parseFile(file)
	diagnostics.Sort()
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
		switch t := p.Peek(); {
		case t.Is("="):
			p.errorf(source.CodeEquals, t, "found '=' after an expression").WithHelp("equality is ==")
		case t.Kind != token.End:
			p.errorf(source.CodeExpected, t, "found %s after a complete expression", describe(t)).WithHelp("expected an operator or the end")
		}
	}, func(int) {})
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	return e, diagnostics
}

func newParser(f *source.File, start, end int, diagnostics *source.Diagnostics) (*parser, []token.Comment) {
	tokens, comments := language.Scan(f, start, end, diagnostics)
	p := &parser{Parser: token.Parser{Language: &language, File: f, Diagnostics: diagnostics, Tokens: tokens}, partner: partners(tokens), reserved: map[string]bool{}}
	p.infix = token.Infix[Expr]{Levels: precedence, Operand: p.operand, Join: p.join}
	return p, comments
}

// partners finds the closing bracket of each opening one within a def.
func partners(tokens []token.Token) []int {
	partner := make([]int, len(tokens))
	var open []int
	for i, t := range tokens {
		partner[i] = -1
		switch {
		case t.Is("(") || t.Is("["):
			open = append(open, i)
		case (t.Is(")") || t.Is("]")) && len(open) > 0:
			partner[open[len(open)-1]] = i
			open = open[:len(open)-1]
		case t.Is("{") || t.Is("}") || t.Is("def"):
			open = open[:0]
		}
	}
	return partner
}

// file := { import | def }
func (p *parser) parseFile(file *File) {
	for {
		switch t := p.Peek(); {
		case t.Kind == token.End:
			return
		case t.Is("import"):
			p.guard(func() { file.Imports = append(file.Imports, p.importPath(len(file.Defs) > 0)) }, p.skipToDef)
		case t.Is("def"):
			file.Defs = append(file.Defs, p.def())
		default:
			p.outside(t)
			p.Take()
			p.skipToDef(0)
		}
	}
}

// outside reports what is neither an import nor a def.
func (p *parser) outside(t *token.Token) {
	foreign := map[string]bool{"function": true, "func": true, "fn": true, "fun": true, "kernel": true, "void": true, "define": true}
	switch {
	case t.Is("}"):
		p.errorf(source.CodeBracket, t, "this } closes nothing").WithHelp("delete it, or look for a { that is missing before it")
	case t.Kind == token.Word && (foreign[t.Text] || source.Suggest(t.Text, []string{"def"}) != "") && p.Ahead(1).Kind == token.Word:
		p.errorf(source.CodeOutsideDef, t, "found %s where a def or an import is expected", describe(t)).
			WithHelp("a function is introduced by def: def %s(float(N) A) -> (B) { … }", p.Ahead(1).Text)
	default:
		p.errorf(source.CodeOutsideDef, t, "found %s outside of a def", describe(t)).
			WithHelp("statements stand in a def: def name(float(N) A) -> (B) { B(i) = A(i) }")
	}
}

// skipToDef passes everything up to the next def or import.
func (p *parser) skipToDef(int) {
	for t := p.Peek(); t.Kind != token.End && !t.Is("def") && !t.Is("import"); t = p.Peek() {
		p.Take()
	}
}

// import := 'import' string
func (p *parser) importPath(late bool) *Import {
	start := p.Take()
	t := p.Peek()
	if t.Kind != tokenString {
		p.fail(p.errorf(source.CodeImport, t, "found %s where the path of the imported file is expected", describe(t)).
			WithHelp(`write the path in double quotes: import "mlp.tc"`))
	}
	p.Take()
	path := t.Text[1 : len(t.Text)-1]
	if path == "" {
		p.errorf(source.CodeImport, t, "the path of the import is empty").WithHelp(`name a file: import "mlp.tc"`)
	}
	if late {
		p.errorf(source.CodeImport, start, "an import stands before the first def").WithHelp("move it to the beginning of the file")
	}
	p.Accept(";")
	return &Import{Pos: p.From(start.Start), Path: path}
}

// def := 'def' ident '(' [param {',' param}] ')' '->' '(' [param {',' param}] ')' '{' { stmt } '}'
func (p *parser) def() *Def {
	start := p.Take()
	def := &Def{}
	p.guard(func() { p.header(def) }, func(int) {
		for t := p.Peek(); t.Kind != token.End && !t.Is("{") && !t.Is("def"); t = p.Peek() {
			p.Take()
		}
	})
	if p.Peek().Is("{") {
		p.sizes = sizesOf(def)
		p.body(def)
	}
	def.Pos = p.From(start.Start)
	return def
}

// sizesOf are the names that a header declares as sizes, or as scalars that may be.
func sizesOf(def *Def) map[string]bool {
	sizes := map[string]bool{}
	for _, param := range slices.Concat(def.Inputs, def.Outputs) {
		if param.Type == nil {
			continue
		}
		if t, ok := ScalarType(param.Type.Scalar); len(param.Type.Dims) == 0 && ok && t.IsInteger() {
			sizes[param.Name.Name] = true
		}
		for _, dim := range param.Type.Dims {
			if name, ok := dim.(*Name); ok {
				sizes[name.Name] = true
			}
		}
	}
	return sizes
}

func (p *parser) header(def *Def) {
	def.Name = p.name("the name of the def")
	if !p.Peek().Is("(") {
		p.fail(p.errorf(source.CodeExpected, p.Peek(), "found %s after the name of the def, expected the inputs in parentheses", describe(p.Peek())).
			WithHelp("write def %s(float(N) A) -> (B) { … }, or () when there are no inputs", def.Name.Name))
	}
	p.list("the inputs", func() { def.Inputs = append(def.Inputs, p.param(true)) })
	t := p.Peek()
	if !p.Accept("->") {
		d := p.errorf(source.CodeArrow, t, "found %s after the inputs of %s, expected -> and the outputs", describe(t), quote(def.Name.Name)).
			WithHelp("name the tensors that the def computes: def %s(…) -> (C) { … }", def.Name.Name)
		if t.Is("-") && p.Ahead(1).Is(">") {
			d.WithHelp("write the arrow without a space: ->")
			p.Take()
			p.Take()
		} else if !t.Is("(") || !p.Ahead(1).Is(")") && p.Ahead(1).Kind != token.Word && p.Ahead(1).Kind != tokenScalar {
			p.fail(d)
		}
	}
	p.outputs(def)
	if t := p.Peek(); !t.Is("{") {
		p.fail(p.errorf(source.CodeExpected, t, "found %s after the outputs of %s, expected { and the statements", describe(t), quote(def.Name.Name)).
			WithHelp("the statements of a def stand in braces"))
	}
}

func (p *parser) outputs(def *Def) {
	open := p.Peek()
	if !open.Is("(") {
		d := p.errorf(source.CodeArrow, open, "found %s after ->, expected the outputs in parentheses", describe(open))
		if open.Kind != token.Word && open.Kind != tokenScalar {
			p.fail(d.WithHelp("name the tensors that the def computes: -> (C)"))
		}
		d.WithHelp("write -> (%s)", open.Text)
		def.Outputs = append(def.Outputs, p.param(false))
		return
	}
	p.list("the outputs", func() { def.Outputs = append(def.Outputs, p.param(false)) })
	if len(def.Outputs) == 0 {
		p.Errorf(source.CodeNoOutputs, p.From(open.Start), "the def %s has no outputs", quote(def.Name.Name)).
			WithHelp("name the tensors that it computes: -> (C)")
	}
}

// body parses the braces of a def and the statements between them.
func (p *parser) body(def *Def) {
	open := p.Take()
	p.braces = 0
	for {
		switch t := p.Peek(); {
		case t.Is("}"):
			p.Take()
			if p.braces--; p.braces < 0 {
				return
			}
		case t.Kind == token.End || t.Is("def"):
			p.errorf(source.CodeBracket, t, "found %s, but the body of %s has no closing }", describe(t), quote(def.Name.Name)).
				WithNote(p.SpanOf(open), "the body starts here").WithHelp("write } after the last statement")
			return
		case t.Is(";"):
			p.Take()
		default:
			p.guard(func() { def.Body = append(def.Body, p.statement()) }, p.recover)
		}
	}
}

// recover passes the rest of a statement that could not be understood, in which
// brackets are open.
func (p *parser) recover(brackets int) {
	for {
		t := p.Peek()
		starts := t.Kind == token.Word || t.Kind == tokenScalar || t.Kind == token.Number
		switch {
		case t.Kind == token.End || t.Is("}") || t.Is("def"):
			return
		case t.Is(";"):
			p.Take()
			return
		case t.Is("{"):
			p.braces++
			p.Take()
			return
		case t.Newline && (brackets <= 0 && starts || p.looksLikeStatement(p.At)):
			return
		case t.Is(")"):
			brackets--
		case t.Is("(") && p.partner[p.At] >= 0:
			p.At = p.partner[p.At] // and behind it
		}
		p.Take()
	}
}

// guard runs a parse function and, when it bails out, the recovery.
func (p *parser) guard(parse func(), recovery func(brackets int)) {
	brackets := p.brackets
	p.Guard(parse, func() {
		open := p.brackets - brackets
		p.brackets = brackets
		recovery(open)
	})
}

// list parses '(' [item {',' item}] ')', where square brackets are reported and
// taken as parentheses.
func (p *parser) list(what string, item func()) {
	inSequence := p.At > 0 && p.Tokens[p.At-1].Is("]") // A[i][j] is reported once
	open := p.Take()
	if open.Is("[") && !inSequence {
		d := p.errorf(source.CodeSquareBracket, open, "found '['; subscripts and lists stand in parentheses").
			WithHelp("write A(i,j) instead of A[i][j] or A[i,j]")
		if what == dimensionsOfType {
			d.WithHelp("write %s(N)", p.Tokens[p.At-2].Text)
		}
	}
	closes := func(t *token.Token) bool { return t.Is(")") || t.Is("]") }
	if closes(p.Peek()) {
		p.Take()
		return
	}
	p.brackets++ // guard restores it when an item bails out
	for {
		item()
		switch t := p.Peek(); {
		case closes(t):
			p.Take()
			p.brackets--
			return
		case t.Is(","):
			p.Take()
			if closes(p.Peek()) {
				p.errorf(source.CodeTrailingComma, t, "a comma after the last of %s", what).WithHelp("delete the comma")
				p.Take()
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
func (p *parser) unclosed(open, t *token.Token, what string) {
	ends := t.Kind == token.End || t.Kind == tokenAssign || t.Newline
	for _, text := range []string{"{", "}", "->", ";", "where", "def", "<=>"} {
		ends = ends || t.Is(text)
	}
	if !ends {
		d := p.errorf(source.CodeExpected, t, "found %s, expected ',' or ')' in %s", describe(t), what)
		switch {
		case t.Is(":"):
			d.WithHelp("%s", sliceHelp)
		case t.Is("in"):
			d.WithHelp("the range of an index stands behind the statement: where %s in 0:N", p.Tokens[p.At-1].Text)
		case t.Kind == token.Word || t.Kind == tokenScalar || t.Kind == token.Number:
			d.WithHelp("is a comma or an operator missing before it?")
		}
		p.fail(d)
	}
	t = p.found()
	p.errorf(source.CodeBracket, t, "found %s, but %s have no closing ')'", describe(t), what).
		WithNote(p.SpanOf(open), "the parenthesis is opened here").WithHelp("write ) after the last of them")
}

// name parses an identifier. A reserved word is reported and taken as a name.
func (p *parser) name(what string) Ident {
	t := p.Peek()
	switch t.Kind {
	case token.Word:
	case tokenKey, tokenScalar:
		p.reservedName(t)
	default:
		p.fail(p.errorf(source.CodeExpected, t, "found %s, expected %s", describe(t), what))
	}
	p.Take()
	return Ident{Pos: p.SpanOf(t), Name: t.Text}
}

// reservedName reports the first use of a reserved word as a name.
func (p *parser) reservedName(t *token.Token) {
	if p.reserved[t.Text] {
		return
	}
	p.reserved[t.Text] = true
	p.errorf(source.CodeReserved, t, "%s is a reserved word and cannot be a name", quote(t.Text)).
		WithHelp("choose another name, such as %s", t.Text+"_")
}

// found returns the current token for a message about what is missing before it:
// at the start of a line, that is the end of the line before.
func (p *parser) found() *token.Token {
	t := p.Peek()
	if !t.Newline || p.At == 0 || t.Kind == token.End {
		return t
	}
	end := p.Tokens[p.At-1].End
	return &token.Token{Kind: tokenLineEnd, Start: end, End: end, Damaged: t.Damaged}
}

// errorf reports at a token and returns the diagnostic, which is not listed if
// the scanner has complained about this place or there are too many.
func (p *parser) errorf(code source.Code, t *token.Token, format string, args ...any) *source.Diagnostic {
	if t.Damaged {
		return &source.Diagnostic{}
	}
	return p.Errorf(code, p.Place(t), format, args...)
}

// fail leaves the current statement or header after a diagnostic.
func (p *parser) fail(*source.Diagnostic) { p.Bail() }
