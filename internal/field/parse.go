package field

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParseOperator reads what Operator.String writes, and verifies it.
func (s *Store) ParseOperator(text string) (o *Operator, err error) {
	p := &parser{store: s, rest: text, length: len(text), params: map[string]*Param{}, indices: map[string]Index{}}
	defer func() {
		if r := recover(); r != nil {
			mistake, ok := r.(syntaxError)
			if !ok {
				panic(r)
			}
			o, err = nil, mistake
		}
	}()
	o = p.operator()
	_, err = Verify(o)
	return o, err
}

// A syntaxError says where the text of an operator is wrong.
type syntaxError struct {
	at       int
	expected string
	found    string
}

func (e syntaxError) Error() string {
	return fmt.Sprintf("operator, at byte %d: expected %s, found %q", e.at, e.expected, e.found)
}

type parser struct {
	store   *Store
	rest    string
	length  int
	params  map[string]*Param
	indices map[string]Index
}

func (p *parser) fail(expected string) {
	found := p.rest
	if len(found) > 12 {
		found = strings.ToValidUTF8(found[:12], "")
	}
	panic(syntaxError{p.length - len(p.rest), expected, found})
}

func (p *parser) try(sign string) bool {
	p.rest = strings.TrimLeft(p.rest, " \n\t")
	rest, ok := strings.CutPrefix(p.rest, sign)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *parser) expect(sign string) {
	if !p.try(sign) {
		p.fail("‘" + sign + "’")
	}
}

func (p *parser) span(inside func(rune) bool) string {
	p.try("")
	n := 0
	for n < len(p.rest) {
		r, size := utf8.DecodeRuneInString(p.rest[n:])
		if !inside(r) {
			break
		}
		n += size
	}
	word := p.rest[:n]
	p.rest = p.rest[n:]
	return word
}

func (p *parser) name() string {
	word := p.span(func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '\'' })
	if word == "" {
		p.fail("a name")
	}
	return word
}

func (p *parser) number() int {
	n, err := strconv.Atoi(p.span(unicode.IsDigit))
	if err != nil {
		p.fail("a number")
	}
	return n
}

func (p *parser) operator() *Operator {
	p.expect("λ")
	o := &Operator{}
	for !p.try("⟨") {
		if len(o.Params) > 0 {
			p.expect(",")
		}
		name := p.name()
		p.expect(":")
		t := p.typ()
		param := p.store.param(name, t, p.try("!"))
		p.params[name] = param
		o.Params = append(o.Params, param)
	}
	// The ranges stand behind the body that uses them.
	body, after, ok := strings.Cut(p.rest, "⟩")
	if !ok {
		p.fail("‘⟩’")
	}
	whole := p.rest
	p.rest = after
	if p.try("_{") {
		for n := 0; ; n++ {
			name := p.name()
			p.expect(":")
			size := p.number()
			p.indices[name] = Axis(n, size)
			o.Shape = append(o.Shape, size)
			if !p.try(",") {
				break
			}
		}
		p.expect("}")
	}
	if p.try(""); p.rest != "" {
		p.fail("the end")
	}
	p.rest = whole
	o.Body = p.sum()
	p.try("")
	if len(p.rest) != len(whole)-len(body) {
		p.fail("an operator or ‘⟩’")
	}
	return o
}

func (p *parser) typ() Type {
	name := p.name()
	kind := Kind(slices.Index(kindNames[:], name))
	t := Type{Kind: kind}
	if slices.Index(kindNames[:], name) < 0 {
		p.fail("tensor, field, image or kernel")
	}
	if kind == FieldParam || kind == KernelParam {
		t.K = Smooth
		if p.try("#") {
			t.K = p.number()
		}
	}
	if kind == FieldParam || kind == ImageParam {
		p.expect("(")
		t.Dim = p.number()
		p.expect(")")
	}
	if kind != KernelParam {
		p.expect("[")
		for !p.try("]") {
			if len(t.Shape) > 0 {
				p.expect(",")
			}
			t.Shape = append(t.Shape, p.number())
		}
	}
	return t
}

func (p *parser) sum() *Term {
	parts := []*Term{p.summand(p.try("-"))}
	for {
		switch {
		case p.try("+"):
			parts = append(parts, p.summand(false))
		case p.try("-"):
			parts = append(parts, p.summand(true))
		default:
			return p.store.Add(parts...)
		}
	}
}

func (p *parser) summand(negative bool) *Term {
	t := p.product()
	if negative {
		return p.store.Unary(Neg, t)
	}
	return t
}

