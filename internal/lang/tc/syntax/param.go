package syntax

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// param := ident | type ident
//
// Inputs need a type. The forms of other languages (A: float, A(N), a default
// value) are recognised for their messages.
func (p *parser) param(input bool) *Param {
	start, param := p.Peek(), &Param{}
	if start.Kind == token.Word && qualifiers[start.Text] != "" && p.Ahead(1).Kind == tokenScalar {
		p.errorf(source.CodeParameter, start, "found %s before a type", quote(start.Text)).WithHelp("%s", qualifiers[start.Text])
		start = p.Ahead(1)
		p.Take()
	}
	switch {
	case start.Kind == tokenScalar && p.Ahead(1).Kind == token.End:
		p.Take()
		p.fail(p.errorf(source.CodeParameter, p.Peek(), "found the end of the file, expected a name after the type"))
	case start.Kind == tokenScalar:
		param.Type = p.typeExpr()
	case start.Kind == token.Word && p.isUnknownType(p.At):
		param.Type = p.unknownType()
	case start.Kind == token.Word || start.Kind == tokenKey:
	case input:
		p.fail(p.errorf(source.CodeParameter, start, "found %s, expected an input", describe(start)).WithHelp("an input is a type and a name: float(M,N) A"))
	default:
		p.fail(p.errorf(source.CodeParameter, start, "found %s, expected an output", describe(start)).WithHelp("an output is a name, or a type and a name: float(M,N) A"))
	}
	if t := p.Peek(); param.Type != nil && (t.Is("*") || t.Is("&")) {
		p.errorf(source.CodeParameter, t, "found %s; there are no pointers and references", describe(t)).
			WithHelp("an array has a size for each dimension: %s(N) %s", param.Type.Scalar, p.Ahead(1).Text)
		p.Take()
	}
	if t := p.Peek(); param.Type != nil && (t.Is(",") || t.Is(")")) {
		p.Errorf(source.CodeParameter, param.Type.Pos, "the parameter has a type but no name").
			WithHelp("write the name after the type: %s A", param.Type.Pos.Text())
		param.Name = Ident{Pos: p.SpanOf(t)}
	} else {
		param.Name = p.name("the name of the parameter")
		p.afterParam(param, input)
	}
	param.Pos = p.From(start.Start)
	return param
}

// qualifiers are words that other languages write before the type of a parameter.
var qualifiers = map[string]string{
	"const": "delete it: inputs are never written", "in": "delete it: the inputs stand before ->", "out": "delete it: the outputs stand behind ->",
	"inout": "delete it: an array that is read and written is an output, which is read before it is written", "ref": "delete it: arrays are never copied for a call",
	"unsigned": "the types without a sign are uint8, uint16, uint32 and uint64",
}

// afterParam reports a missing type and what does not belong behind the name.
func (p *parser) afterParam(param *Param, input bool) {
	name, t := param.Name.Name, p.Peek()
	switch {
	case t.Is("(") || t.Is("["):
		dims, end := "N", p.skipLists(p.At)
		if end > p.At+2 {
			dims = p.File.Text[p.Ahead(1).Start:p.Tokens[end-2].End]
		}
		scalar := "float"
		if param.Type != nil {
			scalar = param.Type.Scalar
		}
		p.errorf(source.CodeParameter, t, "the dimensions stand at the type, not at the name").WithHelp("write %s(%s) %s", scalar, strings.ReplaceAll(dims, "][", ","), name)
		if end == p.At {
			p.Bail()
		}
		p.At = end
	case t.Is(":"):
		p.errorf(source.CodeParameter, t, "found ':'; the type stands before the name").WithHelp("write float(N) %s", name)
		p.Take()
		if p.Peek().Kind == tokenScalar {
			param.Type = p.typeExpr()
		} else if p.Peek().Kind == token.Word {
			p.Take()
		}
	case t.Is("="):
		p.fail(p.errorf(source.CodeParameter, t, "found '='; parameters have no default values").WithHelp("the caller passes every input"))
	case input && param.Type == nil:
		p.Errorf(source.CodeParameter, param.Name.Pos, "the input %s has no type", quote(name)).
			WithHelp("write the type before it: float(N) %s, or float %s for a scalar", name, name)
	}
}

const dimensionsOfType = "the dimensions of the type"

// type := scalar [ '(' [dim {',' dim}] ')' ]
func (p *parser) typeExpr() *TypeExpr {
	start := p.Take()
	expr := &TypeExpr{Scalar: start.Text}
	if t := p.Peek(); t.Is("(") || t.Is("[") {
		p.list(dimensionsOfType, func() { expr.Dims = append(expr.Dims, p.dim()) })
	}
	expr.Pos = p.From(start.Start)
	return expr
}

// dim := ident | number
func (p *parser) dim() Expr {
	if t := p.Peek(); t.Is("*") || t.Is("?") || t.Is(":") {
		p.errorf(source.CodeDimension, t, "found %s, expected the name of a size or a whole number", describe(t)).
			WithHelp("a size that is not known has a name, and equal names are equal sizes: float(N) A")
		p.Take()
		return &Number{Pos: p.SpanOf(t), Text: "1"}
	}
	dim := p.expr()
	switch d := dim.(type) {
	case *Name:
		return dim
	case *Number:
		if !d.IsFloat() {
			return dim
		}
	}
	p.Errorf(source.CodeDimension, dim.Span(), "the dimension %s is not a name or a whole number", quote(dim.Span().Text())).
		WithHelp("name the size, as in float(N) A; the sizes of outputs are inferred when they have no type")
	return &Number{Pos: dim.Span(), Text: "1"}
}

// isUnknownType reports whether the word at a place is used as a type: it is
// followed by a name, or by parentheses and a name.
func (p *parser) isUnknownType(i int) bool {
	name := p.skipLists(i + 1)
	if p.Tokens[i].Kind != token.Word || p.Tokens[name].Kind != token.Word {
		return false
	}
	return foreignReductions[p.Tokens[name].Text] == "" || !p.Tokens[name+1].Is("=") // m sum=! A(i) has no type
}

// unknownType reports a word that is no type and reads it as float32.
func (p *parser) unknownType() *TypeExpr {
	t := p.Peek()
	d := p.errorf(source.CodeTypeWord, t, "%s is not a type", quote(t.Text))
	if meant := foreignScalars[strings.ToLower(t.Text)]; meant != "" {
		d.WithHelp("write %s", meant)
	} else if meant := source.Suggest(t.Text, ScalarWords()); meant != "" {
		d.WithHelp("did you mean %s?", meant)
	} else {
		d.WithHelp("the types are %s", strings.Join(ScalarWords(), ", "))
	}
	expr := p.typeExpr()
	expr.Scalar = "float32"
	return expr
}
