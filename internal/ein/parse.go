package ein

import (
	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// Parse reads the text form of functions; the form is described in print.go.
// Every node has the span of its text. The result has the structure of a program
// but need not be one: Verify says whether it is.
func Parse(file *source.File) (*Program, error) {
	p := newParser(file)
	program := &Program{}
	for p.Peek().Kind != token.End {
		start := p.At
		p.Guard(func() { program.Funcs = append(program.Funcs, p.function()) }, func() {
			p.recover(start, map[string]bool{"func": true})
			p.Accept("}")
		})
	}
	p.Diagnostics.Sort()
	if err := p.Diagnostics.Err(); err != nil {
		return nil, err
	}
	return program, nil
}

// newParser returns a parser at the first token of a file.
func newParser(file *source.File) *parser {
	p := &parser{}
	p.Parser, _ = language.NewParser(file)
	p.infix = token.Infix[Expr]{Levels: InfixLevels(), Operand: p.prefix, Join: func(start int, t *token.Token, x, y Expr) Expr {
		return &Binary{Pos: p.From(start), Op: InfixOperator(t.Text), X: x, Y: y}
	}}
	return p
}

// ParseFunc reads the text of one function; name is for diagnostics.
func ParseFunc(name, text string) (*Func, error) {
	program, err := Parse(source.NewFile(name, text))
	if err != nil {
		return nil, err
	}
	if len(program.Funcs) != 1 {
		return nil, source.Internalf("ein parser", source.Span{}, "%s holds %d functions, expected one", name, len(program.Funcs))
	}
	return program.Funcs[0], nil
}

// A parser leaves an item of a function at its first mistake and goes on with the next one.
type parser struct {
	token.Parser
	infix token.Infix[Expr]

	f         *Func
	sizes     map[string]bool
	operators map[string]*Operator
	builtins  map[builtinKey]*Operator
	indices   map[string]*Index
	locals    []*Local // innermost last
}

// A builtinKey is a use of a built-in operator: words behind it change its laws.
type builtinKey struct {
	kind   OperatorKind
	dtypes [2]tensor.DType // of the first and the last value
	laws   [3]bool         // in the order of lawWords
}

// fail reports an error and leaves the item.
func (p *parser) fail(code source.Code, span source.Span, format string, args ...any) {
	p.Errorf(code, span, format, args...)
	p.Bail()
}

func (p *parser) expect(text string) { p.Expect(text, "") }

// recover skips to a word that begins an item at the start of a line, or to the
// end of the block that the items stand in; the item that failed began at a token.
func (p *parser) recover(start int, starts map[string]bool) {
	p.locals = nil
	for blocks, k := 0, start; ; k++ {
		t := &p.Tokens[k]
		if k >= p.At && (t.Kind == token.End || t.Newline && starts[t.Text] || t.Is("}") && blocks == 0) {
			p.At = k
			return
		}
		switch {
		case t.Is("{"):
			blocks++
		case t.Is("}"):
			blocks = max(0, blocks-1)
		}
	}
}

// name reads a name that is being declared or used.
func (p *parser) name(what string) string {
	t := p.Peek()
	switch {
	case t.Kind == quotedName:
		p.Take()
		return t.Text[1 : len(t.Text)-1]
	case t.Kind == token.Word && quoteName(t.Text) != t.Text:
		p.Fail("it is a name only in backquotes: "+quoteName(t.Text), "%s", what)
	case t.Kind != token.Word:
		p.Fail("", "%s", what)
	}
	p.Take()
	return t.Text
}

// unknown reports the name at a token, unless the scanner has reported that.
func (p *parser) unknown(t *token.Token, what, name string) {
	if !t.Damaged {
		p.Errorf(source.EinName, p.SpanOf(t), "there is no %s named %s", what, name).
			WithHelp("declare the %s above its first use", what)
	}
	p.Bail()
}

// affine reads a size expression over declared sizes. Its words are those of package affine.
func (p *parser) affine() affine.Expr {
	first := p.Peek()
	e, length, err := affine.ParsePrefix(p.File.Text[first.Start:])
	for p.Peek().Kind != token.End && p.Peek().Start < first.Start+length {
		p.Take()
	}
	if err != nil {
		p.fail(source.EinSyntax, p.From(first.Start), "this is no size expression: %v", err)
	}
	used := map[string]bool{}
	e.Symbols(used)
	for _, name := range sortedKeys(used) {
		if !p.sizes[name] {
			p.Errorf(source.EinName, p.From(first.Start), "there is no size named %s", name).WithHelp("declare the size above its first use")
			p.Bail()
		}
	}
	return e
}

// bounds reads "first:end" and returns first and the extent.
func (p *parser) bounds() (lo, extent affine.Expr) {
	lo = p.affine()
	p.expect(":")
	return lo, p.affine().Sub(lo)
}

func (p *parser) dtype() tensor.DType {
	t, err := tensor.ParseDType(p.Peek().Text)
	if p.Peek().Kind != token.Word || err != nil {
		p.Fail("", "an element type such as float32")
	}
	p.Take()
	return t
}
