package ein

import (
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// expr reads a whole expression: a let, a choice or an operator expression.
func (p *parser) expr() Expr {
	p.Enter()
	defer p.Leave()
	start := p.Peek().Start
	if p.Accept("let") {
		return p.let(start)
	}
	cond := p.infix.Read(&p.Parser, orLevel)
	if !p.Accept("?") {
		return cond
	}
	e := &Select{Cond: cond, Then: p.expr()}
	p.expect(":")
	e.Else = p.expr()
	e.Pos = p.From(start)
	return e
}

func (p *parser) let(start int) Expr {
	name := p.name("the name of a local")
	p.expect("=")
	value := p.expr()
	e := &Let{Var: &Local{Name: name, DType: value.Type()}, Value: value}
	p.expect("in")
	p.locals = append(p.locals, e.Var)
	e.Body = p.expr()
	p.locals = p.locals[:len(p.locals)-1]
	e.Pos = p.From(start)
	return e
}

func (p *parser) prefix() Expr {
	start := p.Peek().Start
	for _, op := range []UnaryOp{Neg, Not} {
		if !p.Accept(op.String()) {
			continue
		}
		if op == Neg && p.isLiteral() {
			return p.literal(start, "-")
		}
		p.Enter()
		x := p.prefix()
		p.Leave()
		return &Unary{Pos: p.From(start), Op: op, X: x}
	}
	return p.primary()
}

func (p *parser) primary() Expr {
	start := p.Peek().Start
	switch {
	case p.isLiteral():
		return p.literal(start, "")
	case p.Is("true"), p.Is("false"):
		c := IntConst(tensor.Bool, 0)
		if p.Take().Text == "true" {
			c.Bits = 1
		}
		c.Pos = p.From(start)
		return c
	case p.Accept("("):
		e := p.expr()
		p.expect(")")
		return e
	case p.Is("{"):
		p.Take()
		size := p.affine()
		p.expect("}")
		return &SizeRef{Pos: p.From(start), Size: size}
	case p.Is("min"), p.Is("max"):
		return p.extreme(start)
	case p.Is("popcount"), p.Is("clz"):
		e := &Unary{Op: BitFunctions()[p.Take().Text]}
		p.expect("(")
		e.X = p.expr()
		p.expect(")")
		e.Pos = p.From(start)
		return e
	}
	if t, err := tensor.ParseDType(p.Peek().Text); err == nil && p.Peek().Kind == token.Word {
		p.Take()
		p.expect("(")
		e := &Cast{To: t, X: p.expr()}
		p.expect(")")
		e.Pos = p.From(start)
		return e
	}
	return p.named(start)
}

func (p *parser) extreme(start int) Expr {
	e := &Binary{Op: Min}
	if p.Peek().Text == "max" {
		e.Op = Max
	}
	p.Take()
	p.expect("(")
	e.X = p.expr()
	p.expect(",")
	e.Y = p.expr()
	p.expect(")")
	e.Pos = p.From(start)
	return e
}

// named reads what begins with a name: a call, an access, a local or an index.
func (p *parser) named(start int) Expr {
	at := p.Peek()
	name := p.name("a value")
	checked := p.Is("!") && p.Ahead(1).Is("[")
	if checked {
		p.Take()
	}
	switch {
	case p.Is("["):
		return p.access(start, at, name, checked)
	case p.Is("("):
		return p.call(start, at, name)
	}
	for i := len(p.locals) - 1; i >= 0; i-- {
		if p.locals[i].Name == name {
			return &LocalRef{Pos: p.SpanOf(at), Local: p.locals[i]}
		}
	}
	if i := p.indices[name]; i != nil {
		return &IndexRef{Pos: p.SpanOf(at), Index: i}
	}
	p.unknown(at, "index or local", name)
	return nil
}

func (p *parser) access(start int, at *token.Token, name string, checked bool) Expr {
	e := &Access{Tensor: p.f.Tensor(name), Checked: checked}
	if e.Tensor == nil {
		p.unknown(at, "tensor", name)
	}
	p.expect("[")
	p.List("]", "", func() { e.Subscripts = append(e.Subscripts, p.expr()) })
	e.Pos = p.From(start)
	return e
}

func (p *parser) call(start int, at *token.Token, name string) Expr {
	builtin, ok := LookupBuiltin(name)
	if !ok {
		p.fail(source.EinName, p.SpanOf(at), "there is no builtin function named %s", name)
	}
	e := &Call{Func: builtin, Args: p.tuple()}
	e.Pos = p.From(start)
	if len(e.Args) != builtin.Arity {
		p.fail(source.EinSyntax, e.Pos, "%s takes %s, found %d", name, plural(builtin.Arity, "argument"), len(e.Args))
	}
	return e
}

func (p *parser) isLiteral() bool {
	return p.Peek().Kind == token.Number || p.Peek().Kind == token.Word && (strings.HasPrefix(p.Peek().Text, "nan_") || strings.HasPrefix(p.Peek().Text, "inf_"))
}

// literal reads a typed literal; sign is "-" when a minus came before it.
func (p *parser) literal(start int, sign string) Expr {
	text := p.Peek().Text
	number := p.Peek().Kind == token.Number
	p.Take()
	var c *Const
	if number {
		c = readNumber(sign, text)
	} else if t, ok := suffixTypes[text[len("nan_"):]]; ok && t.IsFloat() {
		c = p.special(t, sign, strings.HasPrefix(text, "nan_"))
	}
	if c == nil {
		p.Errorf(source.EinLiteral, p.From(start), "%s%s is no literal, or does not fit in its type", sign, text).
			WithHelp("write a number with the suffix of its type: 3i64, 0.5f32")
		p.Bail()
	}
	c.Pos = p.From(start)
	return c
}

// special reads inf_f32, nan_f32 and nan_f32:0x7ff8000000000001.
func (p *parser) special(t tensor.DType, sign string, nan bool) *Const {
	switch {
	case !nan && sign == "":
		return FloatConst(t, math.Inf(1))
	case !nan:
		return FloatConst(t, math.Inf(-1))
	case sign != "":
		return nil
	}
	usual := FloatConst(t, math.NaN())
	digits, hexadecimal := strings.CutPrefix(p.Ahead(1).Text, "0x")
	if !p.Is(":") || !hexadecimal {
		return usual
	}
	p.Take() // the colon
	p.Take()
	bits, err := strconv.ParseUint(digits, 16, 64)
	if err != nil || !math.IsNaN(math.Float64frombits(bits)) {
		return nil
	}
	usual.Bits = bits
	return usual
}

// suffixTypes finds a type by the suffix of its literals.
var suffixTypes = func() map[string]tensor.DType {
	table := map[string]tensor.DType{}
	for t, suffix := range suffixes {
		table[suffix] = t
	}
	return table
}()

// readNumber splits off the suffix and reads the digits; nil when they are no
// number of the type.
func readNumber(sign, text string) *Const {
	for _, length := range []int{4, 3, 2} {
		if length >= len(text) {
			continue
		}
		t, ok := suffixTypes[text[len(text)-length:]]
		if !ok {
			continue
		}
		return readDigits(t, sign+text[:len(text)-length])
	}
	return nil
}

func readDigits(t tensor.DType, digits string) *Const {
	bits := t.Size() * 8
	switch t.Kind() {
	case tensor.KindInt:
		if v, err := strconv.ParseInt(digits, 10, bits); err == nil {
			return IntConst(t, v)
		}
	case tensor.KindUint:
		if v, err := strconv.ParseUint(digits, 10, bits); err == nil {
			return &Const{DType: t, Bits: v}
		}
	case tensor.KindFloat:
		// ParseFloat reads words such as "infinity" as well; digits begin with one.
		if v, err := strconv.ParseFloat(digits, floatBits(t)); err == nil {
			return &Const{DType: t, Bits: math.Float64bits(v)}
		}
	}
	return nil
}

func sortedKeys(set map[string]bool) []string {
	keys := make([]string, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
