package syntax

import "github.com/ricci-lang/ricci/internal/lang/token"

// The levels of precedence, from the loosest.
const (
	disjunction = iota + 1
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

// expr reads a whole expression.
func (p *parser) expr() Expr {
	p.Enter()
	defer p.Leave()
	if p.Is("if") {
		return p.ifExpr()
	}
	return p.infix.Read(&p.Parser, disjunction)
}

// operators makes the reader of operators between operands.
func (p *parser) operators() token.Infix[Expr] {
	return token.Infix[Expr]{Levels: infix, Apart: comparison, Instead: "comparisons do not chain: write a < b and b < c", Operand: p.unary,
		Join: func(start int, t *token.Token, x, y Expr) Expr {
			return &Binary{Pos: p.From(start), Op: t.Text, X: x, Y: y}
		}}
}

func (p *parser) unary() Expr {
	p.Enter()
	defer p.Leave()
	t := p.Peek()
	if t.Text == "-" || t.Text == "not" {
		p.Take()
		if t.Kind == token.Sign {
			t.Role = token.Prefix
		}
		x := p.unary()
		return &Unary{Pos: p.From(t.Start), Op: t.Text, X: x}
	}
	return p.postfix()
}

func (p *parser) postfix() Expr {
	start := p.Peek().Start
	x := p.primary()
	for p.Is("[") && !p.Peek().Newline {
		p.Raise(p.Take())
		n := p.expr()
		if p.Is(",") {
			p.Fail("x[n] is entry n of a list; arguments stand in parentheses: "+x.Span().Text()+"([…])", "']' after the number of the entry")
		}
		p.Expect("]", "after the number of the entry")
		x = &Select{Pos: p.From(start), X: x, Number: n}
	}
	return x
}

func (p *parser) primary() Expr {
	t := p.Peek()
	switch {
	case t.Kind == token.Number:
		p.Take()
		return &Number{Pos: p.SpanOf(t), Text: t.Text}
	case t.Text == "(":
		p.Take()
		e := p.expr()
		p.Expect(")", "after the expression")
		return e
	case t.Text == "[":
		return p.list()
	case t.Text == "ε":
		p.Take()
		return &Empty{Pos: p.SpanOf(t)}
	case t.Text == "if":
		return p.ifExpr()
	case t.Text == "true" || t.Text == "false":
		p.Take()
		return &Ref{Pos: p.SpanOf(t), Name: t.Text}
	}
	n := p.Name("an expression")
	if !p.Is("(") {
		return &Ref{Pos: n.Pos, Name: n.Name}
	}
	p.Take()
	c := &Call{Name: n}
	p.List(")", "after the arguments of "+n.Name, func() { c.Args = append(c.Args, p.argument()) })
	c.Pos = p.From(t.Start)
	return c
}

// argument reads "x", "x -> y" or "-> y".
func (p *parser) argument() Expr {
	start := p.Peek().Start
	var from Expr = &Empty{Pos: p.From(start)}
	if !p.Is("->") {
		from = p.expr()
	}
	if !p.Accept("->") {
		return from
	}
	to := p.expr()
	return &Arrow{Pos: p.From(start), From: from, To: to}
}

// list reads "[x, , y]": with n commas it has n+1 entries, some of them missing,
// except that [] has none.
func (p *parser) list() Expr {
	p.Enter()
	defer p.Leave()
	l := &List{}
	start := p.Take().Start
	if !p.Accept("]") {
		p.Commas(func() {
			if p.Is(",") || p.Is("]") {
				l.Items = append(l.Items, &Empty{Pos: p.From(p.Peek().Start)})
			} else {
				l.Items = append(l.Items, p.expr())
			}
		})
		if p.Is("->") {
			p.Fail("the arrow stands behind the list: [[i], [i]] -> [i]", "']' after the list")
		}
		p.Expect("]", "after the list")
	}
	l.Pos = p.From(start)
	return l
}

func (p *parser) ifExpr() Expr {
	e := &If{}
	start := p.Take().Start
	e.Cond = p.expr()
	p.Expect("then", "after the condition")
	e.Then = p.expr()
	p.Expect("else", "after the first alternative")
	e.Else = p.expr()
	e.Pos = p.From(start)
	return e
}
