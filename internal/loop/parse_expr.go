package loop

import (
	"math"
	"strconv"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

func (p *parser) expr() Expr { return p.infix.Read(&p.Parser, 1) }

func (p *parser) operand() Expr {
	p.Enter()
	defer p.Leave()
	switch {
	case p.Accept("("):
		e := p.expr()
		p.expect(")")
		return e
	case p.Accept("!"):
		p.expect("(")
		return p.closed(&Unary{Op: ein.Not, X: p.expr()})
	case p.Is("-"):
		return p.negative()
	case p.Peek().Kind == token.Number:
		return Int(p.integer())
	case p.Peek().Kind == quotedName:
		return p.reference()
	case p.Peek().Kind == token.Word:
		return p.word()
	}
	p.Fail("", "an expression")
	return nil
}

// negative reads a negated expression in parentheses or a negative literal.
func (p *parser) negative() Expr {
	if !p.opensNext() {
		return Int(p.integer())
	}
	p.Take()
	p.Take()
	return p.closed(&Unary{Op: ein.Neg, X: p.expr()})
}

// opensNext reports whether a parenthesis follows the present token.
func (p *parser) opensNext() bool { return p.Ahead(1).Is("(") }

// closed reads the parenthesis after an operand.
func (p *parser) closed(e Expr) Expr {
	p.expect(")")
	return e
}

// reference reads a variable or a load.
func (p *parser) reference() Expr {
	if v, ok := p.vars[p.Peek().Text]; ok {
		p.Take()
		return &VarRef{Var: v}
	}
	if _, ok := p.buffers[p.Peek().Text]; !ok {
		p.fail(source.LoopName, p.Peek(), "%q is not the name of a variable, a buffer or a function", p.Peek().Text)
	}
	e := &Load{Buffer: p.buffer(), Lanes: 1}
	p.expect("[")
	e.Index = p.expr()
	for p.Accept(";") {
		if p.Accept("mask") {
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
	name := p.Peek().Text
	if p.vars[name] != nil || p.buffers[name] != nil {
		return p.reference()
	}
	switch {
	case p.Accept("true"):
		return &Const{Elem: tensor.Bool, Bits: 1}
	case p.Accept("false"):
		return &Const{Elem: tensor.Bool}
	}
	if !p.opensNext() {
		return p.reference()
	}
	if d, err := tensor.ParseDType(name); err == nil {
		p.Take()
		p.Take()
		return p.closed(p.literal(d))
	}
	at := p.Take()
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
	"popcount":  {1, func(list []Expr) Expr { return &Unary{Op: ein.Popcount, X: list[0]} }},
	"clz":       {1, func(list []Expr) Expr { return &Unary{Op: ein.Clz, X: list[0]} }},
	"muladd":    {3, func(list []Expr) Expr { return &MulAdd{X: list[0], Y: list[1], Z: list[2]} }},
	"dot":       {3, func(list []Expr) Expr { return &Dot{X: list[0], Y: list[1], Z: list[2]} }},
	"hold":      {1, func(list []Expr) Expr { return &Hold{X: list[0]} }},
	"distances": {3, func(list []Expr) Expr { return &Distances{X: list[0], Y: list[1], Z: list[2]} }},
	"select":    {3, func(list []Expr) Expr { return &Select{Cond: list[0], Then: list[1], Else: list[2]} }},
}

// function reads the arguments of a function of the text form or a builtin.
func (p *parser) function(name *token.Token) Expr {
	if f, ok := functions[name.Text]; ok {
		return f.make(p.arguments(f.arity))
	}
	switch name.Text {
	case "cast":
		e := &Cast{To: p.dtype()}
		if p.Accept("by") {
			e.By = p.dtype()
		}
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
	case "swizzle":
		return p.swizzle()
	case "lane":
		e := &Lane{X: p.expr()}
		p.expect(",")
		e.Number = int(p.integer())
		return e
	}
	b, ok := ein.LookupBuiltin(name.Text)
	if !ok {
		p.fail(source.LoopName, name, "%q is not a function", name.Text)
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
	e := &Fold{Op: ein.Min}
	switch {
	case p.Accept("min"):
	case p.Accept("max"):
		e.Op = ein.Max
	case p.infix.Levels[p.Peek().Text] == 0:
		p.Fail("", "an operator")
	default:
		e.Op = ein.InfixOperator(p.Take().Text)
	}
	p.expect(",")
	e.X = p.expr()
	return e
}

// literal reads the value of a typed literal.
func (p *parser) literal(d tensor.DType) Expr {
	at := p.Peek()
	switch {
	case d.IsFloat():
		return p.floatLiteral(d)
	case d.Kind() == tensor.KindUint:
		v, err := strconv.ParseUint(p.Peek().Text, 10, 8*d.Size())
		if p.Peek().Kind != token.Number || err != nil {
			p.Fail("", "%s", "a value of "+d.String())
		}
		p.Take()
		return &Const{Elem: d, Bits: v}
	case d == tensor.Bool:
		p.Fail("", "a number; bools are true and false")
	}
	v := p.integer()
	if wrap(d, uint64(v)) != uint64(v) {
		p.fail(source.LoopSyntax, at, "%d is not a value of %s", v, d)
	}
	return &Const{Elem: d, Bits: uint64(v)}
}

func (p *parser) floatLiteral(d tensor.DType) Expr {
	if p.Accept("nan") {
		bits, err := strconv.ParseUint(p.Peek().Text, 0, 64)
		if p.Peek().Kind != token.Number || err != nil || !math.IsNaN(math.Float64frombits(bits)) {
			p.Fail("", "the bits of a NaN")
		}
		p.Take()
		return &Const{Elem: d, Bits: bits}
	}
	text := ""
	if p.Accept("-") {
		text = "-"
	}
	text += p.Peek().Text
	v, err := strconv.ParseFloat(text, 64)
	if p.Peek().Kind != token.Number && p.Peek().Text != "inf" || err != nil {
		p.Fail("", "a number")
	}
	p.Take()
	if d == tensor.Float32 {
		v = float64(float32(v))
	}
	return &Const{Elem: d, Bits: math.Float64bits(v)}
}
