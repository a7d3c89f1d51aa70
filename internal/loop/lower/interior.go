package lower

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/internal/loop"
	"github.com/ricci-lang/ricci/internal/rewrite"
)

// How vectors away from a boundary are computed
//
// Subscripts that are clamped, mirrored or wrapped along a vector have lanes that lie anywhere, and
// conditions make masks. Nearly all vectors are away from the boundary, where nothing of this is needed.
// So a point-wise statement has two forms, and each vector tests which one it takes. The value lies in a
// register meanwhile, so that it is stored as ever: in blocks, streams and rows. A clamped
// stencil of five points that is applied twice takes a tenth, of sizes that are not known a twelfth.

// interior is rewrite.Interior of a statement; nil for none.
type interior struct {
	statement *ein.Comprehension
	sides     []rewrite.InteriorSide
}

// interiorOf returns the interior of a statement, which is looked for once.
func (l *lowerer) interiorOf(s int) *interior {
	one, known := l.interiors[s]
	if !known {
		if inside, sides := rewrite.Interior(l.f.Body[s]); inside != nil {
			one = &interior{inside, sides}
		}
		l.interiors[s] = one
	}
	return one
}

// isInside tests that all lanes are within the sides: nil for always. ok is false where they
// cannot be compared, or where none of the sides is along the vector.
func (x *context) isInside(sides []rewrite.InteriorSide) (inside loop.Expr, ok bool) {
	for _, side := range sides {
		if side.Index == "" {
			step, least, linear := x.leastOver(side.Need)
			if !linear {
				return nil, false
			}
			ok = ok || step
			inside = both(inside, x.l.compare(least, ein.Ge, affine.Const(0)))
			continue
		}
		step, base, linear := x.env[side.Index].Linear(laneSymbol)
		if !linear {
			return nil, false
		}
		ok = ok || step != 0
		far := step * int64(x.lanes-1)
		low, high := base.AddConst(min(far, 0)), base.AddConst(max(far, 0))
		inside = both(inside, x.l.compare(low, ein.Ge, affine.Const(side.Low)))
		inside = both(inside, x.l.compare(high, ein.Lt, affine.Const(side.High)))
	}
	return inside, ok
}

// leastOver is the least value that an expression over the indices has at the lanes, and whether they have different ones.
func (x *context) leastOver(need affine.Expr) (along bool, least affine.Expr, linear bool) {
	step, base, linear := need.Subst(x.env).Linear(laneSymbol)
	return step != 0, base.AddConst(min(step*int64(x.lanes-1), 0)), linear
}

// nearOrFar lowers the values of a point-wise statement in both of its forms, and returns them and the registers
// in which they lie, if any.
func (x *context) nearOrFar(s int) (values []loop.Expr, registers []*loop.Buffer) {
	one := x.l.interiorOf(s)
	if one == nil || x.lanes < 2 || x.sc.deferred != nil {
		return x.all(x.c.Values), nil
	}
	test, ok := x.isInside(one.sides)
	if !ok || isNever(test) {
		return x.all(x.c.Values), nil
	}
	far := *x
	far.c, far.before, far.locals = one.statement, nil, map[*ein.Local]loop.Expr{}
	inside := far.all(one.statement.Values)
	if test == nil {
		x.before = append(x.before, far.before...)
		return inside, nil
	}
	near := *x
	near.before, near.locals = nil, map[*ein.Local]loop.Expr{}
	outside := near.all(x.c.Values)
	choice := &loop.If{Cond: test, Then: far.before, Else: near.before}
	for k := range inside {
		inside[k], outside[k] = broadcast(inside[k], x.lanes), broadcast(outside[k], x.lanes)
		r := x.l.fresh.Buffer(x.c.Writes[min(k, len(x.c.Writes)-1)].Tensor.Name+"_value", outside[k].Type(), 1, loop.Register)
		choice.Then = append(choice.Then, &loop.Store{Buffer: r, Index: loop.Int(0), Value: inside[k]})
		choice.Else = append(choice.Else, &loop.Store{Buffer: r, Index: loop.Int(0), Value: outside[k]})
		registers = append(registers, r)
		values = append(values, &loop.Load{Buffer: r, Index: loop.Int(0), Lanes: x.lanes})
	}
	x.before = append(x.before, choice)
	return values, registers
}

// inRegisters makes registers for some statements.
func inRegisters(registers []*loop.Buffer, list []loop.Stmt) []loop.Stmt {
	for _, r := range slices.Backward(registers) {
		list = []loop.Stmt{&loop.Alloc{Buffer: r, Body: list}}
	}
	return list
}
