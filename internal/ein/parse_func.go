package ein

import (
	"strconv"

	"github.com/ricci-lang/ricci/internal/lang/token"
	"github.com/ricci-lang/ricci/internal/source"
	"github.com/ricci-lang/ricci/tensor"
)

// function reads one function.
func (p *parser) function() *Func {
	start := p.Peek().Start
	p.expect("func")
	p.f = &Func{Name: p.name("the name of the function")}
	p.sizes, p.operators, p.builtins = map[string]bool{}, map[string]*Operator{}, map[builtinKey]*Operator{}
	var origins []origin
	p.f.Direct = p.Accept("direct")
	p.expect("{")
	for !p.Is("}") && !p.Is("func") && p.Peek().Kind != token.End {
		first := p.At
		p.Guard(func() { p.item(&origins) }, func() { p.recover(first, itemStarts) })
	}
	p.resolve(origins)
	p.expect("}")
	p.f.Pos = p.From(start)
	return p.f
}

var itemStarts = map[string]bool{"size": true, "in": true, "out": true, "inout": true, "temp": true, "require": true, "op": true, "for": true, "func": true}

func (p *parser) item(origins *[]origin) {
	start := p.Peek().Start
	switch {
	case p.Accept("size"):
		p.size(start, origins)
	case p.Accept("in"):
		p.tensor(start, Input)
	case p.Accept("out"):
		p.tensor(start, Output)
	case p.Accept("inout"):
		p.tensor(start, InOut)
	case p.Accept("temp"):
		p.tensor(start, Temp)
	case p.Accept("require"):
		p.condition(start)
	case p.Accept("op"):
		p.operator(start)
	case p.Accept("for"):
		p.comprehension(start)
	default:
		p.Fail("", "a declaration (size, in, out, inout, temp, require, op), for or }")
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
		p.fail(source.EinName, p.From(start), "the size %s is declared twice", s.Name)
	}
	p.sizes[s.Name] = true
	if p.Accept("=") {
		if p.Accept("value") {
			s.Dim = ScalarValue
		} else {
			p.expect("dim")
			dim, err := strconv.ParseInt(p.Peek().Text, 10, 32)
			if err != nil || p.Peek().Kind != token.Number {
				p.Fail("", "the number of a dimension")
			}
			p.Take()
			s.Dim = int(dim)
		}
		p.expect("of")
		*origins = append(*origins, origin{s, p.name("the name of a tensor")})
	}
	if p.Accept("or") {
		p.expect("zero")
		s.MayBeZero = true
	}
	s.Pos = p.From(start)
	p.f.Sizes = append(p.f.Sizes, s)
}

func (p *parser) resolve(origins []origin) {
	for _, o := range origins {
		if o.size.Tensor = p.f.Tensor(o.tensor); o.size.Tensor == nil {
			p.Errorf(source.EinName, o.size.Pos, "there is no tensor named %s", o.tensor)
		}
	}
}

func (p *parser) tensor(start int, role Role) {
	t := &Tensor{Role: role, Name: p.name("the name of the tensor")}
	if p.f.Tensor(t.Name) != nil {
		p.fail(source.EinName, p.From(start), "the tensor %s is declared twice", t.Name)
	}
	p.f.Tensors = append(p.f.Tensors, t) // so that others may read it even if something below is wrong
	p.expect(":")
	t.Type = p.dtype()
	p.expect("[")
	p.List("]", "", func() {
		d := Dim{Extent: p.affine()}
		if p.Accept(":") {
			d.Min, d.Extent = d.Extent, p.affine().Sub(d.Extent)
		}
		t.Dims = append(t.Dims, d)
	})
	t.Notice = p.Accept("notice")
	t.Pos = p.From(start)
}

func (p *parser) condition(start int) {
	r := &Condition{Expr: p.affine()}
	p.expect(">=")
	if p.Peek().Text != "0" {
		p.Fail("", "0")
	}
	p.Take()
	p.expect("because")
	reason, err := strconv.Unquote(p.Peek().Text)
	if p.Peek().Kind != quotedText || err != nil {
		p.Fail("", "the reason in quotes")
	}
	p.Take()
	r.Reason, r.Pos = reason, p.From(start)
	p.f.Requires = append(p.f.Requires, r)
}

