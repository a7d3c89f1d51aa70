package field

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
)

// How scalars become expressions
//
// Sums, products and powers of many operands become codes of at most two, and equal codes are one: products that begin alike
// share what they begin with. A code that is used more than once, or that is deep, is a definition; others stand where they
// are used.

// A code is an operation on codes, or a leaf: a literal, or a number that is given.
type code struct {
	leaf  ein.Expr
	op    codeOp
	args  []*code
	uses  int
	depth int
	id    int
	to    *ein.Local // of a definition
	trees float64
}

// codeOp is what a code does: Add, Mul, Div, Neg, Min, Max, Sgn, a function, or subtract.
type codeOp int

const subtract = codeOp(-1)

// deepest is how many operations stand in each other before one is a definition.
const deepest = 40

type emitter struct {
	*expander
	codes map[string]*code
	of    map[*scalar]*code
	order []*code // all that are no leaves, operands first
	out   []Definition
}

func newEmitter(e *expander) *emitter {
	return &emitter{expander: e, codes: map[string]*code{}, of: map[*scalar]*code{}}
}

// emit writes the expansion whose results are given.
func (e *expander) emit(results [][]scaled) *Expansion {
	m := newEmitter(e)
	x := &Expansion{Results: make([][]ein.Expr, len(results))}
	codes := make([][]*code, len(results))
	for n, list := range results {
		for _, v := range list {
			c := m.scaled(v)
			c.uses += 2 // results are named
			codes[n] = append(codes[n], c)
			x.Trees += c.trees
		}
	}
	x.Shared = len(m.order)
	used := m.used()
	x.Places, x.Samples = m.sampled(used)
	for _, c := range m.order {
		m.define(c)
	}
	x.Definitions = m.out
	for n, list := range codes {
		for _, c := range list {
			x.Results[n] = append(x.Results[n], m.expr(c))
		}
	}
	return x
}

// used are the locals that are given and occur.
func (m *emitter) used() map[*ein.Local]bool {
	used := map[*ein.Local]bool{}
	for _, c := range m.codes {
		if r, ok := c.leaf.(*ein.LocalRef); ok {
			used[r.Local] = true
		}
	}
	return used
}

// sampled are the samples of which something is used, and their places that are computed here.
func (m *emitter) sampled(used map[*ein.Local]bool) ([]Definition, []*Sample) {
	var samples []*Sample
	needed := map[*ein.Local]bool{}
	for _, s := range m.samples {
		s.Wanted = slices.DeleteFunc(s.Wanted, func(w Wanted) bool { return !used[w.To] })
		if len(s.Wanted) == 0 {
			continue
		}
		samples = append(samples, s)
		for _, l := range s.At {
			needed[l] = true
		}
	}
	return m.placed(needed), samples
}

// placed computes the places that are needed; others are forgotten.
func (m *emitter) placed(needed map[*ein.Local]bool) []Definition {
	inner := newEmitter(m.expander)
	var codes []*code
	var to []*ein.Local
	for _, p := range m.made {
		if !slices.ContainsFunc(p.at, func(l *ein.Local) bool { return needed[l] }) {
			m.places.forget(p.at)
			continue
		}
		for n, v := range p.values {
			if l, ok := v.isLocal(); !ok || l != p.at[n] {
				c := inner.scaled(v)
				c.uses++
				codes, to = append(codes, c), append(to, p.at[n])
			}
		}
	}
	for _, c := range inner.order {
		inner.define(c)
	}
	for n, c := range codes {
		inner.out = append(inner.out, Definition{to[n], inner.expr(c)})
	}
	return inner.out
}

func (p *Places) forget(at []*ein.Local) {
	for key, known := range p.known {
		if slices.Equal(known, at) {
			delete(p.known, key)
		}
	}
}

// define makes a definition of a code that is used more than once, or deep. Its operands stand before it.
func (m *emitter) define(c *code) {
	for _, a := range c.args {
		c.depth = max(c.depth, a.depth+1)
	}
	if c.uses < 2 && c.depth < deepest {
		return
	}
	value := m.expr(c)
	c.to, c.depth = m.local("t"), 0
	m.out = append(m.out, Definition{c.to, value})
}

// expr is the expression of a code: a local if it has one.
func (m *emitter) expr(c *code) ein.Expr {
	switch {
	case c.to != nil:
		return &ein.LocalRef{Local: c.to}
	case c.leaf != nil:
		return c.leaf
	}
	args := make([]ein.Expr, len(c.args))
	for n, a := range c.args {
		args[n] = m.expr(a)
	}
	return m.operation(c.op, args)
}

var infix = map[codeOp]ein.BinaryOp{codeOp(Add): ein.Add, subtract: ein.Sub, codeOp(Mul): ein.Mul, codeOp(Div): ein.Div, codeOp(Min): ein.Min, codeOp(Max): ein.Max}

func (m *emitter) operation(op codeOp, args []ein.Expr) ein.Expr {
	if op, ok := infix[op]; ok {
		return &ein.Binary{Op: op, X: args[0], Y: args[1]}
	}
	switch op {
	case codeOp(Neg):
		return &ein.Unary{Op: ein.Neg, X: args[0]}
	case codeOp(Sgn): // x where that is 0 or no number
		zero := ein.FloatConst(m.b.Real, 0)
		sign := func(op ein.BinaryOp, v float64, otherwise ein.Expr) ein.Expr {
			return &ein.Select{Cond: &ein.Binary{Op: op, X: args[0], Y: zero}, Then: ein.FloatConst(m.b.Real, v), Else: otherwise}
		}
		return sign(ein.Gt, 1, sign(ein.Lt, -1, args[0]))
	case codeOp(Abs):
		return call("fabs", args[0])
	}
	return call(Op(op).String(), args[0])
}

func call(name string, x ein.Expr) ein.Expr {
	f, _ := ein.LookupBuiltin(name)
	return &ein.Call{Func: f, Args: []ein.Expr{x}}
}
