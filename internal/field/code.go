package field

import (
	"fmt"
	"math/big"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// scaled is a constant times a scalar.
func (m *emitter) scaled(v scaled) *code {
	switch {
	case v.of == nil:
		return m.literal(v.by)
	case v.by.Cmp(ratOne) == 0:
		return m.scalar(v.of)
	case v.by.Cmp(ratMinusOne) == 0:
		return m.apply(codeOp(Neg), m.scalar(v.of))
	}
	return m.apply(codeOp(Mul), m.literal(v.by), m.scalar(v.of))
}

func (m *emitter) scalar(s *scalar) *code {
	c, ok := m.of[s]
	if !ok {
		c = m.operands(s)
		m.of[s] = c
	}
	return c
}

func (m *emitter) operands(s *scalar) *code {
	switch s.op {
	case Tensor:
		return m.leaf(s.atom)
	case Add:
		return m.sum(s.args)
	case Mul:
		return m.product(s.args)
	case Power:
		return m.power(m.scalar(s.args[0].of), s.power)
	}
	args := make([]*code, len(s.args))
	for n, a := range s.args {
		args[n] = m.scaled(a)
	}
	return m.apply(codeOp(s.op), args...)
}

// sum adds and subtracts from left to right; the first has a positive factor.
func (m *emitter) sum(parts []scaled) *code {
	total := m.scaled(parts[0])
	for _, p := range parts[1:] {
		if p.by.Sign() < 0 {
			total = m.apply(subtract, total, m.scaled(p.times(ratMinusOne)))
		} else {
			total = m.apply(codeOp(Add), total, m.scaled(p))
		}
	}
	return total
}

func (m *emitter) product(factors []scaled) *code {
	total := m.scaled(factors[0])
	for _, f := range factors[1:] {
		total = m.apply(codeOp(Mul), total, m.scaled(f))
	}
	return total
}

// power is by repeated squaring.
func (m *emitter) power(c *code, n int) *code {
	switch {
	case n == 1:
		return c
	case n%2 == 0:
		half := m.power(c, n/2)
		return m.apply(codeOp(Mul), half, half)
	}
	return m.apply(codeOp(Mul), m.power(c, n-1), c)
}

// literal is a constant, rounded once.
func (m *emitter) literal(v *big.Rat) *code {
	f, _ := v.Float64()
	if m.b.Real == tensor.Float32 {
		narrow, _ := v.Float32()
		f = float64(narrow)
	}
	return m.leaf(ein.FloatConst(m.b.Real, f))
}

func (m *emitter) leaf(e ein.Expr) *code {
	key := fmt.Sprintf("leaf %p", e)
	switch e := e.(type) {
	case *ein.Const:
		key = fmt.Sprintf("literal %x", e.Bits)
	case *ein.LocalRef:
		key = fmt.Sprintf("local %p", e.Local)
	}
	c, ok := m.codes[key]
	if !ok {
		c = &code{leaf: e, id: len(m.codes)}
		m.codes[key] = c
	}
	return c
}

func (m *emitter) apply(op codeOp, args ...*code) *code {
	key := fmt.Sprint(op)
	for _, a := range args {
		key += fmt.Sprint(" ", a.id)
	}
	if c, ok := m.codes[key]; ok {
		return c
	}
	c := &code{op: op, args: args, id: len(m.codes), trees: 1}
	for _, a := range args {
		a.uses++
		c.trees += a.trees
	}
	m.codes[key] = c
	m.order = append(m.order, c)
	return c
}
