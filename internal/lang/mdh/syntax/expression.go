package syntax

import (
	"cmp"

	"github.com/ricci-lang/ricci/internal/lang/token"
)

// The levels of precedence, from the loosest.
const (
	disjunction = iota + 1
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
	"or": disjunction, "and": conjunction,
}

// wordSigns are operators that are written as words.
var wordSigns = map[string]string{"and": "&&", "or": "||", "not": "!"}

// expr reads a whole expression.
func (p *parser) expr() Expr {
	p.Enter()
	defer p.Leave()
	switch p.Peek().Text {
	case "if":
		return p.ifExpr()
	case "let":
		return p.let()
	case "iterate":
		return p.iterate()
	}
	return p.binary(disjunction)
}

// operators makes the reader of operators between operands.
func (p *parser) operators() token.Infix[Expr] {
	return token.Infix[Expr]{Levels: infix, Apart: comparison, Instead: "comparisons do not chain: write a < b && b < c", Operand: p.unary,
		Join: func(start int, t *token.Token, x, y Expr) Expr {
			return &Binary{Pos: p.From(start), Op: sign(t), X: x, Y: y}
		}}
}

// binary reads operators of a level and tighter ones.
func (p *parser) binary(level int) Expr { return p.infix.Read(&p.Parser, level) }

// sign returns an operator as it is written in signs.
func sign(t *token.Token) string { return cmp.Or(wordSigns[t.Text], t.Text) }

func (p *parser) unary() Expr {
	p.Enter()
	defer p.Leave()
	t := p.Peek()
	if t.Text == "-" || t.Text == "!" || t.Text == "not" {
		p.Take()
		if t.Kind == token.Sign {
			t.Role = token.Prefix
		}
		x := p.unary()
		return &Unary{Pos: p.From(t.Start), Op: sign(t), X: x}
	}
	return p.postfix()
}

func (p *parser) postfix() Expr {
	start := p.Peek().Start
	x := p.primary()
	for {
		switch {
		case p.Accept("."):
			p.Raise(p.Peek())
			x = &Select{X: x, Field: p.Name("the name of a field"), Pos: p.From(start)}
		case p.Is("["):
			p.Raise(p.Take())
			n := p.binary(additive)
			p.Expect("]", "after the number of the access")
			x = &Numbered{Pos: p.From(start), X: x, Number: n}
		default:
			return x
		}
	}
}

func (p *parser) primary() Expr {
	t := p.Peek()
	switch {
	case t.Kind == token.Number:
		p.Take()
		return &Number{Pos: p.SpanOf(t), Text: t.Text}
	case t.Text == "(" || t.Text == "{":
		return p.parenthesised()
	case t.Text == "if" || t.Text == "let" || t.Text == "iterate":
		return p.expr()
	case t.Text == "true" || t.Text == "false":
		p.Take()
		return &Ref{Pos: p.SpanOf(t), Name: t.Text}
	}
	n := p.Name("an expression")
	if !p.Is("(") {
		return &Ref{Pos: n.Pos, Name: n.Name}
	}
	p.Take().Role = call
	c := &Call{Name: n}
	p.List(")", "after the arguments of "+n.Name, func() { c.Args = append(c.Args, p.expr()) })
	c.Pos = p.From(t.Start)
	return c
}

func (p *parser) parenthesised() Expr {
	t := p.Take()
	if t.Text == "{" {
		e := p.expr()
		p.Expect("}", "after the expression")
		return e
	}
	tuple := &Tuple{}
	p.List(")", "after the expression", func() { tuple.Parts = append(tuple.Parts, p.expr()) })
	if len(tuple.Parts) == 1 {
		return tuple.Parts[0]
	}
	tuple.Pos = p.From(t.Start)
	return tuple
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

func (p *parser) let() Expr {
	e := &Let{}
	start := p.Take().Start
	e.Pattern = p.pattern()
	e.Type = p.optionalType()
	p.Expect("=", "and a value after the name")
	e.Value = p.expr()
	p.Expect(";", "after the value of the let")
	e.Body = p.expr()
	e.Pos = p.From(start)
	return e
}

func (p *parser) iterate() Expr {
	e := &Iterate{}
	start := p.Take().Start
	e.Count = p.binary(additive)
	p.Expect("with", "and the state after the number of steps")
	p.Expect("(", "before the state")
	p.List(")", "after the state", func() {
		v := &Variable{Name: p.Name("the name of a variable"), Type: p.optionalType()}
		p.Expect("=", "and the first value of the variable")
		v.Value = p.expr()
		e.Vars = append(e.Vars, v)
	})
	if p.Accept("while") {
		e.While = p.expr()
	}
	p.Expect("do", "before the next state")
	e.Next = p.expr()
	e.Pos = p.From(start)
	return e
}
