package syntax

// The levels of precedence, from the loosest.
const (
	disjunction = iota
	conjunction
	comparison
	concatenation
	additive
	multiplicative
)

// infix is the table of the operators between operands.
var infix = map[string]int{
	"or": disjunction, "and": conjunction,
	"<": comparison, "<=": comparison, ">": comparison, ">=": comparison, "==": comparison, "!=": comparison,
	"++": concatenation, "+": additive, "-": additive, "*": multiplicative, "/": multiplicative, "%": multiplicative,
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail("give parts of it a name", "an expression that is nested less than %d deep", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

// expr reads a whole expression.
func (p *parser) expr() Expr {
	p.enter()
	defer p.leave()
	if p.is("if") {
		return p.ifExpr()
	}
	return p.binary(disjunction)
}

// binary reads operators of a level and tighter ones, from the left.
func (p *parser) binary(level int) Expr {
	p.enter()
	defer p.leave()
	start := p.peek().start
	x := p.unary()
	for {
		op := p.peek().text
		own, ok := infix[op]
		if !ok || own < level || p.peek().kind == tokenNumber {
			return x
		}
		p.take()
		y := p.binary(own + 1)
		if b, ok := x.(*Binary); ok && own == comparison && infix[b.Op] == comparison && b.Pos.Start == start {
			p.at--
			p.fail("comparisons do not chain: write a < b and b < c", "one comparison")
		}
		x = &Binary{Pos: p.from(start), Op: op, X: x, Y: y}
	}
}

func (p *parser) unary() Expr {
	p.enter()
	defer p.leave()
	t := p.peek()
	if t.text == "-" || t.text == "not" {
		p.take()
		t.prefix = t.text == "-"
		x := p.unary()
		return &Unary{Pos: p.from(t.start), Op: t.text, X: x}
	}
	return p.postfix()
}

func (p *parser) postfix() Expr {
	start := p.peek().start
	x := p.primary()
	for p.is("[") && !p.peek().newline {
		p.take()
		n := p.expr()
		p.expect("]", "after the number of the entry")
		x = &Select{Pos: p.from(start), X: x, Number: n}
	}
	return x
}

func (p *parser) primary() Expr {
	t := p.peek()
	switch {
	case t.kind == tokenNumber:
		p.take()
		return &Number{Pos: p.spanOf(t), Text: t.text}
	case t.text == "(":
		p.take()
		e := p.expr()
		p.expect(")", "after the expression")
		return e
	case t.text == "[":
		return p.list()
	case t.text == "ε":
		p.take()
		return &Empty{Pos: p.spanOf(t)}
	case t.text == "if":
		return p.ifExpr()
	case t.text == "true" || t.text == "false":
		p.take()
		return &Ref{Pos: p.spanOf(t), Name: t.text}
	}
	n := p.name("an expression")
	if !p.is("(") {
		return &Ref{Pos: n.Pos, Name: n.Name}
	}
	p.take()
	c := &Call{Name: n}
	for !p.is(")") {
		c.Args = append(c.Args, p.argument())
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", "after the arguments of "+n.Name)
	c.Pos = p.from(t.start)
	return c
}

// argument reads "x", "x -> y" or "-> y".
func (p *parser) argument() Expr {
	start := p.peek().start
	var from Expr = &Empty{Pos: p.from(start)}
	if !p.is("->") {
		from = p.expr()
	}
	if !p.accept("->") {
		return from
	}
	to := p.expr()
	return &Arrow{Pos: p.from(start), From: from, To: to}
}

// list reads "[x, , y]": with n commas it has n+1 entries, some of them missing,
// except that [] has none.
func (p *parser) list() Expr {
	p.enter()
	defer p.leave()
	l := &List{}
	start := p.take().start
	if !p.accept("]") {
		for {
			if p.is(",") || p.is("]") {
				l.Items = append(l.Items, &Empty{Pos: p.from(p.peek().start)})
			} else {
				l.Items = append(l.Items, p.expr())
			}
			if !p.accept(",") {
				break
			}
		}
		p.expect("]", "after the list")
	}
	l.Pos = p.from(start)
	return l
}

func (p *parser) ifExpr() Expr {
	e := &If{}
	start := p.take().start
	e.Cond = p.expr()
	p.expect("then", "after the condition")
	e.Then = p.expr()
	p.expect("else", "after the first alternative")
	e.Else = p.expr()
	e.Pos = p.from(start)
	return e
}
