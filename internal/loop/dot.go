package loop

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// A Dot adds dot products of groups of narrow integers to the lanes of Z, which are
// int32. A group fills 32 bits: it is 4 elements of 8 bits or 2 of 16.
//
//	Z[l] + Σ_q X[l·g+q] · Y[l·g+q]     modulo 2³²
//
// X and Y have g elements for every lane of Z, or g in all, which are the same for all
// lanes. Sums wrap and never saturate, so any order of them has one result. What
// processors have for it a target finds by itself; matrix units take groups, too.
type Dot struct{ X, Y, Z Expr }

func (*Dot) expr() {}

// Type returns the type of the value.
func (e *Dot) Type() Type { return e.Z.Type() }

// dot checks a Dot.
func (v *verifier) dot(e *Dot) {
	x, y, z := v.expr(e.X), v.expr(e.Y), v.expr(e.Z)
	g := ein.DotGroup(x.Elem)
	v.require(g > 0 && g == ein.DotGroup(y.Elem), "a dot product of %s and %s", x, y)
	v.require(z.Elem == tensor.Int32 && ein.DotSum(x.Elem) == z.Elem && z.Lanes > 1, "dot products are added to %s", z)
	for _, t := range []Type{x, y} {
		v.require(t.Lanes == g || t.Lanes == g*z.Lanes, "a dot product for %d lanes with an operand of type %s", z.Lanes, t)
	}
}

func (ev *evaluator) dot(e *Dot) []uint64 {
	x, y, z := ev.expr(e.X), ev.expr(e.Y), ev.expr(e.Z)
	g := ein.DotGroup(e.X.Type().Elem)
	result := ev.lanes(len(z))
	copy(result, z)
	for l := range result {
		for q := range g {
			product := evalBinary(ein.Mul, tensor.Int32, x[(l*g+q)%len(x)], y[(l*g+q)%len(y)])
			result[l] = evalBinary(ein.Add, tensor.Int32, result[l], product)
		}
	}
	return result
}
