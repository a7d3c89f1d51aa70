package c

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
)

// How addresses are printed
//
// What unrolled loops add to a subscript is a constant when they are written out, and an
// address with a constant costs nothing. Where integers wrap, gcc regroups whole sums
// before it sees that, keeps an offset in a register for every row of a tile, and computes
// them all again for the next tile. It regroups no pointers: so such terms are added to a
// pointer that the others make. 100 products of 16 x 16 x 16 floats take 0.7 of the time.
// Elsewhere they are at least the last ones of the sum: between the others they had gcc keep a
// pointer for each row of a tile, most of them in memory (3 x 3 with steps of 2, 64 to 128
// channels at 28 x 28: 0.9 of the time; 11 x 11 with steps of 2: 0.84).
// Where an element serves several iterations, as in tiles of several vectors, gcc then
// moves more accumulators between registers (48 x 48 x 48 take 1.1 of the time), and the
// sums are left as they are. gcc 12 mixes up the iterations of memory that is written and
// read in unrolled loops by such addresses (TestBlocksCopiedInTurn of the root package), so
// only what nobody writes has them, and nothing in other loops inside of unrolled ones. That test passes
// without the rule about writing since arrays.go; products and transpositions take as long.

// address returns a pointer and a subscript whose sum is the address of buffer[index].
func (k *kernel) address(b *loop.Buffer, index loop.Expr) (pointer, subscript string) {
	name := k.scope.name(b, "buffer "+b.Name)
	moving, unrolled := k.splitSum(index)
	if moving == nil || unrolled == nil {
		return name, k.text(index)
	}
	if !b.ReadOnly || slices.ContainsFunc(k.unrolled, func(v *loop.Var) bool { return !mentions(unrolled, v) }) {
		return name, k.text(join(moving, unrolled))
	}
	return "(" + name + " + " + k.expr(moving).at(levelMul) + ")", k.text(unrolled)
}

// splitSum splits a sum into the terms that change while a kernel runs, and those that
// depend on unrolled loops only; nil where there are none.
func (k *kernel) splitSum(e loop.Expr) (moving, unrolled loop.Expr) {
	if sum, ok := e.(*loop.Binary); ok && sum.Op == ein.Add {
		m1, u1 := k.splitSum(sum.X)
		m2, u2 := k.splitSum(sum.Y)
		return join(m1, m2), join(u1, u2)
	}
	if k.isUnrolled(e) {
		return nil, e
	}
	return e, nil
}

func join(x, y loop.Expr) loop.Expr {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return &loop.Binary{Op: ein.Add, X: x, Y: y}
}

// isUnrolled reports whether a term has variables, all of unrolled loops.
func (k *kernel) isUnrolled(e loop.Expr) bool {
	some, all := false, true
	loop.WalkExpr(e, loop.Visitor{Expr: func(e loop.Expr) {
		switch e := e.(type) {
		case *loop.VarRef:
			some, all = true, all && slices.Contains(k.unrolled, e.Var)
		case *loop.Load, *loop.Lead:
			all = false
		}
	}})
	return some && all
}