func (p *parser) product() *Term {
	if p.try("Σ_{") {
		return p.bound()
	}
	t := p.probe()
	for {
		switch {
		case p.try("*"):
			t = p.store.Mul(t, p.probe())
		case p.try("/"):
			t = p.store.Binary(Div, t, p.probe())
		default:
			return t
		}
	}
}

func (p *parser) bound() *Term {
	outside := map[string]Index{}
	var variables []Index
	for {
		name := p.name()
		p.expect(":")
		i := p.store.Fresh(p.number())
		outside[name] = p.indices[name]
		p.indices[name] = i
		variables = append(variables, i)
		if !p.try(",") {
			break
		}
	}
	p.expect("}")
	body := p.product()
	for name, i := range outside {
		p.indices[name] = i
	}
	return p.store.Sum(variables, body)
}

func (p *parser) probe() *Term {
	t := p.prefix()
	if p.try("^") {
		sign := 1
		if p.try("-") {
			sign = -1
		}
		t = p.store.PowerOf(t, sign*p.number())
	}
	for {
		switch {
		case p.try("∘"):
			p.expect("[")
			t = p.store.Compose(t, p.place()...)
		case p.try("@"):
			if p.try("[") {
				t = p.store.ProbeAt(t, p.place()...)
			} else {
				t = p.store.Probe(t, p.param())
			}
		default:
			return t
		}
	}
}

// place reads the coordinates of a place behind its bracket.
func (p *parser) place() []*Term {
	place := []*Term{p.sum()}
	for p.try(",") {
		place = append(place, p.sum())
	}
	p.expect("]")
	return place
}

func (p *parser) param() *Param {
	name := p.name()
	param, ok := p.params[name]
	if !ok {
		p.fail("a parameter, not " + name)
	}
	return param
}

func (p *parser) list(end string) []Index {
	var list []Index
	for !p.try(end) {
		if len(list) > 0 {
			p.expect(",")
		}
		word := p.name()
		if n, err := strconv.Atoi(word); err == nil {
			list = append(list, At(n))
		} else if i := p.indices[word]; i != (Index{}) {
			list = append(list, i)
		} else {
			p.fail("an index, not " + word)
		}
	}
	return list
}

func (p *parser) prefix() *Term {
	if p.try("∂[") {
		beta := p.list("]")
		p.expect("⋄")
		return p.store.Partial(beta, p.prefix())
	}
	if p.try("(") {
		if p.try("-") {
			if p.try(""); p.rest != "" && unicode.IsDigit(rune(p.rest[0])) {
				before := p.rest
				if t := p.rational(-1); p.try(")") {
					return t
				}
				p.rest = before
			}
			p.rest = "-" + p.rest
		}
		t := p.sum()
		p.expect(")")
		return t
	}
	if p.try(""); p.rest != "" && unicode.IsDigit(rune(p.rest[0])) {
		return p.rational(1)
	}
	return p.named()
}

func (p *parser) rational(sign int64) *Term {
	v := big.NewRat(sign*int64(p.number()), 1)
	if p.try("÷") {
		v.Quo(v, big.NewRat(int64(max(1, p.number())), 1))
	}
	return p.store.Rational(v)
}

func (p *parser) named() *Term {
	name := p.name()
	if dim, ok := strings.CutPrefix(name, "pos"); ok && p.try("[") {
		n, err := strconv.Atoi(dim)
		list := p.list("]")
		if err != nil || len(list) != 1 {
			p.fail("a coordinate, as pos3[i]")
		}
		return p.store.Position(n, list[0])
	}
	if op := Op(slices.Index(opNames[:], name)); slices.Contains(opNames[:], name) && p.try("(") {
		t := p.sum()
		if op == Min || op == Max {
			p.expect(",")
			t = p.store.Binary(op, t, p.sum())
		} else if op == Lift || op.IsFunction() {
			t = p.store.Unary(op, t)
		} else {
			p.fail("a function, not " + name)
		}
		p.expect(")")
		return t
	}
	var alpha []Index
	if p.try("[") {
		alpha = p.list("]")
	}
	switch name {
	case "δ":
		if len(alpha) != 2 {
			p.fail("two indices of δ")
		}
		return p.store.Delta(alpha[0], alpha[1])
	case "ε":
		return p.store.Epsilon(alpha...)
	}
	param, ok := p.params[name]
	if !ok {
		p.fail("a parameter, not " + name)
	}
	if param.Kind != ImageParam {
		return p.store.Component(param, alpha...)
	}
	p.expect("⊛")
	kernel := p.param()
	var beta []Index
	if p.try("^{") {
		beta = p.list("}")
	}
	return p.store.Conv(param, kernel, alpha, beta)
}