func (p *parser) operator(start int) {
	o := &Operator{Name: p.name("the name of the operator")}
	if p.operators[o.Name] != nil {
		p.fail(source.EinName, p.From(start), "the operator %s is declared twice", o.Name)
	}
	p.operators[o.Name] = o
	p.expect("(")
	side := &o.Left
	p.List(")", "", func() {
		p.parameter(side)
		if side == &o.Left && p.Accept("|") {
			side = &o.Right
			p.parameter(side)
		}
	})
	p.expect("=")
	p.locals = append(append(p.locals, o.Left...), o.Right...)
	o.Body = p.tuple()
	p.locals = nil
	if p.Accept("identity") {
		o.Identity = p.tuple()
	}
	o.Associative = p.Accept("associative")
	o.Commutative = p.Accept("commutative")
	if len(o.Left) == 0 || len(o.Right) != len(o.Left) || len(o.Body) != len(o.Left) {
		p.fail(source.EinSyntax, p.From(start), "the operator %s has %d left and %d right parameters and %d results, expected the same number, at least 1",
			o.Name, len(o.Left), len(o.Right), len(o.Body))
	}
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
	p.List(")", "", func() { list = append(list, p.expr()) })
	return list
}

// A pendingOperator is a built-in operator whose type is that of the values,
// which come later in the text.
type pendingOperator struct {
	kind OperatorKind
	laws [3]bool // the words of lawWords
	set  func(*Operator)
}

func (p *parser) comprehension(start int) {
	c := &Comprehension{}
	var pending []pendingOperator
	p.indices = map[string]*Index{}
	for !p.Is("{") && !p.Is("accumulate") {
		c.Indices = append(c.Indices, p.index(&pending))
		if !p.Accept(",") {
			break
		}
	}
	if p.Accept("accumulate") {
		p.operatorRef(&pending, func(o *Operator) { c.Accumulate = o })
	}
	p.expect("{")
	for !p.Is("}") {
		p.write(c)
	}
	p.expect("}")
	if len(c.Values) == 0 {
		p.fail(source.EinSyntax, p.From(start), "the comprehension writes nothing, expected T[…] = … in the braces")
	}
	for _, operator := range pending {
		operator.set(p.builtin(builtinKey{operator.kind, [2]tensor.DType{c.Values[0].Type(), c.Values[len(c.Values)-1].Type()}, operator.laws}))
	}
	c.Pos = p.From(start)
	p.f.Body = append(p.f.Body, c)
}

func (p *parser) index(pending *[]pendingOperator) *Index {
	start := p.Peek().Start
	i := &Index{Name: p.name("the name of an index")}
	if p.indices[i.Name] != nil {
		p.fail(source.EinName, p.From(start), "the index %s is declared twice", i.Name)
	}
	p.indices[i.Name] = i
	p.expect("in")
	i.Min, i.Extent = p.bounds()
	for _, kind := range []CombineKind{Reduce, Scan} {
		if p.Accept(combineWords[kind]) {
			i.Combine.Kind = kind
			p.operatorRef(pending, func(o *Operator) { i.Combine.Op = o })
			break
		}
	}
	if p.Accept("or") {
		p.expect("empty")
		i.MayBeEmpty = true
	}
	i.Pos = p.From(start)
	return i
}

func (p *parser) operatorRef(pending *[]pendingOperator, set func(*Operator)) {
	for kind := SumOp; kind <= ArgMaxOp; kind++ {
		if p.Accept(kind.String()) {
			var laws [3]bool
			for n, word := range []string{orderedWord, distributiveWord, shortenedWord} {
				laws[n] = !laws[0] && p.Accept(word)
			}
			*pending = append(*pending, pendingOperator{kind, laws, set})
			return
		}
	}
	at := p.Peek()
	name := p.name("an operator")
	o := p.operators[name]
	if o == nil {
		p.unknown(at, "operator", name)
	}
	set(o)
}

// builtin shares one object between the uses of a built-in operator.
func (p *parser) builtin(key builtinKey) *Operator {
	if p.builtins[key] == nil {
		o := builtinOn(key.kind, key.dtypes[:])
		if key.laws[0] {
			o.Associative, o.Commutative, o.Distributive = false, false, false
		}
		o.Distributive = o.Distributive || key.laws[1]
		o.Shortened = key.laws[2]
		p.builtins[key] = o
	}
	return p.builtins[key]
}

func (p *parser) write(c *Comprehension) {
	start := p.Peek().Start
	w := &Write{Tensor: p.tensorRef()}
	p.expect("[")
	p.List("]", "", func() { w.Subscripts = append(w.Subscripts, p.expr()) })
	w.Pos = p.From(start)
	p.expect("=")
	c.Writes, c.Values = append(c.Writes, w), append(c.Values, p.expr())
}

func (p *parser) tensorRef() *Tensor {
	at := p.Peek()
	name := p.name("the name of a tensor")
	t := p.f.Tensor(name)
	if t == nil {
		p.unknown(at, "tensor", name)
	}
	return t
}
