package ein

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// Parse reads the text form of functions; the form is described in print.go.
// Every node has the span of its text. The result has the structure of a program
// but need not be one: Verify says whether it is.
func Parse(file *source.File) (*Program, error) {
	p := &parser{file: file}
	p.next()
	program := &Program{}
	for p.token.kind != endToken {
		if f := p.function(); f != nil {
			program.Funcs = append(program.Funcs, f)
		}
		if p.failed {
			p.recover(map[string]bool{"func": true})
			p.accept("}")
		}
	}
	if err := p.problems.Err(); err != nil {
		return nil, err
	}
	return program, nil
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

// maxNesting keeps hostile text from exhausting the stack.
const maxNesting = 500

// A parser is in panic mode while failed is set: after an error nothing more is
// consumed or reported until recover has found the start of the next item.
type parser struct {
	file     *source.File
	token    token
	lastEnd  int // of the token before
	failed   bool
	nesting  int
	blocks   int // open braces below the function
	problems source.Diagnostics

	f         *Func
	sizes     map[string]bool
	operators map[string]*Operator
	builtins  map[builtinKey]*Operator
	indices   map[string]*Index
	locals    []*Local // innermost last
}

type builtinKey struct {
	kind OperatorKind
	t    tensor.DType
}

func (p *parser) next() {
	p.lastEnd = p.token.end
	p.token = scan(p.file, p.token.end)
}

func (p *parser) span(start int) source.Span {
	return source.Span{File: p.file, Start: start, End: max(start, p.lastEnd)}
}

func (p *parser) here() source.Span {
	return source.Span{File: p.file, Start: p.token.start, End: p.token.end}
}

// fail reports an error unless an earlier one is being recovered from.
func (p *parser) fail(code source.Code, span source.Span, format string, args ...any) *source.Diagnostic {
	if p.failed {
		return &source.Diagnostic{}
	}
	p.failed = true
	return p.problems.Errorf(code, span, format, args...)
}

func (p *parser) unexpected(wanted string) {
	found := fmt.Sprintf("%q", p.token.text)
	switch p.token.kind {
	case endToken:
		found = "the end of the text"
	case badToken:
		found = p.token.text
	}
	p.fail(source.EinSyntax, p.here(), "found %s, expected %s", found, wanted)
}

// is reports whether the token is a symbol or an unquoted word of that text.
func (p *parser) is(text string) bool {
	return !p.failed && (p.token.kind == wordToken || p.token.kind == symbolToken) && p.token.text == text
}

func (p *parser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.unexpected(strconv.Quote(text))
	}
}

// recover skips to a word that begins an item at the start of a line, or to the
// end of the block that the items stand in.
func (p *parser) recover(starts map[string]bool) {
	for ; p.token.kind != endToken; p.next() {
		if p.token.kind == wordToken && starts[p.token.text] && p.startsLine() {
			break
		}
		if p.token.kind != symbolToken {
			continue
		}
		if p.token.text == "{" {
			p.blocks++
		} else if p.token.text == "}" {
			if p.blocks == 0 {
				break
			}
			p.blocks--
		}
	}
	p.failed, p.locals, p.blocks = false, nil, 0
}

func (p *parser) startsLine() bool {
	before := p.file.Text[:p.token.start]
	return strings.TrimLeft(before[strings.LastIndexByte(before, '\n')+1:], " \t") == ""
}

// name reads a name that is being declared or used.
func (p *parser) name(what string) string {
	if p.failed || !(p.token.kind == quotedToken || p.token.kind == wordToken && quoteName(p.token.text) == p.token.text) {
		p.unexpected(what)
		return ""
	}
	text := p.token.text
	p.next()
	return text
}

func (p *parser) unknown(span source.Span, what, name string) {
	p.fail(source.EinName, span, "there is no %s named %s", what, name).
		WithHelp("declare the %s above its first use", what)
}

// commas reads items separated by commas until the closing text.
func (p *parser) commas(closing string, item func()) {
	for !p.failed && !p.is(closing) {
		item()
		if !p.accept(",") {
			break
		}
	}
	p.expect(closing)
}

// affine reads a size expression over declared sizes.
func (p *parser) affine() affine.Expr {
	if p.failed {
		return affine.Expr{}
	}
	start := p.token.start
	e, length, err := affine.ParsePrefix(p.file.Text[start:])
	p.token.end = start + length
	p.next()
	if err != nil {
		p.fail(source.EinSyntax, p.span(start), "this is no size expression: %v", err)
		return affine.Expr{}
	}
	used := map[string]bool{}
	e.Symbols(used)
	for _, name := range sortedKeys(used) {
		if !p.sizes[name] {
			p.unknown(p.span(start), "size", name)
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
	t, err := tensor.ParseDType(p.token.text)
	if p.failed || p.token.kind != wordToken || err != nil {
		p.unexpected("an element type such as float32")
		return tensor.Invalid
	}
	p.next()
	return t
}
