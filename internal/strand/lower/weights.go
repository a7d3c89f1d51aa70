package lower

import (
	"math/big"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/field"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How weights are computed
//
// The weight of a tap is E(q) + g·O(q) with g = f - ½ and q = g² (field.Kernel.Taps): in that order,
// which is strand.Evaluate's. Kernels are symmetric, so that the tap on the other side has E and O,
// too, with other signs: both take one and a half multiplications for each degree.

// An axisWeights has the weights of an axis.
type axisWeights struct {
	g, q    loop.Expr
	byOrder map[int][]loop.Expr
}

// of gives the weights of the taps of an axis.
func (w *window) weightsOf(axis, order int) []loop.Expr {
	if w.weights == nil {
		w.weights = make([]*axisWeights, len(w.sizes))
	}
	a := w.weights[axis]
	if a == nil {
		a = &axisWeights{byOrder: map[int][]loop.Expr{}}
		a.g = w.g.let("g", binary(ein.Sub, w.f[axis], real(w.real, 0.5)))
		a.q = w.g.let("q", binary(ein.Mul, a.g, a.g))
		w.weights[axis] = a
	}
	if list, known := a.byOrder[order]; known {
		return list
	}
	taps := (&field.Kernel{Support: w.s.Kernel.Support, Pieces: w.s.Kernel.Pieces}).Taps(order)
	list := make([]loop.Expr, len(taps))
	for m, tap := range taps {
		if list[m] != nil {
			continue
		}
		even, odd := w.powers("even", tap, 0, a.q), w.powers("odd", tap, 1, a.q)
		list[m] = w.weight(even, odd, a.g)
		other := len(taps) - 1 - m
		switch {
		case other <= m || w.g.o.Exact:
		case isMirrored(tap, taps[other], 1):
			list[other] = w.weight(even, odd, &loop.Unary{Op: ein.Neg, X: a.g})
		case isMirrored(tap, taps[other], -1) && even != nil:
			list[other] = w.weight(&loop.Unary{Op: ein.Neg, X: even}, odd, a.g)
		}
	}
	a.byOrder[order] = list
	return list
}

// isMirrored reports whether b(x) is sign·a(-x).
func isMirrored(a, b []*big.Rat, sign int64) bool {
	for k := range max(len(a), len(b)) {
		x, y := coefficient(a, k), coefficient(b, k)
		if k%2 == 1 {
			x = new(big.Rat).Neg(x)
		}
		if new(big.Rat).Mul(x, big.NewRat(sign, 1)).Cmp(y) != 0 {
			return false
		}
	}
	return true
}

func coefficient(p []*big.Rat, k int) *big.Rat {
	if k < len(p) {
		return p[k]
	}
	return new(big.Rat)
}

// weight is even + g·odd, each of which may be nil for 0.
func (w *window) weight(even, odd, g loop.Expr) loop.Expr {
	switch {
	case even == nil && odd == nil:
		return real(w.real, 0)
	case odd == nil:
		return even
	case even == nil:
		return w.g.let("weight", binary(ein.Mul, g, odd))
	}
	return w.g.let("weight", w.multiplyAdd(g, odd, even))
}

// powers is the polynomial in q of every other coefficient from one on; nil for 0.
func (w *window) powers(name string, tap []*big.Rat, from int, q loop.Expr) (value loop.Expr) {
	for power := len(tap) - 1; power >= 0; power-- {
		if power%2 != from {
			continue
		}
		c := w.rounded(tap[power])
		switch {
		case value != nil:
			value = w.multiplyAdd(value, q, c)
		case tap[power].Sign() != 0:
			value = c
		}
	}
	if value == nil {
		return nil
	}
	return w.g.let(name, value)
}

// multiplyAdd is x·y + z.
func (w *window) multiplyAdd(x, y, z loop.Expr) loop.Expr {
	if w.g.o.Exact {
		return binary(ein.Add, binary(ein.Mul, x, y), z)
	}
	list := loop.EquallyWide(x, y, z)
	return &loop.MulAdd{X: list[0], Y: list[1], Z: list[2]}
}

// rounded is the nearest literal.
func (w *window) rounded(c *big.Rat) loop.Expr {
	if w.real == tensor.Float32 {
		v, _ := c.Float32()
		return real(w.real, float64(v))
	}
	v, _ := c.Float64()
	return real(w.real, v)
}
