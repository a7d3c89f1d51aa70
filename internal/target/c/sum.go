package c

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/tensor"
)

// How integers are printed
//
// Most are subscripts, in 64 bits. Their constants need no suffix beside what has 64 bits already;
// two of them are computed here, for C would do it in 32 bits. What is added with a negative factor is
// subtracted. Everything wraps, so that neither changes a result.

// isIndex reports whether values have the type of subscripts.
func isIndex(t loop.Type) bool { return t.Lanes == 1 && t.Elem == tensor.Int64 }

// indexOperation prints a sum, difference or product of subscripts as it is written by hand; ok is
// false for other operations.
func (k *kernel) indexOperation(e *loop.Binary) (c code, ok bool) {
	if !isIndex(e.Type()) || e.Op != ein.Add && e.Op != ein.Sub && e.Op != ein.Mul {
		return code{}, false
	}
	x, isX := constantOf(e.X)
	y, isY := constantOf(e.Y)
	if isX && isY {
		return constant(loop.Int(map[ein.BinaryOp]int64{ein.Add: x + y, ein.Sub: x - y, ein.Mul: x * y}[e.Op])), true
	}
	if e.Op == ein.Mul {
		return code{}, false
	}
	if isY && y == 0 {
		return k.expr(e.X), true
	}
	if positive, ok := negated(e.Y); ok {
		op := map[ein.BinaryOp]string{ein.Add: "-", ein.Sub: "+"}[e.Op]
		return binary(k.expr(e.X), op, k.expr(positive), levelAdd), true
	}
	if positive, ok := negated(e.X); ok && e.Op == ein.Add {
		return binary(k.expr(e.Y), "-", k.expr(positive), levelAdd), true
	}
	return code{}, false
}

// negated returns the negative of a negative constant, or of a product with one.
func negated(e loop.Expr) (positive loop.Expr, ok bool) {
	if c, isConst := e.(*loop.Const); isConst {
		v := int64(c.Bits)
		return loop.Int(-v), v < 0 && v != math.MinInt64
	}
	product, isBinary := e.(*loop.Binary)
	if !isBinary || product.Op != ein.Mul {
		return nil, false
	}
	for _, sides := range [][2]loop.Expr{{product.X, product.Y}, {product.Y, product.X}} {
		c, isConst := sides[1].(*loop.Const)
		if !isConst {
			continue
		}
		factor, ok := negated(c)
		if v, _ := constantOf(c); ok && v == -1 {
			return sides[0], true
		}
		return &loop.Binary{Op: ein.Mul, X: sides[0], Y: factor}, ok
	}
	return nil, false
}

// typed prints an index with its type where it is a constant.
func (k *kernel) typed(e loop.Expr) code {
	if v, ok := constantOf(e); ok && isIndex(e.Type()) && isInt(v) {
		c := k.expr(e)
		return code{c.text + "LL", c.level}
	}
	return k.expr(e)
}
