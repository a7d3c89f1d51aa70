package syntax

// The levels of precedence, from the loosest.
const (
	disjunction = iota
	conjunction
	comparison
	additive
	multiplicative
	unaryLevel
)

// infix is the table of the operators between operands.
var infix = map[string]int{
	"||": disjunction, "&&": conjunction,
	"<": comparison, "<=": comparison, ">": comparison, ">=": comparison, "==": comparison, "!=": comparison,
	"+": additive, "-": additive, "*": multiplicative, "/": multiplicative, "%": multiplicative,
}

// wordSigns are operators that are written as words.
var wordSigns = map[string]string{"and": "&&", "or": "||", "not": "!"}

func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail("give parts of it a name with let", "an expression that is nested less than %d deep", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

// expr reads a whole expression.
func (p *parser) expr() Expr {
	p.enter()
	defer p.leave()
	switch p.peek().text {
	case "if":
		return p.ifExpr()
	case "let":
		return p.let()
	case "iterate":
		return p.iterate()
	}
	return p.binary(disjunction)
}

func (p *parser) sign() (string, int, bool) {
	text := p.peek().text
	if s, ok := wordSigns[text]; ok {
		text = s
	}
	level, ok := infix[text]
	return text, level, ok && p.peek().kind != tokenNumber
}

// binary reads operators of a level and tighter ones, from the left.
func (p *parser) binary(level int) Expr {
	p.enter()
	defer p.leave()
	start := p.peek().start
	x := p.unary()
	for {
		op, own, ok := p.sign()
		if !ok || own < level {
			return x
		}
		p.take()
		y := p.binary(own + 1)
		if b, ok := x.(*Binary); ok && own == comparison && infix[b.Op] == comparison && b.Pos.Start == start {
			p.at--
			p.fail("comparisons do not chain: write a < b && b < c", "one comparison")
		}
		x = &Binary{Pos: p.from(start), Op: op, X: x, Y: y}
	}
}

func (p *parser) unary() Expr {
	p.enter()
	defer p.leave()
	t := p.peek()
	if t.text == "-" || t.text == "!" || t.text == "not" {
		p.take()
		if t.kind == tokenSign {
			t.role = prefix
		}
		op := t.text
		if op == "not" {
			op = "!"
		}
		x := p.unary()
		return &Unary{Pos: p.from(t.start), Op: op, X: x}
	}
	return p.postfix()
}

func (p *parser) postfix() Expr {
	start := p.peek().start
	x := p.primary()
	for {
		switch {
		case p.accept("."):
			x = &Select{X: x, Field: p.name("the name of a field"), Pos: p.from(start)}
			x.(*Select).Pos = p.from(start)
		case p.is("["):
			p.take()
			n := p.binary(additive)
			p.expect("]", "after the number of the access")
			x = &Numbered{Pos: p.from(start), X: x, Number: n}
		default:
			return x
		}
	}
}

func (p *parser) primary() Expr {
	t := p.peek()
	switch {
	case t.kind == tokenNumber:
		p.take()
		return &Number{Pos: p.spanOf(t), Text: t.text}
	case t.text == "(" || t.text == "{":
		return p.parenthesised()
	case t.text == "if" || t.text == "let" || t.text == "iterate":
		return p.expr()
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
	p.list(")", "after the arguments of "+n.Name, func() { c.Args = append(c.Args, p.expr()) })
	c.Pos = p.from(t.start)
	return c
}

func (p *parser) parenthesised() Expr {
	t := p.take()
	if t.text == "{" {
		e := p.expr()
		p.expect("}", "after the expression")
		return e
	}
	tuple := &Tuple{}
	p.list(")", "after the expression", func() { tuple.Parts = append(tuple.Parts, p.expr()) })
	if len(tuple.Parts) == 1 {
		return tuple.Parts[0]
	}
	tuple.Pos = p.from(t.start)
	return tuple
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

func (p *parser) let() Expr {
	e := &Let{}
	start := p.take().start
	e.Pattern = p.pattern()
	e.Type = p.optionalType()
	p.expect("=", "and a value after the name")
	e.Value = p.expr()
	p.expect(";", "after the value of the let")
	e.Body = p.expr()
	e.Pos = p.from(start)
	return e
}

func (p *parser) iterate() Expr {
	e := &Iterate{}
	start := p.take().start
	e.Count = p.binary(additive)
	p.expect("with", "and the state after the number of steps")
	p.expect("(", "before the state")
	p.list(")", "after the state", func() {
		v := &Variable{Name: p.name("the name of a variable"), Type: p.optionalType()}
		p.expect("=", "and the first value of the variable")
		v.Value = p.expr()
		e.Vars = append(e.Vars, v)
	})
	if p.accept("while") {
		e.While = p.expr()
	}
	p.expect("do", "before the next state")
	e.Next = p.expr()
	e.Pos = p.from(start)
	return e
}
