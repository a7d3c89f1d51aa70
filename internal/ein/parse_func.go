package ein

import (
	"strconv"

	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// function reads one function; it returns nil where none begins.
func (p *parser) function() *Func {
	start := p.token.start
	if !p.accept("func") {
		p.unexpected(`"func"`)
		return nil
	}
	p.f = &Func{Name: p.name("the name of the function")}
	p.sizes, p.operators, p.builtins = map[string]bool{}, map[string]*Operator{}, map[builtinKey]*Operator{}
	var origins []origin
	p.f.Direct = p.accept("direct")
	p.expect("{")
	for !p.failed && !p.is("}") && p.token.kind != endToken {
		p.item(&origins)
		if p.failed {
			p.recover(itemStarts)
			if p.is("func") {
				return nil
			}
		}
	}
	p.expect("}")
	p.f.Pos = p.span(start)
	p.resolve(origins)
	return p.f
}

var itemStarts = map[string]bool{"size": true, "in": true, "out": true, "inout": true, "temp": true, "require": true, "op": true, "for": true, "func": true}

func (p *parser) item(origins *[]origin) {
	start := p.token.start
	switch {
	case p.accept("size"):
		p.size(start, origins)
	case p.accept("in"):
		p.tensor(start, Input)
	case p.accept("out"):
		p.tensor(start, Output)
	case p.accept("inout"):
		p.tensor(start, InOut)
	case p.accept("temp"):
		p.tensor(start, Temp)
	case p.accept("require"):
		p.condition(start)
	case p.accept("op"):
		p.operator(start)
	case p.accept("for"):
		p.comprehension(start)
	default:
		p.unexpected("a declaration (size, in, out, inout, temp, require, op), for or }")
	}
}

// An origin is the tensor that a size names before tensors are declared.
type origin struct {
	size   *Size
	tensor string
}

func (p *parser) size(start int, origins *[]origin) {
	s := &Size{Name: p.name("the name of the size")}
	if p.sizes[s.Name] {
		p.fail(source.EinName, p.span(start), "the size %s is declared twice", s.Name)
	}
	p.sizes[s.Name] = true
	if p.accept("=") {
		if p.accept("value") {
			s.Dim = ScalarValue
		} else {
			p.expect("dim")
			dim, err := strconv.ParseInt(p.token.text, 10, 32)
			if err != nil || p.token.kind != numberToken {
				p.unexpected("the number of a dimension")
			} else {
				p.next()
			}
			s.Dim = int(dim)
		}
		p.expect("of")
		*origins = append(*origins, origin{s, p.name("the name of a tensor")})
	}
	if p.accept("or") {
		p.expect("zero")
		s.MayBeZero = true
	}
	s.Pos = p.span(start)
	p.f.Sizes = append(p.f.Sizes, s)
}

func (p *parser) resolve(origins []origin) {
	for _, o := range origins {
		if o.size.Tensor = p.f.Tensor(o.tensor); o.size.Tensor == nil {
			p.problems.Errorf(source.EinName, o.size.Pos, "there is no tensor named %s", o.tensor)
		}
	}
}

func (p *parser) tensor(start int, role Role) {
	t := &Tensor{Role: role, Name: p.name("the name of the tensor")}
	if p.f.Tensor(t.Name) != nil {
		p.fail(source.EinName, p.span(start), "the tensor %s is declared twice", t.Name)
	}
	p.expect(":")
	t.Type = p.dtype()
	p.expect("[")
	p.commas("]", func() {
		d := Dim{Extent: p.affine()}
		if p.accept(":") {
			d.Min, d.Extent = d.Extent, p.affine().Sub(d.Extent)
		}
		t.Dims = append(t.Dims, d)
	})
	t.Pos = p.span(start)
	p.f.Tensors = append(p.f.Tensors, t)
}

func (p *parser) condition(start int) {
	r := &Condition{Expr: p.affine()}
	p.expect(">=")
	if p.token.text != "0" {
		p.unexpected(`"0"`)
		return
	}
	p.next()
	p.expect("because")
	reason, err := strconv.Unquote(p.token.text)
	if p.token.kind != stringToken || err != nil {
		p.unexpected("the reason in quotes")
		return
	}
	p.next()
	r.Reason, r.Pos = reason, p.span(start)
	p.f.Requires = append(p.f.Requires, r)
}

func (p *parser) operator(start int) {
	o := &Operator{Name: p.name("the name of the operator")}
	if p.operators[o.Name] != nil {
		p.fail(source.EinName, p.span(start), "the operator %s is declared twice", o.Name)
	}
	p.expect("(")
	side := &o.Left
	p.commas(")", func() {
		p.parameter(side)
		if side == &o.Left && p.accept("|") {
			side = &o.Right
			p.parameter(side)
		}
	})
	p.expect("=")
	p.locals = append(append(p.locals, o.Left...), o.Right...)
	o.Body = p.tuple()
	p.locals = nil
	if p.accept("identity") {
		o.Identity = p.tuple()
	}
	o.Associative = p.accept("associative")
	o.Commutative = p.accept("commutative")
	if len(o.Left) == 0 || len(o.Right) != len(o.Left) || len(o.Body) != len(o.Left) {
		p.fail(source.EinSyntax, p.span(start), "the operator %s has %d left and %d right parameters and %d results, expected the same number, at least 1",
			o.Name, len(o.Left), len(o.Right), len(o.Body))
	}
	p.operators[o.Name] = o
}

func (p *parser) parameter(side *[]*Local) {
	l := &Local{Name: p.name("the name of a parameter")}
	p.expect(":")
	l.DType = p.dtype()
	*side = append(*side, l)
}

// tuple reads a list in parentheses.
func (p *parser) tuple() []Expr {
	p.expect("(")
	list := []Expr{}
	p.commas(")", func() { list = append(list, p.expr()) })
	return list
}

// A pendingOperator is a built-in operator whose type is that of the values,
// which come later in the text.
type pendingOperator struct {
	kind OperatorKind
	set  func(*Operator)
}

func (p *parser) comprehension(start int) {
	c := &Comprehension{}
	var pending []pendingOperator
	p.indices = map[string]*Index{}
	for !p.failed && !p.is("{") && !p.is("accumulate") {
		c.Indices = append(c.Indices, p.index(&pending))
		if !p.accept(",") {
			break
		}
	}
	if p.accept("accumulate") {
		p.operatorRef(&pending, func(o *Operator) { c.Accumulate = o })
	}
	p.expect("{")
	p.blocks = 1
	for !p.failed && !p.is("}") {
		p.write(c)
	}
	p.expect("}")
	if !p.failed && len(c.Values) == 0 {
		p.fail(source.EinSyntax, p.span(start), "the comprehension writes nothing, expected T[…] = … in the braces")
	}
	if p.failed {
		return
	}
	p.blocks = 0
	for _, operator := range pending {
		operator.set(p.builtin(operator.kind, c.Values[0].Type()))
	}
	c.Pos = p.span(start)
	p.f.Body = append(p.f.Body, c)
}

func (p *parser) index(pending *[]pendingOperator) *Index {
	start := p.token.start
	i := &Index{Name: p.name("the name of an index")}
	if p.indices[i.Name] != nil {
		p.fail(source.EinName, p.span(start), "the index %s is declared twice", i.Name)
	}
	p.indices[i.Name] = i
	p.expect("in")
	i.Min, i.Extent = p.bounds()
	for _, kind := range []CombineKind{Reduce, Scan} {
		if p.accept(combineWords[kind]) {
			i.Combine.Kind = kind
			p.operatorRef(pending, func(o *Operator) { i.Combine.Op = o })
			break
		}
	}
	if p.accept("or") {
		p.expect("empty")
		i.MayBeEmpty = true
	}
	i.Pos = p.span(start)
	return i
}

func (p *parser) operatorRef(pending *[]pendingOperator, set func(*Operator)) {
	for kind := SumOp; kind <= ArgMaxOp; kind++ {
		if p.accept(kind.String()) {
			*pending = append(*pending, pendingOperator{kind, set})
			return
		}
	}
	at := p.here()
	name := p.name("an operator")
	o := p.operators[name]
	if o == nil {
		p.unknown(at, "operator", name)
	}
	set(o)
}

// builtin shares one object between the uses of a built-in operator.
func (p *parser) builtin(kind OperatorKind, t tensor.DType) *Operator {
	key := builtinKey{kind, t}
	if p.builtins[key] == nil {
		p.builtins[key] = BuiltinOperator(kind, t)
	}
	return p.builtins[key]
}

func (p *parser) write(c *Comprehension) {
	start := p.token.start
	w := &Write{Tensor: p.tensorRef()}
	p.expect("[")
	p.commas("]", func() { w.Subscripts = append(w.Subscripts, p.expr()) })
	w.Pos = p.span(start)
	p.expect("=")
	c.Writes, c.Values = append(c.Writes, w), append(c.Values, p.expr())
}

func (p *parser) tensorRef() *Tensor {
	at := p.here()
	name := p.name("the name of a tensor")
	t := p.f.Tensor(name)
	if t == nil {
		p.unknown(at, "tensor", name)
	}
	return t
}
