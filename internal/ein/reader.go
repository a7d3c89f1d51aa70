package ein

import (
	"errors"
	"strconv"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// A Reader reads the text form of another room, in which expressions over locals stand.
type Reader struct{ p *parser }

// NewReader returns a reader at the first token of a file.
func NewReader(file *source.File) *Reader {
	r := &Reader{p: newParser(file)}
	r.p.f = &Func{}
	return r
}

// Core returns the place in the tokens.
func (r *Reader) Core() *token.Parser { return &r.p.Parser }

// Expr reads an expression over the locals that are bound.
func (r *Reader) Expr() Expr { return r.p.expr() }

// Func reads a function, which stands for itself.
func (r *Reader) Func() *Func {
	f := r.p.function()
	r.p.f = &Func{}
	return f
}

// Bind brings a local into scope, for good.
func (r *Reader) Bind(l *Local) { r.p.locals = append(r.p.locals, l) }

// Local reads the name of a local in scope.
func (r *Reader) Local(what string) *Local {
	at := r.p.Peek()
	name := r.p.name("the name of " + what)
	for i := len(r.p.locals) - 1; i >= 0; i-- {
		if r.p.locals[i].Name == name {
			return r.p.locals[i]
		}
	}
	r.p.unknown(at, what, name)
	return nil
}

// Name reads a word, or what stands in backquotes.
func (r *Reader) Name(what string) string { return r.p.name(what) }

// Text reads a string in quotes.
func (r *Reader) Text() string {
	t := r.p.Peek()
	text, err := strconv.Unquote(t.Text)
	if t.Kind != quotedText || err != nil {
		r.p.Fail("", "a string in quotes")
	}
	r.p.Take()
	return text
}

// AtText reports whether a string in quotes is next.
func (r *Reader) AtText() bool { return r.p.Peek().Kind == quotedText }

// QuoteName writes a name so that a Reader reads one word.
func QuoteName(name string) string { return quoteName(name) }

// ValidName reports whether texts can write the name of a local.
func ValidName(name string) bool { return validName(name) }

// VerifyExpr checks an expression over the locals that are in scope.
func VerifyExpr(owner string, e Expr, scope map[*Local]bool) error {
	v := &verifier{f: &Func{Name: owner}, locals: scope}
	v.expr(e)
	return errors.Join(v.problems...)
}
