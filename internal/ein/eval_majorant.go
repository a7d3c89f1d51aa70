package ein

import (
	"math"

	"github.com/ricci-lang/ricci/tensor"
)

// How folds of user-defined operators are bounded in any order
//
// Let an operator compute with +, -, *, choices and minima only. A fold of n values is
// then a sum of products of these values, in every order of the applications the same
// one, and an order rounds each of the products at most k·(n - 1) times, where k is how
// many operations an application does: the error is at most k·(n - 1)·u·M to first order,
// where M is the same sum of the magnitudes of the products (Higham, Accuracy and
// Stability of Numerical Algorithms, section 3.1, says so of inner products). M is the
// fold by the majorant of the operator, which adds where the operator subtracts. What an
// operation loses below the smallest number of the type is at most that number. Nothing
// is rounded at all when every product is a multiple of a power of two, the grid, and M
// is less than 1/u times that. Where M leaves the range of the type, one order may give a number and
// another ±∞ or NaN: products of complex numbers that overflow are +∞ in one, ∞ - ∞ in the next.
//
// A choice follows the values of the fold; that another order may choose otherwise is
// what the running error of the condition says, which has this bound in it. An operator
// with a division or a function has no majorant: its products are not the same in all
// orders.

// majorant is the arithmetic of magnitudes: of a float, f is the value, e its magnitude
// and i the exponent of its grid. Integers and bools are exact.
type majorant struct{}

// endless is the grid of 0, which is a multiple of everything.
const endless = 1 << 40

func (majorant) bounds() bool { return false }

func (majorant) negate(t tensor.DType) func(value) value {
	if !t.IsFloat() {
		return exact{}.negate(t)
	}
	return func(a value) value { return value{f: -a.f, e: a.e, i: a.i} }
}

func (majorant) not() func(value) value { return exact{}.not() }

func (majorant) count(op UnaryOp, t tensor.DType) func(value) value { return exact{}.count(op, t) }

func (majorant) binary(op BinaryOp, t tensor.DType) func(a, b value) value {
	if !t.IsFloat() {
		return exact{}.binary(op, t)
	}
	f := exact{}.binary(op, tensor.Float64)
	switch {
	case op.IsComparison():
		return f
	case op == Mul:
		return func(a, b value) value { return value{f: a.f * b.f, e: a.e * b.e, i: min(a.i+b.i, endless)} }
	case op == Min || op == Max:
		return func(a, b value) value {
			if f(a, b).f == a.f {
				return a
			}
			return b
		}
	}
	return func(a, b value) value { return value{f: f(a, b).f, e: a.e + b.e, i: min(a.i, b.i)} }
}

// call is never reached: an operator that calls functions has no majorant.
func (majorant) call(b *Builtin, t tensor.DType) func([]value) value { return exact{}.call(b, t) }

func (majorant) cast(to, from tensor.DType) func(value) value {
	f := exact{}.cast(to, from)
	switch {
	case !to.IsFloat():
		return f
	case from.IsFloat():
		return func(a value) value { return a }
	}
	return func(a value) value { return magnitudeOf(f(a).f) }
}

// magnitudeOf is the majorant of a number that has no error.
func magnitudeOf(f float64) value {
	v := value{f: f, e: math.Abs(f), i: endless}
	if bit := lowestBit(f); bit < unbounded {
		v.i = int64(math.Ilogb(bit))
	}
	return v
}

// A disorder bounds the folds by an operator in any order.
type disorder struct {
	precision *precision // the coarsest of the floats
	body      []code     // in the arithmetic of the majorant
	roundings float64    // how many an application does
	products  bool       // an application multiplies
}

// weigh gives a value that a fold begins with its majorant.
func (c *cell) weigh() {
	if c.terms > 0 && c.sum == nil {
		return
	}
	*c = cell{value: c.closed()}
	v := magnitudeOf(c.f)
	c.terms, c.magnitude, c.grid, c.infinite = 1, v.e, v.i, math.IsInf(v.e, 0)
	if c.e > 0 && !c.isEitherZero() {
		c.grid = -endless
	}
}

// majorant is what the bodies of a disorder compute with.
func (c *cell) majorant() value {
	v := c.value
	if c.terms > 0 {
		v.e, v.i = c.magnitude, c.grid
	}
	return v
}

// widen gives a component of a fold the error that it has in any order.
func (d *disorder) widen(c *cell, t tensor.DType) {
	p := precisionOf(t)
	if d.leavesRange(c, p) {
		c.e = unbounded
		return
	}
	exact := c.grid > -endless && c.magnitude <= math.Ldexp(1/p.unit, int(c.grid)) && math.Ldexp(1, int(c.grid)) >= p.tiny
	if !finite(c.f) || exact || c.magnitude == 0 {
		return
	}
	e := d.roundings * (c.terms - 1) * (d.precision.unit*c.magnitude + p.tiny)
	c.value = p.settle(c.f, max(c.e, e))
}

// leavesRange reports whether a component of a fold is beyond the range of its type in some order. With
// infinite terms it is so in all orders if the operator only adds; NaN in M says that all are NaN.
func (d *disorder) leavesRange(c *cell, p *precision) bool {
	if d.roundings == 0 || c.infinite && !d.products {
		return false
	}
	return c.magnitude > p.largest || !finite(c.f) && c.magnitude <= p.largest
}

// disorderOf returns nil for an operator without a majorant, or without floats.
func (c *compiler) disorderOf(o *Operator) *disorder {
	d := &disorder{}
	known := true
	for k, e := range o.Body {
		if t := o.Left[k].DType; t.IsFloat() && (d.precision == nil || precisionOf(t).unit > d.precision.unit) {
			d.precision = precisionOf(t)
		}
		Walk(e, func(e Expr) bool {
			switch e := e.(type) {
			case *Call:
				known = false
			case *Binary:
				if e.Type().IsFloat() {
					known = known && e.Op != Div && e.Op != Mod
					d.roundings++
					d.products = d.products || e.Op == Mul
				}
			case *Cast:
				if e.To.IsFloat() {
					d.roundings++
				}
			}
			return known
		})
	}
	if !known || d.precision == nil {
		return nil
	}
	ev := *c.ev
	ev.arithmetic = majorant{}
	inner := *c
	inner.ev = &ev
	d.body = inner.list(o.Body)
	return d
}
