package syntax

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/lang/token"
)

// infix is the table of the signs of the operator language, with their precedence.
var infix = map[string]int{"+": 1, "-": 1, "*": 2, ".": 3}

// operators makes the reader of signs between operands.
func (p *parser) operators() token.Infix[Expr] {
	return token.Infix[Expr]{Levels: infix, Operand: p.unary, Join: func(start int, t *token.Token, x, y Expr) Expr {
		return &Infix{Pos: p.From(start), Op: t.Text, X: x, Y: y}
	}}
}

// expr reads an expression with infix signs.
func (p *parser) expr() Expr { return p.infix.Read(&p.Parser, 1) }

// unary reads an operand of the signs, with the applications behind it.
func (p *parser) unary() Expr {
	p.Enter()
	defer p.Leave()
	t := p.Peek()
	if t.Text == "-" && p.Ahead(1).Kind != token.Number {
		p.Take()
		t.Role = token.Prefix
		x := p.unary()
		op, _ := Lookup("neg")
		return &Operation{Pos: p.From(t.Start), Op: op, Operands: []Expr{x}}
	}
	_, operation := p.lookup(t.Text)
	applicable := t.Text == "(" || t.Kind == token.Word && !operation && !IsReserved(t.Text)
	x := p.operand()
	for applicable && p.Is("(") && !p.Peek().Newline {
		open := p.Take()
		open.Role = token.Applying
		p.Raise(open)
		e := &Apply{Head: x}
		p.Commas(func() { e.Args = append(e.Args, p.expr()) })
		p.Expect(")", "after the arguments")
		e.Pos = p.From(t.Start)
		x = e
	}
	return x
}

// operand reads what may stand behind an operation: a name, a number, another
// operation, or anything in parentheses.
func (p *parser) operand() Expr {
	p.Enter()
	defer p.Leave()
	t := p.Peek()
	switch {
	case t.Kind == token.Number, t.Text == "-" && p.Ahead(1).Kind == token.Number:
		return p.number()
	case t.Text == "(":
		p.Take()
		e := p.expr()
		if !p.Is(")") && p.Peek().Kind != token.End && !p.begins() {
			p.Fail(p.surplus(), "')' after the expression")
		}
		p.Expect(")", "after the expression")
		return e
	case t.Text == "id":
		p.Take()
		size := p.size(false)
		return &Identity{Pos: p.From(t.Start), Size: size}
	}
	if op, ok := p.lookup(t.Text); ok && t.Kind == token.Word {
		return p.operation(op)
	}
	n := p.Name("an expression")
	return &Var{Pos: n.Pos, Name: n.Name}
}

func (p *parser) operation(op *Op) Expr {
	start := p.Take().Start
	e := &Operation{Op: op}
	for _, parameter := range op.Parameters {
		e.Args = append(e.Args, p.argument(op, parameter))
	}
	for range op.Operands {
		if p.beginsOperand() {
			e.Operands = append(e.Operands, p.operand())
			continue
		}
		p.Fail("it is written "+op.Usage(), "operand %d of %s", len(e.Operands)+1, op.Name)
	}
	e.Pos = p.From(start)
	return e
}

func (p *parser) beginsOperand() bool {
	t := p.Peek()
	return t.Kind == token.Word && !(p.Ahead(1).Text == "=") || t.Kind == token.Number || t.Text == "(" || t.Text == "-"
}

// argument reads a position or size of an operation.
func (p *parser) argument(op *Op, parameter Parameter) Size {
	t := p.Peek()
	if t.Kind != token.Number && t.Text != "(" && (t.Kind != token.Word || IsReserved(t.Text)) {
		p.Fail("it is written "+op.Usage(), "the number %s of %s", parameter.Name, op.Name)
	}
	if inner := p.Ahead(1); parameter.Kind == Position && t.Text == "(" && (inner.Kind == token.Sign || !p.Ahead(2).Is(")")) {
		help := "it is written " + op.Usage()
		if p.Ahead(2).Is(",") {
			help += ", without parentheses and commas"
		}
		p.Fail(help, "the number %s of %s", parameter.Name, op.Name)
	}
	s := p.size(false)
	if _, literal := s.Value.IsConst(); parameter.Kind == Position && !literal {
		p.Report(s.Pos, "it is written "+op.Usage()+", and positions are numbers", "found %s as the position %s of %s, expected a number", s.Value, parameter.Name, op.Name)
		p.Bail()
	}
	return s
}

func (p *parser) number() Expr {
	start := p.Peek().Start
	text := ""
	if p.Accept("-") {
		text = "-"
		p.Tokens[p.At-1].Role = token.Prefix
	}
	t := p.Peek()
	if _, err := strconv.ParseFloat(t.Text, 64); err != nil || strings.ContainsAny(t.Text, "xXpP_") {
		p.Fail("numbers are written 12, 0.5 or 1e-3", "a number")
	}
	p.Take()
	return &Number{Pos: p.From(start), Text: text + t.Text}
}

// maxBrackets bounds the brackets of a size.
const maxBrackets = 200

// size reads a number, a name or a size in parentheses; with sums, whatever stands
// before the next comma or bracket.
func (p *parser) size(sums bool) Size {
	first := p.At
	var words []string
	for depth := 0; ; {
		t := p.Peek()
		if depth == 0 && (t.Text == "," || t.Text == "]" || t.Text == ")") {
			break
		}
		if !sizeToken(t) || depth > maxBrackets {
			break
		}
		p.Take()
		words = append(words, t.Text)
		switch t.Text {
		case "*", "/", "%":
			t.Role = tight
		case "(":
			if depth++; len(words) > 1 && p.Tokens[p.At-2].Kind == token.Word {
				t.Role = token.Applying // min and max
			}
		case ")":
			depth--
		}
		if depth == 0 && !sums {
			break
		}
	}
	if len(words) == 0 {
		p.Fail("", "a size: a number or a name")
	}
	value, err := affine.Parse(strings.Join(words, " "))
	if wrong := (*affine.SyntaxError)(nil); errors.As(err, &wrong) {
		p.wrongSize(first, words, wrong)
	}
	return Size{Pos: p.From(p.Tokens[first].Start), Value: value}
}

// wrongSize reports the first token that is wrong in a size, whose words were joined by blanks.
func (p *parser) wrongSize(first int, words []string, wrong *affine.SyntaxError) {
	const help = "sizes are made of numbers, names and + - * / % min max"
	end, at := p.At, 0
	for n, word := range words {
		if at >= wrong.At {
			p.At = first + n
			break
		}
		at += len(word) + 1
	}
	if p.Peek().Damaged {
		p.Bail()
	}
	if expected, ok := strings.CutPrefix(wrong.Message, "expected "); ok {
		p.Fail(help, "%s", expected)
	}
	p.At = end
	p.Report(p.From(p.Tokens[first].Start), help, "%s", wrong.Message)
	p.Bail()
}

func sizeToken(t *token.Token) bool {
	switch t.Kind {
	case token.Number:
		return strings.Trim(t.Text, "0123456789") == ""
	case token.Word:
		return !slices.Contains(keywords[:], t.Text)
	}
	return t.Kind == token.Sign && strings.Contains("()+-*/%,", t.Text)
}
