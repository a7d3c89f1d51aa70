package syntax

import (
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
)

// param := ident | type ident
//
// Inputs need a type. The forms of other languages (A: float, A(N), a default
// value) are recognised for their messages.
func (p *parser) param(input bool) *Param {
	start, param := p.token(), &Param{}
	switch {
	case start.kind == tokenScalar && p.at(1).kind == tokenEnd:
		p.next()
		p.fail(p.errorf(source.CodeParameter, p.token(), "found the end of the file, expected a name after the type"))
	case start.kind == tokenScalar:
		param.Type = p.typeExpr()
	case start.kind == tokenWord && p.isUnknownType(p.position):
		param.Type = p.unknownType()
	case start.kind == tokenWord || start.kind == tokenKey:
	case input:
		p.fail(p.errorf(source.CodeParameter, start, "found %s, expected an input", start.describe()).WithHelp("an input is a type and a name: float(M,N) A"))
	default:
		p.fail(p.errorf(source.CodeParameter, start, "found %s, expected an output", start.describe()).WithHelp("an output is a name, or a type and a name: float(M,N) A"))
	}
	if t := p.token(); param.Type != nil && (t.is(",") || t.is(")")) {
		p.errorAt(source.CodeParameter, param.Type.Pos, "the parameter has a type but no name").
			WithHelp("write the name after the type: %s A", param.Type.Pos.Text())
		param.Name = Ident{Pos: p.span(t)}
	} else {
		param.Name = p.name("the name of the parameter")
		p.afterParam(param, input)
	}
	param.Pos = p.from(start.start)
	return param
}

// afterParam reports a missing type and what does not belong behind the name.
func (p *parser) afterParam(param *Param, input bool) {
	name, t := param.Name.Name, p.token()
	switch {
	case t.is("(") || t.is("["):
		dims, end := "N", p.skipLists(p.position)
		if end > p.position+2 {
			dims = p.file.Text[p.at(1).start:p.tokens[end-2].end]
		}
		scalar := "float"
		if param.Type != nil {
			scalar = param.Type.Scalar
		}
		p.errorf(source.CodeParameter, t, "the dimensions stand at the type, not at the name").WithHelp("write %s(%s) %s", scalar, strings.ReplaceAll(dims, "][", ","), name)
		if end == p.position {
			p.fail(nil)
		}
		p.position = end
	case t.is(":"):
		p.errorf(source.CodeParameter, t, "found ':'; the type stands before the name").WithHelp("write float(N) %s", name)
		p.next()
		if p.token().kind == tokenScalar {
			param.Type = p.typeExpr()
		} else if p.token().kind == tokenWord {
			p.next()
		}
	case t.is("="):
		p.fail(p.errorf(source.CodeParameter, t, "found '='; parameters have no default values").WithHelp("the caller passes every input"))
	case input && param.Type == nil:
		p.errorAt(source.CodeParameter, param.Name.Pos, "the input %s has no type", quote(name)).
			WithHelp("write the type before it: float(N) %s, or float %s for a scalar", name, name)
	}
}

// type := scalar [ '(' [dim {',' dim}] ')' ]
func (p *parser) typeExpr() *TypeExpr {
	start := p.next()
	expr := &TypeExpr{Scalar: start.text}
	if t := p.token(); t.is("(") || t.is("[") {
		p.list("the dimensions of the type", func() { expr.Dims = append(expr.Dims, p.dim()) })
	}
	expr.Pos = p.from(start.start)
	return expr
}

// dim := ident | number
func (p *parser) dim() Expr {
	dim := p.expr()
	switch d := dim.(type) {
	case *Name:
		return dim
	case *Number:
		if !d.IsFloat() {
			return dim
		}
	}
	p.errorAt(source.CodeDimension, dim.Span(), "the dimension %s is not a name or a whole number", quote(dim.Span().Text())).
		WithHelp("name the size, as in float(N) A; the sizes of outputs are inferred when they have no type")
	return &Number{Pos: dim.Span(), Text: "1"}
}

// isUnknownType reports whether the word at a place is used as a type: it is
// followed by a name, or by parentheses and a name.
func (p *parser) isUnknownType(i int) bool {
	return p.tokens[i].kind == tokenWord && p.tokens[p.skipLists(i+1)].kind == tokenWord
}

// unknownType reports a word that is no type and reads it as float32.
func (p *parser) unknownType() *TypeExpr {
	t := p.token()
	d := p.errorf(source.CodeTypeWord, t, "%s is not a type", quote(t.text))
	if meant := foreignScalars[strings.ToLower(t.text)]; meant != "" {
		d.WithHelp("write %s", meant)
	} else if meant := source.Suggest(t.text, ScalarWords()); meant != "" {
		d.WithHelp("did you mean %s?", meant)
	} else {
		d.WithHelp("the types are %s", strings.Join(ScalarWords(), ", "))
	}
	expr := p.typeExpr()
	expr.Scalar = "float32"
	return expr
}
