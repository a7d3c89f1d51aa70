package syntax

import "github.com/ricci-lang/ricci/internal/lang/expression"

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
	"+": additive, "-": additive, "|": additive, "^": additive,
	"*": multiplicative, "/": multiplicative, "%": multiplicative, "&": multiplicative, "<<": multiplicative, ">>": multiplicative,
	"or": disjunction, "and": conjunction,
}

// grammar says what expressions have beyond those of all notations.
func (p *parser) grammar() expression.Grammar {
	return expression.Grammar{
		Levels: infix, Apart: comparison, Instead: "comparisons do not chain: write a < b && b < c",
		Prefix:  []string{"-", "!", "~", "not"},
		Signs:   map[string]string{"and": "&&", "or": "||", "not": "!"},
		Forms:   map[string]func() Expr{"let": p.let, "iterate": p.iterate},
		Primary: p.parenthesised, Postfix: p.postfix, Argument: p.Expr,
	}
}

// postfix reads fields and numbers of accesses behind an expression.
func (p *parser) postfix(start int, x Expr) Expr {
	for {
		switch {
		case p.Accept("."):
			p.Raise(p.Peek())
			x = &Select{X: x, Field: p.Name("the name of a field"), Pos: p.From(start)}
		case p.Is("["):
			p.Raise(p.Take())
			n := p.Binary(additive)
			p.Expect("]", "after the number of the access")
			x = &Numbered{Pos: p.From(start), X: x, Number: n}
		default:
			return x
		}
	}
}

// parenthesised reads (x), {x} or a tuple.
func (p *parser) parenthesised() Expr {
	start := p.Peek().Start
	if p.Accept("{") {
		e := p.Expr()
		p.Expect("}", "after the expression")
		return e
	}
	if !p.Accept("(") {
		return nil
	}
	tuple := &Tuple{}
	p.List(")", "after the expression", func() { tuple.Parts = append(tuple.Parts, p.Expr()) })
	if len(tuple.Parts) == 1 {
		return tuple.Parts[0]
	}
	tuple.Pos = p.From(start)
	return tuple
}

func (p *parser) let() Expr {
	e := &Let{}
	start := p.Take().Start
	e.Pattern = p.pattern()
	e.Type = p.optionalType()
	p.Expect("=", "and a value after the name")
	e.Value = p.Expr()
	p.Expect(";", "after the value of the let")
	e.Body = p.Expr()
	e.Pos = p.From(start)
	return e
}

func (p *parser) iterate() Expr {
	e := &Iterate{}
	start := p.Take().Start
	e.Count = p.Binary(additive)
	p.Expect("with", "and the state after the number of steps")
	p.Expect("(", "before the state")
	p.List(")", "after the state", func() {
		v := &Variable{Name: p.Name("the name of a variable"), Type: p.optionalType()}
		p.Expect("=", "and the first value of the variable")
		v.Value = p.Expr()
		e.Vars = append(e.Vars, v)
	})
	if p.Accept("while") {
		e.While = p.Expr()
	}
	p.Expect("do", "before the next state")
	e.Next = p.Expr()
	e.Pos = p.From(start)
	return e
}
