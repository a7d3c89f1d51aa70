package ein

import (
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// placeholder stands for what could not be read; the diagnostic keeps it from
// leaving the parser.
func placeholder() Expr { return IntConst(tensor.Bool, 0) }

// expr reads a whole expression: a let, a choice or an operator expression.
func (p *parser) expr() Expr {
	if p.nesting++; p.nesting > maxNesting {
		p.fail(source.EinSyntax, p.here(), "the expression is nested more than %d deep", maxNesting)
	}
	defer func() { p.nesting-- }()
	if p.failed {
		return placeholder()
	}
	start := p.token.start
	if p.accept("let") {
		return p.let(start)
	}
	cond := p.infix(orLevel)
	if !p.accept("?") {
		return cond
	}
	e := &Select{Cond: cond, Then: p.expr()}
	p.expect(":")
	e.Else = p.expr()
	e.Pos = p.span(start)
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
	e.Pos = p.span(start)
	return e
}

// infix reads operators that bind at least as tightly as level, by precedence
// climbing; all of them associate to the left.
func (p *parser) infix(level int) Expr {
	start := p.token.start
	x := p.prefix()
	for !p.failed && p.token.kind == symbolToken {
		op, ok := infixOperators[p.token.text]
		if !ok || infix[op].level < level {
			break
		}
		p.next()
		y := p.infix(infix[op].level + 1)
		x = &Binary{Pos: p.span(start), Op: op, X: x, Y: y}
	}
	return x
}

func (p *parser) prefix() Expr {
	start := p.token.start
	for _, op := range []UnaryOp{Neg, Not} {
		if !p.accept(op.String()) {
			continue
		}
		if op == Neg && p.isLiteral() {
			return p.literal(start, "-")
		}
		if p.nesting++; p.nesting > maxNesting {
			p.fail(source.EinSyntax, p.here(), "more than %d signs", maxNesting)
		}
		x := p.prefix()
		p.nesting--
		return &Unary{Pos: p.span(start), Op: op, X: x}
	}
	return p.primary()
}

func (p *parser) primary() Expr {
	start := p.token.start
	switch {
	case p.failed:
		return placeholder()
	case p.isLiteral():
		return p.literal(start, "")
	case p.accept("true"), p.is("false") && p.accept("false"):
		value := p.file.Text[start:p.lastEnd] == "true"
		c := IntConst(tensor.Bool, 0)
		if value {
			c.Bits = 1
		}
		c.Pos = p.span(start)
		return c
	case p.accept("("):
		e := p.expr()
		p.expect(")")
		return e
	case p.is("{"):
		p.next()
		size := p.affine()
		p.expect("}")
		return &SizeRef{Pos: p.span(start), Size: size}
	case p.is("min"), p.is("max"):
		return p.extreme(start)
	}
	if t, err := tensor.ParseDType(p.token.text); err == nil && p.token.kind == wordToken {
		p.next()
		p.expect("(")
		e := &Cast{To: t, X: p.expr()}
		p.expect(")")
		e.Pos = p.span(start)
		return e
	}
	return p.named(start)
}

func (p *parser) extreme(start int) Expr {
	e := &Binary{Op: Min}
	if p.token.text == "max" {
		e.Op = Max
	}
	p.next()
	p.expect("(")
	e.X = p.expr()
	p.expect(",")
	e.Y = p.expr()
	p.expect(")")
	e.Pos = p.span(start)
	return e
}

// named reads what begins with a name: a call, an access, a local or an index.
func (p *parser) named(start int) Expr {
	at := p.here()
	name := p.name("a value")
	if p.failed {
		return placeholder()
	}
	checked := p.is("!") && skipBlank(p.file.Text, p.token.end) < len(p.file.Text) && p.file.Text[skipBlank(p.file.Text, p.token.end)] == '['
	if checked {
		p.next()
	}
	switch {
	case p.is("["):
		return p.access(start, at, name, checked)
	case p.is("("):
		return p.call(start, at, name)
	}
	for i := len(p.locals) - 1; i >= 0; i-- {
		if p.locals[i].Name == name {
			return &LocalRef{Pos: at, Local: p.locals[i]}
		}
	}
	if i := p.indices[name]; i != nil {
		return &IndexRef{Pos: at, Index: i}
	}
	p.unknown(at, "index or local", name)
	return placeholder()
}

func (p *parser) access(start int, at source.Span, name string, checked bool) Expr {
	e := &Access{Tensor: p.f.Tensor(name), Checked: checked}
	if e.Tensor == nil {
		p.unknown(at, "tensor", name)
		return placeholder()
	}
	p.expect("[")
	p.commas("]", func() { e.Subscripts = append(e.Subscripts, p.expr()) })
	e.Pos = p.span(start)
	return e
}

func (p *parser) call(start int, at source.Span, name string) Expr {
	builtin, ok := LookupBuiltin(name)
	if !ok {
		p.fail(source.EinName, at, "there is no builtin function named %s", name)
		return placeholder()
	}
	e := &Call{Func: builtin, Args: p.tuple()}
	e.Pos = p.span(start)
	if len(e.Args) != builtin.Arity {
		p.fail(source.EinSyntax, e.Pos, "%s takes %s, found %d", name, plural(builtin.Arity, "argument"), len(e.Args))
		return placeholder()
	}
	return e
}

func (p *parser) isLiteral() bool {
	if p.failed {
		return false
	}
	return p.token.kind == numberToken || p.token.kind == wordToken && (strings.HasPrefix(p.token.text, "nan_") || strings.HasPrefix(p.token.text, "inf_"))
}

// literal reads a typed literal; sign is "-" when a minus came before it.
func (p *parser) literal(start int, sign string) Expr {
	text := p.token.text
	number := p.token.kind == numberToken
	p.next()
	var c *Const
	if number {
		c = readNumber(sign, text)
	} else if t, ok := suffixTypes[text[len("nan_"):]]; ok && t.IsFloat() {
		c = p.special(t, sign, strings.HasPrefix(text, "nan_"))
	}
	if c == nil {
		p.fail(source.EinLiteral, p.span(start), "%s%s is no literal, or does not fit in its type", sign, text).
			WithHelp("write a number with the suffix of its type: 3i64, 0.5f32")
		return placeholder()
	}
	c.Pos = p.span(start)
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
	rest := p.file.Text[p.lastEnd:]
	if len(rest) < 3 || rest[:3] != ":0x" {
		return usual
	}
	p.next() // the colon
	bits, err := strconv.ParseUint(strings.TrimPrefix(p.token.text, "0x"), 16, 64)
	p.next()
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
