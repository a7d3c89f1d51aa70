package eintest

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// indicators makes the values of a statement the identity of the last operator but where
// conditions hold, of which one is mostly the equality of an index and a key.
func (g *generator) indicators(c *ein.Comprehension) {
	var op *ein.Operator
	for _, i := range c.Indices {
		if i.Combine.Op != nil {
			op = i.Combine.Op
		}
	}
	if op == nil || len(op.Identity) != len(c.Values) || !g.chance("indicator", 3) {
		return
	}
	for _, e := range op.Identity { // an extreme of nothing is infinite, and where it is has no number
		if v, ok := e.(*ein.Const); g.options.Exact && ok && e.Type().IsFloat() && (math.IsInf(v.Float(), 0) || math.IsNaN(v.Float())) {
			return
		}
	}
	holds, depth := true, 1
	if len(c.Values) > 1 { // names of values are of one expression
		depth = 0
	}
	cond := g.equality(depth)
	if g.chance("unequal", 3) {
		cond.Op, holds = ein.Ne, false
	}
	guard := ein.Expr(cond)
	if depth > 0 && g.chance("more conditions", 3) {
		other := g.value(tensor.Bool, 2)
		if holds {
			guard = &ein.Binary{Op: ein.And, X: other, Y: guard}
		} else {
			guard = &ein.Binary{Op: ein.Or, X: guard, Y: other}
		}
	}
	for k, v := range c.Values {
		if s := (&ein.Select{Cond: guard, Then: v, Else: op.Identity[k]}); holds {
			c.Values[k] = s
		} else {
			c.Values[k] = &ein.Select{Cond: guard, Then: op.Identity[k], Else: v}
		}
	}
}

// equality compares a key with an index plus or minus a number, or with another key.
func (g *generator) equality(depth int) *ein.Binary {
	t := pick(g, "key", tensor.Int64, tensor.Int32, tensor.Uint8, tensor.Int8, tensor.Uint64)
	key := g.value(t, depth)
	var own ein.Expr
	if len(g.indices) == 0 || g.chance("two keys", 4) {
		own = g.value(t, depth)
	} else {
		own = &ein.IndexRef{Index: pick(g, "index", g.indices...)}
		switch n := ein.IntConst(tensor.Int64, int64(pick(g, "shift", 0, 1, -2, 5))); {
		case n.Bits == 0:
		case g.chance("reversed", 2):
			own = &ein.Binary{Op: ein.Sub, X: n, Y: own}
		default:
			own = &ein.Binary{Op: ein.Add, X: own, Y: n}
		}
		own = g.converted(t, own)
	}
	if g.chance("swapped", 2) {
		key, own = own, key
	}
	return &ein.Binary{Op: ein.Eq, X: key, Y: own}
}
