package loop

import (
	"math"
	"strconv"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

func (p *parser) expr() Expr { return p.infix(1) }

// infix reads operators of at least a precedence; all are left-associative.
func (p *parser) infix(precedence int) Expr {
	defer p.deeper()()
	x := p.operand()
	for {
		op, ok := p.operator()
		if !ok || infix[op].precedence < precedence {
			return x
		}
		p.advance()
		x = &Binary{Op: op, X: x, Y: p.infix(infix[op].precedence + 1)}
	}
}

// operator returns the infix operator that the present token is.
func (p *parser) operator() (ein.BinaryOp, bool) {
	if p.tok.kind != symbolToken {
		return 0, false
	}
	for op, row := range infix {
		if row.text == p.tok.text {
			return op, true
		}
	}
	return 0, false
}

func (p *parser) operand() Expr {
	switch {
	case p.accept("("):
		e := p.expr()
		p.expect(")")
		return e
	case p.accept("!"):
		p.expect("(")
		return p.closed(&Unary{Op: ein.Not, X: p.expr()})
	case p.is("-"):
		return p.negative()
	case p.tok.kind == numberToken:
		return Int(p.integer())
	case p.tok.kind == quotedToken:
		return p.reference()
	case p.tok.kind == wordToken:
		return p.word()
	}
	p.unexpected("an expression")
	return nil
}

// negative reads a negated expression in parentheses or a negative literal.
func (p *parser) negative() Expr {
	if !p.opensNext() {
		return Int(p.integer())
	}
	p.advance()
	p.advance()
	return p.closed(&Unary{Op: ein.Neg, X: p.expr()})
}

// opensNext reports whether a parenthesis follows the present token.
func (p *parser) opensNext() bool {
	next := scan(p.file.Text, p.tok.end)
	return next.kind == symbolToken && next.text == "("
}

// closed reads the parenthesis after an operand.
func (p *parser) closed(e Expr) Expr {
	p.expect(")")
	return e
}

// reference reads a variable or a load.
func (p *parser) reference() Expr {
	if v, ok := p.vars[p.tok.text]; ok {
		p.advance()
		return &VarRef{Var: v}
	}
	if _, ok := p.buffers[p.tok.text]; !ok {
		p.fail(source.LoopName, p.tok, "%q is not the name of a variable, a buffer or a function", p.tok.text)
	}
	e := &Load{Buffer: p.buffer(), Lanes: 1}
	p.expect("[")
	e.Index = p.expr()
	for p.accept(";") {
		if p.accept("mask") {
			e.Mask = p.expr()
		} else {
			e.Lanes = p.small()
		}
	}
	p.expect("]")
	return e
}

// word reads what starts with a word: a reference, a literal or a function.
func (p *parser) word() Expr {
	name := p.tok.text
	if p.vars[name] != nil || p.buffers[name] != nil {
		return p.reference()
	}
	switch {
	case p.accept("true"):
		return &Const{Elem: tensor.Bool, Bits: 1}
	case p.accept("false"):
		return &Const{Elem: tensor.Bool}
	}
	if !p.opensNext() {
		return p.reference()
	}
	if d, err := tensor.ParseDType(name); err == nil {
		p.advance()
		p.advance()
		return p.closed(p.literal(d))
	}
	at := p.advance()
	p.expect("(")
	return p.closed(p.function(at))
}

// functions lists the functions of the text form whose arguments are expressions.
var functions = map[string]struct {
	arity int
	make  func(list []Expr) Expr
}{
	"min":       {2, func(list []Expr) Expr { return &Binary{Op: ein.Min, X: list[0], Y: list[1]} }},
	"max":       {2, func(list []Expr) Expr { return &Binary{Op: ein.Max, X: list[0], Y: list[1]} }},
	"muladd":    {3, func(list []Expr) Expr { return &MulAdd{X: list[0], Y: list[1], Z: list[2]} }},
	"dot":       {3, func(list []Expr) Expr { return &Dot{X: list[0], Y: list[1], Z: list[2]} }},
	"distances": {3, func(list []Expr) Expr { return &Distances{X: list[0], Y: list[1], Z: list[2]} }},
	"select":    {3, func(list []Expr) Expr { return &Select{Cond: list[0], Then: list[1], Else: list[2]} }},
}

// function reads the arguments of a function of the text form or a builtin.
func (p *parser) function(name token) Expr {
	if f, ok := functions[name.text]; ok {
		return f.make(p.arguments(f.arity))
	}
	switch name.text {
	case "cast":
		e := &Cast{To: p.dtype()}
		p.expect(",")
		e.X = p.expr()
		return e
	case "broadcast":
		e := &Broadcast{X: p.expr()}
		p.expect(",")
		e.Lanes = p.small()
		return e
	case "ramp":
		e := &Ramp{Base: p.expr()}
		p.expect(",")
		e.Stride = p.integer()
		p.expect(",")
		e.Lanes = p.small()
		return e
	case "fold":
		return p.fold()
	case "shift":
		e := &Shift{X: p.expr()}
		p.expect(",")
		e.By = int(p.integer())
		p.expect(",")
		e.Fill = p.expr()
		return e
	case "lead":
		e := &Lead{Buffer: p.buffer()}
		p.expect("[")
		e.Index = p.expr()
		p.expect("]")
		p.expect(",")
		e.Lanes = p.small()
		return e
	case "lane":
		e := &Lane{X: p.expr()}
		p.expect(",")
		e.Number = int(p.integer())
		return e
	}
	b, ok := ein.LookupBuiltin(name.text)
	if !ok {
		p.fail(source.LoopName, name, "%q is not a function", name.text)
	}
	return &Call{Func: b, Args: p.arguments(b.Arity)}
}

func (p *parser) arguments(n int) []Expr {
	list := []Expr{p.expr()}
	for len(list) < n {
		p.expect(",")
		list = append(list, p.expr())
	}
	return list
}

func (p *parser) fold() Expr {
	e := &Fold{}
	op, ok := p.operator()
	for o, name := range prefixed {
		if p.is(name) {
			op, ok = o, true
		}
	}
	if !ok {
		p.unexpected("an operator")
	}
	p.advance()
	e.Op = op
	p.expect(",")
	e.X = p.expr()
	return e
}

// literal reads the value of a typed literal.
func (p *parser) literal(d tensor.DType) Expr {
	at := p.tok
	switch {
	case d.IsFloat():
		return p.floatLiteral(d)
	case d.Kind() == tensor.KindUint:
		v, err := strconv.ParseUint(p.tok.text, 10, 8*d.Size())
		if p.tok.kind != numberToken || err != nil {
			p.unexpected("a value of " + d.String())
		}
		p.advance()
		return &Const{Elem: d, Bits: v}
	case d == tensor.Bool:
		p.unexpected("a number; bools are true and false")
	}
	v := p.integer()
	if wrap(d, uint64(v)) != uint64(v) {
		p.fail(source.LoopSyntax, at, "%d is not a value of %s", v, d)
	}
	return &Const{Elem: d, Bits: uint64(v)}
}

func (p *parser) floatLiteral(d tensor.DType) Expr {
	if p.accept("nan") {
		bits, err := strconv.ParseUint(p.tok.text, 0, 64)
		if p.tok.kind != numberToken || err != nil || !math.IsNaN(math.Float64frombits(bits)) {
			p.unexpected("the bits of a NaN")
		}
		p.advance()
		return &Const{Elem: d, Bits: bits}
	}
	text := ""
	if p.accept("-") {
		text = "-"
	}
	text += p.tok.text
	v, err := strconv.ParseFloat(text, 64)
	if p.tok.kind != numberToken && p.tok.text != "inf" || err != nil {
		p.unexpected("a number")
	}
	p.advance()
	if d == tensor.Float32 {
		v = float64(float32(v))
	}
	return &Const{Elem: d, Bits: math.Float64bits(v)}
}
