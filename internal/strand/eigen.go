package strand

import (
	"math"

	"github.com/ricci-lang/ricci/internal/ein"
	"github.com/ricci-lang/ricci/tensor"
)

// How it works
//
// Eigen systems are scalar expressions in the real type, so that all that runs a program computes
// the same bits: Steps lists them.
//
// Closed formulas for all roots of the characteristic polynomial lose half of the digits where two
// roots are close. Here one root is computed so, that which is farthest from the others, where the
// formula is exact to the last digits; then the 2×2 matrix in the plane perpendicular to its vector
// is diagonalised by a rotation, which loses none. (The idea is that of Scherzinger and Dohrmann,
// "A robust algorithm for finding the eigenvalues and eigenvectors of 3×3 symmetric matrices", 2008.)
// Errors of values and of V Λ Vᵀ are a few units in the last place of the largest entry.
//
// Which of two opposite vectors is meant is as in the original, see orientation.

// Steps are assignments that compute what s wants in the real type. Only what Values and Vectors
// name is assigned outside of them: the others are fresh locals.
func (s *Eigen) Steps(real tensor.DType) []*Assign {
	f := &formulas{real: real}
	m := make([]ein.Expr, len(s.Of))
	for k, e := range s.Of {
		m[k] = f.let("m", e)
	}
	solve := f.eigen2
	if s.Dim == 3 {
		solve = f.eigen3
	}
	l, v := solve(m)
	for k, to := range s.Values {
		f.list = append(f.list, &Assign{To: to, Value: l[k]})
	}
	for k, to := range s.Vectors { // -0 is written as 0
		f.list = append(f.list, &Assign{To: to, Value: f.add(v[k/s.Dim][k%s.Dim], f.number(0))})
	}
	for _, a := range f.list {
		a.Pos = s.Pos
	}
	return f.list
}

// formulas builds expressions and names intermediate results.
type formulas struct {
	real tensor.DType
	list []*Assign
}

// A vector is its coordinates.
type vector [3]ein.Expr

func (f *formulas) let(name string, e ein.Expr) ein.Expr {
	l := &ein.Local{Name: name + "'", DType: e.Type()}
	f.list = append(f.list, &Assign{To: l, Value: e})
	return &ein.LocalRef{Local: l}
}

func (f *formulas) number(x float64) ein.Expr { return ein.FloatConst(f.real, x) }

func binary(op ein.BinaryOp, x, y ein.Expr) ein.Expr { return &ein.Binary{Op: op, X: x, Y: y} }

func (f *formulas) add(x, y ein.Expr) ein.Expr { return binary(ein.Add, x, y) }
func (f *formulas) sub(x, y ein.Expr) ein.Expr { return binary(ein.Sub, x, y) }
func (f *formulas) mul(x, y ein.Expr) ein.Expr { return binary(ein.Mul, x, y) }
func (f *formulas) div(x, y ein.Expr) ein.Expr { return binary(ein.Div, x, y) }
func (f *formulas) neg(x ein.Expr) ein.Expr    { return &ein.Unary{Op: ein.Neg, X: x} }
func (f *formulas) square(x ein.Expr) ein.Expr { return f.mul(x, x) }

func (f *formulas) call(name string, x ein.Expr) ein.Expr {
	b, _ := ein.LookupBuiltin(name)
	return &ein.Call{Func: b, Args: []ein.Expr{x}}
}

// choose is yes where a condition holds.
func (f *formulas) choose(cond, yes, no ein.Expr) ein.Expr {
	return &ein.Select{Cond: cond, Then: yes, Else: no}
}

func (f *formulas) isZero(x ein.Expr) ein.Expr { return binary(ein.Eq, x, f.number(0)) }

// largest is the largest magnitude.
func (f *formulas) largest(list ...ein.Expr) ein.Expr {
	m := f.call("fabs", list[0])
	for _, x := range list[1:] {
		m = f.let("most", binary(ein.Max, m, f.call("fabs", x)))
	}
	return m
}

// divisor is x, or 1 where x is 0.
func (f *formulas) divisor(x ein.Expr) ein.Expr {
	return f.let("divisor", f.choose(f.isZero(x), f.number(1), x))
}

// each makes a vector of what a function makes of the coordinates of others.
func (f *formulas) each(name string, of func(k int) ein.Expr) vector {
	var v vector
	for k := range v {
		v[k] = f.let(name, of(k))
	}
	return v
}

func (f *formulas) dot(x, y vector) ein.Expr {
	return f.add(f.add(f.mul(x[0], y[0]), f.mul(x[1], y[1])), f.mul(x[2], y[2]))
}

func (f *formulas) cross(x, y vector) vector {
	return f.each("cross", func(k int) ein.Expr {
		i, j := (k+1)%3, (k+2)%3
		return f.sub(f.mul(x[i], y[j]), f.mul(x[j], y[i]))
	})
}

// chosen is the vector yes where a condition holds.
func (f *formulas) chosen(cond ein.Expr, yes, no vector) vector {
	return f.each("chosen", func(k int) ein.Expr { return f.choose(cond, yes[k], no[k]) })
}

// rotation diagonalises the symmetric matrix [[p, b], [b, r]] whose entries are at most about 1: its
// roots are middle ± half, and (x, y) is the vector of the larger one. Where what lies beside a
// multiple of the identity is below the square of the precision, any vectors will do.
func (f *formulas) rotation(p, b, r ein.Expr) (middle, half, x, y ein.Expr) {
	tiny := math.Ldexp(1, -100)
	if f.real == tensor.Float32 {
		tiny = math.Ldexp(1, -48)
	}
	middle = f.let("middle", f.mul(f.add(p, r), f.number(0.5)))
	d := f.let("d", f.mul(f.sub(p, r), f.number(0.5)))
	some := f.let("some", binary(ein.Gt, f.largest(d, b), f.number(tiny)))
	half = f.let("half", f.call("sqrt", f.add(f.square(d), f.square(b))))
	long := f.let("long", f.add(half, f.call("fabs", d)))
	length := f.let("length", f.call("sqrt", f.add(f.square(long), f.square(b))))
	along, across := f.let("along", f.div(long, length)), f.let("across", f.div(b, length))
	first := f.let("first", binary(ein.Ge, d, f.number(0)))
	x = f.let("x", f.choose(some, f.choose(first, along, across), f.number(1)))
	y = f.let("y", f.choose(some, f.choose(first, across, along), f.number(0)))
	return middle, half, x, y
}

// eigen compiles the steps of a statement.
func (r *runner) eigen(s *Eigen) code {
	var steps Block
	for _, a := range s.Steps(r.w.program.Real) {
		steps = append(steps, a)
	}
	return r.block(steps)
}
