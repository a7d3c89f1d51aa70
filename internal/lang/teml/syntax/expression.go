package syntax

import "github.com/ricci-lang/ricci/internal/lang/expression"

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

// grammar says what expressions have beyond those of all notations.
func (p *parser) grammar() expression.Grammar {
	return expression.Grammar{
		Levels: infix, Apart: comparison, Instead: "comparisons do not chain: write a < b and b < c",
		Prefix:  []string{"-", "not"},
		Primary: p.primary, Postfix: p.postfix, Argument: p.argument,
	}
}

// postfix reads numbers of entries behind a list.
func (p *parser) postfix(start int, x Expr) Expr {
	for p.Is("[") && !p.Peek().Newline {
		p.Raise(p.Take())
		n := p.Expr()
		if p.Is(",") {
			p.Fail("x[n] is entry n of a list; arguments stand in parentheses: "+x.Span().Text()+"([…])", "']' after the number of the entry")
		}
		p.Expect("]", "after the number of the entry")
		x = &Select{Pos: p.From(start), X: x, Number: n}
	}
	return x
}

// primary reads (x), a list or ε.
func (p *parser) primary() Expr {
	t := p.Peek()
	switch {
	case p.Accept("("):
		e := p.Expr()
		p.Expect(")", "after the expression")
		return e
	case p.Accept("ε"):
		return &Empty{Pos: p.SpanOf(t)}
	case p.Is("["):
		return p.list()
	}
	return nil
}

// argument reads "x", "x -> y" or "-> y".
func (p *parser) argument() Expr {
	start := p.Peek().Start
	var from Expr = &Empty{Pos: p.From(start)}
	if !p.Is("->") {
		from = p.Expr()
	}
	if !p.Accept("->") {
		return from
	}
	to := p.Expr()
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
				l.Items = append(l.Items, p.Expr())
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
