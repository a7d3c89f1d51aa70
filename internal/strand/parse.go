package strand

import (
	"math/big"
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

func (p *parser) image(start int) {
	p.core.Take()
	name := p.Name("the name of the image")
	p.expect(":")
	dim := p.number("the dimension of the image")
	i := p.p.DeclareImage(source.Span{}, name, dim, p.shape())
	i.Input = p.accept("input")
	i.File, i.Doc = p.from()
	if p.accept("made") {
		i.Made = p.made()
	}
	i.Pos = p.core.From(start)
	for _, l := range i.Locals() {
		p.Bind(l)
	}
}

// made reads how an image is computed.
func (p *parser) made() *Made {
	m := &Made{}
	p.expect("(")
	p.core.Commas(func() {
		at := p.core.Peek()
		for _, i := range p.p.Images {
			if at.Text == i.Name {
				p.core.Take()
				m.Args = append(m.Args, MadeArg{Image: i})
				return
			}
		}
		c, ok := p.Expr().(*ein.Const)
		if !ok {
			p.fail(at, "an image is made of images that stand before it, and of literals")
		}
		m.Args = append(m.Args, MadeArg{Number: c})
	})
	p.expect(")")
	p.expect("steps")
	p.expect("(")
	p.core.Commas(func() { m.Steps = append(m.Steps, int64(p.number("a number of samples"))) })
	p.expect(")")
	m.Func = p.Func()
	return m
}

// from reads the file and the documentation of what is given.
func (p *parser) from() (file, doc string) {
	if p.accept("from") {
		file = p.Text()
	}
	if p.AtText() {
		doc = p.Text()
	}
	return file, doc
}

// shape reads numbers in brackets, and nothing where there is no bracket.
func (p *parser) shape() []int {
	if !p.accept("[") {
		return nil
	}
	var shape []int
	p.core.List("]", "", func() { shape = append(shape, p.number("an extent")) })
	return shape
}

func (p *parser) kernel() *Kernel {
	k := &Kernel{Name: p.Name("the name of the kernel"), Support: p.number("the support of the kernel")}
	p.expect("{")
	for again := true; again; again = p.accept("|") {
		var piece []*big.Rat
		p.core.Commas(func() { piece = append(piece, p.rational()) })
		k.Pieces = append(k.Pieces, piece)
	}
	p.expect("}")
	return k
}

func (p *parser) rational() *big.Rat {
	text := ""
	if p.accept("-") {
		text = "-"
	}
	at := p.core.Peek()
	text += at.Text
	p.core.Take()
	if p.accept("/") {
		text += "/" + p.core.Take().Text
	}
	c, ok := new(big.Rat).SetString(text)
	if !ok || at.Kind != token.Number {
		p.fail(at, "%s is no rational number", text)
	}
	return c
}

var roleWords = map[string]Role{"const": Const, "input": Input, "global": Global, "param": Parameter, "state": State, "output": State,
	"temp": Temporary, "loaded": Loaded}

func (p *parser) variable(start int) {
	word := p.core.Peek()
	role, ok := roleWords[word.Text]
	if !ok {
		p.core.Fail("", "a declaration (strings, image, kernel, const, input, global, param, state, output, temp, loaded), a block or }")
	}
	p.core.Take()
	name := p.Name("the name of the variable")
	p.expect(":")
	v := p.p.Declare(source.Span{}, role, name, p.typeOf())
	v.Output = word.Text == "output"
	if role == Input && p.accept("=") {
		v.Default = []*ein.Const{}
		p.core.Commas(func() {
			at := p.core.Peek()
			c, ok := p.Expr().(*ein.Const)
			if !ok {
				p.fail(at, "the default of an input is made of literals")
			}
			v.Default = append(v.Default, c)
		})
	}
	if role == Input || role == Loaded {
		v.File, v.Doc = p.from()
	}
	v.Pos = p.core.From(start)
	for _, l := range v.Parts {
		p.Bind(l)
	}
}

func (p *parser) typeOf() Type {
	t := p.core.Peek()
	k := slices.Index(elemNames[:], t.Text)
	if k < 0 {
		p.core.Fail("", "one of the types %v", elemNames)
	}
	p.core.Take()
	result := Type{Elem: Elem(k), Shape: p.shape()}
	for p.accept("{") {
		if p.accept("}") {
			result.Dynamic = true
			return result
		}
		result.Fixed = append(result.Fixed, p.number("the length of a sequence"))
		p.expect("}")
	}
	return result
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
