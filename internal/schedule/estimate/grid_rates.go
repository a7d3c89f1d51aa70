package estimate

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/machine"
	"github.com/ricci-lang/ricci/tensor"
)

// How operations are counted on devices
//
// A core has other numbers of units for float32, float64, integers and conversions. Everything is counted in additions of float32: an operation
// is as many as begin in its time. Floats of 16 bits are computed as float32 is, which takes no conversion of its own.

// rateOf is how many additions of float32 the items of a device begin in the time of an operation on numbers of a type.
func rateOf(m *machine.Processor, t tensor.DType) float64 {
	switch t = t.Compute(); {
	case t == tensor.Float64:
		return m.Value(machine.ItemDouble)
	case t.IsFloat():
		return 1
	case t.Size() > tensor.Int32.Size():
		return m.Value(machine.ItemLong)
	}
	return m.Value(machine.ItemInteger)
}

// mostTypes is more than there are types.
const mostTypes = 32

// A pointWork adds up what a point of a statement takes.
type pointWork struct {
	*machine.Processor
	operations     float64
	products, sums [mostTypes]float64 // by type: a multiplication feeds an addition
}

// costOf is how many additions of float32 a point of a statement takes, and how many operations wait for one another.
func (g *gridWalk) costOf(s int) (operations, depth float64) {
	c := g.statements[s].c
	n := &pointWork{Processor: g.machine}
	for _, v := range c.Values {
		ein.Walk(v, n.count)
	}
	if reduced := ein.Reduced(c); len(reduced) > 0 {
		if op := reduced[0].Combine.Op; op.Kind == ein.UserDefined {
			for _, e := range op.Body {
				ein.Walk(e, n.count)
			}
		} else {
			n.sums[c.Values[0].Type().Compute()]++
		}
		depth = 1
	}
	for t, products := range n.products {
		if most := max(products, n.sums[t]); most > 0 {
			n.operations += most * rateOf(n.Processor, tensor.DType(t))
		}
	}
	if depth == 0 {
		depth = n.operations
	}
	return max(1, n.operations), depth
}

// count adds an expression, and reports whether what is in it counts, too: subscripts are computed elsewhere.
func (n *pointWork) count(e ein.Expr) bool {
	rate := func() float64 { return rateOf(n.Processor, e.Type()) }
	switch e := e.(type) {
	case *ein.Access:
		return false
	case *ein.Call:
		n.operations += n.Value(machine.ItemCall) * rate()
	case *ein.Select, *ein.Unary:
		n.operations += rate()
	case *ein.Cast:
		n.operations += n.conversion(e.To.Compute(), e.X.Type().Compute())
	case *ein.Binary:
		switch t := e.X.Type().Compute(); e.Op {
		case ein.Mul:
			n.products[t]++
		case ein.Add, ein.Sub:
			n.sums[t]++
		case ein.Div, ein.Mod:
			n.operations += n.Value(machine.ItemDivide) * rateOf(n.Processor, t)
		default:
			n.operations += rateOf(n.Processor, t)
		}
	}
	return true
}

// conversion is how many additions a conversion takes: none between floats that are computed alike, and that of integers of up to 32 bits to each other is
// one of theirs.
func (n *pointWork) conversion(to, from tensor.DType) float64 {
	switch {
	case to == from:
		return 0
	case !to.IsFloat() && !from.IsFloat():
		return max(rateOf(n.Processor, to), rateOf(n.Processor, from))
	}
	return n.Value(machine.ItemConvert)
}
