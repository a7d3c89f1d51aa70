package syntax

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/token"
)

// applying notes that the next bracket belongs to what stands before it.
func (p *parser) applying() { p.Peek().Role = token.Applying }

// beginsType reports whether the next token is a type, or a name that may be that of the strand.
func (p *parser) beginsType() bool {
	t := p.Peek()
	return t.Kind == token.Word && (typeWords[t.Text] || !p.Language.Reserved(t.Text))
}

// typeOf reads a type.
func (p *parser) typeOf(what string) Type {
	start := p.Peek().Start
	if !p.beginsType() {
		p.Fail(p.meant(), "%s", what)
	}
	switch p.Peek().Text {
	case "image":
		t := &ImageType{}
		p.Take()
		t.Dimension, t.Shape = p.domain("of the image")
		t.Pos = p.From(start)
		return t
	case "field":
		t := &FieldType{}
		p.Take()
		if p.Is("#") {
			t.Continuity = p.continuity()
		} else if p.grammar.version == V1 {
			p.otherVersion(p.Peek(), "write the continuity of the field behind #, field#2(3)[]; fields in closed form, F(x) = …, are of version 2.0")
		}
		t.Dimension, t.Shape = p.domain("of the field")
		t.Pos = p.From(start)
		return t
	case "kernel":
		t := &KernelType{}
		p.Take()
		t.Continuity = p.continuity()
		t.Pos = p.From(start)
		return t
	}
	return p.sequences(p.valueType())
}

// valueType reads a type that is no field, image or kernel, without sequences.
func (p *parser) valueType() Type {
	t := p.Peek()
	switch {
	case t.Is("image"), t.Is("field"), t.Is("kernel"):
		p.Fail("fields, images and kernels are globals, or parameters of functions of version 2.0", "the type of a value")
	case t.Is("tensor"):
		p.Take()
		shape := p.shape("behind tensor")
		return &TensorType{Pos: p.From(t.Start), Shape: shape}
	case !p.beginsType():
		p.Fail(p.meant(), "the type of a value")
	}
	p.Take()
	return &Named{Pos: p.SpanOf(t), Name: t.Text}
}

// sequences reads the lengths of sequences behind a type.
func (p *parser) sequences(t Type) Type {
	open, closing := p.grammar.sequence[0], p.grammar.sequence[1]
	start := t.Span().Start
	for p.Is(open) {
		p.applying()
		p.Take()
		p.Raise(p.Peek())
		if p.Accept(closing) {
			if p.Is(open) {
				p.Fail("a sequence of any length is the last: its elements may be sequences of fixed length, real"+open+"3"+closing+open+closing, "the name of the variable")
			}
			return &SequenceType{Pos: p.From(start), Element: t}
		}
		length := p.grammar.dimension(p)
		p.expect(closing, "behind the length of the sequence")
		t = &SequenceType{Pos: p.From(start), Element: t, Length: length}
	}
	if p.grammar.version == V1 && p.Is("[") {
		p.otherVersion(p.Peek(), "the type of a sequence is written real{3} or real{}; tensors are tensor[3]")
	}
	if p.grammar.version == V2 && p.Is("{") && (p.Ahead(1).Is("}") || p.Ahead(2).Is("}")) {
		p.otherVersion(p.Peek(), "the type of a sequence is written real[3] or real[]")
	}
	return t
}

// domain reads (2)[3].
func (p *parser) domain(where string) (Expr, *Shape) {
	p.applying()
	p.expect("(", "before the dimension "+where)
	dimension := p.grammar.dimension(p)
	p.expect(")", "behind the dimension "+where)
	return dimension, p.shape("behind the dimension: [] for numbers, [3] for vectors")
}

// shape reads [2,3].
func (p *parser) shape(where string) *Shape {
	s := &Shape{}
	p.applying()
	start := p.expect("[", strings.TrimSpace("and a shape "+where)).Start
	if !p.Is("]") {
		p.Commas(func() { s.Dimensions = append(s.Dimensions, p.grammar.dimension(p)) })
	}
	p.closing("]", "behind the shape")
	s.Pos = p.From(start)
	return s
}

// continuity reads #2.
func (p *parser) continuity() *Number {
	p.expect("#", "and a whole number: how many derivatives are continuous")
	return p.integer("a whole number: how many derivatives are continuous")
}

// integer reads a whole number.
func (p *parser) integer(what string) *Number {
	t := p.Peek()
	if t.Kind != token.Number || strings.Contains(t.Text, ".") {
		p.Fail("", "%s", what)
	}
	p.Take()
	return &Number{Pos: p.SpanOf(t), Text: t.Text}
}
