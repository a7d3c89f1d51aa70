package syntax

import (
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/affine"
)

// infix is the table of the signs of the operator language, with their precedence.
var infix = map[string]int{"+": 1, "-": 1, "*": 2, ".": 3}

func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail("assign parts of it to tensors of their own", "an expression that is nested less than %d deep", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

// expr reads an expression with infix signs.
func (p *parser) expr() Expr { return p.binary(1) }

// binary reads signs of a level and tighter ones, from the left.
func (p *parser) binary(level int) Expr {
	p.enter()
	defer p.leave()
	start := p.peek().start
	x := p.unary()
	for {
		op := p.peek().text
		own, ok := infix[op]
		if !ok || own < level {
			return x
		}
		p.take()
		y := p.binary(own + 1)
		x = &Infix{Pos: p.from(start), Op: op, X: x, Y: y}
	}
}

// unary reads an operand of the signs, with the applications behind it.
func (p *parser) unary() Expr {
	p.enter()
	defer p.leave()
	t := p.peek()
	if t.text == "-" && p.ahead(1).kind != tokenNumber {
		p.take()
		t.role = prefix
		x := p.unary()
		op, _ := Lookup("neg")
		return &Operation{Pos: p.from(t.start), Op: op, Operands: []Expr{x}}
	}
	applicable := t.text == "(" || t.kind == tokenWord && !IsReserved(t.text)
	x := p.operand()
	for applicable && p.is("(") && !p.peek().newline {
		p.take().role = applying
		e := &Apply{Head: x}
		for {
			e.Args = append(e.Args, p.expr())
			if !p.accept(",") {
				break
			}
		}
		p.expect(")", "after the arguments")
		e.Pos = p.from(t.start)
		x = e
	}
	return x
}

// operand reads what may stand behind an operation: a name, a number, another
// operation, or anything in parentheses.
func (p *parser) operand() Expr {
	p.enter()
	defer p.leave()
	t := p.peek()
	switch {
	case t.kind == tokenNumber, t.text == "-" && p.ahead(1).kind == tokenNumber:
		return p.number()
	case t.text == "(":
		p.take()
		e := p.expr()
		p.expect(")", "after the expression")
		return e
	case t.text == "id":
		p.take()
		size := p.size(false)
		return &Identity{Pos: p.from(t.start), Size: size}
	}
	if op, ok := Lookup(t.text); ok && t.kind == tokenWord {
		return p.operation(op)
	}
	n := p.name("an expression")
	return &Var{Pos: n.Pos, Name: n.Name}
}

func (p *parser) operation(op *Op) Expr {
	start := p.take().start
	e := &Operation{Op: op}
	for _, parameter := range op.Parameters {
		e.Args = append(e.Args, p.argument(op, parameter))
	}
	for range op.Operands {
		if p.beginsOperand() {
			e.Operands = append(e.Operands, p.operand())
			continue
		}
		p.fail("it is written "+op.Usage(), "operand %d of %s", len(e.Operands)+1, op.Name)
	}
	e.Pos = p.from(start)
	return e
}

func (p *parser) beginsOperand() bool {
	t := p.peek()
	return t.kind == tokenWord && !(p.ahead(1).text == "=") || t.kind == tokenNumber || t.text == "(" || t.text == "-"
}

// argument reads a position or size of an operation.
func (p *parser) argument(op *Op, parameter Parameter) Size {
	t := p.peek()
	if t.kind != tokenNumber && t.text != "(" && (t.kind != tokenWord || IsReserved(t.text)) {
		p.fail("it is written "+op.Usage(), "the number %s of %s", parameter.Name, op.Name)
	}
	s := p.size(false)
	if _, literal := s.Value.IsConst(); parameter.Kind == Position && !literal {
		p.report(s.Pos, "it is written "+op.Usage()+", and positions are numbers", "found %s as the position %s of %s, expected a number", s.Value, parameter.Name, op.Name)
		panic(bailout{})
	}
	return s
}

func (p *parser) number() Expr {
	start := p.peek().start
	text := ""
	if p.accept("-") {
		text = "-"
		p.tokens[p.at-1].role = prefix
	}
	t := p.peek()
	if _, err := strconv.ParseFloat(t.text, 64); err != nil || strings.ContainsAny(t.text, "xXpP_") {
		p.fail("numbers are written 12, 0.5 or 1e-3", "a number")
	}
	p.take()
	return &Number{Pos: p.from(start), Text: text + t.text}
}

// size reads a number, a name or a size in parentheses; with sums, whatever stands
// before the next comma or bracket.
func (p *parser) size(sums bool) Size {
	start := p.peek()
	var words []string
	for depth := 0; ; {
		t := p.peek()
		if depth == 0 && (t.text == "," || t.text == "]" || t.text == ")") {
			break
		}
		if !sizeToken(t) || depth > maxDepth {
			break
		}
		p.take()
		words = append(words, t.text)
		switch t.text {
		case "*", "/", "%":
			t.role = tight
		case "(":
			if depth++; len(words) > 1 && p.tokens[p.at-2].kind == tokenWord {
				t.role = applying // min and max
			}
		case ")":
			depth--
		}
		if depth == 0 && !sums {
			break
		}
	}
	if len(words) == 0 {
		p.fail("", "a size: a number or a name")
	}
	pos := p.from(start.start)
	value, err := affine.Parse(strings.Join(words, " "))
	if err != nil {
		p.report(pos, "sizes are made of numbers, names and + - * / % min max", "'%s' is no size: %v", pos.Text(), err)
		panic(bailout{})
	}
	return Size{Pos: pos, Value: value}
}

func sizeToken(t *token) bool {
	switch t.kind {
	case tokenNumber:
		return strings.Trim(t.text, "0123456789") == ""
	case tokenWord:
		return t.text != "alloc" && t.text != "def" && t.text != "param"
	}
	return t.kind == tokenSign && strings.Contains("()+-*/%,", t.text)
}
