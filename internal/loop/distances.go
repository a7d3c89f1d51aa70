package loop

import (
	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// A Distances adds the differences of unsigned bytes, without their signs, to every second
// lane of Z, which are int32:
//
//	Z[2m] + Σ_q |X[8m+q] - Y[8m+q]|    for q in 0:8, modulo 2³²
//
// It is one instruction of many processors, and the sum of bytes where Y is 0. X and Y have
// four elements for every lane of Z.
type Distances struct{ X, Y, Z Expr }

func (*Distances) expr() {}

// Type returns the type of the value.
func (e *Distances) Type() Type { return e.Z.Type() }

// distances checks a Distances.
func (v *verifier) distances(e *Distances) {
	x, y, z := v.expr(e.X), v.expr(e.Y), v.expr(e.Z)
	v.require(z.Elem == tensor.Int32 && z.Lanes > 1, "distances are added to %s", z)
	for _, t := range []Type{x, y} {
		v.require(t == Type{Elem: tensor.Uint8, Lanes: 4 * z.Lanes}, "distances for %d lanes with an operand of type %s", z.Lanes, t)
	}
}

func (ev *evaluator) distances(e *Distances) []uint64 {
	x, y, z := ev.expr(e.X), ev.expr(e.Y), ev.expr(e.Z)
	result := ev.lanes(len(z))
	copy(result, z)
	for k := range x {
		distance := max(x[k], y[k]) - min(x[k], y[k])
		result[k/8*2] = evalBinary(ein.Add, tensor.Int32, result[k/8*2], distance)
	}
	return result
}
