package strand

import (
	"slices"
	"strconv"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// Parse reads the text of a program, described in print.go. The result has the structure of a
// program but need not be one: Verify says whether it is.
func Parse(file *source.File) (*Program, error) {
	r := ein.NewReader(file)
	p := &parser{Reader: r, core: r.Core()}
	p.core.Guard(p.program, func() {})
	p.core.Diagnostics.Sort()
	if err := p.core.Diagnostics.Err(); err != nil {
		return nil, err
	}
	return p.p, nil
}

// A parser ends at its first mistake: people write no such texts but in tests.
type parser struct {
	*ein.Reader
	core *token.Parser
	p    *Program
}

func (p *parser) is(text string) bool     { return p.core.Is(text) }
func (p *parser) accept(text string) bool { return p.core.Accept(text) }
func (p *parser) expect(text string)      { p.core.Expect(text, "") }

// fail reports what is written at a token and leaves the text.
func (p *parser) fail(t *token.Token, format string, args ...any) {
	p.core.Errorf(source.EinName, p.core.SpanOf(t), format, args...)
	p.core.Bail()
}

func (p *parser) program() {
	start := p.core.Peek().Start
	p.expect("strand")
	name := p.Name("the name of the strand")
	p.expect("real")
	floats := p.dtype(tensor.Float32, tensor.Float64)
	p.expect("int")
	p.p = NewProgram(name, floats, p.dtype(tensor.Int32, tensor.Int64))
	p.expect("{")
	for !p.is("}") {
		p.item()
	}
	p.expect("}")
	if p.core.Peek().Kind != token.End {
		p.core.Fail("", "the end of the text: there is one strand in it")
	}
	p.p.Pos = p.core.From(start)
}

func (p *parser) dtype(allowed ...tensor.DType) tensor.DType {
	t, err := tensor.ParseDType(p.core.Peek().Text)
	if err != nil || !slices.Contains(allowed, t) {
		p.core.Fail("", "one of the types %v", allowed)
	}
	p.core.Take()
	return t
}

func (p *parser) number(what string) int {
	t := p.core.Peek()
	n, err := strconv.ParseInt(t.Text, 10, 32)
	if t.Kind != token.Number || err != nil {
		p.core.Fail("", "%s", what)
	}
	p.core.Take()
	return int(n)
}

func (p *parser) item() {
	start := p.core.Peek().Start
	switch word := p.core.Peek().Text; word {
	case "strings":
		p.core.Take()
		p.core.Commas(func() { p.p.Strings = append(p.p.Strings, p.Text()) })
	case "image":
		p.image(start)
	case "kernel":
		p.core.Take()
		p.p.Kernels = append(p.p.Kernels, p.kernel())
	case "create":
		p.core.Take()
		p.create()
	case "initialize", "begin", "start", "update", "stabilize", "global":
		p.method()
	default:
		p.variable(start)
	}
}

func (p *parser) method() {
	word := p.core.Take().Text
	if word == "global" && !p.is("start") && !p.is("update") { // a variable
		p.core.At--
		p.variable(p.core.Peek().Start)
		return
	}
	if word == "global" {
		word += " " + p.core.Take().Text
	}
	blocks := map[string]*Block{"initialize": &p.p.Initialize, "begin": &p.p.Begin, "start": &p.p.Start, "update": &p.p.Update,
		"stabilize": &p.p.Stabilize, "global start": &p.p.GlobalStart, "global update": &p.p.GlobalUpdate}
	*blocks[word] = p.block()
}

// named finds a variable by the name that is next.
func (p *parser) named(what string) *Variable {
	t := p.core.Peek()
	name := p.Name("the name of " + what)
	v := p.p.Variable(name)
	if v == nil {
		p.fail(t, "there is no variable named %s", name)
	}
	return v
}

func (p *parser) create() {
	c := &p.p.Create
	if c.Collection = p.accept("collection"); !c.Collection {
		p.expect("array")
	}
	if p.accept("before") {
		c.Before = p.block()
	}
	if p.accept("for") {
		p.core.Commas(func() {
			i := Iterator{}
			i.Variable, i.Low, i.High = p.span()
			c.Iterators = append(c.Iterators, i)
		})
	}
	if p.is("{") {
		c.Body = p.block()
	}
	p.expect("new")
	c.Arguments = p.tuple()
}

// span reads "i = low to high".
func (p *parser) span() (v *Variable, low, high ein.Expr) {
	v = p.named("a variable")
	p.expect("=")
	low = p.Expr()
	p.expect("to")
	return v, low, p.Expr()
}

func (p *parser) tuple() []ein.Expr {
	p.expect("(")
	list := []ein.Expr{}
	p.core.List(")", "", func() { list = append(list, p.Expr()) })
	return list
}
