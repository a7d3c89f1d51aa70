package syntax

import "github.com/ricci-lang/ricci/internal/lang/token"

// expr reads an expression: x, a..b in version 2.0, or x if c else y.
func (p *parser) expr() Expr {
	p.Enter()
	defer p.Leave()
	start, ranges := p.Peek().Start, p.ranges
	p.ranges = false
	x := p.infix.Read(&p.Parser, 1)
	if t := p.Peek(); t.Is("..") && !ranges {
		if p.grammar.version == V1 {
			p.otherVersion(t, "in version 1.0 ranges stand in initially only: count in a variable of the strand")
		}
		p.Raise(p.Take())
		x = p.rangeOf(start, t, x, p.infix.Read(&p.Parser, 1))
		if p.Is("..") {
			p.Fail("a range has two ends", "the end of the range")
		}
	}
	if !p.Accept("if") {
		return x
	}
	c := &Conditional{Then: x, Cond: p.expr()}
	p.expect("else", "and the other value: a choice is written x if c else y")
	c.Else = p.expr()
	c.Pos = p.From(start)
	return c
}

// rangeOf makes a range of its ends.
func (p *parser) rangeOf(start int, t *token.Token, x, y Expr) Expr {
	for _, end := range []Expr{x, y} {
		if _, ok := end.(*Binary); ok {
			t.Role = wideRange
		}
	}
	return &Binary{Pos: p.From(start), Op: p.sign(t), X: x, Y: y}
}

// prefix reads an operand with the signs before it.
func (p *parser) prefix() Expr {
	t := p.Peek()
	if !t.Is("-") && !t.Is("!") {
		return p.power()
	}
	p.Enter()
	defer p.Leave()
	p.Raise(p.Take())
	t.Role = token.Prefix
	x := p.prefix()
	return &Unary{Pos: p.From(t.Start), Op: p.sign(t), X: x}
}

// power reads x^y^z, which is x^(y^z).
func (p *parser) power() Expr {
	type operand struct {
		start int
		x     Expr
		sign  *token.Token // behind it
	}
	read := func() operand { return operand{p.Peek().Start, p.grammar.suffix(p), p.Peek()} }
	operands := []operand{read()}
	for p.Is("^") {
		p.Raise(p.Take())
		if p.Is("-") || p.Is("!") {
			p.Fail("a sign stands in parentheses there: 2.0^(-1.0)", "a power")
		}
		operands = append(operands, read())
	}
	x := operands[len(operands)-1].x
	for n := len(operands) - 2; n >= 0; n-- {
		left := operands[n]
		x = &Binary{Pos: p.From(left.start), Op: p.sign(left.sign), X: left.x, Y: x}
	}
	return x
}

// differentiated reads an operand with the derivatives before it: ∇F(x) is (∇F)(x), for calls are read around it.
func (p *parser) differentiated(primary func() Expr) Expr {
	t := p.Peek()
	switch t.Text {
	case "∇", "∇⊗", "∇•", "∇×":
	default:
		return primary()
	}
	if help := p.meant(); help != "" {
		p.Take()
		p.Fail(help, "a field behind ∇")
	}
	p.Enter()
	defer p.Leave()
	p.Raise(p.Take())
	t.Role = token.Prefix
	x := p.differentiated(primary)
	return &Unary{Pos: p.From(t.Start), Op: p.sign(t), X: x}
}

// args reads (x, y).
func (p *parser) args(where string) (list []Expr) {
	p.applying()
	p.expect("(", "before the arguments")
	if !p.Is(")") {
		p.Commas(func() { list = append(list, p.expr()) })
	}
	p.closing(")", where)
	return list
}

// suffixes reads what stands behind an operand in both versions: arguments, indices and parts of a strand. Others may
// follow; more reads those and returns nil where there is none.
func (p *parser) suffixes(start int, x Expr, more func(x Expr) Expr) Expr {
	for {
		switch t := p.Peek(); {
		case t.Is("("):
			p.Raise(t)
			args := p.args("behind the arguments")
			x = &Apply{Pos: p.From(start), Fun: x, Args: args}
		case t.Is("["):
			p.Raise(t)
			indices := p.indices()
			x = &Index{Pos: p.From(start), X: x, Brackets: "[]", Indices: indices}
		case t.Is("."):
			p.Raise(p.Take())
			field := p.Name("the name of a variable of the strand, or all, active or stable")
			x = &Select{Pos: p.From(start), X: x, Field: field}
		default:
			if more == nil {
				return x
			}
			y := more(x)
			if y == nil {
				return x
			}
			x = y
		}
	}
}

// indices reads [i, :].
func (p *parser) indices() (list []Expr) {
	p.applying()
	p.Take()
	p.Commas(func() {
		if t := p.Peek(); p.Accept(":") {
			list = append(list, &All{Pos: p.SpanOf(t)})
			return
		}
		list = append(list, p.expr())
	})
	p.closing("]", "behind the indices")
	return list
}

// stringLiteral reads a string.
func (p *parser) stringLiteral() *String {
	t := p.Take()
	return &String{Pos: p.SpanOf(t), Written: t.Text}
}
