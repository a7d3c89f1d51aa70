package expression

import (
	"cmp"
	"slices"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
)

// A Grammar is what a notation's expressions are, beyond what all have.
type Grammar struct {
	// Levels, Apart and Instead are those of token.Infix.
	Levels  map[string]int
	Apart   int
	Instead string
	// Prefix lists the operators that stand before their operand.
	Prefix []string
	// Signs has the operators that are words and stand as signs in the tree.
	Signs map[string]string
	// Forms reads what begins with a word and reaches as far as it can, as if does.
	Forms map[string]func() Expr
	// Primary reads another operand of the notation; nil if none begins here.
	Primary func() Expr
	// Postfix reads what follows on an operand x, which begins at an offset.
	Postfix func(start int, x Expr) Expr
	// Argument reads an argument of a call.
	Argument func() Expr
}

// A Parser reads the expressions of a notation, whose parser embeds it.
type Parser struct {
	token.Parser
	grammar Grammar
	infix   token.Infix[Expr]
}

// Begin scans a file and goes to its first token; it returns the comments.
func (p *Parser) Begin(language *token.Language, file *source.File, grammar Grammar) (comments []token.Comment) {
	p.Parser, comments = language.NewParser(file)
	p.grammar = grammar
	p.infix = token.Infix[Expr]{Levels: grammar.Levels, Apart: grammar.Apart, Instead: grammar.Instead, Operand: p.unary,
		Join: func(start int, t *token.Token, x, y Expr) Expr {
			e := &Binary{Pos: p.From(start), Op: p.sign(t), X: x, Y: y}
			p.misread(e)
			return e
		}}
	return comments
}

// misread warns where C and Python put other parentheses. An operand in parentheses is shorter than what was read.
func (p *Parser) misread(e *Binary) {
	warn := func(g token.Grouping, operands ...Expr) {
		for k, x := range operands {
			g.Operands[k] = x.Span().Text()
		}
		if g.IsMisread() {
			here, there := g.Texts()
			p.Diagnostics.Warnf(source.CodeBitGrouping, e.Pos, "%s here, and %s in C and Python", here, there).
				WithHelp("write the parentheses: %s or %s", here, there)
		}
	}
	if x, ok := e.X.(*Binary); ok && x.Pos.Start == e.Pos.Start {
		warn(token.Grouping{Outer: e.Op, Inner: x.Op, OnLeft: true}, x.X, x.Y, e.Y)
	}
	if y, ok := e.Y.(*Binary); ok && y.Pos.End == e.Pos.End {
		warn(token.Grouping{Outer: e.Op, Inner: y.Op}, e.X, y.X, y.Y)
	}
}

// Expr reads a whole expression.
func (p *Parser) Expr() Expr {
	p.Enter()
	defer p.Leave()
	if form := p.form(); form != nil {
		return form()
	}
	return p.Binary(1)
}

// form returns what reads an expression that begins with the next word, nil if it is
// none of a form.
func (p *Parser) form() func() Expr {
	if p.Is("if") {
		return p.conditional
	}
	return p.grammar.Forms[p.Peek().Text]
}

// Binary reads operators of a level and tighter ones.
func (p *Parser) Binary(level int) Expr { return p.infix.Read(&p.Parser, level) }

// sign returns an operator as it stands in the tree.
func (p *Parser) sign(t *token.Token) string { return cmp.Or(p.grammar.Signs[t.Text], t.Text) }

func (p *Parser) unary() Expr {
	p.Enter()
	defer p.Leave()
	t := p.Peek()
	if !slices.Contains(p.grammar.Prefix, t.Text) {
		return p.grammar.Postfix(t.Start, p.primary())
	}
	p.Take()
	if t.Kind == token.Sign {
		t.Role = token.Prefix
	}
	x := p.unary()
	return &Unary{Pos: p.From(t.Start), Op: p.sign(t), X: x}
}

func (p *Parser) primary() Expr {
	t := p.Peek()
	switch form := p.form(); {
	case form != nil:
		return form()
	case t.Kind == token.Number:
		p.Take()
		return &Number{Pos: p.SpanOf(t), Text: t.Text}
	case t.Text == "true" || t.Text == "false":
		p.Take()
		return &Ref{Pos: p.SpanOf(t), Name: t.Text}
	}
	if x := p.grammar.Primary(); x != nil {
		return x
	}
	return p.Named()
}

// Named reads a name, or a call of what it names.
func (p *Parser) Named() Expr {
	n := p.Name("an expression")
	if !p.Is("(") {
		return &Ref{Pos: n.Pos, Name: n.Name}
	}
	p.Take().Role = token.Applying
	c := &Call{Name: n}
	p.List(")", "after the arguments of "+n.Name, func() { c.Args = append(c.Args, p.grammar.Argument()) })
	c.Pos = p.From(n.Pos.Start)
	return c
}

func (p *Parser) conditional() Expr {
	e := &If{}
	start := p.Take().Start
	e.Cond = p.Expr()
	p.Expect("then", "after the condition")
	e.Then = p.Expr()
	p.Expect("else", "after the first alternative")
	e.Else = p.Expr()
	e.Pos = p.From(start)
	return e
}
