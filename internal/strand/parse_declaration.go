package strand

import (
	"math/big"
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

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
