package syntax

import "github.com/ricci-lang/ricci/internal/lang/token"

// primary reads what both versions have as operands: names, literals, (x), {x, y}, [x, y] and |x|; rest reads those
// that the version has beside them, and returns nil if there is none.
func (p *parser) primary(rest func() Expr) Expr {
	t := p.Peek()
	switch {
	case t.Kind == token.Number:
		p.Take()
		return &Number{Pos: p.SpanOf(t), Text: t.Text}
	case t.Kind == stringToken:
		return p.stringLiteral()
	case t.Is("true"), t.Is("false"), t.Is("inf"), t.Is("∞"), t.Is("π"):
		p.Take()
		name := t.Text
		if name == "∞" {
			name = "inf"
		}
		return &Constant{Pos: p.SpanOf(t), Name: name}
	case t.Is("("):
		p.Take()
		x := p.expr()
		p.closing(")", "behind the expression")
		return x
	case t.Is("["):
		return p.tensor()
	case t.Is("{"):
		return p.sequence()
	case t.Is("|"):
		return p.norm()
	case t.Kind == token.Word && !p.Language.Reserved(t.Text):
		p.Take()
		return &Ref{Pos: p.SpanOf(t), Name: t.Text}
	}
	if x := rest(); x != nil {
		return x
	}
	p.Fail(p.notExpression(), "an expression")
	return nil
}

// notExpression says what is meant by a token that begins no expression.
func (p *parser) notExpression() string {
	t := p.Peek()
	switch {
	case p.At > 0 && p.Tokens[p.At-1].Is("||"):
		return bars
	case t.Is(";") && p.At > 0 && p.Tokens[p.At-1].Is("return"):
		return "a function returns a value; a method ends by continue, stabilize or die"
	case typeWords[t.Text] && p.Ahead(1).Is("(") && !t.Is("real"):
		return "a vector is written [1.0, 2.0, 3.0], a matrix by its rows [[1.0, 0.0], [0.0, 1.0]]"
	case t.Is("if"):
		return "a choice between two values is written x if c else y"
	case t.Is("+"):
		return "a number has no + before it"
	case t.Is("*") && p.At > 0 && p.Tokens[p.At-1].Is("*"):
		return "a power is written x^2"
	case t.Is("real") || t.Is("identity") || t.Is("zeros") || t.Is("nan") || t.Is("load_image") || t.Is("load_sequence"):
		return "it stands in parentheses here: (" + t.Text + " …)"
	case t.Is("]") && p.At > 0 && p.Tokens[p.At-1].Is("["):
		return "there is at least one component or index; an empty sequence is {}"
	case t.Kind == token.Word && p.Language.Reserved(t.Text):
		return t.Text + " is a word of the language and cannot be a name"
	}
	return p.meant()
}

// tensor reads [x, y].
func (p *parser) tensor() Expr {
	e := &Tensor{}
	start := p.Take().Start
	p.Commas(func() { e.Elements = append(e.Elements, p.expr()) })
	p.closing("]", "behind the components")
	e.Pos = p.From(start)
	return e
}

// sequence reads {}, {x, y} or { e | x in s }.
func (p *parser) sequence() Expr {
	open := p.Take()
	if p.Accept("}") {
		return &Sequence{Pos: p.From(open.Start)}
	}
	first := p.expr()
	if p.Is("|") {
		if p.grammar.version == V1 {
			p.otherVersion(p.Peek(), "in version 1.0 a comprehension stands behind a reduction only: sum{ x | x in s }")
		}
		i := p.comprehensionRest(open)
		return &Comprehension{Pos: p.From(open.Start), Body: first, Iterator: i}
	}
	e := &Sequence{Elements: []Expr{first}}
	for p.Accept(",") {
		e.Elements = append(e.Elements, p.expr())
	}
	p.closing("}", "behind the elements")
	e.Pos = p.From(open.Start)
	return e
}

// comprehensionRest reads "| x in s }".
func (p *parser) comprehensionRest(open *token.Token) *Iterator {
	p.expect("|", "and an iterator: sum{ e | x in s }")
	i := p.iterator()
	if p.Is(",") {
		p.Fail("only the creation of strands has several iterators: count in one, and compute two numbers from it", "'}' behind the iterator")
	}
	open.Role = wideBrace
	p.expect("}", "behind the iterator").Role = wideBrace
	return i
}

// reduceRest reads "{ e | x in s }" behind the name of a reduction. In version 1.0 "x{i}" is the subscript of a sequence.
func (p *parser) reduceRest(start int, x Expr) Expr {
	open := p.Take()
	open.Role = token.Applying
	body := p.expr()
	if p.Is("}") {
		if p.grammar.version == V2 {
			p.otherVersion(open, "an element of a sequence is s[i]; a reduction is sum{ e | x in s }")
		}
		p.Take()
		return &Index{Pos: p.From(start), X: x, Brackets: "{}", Indices: []Expr{body}}
	}
	op, ok := x.(*Ref)
	if !ok {
		p.Fail("before the braces stands the name of a reduction, such as sum", "'}' behind the expression")
	}
	i := p.comprehensionRest(open)
	open.Role = reduceBrace
	return &Reduce{Pos: p.From(start), Op: Name{Pos: op.Pos, Name: op.Name}, Body: body, Iterator: i}
}

// norm reads |x|.
func (p *parser) norm() Expr {
	open := p.Take()
	open.Role = openBar
	x := p.expr()
	p.expect("|", "behind what the norm is taken of").Role = closeBar
	return &Norm{Pos: p.From(open.Start), X: x}
}

// special reads the forms that begin with a word: real(x), identity[n], zeros[2], nan and those that load files, whose
// words are given; nil if there is none.
func (p *parser) special(image, sequence string) Expr {
	t := p.Peek()
	switch t.Text {
	case "real":
		p.Take()
		x := p.inParentheses(p.expr, "behind the number")
		return &ToReal{Pos: p.From(t.Start), X: x}
	case image, sequence:
		kind := "sequence"
		if t.Text == image {
			kind = "image"
		}
		p.Take()
		path := p.inParentheses(func() Expr { return p.grammar.path(p) }, "behind the name of the file")
		return &Load{Pos: p.From(t.Start), Kind: kind, Path: path}
	case "identity":
		p.Take()
		p.applying()
		p.expect("[", "and a size behind identity")
		size := p.grammar.dimension(p)
		p.expect("]", "behind the size")
		return &Identity{Pos: p.From(t.Start), Size: size}
	case "zeros":
		p.Take()
		shape := p.shape("behind zeros")
		return &Zeros{Pos: p.From(t.Start), Shape: shape}
	case "nan":
		p.Take()
		n := &NaN{}
		if p.Is("[") {
			n.Shape = p.shape("")
		}
		n.Pos = p.From(t.Start)
		return n
	}
	return nil
}

// inParentheses reads (x) behind a word.
func (p *parser) inParentheses(read func() Expr, where string) Expr {
	p.applying()
	p.expect("(", "before the argument")
	x := read()
	p.closing(")", where)
	return x
}
