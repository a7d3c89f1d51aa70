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

// emit writes the expansion whose results are given; asked are places that are wanted besides.
func (e *expander) emit(results [][]scaled, asked []*ein.Local) *Expansion {
	m := newEmitter(e)
	x := &Expansion{Results: make([][]ein.Expr, len(results))}
	stages := e.stages(results, asked)
	ends := make([]int, len(stages)) // of the order of what is computed for each
	for n, s := range stages {
		for _, c := range s.coordinates {
			m.coordinate(c)
		}
		ends[n] = len(m.order)
	}
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
	from := 0
	for n, s := range stages {
		m.defineAll(m.order[from:ends[n]], s.coordinates)
		from = ends[n]
		x.Stages = append(x.Stages, Stage{append(m.out, m.placed(s.places)...), s.samples})
		m.out = nil
	}
	m.defineAll(m.order[from:], nil)
	x.Definitions = m.out
	for n, list := range codes {
		for _, c := range list {
			x.Results[n] = append(x.Results[n], m.expr(c))
		}
	}
	e.forget(stages)
	return x
}

// coordinate makes the code of one a definition: that of its local.
func (m *emitter) coordinate(c *computed) {
	code := m.scaled(c.value)
	code.uses++
	if code.to == nil && code.leaf == nil {
		code.to = c.to
	}
}

// defineAll makes definitions of codes, and of coordinates whose codes have others.
func (m *emitter) defineAll(codes []*code, coordinates []*computed) {
	for _, c := range codes {
		m.define(c)
	}
	for _, c := range coordinates {
		if code := m.scaled(c.value); code.to != c.to {
			m.out = append(m.out, Definition{c.to, m.expr(code)})
		}
	}
}

// placed computes places in the index spaces of images.
func (m *emitter) placed(list []madePlace) []Definition {
	inner := newEmitter(m.expander)
	var codes []*code
	var to []*ein.Local
	for _, p := range list {
		for n, v := range p.values {
			if l, ok := v.isLocal(); !ok || l != p.at[n] {
				c := inner.scaled(v)
				c.uses++
				codes, to = append(codes, c), append(to, p.at[n])
			}
		}
	}
	inner.defineAll(inner.order, nil)
	for n, c := range codes {
		inner.out = append(inner.out, Definition{to[n], inner.expr(c)})
	}
	return inner.out
}

// forget makes places unknown that no stage computes.
func (e *expander) forget(stages []*stage) {
	for _, p := range e.made {
		if !slices.ContainsFunc(stages, func(s *stage) bool {
			return slices.ContainsFunc(s.places, func(q madePlace) bool { return slices.Equal(p.at, q.at) })
		}) {
			e.places.forget(p.at)
		}
	}
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
	if c.uses < 2 && c.depth < deepest && c.to == nil {
		return
	}
	to := c.to // of a coordinate
	c.to = nil
	value := m.expr(c)
	if to == nil {
		to = m.local("t")
	}
	c.to, c.depth = to, 0
	m.out = append(m.out, Definition{to, value})
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
