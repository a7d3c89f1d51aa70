package ein

import (
	"slices"

	"github.com/ricci-lang/ricci/internal/affine"
	"github.com/ricci-lang/ricci/tensor"
)

// How arithmetic on float16 may be done in 16 bits
//
// Values are computed in float32 and rounded when they are stored. One sum, difference or product
// of two numbers of float16 that is rounded to float16 at once is the same: float32 has 24 bits, and
// 2·11 + 2 are enough for the second rounding to change nothing (S. Figueroa, When is double rounding
// innocuous?, 1995); so small a product that float16 has fewer bits for it is exact in float32.
// Quotients and square roots would be the same, too, but take processors 1.5 times as
// long as in float32. Signs, minima and maxima
// choose one of their operands; of sums they may choose after rounding, which keeps the order,
// since a sum that is not 0 is not rounded to 0. Products may be.

// HalfKind says what is known of a value in float32 where its operands are of float16.
type HalfKind uint8

// The kinds, from which less follows to which more does.
const (
	NoHalf      HalfKind = iota // is to be computed in float32
	RoundedHalf                 // is one of float16 when it is rounded once, which has to come last
	SummedHalf                  // is one of float16 when it is rounded once, here or later
	ExactHalf                   // is one of float16
)

// HalfCall is the kind of a builtin function's value.
func HalfCall(name string, args []HalfKind) HalfKind {
	switch name {
	case "fabs":
		return args[0]
	case "fmin", "fmax":
		return HalfBinary(Min, args[0], args[1])
	}
	return NoHalf
}

// HalfBinary is the kind of an operator's value.
func HalfBinary(op BinaryOp, x, y HalfKind) HalfKind {
	switch op {
	case Min, Max:
		if least := min(x, y); least >= SummedHalf {
			return least
		}
	case Add, Sub:
		if x == ExactHalf && y == ExactHalf {
			return SummedHalf
		}
	case Mul:
		if x == ExactHalf && y == ExactHalf {
			return RoundedHalf
		}
	}
	return NoHalf
}

// halfKind is the kind of an expression.
func halfKind(e Expr) HalfKind {
	switch e := e.(type) {
	case *Const:
		if e.DType == tensor.Float32 && tensor.IsFloat16(e.Float()) {
			return ExactHalf
		}
	case *Cast:
		if a, ok := e.X.(*Access); ok && e.To == tensor.Float32 && a.Tensor.Type == tensor.Float16 && !a.Checked {
			return ExactHalf
		}
	case *Unary:
		if e.Op == Neg {
			return halfKind(e.X)
		}
	case *Call:
		args := make([]HalfKind, len(e.Args))
		for k, a := range e.Args {
			args[k] = halfKind(a)
		}
		return HalfCall(e.Func.Name, args)
	case *Binary:
		return HalfBinary(e.Op, halfKind(e.X), halfKind(e.Y))
	}
	return NoHalf
}

// isDense reports whether elements that an access reads along an index are neighbours: of others,
// as those of a pooling with steps, vectors are put together in float32.
func isDense(a *Access) bool {
	if len(a.Subscripts) == 0 {
		return true
	}
	e, ok := AffineOf(a.Subscripts[len(a.Subscripts)-1])
	return ok && !slices.ContainsFunc(e.Terms(), func(t affine.Term) bool { return len(t.Atoms) > 0 && t.Coefficient != 1 })
}

// InHalves reports whether a comprehension can be computed in float16 with the same results:
// what it writes is, and its reductions are minima and maxima of exact values.
func InHalves(c *Comprehension) bool {
	if c.Accumulate != nil || len(c.Writes) != 1 || c.Writes[0].Tensor.Type != tensor.Float16 {
		return false
	}
	if slices.ContainsFunc(c.Accesses(), func(a *Access) bool { return !isDense(a) }) {
		return false
	}
	kind := halfKind(c.Values[0])
	return kind != NoHalf && !slices.ContainsFunc(c.Indices, func(i *Index) bool {
		switch i.Combine.Kind {
		case Concat:
			return false
		case Reduce:
			return i.Combine.Op.Kind != MinOp && i.Combine.Op.Kind != MaxOp || kind != ExactHalf
		}
		return true
	})
}
